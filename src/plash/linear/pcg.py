"""Conjugate gradients in single precision inside residual refinement in double precision.

Single precision alone is a trap: its recursive residual reports 1e-5 when the true one is 5e-4. Here the inner solver
only ever gains a factor of a hundred or so; then the true residual b - A x is formed in double precision and
becomes the next right-hand side. No iteration is lost, and every sweep runs at single-precision speed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range
from plash.linear.operators import Operator, Pool, Pool64

_MOST_GAIN = 2e-3  # of one inner solve: single precision is still truthful there
_MOST_REFINEMENTS = 12
_SPARE = 0.5  # how much further to go for the worst residual: it falls less evenly than their sum
_ROW = 8  # values summed by themselves first: a sum of sums is as exact, and not one long chain


class Preconditioner(Protocol):
    """An approximate inverse of A: symmetric and positive, or conjugate gradients do not converge.

    Attributes:
        longest_run: Iterations in single precision after which it is better to refine and begin afresh.
    """

    longest_run: int

    def solve(self, r: Pool, z: Pool) -> float:
        """Set z to about A⁻¹ r and return r·z."""


@dataclass
class Solution:
    """How a solve went.

    Attributes:
        iterations: Conjugate-gradient iterations, all refinements together.
        residual: True final ‖b - A x‖₂ in double precision.
        target: What it had to be below.
        history: ‖b - A x‖₂ at the first guess and after each refinement.
        residuals: ‖r‖₂/‖r₀‖₂ at the first guess and after each iteration, as single precision has them; none if there
            was nothing to solve.
        worst: True final max |b - A x|; found only where a limit was given for it.
    """

    iterations: int = 0
    residual: float = 0.0
    target: float = 0.0
    history: list[float] = field(default_factory=list)
    residuals: list[float] = field(default_factory=list)
    worst: float = 0.0

    @property
    def converged(self) -> bool:
        """Whether the true residual reached its target; an infinite one reaches nothing."""
        return self.residual <= self.target < np.inf

    @property
    def relative_residual(self) -> float:
        """The true final residual over that of the first guess."""
        first = self.history[0] if self.history else 0.0
        return self.residual / first if first > 0.0 else 0.0


def solve(
    operator: Operator,
    preconditioner: Preconditioner,
    b: Pool64,
    x: Pool64,
    target: float | Callable[[Pool64], float],
    most_iterations: int = 200,
    clean: Callable[[Pool64], None] = lambda r: None,
    limit: float = np.inf,
) -> Solution:
    """Solve A x = b until ‖b - A x‖₂ ≤ target, starting from x; and on, while that helps, until max |b - A x| ≤ limit.

    Args:
        operator: A, symmetric and positive (semi-)definite.
        preconditioner: Approximate inverse of A.
        b: Right-hand side.
        x: First guess; holds the solution afterwards.
        target: Size of the true residual to reach; or what tells it of x, asked again whenever x is better known.
        most_iterations: Stop after this many in any case.
        clean: Removes from a residual what A cannot reach, such as constants in closed components.
        limit: Size of the true residual of every single unknown to reach.
    """
    r = np.empty_like(b)
    aim = target if callable(target) else lambda x: target
    solution = Solution(target=aim(x), residuals=[1.0])
    solution.residual = _cleaned_residual(operator, x, b, r, clean)
    solution.worst = _worst(operator, r, limit)
    solution.history.append(solution.residual)

    inner = _Inner(operator, preconditioner)
    while not (solution.converged and solution.worst <= limit) and solution.iterations < most_iterations:
        wanted = max(solution.target / solution.residual, 1e-16)
        if solution.worst > limit:
            wanted = min(wanted, max(_SPARE * limit / solution.worst, 1e-16))
        gain = 0.9 * wanted ** (1.0 / np.ceil(np.log(wanted) / np.log(_MOST_GAIN)))
        most = min(preconditioner.longest_run, most_iterations - solution.iterations)
        solution.iterations += inner.correct(x, r, solution.residual, gain, most)
        solution.residuals += [size * solution.residual / (solution.history[0] or 1.0) for size in inner.sizes]
        before = solution.residual
        solution.residual = _cleaned_residual(operator, x, b, r, clean)
        solution.worst = _worst(operator, r, limit)
        solution.target = aim(x)
        solution.history.append(solution.residual)
        stalled = not solution.residual < 0.9 * before
        if stalled or len(solution.history) > _MOST_REFINEMENTS:
            break
    return solution


class JacobiPreconditioner:
    """Division by the diagonal: the yardstick that better preconditioners are measured against."""

    longest_run = 1_000_000

    def __init__(self, operator: Operator) -> None:
        self.operator = operator

    def solve(self, r: Pool, z: Pool) -> float:
        """Set z = r/d and return r·z."""
        operator = self.operator
        partial = np.zeros(len(operator.active))
        _scale(_rows(r), _rows(operator.inverse), _rows(z), partial, operator.active, chunk_count())
        return float(partial.sum())


class _Inner:
    """Preconditioned conjugate gradients in single precision, with their working pools."""

    def __init__(self, operator: Operator, preconditioner: Preconditioner) -> None:
        self.operator = operator
        self.preconditioner = preconditioner
        self.z, self.p = operator.zeros(), operator.zeros()
        # What is in tiles without unknowns nobody reads
        self.r, self.q, self.e = (np.empty_like(self.z) for _ in range(3))
        self.sizes: list[float] = []  # of the residual after each iteration of the last correction

    def correct(self, x: Pool64, r64: Pool64, norm: float, gain: float, most: int) -> int:
        """Add to x an approximate solution of A e = r; return the iterations it took to reduce r by the gain."""
        operator = self.operator
        active, chunks = operator.active, chunk_count()
        partial = np.zeros(len(active))
        r, z, p, q, e = (_rows(pool) for pool in (self.r, self.z, self.p, self.q, self.e))

        # Scaled to norm one, so that single precision never runs out of range
        _begin(_rows(r64), 1.0 / norm, r, e, active, chunks)
        rz = self.preconditioner.solve(self.r, self.z)
        beta = 0.0
        iterations = 0
        self.sizes = []
        while iterations < most:
            iterations += 1
            _update_direction(z, p, np.float32(beta), active, chunks)
            curvature = operator.apply(self.p, self.q)
            if not curvature > 0.0:
                break
            alpha = rz / curvature
            _update_solution(e, r, p, q, np.float32(alpha), partial, active, chunks)
            self.sizes.append(float(np.sqrt(partial.sum())))
            if self.sizes[-1] <= gain:
                break
            rz_before = rz
            rz = self.preconditioner.solve(self.r, self.z)
            beta = rz / rz_before
        _end(_rows(x), e, norm, active, chunks)
        return iterations


def _rows(pool: NDArray[Any]) -> NDArray[Any]:
    """The same pool as one row of values per tile."""
    return pool.reshape(len(pool), -1)


def norm(operator: Operator, b: Pool64) -> float:
    """2-norm over the unknowns."""
    partial = np.zeros(len(operator.active))
    _sum_squares(_rows(b), _rows(operator.diagonal), partial, operator.active, chunk_count())
    return float(np.sqrt(partial.sum()))


def _cleaned_residual(operator: Operator, x: Pool64, b: Pool64, r: Pool64, clean: Callable[[Pool64], None]) -> float:
    operator.residual(x, b, r)
    clean(r)
    return norm(operator, r)


def _worst(operator: Operator, r: Pool64, limit: float) -> float:
    """The largest residual of any unknown, if there is a limit for it."""
    if limit == np.inf:
        return 0.0
    largest = np.zeros(len(operator.active))
    _find_largest(_rows(r), _rows(operator.diagonal), largest, operator.active, chunk_count())
    return float(largest.max(initial=0.0))


@kernel
def _find_largest(r, diagonal, largest, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            r_tile, d_tile = r[tiles[i]], diagonal[tiles[i]]
            for m in range(len(r_tile)):
                if d_tile[m] > 0:
                    largest[i] = max(largest[i], abs(r_tile[m]))


@kernel
def _sum_squares(b, diagonal, partial, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            b_tile, d_tile = b[tiles[i]], diagonal[tiles[i]]
            total = 0.0
            for first in range(0, len(b_tile), _ROW):
                row = 0.0
                for m in range(first, first + _ROW):
                    row += b_tile[m] * b_tile[m] if d_tile[m] > 0 else 0.0
                total += row
            partial[i] = total


@kernel
def _scale(r, inverse, z, partial, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            r_tile, d_tile, z_tile = r[tiles[i]], inverse[tiles[i]], z[tiles[i]]
            dot = 0.0
            for first in range(0, len(r_tile), _ROW):
                row = np.float32(0)
                for m in range(first, first + _ROW):
                    value = r_tile[m] * d_tile[m]
                    z_tile[m] = value
                    row += r_tile[m] * value
                dot += np.float64(row)
            partial[i] = dot


@kernel
def _begin(r64, scale, r, e, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            source, r_tile, e_tile = r64[tiles[i]], r[tiles[i]], e[tiles[i]]
            for m in range(len(source)):
                r_tile[m] = np.float32(source[m] * scale)
                e_tile[m] = np.float32(0)


@kernel
def _end(x, e, scale, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            x_tile, e_tile = x[tiles[i]], e[tiles[i]]
            for m in range(len(x_tile)):
                x_tile[m] += scale * np.float64(e_tile[m])


@kernel
def _update_direction(z, p, beta, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            z_tile, p_tile = z[tiles[i]], p[tiles[i]]
            for m in range(len(z_tile)):
                p_tile[m] = z_tile[m] + beta * p_tile[m]


@kernel
def _update_solution(e, r, p, q, alpha, partial, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            e_tile, r_tile, p_tile, q_tile = e[tiles[i]], r[tiles[i]], p[tiles[i]], q[tiles[i]]
            square = 0.0
            for first in range(0, len(e_tile), _ROW):
                row = np.float32(0)
                for m in range(first, first + _ROW):
                    e_tile[m] += alpha * p_tile[m]
                    value = r_tile[m] - alpha * q_tile[m]
                    r_tile[m] = value
                    row += value * value
                square += np.float64(row)
            partial[i] = square
