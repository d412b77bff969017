"""Viscosity that differs from place to place: by temperature, or because different liquids meet.

Cline's equation 19 with its sign put right, a ramp between points (T_k, μ_k):

    log μ is linear in T between two points, or μ itself is; beyond the first and the last it is constant

Particles know their viscosity, from their temperature or by themselves. Its logarithm is averaged to cell centres, so
that the mean is a geometric one, and continued into the cells round the liquid: viscosities there belong to velocities
at its border.

Reference: Cline section 7.2; Carlson et al. 2002.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.extrapolate import extrapolate
from plash.grid.fields import CellField, FaceField
from plash.particles.particles import Particles
from plash.particles.scalars import cell_means
from plash.scene.liquid import Liquid
from plash.timing import stage

Array = NDArray[np.float64]

_LAYERS = 4  # of cells: two to fill what particles leave out at walls, and two round the liquid


class ViscosityField(Protocol):
    """Where the liquid is how thick."""

    def at(self, particles: Particles, cells: Cells) -> CellField | None:
        """Kinematic viscosity (m²/s) at the centres of liquid cells and round them; None if it is the same everywhere.

        It is unknown (NaN) further away.
        """


class OneViscosity:
    """The same everywhere."""

    def at(self, particles: Particles, cells: Cells) -> None:
        """None: there is no need of a field."""


@dataclass(frozen=True)
class ByTemperature:
    """As warm as it is.

    Attributes:
        liquid: As the scene has it, with its viscosity at some temperatures.
    """

    liquid: Liquid

    def at(self, particles: Particles, cells: Cells) -> CellField:
        """From the temperatures of particles."""
        logarithms = log_viscosity_at(self.liquid, particles.temperature[0])
        return _field(particles, logarithms - math.log(self.liquid.rho), cells)


@dataclass(frozen=True)
class ByParticle:
    """Every particle has its own.

    Attributes:
        rho: Density, kg/m³.
    """

    rho: float

    def at(self, particles: Particles, cells: Cells) -> CellField:
        """From what particles carry."""
        logarithms = particles.log_viscosity[0].astype(np.float64) * math.log(10) - math.log(self.rho)
        return _field(particles, logarithms, cells)


def log_viscosity_at(liquid: Liquid, temperature: Array) -> Array:
    """Natural logarithm of the dynamic viscosity (Pa·s) at temperatures (K)."""
    ramp = liquid.viscosity_ramp
    if ramp is None:
        return np.full(temperature.shape, math.log(liquid.nu * liquid.rho))
    return ramp.logarithms(temperature)


@stage
def _field(particles: Particles, logarithms: Array, cells: Cells) -> CellField:
    means = cell_means(particles, logarithms, cells)
    known = FaceField(means.tiles, means.value.astype(np.float32)[None])
    extrapolate(known, _LAYERS)
    return CellField(means.tiles, np.exp(known.pool[0]))
