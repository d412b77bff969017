"""Elastic liquid in a step (Cline section 8): the force of its strain, and new strain from its velocity.

Strain belongs to the times at which particles have their positions, velocity to the middle between them:

    u(n+1/2) = u(n-1/2) + kick 2G/ρ div E(n) ,    E(n+1) = R E(n) Rᵀ + dt T(u(n+1/2)) ,    then yield

So the step is stable, and keeps the energy of waves, for dt ≤ h/(c √(2d)), c² = G/ρ in d dimensions. In longer ones
both are smoothed (`long_steps.py`).

Reference: Cline figure 12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.particles.particles import Particles
from plash.physics.elasticity.base import ElasticLiquid
from plash.physics.elasticity.contact import let_settle
from plash.physics.elasticity.force import add_elastic_force
from plash.physics.elasticity.long_steps import Smoothing
from plash.physics.elasticity.melting import follow_temperature
from plash.physics.elasticity.momentum import LooseBodies, keep_momentum
from plash.physics.elasticity.particle_strain import Constants, StrainHow, particle_load, strain_particles
from plash.physics.elasticity.rates import Rates, rates_of
from plash.physics.elasticity.samples import Pool, StressSamples, stress_samples
from plash.physics.flow.sources import RunningInlets
from plash.physics.solids.base import Solids
from plash.physics.viscosity.base import Viscosity, ViscousStep
from plash.physics.viscosity.coupled import CoupledStep
from plash.physics.viscosity.path_strain import StraightPaths
from plash.physics.viscosity.stress_weights import Scheme
from plash.physics.viscosity.viscous_faces import SIDE_CLOSED, ViscousFaces
from plash.scene.ramps import Ramp

_ROUND_OFF = 1e-9
_WORTH = 2.0  # times longer that smoothed steps have to be: each takes about twice as long
_SAFE = 0.9  # of the longest stable step: beside walls stress is stiffer


class LongSteps(NamedTuple):
    """How long steps may be in which elastic stress is smoothed.

    Attributes:
        courant: Cells that its waves may cross in one.
        seconds: How long one may be, s: swings that take many of these are as they are without smoothing.
    """

    courant: float
    seconds: float


class Strain(Protocol):
    """Who knows how strained the liquid is."""

    def bring(self, liquid: ElasticLiquid, cells: Cells) -> None:
        """Bring the strain of the step before to where the liquid is now."""

    def load(self, liquid: ElasticLiquid, samples: StressSamples) -> Pool:
        """Elastic stress over density (m²/s²) times the liquid that has it, in cells, at the samples."""

    def grow(self, liquid: ElasticLiquid, rates: Rates, samples: StressSamples, dt: float) -> None:
        """Strain the liquid for dt (s) at the rates of its velocity, and let it yield."""


@dataclass(frozen=True)
class OnParticles:
    """Particles carry it.

    Attributes:
        constants: Shear modulus (Pa), yield strain and yield rate (1/s) of particles that have none of their own.
        rho: Density, kg/m³.
        how: How strain grows.
        ramp: By which the shear modulus (Pa) follows the temperature; None if it does not.
    """

    constants: tuple[float, float, float]
    rho: float
    how: StrainHow
    ramp: Ramp | None = None

    def bring(self, liquid: ElasticLiquid, cells: Cells) -> None:
        """Nothing, for particles have brought it; but they may have become warmer or colder."""
        if self.ramp is not None:
            follow_temperature(liquid.particles, self.ramp)

    def load(self, liquid: ElasticLiquid, samples: StressSamples) -> Pool:
        """The sum of what particles bring."""
        return particle_load(liquid.particles, self._constants(liquid.particles), samples, self.rho)

    def grow(self, liquid: ElasticLiquid, rates: Rates, samples: StressSamples, dt: float) -> None:
        """Each particle by itself."""
        constants = self._constants(liquid.particles)
        strain_particles(liquid.particles, constants, rates, samples, dt, self.how)

    def _constants(self, particles: Particles) -> Constants:
        own = particles.elastic
        return Constants(own if len(own) else np.array(self.constants)[:, None])


@dataclass(frozen=True)
class Elastic:
    """Liquid with a shear modulus.

    Attributes:
        strain: Who knows how strained it is.
        modulus: The largest shear modulus of any liquid, Pa.
        rho: Density, kg/m³.
        scheme: Which stress it is, for shares and walls.
        limit: How long steps may be that are smoothed; None if none may be.
        gravity: All that pulls on bodies but walls, m/s² along each axis; None if there may be more.
    """

    strain: Strain
    modulus: float
    rho: float
    scheme: Scheme
    limit: LongSteps | None = None
    gravity: tuple[float, ...] | None = None

    @property
    def firmness(self) -> float:
        """Shear modulus over density, m²/s²: the square of the speed of shear waves."""
        return self.modulus / self.rho

    def longest_step(self, h: float, dimension: int) -> float:
        """Longest step for which the force is stable as it is, or that is allowed with smoothing, s."""
        return longest_elastic_step(self.firmness, h, dimension, self.limit)

    def is_short(self, dt: float, dimension: int) -> bool:
        """Whether the force is stable as it is, for a step of dt (s)."""
        return dt <= longest_elastic_step(self.firmness, self.scheme.h, dimension) * (1 + _ROUND_OFF)

    def at(self, liquid: ElasticLiquid, cells: Cells, solids: Solids, dt: float) -> ElasticMotion:
        """See how strained liquid is at the start of a step of dt (s)."""
        self.strain.bring(liquid, cells)
        return ElasticMotion(self, liquid, cells, solids, dt)


def longest_elastic_step(firmness: float, h: float, dimension: int, limit: LongSteps | None = None) -> float:
    """Longest step (s) on cells of size h (m) for a shear modulus over density (m²/s²).

    It is the longest without smoothing or, where steps with it may be so much longer that they pay, that.

    >>> round(longest_elastic_step(4.0, 0.01, 2), 6), round(longest_elastic_step(4.0, 0.01, 3), 6)
    (0.00225, 0.001837)
    >>> [round(longest_elastic_step(4.0, 0.01, 2, LongSteps(2.0, seconds)), 6) for seconds in (0.004, 0.006, 0.02)]
    [0.00225, 0.006, 0.01]
    """
    unsmoothed = _SAFE * h / math.sqrt(2 * dimension * firmness)
    if limit is None:
        return unsmoothed
    smoothed = min(limit.courant * h / math.sqrt(firmness), limit.seconds)
    return smoothed if smoothed > _WORTH * unsmoothed else unsmoothed


@dataclass(eq=False)
class ElasticMotion:
    """A step of elastic liquid."""

    of: Elastic
    liquid: ElasticLiquid
    cells: Cells
    solids: Solids
    dt: float
    samples: StressSamples | None = None
    smoothing: Smoothing | None = None
    bodies: LooseBodies | None = None

    def settle(self, divergence: NDArray[np.float64], target_fill: float) -> None:
        """Let liquid close the gap to walls that it touches."""
        let_settle(divergence, self.cells, target_fill, self.dt, self.of.scheme.h)

    def apply(
        self,
        viscosity: Viscosity,
        velocity: FaceField,
        dt: float,
        inlets: RunningInlets | None = None,
        paths: StraightPaths | None = None,
    ) -> ViscousStep:
        """Let elastic and viscous stress act for dt (s) on every velocity that borders liquid."""
        scheme, cells, solids, liquid = self.of.scheme, self.cells, self.solids, self.liquid
        faces = ViscousFaces.of(velocity, cells, solids)
        samples = self.samples = stress_samples(faces, cells, scheme, isinstance(self.of.strain, OnParticles))
        if self.of.gravity is not None:
            self.bodies = LooseBodies.of(faces, cells)
        load = self.of.strain.load(liquid, samples)
        if self.of.is_short(self.dt, cells.tiles.dimension):
            add_elastic_force(velocity, load, samples, dt / scheme.h)
        else:
            self.smoothing = Smoothing.of(faces, cells, samples, self.of.firmness, self.dt, scheme)
            self.smoothing.add_force(velocity, load, samples, dt / scheme.h)
        found = viscosity.apply(velocity, cells, solids, liquid.viscosity, dt, inlets, paths)
        thickness = self._thickness(found.nu)
        return CoupledStep(found.iterations, found.residual, found.pressure, thickness, dt, scheme.h, is_elastic=True)

    def _thickness(self, nu: float | CellField) -> float | CellField:
        """Viscosity (m²/s) of a liquid that clings as this one does: its own, and what its modulus is to a step."""
        firmness = np.float32(self.of.firmness * self.dt)
        if isinstance(nu, CellField):
            return CellField(nu.tiles, np.nan_to_num(nu.pool) + firmness)
        return nu + float(firmness)

    def keep_momentum(self, before: NDArray[np.float32], kick: float) -> None:
        """Take back what forces inside a body have given to all of it."""
        if self.bodies is not None and self.of.gravity is not None:
            keep_momentum(self.liquid.particles, self.bodies, before, kick * np.array(self.of.gravity))

    def strain(self, velocity: FaceField) -> None:
        """Strain the liquid as the velocity of the step does, and let it yield."""
        assert self.samples is not None, "stress has not acted yet"
        faces = ViscousFaces.of(velocity, self.cells, self.solids)
        # Liquid may be leaving a side: then the face there has the liquid's velocity
        leaves = (faces.kinds == SIDE_CLOSED) & ~np.isnan(velocity.pool)
        values = np.where(leaves, velocity.pool, faces.velocity)
        if self.smoothing is not None:
            values = self.smoothing.smoothed(values)
        self.of.strain.grow(self.liquid, rates_of(values, self.samples), self.samples, self.dt)
