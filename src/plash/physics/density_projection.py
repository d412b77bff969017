"""Density projection: particles kept evenly spread, so that the volume they carry is the volume that is seen.

    -∇²P = e ,    δx = -∇P ,    e the density error of `particles/density.py`, P = 0 on the free surface

with no flux through walls. Moving particles by δx removes the error to first order and changes no velocity. The
equations are those of the pressure with another right-hand side: same cells, same surface, same operator. So the
error is that of the particles the step began with, and they are moved before they are carried along; it needs no
second sort, fill fraction, operator or preconditioner. What the surface adds to the pressure's right-hand side is no
part of it. Reference: Kugelstadt et al. 2019.

Inside the liquid that keeps f at 1. Right under the surface only e > 0 is known, and in minutes of calm particles there
rise by a few hundredths of a cell. The rest fill, which the projection aims at, takes that back:

    f_rest += dt/T (V/V_0 - 1) ,    V the volume of {φ < 0}, V_0 what particles carry that are not flying
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.linear.operators import Pool64
from plash.linear.pcg import Solution
from plash.linear.system import PoissonSystem
from plash.particles.density import density_error, displace_particles, sum_of_squares
from plash.particles.particles import Particles
from plash.physics.free_surface import FreeSurface
from plash.physics.solids.base import Solids
from plash.physics.solids.wall_separation import parted_system, separate_from_walls
from plash.timing import stage

_RESPONSE = 10.0  # T, s: longer than a splash, in which thin sheets are not seen, and shorter than a drift
_CROWDED = 0.07  # density error above which particles are spread once more
_LARGEST_SHIFT = 0.0075  # of the target fill: an under-resolved jet must not raise the pool


class DensityCorrection(Protocol):
    """How particles are kept apart."""

    def target_fill(self, before: float, particles: Particles, volume: float, dt: float) -> float:
        """The fill fraction to aim at after a step of dt, given that of the step before and the volume, in cells."""

    def are_crowded(self, cells: Cells, target_fill: float) -> bool:
        """Whether particles are so uneven that they should be spread before the step begins."""

    def correct(
        self,
        particles: Particles,
        cells: Cells,
        solids: Solids,
        system: PoissonSystem,
        target_fill: float,
        dt: float,
        separating_walls: bool = False,
    ) -> Solution:
        """Spread particles evenly in a step of dt (s), given where liquid was found and the equations of its pressure.

        Separating walls draw no particle: liquid may be about to leave them, and the cells beside them do not know yet.

        Returns:
            How the solve went; one that did not converge leaves the rest of the error to the next step.
        """


@dataclass(frozen=True)
class NoDensityCorrection:
    """Particles stay where the velocity carries them."""

    def target_fill(self, before: float, particles: Particles, volume: float, dt: float) -> float:
        """As before."""
        return before

    def are_crowded(self, cells: Cells, target_fill: float) -> bool:
        """No."""
        return False

    def correct(
        self,
        particles: Particles,
        cells: Cells,
        solids: Solids,
        system: PoissonSystem,
        target_fill: float,
        dt: float,
        separating_walls: bool = False,
    ) -> Solution:
        """Nothing."""
        return Solution()


@dataclass(frozen=True)
class DensityProjection:
    """Particles are pushed from where they are too dense to where they are too sparse.

    Attributes:
        free_surface: How pressure meets the air.
        tolerance: Relative size of the residual: what is left of the error is in the next step's.
        time: In which errors fall to 1/e, s; 0 is at once. Noise must not push elastic liquid out of its shape.
    """

    free_surface: FreeSurface
    tolerance: float = 0.1
    time: float = 0.0

    def target_fill(self, before: float, particles: Particles, volume: float, dt: float) -> float:
        """Follow the volume that is seen, slowly: denser where there is too much of it.

        Not that of elastic liquid: its corners are sharper than the surface that is seen, and stay.
        """
        if self.time > 0:
            return before
        carried = particles.volume_in_liquid()
        if carried == 0:
            return before
        shifted = before + dt / _RESPONSE * (volume / carried - 1)
        return min(max(shifted, 1 - _LARGEST_SHIFT), 1 + _LARGEST_SHIFT)

    def are_crowded(self, cells: Cells, target_fill: float) -> bool:
        """Whether the root mean square of the error is above that of particles in a steady flow."""
        squares = sum_of_squares(density_error(cells, target_fill), cells.liquid_tiles)
        return squares > _CROWDED**2 * cells.liquid_count

    def correct(
        self,
        particles: Particles,
        cells: Cells,
        solids: Solids,
        system: PoissonSystem,
        target_fill: float,
        dt: float,
        separating_walls: bool = False,
    ) -> Solution:
        """Move particles by -∇P."""
        potential, solution = _solve_density(system, density_error(cells, target_fill), self.tolerance)
        parted = separate_from_walls(cells, potential, system.closed) if separating_walls else None
        if parted is not None:
            system = parted_system(self.free_surface, parted, system)
            return self.correct(particles, parted, solids, system, target_fill, dt)
        displacement = FaceField.filled(cells.tiles, 0.0)
        self.free_surface.subtract_gradient(displacement, potential, cells)
        solids.enforce_slip(displacement, cells)
        if self.time > 0:
            displacement.pool *= np.float32(-math.expm1(-dt / self.time))
        start = solids.remember(particles)
        displace_particles(particles, displacement)
        solids.collide_displaced(particles, start, keep_velocity=True)
        return solution


@stage
def _solve_density(system: PoissonSystem, error: Pool64, tolerance: float) -> tuple[Pool64, Solution]:
    return system.solve(error, tolerance)
