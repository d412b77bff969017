import numpy as np

from plash.grid.cells import LIQUID, WALL, WET
from plash.grid.dense import from_dense
from plash.grid.differences import divergence, subtract_gradient


def test_divergence_of_a_linear_field_is_exact(make_box, dimension):
    box = make_box(dimension)
    slopes = (0.7, -0.4, 1.3)
    field = box.faces(lambda axis, *x: slopes[axis] * x[axis])
    result = box.dense(divergence(field, box.cells)) / box.h
    assert np.allclose(result, sum(slopes[:dimension]), rtol=1e-5)


def test_divergence_is_zero_outside_liquid(make_box, dimension):
    box = make_box(dimension, liquid=lambda *i: i[1] < 9)
    field = box.faces(lambda axis, *x: x[axis])
    result = box.dense(divergence(field, box.cells))
    assert (result[:, 9:] == 0).all()
    assert (result[:, :9] != 0).all()


def test_gradient_and_divergence_are_adjoint(make_box, dimension):
    """Σ q ∇·u = -Σ u·∇q for u zero on walls and q zero in air: what makes the projection one."""
    box = make_box(dimension, liquid=lambda *i: i[1] < 11)
    rng = np.random.default_rng(0)
    q = from_dense(rng.standard_normal(box.cells_along), box.tiles)
    q[box.cells.label != LIQUID] = 0
    field = box.faces(lambda axis, *x: rng.standard_normal(x[0].shape))
    open_wet = (box.cells.faces & (WET | WALL)) == WET
    field.pool[~open_wet & ~np.isnan(field.pool)] = 0
    left = (q * divergence(field, box.cells)).sum()
    changed = field.copy()
    subtract_gradient(changed, q, box.cells)
    gradient = np.where(open_wet, field.pool.astype(np.float64) - changed.pool, 0.0)
    right = -np.nansum(np.where(open_wet, field.pool, 0.0) * gradient)
    assert np.isclose(left, right, rtol=1e-4)


def test_after_the_gradient_only_open_wet_faces_are_known(make_box, dimension):
    box = make_box(dimension, liquid=lambda *i: i[0] < 7)
    field = box.faces(lambda axis, *x: np.ones(x[0].shape))
    subtract_gradient(field, np.zeros(box.cells.label.shape), box.cells)
    assert (~np.isnan(field.pool) == ((box.cells.faces & (WET | WALL)) == WET)).all()
