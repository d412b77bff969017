"""A level set between the centres of cells, linear: 2^d samples round a point with Cline's weights α and 1 - α.

Reference: Cline equations 32 to 35; Enright et al. 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.errors import DivergedError
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, corner_step, home_of
from plash.grid.tiles import FURTHEST, Shape, Tiles, dimension_of, find_slot, pack_one


class Where(NamedTuple):
    """Neighbours of each slot, and packed coordinates of tiles."""

    neighbours: NDArray[np.int32]
    keys: NDArray[np.int64]


def refuse_far(places: NDArray[np.float64], tiles: Tiles) -> None:
    """Refuse places (n, d) in cells that are not finite, or farther away than tiles can be.

    Raises:
        DivergedError: One is.
    """
    if not bool(np.all(np.abs(places) < FURTHEST * tiles.shape[2])):
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
    _sample(tiles.shape)(phi.pool, where, np.ascontiguousarray(places), result, chunk_count())
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


@for_tile_shape
def _sample(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

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
                x, y, z = x - i, y - j, z - k
                if i // BX != tile_x or j // BY != tile_y or k // BZ != tile_z:
                    tile_x, tile_y, tile_z = i // BX, j // BY, k // BZ
                    t = find_slot(keys, pack_one(tile_x, tile_y, tile_z))
                i -= tile_x * BX
                j -= tile_y * BY
                k -= tile_z * BZ
                total = 0.0
                for corner in range(1 << DIM):
                    dx, dy, dz = corner_step(corner)
                    s, sx, sy, sz = home_of(neighbours, t, i + dx, j + dy, k + dz, BZ, BY, BX)
                    weight = (x if dx else 1 - x) * (y if dy else 1 - y) * (z if dz else 1 - z)
                    total += weight * np.float64(pool[s, sz, sy, sx])
                result[p] = total

    return run
