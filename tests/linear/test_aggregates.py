"""Coarse levels: exactly the Galerkin product, on blocks of global coordinates, singular where A is."""

import numpy as np
import pytest
import scipy.sparse

from plash.linear.aggregates import aggregate

from .poisson_problems import AIR, LIQUID, SOLID, cut_problem, make, unit_problem, wavy_pool

SHAPES = {2: (136, 88), 3: (40, 24, 56)}
ORIGINS = [(0, 0, 0), (-21, 5, -10), (7, -40, 3)]


def level_1_of_cells(problem, levels):
    """Level-1 aggregate of each unknown, in the order of the dense array."""
    operator = problem.operator
    index = np.full(operator.diagonal.shape, levels.total)
    z, y, x = np.indices(problem.tiles.shape) // 2
    index[operator.active] = levels.of_blocks[1:][:, (z * (y.max() + 1) + y) * (x.max() + 1) + x]
    return problem.dense(index)[problem.unknown]


def stored_operator(levels, level):
    """A_c of a level as it is stored."""
    mine = slice(levels.starts[level], levels.starts[level + 1])
    weights, neighbours = levels.weights[mine], levels.neighbours[mine]
    rows, sides = np.nonzero(weights)
    columns = neighbours[rows, sides] - mine.start
    size = mine.stop - mine.start
    coupling = scipy.sparse.csr_array((weights[rows, sides].astype(np.float64), (rows, columns)), shape=(size, size))
    return scipy.sparse.diags_array(levels.diagonal[mine].astype(np.float64)) - coupling


def injection(parent, first, last):
    """P: one column for each aggregate."""
    rows = np.arange(len(parent))
    return scipy.sparse.csr_array((np.ones(len(parent)), (rows, parent - first)), shape=(len(parent), last - first))


def sealed_blocks(seed):
    """Two to eight liquid cells in every fourth 2×2×2 block of a solid: each pocket is one aggregate of level 1."""
    rng = np.random.default_rng(seed)
    labels = np.full((16, 24, 40), SOLID, np.uint8)
    for z, y, x in np.ndindex(4, 6, 10):
        block = labels[4 * z : 4 * z + 2, 4 * y : 4 * y + 2, 4 * x : 4 * x + 2]
        block[:] = np.where(rng.random((2, 2, 2)) < 0.6, LIQUID, SOLID)
    return labels


@pytest.mark.parametrize("origin", ORIGINS)
def test_coarse_operators_are_the_galerkin_product_to_the_last_bit(dimension, origin):
    """With weights that are multiples of 2⁻¹⁰ every sum on the way is exact, so there is nothing to round."""
    problem = make("dyadic", SHAPES[dimension], origin=(*origin[:2], origin[2] if dimension == 3 else 0))
    levels = aggregate(problem.operator)
    matrix, parent = problem.matrix, level_1_of_cells(problem, levels)
    assert len(levels.starts) >= 6
    for level in range(len(levels.starts) - 1):
        first, last = levels.starts[level], levels.starts[level + 1]
        p = injection(parent, first, last)
        matrix = 0.5 * (p.T @ matrix @ p)
        assert abs(matrix - stored_operator(levels, level)).max() == 0.0
        parent = levels.parent[first:last]


@pytest.mark.parametrize("origin", ORIGINS)
def test_cells_share_an_aggregate_exactly_if_they_share_a_block_of_global_coordinates(dimension, origin):
    problem = make("unit", SHAPES[dimension], origin=(*origin[:2], origin[2] if dimension == 3 else 0))
    levels = aggregate(problem.operator)
    cells = np.argwhere(problem.unknown)[:, ::-1] + problem.origin
    mine = level_1_of_cells(problem, levels)
    for level in range(len(levels.starts) - 1):
        blocks, block = np.unique(cells >> (level + 1), axis=0, return_inverse=True)
        pairs = np.unique(np.stack([block, mine], axis=1), axis=0)
        assert len(pairs) == len(blocks) == levels.starts[level + 1] - levels.starts[level]
        assert (np.unique(mine) == np.arange(levels.starts[level], levels.starts[level + 1])).all()
        mine = levels.parent[mine]


def test_rows_sum_to_zero_on_every_level_of_a_closed_box(dimension):
    shape = (1, 56, 40) if dimension == 2 else (24, 40, 32)
    problem = cut_problem(np.full(shape, LIQUID, np.uint8), np.ones(shape, np.bool_), dimension)
    levels = aggregate(problem.operator)
    outside = levels.diagonal - levels.weights.sum(axis=1)
    assert (abs(outside) <= 4e-7 * levels.diagonal).all()
    assert (levels.diagonal[: levels.starts[-2]] > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_sealed_pocket_inside_one_aggregate_leaves_no_equation(seed):
    """What is left of its diagonal would be round-off, and its inverse a huge number of either sign."""
    problem = cut_problem(sealed_blocks(seed), np.ones((16, 24, 40), np.bool_), seed=seed)
    levels = aggregate(problem.operator)
    assert levels.starts[1] > 200
    assert not levels.weights.any()
    assert not levels.diagonal.any()
    assert not levels.inverse.any()


def test_a_pocket_with_one_breath_of_air_keeps_its_equations():
    labels = sealed_blocks(0)
    labels[2, 0, 0] = AIR
    labels[1, 0, 0] = LIQUID
    levels = aggregate(unit_problem(labels).operator)
    kept = [np.count_nonzero(levels.inverse[a:b]) for a, b in zip(levels.starts, levels.starts[1:], strict=False)]
    assert kept == [1] * (len(levels.starts) - 1)
    assert levels.diagonal[levels.inverse > 0] == pytest.approx(0.5 ** np.arange(1, len(kept) + 1))


def test_weights_are_the_same_seen_from_both_sides(dimension):
    levels = aggregate(make("cut everywhere", SHAPES[dimension]).operator)
    rows, sides = np.nonzero(levels.weights)
    others = levels.neighbours[rows, sides]
    assert (levels.neighbours[others, sides ^ 1] == rows).all()
    assert levels.weights[others, sides ^ 1] == pytest.approx(levels.weights[rows, sides], rel=1e-6)


def test_nobody_is_zero_and_stands_where_there_is_no_neighbour(dimension):
    levels = aggregate(make("cut", SHAPES[dimension]).operator)
    nobody = levels.total
    assert (levels.neighbours[levels.weights == 0] == nobody).all()
    assert levels.weights[nobody].sum() == levels.diagonal[nobody] == levels.inverse[nobody] == 0
    assert (levels.parent[levels.starts[-2] :] == nobody).all()


def test_the_last_level_is_a_handful(dimension):
    levels = aggregate(make("unit", (320, 256) if dimension == 2 else (96, 64, 80)).operator)
    assert levels.starts[-1] - levels.starts[-2] <= 12
    assert (np.diff(levels.starts)[1:] < np.diff(levels.starts)[:-1]).all()


def test_empty_tiles_and_a_shift_by_many_tiles_change_no_bit(dimension):
    problem = make("cut", SHAPES[dimension])
    far = 1024 * problem.tiles.shape[2]
    levels = aggregate(problem.operator)
    for moved in (problem.moved(margin=2), problem.moved(origin=(far, -far, far if dimension == 3 else 0))):
        for one, other in zip(levels, aggregate(moved.operator), strict=True):
            assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_same_bits_for_any_number_of_threads(dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        results.append([array.tobytes() for array in aggregate(make("cut", SHAPES[dimension]).operator)])
    assert results[0] == results[1]


@pytest.mark.parametrize("margin", [-1, 1])
def test_no_unknowns_give_no_aggregates(dimension, margin):
    labels = np.where(wavy_pool((1, 16, 16) if dimension == 2 else (8, 16, 8)) == LIQUID, AIR, SOLID)
    assert aggregate(unit_problem(labels, dimension, margin=margin).operator).total == 0
