"""Bodies on their way through a set of tiles in one step: where they are near, how fast, and what meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Swept
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.particles.collide import Start
from plash.particles.collide_moving import carry_along, trace_past
from plash.particles.particles import Particles
from plash.physics.compatibility import Pushes
from plash.physics.solids.rigid_motion import Company
from plash.physics.solids.velocity import relative_to_solids


@dataclass(frozen=True, eq=False)
class Passage:
    """The bodies that move.

    Attributes:
        tiles: Where they are looked at.
        moving: The bodies, by motion.
        beside: By slot, whether a particle of this tile can meet one of them.
        reach: How far any of them moves in the step, in cells.
        gaps: Distance to each of `moving` at the minimal corner of cells, in cells.
        slots: The tiles near them.
        drift: Velocity of the nearest body through the minimal faces of these, m/s.
        owner: Which of `moving` is nearest to each of their cells; -1 for one that stands.
    """

    tiles: Tiles
    moving: Sequence[Company]
    beside: NDArray[np.bool_]
    reach: float
    gaps: Sequence[NDArray[np.float32]]
    slots: NDArray[np.int32]
    drift: NDArray[np.float32]
    owner: NDArray[np.int8]

    def as_seen_from_bodies(self, velocity: FaceField, change: Callable[[FaceField], None]) -> None:
        """Change a velocity as it is relative to the nearest body."""
        relative_to_solids(velocity, self.slots, self.drift, change)

    def pushes(self, swept: Swept) -> Pushes:
        """What the bodies push out of cells, of which they are the owners."""
        names = [", ".join(repr(body.name) for body in company.bodies) for company in self.moving]
        return Pushes.by_solids(swept, self.owner, names)

    def trace(self, particles: Particles, start: Start, time: float, dt: float) -> list[NDArray[np.int64]]:
        """Trace a move that began at a time past all bodies that move; returns the particles close to each.

        Their start is then put where the bodies take it: that is outside them, whatever happens.
        """
        close = []
        for company, gap in zip(self.moving, self.gaps, strict=True):
            before, after = company.move(time, company.time), company.move(time + dt, company.time)
            way = (before, after, company.drift, self.reach)
            close.append(trace_past(particles, start, self.tiles, gap, self.beside, *way))
        for company, found in zip(self.moving, close, strict=True):
            carry_along(start, found, company.move(time, time + dt))
        return close
