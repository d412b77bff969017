"""Coarse operators, the cycle, and how fast the whole converges."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from plash.linear import multigrid, pcg
from plash.linear.aggregates import aggregate
from plash.linear.components import closed_components
from plash.linear.multigrid import MultigridPreconditioner
from plash.linear.operators import PoissonOperator

from .poisson_problems import AIR, LIQUID, make, target, unit_problem

SHAPES = {2: (72, 56), 3: (24, 40, 56)}
KINDS = ["unit", "cut", "ghost", "sealed", "sealed cut"]


def solved(problem, b, tolerance=1e-5, preconditioner=MultigridPreconditioner, floor=0.0, **options):
    """Solution, x as a dense array, and the true relative residual."""
    operator = problem.operator
    closed = closed_components(operator)
    pool = problem.pool(b)
    closed.remove_means(pool)
    x = operator.zeros(np.float64)
    wanted = target(operator, pool, tolerance, floor)
    solution = pcg.solve(operator, preconditioner(operator), pool, x, wanted, clean=closed.remove_means, **options)
    true = problem.residual(problem.dense(x), problem.dense(pool)) / np.linalg.norm(pool)
    closed.remove_means(x)
    return solution, problem.dense(x), true


@pytest.mark.parametrize("kind", ["unit", "cut", "ghost"])
@pytest.mark.parametrize("origin", [(0, 0, 0), (-21, 5, -10)])
def test_every_coarse_operator_is_half_of_its_galerkin_product(dimension, kind, origin):
    """A_c = 1/2 Pᵀ A P, level by level, and children lie in one 2×2×2 block of even global coordinates."""
    place = (*origin[:dimension], *([0] * (3 - dimension)))
    problem = make(kind, SHAPES[dimension], origin=place)
    levels = aggregate(problem.operator)
    index = np.full(problem.operator.diagonal.shape, levels.total)
    rank = np.zeros(problem.tiles.count + 1, int)
    rank[problem.operator.active] = np.arange(1, len(problem.operator.active) + 1)
    shape = problem.tiles.shape
    z, y, x = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    of_cell = ((z >> 1) * (shape[1] // 2) + (y >> 1)) * (shape[2] // 2) + (x >> 1)
    index[problem.operator.active] = levels.of_blocks[rank[problem.operator.active]][:, of_cell]
    parent = problem.dense(index)[problem.unknown]

    cells = np.argwhere(problem.unknown)[:, ::-1] + np.array(place)
    matrix = problem.matrix
    for level in range(len(levels.starts) - 1):
        first, last = levels.starts[level], levels.starts[level + 1]
        assert parent.min() == first
        assert parent.max() == last - 1
        coarse = np.zeros((last - first, 3), int)
        coarse[parent - first] = cells >> 1
        assert (coarse[parent - first] == cells >> 1).all()
        injection = scipy.sparse.csr_array(
            (np.ones(len(parent)), (np.arange(len(parent)), parent - first)), shape=(len(parent), last - first)
        )
        matrix = (0.5 * injection.T @ matrix @ injection).tocsr()
        mine = slice(first, last)
        rows = np.repeat(np.arange(last - first), levels.weights.shape[1])
        columns = levels.neighbours[mine].ravel() - first
        weights = levels.weights[mine].ravel()
        there = weights > 0
        stored = scipy.sparse.csr_array(
            (-weights[there].astype(np.float64), (rows[there], columns[there])), shape=matrix.shape
        ) + scipy.sparse.diags_array(levels.diagonal[mine].astype(np.float64))
        scale = np.abs(matrix).max()
        assert np.abs((matrix - stored).tocsr()).max() < 1e-4 * scale
        # Red-black: neighbours have the other colour
        is_black = np.arange(last - first) >= levels.reds[level]
        assert (is_black[rows[there]] != is_black[columns[there]]).all()
        cells, parent = coarse, levels.parent[mine]


@pytest.mark.parametrize("kind", ["unit", "cut"])
def test_a_mass_is_summed_as_it_is_on_every_level(dimension, kind):
    """It belongs to volumes: only what faces give is halved."""
    plain = make(kind, SHAPES[dimension], origin=(-21, 5, 0)).operator
    rng = np.random.default_rng(4)
    mass = np.where(plain.diagonal > 0, rng.uniform(0.5, 2, plain.diagonal.shape), 0).astype(np.float32)
    without = aggregate(plain)
    found = aggregate(PoissonOperator(plain.tiles, plain.diagonal + mass, plain.weights, mass))
    if plain.weights is not None:
        assert (found.weights == without.weights).all()
    added, level = (found.diagonal - without.diagonal).astype(np.float64), slice(0, 0)
    for number in range(len(found.starts) - 1):
        below, level = level, slice(found.starts[number], found.starts[number + 1])
        assert added[level].sum() == pytest.approx(mass.sum(dtype=np.float64), rel=1e-4)
        if number > 0:
            of_children = np.zeros(found.total + 1)
            np.add.at(of_children, found.parent[below], added[below])
            assert np.allclose(added[level], of_children[level], rtol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_the_cycle_is_symmetric_and_positive(dimension, kind):
    problem = make(kind, SHAPES[dimension])
    cycle = MultigridPreconditioner(problem.operator)
    r, s = (problem.pool(problem.noise(seed), np.float32) for seed in (1, 2))
    zr, zs = problem.operator.zeros(), problem.operator.zeros()
    rr, ss = cycle.solve(r, zr), cycle.solve(s, zs)
    assert rr > 0
    assert ss > 0
    assert rr == pytest.approx(np.sum(r.astype(np.float64) * zr), rel=1e-4)
    left, right = np.sum(s.astype(np.float64) * zr), np.sum(r.astype(np.float64) * zs)
    assert abs(left - right) < 1e-4 * np.sqrt(rr * ss)


@pytest.mark.slow
@pytest.mark.parametrize("rhs", ["noise", "smooth"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [64, 128])
def test_twelve_iterations_reach_a_true_residual_of_1e_5(size, kind, rhs):
    problem = make(kind, (size,) * 3)
    solution, _, true = solved(problem, getattr(problem, rhs)())
    assert solution.converged
    assert true <= 1.001e-5
    assert solution.iterations <= 12


@pytest.mark.slow
@pytest.mark.parametrize("rhs", ["noise", "smooth"])
@pytest.mark.parametrize("kind", ["unit", "sealed cut"])
def test_twelve_iterations_are_enough_at_192_too(kind, rhs):
    problem = make(kind, (192,) * 3)
    solution, _, true = solved(problem, getattr(problem, rhs)())
    assert true <= 1.001e-5
    assert solution.iterations <= 12


@pytest.mark.parametrize("kind", ["unit", "cut", "ghost", "sealed"])
def test_flat_problems_converge_nearly_as_fast(kind):
    problem = make(kind, (256, 192))
    solution, _, true = solved(problem, problem.smooth())
    assert true <= 1.001e-5
    assert solution.iterations <= 14


@pytest.mark.parametrize("kind", ["unit", "cut", "ghost"])
def test_the_solution_is_that_of_a_direct_solver(dimension, kind):
    problem = make(kind, (40, 24) if dimension == 2 else (24, 16, 20))
    b = problem.noise()
    _, x, _ = solved(problem, b, tolerance=1e-7)
    direct = scipy.sparse.linalg.spsolve(problem.matrix.tocsc(), b[problem.unknown])
    assert np.abs(x[problem.unknown] - direct).max() < 1e-4 * np.abs(direct).max()


def test_refinement_goes_far_below_single_precision(dimension):
    problem = make("unit", SHAPES[dimension])
    solution, _, true = solved(problem, problem.smooth(), tolerance=1e-11)
    assert solution.converged
    assert true < 2e-11


def test_jacobi_finds_the_same_and_needs_eight_times_the_iterations():
    problem = make("unit", (64,) * 3)
    b = problem.smooth()
    with_cycle, x, _ = solved(problem, b)
    with_diagonal, y, _ = solved(problem, b, preconditioner=pcg.JacobiPreconditioner, most_iterations=2000)
    assert with_diagonal.converged
    assert np.abs(x - y).max() < 1e-3 * np.abs(x).max()
    assert with_diagonal.iterations > 8 * with_cycle.iterations


def test_nothing_to_do_takes_no_iteration(dimension):
    problem = make("unit", SHAPES[dimension])
    solution, x, _ = solved(problem, problem.noise() * 1e-9, floor=1.0)
    assert solution.iterations == 0
    assert not x.any()


def test_it_stops_after_as_many_iterations_as_allowed(dimension):
    problem = make("unit", SHAPES[dimension])
    solution, _, _ = solved(problem, problem.smooth(), most_iterations=3)
    assert solution.iterations == 3
    assert not solution.converged


def test_same_bits_for_any_number_of_threads(dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        problem = make("cut", SHAPES[dimension])
        _, x, _ = solved(problem, problem.smooth())
        results.append(x.tobytes())
    assert results[0] == results[1]


def test_empty_tiles_and_a_shift_by_many_tiles_change_no_bit(dimension):
    problem = make("cut", SHAPES[dimension])
    _, x, _ = solved(problem, problem.smooth())
    far = 1024 * (16 if dimension == 2 else 8)
    for moved in (
        problem.moved(margin=2),
        problem.moved(origin=(far, -far, far if dimension == 3 else 0)),
    ):
        _, y, _ = solved(moved, problem.smooth())
        assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize("case", ["one cell", "droplets", "sheet", "corridor"])
def test_odd_shapes_of_liquid_are_solved(case):
    labels = np.full((32, 40, 48), 1, np.uint8)
    if case == "one cell":
        labels[7, 8, 9] = 0
    elif case == "droplets":
        labels[np.random.default_rng(0).random(labels.shape) < 0.05] = 0
    elif case == "sheet":
        labels[:, 17, :] = 0
    else:
        labels[:] = 2
        labels[16, ::2, :] = 0
        labels[16, 1::4, 47] = 0
        labels[16, 3::4, 0] = 0
        labels[16, 0, 0] = 1
    problem = unit_problem(labels)
    solution, _, true = solved(problem, problem.noise(), most_iterations=400)
    assert solution.converged
    assert true <= 1.001e-5


def cycled(problem, r):
    """One cycle from a dense right-hand side."""
    z = problem.operator.zeros()
    MultigridPreconditioner(problem.operator).solve(problem.pool(r, np.float32), z)
    return problem.dense(z)


@pytest.mark.parametrize("kind", ["unit", "cut everywhere", "ghost"])
def test_the_cycle_is_equivalent_to_the_inverse_within_a_factor_of_two(dimension, kind):
    """Every eigenvalue of M A lies between 1/2 and 2, found from M column by column."""
    problem = make(kind, (28, 20) if dimension == 2 else (8, 9, 10), origin=(-5, 3, 0))
    cycle = MultigridPreconditioner(problem.operator)
    cells = np.argwhere(problem.unknown)
    columns = []
    for cell in cells:
        r, z = np.zeros(problem.labels.shape), problem.operator.zeros()
        r[tuple(cell)] = 1
        cycle.solve(problem.pool(r, np.float32), z)
        columns.append(problem.dense(z)[problem.unknown])
    m = np.array(columns, np.float64)
    assert np.abs(m - m.T).max() < 2e-6 * np.abs(m).max()
    assert np.linalg.eigvalsh(m).min() > 0
    eigenvalues = np.linalg.eigvals(m @ problem.matrix.toarray()).real
    assert eigenvalues.min() > 0.5
    assert eigenvalues.max() < 2.0


@pytest.mark.parametrize("waves", [(1, 1, 1), (2, 1, 1), (3, 2, 1), (8, 8, 8), (16, 16, 16), (32, 1, 1), (32, 32, 32)])
def test_a_cycle_takes_most_of_the_energy_of_every_fourier_mode(dimension, waves):
    """In a box of air sines are the eigenvectors of A; e - M A e keeps at most 0.4 of the energy norm of each."""
    shape = (1, 34, 34) if dimension == 2 else (34, 34, 34)
    labels = np.full(shape, AIR, np.uint8)
    labels[(slice(None) if dimension == 2 else slice(1, -1)), 1:-1, 1:-1] = LIQUID
    problem = unit_problem(labels, dimension, origin=(-1, -1, -1 if dimension == 3 else 0))
    error = problem.unknown.astype(np.float64)
    for axis in range(dimension):
        along = np.sin(np.pi * waves[axis] * np.arange(34) / 33)
        error *= along.reshape([34 if 2 - axis == k else 1 for k in range(3)])
    before = error[problem.unknown]
    left = error - cycled(problem, spread(problem, problem.matrix @ before))
    after = left[problem.unknown]
    assert after @ (problem.matrix @ after) <= 0.4**2 * (before @ (problem.matrix @ before))


def spread(problem, values):
    """Values of the unknowns as a dense array."""
    dense = np.zeros(problem.labels.shape)
    dense[problem.unknown] = values
    return dense


def test_the_cycle_scales_to_the_last_bit(dimension):
    problem = make("cut", SHAPES[dimension])
    r = problem.noise()
    assert (cycled(problem, 8 * r) == 8 * cycled(problem, r)).all()


def test_the_cycle_leaves_zero_where_there_is_no_unknown(dimension):
    problem = make("cut", SHAPES[dimension])
    z = cycled(problem, problem.noise())
    assert not z[~problem.unknown].any()
    assert z[problem.unknown].all()


def test_a_cycle_remembers_nothing_of_the_one_before(dimension):
    problem = make("sealed", SHAPES[dimension])
    cycle = MultigridPreconditioner(problem.operator)
    z = problem.operator.zeros()
    for seed in (1, 2, 1):
        cycle.solve(problem.pool(problem.noise(seed), np.float32), z)
    assert problem.dense(z).tobytes() == cycled(problem, problem.noise(1)).tobytes()


def test_one_unknown_is_divided_by_its_diagonal(dimension):
    labels = np.full((1, 6, 7) if dimension == 2 else (5, 6, 7), AIR, np.uint8)
    labels[-1, 3, 4] = LIQUID
    problem = unit_problem(labels, dimension)
    r = 3.0 * problem.unknown
    assert cycled(problem, r)[problem.unknown] == pytest.approx(3.0 / problem.diagonal.max(), rel=1e-6)


def test_dividing_the_first_coarse_level_among_threads_changes_nothing(dimension, monkeypatch):
    problem = make("cut", (512, 384) if dimension == 2 else (64, 56, 72))
    results = []
    for worth in (1, 10**9):
        monkeypatch.setattr(multigrid, "_WORTH_THREADS", worth)
        results.append(cycled(problem, problem.noise()))
    assert np.abs(results[0] - results[1]).max() <= 1e-6 * np.abs(results[0]).max()


RESIDUALS_OF_ONE_TILE = """
import hashlib
import numpy as np
from plash.grid.tiles import Tiles
from plash.linear.multigrid import _restrict
from plash.linear.operators import PoissonOperator

operator = PoissonOperator(Tiles.at([[0, 0, 0]], 3), np.full((2, 8, 8, 8), 6, np.float32))
x, b = np.random.default_rng(0).standard_normal((2, 2, 8, 8, 8)).astype(np.float32)
x[0] = 0
index = np.stack([np.full(64, 64, np.int32), np.arange(64, dtype=np.int32)])
coarse = np.zeros(65, np.float32)
_restrict((8, 8, 8))(x, b, operator.stencil, operator.active, index, coarse, 1)
print(hashlib.sha256(coarse.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_kernels_just_compiled_and_kernels_from_the_cache_give_the_same_bits(tmp_path):
    """The first run on a machine compiles, the second loads: the same scene must give the same bits."""
    environment = os.environ | {"PLASH_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", RESIDUALS_OF_ONE_TILE]
    printed = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(3)]
    compiled, loaded, again = (p.stdout for p in printed)
    assert loaded == again
    assert compiled == loaded
