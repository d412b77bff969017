"""Elastic stress in steps longer than its waves allow: what is too short for the step is smoothed.

With K the stiffness of the grid (K u = -div(2 G/ρ T(u))) a step without smoothing is stable for dt² K < 4. So both the
kick and the velocity that strains the liquid are smoothed by

    F = A + A (1 - A) ,    A = (1 + b dt² K)⁻¹ ,    b = 0.31

The liquid then has the stiffness F K F, which is symmetric and at most 0.62/(b dt²) = 2/dt²: no step is too long, also
with the projection of the pressure between kick and strain, and no energy is gained. Waves that take many steps are as
stiff as before, within 0.2 (ω dt)⁴; those shorter than c dt are softer. With F = A, b = 1/8, it would be (ω dt)²/4, and
a body that lands was squeezed by 3 to 7 % too much. F leaves rigid motion alone. A is the matrix of a viscous stress
with ν dt = b dt² G/ρ, and held and closed walls are in it.

Reference: García-Archilla, Sanz-Serna & Skeel 1999, for forces smoothed on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.physics.elasticity.force import add_elastic_force
from plash.physics.elasticity.samples import Pool, StressSamples
from plash.physics.viscosity.stress_operator import StressOperator
from plash.physics.viscosity.stress_weights import Scheme, stress_operator
from plash.physics.viscosity.viscous_faces import FREE, ViscousFaces
from plash.physics.viscosity.viscous_solve import solve_viscosity
from plash.timing import stage

_SMOOTHING = 0.31  # b


@dataclass(frozen=True, eq=False)
class Smoothing:
    """F, for a step.

    Attributes:
        operator: 1 + b dt² K, times the mass of faces.
        faces: What faces are.
    """

    operator: StressOperator
    faces: ViscousFaces

    @staticmethod
    def of(
        faces: ViscousFaces, cells: Cells, samples: StressSamples, firmness: float, dt: float, scheme: Scheme
    ) -> Smoothing:
        """That of a step of dt (s), for a shear modulus over density (m²/s²)."""
        operator = stress_operator(faces, cells, firmness, _SMOOTHING * dt**2, scheme)
        return Smoothing(replace(operator, mass=np.where(operator.mass > 0, samples.mass, np.float32(0))), faces)

    @stage
    def add_force(self, velocity: FaceField, load: Pool, samples: StressSamples, scale: float) -> None:
        """Let a stress act on free faces, smoothed; arguments as of `add_elastic_force`."""
        kick = FaceField(velocity.tiles, np.zeros_like(velocity.pool))
        add_elastic_force(kick, load, samples, scale)
        smooth = self.smoothed(kick.pool)
        velocity.pool = np.where(self.faces.kinds == FREE, velocity.pool + smooth, velocity.pool)

    @stage
    def smoothed(self, velocity: Pool) -> Pool:
        """A velocity [axis, slot, z, y, x] (m/s), which is that of walls on their own, smoothed."""
        once = self._smoothed_once(velocity)
        return once + self._smoothed_once(velocity - once)

    def _smoothed_once(self, velocity: Pool) -> Pool:
        faces = replace(self.faces, velocity=velocity.copy())
        solve_viscosity(self.operator, faces)
        return faces.velocity
