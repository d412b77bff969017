"""The box of the domain: what its sides are, which cells lie beyond them, and values mirrored at them.

Reference: Cline section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles
from plash.particles.sides import CLOSED, OPEN, UNBOUNDED

__all__ = ["CLOSED", "OPEN", "UNBOUNDED", "DomainBox"]


@dataclass(frozen=True)
class DomainBox:
    """The domain's box in cells and what its sides are: UNBOUNDED, CLOSED or OPEN, as (low, high) by axis.

    The friction of its sides is (low, high) by axis too; where it is not given, they have none.
    """

    cells: tuple[int, ...]
    sides: tuple[tuple[int, int], ...]
    friction: tuple[tuple[float, float], ...] = ()

    def friction_of(self, axis: int, outwards: int) -> float:
        """Friction of the side across an axis that lies in the direction -1 or 1."""
        return self.friction[axis][(outwards + 1) // 2] if self.friction else 0.0

    def limits(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """First cell and one past the last by axis (x, y, z), and the kinds of the sides, as kernels want them."""
        dimension = len(self.cells)
        limits = np.zeros((3, 2), np.int32)
        kinds = np.zeros((3, 2), np.int32)
        limits[:dimension, 1] = self.cells
        kinds[:dimension] = self.sides
        return limits, kinds

    def closed_sides(self) -> list[tuple[int, int, int]]:
        """Axis, the last cell inside, and the way out of each closed side."""
        return [
            (axis, (self.cells[axis] - 1) * high, 2 * high - 1)
            for axis, kinds in enumerate(self.sides)
            for high, side in enumerate(kinds)
            if side == CLOSED
        ]

    def beyond(self, tiles: Tiles, slots: NDArray[np.int32], low: int, high: int) -> list[NDArray[np.bool_]]:
        """Whether cells are beyond a closed side, by axis, ready to be broadcast to [tile, z, y, x].

        For the cells of some tiles, `low` more before and `high` more behind.
        """
        found = []
        for axis in range(3):
            size = tiles.shape[2 - axis]
            shape = [len(slots), 1, 1, 1]
            beyond = np.zeros((len(slots), 1), np.bool_)
            if size > 1:
                cell = tiles.origins[slots, axis, None] + np.arange(-low, size + high)
                at_low, at_high = (side == CLOSED for side in self.sides[axis])
                beyond = (at_low & (cell < 0)) | (at_high & (cell >= self.cells[axis]))
            shape[3 - axis] = beyond.shape[1]
            found.append(beyond.reshape(shape))
        return found

    def off_sides(self, tiles: Tiles, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether the minimal faces of some tiles border no cell beyond a closed side, [axis, tile, z, y, x]."""
        before, here = self.beyond(tiles, slots, 1, 0), self.beyond(tiles, slots, 0, 0)
        off = np.empty((tiles.dimension, len(slots), *tiles.shape), np.bool_)
        for axis in range(tiles.dimension):
            below = np.delete(before[axis], -1, axis=3 - axis)
            off[axis] = ~(below | here[0] | here[1] | here[2])
        return off

    def near(self, tiles: Tiles, kinds: tuple[int, ...]) -> NDArray[np.bool_]:
        """By slot, whether a particle of this tile can meet a side of one of these kinds in a step."""
        near = np.zeros(tiles.count + 1, np.bool_)
        for axis, (low, high) in enumerate(self.sides):
            size, first = tiles.shape[2 - axis], tiles.origins[:, axis]
            if low in kinds:
                near |= first < size
            if high in kinds:
                near |= first + 2 * size > self.cells[axis]
        near[0] = False
        return near


def mirror_at_sides(halves: NDArray[np.float64], tiles: Tiles, slots: NDArray[np.int32], box: DomainBox) -> None:
    """Mirror values on half cells of some tiles and of one more cell round them at the closed sides of a box."""
    for axis, last, outwards in box.closed_sides():
        place = 3 - axis
        size = halves.shape[place]
        edge = 2 * (last - tiles.origins[slots, axis, None] + 1) + (outwards > 0)
        some = np.flatnonzero(edge < size - 1 if outwards > 0 else edge > 0)
        index = np.arange(size)
        index = np.minimum(index, edge[some]) if outwards > 0 else np.maximum(index, edge[some])
        shape = [len(some), 1, 1, 1]
        shape[place] = size
        index = np.clip(index, 0, size - 1).reshape(shape)
        halves[some] = np.take_along_axis(halves[some], index, place)
