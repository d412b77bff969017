"""What a run of smoke will cost: only air near smoke is followed, so a coarse run has to tell how much that is.

The share of space that is followed is taken to be the same on finer cells, where it is rather less. The time of a step
grows with the cells that are followed, and so does the number of steps with the speed in cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import median
from typing import ClassVar

from plash.pipeline.check.cost import Estimate, estimated
from plash.pipeline.check.findings import liquid_volume
from plash.pipeline.check.trial import over_all, patience, seconds_of
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages.simulation import SIMULATION
from plash.scene.model import Scene
from plash.scene.smoke_settings import SmokeSettings
from plash.solvers.build.smoke import build_smoke

_COARSE = {2: 4_000, 3: 30_000}  # cells of the domain in the run that finds speeds and times
_LONGEST = 4.0  # seconds for it
_PROGRAM = 5e8  # bytes: Python, NumPy, the compiled kernels and the buffers of a picture
_ARRAYS = 60  # numbers of four bytes a followed cell that a step holds at once
_PIXEL = 0.3  # bytes of a picture


class SmokeEstimate(Estimate):
    """What a run of smoke will cost; `liquid_cells` are those in which air is followed, at the most."""

    fluid: ClassVar[str] = "followed air"


@estimated.register
def _(settings: SmokeSettings, scene: Scene, with_steps: bool) -> Estimate:
    """What a run of a scene of smoke will cost; without steps, no times."""
    frames = scene.time.frames
    start = round(liquid_volume(scene) / scene.domain.h**scene.dimension) if scene.fill else 0
    known = _with_followed(scene, start)
    if not with_steps:
        return known
    trial = _trial(scene)
    finer = (trial.h / scene.domain.h) ** scene.dimension
    steps = over_all(trial.needed, frames - 1)
    seconds = {SIMULATION.name: steps * trial.seconds_of_cell * trial.followed * finer}
    cost = _with_followed(scene, max(start, round(trial.followed * finer)))
    unseen = frames - 1 - len(trial.needed)
    return replace(cost, steps=steps, fastest=trial.fastest, seconds=seconds, unseen=unseen)


def _with_followed(scene: Scene, followed: int) -> Estimate:
    """The estimate with so many cells followed at the most."""
    frames, fields = scene.time.frames, 1 + scene.has_heat + 3 * bool(scene.smoke_colors)
    kept = 2 + math.log2(max(frames / scene.output.checkpoint_every, 1))
    files = frames * (4 * followed * fields + _PIXEL * scene.look.width**2)
    return SmokeEstimate(
        cells=math.prod(scene.domain.cells),
        liquid_cells=followed,
        particles=0,
        memory=_PROGRAM + 4 * _ARRAYS * followed,
        disk=files + kept * 4 * followed * (fields + scene.dimension),
        steps=0,
        fastest=0.0,
        seconds={},
    )


@dataclass(frozen=True)
class _Trial:
    """What the coarse run found; `needed` are the steps that the scene's own grid needs, frame by frame."""

    h: float
    followed: int
    seconds_of_cell: float
    needed: list[int]
    fastest: float


def _trial(scene: Scene) -> _Trial:
    """Run the scene on a coarse grid for as long as it lasts, or some seconds."""
    solver = build_smoke(_coarser(scene))
    solver.advance(1e-6 / scene.time.fps)  # compiles, and fills the caches
    is_over = patience(_LONGEST)
    followed, fastest = 0, 0.0
    costs: list[float] = []
    needed: list[int] = []
    for number in range(2, scene.time.frames + 1):
        for report in steps_to_frame(solver, number, scene.time.fps):
            followed = max(followed, report.liquid_cells)
            fastest = max(fastest, report.courant * solver.h / report.dt)
            costs.append(seconds_of(report) / max(report.liquid_cells, 1))
            if is_over():
                break  # in the midst of a frame, which may need very many steps
        limit = solver.time_step.limit(solver.speed) * scene.domain.h / solver.h
        needed.append(max(1, math.ceil(1 / (scene.time.fps * limit) - 1e-9)))
        if is_over():
            break
    return _Trial(solver.h, followed, median(costs) if costs else 0.0, needed, fastest)


def _coarser(scene: Scene) -> Scene:
    """The scene on cells so large that its domain has about as many as a trial takes; never finer than it is."""
    domain = scene.domain
    wanted = (math.prod(domain.size) / _COARSE[scene.dimension]) ** (1 / scene.dimension)
    if wanted <= domain.h:
        return scene
    coarse = domain.with_values(resolution=None, cell_size=min(wanted, min(domain.size) / 4))
    return scene if coarse.h <= domain.h else scene.with_values(domain=coarse)
