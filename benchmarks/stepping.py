"""Timed steps of the benchmark scene, recorded once and used by several benchmarks."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass

import numba

from benchmarks.plan import Plan
from benchmarks.progress import progress
from benchmarks.triad import thread_counts
from plash import Scene, load_scene
from plash.solvers.build.liquid import build_liquid
from plash.timing import StepReport


@dataclass(frozen=True)
class Step:
    """One timed step.

    Attributes:
        seconds: Wall-clock seconds of the whole step.
        report: What the step did, with the seconds of its stages.
        tile_cells: Cells of all tiles.
        liquid_tile_cells: Cells of the tiles that hold liquid.
    """

    seconds: float
    report: StepReport
    tile_cells: int
    liquid_tile_cells: int

    @property
    def seconds_per_cell(self) -> float:
        """Wall-clock seconds per liquid cell."""
        return self.seconds / self.report.liquid_cells

    @property
    def work(self) -> tuple[int, ...]:
        """Numbers that two steps doing the same work have in common."""
        report = self.report
        return report.liquid_cells, report.tiles, report.particles, report.iterations


class Stepper:
    """A scene that is stepped under the clock, from frame to frame as `plash.simulate` does."""

    def __init__(self, scene: Scene) -> None:
        self.solver = build_liquid(scene)
        self.fps = scene.time.fps
        self.frame = 1

    def step(self, threads: int) -> Step:
        """Take one step with this many threads."""
        numba.set_num_threads(threads)
        frame_time = self.frame / self.fps
        start = time.perf_counter()
        report = self.solver.advance(frame_time)
        seconds = time.perf_counter() - start
        state = self.solver.state
        if state.time >= frame_time:
            self.frame += 1
        assert state.cells is not None
        size = state.cells.label[0].size
        return Step(seconds, report, state.tiles.count * size, len(state.cells.liquid_tiles) * size)


PLAIN = "plain flip"
_PLAIN = {"solver.free_surface": "staircase", "solver.density_projection": False, "solver.separating_walls": False}


def bench_scene(resolution: int, transfer: str) -> Scene:
    """The dam break that figures of speed are quoted for; plain FLIP is without what goes beyond Cline's step."""
    if transfer == PLAIN:
        return load_scene("bench_dam_break", resolution=resolution, transfer="flip", **_PLAIN)
    return load_scene("bench_dam_break", resolution=resolution, transfer=transfer)


def alternate(steppers: list[tuple[Stepper, int]], warm_up: int, steps: int) -> list[list[Step]]:
    """Step several steppers in turn, each with its number of threads; the first steps are not kept.

    Whoever goes first changes from step to step: noise and cold caches meet all of them alike.
    """
    taken: list[list[Step]] = [[] for _ in steppers]
    for number in range(warm_up + steps):
        order = range(len(steppers)) if number % 2 == 0 else reversed(range(len(steppers)))
        for which in order:
            stepper, threads = steppers[which]
            taken[which].append(stepper.step(threads))
    return [list(kept[warm_up:]) for kept in taken]


def equal_work(one: list[Step], other: list[Step]) -> float:
    """Share of the steps in which both did the same; 1, or their times cannot be compared."""
    return sum(a.work == b.work for a, b in zip(one, other, strict=True)) / len(one)


def bench_steps(plan: Plan, resolution: int, transfer: str) -> dict[int, list[Step]]:
    """Timed steps of the dam break by number of threads, taken in turn; measured once a run."""
    return _bench_steps(resolution, transfer, plan.warm_up, plan.steps)


def bench_cases(plan: Plan) -> list[tuple[int, str]]:
    """The resolutions and transfers that are stepped."""
    both = [(size, kind) for size in plan.step_sizes for kind in ("flip", PLAIN)]
    return [*both, (plan.other_size, "apic"), (plan.other_size, "semi_lagrangian")]


@functools.cache
def _bench_steps(resolution: int, transfer: str, warm_up: int, steps: int) -> dict[int, list[Step]]:
    counts = thread_counts()
    progress(
        f"{transfer} {resolution}: {warm_up} + {steps} steps with {' and '.join(map(str, counts))} threads in turn"
    )
    scene = bench_scene(resolution, transfer)
    taken = alternate([(Stepper(scene), threads) for threads in counts], warm_up, steps)
    return dict(zip(counts, taken, strict=True))
