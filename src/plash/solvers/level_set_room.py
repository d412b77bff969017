"""The room of a liquid whose surface is a level set: its walls, its spouts, and the volume that it should have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import Places, Tiles
from plash.levelset.inside import places_of
from plash.physics.flow.inlets import InletStencil
from plash.physics.level_set.continuation import Continuation
from plash.physics.level_set.room import Points, Room, hold_between
from plash.physics.level_set.spouts import ROUND_SPOUTS, carried_behind
from plash.physics.level_set.volume import shares_inside, volume_inside
from plash.physics.solids.base import Solids
from plash.physics.solids.domain_box import DomainBox

WayIn = Callable[[NDArray[np.bool_], Tiles], Continuation]

_OFF_WALLS = 1e-3  # cells from a side that particles are put back to
BEHIND = 0.5  # cells: the depth of the liquid in cells behind an opening


@dataclass(frozen=True)
class LiquidRoom(Room):
    """Walls, spouts and the volume of a liquid at one time.

    Attributes:
        solids: On any tiles.
        inlet_cells: Cells (n, d) that count as liquid, since it comes in there.
        target: Volume that there should be inside the level set, m³.
        h: Cell size, m.
        box: The domain.
        way_in: The way into solids on some tiles.
        mouths: Of the spouts that run.
    """

    solids: Callable[[Tiles], Solids]
    inlet_cells: NDArray[np.int64]
    target: float
    h: float
    box: DomainBox
    way_in: WayIn
    mouths: Sequence[InletStencil] = ()

    def closed(self, tiles: Tiles) -> NDArray[np.bool_]:
        """Cells of solids, and those of spouts."""
        is_solid, is_spout = self.solids(tiles).is_solid, self.unknown(tiles)
        return is_solid if is_spout is None else is_solid | is_spout

    def unknown(self, tiles: Tiles) -> NDArray[np.bool_] | None:
        """Cells of spouts."""
        if len(self.inlet_cells) == 0:
            return None
        is_spout = np.zeros((tiles.count + 1, *tiles.shape), np.bool_)
        is_spout[places_of(self.inlet_cells, tiles)] = True
        is_spout[0] = False
        return is_spout

    def held(self, tiles: Tiles) -> NDArray[np.bool_] | None:
        """Cells of spouts and those round them, where spouts say where the surface begins; None if there are none."""
        if len(self.inlet_cells) == 0:
            return None
        is_held = np.zeros((tiles.count + 1, *tiles.shape), np.bool_)
        for _, beside in self._round_spouts(tiles):
            is_held[beside] = True
        is_held[0] = False
        return is_held

    def shielded(self, phi: CellField, back: Callable[[Points], Points]) -> tuple[Places, NDArray[np.float32]] | None:
        """Cells behind the openings of spouts, which let liquid out in front only."""
        return carried_behind(phi, self.mouths, back, self.h) if self.mouths else None

    def complete(self, phi: CellField) -> None:
        """Let it go on into solids, and be liquid in spouts, at least up to the faces of their cells."""
        is_solid = self.solids(phi.tiles).is_solid
        self.way_in(is_solid, phi.tiles).apply(phi, self.h)
        if len(self.inlet_cells) == 0:
            return
        for away, beside in self._round_spouts(phi.tiles):
            beside = tuple(part[(beside[0] > 0) & ~is_solid[beside]] for part in beside)
            np.minimum.at(phi.pool, beside, np.float32((away - BEHIND) * self.h))
        spouts = places_of(self.inlet_cells, phi.tiles)
        spouts = tuple(part[spouts[0] > 0] for part in spouts)
        phi.pool[spouts] = np.float32(-BEHIND * self.h)

    def _round_spouts(self, tiles: Tiles) -> Iterator[tuple[float, Places]]:
        """How far cells round those of spouts are from them, in cells, and where they are."""
        for step in np.ndindex(*(2 * ROUND_SPOUTS + 1,) * self.inlet_cells.shape[1]):
            away = np.array(step) - ROUND_SPOUTS
            yield float(np.sqrt((away**2).sum())), places_of(self.inlet_cells + away, tiles)

    def confine(self, places: NDArray[np.float64]) -> None:
        """Put places back that are beyond a closed side."""
        low, high = np.full(places.shape[1], -np.inf), np.full(places.shape[1], np.inf)
        for axis, last, outwards in self.box.closed_sides():
            if outwards > 0:
                high[axis] = last + 1 - _OFF_WALLS
            else:
                low[axis] = _OFF_WALLS
        hold_between(places, low, high)

    def volume(self, phi: CellField) -> float:
        """Volume inside a level set and outside of all that is closed, m³."""
        tiles = phi.tiles
        return volume_inside(phi, self.h, self.closed(tiles), self._fractions(tiles)) * self.h**tiles.dimension

    def shares(self, phi: CellField) -> NDArray[np.float32]:
        """How much of each cell is inside a level set and outside of all that is closed, 0 to 1."""
        return shares_inside(phi, self.h, self.closed(phi.tiles), self._fractions(phi.tiles))

    def _fractions(self, tiles: Tiles) -> NDArray[np.float32] | None:
        cut_cells = self.solids(tiles).cut_cells
        return None if cut_cells is None else cut_cells.volume

    def missing(self, phi: CellField) -> float:
        """By how much the volume is too small, m³."""
        return self.target - self.volume(phi)
