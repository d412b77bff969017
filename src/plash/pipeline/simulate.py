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
from plash.solvers.state import FrameParticles
from plash.stages import StepReport


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
        steps = tuple(steps_to_frame(solver, number, scene.time.fps))
        yield _snapshot(solver, number, steps)


def steps_to_frame(solver: LiquidSolver, number: int, fps: float) -> Iterator[StepReport]:
    """Take steps until the solver is at a frame; yields the report of each."""
    frame_time = (number - 1) / fps
    while solver.state.time < frame_time:
        report = solver.advance(frame_time)
        report.frame = number
        yield report


def _snapshot(solver: LiquidSolver, number: int, steps: tuple[StepReport, ...]) -> Frame:
    state = solver.state
    seen = FrameParticles.of(state.particles, solver.h)
    return Frame(number, state.time, seen, copy.deepcopy(solver.ledger), steps, state.velocity, solver.h)
