"""A applied on tiles against A assembled from the dense description."""

import numpy as np
import pytest

from plash.linear.operators import PoissonOperator

from .poisson_problems import AIR, LIQUID, SOLID, make, unit_problem

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


@pytest.mark.parametrize("origin", [(0, 0, 0), (-37, 5, -11)])
def test_apply_is_exact_where_nothing_has_to_be_rounded(dimension, origin):
    """Whole numbers and weights in multiples of 2⁻¹⁰: every product and sum fits into single precision."""
    problem = make("dyadic", SHAPES[dimension], origin=(*origin[:2], origin[2] if dimension == 3 else 0))
    x = np.round(4 * problem.noise())
    result = problem.operator.zeros()
    dot = problem.operator.apply(problem.pool(x, np.float32), result)
    expected = problem.matrix @ x[problem.unknown]
    assert (problem.dense(result)[problem.unknown] == expected).all()
    assert dot == x[problem.unknown] @ expected


def test_every_element_of_a_ghost_fluid_row_is_right_to_single_precision(dimension):
    """Diagonals of 1e4 beside diagonals of 4: each row is held to its own size."""
    problem = make("ghost", SHAPES[dimension])
    x = problem.noise().astype(np.float32)
    result = problem.operator.zeros()
    problem.operator.apply(problem.pool(x, np.float32), result)
    values = x[problem.unknown].astype(np.float64)
    size = abs(problem.matrix) @ abs(values)
    assert (abs(problem.dense(result)[problem.unknown] - problem.matrix @ values) <= 5e-7 * size).all()


def test_a_of_a_constant_is_what_each_cell_gives_to_the_air(dimension):
    problem = make("unit", SHAPES[dimension])
    result = problem.operator.zeros()
    problem.operator.apply(problem.pool(problem.unknown, np.float32), result)
    padded = np.pad(problem.labels, 1, constant_values=SOLID)
    inner = (slice(1, -1),) * 3
    air = sum((np.roll(padded, way, axis) == AIR)[inner].astype(int) for axis in range(3) for way in (-1, 1))
    assert (problem.dense(result) == np.where(problem.unknown, air, 0)).all()
    assert air[problem.unknown].max() >= 2


def test_weights_beside_cells_without_unknowns_do_not_matter(dimension):
    problem = make("cut", SHAPES[dimension])
    unknown = problem.unknown
    junk = problem.conductance.copy()
    for axis, faces in enumerate(junk):
        lower, upper = np.moveaxis(unknown, 2 - axis, 0)[:-1], np.moveaxis(unknown, 2 - axis, 0)[1:]
        w = np.moveaxis(faces, 2 - axis, 0)
        w[0] = 7.0
        w[1:][~(lower & upper)] = 7.0
    weights = np.stack([problem.pool(faces, np.float32) for faces in junk])
    other = PoissonOperator(problem.tiles, problem.operator.diagonal, weights)
    x, results = problem.pool(problem.noise(), np.float32), []
    for operator in (problem.operator, other):
        results.append(operator.zeros())
        operator.apply(x, results[-1])
    active = problem.operator.active
    assert results[0].tobytes() == results[1].tobytes()
    assert (other.uniform[active] == problem.operator.uniform[active]).all()


def test_a_cut_face_between_two_tiles_takes_the_uniformity_of_both(dimension):
    size = 16 if dimension == 2 else 8
    labels = np.full((1, size, 3 * size) if dimension == 2 else (size, size, 3 * size), LIQUID, np.uint8)
    problem = unit_problem(labels, dimension)
    conductance = problem.conductance.copy()
    conductance[0, -1, 5, size] = 0.5
    operator = problem.moved(conductance=conductance, unit=False).operator
    assert operator.uniform[1:].tolist() == [False, False, True]


def test_tiles_of_one_colour_share_no_face(dimension):
    operator = make("unit", SHAPES[dimension], origin=(-20, 9, 0)).operator
    red, black = operator.checkerboard
    assert sorted([*red, *black]) == operator.active.tolist()
    faces = [4, 10, 12, 14, 16, 22]
    for colour in (red, black):
        assert len(colour) > 0
        assert not np.isin(operator.tiles.neighbours[colour][:, faces], colour).any()


def test_the_inverse_is_one_over_the_diagonal_and_zero_outside(dimension):
    problem = make("ghost", SHAPES[dimension])
    inverse = problem.dense(problem.operator.inverse)
    assert inverse[problem.unknown] * problem.diagonal[problem.unknown] == pytest.approx(1, rel=1e-6)
    assert not inverse[~problem.unknown].any()


@pytest.mark.parametrize("margin", [-1, 1])
def test_an_operator_without_unknowns_does_nothing(dimension, margin):
    labels = np.full((1, 16, 16) if dimension == 2 else (8, 16, 8), AIR, np.uint8)
    operator = unit_problem(labels, dimension, margin=margin).operator
    assert len(operator.active) == 0
    assert operator.apply(operator.zeros(), operator.zeros()) == 0
    assert operator.residual(*(operator.zeros(np.float64) for _ in range(3))) == 0
