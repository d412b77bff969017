"""Sparse tiles: where cells exist.

Space is divided into tiles of 8×8×8 cells (1×16×16 in 2-D), and only tiles near the liquid exist. A field is a pool
[slots, BZ, BY, BX] with one block of values per tile, x contiguous. Slot 0 is no tile: it holds the field's
background value and stands for every absent neighbour, so that kernels need no branch for it. The other slots are
in order of the tile's coordinates (z, then y, then x), which fixes the order of every loop and so every bit of
every result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.errors import DivergedError
from plash.grid.compile import chunk_count, inlined, kernel
from plash.grid.loops import CENTRE, chunk_range, neighbour_number

TILE_SHAPES = {2: (1, 16, 16), 3: (8, 8, 8)}

_BITS = 21  # of each tile coordinate in a key
_BIAS = 1 << (_BITS - 1)
FURTHEST = _BIAS - 1  # tiles from the origin that a key can hold, along each axis

Shape = tuple[int, int, int]

# Some cells: their slots, z, y and x, one array each; an index into pools of cells
Places = tuple[NDArray[np.int64], ...]


@dataclass(frozen=True, eq=False)
class Tiles:
    """The tiles that exist, in sorted order, and who is whose neighbour.

    Attributes:
        shape: Cells of a tile along (z, y, x).
        keys: Packed coordinates of slots 1, 2, ..., ascending.
        coordinates: Tile coordinates (x, y, z) by slot; row 0 is unused.
        neighbours: Slot of the neighbour at (dz+1)·9 + (dy+1)·3 + (dx+1); 0 where there is none.

    Example:
        >>> tiles = Tiles.at([[0, 0, 0], [1, 0, 0]], dimension=3)
        >>> tiles.count, tiles.neighbours[1, 14]
        (2, np.int32(2))
    """

    shape: Shape
    keys: NDArray[np.int64]
    coordinates: NDArray[np.int32]
    neighbours: NDArray[np.int32]

    @staticmethod
    def at(coordinates: object, dimension: int) -> Tiles:
        """Tiles at the given tile coordinates (n, 3) in order x, y, z; repetitions are dropped."""
        return Tiles.of_keys(np.unique(pack(np.asarray(coordinates, np.int64).reshape(-1, 3))), dimension)

    @staticmethod
    def of_keys(keys: NDArray[np.int64], dimension: int) -> Tiles:
        """Tiles with the given sorted, distinct keys."""
        coordinates = np.zeros((len(keys) + 1, 3), np.int32)
        coordinates[1:] = unpack(keys)
        neighbours = np.zeros((len(keys) + 1, 27), np.int32)
        _find_neighbours(keys, neighbours, dimension, chunk_count())
        return Tiles(TILE_SHAPES[dimension], keys, coordinates, neighbours)

    @property
    def count(self) -> int:
        """How many tiles exist."""
        return len(self.keys)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return dimension_of(self.shape)

    @cached_property
    def origins(self) -> NDArray[np.int32]:
        """First cell (x, y, z) of the tile in each slot; row 0 is unused."""
        return self.coordinates * np.array(self.shape[::-1], np.int32)

    @cached_property
    def slots(self) -> NDArray[np.int32]:
        """Every slot that is a tile."""
        return np.arange(1, self.count + 1, dtype=np.int32)

    @cached_property
    def colours(self) -> tuple[NDArray[np.int32], ...]:
        """Slots by the parity of their coordinates: tiles of one colour touch no tile of the same colour."""
        x, y, z = (self.coordinates[1:, axis] & 1 for axis in range(3))
        colour = (4 * z + 2 * y + x).astype(np.int8)
        return tuple(np.flatnonzero(colour == c).astype(np.int32) + np.int32(1) for c in range(2**self.dimension))

    def slots_of(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Slots of the tiles with these keys; 0 where there is none."""
        if self.count == 0:
            return np.zeros(keys.shape, np.int32)
        place = np.minimum(np.searchsorted(self.keys, keys), self.count - 1)
        return np.where(self.keys[place] == keys, place + 1, 0).astype(np.int32)

    def slots_of_coordinates(self, coordinates: NDArray[np.int64]) -> NDArray[np.int32]:
        """Slots of the tiles at these tile coordinates (..., 3); 0 where there is none."""
        return self.slots_of(pack(coordinates))

    def beside(self, places: Places, axis: int, step: int) -> Places:
        """The cells one further (step 1) or one back (step -1) along an axis; in slot 0 if their tile is absent."""
        slot, *within = places
        size = self.shape[2 - axis]
        moved = within[2 - axis] + step
        neighbour = self.neighbours[slot, CENTRE + step * 3**axis]
        within[2 - axis] = moved % size
        return (np.where((moved < 0) | (moved == size), neighbour, slot), *within)

    def cell_centres(self, slots: NDArray[np.int32], h: float) -> NDArray[np.float64]:
        """Positions (m) of the cell centres of some tiles, shape (slots·BZ·BY·BX, dimension)."""
        BZ, BY, BX = self.shape
        z, y, x = np.meshgrid(np.arange(BZ), np.arange(BY), np.arange(BX), indexing="ij")
        local = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
        cells = self.origins[slots].astype(np.int64)[:, None, :] + local[None]
        return (cells.reshape(-1, 3)[:, : self.dimension].astype(np.float64) + 0.5) * h


def dimension_of(shape: Shape) -> int:
    """2 for flat tiles, else 3."""
    return 2 if shape[0] == 1 else 3


def pack(coordinates: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys of tile coordinates (..., 3); ascending keys are in order of z, then y, then x."""
    if coordinates.size and int(np.abs(coordinates).max()) > FURTHEST:
        raise DivergedError(
            f"liquid reached tile {int(np.abs(coordinates).max())}, beyond the {_BIAS} tiles either side of the origin "
            "that coordinates can hold; close the domain's sides, or use fewer frames"
        )
    x, y, z = (coordinates[..., axis] + _BIAS for axis in range(3))
    packed: NDArray[np.int64] = (z << (2 * _BITS)) | (y << _BITS) | x
    return packed


def unpack(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Tile coordinates (..., 3) of keys."""
    mask = (1 << _BITS) - 1
    return np.stack([((keys >> shift) & mask) - _BIAS for shift in (0, _BITS, 2 * _BITS)], axis=-1)


def widened(keys: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys shifted by tile offsets (..., 3)."""
    return pack(unpack(keys) + offsets)


@inlined
def pack_one(x, y, z):
    """Key of one tile by its coordinates, which must be in range."""
    return ((z + _BIAS) << (2 * _BITS)) | ((y + _BIAS) << _BITS) | (x + _BIAS)


@inlined
def lower_bound(keys, key):
    """First index whose key is not below the given one."""
    low = 0
    high = len(keys)
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def find_slot(keys, key):
    """Slot of the tile with this key, or 0."""
    i = lower_bound(keys, key)
    if i < len(keys) and keys[i] == key:
        return i + 1
    return 0


@kernel
def _find_neighbours(keys, neighbours, dimension, chunks):
    n = len(keys)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            for dz in range(-1, 2):
                for dy in range(-1, 2):
                    if dimension == 2 and dz != 0:
                        continue
                    # x neighbours stand side by side in the order of keys: one search finds all three
                    first = keys[i] + (dz << (2 * _BITS)) + (dy << _BITS) - 1
                    j = lower_bound(keys, first)
                    for dx in range(3):
                        if j < n and keys[j] == first + dx:
                            neighbours[i + 1, neighbour_number(dx - 1, dy, dz)] = j + 1
                            j += 1
