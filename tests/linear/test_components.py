"""Sealed pockets are found exactly, and only they."""

import numpy as np
import pytest
import scipy.ndimage
from poisson_problems import AIR, LIQUID, SOLID, make, unit_problem

from plash.linear import pcg
from plash.linear.components import closed_components
from plash.linear.multigrid import MultigridPreconditioner


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
        solution = pcg.solve(problem.operator, cycle, b, x, 1e-7, clean=closed.remove_means)
        assert solution.converged
        assert problem.residual(problem.dense(x), problem.dense(b)) <= 1.001e-7 * np.linalg.norm(b)
        closed.remove_means(x)
        results.append(problem.dense(x))
    assert np.abs(results[0] - results[1]).max() < 1e-4 * np.abs(results[0]).max()
