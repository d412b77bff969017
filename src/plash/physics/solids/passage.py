"""Bodies on their way through a set of tiles in one step: where they are near, how fast, and what meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SolidFlux
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.particles.collide import Start
from plash.particles.collide_moving import carry_along, collide_with_moving
from plash.particles.particles import Particles
from plash.physics.compatibility import SolidFluxes
from plash.physics.solids.rigid_motion import RigidGroup
from plash.physics.solids.velocity import relative_to_solids


@dataclass(frozen=True, eq=False)
class Passage:
    """The bodies that move.

    Attributes:
        tiles: Where they are looked at.
        moving: The bodies, by motion.
        beside: By slot, whether a particle of this tile can meet one of them.
        reach: How far any of them moves in the step, in cells.
        solid_phis: Distance to each of `moving` at the minimal corner of cells, in cells.
        slots: The tiles near them.
        solid_velocity: Velocity of the nearest body through the minimal faces of these, m/s.
        owner: Which of `moving` is nearest to each of their cells; -1 for one that stands.
    """

    tiles: Tiles
    moving: Sequence[RigidGroup]
    beside: NDArray[np.bool_]
    reach: float
    solid_phis: Sequence[NDArray[np.float32]]
    slots: NDArray[np.int32]
    solid_velocity: NDArray[np.float32]
    owner: NDArray[np.int8]

    def as_seen_from_bodies(self, velocity: FaceField, change: Callable[[FaceField], None]) -> None:
        """Change a velocity as it is relative to the nearest body."""
        relative_to_solids(velocity, self.slots, self.solid_velocity, change)

    def solid_fluxes(self, solid_flux: SolidFlux) -> SolidFluxes:
        """What the bodies push out of cells, of which they are the owners."""
        names = [", ".join(repr(body.name) for body in group.bodies) for group in self.moving]
        return SolidFluxes.by_solids(solid_flux, self.owner, names)

    def trace(self, particles: Particles, start: Start, time: float, dt: float) -> list[NDArray[np.int64]]:
        """Trace a move that began at a time past all bodies that move; returns the particles close to each.

        Their start is then put where the bodies take it: that is outside them, whatever happens.
        """
        close = []
        for group, solid_phi in zip(self.moving, self.solid_phis, strict=True):
            before, after = group.move(time, group.time), group.move(time + dt, group.time)
            way = (before, after, group.solid_velocity, self.reach)
            close.append(collide_with_moving(particles, start, self.tiles, solid_phi, self.beside, *way))
        for group, found in zip(self.moving, close, strict=True):
            carry_along(start, found, group.move(time, time + dt))
        return close
