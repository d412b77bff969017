"""Some tiles and a little round them: values of which each place has to be evaluated once only, and tiles beside tiles.

What lies beside one tile is inside another if that is among them too: there it is taken from the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles

Slices = tuple[slice, slice, slice]


class _Border(NamedTuple):
    """What some tiles share with their neighbours on one side: rows of both, and where it lies in each."""

    takers: NDArray[np.int64]
    givers: NDArray[np.int64]
    beside: Slices
    within: Slices


@dataclass(frozen=True, eq=False)
class Halos:
    """Some tiles with places before and behind them along each axis.

    Attributes:
        tiles: All tiles.
        slots: Some of them, each once.
        per_cell: Places in a cell along an axis.
        before: How many there are beside a tile at its low end.
        behind: The same at its high end.
    """

    tiles: Tiles
    slots: NDArray[np.int32]
    per_cell: int
    before: int
    behind: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Of values on them: [tile, z, y, x]."""
        sizes = (self.before + self.per_cell * n + self.behind if n > 1 else 1 for n in self.tiles.shape)
        return (len(self.slots), *sizes)

    @cached_property
    def _borders(self) -> list[_Border]:
        row = np.full(self.tiles.count + 1, -1)
        row[self.slots] = np.arange(len(self.slots))
        found = []
        for number, step in enumerate(product((-1, 0, 1), repeat=3)):
            other = row[self.tiles.neighbours[self.slots, number]]
            takers = np.flatnonzero(other >= 0)
            if any(step) and len(takers):
                found.append(_Border(takers, other[takers], self._beside(step), self._within(step)))
        return found

    def _beside(self, step: tuple[int, ...]) -> Slices:
        """What a tile has on one side."""
        along = []
        for size, way in zip(self.tiles.shape, step, strict=True):
            end = self.before + self.per_cell * size
            along.append({-1: slice(0, self.before), 0: slice(self.before, end), 1: slice(end, None)}[way])
        return self._flat(along)

    def _within(self, step: tuple[int, ...]) -> Slices:
        """Where its neighbour there has the same."""
        along = []
        for size, way in zip(self.tiles.shape, step, strict=True):
            own = self.per_cell * size
            first, last = {-1: (own, own + self.before), 0: (self.before, self.before + own)}.get(
                way, (self.before, self.before + self.behind)
            )
            along.append(slice(first, last))
        return self._flat(along)

    def _flat(self, along: list[slice]) -> Slices:
        """In 2-D there is one layer, and nothing round it."""
        z, y, x = (whole if size > 1 else slice(0, 1) for size, whole in zip(self.tiles.shape, along, strict=True))
        return z, y, x

    def once(self) -> NDArray[np.bool_]:
        """Each place that has to be evaluated, [tile, z, y, x]: all but those that lie inside another of the tiles."""
        found = np.ones(self.shape, np.bool_)
        for border in self._borders:
            found[(border.takers, *border.beside)] = False
        return found

    def share(self, values: NDArray[Any]) -> None:
        """Give every tile what the others have found."""
        for border in self._borders:
            values[(border.takers, *border.beside)] = values[(border.givers, *border.within)]


def touching(tiles: Tiles, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
    """By slot, whether a tile is one of these or touches one."""
    holds = np.zeros(tiles.count + 1, np.bool_)
    holds[slots] = True
    near = np.asarray(holds[tiles.neighbours].any(axis=1))
    near[0] = False
    return near


def at_centres(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the corners of each cell of some tiles, from values at the corners of one more cell round them too."""
    mean = corners
    for axis, size in enumerate(corners.shape[1:], 1):
        if size > 1:
            low, high = (np.take(mean, np.arange(first, first + size - 3), axis) for first in (1, 2))
            mean = 0.5 * (low + high)
    return mean


def at_minimal_corners(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values at the minimal corners of the cells of tiles, given those of one more cell round each tile too."""
    return corners[(slice(None), *(slice(1, n - 2) if n > 1 else slice(None) for n in corners.shape[1:]))]


def at_minimal_faces(corners: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Mean over the corners of each minimal face of tiles, given the corners of one more cell round each tile too."""
    mean = corners
    for along in range(3):
        place = 3 - along
        count = corners.shape[place] - 3
        if count > 0:
            low = np.take(mean, np.arange(1, count + 1), place)
            mean = low if along == axis else 0.5 * (low + np.take(mean, np.arange(2, count + 2), place))
    return mean
