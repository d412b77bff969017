"""A level set made a signed distance: of a shape at the start, and again after it was carried along (Cline 10.5).

Redistancing solves |∇φ| = 1 to first order, and moves a curved surface inwards by a hundredth of a cell each time. So
with a scheme of higher order it only says about how far the surface is:

* Within three cells of the surface, φ is the distance to the nearest point on it (`levelset/nearest.py`): the surface
  stays. Where there is no such point within half a cell of where redistancing has it, the next rule holds.
* Cells that have a neighbour on the other side of the surface stay as they are, and so do those whose φ is within a
  tenth of a cell of the distance. All others take the distance.

Reference: Cline 10.5 and 10.8.1; Sethian 1996; Chopp 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.dense import tiles_over
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, face_step, home_of
from plash.grid.tiles import Shape, dimension_of
from plash.levelset.nearest import nearest_distance
from plash.levelset.redistance import redistance
from plash.levelset.sampling import NOWHERE, Where
from plash.levelset.smooth_sampling import SCRATCH
from plash.physics.level_set.band import BAND, in_its_tiles
from plash.physics.level_set.room import Room
from plash.timing import stage

EMPTY = Room()

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SLACK = 0.1  # cells by which a value may differ from the distance and stay
_CLOSE = 3.0  # cells from the surface, within which the nearest point on it is looked for
_DOUBTFUL = 0.5  # cells by which that may be farther or nearer than redistancing says


def level_set_of(distance: Distance, low: Sequence[float], high: Sequence[float], h: float) -> CellField:
    """The level set of all that lies in a box.

    Args:
        distance: Any function of points (n, d) in metres that is negative inside, as `levelset.shapes.distance`.
        low: Corner of the box in which the surface is looked for, m.
        high: The corner opposite to it, m.
        h: Cell size, m.
    """
    first = np.floor(np.asarray(low) / h).astype(int) - BAND
    cells = np.ceil(np.asarray(high) / h).astype(int) + BAND - first
    tiles = tiles_over(tuple(first.tolist()), tuple(cells.tolist()))
    phi = CellField.filled(tiles, np.float32(BAND * h))
    phi.pool[1:] = distance(tiles.cell_centres(tiles.slots, h)).reshape(-1, *tiles.shape)
    return mended_distance(phi, h)


@stage
def plain_distance(phi: CellField, h: float, room: Room = EMPTY) -> CellField:
    """The signed distance (m) to the surface of a level set, by redistancing, on the tiles that its band needs now."""
    phi = in_its_tiles(phi, h)
    distance = redistance(phi, BAND * h, h, room.closed(phi.tiles))
    room.complete(distance)
    return distance


@stage
def mended_distance(phi: CellField, h: float, room: Room = EMPTY) -> CellField:
    """The same, with a surface that moves as little as can be.

    Args:
        phi: The level set, m.
        h: Cell size, m.
        room: What is closed to it.
    """
    phi = in_its_tiles(phi, h)
    tiles, is_closed, is_unknown = phi.tiles, room.closed(phi.tiles), room.unknown(phi.tiles)
    distance = redistance(phi, BAND * h, h, is_closed)
    near = np.abs(phi.pool) < np.float32((BAND - 1) * h)
    near[0] = False
    if is_closed is not None:
        near &= ~is_closed
    looked_at = phi.pool if is_unknown is None else np.where(is_unknown, np.float32(np.nan), phi.pool)
    pools, where = _Pools(phi.pool, looked_at, distance.pool), Where(tiles.neighbours, tiles.keys)
    cells = np.flatnonzero(near)
    mended = np.empty(len(cells), np.float32)
    _mend(tiles.shape)(pools, where, tiles.origins, cells, h, mended, chunk_count())
    distance.pool.reshape(-1)[cells] = mended
    room.complete(distance)
    return distance


class _Pools(NamedTuple):
    """φ as it was, the same with what is no distance unknown, and as redistancing has it; m."""

    before: NDArray[np.float32]
    looked_at: NDArray[np.float32]
    after: NDArray[np.float32]


@inlined_plainly
def _is_beside_surface(pool, neighbours, t, x, y, z, BZ, BY, BX):
    """Whether a cell has a neighbour on the other side of the surface."""
    inside = pool[t, z, y, x] < 0
    found = False
    for way in range(6 if BZ > 1 else 4):
        dx, dy, dz = face_step(way)
        s, sx, sy, sz = home_of(neighbours, t, x + dx, y + dy, z + dz, BZ, BY, BX)
        found |= (pool[s, sz, sy, sx] < 0) != inside
    return found


@for_tile_shape
def _mend(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    SIZE = BZ * BY * BX

    @kernel
    def run(pools, where, origins, cells, h, mended, chunks):
        before, looked_at, after = pools
        flat = looked_at.reshape(-1)
        neighbours, _ = where
        slack, close, doubtful = np.float32(_SLACK * h), np.float32(_CLOSE * h), np.float32(_DOUBTFUL * h)
        for c in prange(chunks):
            room = np.zeros(SCRATCH), np.zeros(4), np.zeros(3), np.full(4, NOWHERE)
            place = np.zeros(3)
            for p in chunk_range(c, chunks, len(cells)):
                t, inner = cells[p] // SIZE, cells[p] % SIZE
                x, y, z = inner % BX, inner // BX % BY, inner // (BX * BY)
                own, new = before[t, z, y, x], after[t, z, y, x]
                stays = abs(own - new) < slack or _is_beside_surface(before, neighbours, t, x, y, z, BZ, BY, BX)
                mended[p] = own if stays else new
                # Beside the surface, where there is a nearest point on it
                if abs(new) < close:
                    place[0], place[1] = origins[t, 0] + x + 0.5, origins[t, 1] + y + 0.5
                    if DIM == 3:
                        place[2] = origins[t, 2] + z + 0.5
                    nearest = np.float32(nearest_distance(flat, where, place, h, room, BZ, BY, BX))
                    if abs(nearest - abs(new)) < doubtful:
                        mended[p] = -nearest if own < 0 else nearest

    return run
