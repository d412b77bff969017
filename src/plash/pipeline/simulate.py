"""The frame loop, in memory: a scene in, frames out, nothing written to disk."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

from plash.scene.language.read import as_scene
from plash.scene.model import Scene
from plash.solvers.build import build
from plash.solvers.frame import Frame
from plash.solvers.solver import SceneSolver
from plash.timing import StepReport


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


def steps_to_frame(solver: SceneSolver, number: int, fps: float) -> Iterator[StepReport]:
    """Take steps until the solver is at a frame; yields the report of each."""
    frame_time = (number - 1) / fps
    while solver.state.time < frame_time:
        report = solver.advance(frame_time)
        report.frame = number
        yield report


def _snapshot(solver: SceneSolver, number: int, steps: tuple[StepReport, ...]) -> Frame:
    return Frame(number, solver.state.time, solver.snapshot(), copy.deepcopy(solver.ledger), steps)
