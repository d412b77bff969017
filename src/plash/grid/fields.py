"""Fields: numbers on cells or on faces, stored tile by tile.

Cell (i, j, k) spans [i h, (i+1) h] and so on. A cell field has its value at the centre, a face field one component
per axis on the cell's minimal faces (u on the x-face and so on), as in Cline's figure 1. Values outside every tile
are the field's background. An unknown velocity is NaN, never a silent zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_slice
from plash.grid.tiles import Tiles
from plash.grid.whole_arrays import copied
from plash.timing import stage

UNKNOWN = np.float32(np.nan)
_SIZE_BITS = np.uint32(0x7FFFFFFF)  # all of a number but its sign
_INFINITE_BITS = np.uint32(0x7F800000)  # what is above is no number


@dataclass(eq=False)
class CellField:
    """One value per cell.

    Attributes:
        tiles: Where the cells are.
        pool: Values [slot, z, y, x]; slot 0 holds the background.
    """

    tiles: Tiles
    pool: NDArray[Any]

    @staticmethod
    def filled(tiles: Tiles, background: Any, dtype: type = np.float32) -> CellField:
        """A field that is equal to its background everywhere."""
        return CellField(tiles, np.full((tiles.count + 1, *tiles.shape), background, dtype))

    def moved_to(self, tiles: Tiles) -> CellField:
        """The same field on another set of tiles: values are kept where both exist, background elsewhere."""
        return CellField(tiles, _moved(self.pool, self.tiles, tiles))


@dataclass(eq=False)
class FaceField:
    """One component per axis on minimal faces.

    Attributes:
        tiles: Where the cells are.
        pool: Values [axis, slot, z, y, x], axis in order x, y[, z]; slot 0 holds the background.
    """

    tiles: Tiles
    pool: NDArray[Any]

    @staticmethod
    def filled(tiles: Tiles, background: Any = UNKNOWN, dtype: type = np.float32) -> FaceField:
        """A field that is equal to its background everywhere: unknown, if not said otherwise."""
        return FaceField(tiles, np.full((tiles.dimension, tiles.count + 1, *tiles.shape), background, dtype))

    def moved_to(self, tiles: Tiles) -> FaceField:
        """The same field on another set of tiles: values are kept where both exist, background elsewhere."""
        return FaceField(tiles, np.stack([_moved(pool, self.tiles, tiles) for pool in self.pool]))

    def copy(self) -> FaceField:
        """The same values, independent of this field."""
        return FaceField(self.tiles, copied(self.pool))


@stage
def fastest(components: NDArray[np.float32]) -> NDArray[np.float64]:
    """Largest size of each component (first axis), leaving out what is not known; infinity if one is infinite."""
    rows = components.reshape(len(components), -1)
    chunks = chunk_count()
    partial = np.zeros((chunks, len(rows)), np.uint32)
    _find_fastest(rows.view(np.uint32), partial, chunks)
    highest: NDArray[np.float64] = partial.max(axis=0).view(np.float32).astype(np.float64)
    return highest


@kernel
def _find_fastest(rows, partial, chunks):
    # Sizes are in the order of their bits; the highest of whole numbers is found many at a time
    n = rows.shape[1]
    for c in prange(chunks):
        for axis in range(len(rows)):
            part = rows[axis, chunk_slice(c, chunks, n)]
            highest = np.uint32(0)
            for m in range(len(part)):
                size = part[m] & _SIZE_BITS
                highest = max(highest, size if size <= _INFINITE_BITS else np.uint32(0))
            partial[c, axis] = highest


def _moved(pool: NDArray[Any], old: Tiles, new: Tiles) -> NDArray[Any]:
    if old is new:
        return pool.copy()
    moved = pool[np.concatenate([[0], old.slots_of(new.keys)])]
    return np.ascontiguousarray(moved)
