"""External forces (Cline step 3b)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import prange

from plash.grid.cells import WET, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_slice
from plash.particles.particles import Particles
from plash.timing import stage


class Force(Protocol):
    """An acceleration field that acts on the liquid."""

    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Add dt times the acceleration to every velocity that borders liquid."""

    def add_to_ballistic(self, particles: Particles, time: float, dt: float) -> None:
        """Add dt times the acceleration to the velocity of every flying particle."""


@dataclass(frozen=True)
class Gravity:
    """The same acceleration everywhere, m/s²."""

    acceleration: tuple[float, ...]

    @stage
    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Set u += dt g on every face that borders liquid."""
        for axis, g in enumerate(self.acceleration):
            if g != 0.0:
                pool, faces = velocity.pool[axis].reshape(-1), cells.faces[axis].reshape(-1)
                _add_constant(pool, faces, np.float32(g * dt), chunk_count())

    @stage
    def add_to_ballistic(self, particles: Particles, time: float, dt: float) -> None:
        """Set u_p += dt g."""
        for axis, g in enumerate(self.acceleration):
            if g != 0.0:
                _add_to_marked(particles.velocity[axis], particles.ballistic, np.float32(g * dt), chunk_count())


@dataclass(frozen=True)
class Forces:
    """Several forces, one after the other."""

    forces: Sequence[Force]
    fastest: float = 0.0  # speed (m/s) that a pump gives to liquid

    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Add every force once."""
        for force in self.forces:
            force.add(velocity, cells, time, dt)

    def add_to_ballistic(self, particles: Particles, time: float, dt: float) -> None:
        """Let every force act on the particles that are on their own."""
        for force in self.forces:
            force.add_to_ballistic(particles, time, dt)


@kernel
def _add_constant(velocity, faces, increment, chunks):
    n = len(velocity)
    for c in prange(chunks):
        part = velocity[chunk_slice(c, chunks, n)]
        bits = faces[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            part[m] = part[m] + increment if bits[m] & WET else part[m]


@kernel
def _add_to_marked(values, marked, increment, chunks):
    n = len(values)
    for c in prange(chunks):
        part = values[chunk_slice(c, chunks, n)]
        wanted = marked[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            part[m] = part[m] + increment if wanted[m] else part[m]
