"""Coupled viscosity: the whole stress, implicitly, in variational form (Batty & Bridson 2008).

The velocity after a step is the one of least

    E(u) = 1/2 |u - u*|²_M + dt Σ ν V |ε|² ,    ε = (∇u + ∇uᵀ)/2

over the free faces, with the volumes V of liquid as weights of strain rates ε at cell centres and on edges. Its
gradient is div(ν (∇u + ∇uᵀ)). The stress on the free surface vanishes by itself: translation and rigid rotation are not
touched, and honey buckles and coils. Energy never grows, whatever dt is. Components act on each other, so all are
solved for together.
"""

from __future__ import annotations

from dataclasses import dataclass

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.particles.particles import Particles
from plash.physics.flow.sources import RunningInlets
from plash.physics.solids.base import Solids
from plash.physics.viscosity.balance import Balance
from plash.physics.viscosity.base import ViscousStep
from plash.physics.viscosity.cling import let_cling
from plash.physics.viscosity.path_strain import StraightPaths
from plash.physics.viscosity.stress_free import continue_stress_free
from plash.physics.viscosity.stress_weights import Scheme
from plash.physics.viscosity.viscous_solve import act_implicitly
from plash.timing import stage


@dataclass(frozen=True)
class CoupledStep(ViscousStep):
    """How the velocity was found, with the whole stress.

    Attributes:
        dt: How long it acted, s.
        h: Cell size, m.
        is_elastic: Whether elastic stress acts as well.
    """

    dt: float = 0.0
    h: float = 1.0
    is_elastic: bool = False

    def hold_alone(self, particles: Particles, velocity: FaceField, cells: Cells) -> None:
        """Let particles that are on their own near the liquid cling to it."""
        if cells.phi is not None:
            let_cling(particles, velocity, cells, self.nu, self.dt, self.h)

    def continue_outside(self, velocity: FaceField, cells: Cells) -> None:
        """Continue the new velocity beyond the surface so that there is no stress."""
        continue_stress_free(velocity, cells, self.is_elastic)


@dataclass(frozen=True)
class CoupledViscosity:
    """The whole viscous stress, for any step.

    Attributes:
        nu: Kinematic viscosity, m²/s, where no field is given.
        h: Cell size, m.
        balance: Makes the velocity that viscosity acts on.
        harmonic: Whether a viscosity that varies has its harmonic mean on edges, else the geometric one.
    """

    nu: float
    h: float
    balance: Balance
    harmonic: bool = True

    def longest_step(self, h: float, dimension: int) -> float:
        """Any step is stable."""
        return float("inf")

    @stage
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
        scheme = Scheme(self.h, coupled=True, harmonic=self.harmonic)
        nu = self.nu if viscosity is None else viscosity
        balanced = self.balance.balanced(velocity, cells, solids, inlets, paths)
        strain = None if paths is None else paths.strain(cells, self.h)
        found = act_implicitly((velocity, balanced.velocity), cells, solids, nu, dt, scheme, strain)
        return CoupledStep(found.iterations, found.residual, balanced.pressure, nu, dt, self.h)
