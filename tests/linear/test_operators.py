"""A applied on tiles against A assembled from the dense description."""

import numpy as np
import pytest
from poisson_problems import make

SHAPES = {2: (40, 56), 3: (24, 40, 56)}
KINDS = ["unit", "cut", "cut everywhere", "ghost", "sealed cut"]


@pytest.fixture(params=KINDS)
def problem(request, dimension):
    return make(request.param, SHAPES[dimension])


def test_apply_equals_the_assembled_matrix(problem):
    x = problem.noise().astype(np.float32)
    result = problem.operator.zeros()
    dot = problem.operator.apply(problem.pool(x, np.float32), result)
    expected = problem.matrix @ x[problem.unknown].astype(np.float64)
    scale = np.abs(problem.matrix).max() * np.abs(x).max()
    assert np.abs(problem.dense(result)[problem.unknown] - expected).max() < 1e-5 * scale
    assert dot == pytest.approx(x[problem.unknown].astype(np.float64) @ expected, rel=1e-4)


def test_residual_is_right_in_double_precision(problem):
    x, b = problem.noise(1), problem.noise(2)
    result = problem.operator.zeros(np.float64)
    norm = problem.operator.residual(problem.pool(x), problem.pool(b), result)
    expected = b[problem.unknown] - problem.matrix @ x[problem.unknown]
    assert np.abs(problem.dense(result)[problem.unknown] - expected).max() < 1e-11 * np.abs(expected).max()
    assert norm == pytest.approx(np.linalg.norm(expected), rel=1e-12)


def test_a_is_symmetric(problem):
    x, y = (problem.pool(problem.noise(seed), np.float32) for seed in (1, 2))
    ax, ay = problem.operator.zeros(), problem.operator.zeros()
    problem.operator.apply(x, ax)
    problem.operator.apply(y, ay)
    left, right = (np.sum(a.astype(np.float64) * b) for a, b in ((x, ay), (y, ax)))
    assert abs(left - right) < 1e-5 * np.sqrt(np.sum(x.astype(np.float64) ** 2) * np.sum(ay.astype(np.float64) ** 2))


def test_nothing_outside_the_unknowns_is_touched(problem):
    result = problem.operator.zeros()
    problem.operator.apply(problem.pool(problem.noise(), np.float32), result)
    assert not problem.dense(result)[~problem.unknown].any()
    assert not result[0].any()


def test_a_tile_is_uniform_exactly_if_its_faces_between_unknowns_have_weight_one(dimension):
    problem = make("cut", SHAPES[dimension])
    matrix = problem.matrix.tocoo()
    odd_cells = np.unique(matrix.row[(matrix.row != matrix.col) & (matrix.data != -1.0)])
    odd = np.zeros(problem.labels.shape)
    odd[tuple(np.argwhere(problem.unknown)[odd_cells].T)] = 1
    expected = ~problem.pool(odd).any(axis=(1, 2, 3))
    active = problem.operator.active
    assert (problem.operator.uniform[active] == expected[active]).all()
    assert 0 < expected[active].sum() < len(active)


def test_tiles_without_unknowns_are_not_active(dimension):
    problem = make("unit", SHAPES[dimension], margin=1)
    holds = problem.pool(problem.unknown.astype(float)).any(axis=(1, 2, 3))
    assert (np.flatnonzero(holds) == problem.operator.active).all()
    assert problem.tiles.count > len(problem.operator.active)
