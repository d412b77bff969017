"""A level set between the centres of cells: linear (Cline equations 33 to 35), or cubic.

The linear form takes the 2^d samples round a point with the weights α and 1 - α of Cline along each axis. The cubic one
takes 4^d samples with the weights of the polynomial through four of them along each axis, and is kept between the 2^d
nearest ones: a kink makes no ripples.

Reference: Cline equations 32 to 35; Enright et al. 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.errors import DivergedError
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, home_of
from plash.grid.tiles import FURTHEST, Shape, dimension_of, find_slot, pack_one

LINEAR, CUBIC = 2, 4  # samples along each axis


def sampled(phi: CellField, places: NDArray[np.float64], samples: int = LINEAR) -> NDArray[np.float64]:
    """The values of a level set at places (n, d) in cells; the background where no tile is near.

    Args:
        phi: Of cell centres, in any unit.
        places: In cells: the centre of the first cell is at 1/2.
        samples: Along each axis, `LINEAR` or `CUBIC`.

    Raises:
        DivergedError: A place is not finite, or farther away than tiles can be.
    """
    tiles = phi.tiles
    reach = FURTHEST * tiles.shape[2]
    if not bool(np.all(np.abs(places) < reach)):
        raise DivergedError("the surface is carried to a place that is not finite, or beyond all tiles")
    result = np.empty(len(places))
    where = _Where(tiles.neighbours, tiles.keys)
    _sample(tiles.shape, samples)(phi.pool, where, np.ascontiguousarray(places), result, chunk_count())
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


class _Where(NamedTuple):
    """Neighbours of each slot, and packed coordinates of tiles."""

    neighbours: NDArray[np.int32]
    keys: NDArray[np.int64]


@inlined
def _weight(number, share, SAMPLES):
    """Weight of a sample in the polynomial through all along an axis; the second is the one before the point."""
    if SAMPLES == 2:
        return share if number == 1 else 1 - share
    if number == 0:
        return -share * (share - 1) * (share - 2) / 6
    if number == 1:
        return (share + 1) * (share - 1) * (share - 2) / 2
    if number == 2:
        return -share * (share + 1) * (share - 2) / 2
    return share * (share + 1) * (share - 1) / 6


@for_tile_shape
def _sample(shape: Shape, samples: int) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    SAMPLES = samples
    BEFORE = samples // 2 - 1
    DEPTH = samples if DIM == 3 else 1

    @kernel
    def run(pool, where, places, result, chunks):
        neighbours, keys = where
        n = len(places)
        for c in prange(chunks):
            # Points that follow one another are mostly in one tile: it is searched for once
            t, tile_x, tile_y, tile_z = 0, 1 << 30, 0, 0
            for p in chunk_range(c, chunks, n):
                x = places[p, 0] - 0.5
                y = places[p, 1] - 0.5
                z = places[p, 2] - 0.5 if DIM == 3 else 0.0
                i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
                fx, fy, fz = x - i, y - j, z - k
                if i // BX != tile_x or j // BY != tile_y or k // BZ != tile_z:
                    tile_x, tile_y, tile_z = i // BX, j // BY, k // BZ
                    t = find_slot(keys, pack_one(tile_x, tile_y, tile_z))
                i -= tile_x * BX + BEFORE
                j -= tile_y * BY + BEFORE
                k -= tile_z * BZ + (BEFORE if DIM == 3 else 0)
                total = 0.0
                low, high = np.inf, -np.inf
                for c3 in range(DEPTH):
                    wz = _weight(c3, fz, SAMPLES) if DIM == 3 else 1.0
                    for b in range(SAMPLES):
                        wy = wz * _weight(b, fy, SAMPLES)
                        for a in range(SAMPLES):
                            s, sx, sy, sz = home_of(neighbours, t, i + a, j + b, k + c3, BZ, BY, BX)
                            value = np.float64(pool[s, sz, sy, sx])
                            total += wy * _weight(a, fx, SAMPLES) * value
                            if SAMPLES == 4:
                                is_near = (a == 1 or a == 2) and (b == 1 or b == 2)
                                if is_near and (DIM == 2 or c3 == 1 or c3 == 2):
                                    low, high = min(low, value), max(high, value)
                if SAMPLES == 4:
                    total = min(max(total, low), high)
                result[p] = total

    return run
