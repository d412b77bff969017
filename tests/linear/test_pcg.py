"""Conjugate gradients with refinement: true residuals, few iterations, the same bits, and an end in every case."""

import functools

import numpy as np
import pytest
import scipy.sparse.linalg

from plash.linear import pcg
from plash.linear.components import closed_components
from plash.linear.multigrid import MultigridPreconditioner

from .poisson_problems import (
    AIR,
    LIQUID,
    SOLID,
    Problem,
    cut_problem,
    ghost_problem,
    make,
    target,
    unit_problem,
    wavy_pool,
)

SMALL = {2: (40, 24), 3: (24, 16, 20)}
NON_CUBIC = {2: (88, 56), 3: (40, 24, 56)}
KINDS = ["unit", "cut", "ghost", "sealed"]


def solved(problem, b, tolerance=1e-5, preconditioner=MultigridPreconditioner, x=None, floor=0.0, **options):
    """Solution, x as a dense array, and the true relative residual; means are removed from closed components."""
    operator = problem.operator
    closed = closed_components(operator)
    pool = problem.pool(b)
    closed.remove_means(pool)
    x = operator.zeros(np.float64) if x is None else problem.pool(x)
    wanted = target(operator, pool, tolerance, floor)
    solution = pcg.solve(operator, preconditioner(operator), pool, x, wanted, clean=closed.remove_means, **options)
    closed.remove_means(x)
    scale = np.linalg.norm(pool) or 1.0
    return solution, problem.dense(x), problem.residual(problem.dense(x), problem.dense(pool)) / scale


@functools.cache
def iterations(kind, size, rhs):
    """Iterations to a true residual of 1e-5 in a box of size³ cells."""
    problem = cached_problem(kind, size)
    solution, _, true = solved(problem, getattr(problem, rhs)())
    assert solution.converged
    assert true <= 1.001e-5
    return solution.iterations


@functools.lru_cache(maxsize=1)
def cached_problem(kind, size):
    return make(kind, (size,) * 3)


@pytest.fixture(scope="module", autouse=True)
def _forget_large_problems():
    yield
    cached_problem.cache_clear()


# How fast


@pytest.mark.slow
@pytest.mark.parametrize("rhs", ["noise", "smooth"])
@pytest.mark.parametrize("kind", KINDS)
def test_three_times_the_resolution_costs_at_most_four_iterations_more(kind, rhs):
    """From 64³ to 192³, and never more than twelve."""
    assert iterations(kind, 64, rhs) <= 12
    assert iterations(kind, 192, rhs) <= min(12, iterations(kind, 64, rhs) + 4)


@pytest.mark.parametrize("kind", ["cut everywhere", "ghost", "sealed cut"])
@pytest.mark.parametrize("rhs", ["noise", "smooth"])
def test_a_box_that_is_not_a_cube_and_does_not_start_at_zero_is_no_harder(kind, rhs):
    problem = make(kind, (40, 24, 56), origin=(-37, 11, -100))
    solution, _, true = solved(problem, getattr(problem, rhs)())
    assert true <= 1.001e-5
    assert solution.iterations <= 12


@pytest.mark.parametrize("rhs", ["noise", "smooth"])
def test_multigrid_needs_an_eighth_of_the_iterations_of_jacobi(rhs):
    problem = make("cut", (64,) * 3)
    b = getattr(problem, rhs)()
    fast, x, _ = solved(problem, b)
    slow, y, true = solved(problem, b, preconditioner=pcg.JacobiPreconditioner, most_iterations=2000)
    assert slow.converged
    assert true <= 1.001e-5
    assert 8 * fast.iterations <= slow.iterations
    assert np.abs(x - y).max() < 1e-3 * np.abs(x).max()


# What comes out


@pytest.mark.parametrize("kind", ["cut everywhere", "ghost", "dyadic"])
def test_the_solution_is_that_of_a_direct_solver(dimension, kind):
    problem = make(kind, SMALL[dimension], origin=(-9, 4, 0))
    b = problem.smooth()
    _, x, _ = solved(problem, b, tolerance=1e-6)
    direct = scipy.sparse.linalg.spsolve(problem.matrix.tocsc(), b[problem.unknown])
    assert np.abs(x[problem.unknown] - direct).max() < 1e-4 * np.abs(direct).max()


def test_closed_and_open_components_side_by_side_have_the_direct_solution_up_to_constants(dimension):
    problem = make("sealed", (64, 56) if dimension == 2 else (32, 24, 28))
    closed = closed_components(problem.operator)
    label = np.zeros(problem.operator.diagonal.shape, np.int32)
    label[closed.active] = closed.label
    label = problem.dense(label)[problem.unknown]
    assert closed.count >= 1
    assert (label == 0).any()

    b = problem.pool(problem.noise())
    closed.remove_means(b)
    _, x, _ = solved(problem, problem.dense(b), tolerance=1e-6)
    # One cell of each closed component held at zero makes the matrix regular and takes nothing away
    held = [np.flatnonzero(label == k)[0] for k in range(1, closed.count + 1)]
    matrix = problem.matrix.tolil()
    matrix[held, :] = 0
    matrix[held, held] = 1
    right = problem.dense(b)[problem.unknown]
    right[held] = 0
    direct = scipy.sparse.linalg.spsolve(matrix.tocsc(), right)
    for k in range(1, closed.count + 1):
        direct[label == k] -= direct[label == k].mean()
    assert np.abs(x[problem.unknown] - direct).max() < 1e-4 * np.abs(direct).max()


@pytest.mark.parametrize("kind", ["cut everywhere", "ghost", "sealed"])
def test_refinement_reaches_1e_9(dimension, kind):
    problem = make(kind, NON_CUBIC[dimension])
    solution, _, true = solved(problem, problem.smooth(), tolerance=1e-9)
    assert solution.converged
    assert true <= 1.001e-9


def test_what_it_says_about_the_residual_is_true(dimension):
    problem = make("cut", NON_CUBIC[dimension])
    b = problem.smooth()
    solution, x, _ = solved(problem, b, tolerance=1e-7)
    assert solution.residual == pytest.approx(problem.residual(x, b), rel=1e-6)
    assert solution.history[0] == pytest.approx(np.linalg.norm(b), rel=1e-14)
    assert solution.history[-1] == solution.residual <= solution.target
    assert solution.target == pytest.approx(1e-7 * np.linalg.norm(b), rel=1e-14)


@pytest.mark.parametrize("kind", ["cut everywhere", "ghost"])
def test_a_limit_holds_for_every_unknown_and_none_changes_no_bit(dimension, kind):
    problem = make(kind, SMALL[dimension])
    b = problem.noise()
    plain, x, _ = solved(problem, b, tolerance=1e-3)
    again, same, _ = solved(problem, b, tolerance=1e-3, limit=1e9)
    assert np.array_equal(x, same)
    assert again.iterations == plain.iterations
    limit = 0.03 * again.worst
    finer, y, _ = solved(problem, b, tolerance=1e-3, limit=limit)
    left = problem.pool(b)
    problem.operator.residual(problem.pool(y), left.copy(), left)
    worst = np.abs(left[problem.operator.diagonal > 0]).max()
    assert worst == pytest.approx(finer.worst, rel=1e-6)
    assert worst <= limit


@pytest.mark.parametrize("power", [-300, 50, 300])
def test_scaling_the_right_hand_side_scales_the_solution_to_the_last_bit(power):
    problem = make("cut", NON_CUBIC[3])
    scale = 2.0**power
    one, x, _ = solved(problem, problem.smooth())
    other, y, _ = solved(problem, scale * problem.smooth())
    assert other.iterations == one.iterations
    assert (y == scale * x).all()


def test_scaling_the_operator_scales_the_solution_to_the_last_bit():
    problem = make("cut everywhere", NON_CUBIC[3])
    scaled = Problem(problem.labels, 0.25 * problem.conductance, unit=False)
    _, x, _ = solved(problem, problem.smooth())
    _, y, _ = solved(scaled, problem.smooth())
    assert (y == 4 * x).all()


# When it stops


def test_a_zero_right_hand_side_takes_no_iteration(dimension):
    problem = make("cut", NON_CUBIC[dimension])
    solution, x, _ = solved(problem, np.zeros(problem.labels.shape))
    assert solution.converged
    assert solution.iterations == 0
    assert not x.any()


@pytest.mark.parametrize("preconditioner", [MultigridPreconditioner, pcg.JacobiPreconditioner])
def test_a_wrong_first_guess_of_nothing_decays_to_nothing(preconditioner):
    """With b = 0 and no floor the target is zero: it goes as far as numbers go, and no warning is raised."""
    problem = make("unit", SMALL[3])
    guess = problem.noise()
    solution, x, _ = solved(problem, np.zeros(guess.shape), preconditioner=preconditioner, x=guess, most_iterations=400)
    assert np.abs(x).max() < 1e-9
    assert solution.residual < 1e-9


def test_a_first_guess_that_solves_takes_no_iteration(dimension):
    problem = make("cut", NON_CUBIC[dimension])
    _, x, _ = solved(problem, problem.smooth(), tolerance=1e-8)
    solution, y, _ = solved(problem, problem.smooth(), tolerance=1e-7, x=x)
    assert solution.iterations == 0
    assert (x == y).all()


def test_a_good_first_guess_saves_iterations(dimension):
    problem = make("cut", NON_CUBIC[dimension])
    cold, x, _ = solved(problem, problem.smooth())
    warm, _, true = solved(problem, problem.smooth(), x=x + 1e-3 * np.abs(x).max() * problem.noise())
    assert true <= 1.001e-5
    assert warm.iterations < cold.iterations


def test_a_target_that_depends_on_the_solution_is_asked_again(dimension):
    """The first guess is far too small, and so is the target that it gives: it must not be solved for."""
    problem = make("cut", NON_CUBIC[dimension])
    pool, x = problem.pool(problem.smooth()), problem.pool(1e-3 * np.ones_like(problem.noise()))

    def wanted(x):
        return 1e-4 * pcg.norm(problem.operator, x)

    at_first = wanted(x)
    solution = pcg.solve(problem.operator, MultigridPreconditioner(problem.operator), pool, x, wanted)
    assert solution.converged
    assert solution.target == wanted(x) > 100 * at_first
    assert solution.residual > 10 * at_first
    assert problem.residual(problem.dense(x), problem.dense(pool)) <= 1.001 * wanted(x)


def test_the_floor_stops_it_where_the_tolerance_would_not(dimension):
    problem = make("unit", NON_CUBIC[dimension])
    b = problem.noise()
    floor = 1e-3 * np.linalg.norm(b)
    stopped, _, true = solved(problem, b, tolerance=1e-12, floor=floor)
    full, _, _ = solved(problem, b, tolerance=1e-12)
    assert stopped.converged
    assert stopped.target == floor
    assert 1e-12 < true <= 1e-3
    assert stopped.iterations < full.iterations


@pytest.mark.parametrize("most", [0, 1, 5])
def test_no_more_iterations_than_allowed_are_made(most):
    problem = make("unit", NON_CUBIC[3])
    solution, x, true = solved(problem, problem.smooth(), most_iterations=most)
    assert solution.iterations == most
    assert not solution.converged
    assert x.any() == (most > 0)
    assert solution.residual == pytest.approx(true * np.linalg.norm(problem.smooth()), rel=1e-10)


def test_a_tolerance_below_double_precision_ends_and_says_so():
    problem = make("unit", NON_CUBIC[3])
    solution, _, true = solved(problem, problem.smooth(), tolerance=1e-18)
    assert not solution.converged
    assert solution.iterations < 60
    assert true < 1e-12


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_right_hand_side_with_a_value_that_is_no_number_does_not_converge(bad):
    problem = make("unit", SMALL[3])
    b = problem.noise()
    b[tuple(np.argwhere(problem.unknown)[17])] = bad
    pool, x = problem.pool(b), problem.operator.zeros(np.float64)
    solution = pcg.solve(
        problem.operator, MultigridPreconditioner(problem.operator), pool, x, target(problem.operator, pool, 1e-5)
    )
    assert not solution.converged


def test_an_infinite_floor_does_not_count_as_converged():
    """It comes from an infinite velocity: the step has blown up, and pressure must not call that solved."""
    problem = make("unit", SMALL[3])
    solution, _, _ = solved(problem, problem.noise(), floor=np.inf)
    assert not solution.converged


def test_values_of_b_where_there_is_no_unknown_do_not_loosen_the_target():
    """A liquid cell with no open face has a divergence but no equation."""
    problem = make("unit", SMALL[3])
    b = problem.pool(problem.noise())
    junk = np.where(problem.operator.diagonal > 0, b, 1e3)
    operator, cycle = problem.operator, MultigridPreconditioner(problem.operator)
    x, y = operator.zeros(np.float64), operator.zeros(np.float64)
    clean = pcg.solve(operator, cycle, b, x, target(operator, b, 1e-5))
    dirty = pcg.solve(operator, cycle, junk, y, target(operator, junk, 1e-5))
    assert dirty.target == pytest.approx(clean.target, rel=1e-12)
    assert x.tobytes() == y.tobytes()


# Same bits


@pytest.mark.parametrize("kind", ["unit", "sealed cut"])
def test_same_bits_for_any_number_of_threads(kind, threads):
    """Large enough that the first coarse level is divided among threads too."""
    results = []
    for n in (1, 2):
        threads(n)
        problem = make(kind, (64, 72, 80))
        solution, x, _ = solved(problem, problem.smooth())
        results.append((solution.iterations, solution.history, x.tobytes()))
    assert results[0] == results[1]


@pytest.mark.parametrize("kind", ["unit", "ghost", "sealed cut"])
def test_empty_tiles_and_a_shift_by_many_tiles_change_no_bit(dimension, kind):
    problem = make(kind, NON_CUBIC[dimension])
    first, x, _ = solved(problem, problem.smooth())
    far = 16 * 64 * problem.tiles.shape[2]
    for moved in (
        problem.moved(margin=1),
        problem.moved(margin=3),
        problem.moved(origin=(far, far, far if dimension == 3 else 0)),
        problem.moved(origin=(-far, 0, 0), margin=1),
    ):
        second, y, _ = solved(moved, problem.smooth())
        assert second.history == first.history
        assert x.tobytes() == y.tobytes()


def test_a_second_solve_with_the_same_preconditioner_gives_the_same_bits(dimension):
    problem = make("cut", NON_CUBIC[dimension])
    operator, cycle = problem.operator, MultigridPreconditioner(problem.operator)
    results = []
    for b in (problem.smooth(), problem.noise(), problem.smooth()):
        x = operator.zeros(np.float64)
        pool = problem.pool(b)
        pcg.solve(operator, cycle, pool, x, target(operator, pool, 1e-5))
        results.append(x.tobytes())
    assert results[0] == results[2] != results[1]


# Odd shapes


def test_one_unknown_is_solved_at_once(dimension):
    labels = np.full((1, 6, 7) if dimension == 2 else (5, 6, 7), AIR, np.uint8)
    labels[-1, 3, 4] = LIQUID
    problem = unit_problem(labels, dimension, origin=(-3, -2, 0))
    solution, x, _ = solved(problem, problem.smooth())
    assert solution.iterations == 1
    assert x == pytest.approx(problem.smooth() / max(problem.diagonal.max(), 1), rel=1e-6)


@pytest.mark.parametrize("make_problem", [unit_problem, ghost_problem])
def test_three_thousand_single_drops_are_solved_at_once(make_problem):
    """Lone cells on even coordinates have no neighbour: A is its diagonal."""
    labels = np.full((96, 128, 112), AIR, np.uint8)
    places = np.random.default_rng(0).choice(48 * 64 * 56, 3000, replace=False)
    z, y, x = np.unravel_index(places, (48, 64, 56))
    labels[2 * z, 2 * y, 2 * x] = LIQUID
    problem = make_problem(labels)
    b = problem.noise()
    solution, x, _ = solved(problem, b)
    assert solution.iterations == 1
    assert x[problem.unknown] == pytest.approx(b[problem.unknown] / problem.diagonal[problem.unknown], rel=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("place", [3, 7, 8])
def test_a_sheet_one_cell_thick_between_plates_is_solved(axis, place):
    labels = np.full((64, 64, 64), SOLID, np.uint8)
    np.moveaxis(labels, axis, 0)[place] = LIQUID
    problem = unit_problem(labels)
    assert closed_components(problem.operator).count == 1
    for b in (problem.noise(), problem.smooth()):
        solution, _, true = solved(problem, b)
        assert true <= 1.001e-5
        assert solution.iterations <= 8


def test_a_sheet_one_cell_thick_in_the_air_is_solved():
    labels = np.full((56, 24, 72), AIR, np.uint8)
    labels[:, 7, :] = LIQUID
    problem = unit_problem(labels)
    solution, _, true = solved(problem, problem.smooth())
    assert true <= 1.001e-5
    assert solution.iterations <= 5


def test_a_thin_film_with_air_at_one_end_is_solved():
    labels = np.full((256, 8, 256), SOLID, np.uint8)
    labels[:, 3, :] = LIQUID
    labels[:, 3, 0] = AIR
    problem = unit_problem(labels)
    solution, _, true = solved(problem, problem.smooth())
    assert true <= 1.001e-5
    assert solution.iterations <= 12


@pytest.mark.parametrize("thickness", [0, 1])
@pytest.mark.parametrize("place", [16, 17])
def test_a_thin_wall_across_the_pool_is_solved(thickness, place):
    """As fast as without it on even coordinates; on odd ones it cuts aggregates and takes several times as many."""
    labels = wavy_pool((48, 64, 56))
    if thickness:
        labels[:, :, place] = SOLID
    conductance = unit_problem(labels).conductance
    conductance[0, :, :, place] = 0
    problem = Problem(labels, conductance, unit=False)
    solution, _, true = solved(problem, problem.smooth())
    assert solution.converged
    assert true <= 1.001e-5
    if place % 2 == 0:
        assert solution.iterations <= 12


@pytest.mark.parametrize("fill", [0.3, 0.45])
def test_hundreds_of_sealed_pockets_with_cut_faces_are_solved(fill):
    shape = (32, 24, 40)
    labels = np.where(np.random.default_rng(0).random(shape) < fill, LIQUID, SOLID).astype(np.uint8)
    problem = cut_problem(labels, np.ones(shape, np.bool_))
    assert closed_components(problem.operator).count > 100
    solution, _, true = solved(problem, problem.noise())
    assert solution.converged
    assert true <= 1.1e-5


@pytest.mark.parametrize("seed", [5, 13])
def test_a_labyrinth_of_narrow_passages_is_solved(seed):
    """As many open cells as just percolate: condition 1e5 and more, at the edge of single precision."""
    shape = (1, 64, 64)
    labels = np.where(np.random.default_rng(seed).random(shape) < 0.6, LIQUID, SOLID).astype(np.uint8)
    problem = cut_problem(labels, np.ones(shape, np.bool_), 2, seed=seed, step=2.0**-10)
    solution, _, true = solved(problem, problem.smooth())
    assert solution.converged
    assert true <= 1.001e-5


@pytest.mark.parametrize("margin", [-1, 1])
@pytest.mark.parametrize("preconditioner", [MultigridPreconditioner, pcg.JacobiPreconditioner])
def test_no_unknowns_are_solved_by_doing_nothing(dimension, margin, preconditioner):
    labels = np.full((1, 16, 16) if dimension == 2 else (8, 16, 8), AIR, np.uint8)
    problem = unit_problem(labels, dimension, margin=margin)
    solution, x, _ = solved(problem, np.zeros(labels.shape), preconditioner=preconditioner)
    assert solution.converged
    assert solution.iterations == 0
    assert not x.any()


# How a solve went


def test_a_solution_has_the_residual_of_every_iteration(dimension):
    problem = make("ghost", SMALL[dimension])
    solution, _, _ = solved(problem, problem.noise())
    assert len(solution.residuals) == solution.iterations + 1
    assert solution.residuals[0] == 1.0
    assert solution.residuals[-1] == pytest.approx(solution.relative_residual, rel=0.05)
    assert solution.relative_residual == solution.residual / solution.history[0]


class Shifted:
    """1 + A on the same unknowns: an operator that is no Poisson operator, without a null space."""

    def __init__(self, operator):
        self.laplace = operator
        self.active, self.zeros = operator.active, operator.zeros
        self.diagonal = np.where(operator.diagonal > 0, operator.diagonal + np.float32(1), np.float32(0))
        self.inverse = np.divide(1, self.diagonal, out=np.zeros_like(self.diagonal), where=self.diagonal > 0)

    def apply(self, x, result):
        own = self.laplace.apply(x, result)
        result[self.active] += x[self.active]
        return own + float((x[self.active].astype(np.float64) ** 2).sum())

    def residual(self, x, b, result):
        self.laplace.residual(x, b, result)
        result[self.active] -= x[self.active]
        return pcg.norm(self, result)


@pytest.mark.parametrize("kind", ["unit", "cut", "sealed"])
def test_any_operator_that_keeps_the_protocol_is_solved(dimension, kind):
    """Implicit heat flow: (1 + A) x = b, in closed pockets too, where A alone has no solution."""
    problem = make(kind, SMALL[dimension])
    operator = Shifted(problem.operator)
    exact = problem.noise()
    b, zero = operator.zeros(np.float64), operator.zeros(np.float64)
    operator.residual(-problem.pool(exact), zero, b)
    x = operator.zeros(np.float64)
    wanted = target(operator, b, 1e-9)
    solution = pcg.solve(operator, pcg.JacobiPreconditioner(operator), b, x, wanted, most_iterations=2000)
    assert solution.converged
    assert np.abs(problem.dense(x) - exact)[problem.unknown].max() < 1e-6
