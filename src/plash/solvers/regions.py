"""What counts as liquid: the cells that hold a marker, or the space that particles fill."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells, label_cells
from plash.particles.distance import complete_distance, fill_fraction, find_flying, liquid_distance, liquid_volume
from plash.particles.films import Unseen, unseen_volume
from plash.particles.particles import Particles
from plash.physics.solids import Solids


class Region(Protocol):
    """A way to tell liquid from air."""

    def label(self, particles: Particles, marked: NDArray[np.bool_], solids: Solids) -> Cells:
        """Label every cell, given the sorted particles and which cells hold one."""

    def volume(self, cells: Cells) -> float:
        """Volume of the liquid, in cells."""

    def unseen(self, particles: Particles, cells: Cells) -> Unseen:
        """What the sorted particles carry beside that, in cells."""


class MarkedCells:
    """A cell is liquid if it holds a marker (Cline figure 4)."""

    def label(self, particles: Particles, marked: NDArray[np.bool_], solids: Solids) -> Cells:
        """Label cells by their markers."""
        return label_cells(solids.tiles, marked, solids.is_solid, space=solids.space)

    def volume(self, cells: Cells) -> float:
        """Number of liquid cells."""
        return cells.liquid_count

    def unseen(self, particles: Particles, cells: Cells) -> Unseen:
        """Nothing: every cell that holds a particle counts."""
        return Unseen()


class FilledSpace:
    """A cell is liquid if its centre is: if the distance to the surface there is negative.

    Particles outside the surface are marked as flying.
    """

    def __init__(self, h: float) -> None:
        self.h = h

    def label(self, particles: Particles, marked: NDArray[np.bool_], solids: Solids) -> Cells:
        """Label cells by their distance to the surface, and find out which particles fly."""
        fill = fill_fraction(particles, solids.inverse_share, solids.box.closed_sides())
        phi = liquid_distance(fill, self.h)
        complete_distance(phi, self.h, solids.is_solid, solids.inverse_share, solids.space)
        cells = label_cells(solids.tiles, phi.pool < 0, solids.is_solid, phi, fill, solids.space)
        find_flying(particles, phi, cells, self.h)
        return cells

    def volume(self, cells: Cells) -> float:
        """Volume of {φ < 0}."""
        assert cells.phi is not None
        return liquid_volume(cells.phi, cells, self.h)

    def unseen(self, particles: Particles, cells: Cells) -> Unseen:
        """What is carried where φ > 0."""
        assert cells.phi is not None
        return unseen_volume(particles, cells.phi, cells)
