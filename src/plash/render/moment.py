"""What a picture shows: the liquid at one time."""

from __future__ import annotations

from dataclasses import dataclass

from plash.mesh.mesh import Mesh
from plash.particles.particles import Particles
from plash.solvers.frame import FrameParticles


@dataclass(frozen=True, eq=False)
class Moment:
    """The liquid at the time of one picture; a look shows either its surface or its particles.

    Attributes:
        mesh: The liquid's surface; empty if the look does not show it.
        particles: The liquid's particles; none if the look does not show them.
        time: Of the frame, s: where solids and a camera that move are.
    """

    mesh: Mesh
    particles: FrameParticles
    time: float = 0.0


def no_particles(dimension: int) -> FrameParticles:
    """The particles of a liquid that has none, or does not show them."""
    return FrameParticles.of(Particles(dimension), 1.0)
