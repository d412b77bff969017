"""Distances to a surface φ = 0 of high order: the nearest point on it is looked for, through φ between samples.

The nearest point y to a place x has φ(y) = 0, and x - y is parallel to ∇φ(y). Each look at φ takes both further:

    y += -φ ∇φ/|∇φ|² + (x - y) - ((x - y)·n) n ,    n = ∇φ/|∇φ| .

Where the surface is smooth it does not move. Where it turns within a cell or two, as at edges and in thin sheets, there
may be no such point, and nothing is told.

Reference: Chopp 2001.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range
from plash.grid.tiles import Shape
from plash.levelset.sampling import NOWHERE, Where
from plash.levelset.smooth_sampling import SCRATCH, look
from plash.timing import stage

_LOOKS = 12
_FOUND = 1e-2  # cells: a look that leads no farther is the last, and each leaves the square of what it found
_LONGEST = 0.7  # cells that a look may lead, but for the first: φ is about a distance
_FIRST = 3.0
_FLAT = 0.1  # a slope of φ below which nothing is told


@stage
def nearest_distances(
    phi: CellField, places: NDArray[np.float64], h: float, is_unknown: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Distances (m) of places (n, d) in cells from the surface of a level set; NaN where no nearest point is found.

    Args:
        phi: Of cell centres, m.
        places: In cells.
        h: Cell size, m.
        is_unknown: Cells in which φ is no distance: no point is found beside them.
    """
    pool, tiles = phi.pool, phi.tiles
    if is_unknown is not None:
        pool = np.where(is_unknown, np.float32(np.nan), pool)
    result = np.empty(len(places), np.float32)
    where = Where(tiles.neighbours, tiles.keys)
    _nearest(tiles.shape)(pool.reshape(-1), where, np.ascontiguousarray(places), h, result, chunk_count())
    return result


@inlined_plainly
def nearest_distance(flat, where, x, h, room, BZ, BY, BX):
    """Distance of a place x in cells from the surface, m; NaN if no nearest point is found."""
    scratch, found, y, home = room
    DIM = 3 if BZ > 1 else 2
    for a in range(DIM):
        y[a] = x[a]
    longest = _FIRST
    for _ in range(_LOOKS):
        look(flat, where, home, y, h, (scratch, found), True, BZ, BY, BX)
        square, along, size, away = 0.0, 0.0, 0.0, 0.0
        for a in range(DIM):
            square += found[a + 1] * found[a + 1]
            along += (x[a] - y[a]) * found[a + 1]
        # A value that is not known ends it too
        if not square > (_FLAT * h) ** 2:
            break
        for a in range(DIM):
            found[a + 1] = x[a] - y[a] - (found[0] + along) / square * found[a + 1]
            size += found[a + 1] * found[a + 1]
        size = np.sqrt(size)
        for a in range(DIM):
            y[a] += min(1.0, longest / max(size, _FOUND)) * found[a + 1]
            away += (x[a] - y[a]) ** 2
        longest = _LONGEST
        if size < _FOUND:
            return h * np.sqrt(away)
    return np.nan


@for_tile_shape
def _nearest(shape: Shape) -> Kernel:
    BZ, BY, BX = shape

    @kernel
    def run(flat, where, places, h, result, chunks):
        for c in prange(chunks):
            room = np.zeros(SCRATCH), np.zeros(4), np.zeros(3), np.full(4, NOWHERE)
            for p in chunk_range(c, chunks, len(places)):
                result[p] = nearest_distance(flat, where, places[p], h, room, BZ, BY, BX)

    return run
