"""Implicit viscosity, each component by itself (Cline equations 17 and 20).

    (1 + (dt/h²) Σ ν_n) u_0 - (dt/h²) Σ ν_n u_n = u*_0        over the neighbours n that are known, or held by a wall

The text leaves out 1/h², and prints Δr for Δt. Terms left out shrink the centre's coefficient too. That is div(ν ∇u)
and not the whole stress: right inside a liquid of one viscosity, wrong at a free surface, where it resists rotation and
lets nothing buckle. It is the cheaper of the two schemes for any step.
"""

from __future__ import annotations

from dataclasses import dataclass

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.physics.flow.sources import RunningInlets
from plash.physics.solids.base import Solids
from plash.physics.viscosity.balance import Balance
from plash.physics.viscosity.base import ViscousStep
from plash.physics.viscosity.path_strain import StraightPaths
from plash.physics.viscosity.stress_weights import Scheme
from plash.physics.viscosity.viscous_solve import act_implicitly
from plash.timing import stage


@dataclass(frozen=True)
class ImplicitViscosity:
    """Diffusion of each component of the velocity, for any step.

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
        scheme = Scheme(self.h, coupled=False, harmonic=self.harmonic)
        nu = self.nu if viscosity is None else viscosity
        balanced = self.balance.balanced(velocity, cells, solids, inlets)
        found = act_implicitly((velocity, balanced.velocity), cells, solids, nu, dt, scheme)
        return ViscousStep(found.iterations, found.residual, balanced.pressure, nu)
