"""What a picture shows: the fluid at one time."""

from __future__ import annotations

from dataclasses import dataclass, field

from plash.grid.volume import Volume
from plash.mesh.mesh import Mesh
from plash.mesh.wetness import Wetness
from plash.particles.particles import Particles
from plash.solvers.frame import FrameParticles
from plash.whitewater.motes import Motes


@dataclass(frozen=True, eq=False)
class Moment:
    """The fluid at the time of one picture; of liquid a look shows either its surface or its particles.

    Attributes:
        mesh: The liquid's surface; empty if the look does not show it.
        particles: The liquid's particles; none if the look does not show them.
        time: Of the frame, s: where solids and a camera that move are.
        volume: Smoke and flames; empty where there are none.
        motes: Spray, foam and bubbles, which are seen with the surface; None without.
        wetness: How wet solids and the floor are, which is seen with the surface; None where all are dry.
    """

    mesh: Mesh
    particles: FrameParticles
    time: float = 0.0
    volume: Volume = field(default_factory=lambda: Volume.empty(3, 1.0))
    motes: Motes | None = None
    wetness: Wetness | None = None


def no_particles(dimension: int) -> FrameParticles:
    """The particles of a liquid that has none, or does not show them."""
    return FrameParticles.of(Particles(dimension), 1.0)
