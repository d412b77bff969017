"""What a picture shows: the liquid or the smoke at one time."""

from __future__ import annotations

from dataclasses import dataclass, field

from plash.grid.volume import Volume
from plash.mesh.mesh import Mesh
from plash.particles.particles import Particles
from plash.solvers.frame import FrameParticles


@dataclass(frozen=True, eq=False)
class Moment:
    """The liquid or smoke at the time of one picture; a look shows its surface, its particles, or a volume.

    Attributes:
        mesh: The liquid's surface; empty if the look does not show it.
        particles: The liquid's particles; none if the look does not show them.
        time: Of the frame, s: where solids and a camera that move are.
        volume: The smoke; empty if the look does not show it.
    """

    mesh: Mesh
    particles: FrameParticles
    time: float = 0.0
    volume: Volume = field(default_factory=lambda: Volume.empty(3, 1.0))


def no_particles(dimension: int) -> FrameParticles:
    """The particles of a liquid that has none, or does not show them."""
    return FrameParticles.of(Particles(dimension), 1.0)
