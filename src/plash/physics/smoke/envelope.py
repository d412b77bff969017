"""Where smoke is followed: the tiles near it, and no others (Cline section 9.1).

A cell holds smoke if a field is larger than a threshold, either way,, or if a source acts there. Tiles
with a cell within the buffer of such a cell make the *envelope*: air in it has a pressure and a velocity that evolves.
Outside p is given, so the border of the envelope is open (equation 24), and the air there moves with the wind. Tiles
come and go whole. The *rim* beside the envelope holds the far faces of its outermost cells, and walls beyond closed
sides; it has no unknowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.cells import Cells, label_cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range
from plash.grid.tiles import TILE_SHAPES, Tiles, pack, unpack
from plash.physics.solids.base import Solids
from plash.physics.solids.domain_box import CLOSED, OPEN, UNBOUNDED, DomainBox
from plash.timing import stage

_FURTHEST = 1 << 19  # tiles from the origin at which smoke in an unbounded domain is given up

_ENDLESS = 1 << 16  # cells from the origin at which a shape counts as without end

CellBox = tuple[NDArray[np.int64], NDArray[np.int64]]  # first and last cell by axis


@dataclass(frozen=True, eq=False)
class Envelope:
    """The tiles that exist.

    Attributes:
        tiles: Those of the envelope, and its rim.
        is_inside: By slot, whether a tile is in the envelope itself.
    """

    tiles: Tiles
    is_inside: NDArray[np.bool_]

    @staticmethod
    def nothing(dimension: int) -> Envelope:
        """No tile at all."""
        return Envelope(Tiles.at([], dimension), np.zeros(1, np.bool_))

    @staticmethod
    def of_keys(inside: NDArray[np.int64], box: DomainBox) -> Envelope:
        """The envelope of tiles with these sorted keys, and its rim."""
        dimension = len(box.cells)
        coordinates = unpack(inside)
        rim = [coordinates]
        for axis in range(dimension):
            step = np.eye(3, dtype=np.int64)[axis]
            rim.append(coordinates + step)
            if box.sides[axis][0] == CLOSED:
                rim.append(coordinates[coordinates[:, axis] == 0] - step)
        tiles = Tiles.at(np.concatenate(rim), dimension)
        is_inside = np.zeros(tiles.count + 1, np.bool_)
        is_inside[tiles.slots_of(inside)] = True
        return Envelope(tiles, is_inside)

    @property
    def keys(self) -> NDArray[np.int64]:
        """Keys of the tiles in the envelope, in order."""
        return self.tiles.keys[self.is_inside[1:]]

    def followed(
        self,
        scalars: NDArray[np.float32],
        thresholds: NDArray[np.float32],
        buffer: int,
        places: Sequence[CellBox],
        box: DomainBox,
    ) -> NDArray[np.int64]:
        """Keys of the tiles of the domain within so many cells of smoke, and of boxes of cells that count as smoke.

        Args:
            scalars: Fields [field, slot, z, y, x], which are zero far away.
            thresholds: Which size of each counts as smoke.
            buffer: In cells; no more than a tile has.
            places: Boxes that sources act in.
            box: The domain.
        """
        tiles = self.tiles
        bounds = np.empty((tiles.count, 3, 2), np.int8)
        _find_bounds(scalars, thresholds, bounds, chunk_count())
        sizes = np.array(tiles.shape[::-1])
        holds = bounds[:, 0, 1] >= 0
        coordinates, first, last = (
            tiles.coordinates[1:][holds].astype(np.int64),
            bounds[holds, :, 0],
            bounds[holds, :, 1],
        )
        reaches = {-1: first - buffer < 0, 0: np.ones_like(first, np.bool_), 1: last + buffer >= sizes}
        found = []
        for step in product((-1, 0, 1), repeat=tiles.dimension):
            needed = np.logical_and.reduce([reaches[way][:, axis] for axis, way in enumerate(step)])
            found.append(coordinates[needed] + np.array([*step, *(0,) * (3 - len(step))]))
        found += [_tiles_of(*_clipped(place, buffer, box), tiles.dimension) for place in places]
        return np.asarray(np.unique(pack(_in_domain(np.concatenate(found), box))), np.int64)

    @stage
    def label(self, solids: Solids) -> Cells:
        """What each cell is: solid, air that is followed (which counts as liquid), or air beyond."""
        tiles, box = self.tiles, solids.box
        followed = np.broadcast_to(self.is_inside[:, None, None, None], (tiles.count + 1, *tiles.shape)).copy()
        for axis, (low, high) in enumerate(box.sides):
            place = [1, 1, 1, 1]
            place[0], place[3 - axis] = tiles.count + 1, tiles.shape[2 - axis]
            cell = tiles.origins[:, axis, None] + np.arange(tiles.shape[2 - axis])
            if low == OPEN:
                followed &= (cell >= 0).reshape(place)
            if high == OPEN:
                followed &= (cell < box.cells[axis]).reshape(place)
        return label_cells(tiles, followed, solids.is_solid, cut_cells=solids.cut_cells)


def _in_domain(coordinates: NDArray[np.int64], box: DomainBox) -> NDArray[np.int64]:
    """Those of some tiles that have a cell in the domain, and are not too far away."""
    size = TILE_SHAPES[len(box.cells)][2]
    kept = (np.abs(coordinates) < _FURTHEST).all(axis=1)
    for axis, (low, high) in enumerate(box.sides):
        if low != UNBOUNDED:
            kept &= coordinates[:, axis] >= 0
        if high != UNBOUNDED:
            kept &= coordinates[:, axis] * size < box.cells[axis]
    return coordinates[kept]


def _clipped(place: CellBox, buffer: int, box: DomainBox) -> CellBox:
    """A box of cells with a buffer round it; what has no end ends at the domain's box."""
    first, last = (end.copy() for end in place)
    for axis, (low, high) in enumerate(box.sides):
        cells = box.cells[axis]
        if low != UNBOUNDED or first[axis] < -_ENDLESS:
            first[axis] = max(first[axis], 0)
        if high != UNBOUNDED or last[axis] > _ENDLESS:
            last[axis] = min(last[axis], cells - 1)
    return first - buffer, last + buffer


def _tiles_of(first: NDArray[np.int64], last: NDArray[np.int64], dimension: int) -> NDArray[np.int64]:
    """Coordinates of all tiles that hold a cell of a box."""
    size = TILE_SHAPES[dimension][2]
    ranges = [np.arange(a // size, b // size + 1) for a, b in zip(first, last, strict=True)]
    ranges += [np.zeros(1, np.int64)] * (3 - dimension)
    return np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)


@kernel
def _find_bounds(scalars, thresholds, bounds, chunks):
    """First and last cell of each tile that holds smoke, by axis; 127 and -1 if none does."""
    fields, slots, BZ, BY, BX = scalars.shape
    for c in prange(chunks):
        for t in chunk_range(c, chunks, slots - 1):
            low_x, low_y, low_z, high_x, high_y, high_z = 127, 127, 127, -1, -1, -1
            for f in range(fields):
                threshold = thresholds[f]
                for z in range(BZ):
                    for y in range(BY):
                        row = scalars[f, t + 1, z, y]
                        above = False
                        for x in range(BX):
                            above |= abs(row[x]) > threshold
                        if above:
                            low_y, high_y, low_z, high_z = min(low_y, y), max(high_y, y), min(low_z, z), max(high_z, z)
                            for x in range(BX):
                                if abs(row[x]) > threshold:
                                    low_x, high_x = min(low_x, x), max(high_x, x)
            bounds[t, 0, 0], bounds[t, 1, 0], bounds[t, 2, 0] = low_x, low_y, low_z
            bounds[t, 0, 1], bounds[t, 1, 1], bounds[t, 2, 1] = high_x, high_y, high_z
