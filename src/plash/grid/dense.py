"""Between tiles and plain boxes of numbers: for looking at fields, and for tests."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import TILE_SHAPES, Tiles


def tiles_over(first: tuple[int, ...], cells: tuple[int, ...]) -> Tiles:
    """All tiles that hold a cell of a box: `cells` cells along x, y[, z] from the cell `first`."""
    dimension = len(cells)
    size = TILE_SHAPES[dimension][2]
    ranges = [range(f // size, (f + n - 1) // size + 1) for f, n in zip(first, cells, strict=True)]
    ranges += [range(1)] * (3 - dimension)
    return Tiles.at(list(itertools.product(*ranges)), dimension)


def to_dense(pool: NDArray[Any], tiles: Tiles, first: tuple[int, ...], cells: tuple[int, ...]) -> NDArray[Any]:
    """The values of a box of cells as an array [x, y[, z]]; the background where there is no tile.

    Example:
        >>> tiles = tiles_over((0, 0), (4, 2))
        >>> pool = np.zeros((tiles.count + 1, *tiles.shape))
        >>> to_dense(pool, tiles, (0, 0), (4, 2)).shape
        (4, 2)
    """
    slot, place = _places(tiles, first, cells)
    return pool[slot, place[2], place[1], place[0]]


def from_dense(
    values: NDArray[Any], tiles: Tiles, first: tuple[int, ...] | None = None, background: Any = 0
) -> NDArray[Any]:
    """A pool that holds an array [x, y[, z]] from the cell `first` on, and the background elsewhere."""
    pool = np.full((tiles.count + 1, *tiles.shape), background, values.dtype)
    slot, place = _places(tiles, first or (0,) * values.ndim, values.shape)
    is_there = slot > 0
    pool[slot[is_there], place[2][is_there], place[1][is_there], place[0][is_there]] = values[is_there]
    return pool


def _places(
    tiles: Tiles, first: tuple[int, ...], cells: tuple[int, ...]
) -> tuple[NDArray[np.int32], list[NDArray[np.int64]]]:
    """Slot and place in the tile (x, y, z) of every cell of a box."""
    sizes = tiles.shape[::-1]
    ranges = [np.arange(f, f + n) for f, n in zip(first, cells, strict=True)]
    ranges += [np.zeros(1, np.int64)] * (3 - len(cells))
    coarse = np.meshgrid(*[r // size for r, size in zip(ranges, sizes, strict=True)], indexing="ij")
    fine = np.meshgrid(*[r % size for r, size in zip(ranges, sizes, strict=True)], indexing="ij")
    slot = tiles.slots_of_coordinates(np.stack(coarse, axis=-1)).reshape(cells)
    return slot, [f.reshape(cells) for f in fine]
