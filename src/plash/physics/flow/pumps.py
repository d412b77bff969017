"""Pumps: places where liquid is given a velocity, or pushed, in the step of external forces (Cline section 5).

The velocity field is changed, and the liquid reacts as if a force had acted: the pressure sends it on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import WET, Cells
from plash.grid.fields import FaceField
from plash.levelset.inside import Inside
from plash.particles.particles import Particles
from plash.scene.forces import Pump
from plash.timing import stage

Values = NDArray[np.float32]


@dataclass(eq=False)
class Pumping:
    """A pump on a grid.

    Attributes:
        pump: As the scene has it.
        inside: Where it is.
    """

    pump: Pump
    inside: Inside

    @property
    def speed(self) -> float:
        """Speed that it gives to liquid, m/s; zero if it only pushes."""
        return float(np.linalg.norm(self.pump.velocity)) if self.pump.velocity is not None else 0.0

    @stage
    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Set the velocity of every face that is inside and borders liquid, or add dt times the acceleration."""
        if not self.pump.acts(time):
            return
        for axis, places in enumerate(self.inside.faces(cells.tiles)):
            wet = (cells.faces[axis][places] & WET) > 0
            some = tuple(part[wet] for part in places)
            velocity.pool[axis][some] = self._changed(axis, velocity.pool[axis][some], dt)

    @stage
    def add_to_ballistic(self, particles: Particles, time: float, dt: float) -> None:
        """Do the same to particles on their own."""
        if not self.pump.acts(time):
            return
        some = np.flatnonzero(particles.ballistic)
        places = (particles.cell[:, some].astype(np.float64) + particles.offset[:, some]).T * self.inside.h
        some = some[self.inside.points(places)]
        for axis in range(particles.dimension):
            particles.velocity[axis, some] = self._changed(axis, particles.velocity[axis, some], dt)

    def _changed(self, axis: int, values: Values, dt: float) -> Values:
        if self.pump.velocity is not None:
            return np.full_like(values, self.pump.velocity[axis])
        assert self.pump.acceleration is not None
        return values + np.float32(dt * self.pump.acceleration[axis])
