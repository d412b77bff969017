"""Sealed pockets are found exactly, and only they."""

import numpy as np
import pytest
import scipy.ndimage
import scipy.sparse.csgraph
from hypothesis import given, settings
from hypothesis import strategies as st

from plash.linear import pcg
from plash.linear.components import closed_components
from plash.linear.multigrid import MultigridPreconditioner

from .poisson_problems import AIR, LIQUID, SOLID, cut_problem, make, target, unit_problem


def labels_of(problem, closed):
    pool = np.zeros(problem.operator.diagonal.shape, int)
    if closed.count:
        pool[closed.active] = closed.label
    return problem.dense(pool)


def expected(labels, dimension):
    """Components by scipy, those without air beside them."""
    structure = scipy.ndimage.generate_binary_structure(3, 1)
    found, count = scipy.ndimage.label(labels == LIQUID, structure)
    near_air = scipy.ndimage.binary_dilation(labels == AIR, structure)
    closed = [k for k in range(1, count + 1) if not (near_air & (found == k)).any()]
    return [found == k for k in closed]


@pytest.mark.parametrize("fill", [0.35, 0.6])
def test_exactly_the_sealed_components_are_found(dimension, fill):
    rng = np.random.default_rng(3)
    shape = (1, 50, 60) if dimension == 2 else (20, 26, 34)
    labels = rng.choice([LIQUID, AIR, SOLID], shape, p=[fill, 0.02, 0.98 - fill]).astype(np.uint8)
    problem = unit_problem(labels, dimension, origin=(-13, 7, 0 if dimension == 2 else -5))
    closed = closed_components(problem.operator)
    pockets = [p for p in expected(labels, dimension) if problem.unknown[p].any()]
    assert closed.count == len(pockets) > 0
    found = labels_of(problem, closed)
    for pocket in pockets:
        number = np.unique(found[pocket])
        assert len(number) == 1
        assert number[0] > 0
        assert (found == number[0]).sum() == pocket.sum()


def test_a_pool_open_to_air_is_not_closed(dimension):
    problem = make("unit", (40, 56) if dimension == 2 else (24, 40, 56))
    assert closed_components(problem.operator).count == 0


def test_a_pocket_behind_a_one_cell_wall_in_the_same_tile_is_closed(dimension):
    labels = np.full((1, 16, 16) if dimension == 2 else (8, 8, 8), LIQUID, np.uint8)
    labels[:, -1, :] = AIR
    labels[:, :, 3] = SOLID
    labels[:, -1, :4] = SOLID
    problem = unit_problem(labels, dimension)
    closed = closed_components(problem.operator)
    assert closed.count == 1
    assert (labels_of(problem, closed)[..., :3] == (labels[..., :3] == LIQUID)).all()


def test_a_face_of_weight_zero_closes(dimension):
    labels = np.full((1, 20, 40) if dimension == 2 else (9, 20, 40), LIQUID, np.uint8)
    labels[:, -1, 20:] = AIR
    problem = unit_problem(labels, dimension)
    conductance = problem.conductance.copy()
    conductance[0, :, :, 20] = 0
    split = problem.moved(conductance=conductance, unit=False)
    closed = closed_components(split.operator)
    assert closed.count == 1
    assert (labels_of(split, closed) > 0)[..., :20].all()
    assert not (labels_of(split, closed) > 0)[..., 20:].any()


def test_means_are_removed_from_closed_components_alone(dimension):
    problem = make("sealed", (64, 64) if dimension == 2 else (48, 48, 48))
    closed = closed_components(problem.operator)
    assert closed.count >= 1
    values = problem.pool(problem.noise() + 3.0 * problem.unknown)
    before = values.copy()
    assert np.allclose(closed.means(values)[1:], 3.0, atol=0.5)
    closed.remove_means(values)
    assert np.abs(closed.means(values)).max() < 1e-12
    inside = labels_of(problem, closed) > 0
    assert (problem.dense(values)[~inside] == problem.dense(before)[~inside]).all()


def test_a_box_filled_to_the_lid_is_solved_up_to_a_constant(dimension):
    labels = np.full((1, 40, 56) if dimension == 2 else (24, 40, 32), LIQUID, np.uint8)
    problem = unit_problem(labels, dimension)
    closed = closed_components(problem.operator)
    assert closed.count == 1
    results = []
    for constant in (0.0, 7.0):
        b = problem.pool(problem.smooth() + constant)
        closed.remove_means(b)
        x = problem.pool(constant * problem.unknown)
        cycle = MultigridPreconditioner(problem.operator)
        solution = pcg.solve(
            problem.operator, cycle, b, x, target(problem.operator, b, 1e-7), clean=closed.remove_means
        )
        assert solution.converged
        assert problem.residual(problem.dense(x), problem.dense(b)) <= 1.001e-7 * np.linalg.norm(b)
        closed.remove_means(x)
        results.append(problem.dense(x))
    assert np.abs(results[0] - results[1]).max() < 1e-4 * np.abs(results[0]).max()


def components_of_matrix(problem):
    """Labels of the closed components as scipy finds them, dense, numbered by their first cell tile by tile."""
    matrix = problem.matrix.copy()
    matrix.eliminate_zeros()
    count, component = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    contact = np.bincount(component, weights=matrix.sum(axis=1), minlength=count)
    is_closed = contact < 1e-4
    whole = np.zeros(problem.labels.shape, int)
    whole[problem.unknown] = np.where(is_closed[component], component + 1, 0)
    in_tile_order = problem.pool(whole, int)[1:].ravel()
    seen, first = np.unique(in_tile_order[in_tile_order > 0], return_index=True)
    number = np.zeros(count + 1, int)
    number[seen[np.argsort(first)]] = np.arange(1, len(seen) + 1)
    return number[whole], len(seen)


@settings(max_examples=40, deadline=None)
@given(
    dimension=st.sampled_from([2, 3]),
    seed=st.integers(0, 2**32 - 1),
    fill=st.floats(0.1, 0.95),
    shut=st.floats(0.0, 0.6),
    origin=st.tuples(*[st.integers(-40, 40)] * 3),
)
def test_the_labels_are_those_of_the_graph_in_order_of_the_first_cell(dimension, seed, fill, shut, origin):
    """Any mixture of liquid, solid, a little air and faces of weight zero, anywhere."""
    rng = np.random.default_rng(seed)
    shape = (1, 37, 41) if dimension == 2 else (11, 18, 21)
    labels = rng.choice([LIQUID, AIR, SOLID], shape, p=[fill, 0.01, 0.99 - fill]).astype(np.uint8)
    problem = cut_problem(labels, np.ones(shape, np.bool_), dimension, seed=seed, step=2.0**-10)
    conductance = np.where(rng.random(problem.conductance.shape) < shut, 0, problem.conductance)
    problem = problem.moved(conductance=conductance, origin=(*origin[:2], origin[2] if dimension == 3 else 0))
    closed = closed_components(problem.operator)
    label, count = components_of_matrix(problem)
    assert closed.count == count
    assert (labels_of(problem, closed) == label).all()
    assert closed.sizes.tolist() == [0, *np.bincount(label.ravel(), minlength=count + 1)[1:]]


def test_one_pocket_wound_through_many_tiles_is_one_component(dimension):
    """A corridor one cell wide that visits every tile several times, joined only at its ends."""
    labels = np.full((1, 64, 64) if dimension == 2 else (16, 32, 32), SOLID, np.uint8)
    rows = labels.reshape(-1, labels.shape[-1])[::2]
    rows[:] = LIQUID
    plane = labels[0]
    plane[1::4, -1] = LIQUID
    plane[3:-1:4, 0] = LIQUID
    labels[1:] = SOLID
    problem = unit_problem(labels, dimension, origin=(-5, -9, 0))
    closed = closed_components(problem.operator)
    assert closed.count == 1
    assert closed.sizes[1] == np.count_nonzero(labels == LIQUID)
    labels[0, 0, 0] = AIR
    assert closed_components(unit_problem(labels, dimension).operator).count == 0


def test_the_smallest_cut_face_to_the_air_that_counts_opens_a_pool(dimension):
    labels = np.full((1, 20, 20) if dimension == 2 else (10, 20, 20), LIQUID, np.uint8)
    labels[0, -1, 7] = AIR
    problem = unit_problem(labels, dimension)
    for weight, count in ((0.01, 0), (0.0, 1)):
        conductance = np.where(beside_air(labels)[:dimension], weight, 1.0) * problem.conductance
        split = problem.moved(conductance=conductance.astype(np.float32), unit=False)
        assert closed_components(split.operator).count == count


def beside_air(labels):
    """By axis and minimal face: whether the face belongs to an air cell."""
    air = labels == AIR
    faces = np.stack([air] * 3)
    for axis in range(3):
        moved, source = np.moveaxis(faces[axis], 2 - axis, 0), np.moveaxis(air, 2 - axis, 0)
        moved[1:] |= source[:-1]
    return faces


def test_removing_a_mean_from_the_right_hand_side_finds_the_same_solution(dimension):
    shape = (1, 40, 56) if dimension == 2 else (24, 40, 32)
    problem = unit_problem(np.full(shape, LIQUID, np.uint8), dimension)
    closed = closed_components(problem.operator)
    b = problem.noise()
    b -= b.mean()
    results = []
    for constant in (0.0, 0.25):
        pool = problem.pool(b + constant)
        assert closed.means(pool)[1] == pytest.approx(constant, abs=1e-12)
        closed.remove_means(pool)
        x = problem.operator.zeros(np.float64)
        cycle = MultigridPreconditioner(problem.operator)
        wanted = target(problem.operator, pool, 1e-8)
        assert pcg.solve(problem.operator, cycle, pool, x, wanted, clean=closed.remove_means).converged
        closed.remove_means(x)
        results.append(problem.dense(x))
    assert np.abs(results[0] - results[1]).max() < 1e-6 * np.abs(results[0]).max()


def test_removing_means_twice_is_removing_them_once(dimension):
    problem = make("sealed", (64, 64) if dimension == 2 else (48, 48, 48))
    closed = closed_components(problem.operator)
    once = problem.pool(problem.noise() + 3.0 * problem.unknown)
    closed.remove_means(once)
    twice = once.copy()
    closed.remove_means(twice)
    assert np.abs(twice - once).max() < 1e-14


@pytest.mark.parametrize("margin", [-1, 1])
def test_no_unknowns_are_no_component(dimension, margin):
    labels = np.full((1, 16, 16) if dimension == 2 else (8, 16, 8), AIR, np.uint8)
    problem = unit_problem(labels, dimension, margin=margin)
    closed = closed_components(problem.operator)
    values = problem.operator.zeros(np.float64)
    closed.remove_means(values)
    assert closed.count == 0
    assert closed.means(values).tolist() == [0.0]


def test_components_have_the_same_bits_for_any_number_of_threads(dimension, threads):
    shape = (1, 90, 70) if dimension == 2 else (24, 40, 32)
    labels = np.random.default_rng(8).choice([LIQUID, SOLID], shape, p=[0.4, 0.6]).astype(np.uint8)
    results = []
    for n in (1, 2):
        threads(n)
        closed = closed_components(unit_problem(labels, dimension).operator)
        results.append((closed.label.tobytes(), closed.sizes.tobytes()))
    assert results[0] == results[1]
