"""The frame loop, in memory: a scene in, frames out, nothing written to disk."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.grid.fields import FaceField
from plash.grid.sample import velocity_at
from plash.scene.language.read import as_scene
from plash.scene.model import Scene
from plash.solvers.box_state import FrameGrids
from plash.solvers.build import build
from plash.solvers.ledger import Ledger
from plash.solvers.liquid import LiquidSolver
from plash.solvers.solver import Snapshot, Solver
from plash.solvers.state import FrameParticles
from plash.timing import StepReport


@dataclass(frozen=True, eq=False)
class Frame:
    """The liquid at the moment of one picture; a snapshot that later frames do not change.

    Attributes:
        number: 1, 2, ...; frame 1 is the state at the start.
        time: Simulated time, s.
        seen: What it shows: the particles of a liquid, or the grids of stable fluids.
        ledger: Volumes up to now.
        steps: What each time step since the frame before did.
    """

    number: int
    time: float
    seen: Snapshot
    ledger: Ledger
    steps: tuple[StepReport, ...]
    _field: FaceField | None
    _h: float

    @property
    def particles(self) -> FrameParticles:
        """The particles of a liquid."""
        if isinstance(self.seen, FrameParticles):
            return self.seen
        raise AttributeError("stable fluids have no particles: their liquid is where frame.density is")

    @property
    def density(self) -> NDArray[np.float32]:
        """Share of liquid in each cell [[z,] y, x], of stable fluids; their velocity there is `grids.velocity`."""
        return self.grids.density

    @property
    def temperature(self) -> NDArray[np.float32] | None:
        """In each cell [[z,] y, x] of stable fluids, K; None if nothing is warmer than the rest."""
        return self.grids.temperature

    @property
    def grids(self) -> FrameGrids:
        """Density, velocity and temperature at the centres of cells, of stable fluids."""
        if isinstance(self.seen, FrameGrids):
            return self.seen
        raise AttributeError("a liquid in air has no grid of density: it is where frame.particles are")

    @property
    def report(self) -> StepReport:
        """What the last time step did."""
        return self.steps[-1] if self.steps else StepReport()

    def velocity(self, points: ArrayLike) -> NDArray[np.float64]:
        """Velocity of the liquid (m/s) at points (n, dimension) in metres; NaN where there is no liquid near."""
        places = np.atleast_2d(np.asarray(points, np.float64))
        if isinstance(self.seen, FrameGrids):
            return self.seen.velocity_at(places)
        if self._field is None:
            return np.full(places.shape, np.nan)
        return velocity_at(self._field, places, self._h)


def simulate(scene: Scene | str | Path) -> Iterator[Frame]:
    """Simulate a scene, frame by frame.

    Args:
        scene: A scene, a name from `plash.gallery()`, or the path of a scene file.

    Raises:
        SceneError: There is no such scene, or it cannot be simulated as it is.

    Example:
        >>> import plash
        >>> scene = plash.load_scene("dam_break_2d", resolution=16, frames=3)
        >>> [frame.number for frame in plash.simulate(scene)]
        [1, 2, 3]
    """
    return _frames(as_scene(scene))


def _frames(scene: Scene) -> Iterator[Frame]:
    solver = build(scene)
    yield _snapshot(solver, 1, ())
    for number in range(2, scene.time.frames + 1):
        steps = tuple(steps_to_frame(solver, number, scene.time.fps))
        yield _snapshot(solver, number, steps)


def steps_to_frame(solver: Solver, number: int, fps: float) -> Iterator[StepReport]:
    """Take steps until the solver is at a frame; yields the report of each."""
    frame_time = (number - 1) / fps
    while solver.state.time < frame_time:
        report = solver.advance(frame_time)
        report.frame = number
        yield report


def _snapshot(solver: Solver, number: int, steps: tuple[StepReport, ...]) -> Frame:
    field = solver.state.velocity if isinstance(solver, LiquidSolver) else None
    return Frame(number, solver.state.time, solver.snapshot(), copy.deepcopy(solver.ledger), steps, field, solver.h)
