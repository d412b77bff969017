"""What a scheme of viscosity does in a step, and the one that does nothing.

Reference: Cline step 3c and section 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.particles.particles import Particles
from plash.physics.flow.sources import RunningInlets
from plash.physics.pressure import KnownPressure
from plash.physics.solids.base import Solids
from plash.physics.viscosity.path_strain import StraightPaths


@dataclass(frozen=True)
class ViscousStep:
    """How the velocity after viscosity was found.

    Attributes:
        iterations: Conjugate-gradient iterations; 0 if nothing had to be solved.
        residual: True residual over the change of momentum that viscosity made.
        pressure: What bore the liquid's weight while it acted; None if nobody asked.
        nu: Kinematic viscosity that acted, m²/s: one number, or at cell centres.
    """

    iterations: int = 0
    residual: float = 0.0
    pressure: KnownPressure | None = None
    nu: float | CellField = 0.0

    def continue_outside(self, velocity: FaceField, cells: Cells) -> None:
        """Continue the new velocity beyond the surface as the stress there asks for: nothing, if it is not known."""

    def hold_alone(self, particles: Particles, velocity: FaceField, cells: Cells) -> None:
        """Let the liquid hold particles that are on their own near it: not at all, if it is thin."""


class Viscosity(Protocol):
    """How momentum spreads inside the liquid."""

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
        """Let viscosity act for dt on every velocity that borders liquid; tells how it was found.

        Args:
            velocity: On faces, m/s; unknown ones take no part.
            cells: Where the liquid is.
            solids: Walls, and how fast they move.
            viscosity: Kinematic viscosity at cell centres, m²/s, known in liquid cells and 2 cells round them; None
                for a liquid with one viscosity.
            dt: How long it acts, s.
            inlets: The spouts, and what else comes into cells or goes.
            paths: How liquid moves in the step; None where it does not.
        """

    def longest_step(self, h: float, dimension: int) -> float:
        """Longest stable time step, s."""


@dataclass(frozen=True)
class Inviscid:
    """No viscosity at all."""

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
        """Nothing."""
        return ViscousStep()

    def longest_step(self, h: float, dimension: int) -> float:
        """Any step is stable."""
        return float("inf")
