"""What elasticity does in a step, and the one that does nothing.

Reference: Cline section 8, figure 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.particles.particles import Particles
from plash.physics.elasticity.strain_field import StrainField
from plash.physics.flow.sources import RunningInlets
from plash.physics.solids.base import Solids
from plash.physics.viscosity.base import Viscosity, ViscousStep
from plash.physics.viscosity.path_strain import StraightPaths


class ElasticLiquid(Protocol):
    """What elasticity has to know of the liquid at the start of a step.

    Attributes:
        particles: Sorted; they may carry strain.
        velocity: On faces, m/s: that of the step before, if there was one.
        carried: What of it was carried to faces, before forces; known once it has been.
        viscosity: At cell centres, m²/s; None where it is the same everywhere.
        strain: On the grid, if nobody else carries it.
    """

    particles: Particles
    velocity: FaceField | None
    carried: FaceField | None
    viscosity: CellField | None
    strain: StrainField | None

    @property
    def lag(self) -> float:
        """By how much velocities lag behind positions, s."""


class ElasticStep(Protocol):
    """Elasticity in one step."""

    def settle(self, divergence: NDArray[np.float64], target_fill: float) -> None:
        """Change the divergence h ∇·u (m/s) that the step aims at, so that liquid settles on walls."""

    def apply(
        self,
        viscosity: Viscosity,
        velocity: FaceField,
        dt: float,
        inlets: RunningInlets | None = None,
        paths: StraightPaths | None = None,
    ) -> ViscousStep:
        """Let elastic and viscous stress act for dt (s) on every velocity that borders liquid; tells how it went."""

    def keep_momentum(self, before: NDArray[np.float32], kick: float) -> None:
        """Give bodies that nothing pushes the momentum that they had, given particles' velocities before the step.

        The kick (s) is how long forces have acted.
        """

    def strain(self, velocity: FaceField) -> None:
        """Strain the liquid as the velocity of the step does, and let it yield."""


class Elasticity(Protocol):
    """How liquid resists being strained."""

    def at(self, liquid: ElasticLiquid, cells: Cells, solids: Solids, dt: float) -> ElasticStep:
        """See how strained liquid is at the start of a step of dt (s)."""

    def longest_step(self, h: float, dimension: int) -> float:
        """Longest stable time step, s."""


@dataclass(frozen=True, eq=False)
class ViscousOnly:
    """A step of liquid that is not elastic."""

    liquid: ElasticLiquid
    cells: Cells
    solids: Solids

    def settle(self, divergence: NDArray[np.float64], target_fill: float) -> None:
        """Nothing: it flows."""

    def apply(
        self,
        viscosity: Viscosity,
        velocity: FaceField,
        dt: float,
        inlets: RunningInlets | None = None,
        paths: StraightPaths | None = None,
    ) -> ViscousStep:
        """Let viscosity act by itself."""
        return viscosity.apply(velocity, self.cells, self.solids, self.liquid.viscosity, dt, inlets, paths)

    def keep_momentum(self, before: NDArray[np.float32], kick: float) -> None:
        """Nothing: water in a tank is pushed by its walls."""

    def strain(self, velocity: FaceField) -> None:
        """Nothing."""


class NoElasticity:
    """No elasticity at all."""

    def at(self, liquid: ElasticLiquid, cells: Cells, solids: Solids, dt: float) -> ViscousOnly:
        """A step without strain."""
        return ViscousOnly(liquid, cells, solids)

    def longest_step(self, h: float, dimension: int) -> float:
        """Any step is stable."""
        return float("inf")
