"""Everything that changes from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.physics.solids.rigid_motion import Poses


@dataclass(eq=False)
class State:
    """The liquid at one moment.

    Attributes:
        particles: The liquid itself.
        velocity: On faces, m/s; None before the first step.
        carried: What particles brought to faces at the start of the last step, m/s; None if the grid carries velocity.
        cells: What each cell holds; None before the first step.
        pressure: In liquid cells, Pa; None before the first step.
        time: Of the particles, s.
        unspent: How far, in s, the velocity reaches beyond the particles' time (steps that cross frames).
        steps: How many steps have been taken.
        target_fill: Fill fraction that the inside of the liquid is kept at: 1, or a little off it to keep volume.
        began: When the last step began, s.
        length: How long it was, s.
        poses: Where the solids that move were when it began, by name.
    """

    particles: Particles
    velocity: FaceField | None = None
    carried: FaceField | None = None
    cells: Cells | None = None
    pressure: CellField | None = None
    time: float = 0.0
    unspent: float = 0.0
    steps: int = 0
    target_fill: float = 1.0
    began: float = 0.0
    length: float = 0.0
    poses: Poses = field(default_factory=dict)

    @property
    def tiles(self) -> Tiles:
        """The tiles that exist."""
        assert self.particles.tiles is not None, "particles have not been sorted yet"
        return self.particles.tiles


@dataclass(frozen=True, eq=False)
class FrameParticles:
    """The particles of a frame, in units for people.

    Attributes:
        position: In metres, one row per particle.
        velocity: In m/s, one row per particle.
        volume: Liquid each one stands for, m³ (m² in 2-D).
        poses: Where solids that move are, by name.
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float32]
    volume: NDArray[np.float64]
    poses: Poses = field(default_factory=dict)

    @staticmethod
    def of(particles: Particles, h: float, poses: Poses) -> FrameParticles:
        """A copy of the particles as they are now, and where solids are; h is the cell size in metres."""
        return FrameParticles(
            particles.position(h),
            np.ascontiguousarray(particles.velocity.T),
            particles.volume.astype(np.float64) * h**particles.dimension,
            poses,
        )

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy of the liquid, J (in 2-D J/m): ρ/2 Σ V |u|², and -ρ Σ V g·x, which is zero at the origin."""
        speed_squared = np.einsum("ij,ij->i", self.velocity, self.velocity, dtype=np.float64)
        return {
            "kinetic": float(rho / 2 * (self.volume @ speed_squared)),
            "potential": float(-rho * (self.volume @ (self.position @ np.array(gravity)))),
        }
