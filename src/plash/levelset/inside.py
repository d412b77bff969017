"""Which cells and faces of a set of tiles lie inside a shape, by their centres."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Places, Tiles, pack
from plash.levelset.shapes import distance
from plash.scene.shapes import Shape


def share_inside(phi: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of a cell lies in a shape at a distance of so many cells from its centre, 0 to 1: as for a flat side.

    >>> share_inside(np.array([-2.0, -0.25, 0.0, 0.5]))
    array([1.  , 0.75, 0.5 , 0.  ])
    """
    share: NDArray[np.float64] = np.clip(0.5 - phi, 0.0, 1.0)
    return share


@dataclass(eq=False)
class Inside:
    """What lies inside a shape, found once for each set of tiles.

    Attributes:
        shape: The shape.
        h: Cell size, m.
        name: What messages call it.
    """

    shape: Shape
    h: float
    name: str = "shape"
    _cells: tuple[Tiles, Places] | None = field(default=None, init=False)
    _faces: tuple[Tiles, list[Places]] | None = field(default=None, init=False)

    def cells(self, tiles: Tiles) -> Places:
        """Cells whose centre is inside."""
        if self._cells is None or self._cells[0] is not tiles:
            self._cells = tiles, self._found(tiles, (0.5,) * tiles.dimension)
        return self._cells[1]

    def faces(self, tiles: Tiles) -> list[Places]:
        """Minimal faces whose centre is inside, by axis."""
        if self._faces is None or self._faces[0] is not tiles:
            centres = 0.5 - 0.5 * np.eye(tiles.dimension)
            self._faces = tiles, [self._found(tiles, tuple(centre)) for centre in centres]
        return self._faces[1]

    def points(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether points (n, d) in metres are inside."""
        return distance(self.shape, points, self.name) < 0

    def among(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """Numbers of the points (n, d) in metres that are inside; only those near it are looked at."""
        low, high = self.shape.bounds(points.shape[1])
        near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        return near[self.points(points[near])]

    def _found(self, tiles: Tiles, offset: tuple[float, ...]) -> Places:
        """Cells that have a point inside, which stands at an offset (in cells) from their low corner."""
        slots = self._near(tiles)
        shift = (np.array(offset) - 0.5) * self.h
        inside = self.points(tiles.cell_centres(slots, self.h) + shift).reshape(len(slots), *tiles.shape)
        number, *within = np.nonzero(inside)
        return (slots[number].astype(np.int64), *within)

    def _near(self, tiles: Tiles) -> NDArray[np.int32]:
        """Tiles that the box around the shape meets."""
        low, high = self.shape.bounds(tiles.dimension)
        first = tiles.origins[1:, : tiles.dimension] * self.h
        size = np.array(tiles.shape[::-1][: tiles.dimension]) * self.h
        meets = (first <= np.array(high)) & (first + size >= np.array(low))
        return (np.flatnonzero(meets.all(axis=1)) + 1).astype(np.int32)


def places_of(cells: NDArray[np.int64], tiles: Tiles) -> Places:
    """Where cells (n, d), given by their global index, are in pools; in slot 0 if their tile is absent."""
    full = np.zeros((len(cells), 3), np.int64)
    full[:, : cells.shape[1]] = cells
    size = np.array(tiles.shape[::-1])
    slots = tiles.slots_of(pack(full // size)).astype(np.int64)
    x, y, z = (full % size).T
    return slots, z, y, x
