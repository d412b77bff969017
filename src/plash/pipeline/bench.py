"""`plash bench`: where the time of a step goes on this machine."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from plash.grid.bandwidth import triad_bandwidth
from plash.pipeline.machine import threads
from plash.scene.model import Scene
from plash.solvers.build import build

_SETTLE = 3  # steps before the first that counts


@dataclass(frozen=True)
class Measurement:
    """Where the time of a step goes.

    Attributes:
        scene: Its title.
        threads: How many worked.
        steps: How many were measured.
        liquid_cells: In the last step.
        particles: In the last step.
        iterations: Of the pressure solve, median.
        seconds: Median of a step.
        stages: Median seconds of each stage, the longest first.
        triad: Memory bandwidth reached in the same minute, bytes/s.
    """

    scene: str
    threads: int
    steps: int
    liquid_cells: int
    particles: int
    iterations: float
    seconds: float
    stages: dict[str, float]
    triad: float

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)


def bench(scene: Scene, steps: int = 10) -> Measurement:
    """Measure some steps of a scene, after a few that compile and warm up."""
    solver = build(scene)
    end = 1e9  # steps are as long as they may be
    for _ in range(_SETTLE):
        solver.advance(end)
    reports, seconds = [], []
    for _ in range(steps):
        start = time.perf_counter()
        reports.append(solver.advance(end))
        seconds.append(time.perf_counter() - start)
    names = {name for report in reports for name in report.seconds}
    stages = {name: median(report.seconds.get(name, 0.0) for report in reports) for name in names}
    return Measurement(
        scene=scene.title,
        threads=threads(),
        steps=steps,
        liquid_cells=reports[-1].liquid_cells,
        particles=reports[-1].particles,
        iterations=median(report.iterations for report in reports),
        seconds=median(seconds),
        stages=dict(sorted(stages.items(), key=lambda entry: -entry[1])),
        triad=triad_bandwidth(),
    )
