"""Viscosity that chooses its scheme by the step: explicit where that is stable, coupled where it is not.

Reference: Cline step 3c; Batty & Bridson 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plash.grid.cells import LIQUID, Cells
from plash.grid.fields import CellField, FaceField
from plash.physics.flow.sources import RunningInlets
from plash.physics.solids.base import Solids
from plash.physics.viscosity.base import ViscousStep
from plash.physics.viscosity.coupled import CoupledViscosity
from plash.physics.viscosity.explicit import ExplicitViscosity
from plash.physics.viscosity.path_strain import StraightPaths


@dataclass(frozen=True)
class AutoViscosity:
    """Explicit for thin liquids and short steps, coupled else; no step is shortened."""

    explicit: ExplicitViscosity
    coupled: CoupledViscosity

    def longest_step(self, h: float, dimension: int) -> float:
        """Any step is stable."""
        return float("inf")

    def apply(
        self,
        velocity: FaceField,
        cells: Cells,
        solids: Solids,
        viscosity: CellField | None,
        dt: float,
        inlets: RunningInlets | None = None,
        paths: StraightPaths | None = None,
    ) -> ViscousStep:
        """Let viscosity act for dt on every velocity that borders liquid."""
        scheme = self.explicit if dt <= self._longest_explicit(cells, solids, viscosity) else self.coupled
        return scheme.apply(velocity, cells, solids, viscosity, dt, inlets, paths)

    def _longest_explicit(self, cells: Cells, solids: Solids, viscosity: CellField | None) -> float:
        """Longest time for which the explicit scheme is stable, s."""
        nu = self.explicit.nu
        if viscosity is not None:
            nu = float(np.max(viscosity.pool, where=cells.label == LIQUID, initial=0.0))
        return self.explicit.longest_time(nu, cells.tiles.dimension, solids.holds_liquid)
