"""Direct solutions on a box, and solutions round what is cut out of it."""

import numpy as np
import pytest

from plash.linear.embedded import Embedded
from plash.linear.transforms import BoxSolver
from plash.physics.box.obstacles import SolidCells

SHAPES = {2: (9, 14), 3: (6, 9, 11)}
H = 0.37


def laplacian(x, h):
    """The five-point (seven-point) Laplacian with walls that let nothing through."""
    total = np.zeros_like(x)
    for axis in range(x.ndim):
        step = np.diff(x, axis=axis)
        edges = [(1, 1) if a == axis else (0, 0) for a in range(x.ndim)]
        total += np.diff(np.pad(step, edges), axis=axis)
    return total / h**2


def test_the_cosine_solution_is_exact_to_round_off(dimension):
    right = np.random.default_rng(0).standard_normal(SHAPES[dimension])
    x = BoxSolver(right.shape, H).poisson(right)
    assert np.abs(laplacian(x, H) - (right - right.mean())).max() < 1e-13 * np.abs(right).max() * right.size
    assert abs(x.mean()) < 1e-14


def test_the_right_side_is_left_as_it_is(dimension):
    right = np.random.default_rng(0).standard_normal(SHAPES[dimension])
    before = right.copy()
    box = BoxSolver(right.shape, H)
    box.poisson(right)
    box.helmholtz(right, 0.3)
    box.helmholtz(right, 0.3, across=0)
    assert (right == before).all()


def test_the_helmholtz_solution_is_exact_to_round_off(dimension):
    right = np.random.default_rng(1).standard_normal(SHAPES[dimension])
    x = BoxSolver(right.shape, H).helmholtz(right, 2.7)
    assert np.abs(x - 2.7 * laplacian(x, H) - right).max() < 1e-12


def test_a_spike_spreads_as_in_jet():
    """Backward diffusion of a unit spike in 3x3x3 cells, with κ dt/h² = 1/12."""
    spike = np.zeros((3, 3, 3))
    spike[1, 1, 1] = 1.0
    x = BoxSolver(spike.shape, H).helmholtz(spike, H**2 / 12)
    assert x[1, 1, 1] == pytest.approx(0.680423, abs=1e-6)
    assert x[1, 1, 0] == pytest.approx(0.041270, abs=1e-6)
    assert x[0, 1, 0] == pytest.approx(0.005291, abs=1e-6)
    assert x[0, 0, 0] == pytest.approx(0.001058, abs=1e-6)


def test_on_faces_values_at_both_walls_are_zero(dimension):
    """(1 - s lap) by hand, with a wall of zeros before the first face kept and behind the last."""
    shape = SHAPES[dimension]
    for across in range(dimension):
        right = np.random.default_rng(across).standard_normal(shape)
        x = BoxSolver(shape, H).helmholtz(right, 0.4, across)
        whole = np.concatenate([x, np.zeros_like(np.take(x, [0], across))], axis=across)
        image = np.take(whole - 0.4 * laplacian(whole, H), np.arange(1, shape[across]), across)
        assert np.abs(image - np.take(right, np.arange(1, shape[across]), across)).max() < 1e-12
        assert not np.take(x, 0, across).any()


def test_a_box_one_cell_wide_is_solved_too():
    right = np.random.default_rng(0).standard_normal((1, 7))
    box = BoxSolver(right.shape, H)
    assert np.abs(laplacian(box.poisson(right), H) - (right - right.mean())).max() < 1e-11
    assert not box.helmholtz(right, 0.1, across=0).any()


def with_holes(dimension):
    solid = np.zeros(SHAPES[dimension], bool)
    solid[(slice(2, 4),) * dimension] = True
    solid[(*(slice(None),) * (dimension - 1), 7)] = np.arange(SHAPES[dimension][-2]) < 5
    return SolidCells(solid, np.zeros(solid.shape))


def matrix_of(system, identity, scale):
    size = system.is_known.size
    columns = np.empty((size, *system.is_known.shape))
    for column, unit in zip(columns, np.eye(size), strict=True):
        assert system.apply(unit.reshape(column.shape), identity, scale, column) == (column.reshape(-1) * unit).sum()
    return columns.reshape(size, size).T


def test_round_holes_the_solution_is_that_of_the_matrix(dimension):
    box = BoxSolver(SHAPES[dimension], H)
    solids = with_holes(dimension)
    rng = np.random.default_rng(3)
    for axis in [None, *range(dimension)]:
        system = solids.cells(box) if axis is None else solids.faces(box, axis)
        matrix = matrix_of(system, 1.0, 0.8 / H**2)
        assert np.abs(matrix - matrix.T).max() < 1e-12
        right = np.where(system.is_known, 0.0, rng.standard_normal(box.shape))
        x, iterations, residual = system.helmholtz(right, 0.8, 1e-12)
        assert np.abs(matrix @ x.reshape(-1) - right.reshape(-1)).max() < 1e-10
        assert residual <= 1e-12
        assert iterations < 40
        assert not x[system.is_known].any()


def test_without_holes_one_iteration_does(dimension):
    box = BoxSolver(SHAPES[dimension], H)
    system = SolidCells(np.zeros(box.shape, bool), np.zeros(box.shape)).cells(box)
    assert isinstance(system, Embedded)
    right = np.random.default_rng(5).standard_normal(box.shape)
    x, iterations, _ = system.poisson(right - right.mean(), 1e-5)
    assert iterations == 1
    assert np.allclose(x, box.poisson(right), atol=1e-5)


def test_iterations_hardly_grow_with_resolution():
    counts = []
    for n in (16, 32, 64):
        y, x = (np.indices((n, n)) + 0.5) / n
        solids = SolidCells((x - 0.4) ** 2 + (y - 0.6) ** 2 < 0.04, np.zeros((n, n)))
        right = np.where(solids.is_solid, 0.0, np.random.default_rng(n).standard_normal((n, n)))
        right[~solids.is_solid] -= right[~solids.is_solid].mean()
        counts.append(solids.cells(BoxSolver((n, n), 0.7 / n)).poisson(right, 1e-8)[1])
    assert max(counts) <= 20
    assert counts[2] <= counts[0] + 8
