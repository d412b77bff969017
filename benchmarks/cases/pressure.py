"""pressure: the solve alone, on an irregular free surface with a solid sphere below it.

Two right-hand sides: white noise, and a smooth one, which is harder and closer to what body forces leave. Times
contain everything that has to be built for a new operator. Two yardsticks on the same operator: conjugate gradients
with the diagonal as preconditioner in double precision, as textbooks have it, and the same inside plash's own
refinement in single precision.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks.plan import Plan
from benchmarks.progress import progress
from benchmarks.results import Figure
from benchmarks.triad import thread_counts
from plash.grid.tiles import Tiles
from plash.linear import pcg
from plash.linear.multigrid import MultigridPreconditioner
from plash.linear.operators import PoissonOperator

_TOLERANCE = 1e-5
_TILE = 8
_MOST_ITERATIONS = 20000

Solve = Callable[[PoissonOperator, NDArray[np.float64]], tuple[float, float, pcg.Solution]]


def pressure(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Iterations and nanoseconds per unknown; at one size, how much longer Jacobi takes on the same operator."""
    threads = thread_counts()[0]
    numba.set_num_threads(threads)
    for size in plan.pressure_sizes:
        progress(f"pressure: {size} cells along the box")
        tiles, diagonal = irregular_surface(size)
        unknowns = int(np.count_nonzero(diagonal))
        for name, b in (("noise", _noise(diagonal)), ("smooth", _smooth(tiles, diagonal, size))):
            solvers: list[Solve] = [_by_multigrid]
            if size == plan.jacobi_size:
                solvers += [_by_jacobi, _by_textbook]
            taken = [[] for _ in solvers]  # type: ignore[var-annotated]
            for _ in range(1 + plan.repeats):
                for found, solve in zip(taken, solvers, strict=True):
                    found.append(solve(PoissonOperator(tiles, diagonal), b))
            multigrid, *others = (found[1:] for found in taken)

            case = f"{size}, {name}"
            whole = min(seconds for seconds, _, _ in multigrid)
            set_up = min(seconds for _, seconds, _ in multigrid)
            solution = multigrid[0][2]
            yield Figure(case, "unknowns", unknowns)
            yield Figure(case, "iterations", solution.iterations, "", "cost")
            yield Figure(case, "residual", solution.residual / solution.history[0])
            yield Figure(case, "per unknown", 1e9 * whole / unknowns, "ns", "time", threads)
            yield Figure(case, "set-up", 1e9 * set_up / unknowns, "ns", "time", threads, judged=False)
            for yardstick, found in zip(("Jacobi, single", "Jacobi, double"), others, strict=False):
                least = min(seconds for seconds, _, _ in found)
                yield Figure(case, f"{yardstick}: iterations", found[0][2].iterations)
                yield Figure(case, f"{yardstick}: time to multigrid's", least / whole, "times", "gain")


def irregular_surface(size: int) -> tuple[Tiles, NDArray[np.float32]]:
    """Tiles and diagonal of a wavy pool with ripples in a closed cube, and a sphere in it; about 0.44 of the cube."""
    centres = (np.arange(size) + 0.5) / size
    z, y, x = np.meshgrid(centres, centres, centres, indexing="ij", sparse=True)
    surface = 0.45 + 0.25 * np.cos(3.1 * x) + 0.06 * np.sin(9 * x + 4 * z) * np.cos(11 * z)
    surface = surface + 0.02 * np.sin(60 * x) * np.sin(50 * z)
    is_solid = (x - 0.55) ** 2 + (y - 0.3) ** 2 + (z - 0.5) ** 2 < 0.16**2
    is_liquid = (y < surface) & ~is_solid

    is_open = np.zeros((size + 2,) * 3, np.float32)
    is_open[1:-1, 1:-1, 1:-1] = ~is_solid
    low, mid, high = slice(0, -2), slice(1, -1), slice(2, None)
    diagonal = is_open[low, mid, mid] + is_open[high, mid, mid]
    diagonal += is_open[mid, low, mid] + is_open[mid, high, mid]
    diagonal += is_open[mid, mid, low] + is_open[mid, mid, high]
    diagonal *= is_liquid
    return _into_tiles(diagonal)


def _into_tiles(dense: NDArray[np.float32]) -> tuple[Tiles, NDArray[np.float32]]:
    """Tiles where a dense array [z, y, x] is not zero, and the array as a pool on them."""
    n = len(dense) // _TILE
    blocks = dense.reshape(n, _TILE, n, _TILE, n, _TILE).transpose(0, 2, 4, 1, 3, 5).reshape(-1, _TILE, _TILE, _TILE)
    kept = np.flatnonzero(blocks.any(axis=(1, 2, 3)))
    z, y, x = np.unravel_index(kept, (n, n, n))
    # Tiles are in the order of z, then y, then x: the order of the blocks
    tiles = Tiles.at(np.stack([x, y, z], axis=1), dimension=3)
    return tiles, np.concatenate([np.zeros((1, _TILE, _TILE, _TILE), np.float32), blocks[kept]])


def _noise(diagonal: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.random.default_rng(1).standard_normal(diagonal.shape) * (diagonal > 0)


def _smooth(tiles: Tiles, diagonal: NDArray[np.float32], size: int) -> NDArray[np.float64]:
    centres = tiles.cell_centres(tiles.slots, 1 / size)
    b = np.zeros(diagonal.shape)
    b[1:] = (np.sin(5 * centres[:, 0]) * np.cos(3 * centres[:, 1])).reshape(diagonal[1:].shape)
    return b * (diagonal > 0)


def _by_multigrid(operator: PoissonOperator, b: NDArray[np.float64]) -> tuple[float, float, pcg.Solution]:
    """Seconds of the whole and of the set-up, and how it went."""
    start = time.perf_counter()
    preconditioner = MultigridPreconditioner(operator)
    set_up = time.perf_counter() - start
    target = _TOLERANCE * pcg.norm(operator, b)
    solution = pcg.solve(operator, preconditioner, b, operator.zeros(np.float64), target)
    return time.perf_counter() - start, set_up, _checked(solution)


def _by_jacobi(operator: PoissonOperator, b: NDArray[np.float64]) -> tuple[float, float, pcg.Solution]:
    start = time.perf_counter()
    preconditioner = pcg.JacobiPreconditioner(operator)
    x = operator.zeros(np.float64)
    target = _TOLERANCE * pcg.norm(operator, b)
    solution = pcg.solve(operator, preconditioner, b, x, target, most_iterations=_MOST_ITERATIONS)
    return time.perf_counter() - start, 0.0, _checked(solution)


def _by_textbook(operator: PoissonOperator, b: NDArray[np.float64]) -> tuple[float, float, pcg.Solution]:
    """Jacobi-preconditioned conjugate gradients in double precision; A from the operator's own residual."""
    start = time.perf_counter()
    x, p, q, zero = (operator.zeros(np.float64) for _ in range(4))
    r, inverse = b.copy(), operator.inverse.astype(np.float64)
    target = _TOLERANCE * float(np.linalg.norm(b))
    rz, beta, iterations, norm = float(np.vdot(r, r * inverse)), 0.0, 0, np.inf
    while norm > target and iterations < _MOST_ITERATIONS:
        iterations += 1
        _turn(p.ravel(), r.ravel(), inverse.ravel(), beta)
        operator.residual(p, zero, q)
        alpha = rz / -_dot(p.ravel(), q.ravel())
        norm, rz_new = _move(x.ravel(), r.ravel(), p.ravel(), q.ravel(), inverse.ravel(), alpha)
        beta, rz = rz_new / rz, rz_new
    seconds = time.perf_counter() - start
    residual = operator.residual(x, b, q)
    return seconds, 0.0, _checked(pcg.Solution(iterations, residual, 1.01 * target, [residual]))


@numba.njit(parallel=True, cache=True)
def _turn(p, r, inverse, beta):  # type: ignore[no-untyped-def]
    for m in numba.prange(len(p)):
        p[m] = r[m] * inverse[m] + beta * p[m]


@numba.njit(parallel=True, cache=True)
def _dot(p, q):  # type: ignore[no-untyped-def]
    total = 0.0
    for m in numba.prange(len(p)):
        total += p[m] * q[m]
    return total


@numba.njit(parallel=True, cache=True)
def _move(x, r, p, q, inverse, alpha):  # type: ignore[no-untyped-def]
    square = 0.0
    rz = 0.0
    for m in numba.prange(len(x)):
        x[m] += alpha * p[m]
        value = r[m] + alpha * q[m]
        r[m] = value
        square += value * value
        rz += value * value * inverse[m]
    return np.sqrt(square), rz


def _checked(solution: pcg.Solution) -> pcg.Solution:
    if not solution.converged:
        raise RuntimeError(f"pressure not found: residual {solution.residual:.3g}, wanted {solution.target:.3g}")
    return solution
