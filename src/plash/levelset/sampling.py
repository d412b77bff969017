"""A level set between the centres of cells, linear: 2^d samples round a point with Cline's weights α and 1 - α.

Reference: Cline equations 32 to 35; Enright et al. 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.errors import DivergedError
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_numbers, chunk_range, corner_step, neighbour_number, tile_beside
from plash.grid.sample import corner_weight
from plash.grid.tiles import FURTHEST, Shape, Tiles, dimension_of, find_slot, pack_one

NOWHERE = 1 << 30  # the coordinate of no tile


class Where(NamedTuple):
    """Neighbours of each slot, and packed coordinates of tiles."""

    neighbours: NDArray[np.int32]
    keys: NDArray[np.int64]


def refuse_far(places: NDArray[np.float64], tiles: Tiles) -> None:
    """Refuse places (n, d) in cells that are not finite, or farther away than tiles can be.

    Raises:
        DivergedError: One is.
    """
    if not _are_within(np.ravel(places), float(FURTHEST * tiles.shape[2]), chunk_count()):
        raise DivergedError("the surface is carried to a place that is not finite, or beyond all tiles")


def sampled(phi: CellField, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of a level set at places (n, d) in cells; the background where no tile is near.

    Args:
        phi: Of cell centres, in any unit.
        places: In cells: the centre of the first cell is at 1/2.

    Raises:
        DivergedError: A place is not finite, or farther away than tiles can be.
    """
    tiles = phi.tiles
    refuse_far(places, tiles)
    result = np.empty(len(places))
    where = Where(tiles.neighbours, tiles.keys)
    _sample(tiles.shape)(phi.pool.reshape(-1), where, np.ascontiguousarray(places), result, chunk_count())
    return result


def normals(phi: CellField, places: NDArray[np.float64], h: float) -> NDArray[np.float64]:
    """Unit normals ∇φ/|∇φ| at places (n, d) in cells, by differences over a cell; zero where φ is flat."""
    gradient = np.empty(places.shape)
    for axis in range(places.shape[1]):
        step = 0.5 * np.eye(places.shape[1])[axis]
        gradient[:, axis] = (sampled(phi, places + step) - sampled(phi, places - step)) / h
    size = np.sqrt((gradient * gradient).sum(axis=1, keepdims=True))
    unit: NDArray[np.float64] = gradient / np.maximum(size, 1e-12)
    return unit


def marked_at(is_marked: NDArray[np.bool_], tiles: Tiles, places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the cells are marked that places (n, d) in cells are in; as in slot 0 where no tile is."""
    refuse_far(places, tiles)
    result = np.empty(len(places), np.bool_)
    where = Where(tiles.neighbours, tiles.keys)
    _find_marks(tiles.shape)(is_marked, where, np.ascontiguousarray(places), result, chunk_count())
    return result


@kernel
def _are_within(values, most, chunks):
    beyond = 0
    for c in prange(chunks):
        own = 0
        for m in chunk_numbers(c, chunks, len(values)):
            own += not abs(values[m]) < most
        beyond += own
    return beyond == 0


@inlined_plainly
def cell_of(where, home, x, y, z, BZ, BY, BX):
    """Slot and place in its tile of the cell that a place in cells is in.

    The tile of the last one, its coordinates and its slot, is kept in `home`: points that follow one another are mostly
    in one tile, or in the next, and only others are searched for.
    """
    i, j = int(np.floor(x)), int(np.floor(y))
    k = int(np.floor(z)) if BZ > 1 else 0
    tile_x, tile_y, tile_z = i // BX, j // BY, k // BZ
    dx, dy, dz = tile_x - home[0], tile_y - home[1], tile_z - home[2]
    if dx != 0 or dy != 0 or dz != 0:
        home[0], home[1], home[2] = tile_x, tile_y, tile_z
        if home[3] > 0 and abs(dx) <= 1 and abs(dy) <= 1 and abs(dz) <= 1:
            home[3] = where.neighbours[home[3], neighbour_number(dx, dy, dz)]
        else:
            home[3] = find_slot(where.keys, pack_one(tile_x, tile_y, tile_z))
    return home[3], i - tile_x * BX, j - tile_y * BY, k - tile_z * BZ


@inlined_plainly
def around(x, first, SIZE):
    """The two samples of a line that a coordinate lies between, counted from a tile whose first one is given.

    Returns:
        Of each how many tiles further it is (-1, 0 or 1) and its place there; and how far the coordinate is beyond the
        first of both.
    """
    low = np.floor(x)
    i = int(low) - first
    beside, i_low = tile_beside(i, SIZE)
    beyond, i_high = tile_beside(i + 1, SIZE)
    return beside, i_low, beyond, i_high, x - low


@inlined_plainly
def corner_index(tiles, along_x, along_y, along_z, corner, BZ, BY, BX):
    """Where a corner stands in a flat pool, by the neighbours of a tile and what is `around` a place; unsigned."""
    a, b, c = corner_step(corner)
    sx, x = (along_x[2], along_x[3]) if a else (along_x[0], along_x[1])
    sy, y = (along_y[2], along_y[3]) if b else (along_y[0], along_y[1])
    sz, z = (along_z[2], along_z[3]) if c else (along_z[0], along_z[1])
    slot = np.int64(tiles[np.uint64(neighbour_number(sx, sy, sz))])
    return np.uint64(((slot * BZ + z) * BY + y) * BX + x)


@inlined_plainly
def between_centres(flat, where, home, place, BZ, BY, BX):
    """Linear interpolation between cell centres at a place in cells, in a flat pool."""
    SPACE = BZ > 1
    x, y = place[0] - 0.5, place[1] - 0.5
    z = place[2] - 0.5 if SPACE else 0.0
    t, _, _, _ = cell_of(where, home, place[0], place[1], place[2], BZ, BY, BX)
    if t == 0:
        # Tiles beside it may be there
        t, _, _, _ = cell_of(where, home, x, y, z, BZ, BY, BX)
    along_x, along_y = around(x, home[0] * BX, BX), around(y, home[1] * BY, BY)
    along_z = around(z, home[2] * BZ, BZ) if SPACE else (0, 0, 0, 0, 0.0)
    fx, fy, fz = along_x[4], along_y[4], along_z[4]
    tiles = where.neighbours[np.uint64(t)]
    total = 0.0
    for corner in range(8 if SPACE else 4):
        weight = corner_weight(corner, fx, fy, fz, not SPACE)
        total += weight * np.float64(flat[corner_index(tiles, along_x, along_y, along_z, corner, BZ, BY, BX)])
    return total


@for_tile_shape
def _find_marks(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(is_marked, where, places, result, chunks):
        for c in prange(chunks):
            home = np.full(4, NOWHERE)
            for p in chunk_range(c, chunks, len(places)):
                z = places[p, 2] if DIM == 3 else 0.0
                t, i, j, k = cell_of(where, home, places[p, 0], places[p, 1], z, BZ, BY, BX)
                result[p] = is_marked[t, k, j, i]

    return run


@for_tile_shape
def _sample(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(flat, where, places, result, chunks):
        for c in prange(chunks):
            home, place = np.full(4, NOWHERE), np.zeros(3)
            for p in chunk_range(c, chunks, len(places)):
                for a in range(DIM):
                    place[a] = places[p, a]
                result[p] = between_centres(flat, where, home, place, BZ, BY, BX)

    return run
