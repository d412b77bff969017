"""Where liquid touches walls that have a temperature: sides of the domain, and bodies.

A cell of liquid at the temperature T gives to a wall of the temperature T_wall and the area A, at the distance d from
its centre,

    κ A/d (T - T_wall)

in a second. At a flat wall along the cells A = 1 and d = 1/2 (in cells), so that a profile that is linear between two
walls is exact. In a cell that a body cuts, A is what its faces lack, as the area of the wall has a part along each
axis, and d is the distance of the centre to the body, at least a tenth. Where solids are whole cells, every closed face
is a wall half a cell away. Walls without a temperature are insulating.

Reference: Cline section 7.2, which leaves walls open; Batty et al. 2007 for cells that are cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SIDE, CutCells
from plash.grid.halos import touching
from plash.grid.tiles import Places, Tiles
from plash.physics.solids.base import SceneSolids, Solids
from plash.physics.solids.distance import Bodies

Array = NDArray[np.float64]

_NEAREST = 0.1  # cells from the centre of a cell at which a wall is at the least


@dataclass(frozen=True, eq=False)
class Contacts:
    """Cells that touch something of a given temperature; a cell may stand here more than once.

    Attributes:
        places: The cells.
        conductance: A/d of each.
        temperature: What it touches, K.
    """

    places: Places
    conductance: Array
    temperature: Array

    @staticmethod
    def none() -> Contacts:
        """Nothing is touched."""
        return Contacts((np.zeros(0, np.int64),) * 4, np.zeros(0), np.zeros(0))

    def widen(self, bound: Array, change: Array) -> None:
        """Let cells that touch a wall bring particles up to its temperature, where they get warmer, or down to it."""
        rises = change[self.places] > 0
        for where, extreme in ((rises, np.maximum), (~rises, np.minimum)):
            extreme.at(bound, tuple(part[where] for part in self.places), self.temperature[where])

    @staticmethod
    def together(parts: Sequence[Contacts]) -> Contacts:
        """Several as one."""
        if not parts:
            return Contacts.none()
        places = tuple(np.concatenate(part) for part in zip(*(part.places for part in parts), strict=True))
        numbers = ((part.conductance, part.temperature) for part in parts)
        return Contacts(places, *(np.concatenate(part) for part in zip(*numbers, strict=True)))


@dataclass(eq=False)
class WarmWalls:
    """All walls of a scene that have a temperature.

    Attributes:
        scene_solids: All bodies.
        of_sides: Temperatures (K) of closed sides of the domain, by axis and 0 (low) or 1 (high).
        of_bodies: Temperatures (K) of bodies, by name.
    """

    scene_solids: SceneSolids[Any]
    of_sides: Mapping[tuple[int, int], float] = field(default_factory=dict)
    of_bodies: Mapping[str, float] = field(default_factory=dict)
    _last: tuple[Solids, Contacts] | None = field(default=None, init=False)

    def contacts(self, solids: Solids, time: float) -> Contacts:
        """What cells that are not solid touch at a time (s); the very same while the solids are."""
        if self._last is None or self._last[0] is not solids:
            parts = [self._side(solids, *side, warmth) for side, warmth in self.of_sides.items()]
            if self.of_bodies:
                parts.append(self._bodies(solids, time))
            self._last = solids, Contacts.together(parts)
        return self._last[1]

    def _side(self, solids: Solids, axis: int, high: int, temperature: float) -> Contacts:
        """The cells beside a side of the domain."""
        tiles, inside = solids.tiles, (solids.box.cells[axis] - 1) * high
        size = tiles.shape[2 - axis]
        slots = np.flatnonzero(tiles.origins[1:, axis] == inside // size * size) + 1
        layer = np.take(~solids.is_solid[slots], inside % size, axis=3 - axis)
        number, *within = np.nonzero(layer)
        within.insert(2 - axis, np.full(len(number), inside % size))
        places = (slots[number], *within)
        return Contacts(places, np.full(len(number), 2.0), np.full(len(number), temperature))

    def _bodies(self, solids: Solids, time: float) -> Contacts:
        """The cells with a part of a body in them, or beside them where bodies are whole cells."""
        bodies = self.scene_solids.bodies_at(time, solids.tiles.dimension)
        warmth = np.array([self.of_bodies.get(body.name, np.nan) for body in bodies.bodies])
        cut_cells = solids.cut_cells
        if cut_cells is None:
            parts = [_beside_whole_cells(solids, bodies, warmth, axis, step) for axis, step in _ways(solids.tiles)]
            return Contacts.together(parts)
        return _in_cut_cells(solids, cut_cells, bodies, warmth)


def _ways(tiles: Tiles) -> list[tuple[int, int]]:
    """The ways from a cell to its neighbours."""
    return [(axis, step) for axis in range(tiles.dimension) for step in (-1, 1)]


def _beside_whole_cells(solids: Solids, bodies: Bodies, warmth: Array, axis: int, step: int) -> Contacts:
    """The cells with a solid cell of a body as their neighbour in one way."""
    tiles = solids.tiles
    x, y, z = solids.box.beyond(tiles, tiles.slots, 0, 0)
    of_bodies = np.zeros_like(solids.is_solid)
    of_bodies[1:] = solids.is_solid[1:] & ~(x | y | z)
    near = touching(tiles, (np.flatnonzero(of_bodies.any(axis=(1, 2, 3)))).astype(np.int32))
    cells = _cells_in(tiles, np.flatnonzero(near), ~solids.is_solid)
    other = tiles.beside(cells, axis, step)
    meets = of_bodies[other]
    cells, other = (tuple(part[meets] for part in places) for places in (cells, other))
    nearest, _ = _nearest(bodies, _centres(tiles, other))
    temperature = warmth[nearest]
    return _kept(cells, np.full(len(nearest), 2.0), temperature)


def _in_cut_cells(solids: Solids, cut_cells: CutCells, bodies: Bodies, warmth: Array) -> Contacts:
    """The cells with a part of the surface of a body in them."""
    tiles, fractions = solids.tiles, cut_cells.face_fractions
    is_cut = (fractions[:, 1:] < 1).any(axis=(0, 2, 3, 4))
    near = touching(tiles, (np.flatnonzero(is_cut) + 1).astype(np.int32))
    cells = _cells_in(tiles, np.flatnonzero(near), ~solids.is_solid)
    volume = cut_cells.volume[cells].astype(np.float64)
    square = np.zeros(len(volume))
    for axis in range(tiles.dimension):
        behind = tiles.beside(cells, axis, 1)
        # On a side of the domain nothing is lacking but the wall of that side
        low, high = (
            np.where(cut_cells.closed[axis][face] & SIDE, volume, fractions[axis][face]) for face in (cells, behind)
        )
        whole = np.maximum(np.maximum(low, high), volume)
        square += (2 * whole - low - high) ** 2
    touched = square > 1e-6
    cells, area = tuple(part[touched] for part in cells), np.sqrt(square[touched])
    nearest, distance = _nearest(bodies, _centres(tiles, cells))
    return _kept(cells, area / np.maximum(distance, _NEAREST), warmth[nearest])


def _kept(cells: Places, conductance: Array, temperature: Array) -> Contacts:
    """The contacts with what has a temperature."""
    warm = ~np.isnan(temperature)
    return Contacts(tuple(part[warm] for part in cells), conductance[warm], temperature[warm])


def _cells_in(tiles: Tiles, slots: NDArray[np.int64], wanted: NDArray[np.bool_]) -> Places:
    """Some cells of some tiles."""
    number, *within = np.nonzero(wanted[slots])
    return (slots[number], *within)


def _centres(tiles: Tiles, cells: Places) -> Array:
    """Centres of cells (n, d), in cells."""
    slot, z, y, x = cells
    found: Array = tiles.origins[slot].astype(np.float64) + np.stack([x, y, z], axis=1) + 0.5
    return np.ascontiguousarray(found[:, : tiles.dimension])


def _nearest(bodies: Bodies, places: Array) -> tuple[NDArray[np.int64], Array]:
    """The nearest body to each place, in cells, and its distance."""
    every = np.array([bodies.distance_of(number, places) for number in range(len(bodies.bodies))])
    nearest = every.argmin(axis=0)
    return nearest, np.take_along_axis(every, nearest[None], 0)[0]
