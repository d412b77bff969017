"""The velocity that viscosity acts on: what liquid has after its weight is borne, by walls and by liquid below.

Forces come first in a step, and pressure last. Between them liquid at rest falls into its floor, and a viscous stress
would hold it up there in place of the pressure: honey would sag the less the longer the steps are. So viscosity acts on

    w = P u*        the velocity without divergence

and its change of w is added to u*, which the pressure of the step is found for as ever. P is a projection with the
equations of the pressure, at the walls as they are.

Reference: Cline steps 3b to 3d.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from plash.grid.cells import LIQUID, Cells
from plash.grid.fields import FaceField, fastest
from plash.linear.system import PoissonSystem
from plash.physics.flow.sources import RunningInlets
from plash.physics.free_surface import FreeSurface
from plash.physics.pressure import KnownPressure
from plash.physics.solids.base import Solids
from plash.physics.viscosity.path_strain import StraightPaths
from plash.timing import stage

_ROUND_OFF = 2.0**-25  # of a velocity stored in single precision, relative


@dataclass(frozen=True, eq=False)
class Balanced:
    """What viscosity acts on, and the pressure that was taken out; None if there was none."""

    velocity: FaceField
    pressure: KnownPressure | None = None


class Balance(Protocol):
    """What viscosity acts on."""

    def balanced(
        self,
        velocity: FaceField,
        cells: Cells,
        solids: Solids,
        inlets: RunningInlets | None,
        paths: StraightPaths | None = None,
    ) -> Balanced:
        """A velocity to act on, made from that after forces."""


@dataclass(frozen=True)
class PressureBalance:
    """The velocity without divergence.

    Attributes:
        free_surface: How pressure meets the air.
        tolerance: Relative size of the true residual to reach.
    """

    free_surface: FreeSurface
    tolerance: float

    @stage
    def balanced(
        self,
        velocity: FaceField,
        cells: Cells,
        solids: Solids,
        inlets: RunningInlets | None,
        paths: StraightPaths | None = None,
    ) -> Balanced:
        """The velocity without its divergence in liquid cells, but for what comes in and what straight paths ask for.

        It is so on closed faces too, but for those of spouts, which have the velocity of what comes in.
        """
        made = velocity.copy()
        solids.enforce_no_flux(made, cells)
        if inlets is not None:
            inlets.enforce_inlet_flux(made)
        b = self.free_surface.right_hand_side(made, cells)
        if inlets is not None:
            inlets.inflow.add_to(b, cells)
        if paths is not None:
            np.add(b, paths.divergence, out=b, where=cells.label == LIQUID)
        floor = _ROUND_OFF * float(fastest(made.pool).max()) * np.sqrt(max(cells.liquid_count, 1))
        system = PoissonSystem(self.free_surface.operator(cells))
        potential, _ = system.solve(b, self.tolerance, floor)
        self.free_surface.subtract_gradient(made, potential, cells)
        if inlets is not None:
            inlets.enforce_inlet_velocity(made)
        return Balanced(made, KnownPressure(system, potential))
