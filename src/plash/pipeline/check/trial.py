"""How many steps a run will need and how fast its liquid will be, from runs of the same scene on coarse cells.

Liquid on small cells is faster: sheets and jets are thinner there. How much is found from two grids, as a power of the
cell size, and carried on to the cells of the scene:

    speed(h) = speed(H) (H/h)^p        p from the mean speeds of both, between 0 and 0.4; 0.25 where they cannot tell

A step of the coarse run then stands for dt / limit(speed) steps of the fine one. What a trial has no time for is told
by the coarser one; what neither has seen is taken to be like the second half of what was seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from plash.errors import DivergedError, SceneError
from plash.pipeline.compiling import COMPILING, begun_to_compile
from plash.pipeline.simulate import steps_to_frame
from plash.scene.model import Scene
from plash.solvers.build.liquid import build_liquid
from plash.solvers.liquid import LiquidSolver
from plash.timing import StepReport

_MOST_GROWTH, _USUAL_GROWTH = 0.4, 0.25  # the largest power p, and what it is where trials cannot tell
_ALIKE = 1.2  # cells whose sizes differ by less tell no power
_FEW = 5  # and neither do so few frames
_MOST_REPEATED = 100_000  # times that steps of a frame that was cut short are taken to be repeated


@dataclass(frozen=True, eq=False)
class Trial:
    """A run on coarse cells: what its steps did, frame by frame from the second on, and where it ended."""

    solver: LiquidSolver
    frames: Sequence[Sequence[StepReport]]

    @property
    def h(self) -> float:
        """Its cell size, m."""
        return self.solver.h

    @property
    def seconds_of_step(self) -> float:
        """Time of a step."""
        return median([seconds_of(report) for steps in self.frames for report in steps] or [0.0])

    def mean_speed(self, frames: int) -> float:
        """Speed of the liquid in its first frames, m/s."""
        return fmean(_speed(report, self.h) for steps in self.frames[:frames] for report in steps)


@dataclass(frozen=True)
class Forecast:
    """What trials tell of a run.

    Attributes:
        steps: Time steps.
        fastest: Speed that the liquid reaches, m/s.
        unseen: Frames at the end that no trial has seen.
    """

    steps: int
    fastest: float
    unseen: int


def run_trial(scene: Scene, coarse: Scene, longest: float) -> Trial:
    """Run a scene on coarse cells, or on its own if those cannot hold it, as long as it lasts, or some seconds."""
    try:
        solver = build_liquid(coarse)
    except SceneError:
        solver = build_liquid(scene)
    frames: list[list[StepReport]] = []
    try:
        solver.advance(1e-6 / scene.time.fps)  # compiles, and fills the caches
        is_over = patience(longest)
        for number in range(2, scene.time.frames + 1):
            steps = _steps_of_frame(solver, number, scene.time.fps, is_over)
            if is_over() and frames and solver.state.time < (number - 1) / scene.time.fps:
                break  # a frame that was cut short tells less than those before
            frames.append(steps)
            if is_over():
                break
    except DivergedError:
        pass  # as far as coarse cells can tell: walls that are thinner than they are may seal liquid in
    return Trial(solver, frames)


def _steps_of_frame(solver: LiquidSolver, number: int, fps: float, is_over: Callable[[], bool]) -> list[StepReport]:
    """The steps to a frame; if time is over before it is reached, those that were taken, as often as it needs."""
    start, steps = solver.state.time, []
    for report in steps_to_frame(solver, number, fps):
        steps.append(report)
        if is_over():
            break
    left = (number - 1) / fps - start
    return steps * max(1, min(_MOST_REPEATED, round(left / max(solver.state.time - start, 1e-300))))


def patience(seconds: float) -> Callable[[], bool]:
    """Start waiting; what is returned tells whether so many seconds of work are over.

    Those are seconds of the processor, so that a busy machine sees as much as an idle one; but it waits at most
    three times as long. Whenever something was compiled, it starts anew.
    """
    start, work, begun = time.perf_counter(), time.thread_time(), begun_to_compile()

    def is_over() -> bool:
        nonlocal start, work, begun
        if begun_to_compile() != begun:
            start, work, begun = time.perf_counter(), time.thread_time(), begun_to_compile()
        return time.thread_time() - work > seconds or time.perf_counter() - start > 3 * seconds

    return is_over


def seconds_of(report: StepReport) -> float:
    """Time of a step, without that of compiling what is used for the first time."""
    return sum(spent for name, spent in report.seconds.items() if name != COMPILING)


def forecast(scene: Scene, trials: Sequence[Trial]) -> Forecast:
    """Steps and speeds of a scene from trials, the finest first."""
    finest = trials[0]
    stresses = (finest.solver.viscosity, finest.solver.elasticity)
    own = min(stress.longest_step(scene.domain.h, scene.dimension) for stress in stresses)
    fine = replace(finest.solver.time_step, h=scene.domain.h, own_limit=own)
    power = _growth(trials)
    needed: list[int] = []
    fastest = 0.0
    for trial in trials:
        gain = (trial.h / scene.domain.h) ** power
        for steps in trial.frames[len(needed) :]:
            speeds = [gain * _speed(report, trial.h) for report in steps]
            parts = sum(report.dt / fine.limit(speed) for report, speed in zip(steps, speeds, strict=True))
            needed.append(max(1, math.ceil(parts - 1e-6)))
            fastest = max(fastest, median(speeds))  # a single step may err, where coarse cells squeeze liquid
    frames = scene.time.frames - 1
    return Forecast(over_all(needed, frames), fastest, frames - len(needed))


def over_all(needed: Sequence[int], frames: int) -> int:
    """Steps of all frames, from those of the first ones: the rest is like the second half of them.

    >>> over_all([9, 9, 4, 4], 10)
    50
    """
    left = frames - len(needed)
    return round(sum(needed) + left * fmean(needed[len(needed) // 2 :] or [1]))


def _growth(trials: Sequence[Trial]) -> float:
    """The power of the cell size by which speeds grow, from the frames that two trials have in common."""
    if len(trials) < 2 or trials[1].h < _ALIKE * trials[0].h:
        return _USUAL_GROWTH
    common = min(len(trial.frames) for trial in trials)
    speeds = [trial.mean_speed(common) for trial in trials] if common >= _FEW else [0.0]
    if not all(speed > 0 for speed in speeds):
        return _USUAL_GROWTH
    power = math.log(speeds[0] / speeds[1]) / math.log(trials[1].h / trials[0].h)
    return min(max(power, 0.0), _MOST_GROWTH)


def _speed(report: StepReport, h: float) -> float:
    return report.courant * h / report.dt
