"""Sweeps and V-cycles over the aggregates of the coarse levels.

Aggregates of even parity come first in each level, so a colour of a red-black sweep is one contiguous loop. The first
level is divided among threads; what is below it is done in one serial function, since starting threads would cost more.
Indices are unsigned, and neighbours written out one by one: a sweep takes less than half the time of a loop over them.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.compile import inlined_plainly, kernel, serial_kernel
from plash.grid.loops import chunk_range


@inlined_plainly
def _plus_neighbours(total, x, neighbours, weights, i):
    total += weights[i, 0] * x[np.uint32(neighbours[i, 0])]
    total += weights[i, 1] * x[np.uint32(neighbours[i, 1])]
    total += weights[i, 2] * x[np.uint32(neighbours[i, 2])]
    total += weights[i, 3] * x[np.uint32(neighbours[i, 3])]
    if neighbours.shape[1] == 6:
        total += weights[i, 4] * x[np.uint32(neighbours[i, 4])]
        total += weights[i, 5] * x[np.uint32(neighbours[i, 5])]
    return total


@inlined_plainly
def _relax(x, b, inverse, neighbours, weights, first, last):
    for i in range(np.uint64(first), np.uint64(last)):
        x[i] = _plus_neighbours(b[i], x, neighbours, weights, i) * inverse[i]


@kernel
def relax_parallel(x, b, inverse, neighbours, weights, first, last, chunks):
    """One colour of a Gauss-Seidel sweep over the aggregates first ... last-1 of one parity."""
    n = last - first
    for c in prange(chunks):
        part = chunk_range(c, chunks, n)
        _relax(x, b, inverse, neighbours, weights, first + part.start, first + part.stop)


@serial_kernel
def cycle_serial(level, aggregates, x, b, sweeps, last_sweeps):
    """A V-cycle from a level downwards and back: x about A⁻¹ b there. b of the coarser levels is overwritten."""
    starts, reds, _, neighbours, weights, _, inverse, parent = aggregates
    bottom = len(starts) - 2
    for k in range(level, bottom + 1):
        first, middle, last = starts[k], starts[k] + reds[k], starts[k + 1]
        for i in range(first, last):
            x[i] = np.float32(0)
        for _ in range(last_sweeps if k == bottom else sweeps + 2 * k):
            _relax(x, b, inverse, neighbours, weights, first, middle)
            _relax(x, b, inverse, neighbours, weights, middle, last)
        if k < bottom:
            _restrict(aggregates, x, b, first, last, starts[k + 2])
    for k in range(bottom, level - 1, -1):
        first, middle, last = starts[k], starts[k] + reds[k], starts[k + 1]
        if k < bottom:
            _prolong(x, inverse, parent, first, last)
        for _ in range(last_sweeps if k == bottom else sweeps + 2 * k):
            _relax(x, b, inverse, neighbours, weights, middle, last)
            _relax(x, b, inverse, neighbours, weights, first, middle)


@inlined_plainly
def _restrict(aggregates, x, b, first, last, end):
    """Sum the residuals of the aggregates first ... last-1 into their parents last ... end-1."""
    _, _, _, neighbours, weights, diagonal, inverse, parent = aggregates
    for i in range(last, end):
        b[i] = np.float32(0)
    for i in range(np.uint64(first), np.uint64(last)):
        if inverse[i] > 0:
            b[np.uint32(parent[i])] += _plus_neighbours(b[i] - diagonal[i] * x[i], x, neighbours, weights, i)


@inlined_plainly
def _prolong(x, inverse, parent, first, last):
    for i in range(np.uint64(first), np.uint64(last)):
        if inverse[i] > 0:
            x[i] += x[np.uint32(parent[i])]


@kernel
def residuals_parallel(x, b, diagonal, neighbours, weights, residuals, chunks):
    """Residuals of the aggregates of the first level."""
    n = len(residuals)
    for c in prange(chunks):
        part = chunk_range(c, chunks, n)
        for i in range(np.uint64(part.start), np.uint64(part.stop)):
            residuals[i] = _plus_neighbours(b[i] - diagonal[i] * x[i], x, neighbours, weights, i)


@serial_kernel
def add_to_parents(residuals, b, inverse, parent, last, end):
    """Right-hand side of the next level, last ... end-1: the summed residuals of this one."""
    for i in range(last, end):
        b[i] = np.float32(0)
    for i in range(len(residuals)):
        if inverse[i] > 0:
            b[np.uint32(parent[i])] += residuals[i]


@serial_kernel
def prolong_level(x, inverse, parent, first, last):
    """Add the next level's correction to this one."""
    _prolong(x, inverse, parent, first, last)
