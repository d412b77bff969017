"""The frame loop, in memory: a scene in, frames out, nothing written to disk."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.grid.fields import FaceField
from plash.grid.sample import velocity_at
from plash.scene.model import Scene
from plash.solvers.build import build
from plash.solvers.ledger import Ledger
from plash.solvers.liquid import LiquidSolver
from plash.stages import StepReport


@dataclass(frozen=True, eq=False)
class FrameParticles:
    """The particles of a frame.

    Attributes:
        position: In metres, one row per particle.
        velocity: In m/s, one row per particle.
        volume: Liquid each one stands for, m³ (m² in 2-D).
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float32]
    volume: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Frame:
    """The liquid at the moment of one picture; a snapshot that later frames do not change.

    Attributes:
        number: 1, 2, ...; frame 1 is the state at the start.
        time: Simulated time, s.
        particles: The liquid.
        ledger: Volumes up to now.
        steps: What each time step since the frame before did.
    """

    number: int
    time: float
    particles: FrameParticles
    ledger: Ledger
    steps: tuple[StepReport, ...]
    _field: FaceField | None
    _h: float

    @property
    def report(self) -> StepReport:
        """What the last time step did."""
        return self.steps[-1] if self.steps else StepReport()

    def velocity(self, points: ArrayLike) -> NDArray[np.float64]:
        """Velocity of the liquid (m/s) at points (n, dimension) in metres; NaN where there is no liquid near."""
        places = np.atleast_2d(np.asarray(points, np.float64))
        if self._field is None:
            return np.full(places.shape, np.nan)
        return velocity_at(self._field, places, self._h)


def simulate(scene: Scene) -> Iterator[Frame]:
    """Simulate a scene, frame by frame.

    Example:
        >>> import plash
        >>> scene = plash.load_scene("dam_break_2d", resolution=16, frames=3)
        >>> [frame.number for frame in plash.simulate(scene)]
        [1, 2, 3]
    """
    solver = build(scene)
    yield _snapshot(solver, 1, ())
    for number in range(2, scene.time.frames + 1):
        frame_time = (number - 1) / scene.time.fps
        steps = []
        while solver.state.time < frame_time:
            report = solver.advance(frame_time)
            report.frame = number
            steps.append(report)
        yield _snapshot(solver, number, tuple(steps))


def _snapshot(solver: LiquidSolver, number: int, steps: tuple[StepReport, ...]) -> Frame:
    state = solver.state
    particles = state.particles
    seen = FrameParticles(
        particles.position(solver.h),
        np.ascontiguousarray(particles.velocity.T),
        particles.volume.astype(np.float64) * solver.h**particles.dimension,
    )
    return Frame(number, state.time, seen, copy.deepcopy(solver.ledger), steps, state.velocity, solver.h)
