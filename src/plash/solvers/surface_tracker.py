"""What counts as liquid: the cells that hold a marker, or the space that particles fill."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells, label_cells
from plash.particles.films import FLYING, Unseen, find_ballistic
from plash.particles.particles import Particles
from plash.particles.shore import correct_shores
from plash.particles.surface import complete_distance, filled_share, liquid_distance, liquid_volume, spread_volume
from plash.physics.solids.base import SolidFields


class SurfaceTracker(Protocol):
    """A way to tell liquid from air."""

    def label(self, particles: Particles, marked: NDArray[np.bool_], solids: SolidFields) -> tuple[Cells, Unseen]:
        """Label every cell, given the sorted particles and which cells hold one; and tell what is not seen so."""

    def volume(self, cells: Cells) -> float:
        """Volume of the liquid, in cells."""


class MarkerCells:
    """A cell is liquid if it holds a marker (Cline figure 4)."""

    def label(self, particles: Particles, marked: NDArray[np.bool_], solids: SolidFields) -> tuple[Cells, Unseen]:
        """Label cells by their markers: every particle is in liquid."""
        return label_cells(solids.tiles, marked, solids.is_solid, cut_cells=solids.cut_cells), Unseen()

    def volume(self, cells: Cells) -> float:
        """Number of liquid cells."""
        return cells.liquid_count


class FillFraction:
    """A cell is liquid if its centre is: if the distance to the surface there is negative.

    Particles outside the surface are marked as flying, from a height in cells on.
    """

    def __init__(self, h: float, gravity: Sequence[float] = (), flying: float = FLYING) -> None:
        self.h, self.flying = h, flying
        self.upward = np.zeros(3)  # unit vector against gravity; 0 without any
        size = math.hypot(*gravity)
        if size > 0:
            self.upward[: len(gravity)] = -np.array(gravity) / size

    def label(self, particles: Particles, marked: NDArray[np.bool_], solids: SolidFields) -> tuple[Cells, Unseen]:
        """Label cells by their distance to the surface, and find out which particles fly."""
        volume = spread_volume(particles, solids.box.closed_sides())
        fill = filled_share(volume, solids.inverse_kernel_weight)
        phi = liquid_distance(fill, self.h)
        if solids.cut_cells is not None:
            correct_shores(phi, volume.pool, solids.cut_cells.openness, solids.box.limits(), self.upward, self.h)
        complete_distance(phi, self.h, solids.is_solid, solids.inverse_kernel_weight, solids.cut_cells)
        cells = label_cells(solids.tiles, phi.pool < 0, solids.is_solid, phi, fill, solids.cut_cells)
        return cells, find_ballistic(particles, phi, cells, self.h, self.flying)

    def volume(self, cells: Cells) -> float:
        """Volume of {φ < 0}."""
        assert cells.phi is not None
        return liquid_volume(cells.phi, cells, self.h)
