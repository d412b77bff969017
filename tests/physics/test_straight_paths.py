"""The divergence that keeps volume in straight moves: known for every linear flow, with h never one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plash.grid.cells import LIQUID, WET, CutCells
from plash.physics.straight_paths import straight_path_divergence

DT, LARGEST = 0.013, 0.25
W = 1.7


def linear(box, gradient):
    """The flow u_i = sum of gradient[i, j] x_j, on all faces."""
    return box.faces(lambda axis, *x: sum(gradient[axis, a] * p for a, p in enumerate(x)))


def plane(dimension, *rows):
    """A gradient in the plane x, y of a flow of any dimension."""
    gradient = np.zeros((dimension, dimension))
    gradient[:2, :2] = rows
    return gradient


def wanted(box, field, dt=DT):
    """∇·u in liquid cells, 1/s."""
    return straight_path_divergence(field, box.cells, dt, box.h)[box.cells.label == LIQUID] / box.h


def only_wet(box, field):
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    return field


def test_liquid_that_turns_has_to_draw_together(make_box, dimension):
    box = make_box(dimension)
    found = wanted(box, linear(box, plane(dimension, (0, -W), (W, 0))))
    assert found.size == np.prod(box.cells_along)
    assert np.allclose(found, -DT * W**2, rtol=1e-4)


def test_liquid_that_is_stretched_has_to_part(make_box, dimension):
    box = make_box(dimension)
    assert np.allclose(wanted(box, linear(box, plane(dimension, (W, 0), (0, -W)))), DT * W**2, rtol=1e-4)
    # The same strain along the diagonals
    assert np.allclose(wanted(box, linear(box, plane(dimension, (0, W), (W, 0)))), DT * W**2, rtol=1e-4)


def test_shear_and_one_velocity_for_all_ask_for_nothing(make_box, dimension):
    box = make_box(dimension)
    assert np.abs(wanted(box, linear(box, plane(dimension, (0, W), (0, 0))))).max() == 0
    assert np.abs(wanted(box, box.faces(lambda axis, *x: np.full(x[0].shape, 3.7 - axis)))).max() == 0


def test_any_linear_flow_gets_half_the_trace_of_its_squared_gradient(make_box, dimension):
    box = make_box(dimension)
    for seed in range(3):
        gradient = np.random.default_rng(seed).normal(size=(dimension, dimension))
        expected = 0.5 * DT * np.trace(gradient @ gradient)
        assert np.abs(wanted(box, linear(box, gradient)) - expected).max() < 1e-4 * DT * (gradient**2).sum()


def test_a_move_by_the_wanted_divergence_keeps_volume_to_third_order(dimension):
    """det(I + dt grad u) is 1 + O(dt³) with it, and 1 + O(dt²) without."""
    gradient = np.random.default_rng(4).normal(size=(dimension, dimension))
    gradient -= np.trace(gradient) / dimension * np.eye(dimension)
    errors, plain = [], []
    for dt in (0.04, 0.02, 0.01):
        source = 0.5 * dt * np.trace(gradient @ gradient)
        moved = np.eye(dimension) * (1 + dt * source / dimension) + dt * gradient
        errors.append(abs(np.linalg.det(moved) - 1))
        plain.append(abs(np.linalg.det(np.eye(dimension) + dt * gradient) - 1))
    assert errors[0] / errors[1] > 7
    assert errors[1] / errors[2] > 7
    assert plain[1] / plain[2] < 4.5


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_step_changes_no_volume_by_more_than_a_quarter(make_box, dimension, sign):
    box = make_box(dimension)
    field = linear(box, plane(dimension, (0, sign * W), (W, 0)))
    long = 5.0
    assert np.allclose(long * wanted(box, field, long), sign * LARGEST, rtol=1e-6)
    assert long**2 * W**2 > LARGEST


def test_faces_that_are_not_known_are_left_out(make_box, dimension):
    """The faces beside the surface are unknown: a linear flow has the same divergence from those that are known."""
    box = make_box(dimension, walls=False, liquid=lambda *i: 1.3 * i[0] + i[1] < 24)
    gradient = np.random.default_rng(5).normal(size=(dimension, dimension))
    whole, known = wanted(box, linear(box, gradient)), wanted(box, only_wet(box, linear(box, gradient)))
    assert 0 < known.size < np.prod(box.cells_along)
    assert np.abs(known - whole).max() < 1e-4 * DT * (gradient**2).sum()


def test_a_lone_cell_knows_its_strain_alone(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: np.all([c == 7 for c in i], axis=0))
    gradient = plane(dimension, (W, -3.0), (3.0, -W))
    found = wanted(box, only_wet(box, linear(box, gradient)))
    assert np.allclose(found, [DT * W**2], rtol=1e-4)


def test_cells_without_liquid_want_nothing(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: i[1] < 9)
    whole = straight_path_divergence(linear(box, plane(dimension, (0, -W), (W, 0))), box.cells, DT, box.h)
    assert (whole[box.cells.label != LIQUID] == 0).all()


def test_a_cell_that_a_solid_cuts_counts_with_its_open_share(make_box, dimension):
    box = make_box(dimension)
    share = np.random.default_rng(6).uniform(0, 1, box.cells.label.shape).astype(np.float32)
    faces = box.cells.faces
    nothing: Any = None
    cut = CutCells(np.ones(faces.shape, np.float32), share, np.zeros(faces.shape, np.uint8), nothing)
    field = linear(box, plane(dimension, (0, -W), (W, 0)))
    found = wanted(replace(box, cells=replace(box.cells, cut_cells=cut)), field)
    assert np.allclose(found, wanted(box, field) * share[box.cells.label == LIQUID], rtol=1e-6)


def test_any_number_of_threads_gives_the_same_bits(make_box, dimension, threads):
    box = make_box(dimension)
    rng = np.random.default_rng(7)
    field = box.faces(lambda axis, *x: rng.standard_normal(x[0].shape))
    bits = []
    for count in (1, 2):
        threads(count)
        bits.append(straight_path_divergence(field, box.cells, DT, box.h).tobytes())
    assert bits[0] == bits[1]
