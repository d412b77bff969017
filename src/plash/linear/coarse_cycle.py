"""Sweeps and V-cycles over the aggregates of the coarse levels.

Aggregates of even parity come first in each level, so a colour of a red-black sweep is one contiguous loop. The first
level is divided among threads; what is below it is done in one serial function, since starting threads would cost more.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.compile import inlined, kernel, serial_kernel


@inlined
def _relax(x, b, inverse, neighbours, weights, first, last):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        total = b[i]
        for k in range(neighbours.shape[1]):
            total += weights[i, k] * x[neighbours[i, k]]
        x[i] = total * inverse[i]


@kernel
def relax_parallel(x, b, inverse, neighbours, weights, first, last, chunks):  # type: ignore[no-untyped-def]
    """One colour of a Gauss-Seidel sweep over the aggregates first ... last-1 of one parity."""
    n = last - first
    for c in prange(chunks):
        _relax(x, b, inverse, neighbours, weights, first + c * n // chunks, first + (c + 1) * n // chunks)


@serial_kernel
def cycle_serial(  # type: ignore[no-untyped-def]
    level, starts, reds, x, b, diagonal, inverse, neighbours, weights, parent, sweeps, last_sweeps
):
    """A V-cycle from a level downwards and back: x about A⁻¹ b there. b of the coarser levels is overwritten."""
    bottom = len(starts) - 2
    for k in range(level, bottom + 1):
        first, middle, last = starts[k], starts[k] + reds[k], starts[k + 1]
        for i in range(first, last):
            x[i] = np.float32(0)
        for _ in range(last_sweeps if k == bottom else sweeps + 2 * k):
            _relax(x, b, inverse, neighbours, weights, first, middle)
            _relax(x, b, inverse, neighbours, weights, middle, last)
        if k < bottom:
            _restrict(x, b, diagonal, inverse, neighbours, weights, parent, first, last, starts[k + 2])
    for k in range(bottom, level - 1, -1):
        first, middle, last = starts[k], starts[k] + reds[k], starts[k + 1]
        if k < bottom:
            _prolong(x, inverse, parent, first, last)
        for _ in range(last_sweeps if k == bottom else sweeps + 2 * k):
            _relax(x, b, inverse, neighbours, weights, middle, last)
            _relax(x, b, inverse, neighbours, weights, first, middle)


@inlined
def _restrict(x, b, diagonal, inverse, neighbours, weights, parent, first, last, end):  # type: ignore[no-untyped-def]
    """Sum the residuals of the aggregates first ... last-1 into their parents last ... end-1."""
    for i in range(last, end):
        b[i] = np.float32(0)
    for i in range(first, last):
        if inverse[i] > 0:
            total = b[i] - diagonal[i] * x[i]
            for k in range(neighbours.shape[1]):
                total += weights[i, k] * x[neighbours[i, k]]
            b[parent[i]] += total


@inlined
def _prolong(x, inverse, parent, first, last):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        if inverse[i] > 0:
            x[i] += x[parent[i]]


@kernel
def residuals_parallel(x, b, diagonal, neighbours, weights, residuals, chunks):  # type: ignore[no-untyped-def]
    """Residuals of the aggregates of the first level."""
    n = len(residuals)
    for c in prange(chunks):
        for i in range(c * n // chunks, (c + 1) * n // chunks):
            total = b[i] - diagonal[i] * x[i]
            for k in range(neighbours.shape[1]):
                total += weights[i, k] * x[neighbours[i, k]]
            residuals[i] = total


@serial_kernel
def add_to_parents(residuals, b, inverse, parent, last, end):  # type: ignore[no-untyped-def]
    """Right-hand side of the next level, last ... end-1: the summed residuals of this one."""
    for i in range(last, end):
        b[i] = np.float32(0)
    for i in range(len(residuals)):
        if inverse[i] > 0:
            b[parent[i]] += residuals[i]


@serial_kernel
def prolong_level(x, inverse, parent, first, last):  # type: ignore[no-untyped-def]
    """Add the next level's correction to this one."""
    _prolong(x, inverse, parent, first, last)
