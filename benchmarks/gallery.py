"""What scenes of the gallery cost for each liquid cell, against the dam break.

    python -m benchmarks.gallery [scene ...]

Whole scenes are simulated, without surfaces and pictures, and the seconds of all their steps divided by the liquid
cells of all their steps. The dam break runs before and after each: a ratio is against the mean of the two, so that a
machine that gets slower or faster meets both alike.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import NamedTuple

import plash

YARDSTICK = "dam_break"
SCENES = ("ball_drop", "faucet_filling_glass", "fountain", "river", "stirring", "wave_maker")
FIRST = 12  # frames: by then the dam break has met the ball
SHOWN = 5  # stages


class Cost(NamedTuple):
    """Of one scene.

    Attributes:
        microseconds: For each liquid cell of each step.
        steps: How many there were.
        cells: Liquid cells, mean over the steps.
        stages: Microseconds for each liquid cell, by stage.
    """

    microseconds: float
    steps: int
    cells: float
    stages: Counter[str]


def cost_of(name: str) -> Cost:
    """Simulate a whole scene, after its first frames, which compile what it needs."""
    for _ in plash.simulate(plash.load_scene(name, frames=FIRST)):
        pass
    seconds: Counter[str] = Counter()
    steps = cells = 0
    for frame in plash.simulate(plash.load_scene(name)):
        for report in frame.steps:
            seconds.update(report.seconds)
            steps += 1
            cells += report.liquid_cells
    stages = Counter({stage: 1e6 * spent / cells for stage, spent in seconds.items()})
    return Cost(sum(stages.values()), steps, cells / steps, stages)


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of gallery scenes for each liquid cell, against the dam break.")
    parser.add_argument("scenes", nargs="*", default=SCENES)
    scenes = parser.parse_args().scenes
    before = cost_of(YARDSTICK)
    print(f"{'scene':24s} {'us/cell':>8s} {'ratio':>6s} {'steps':>6s} {'cells':>8s}   dearest stages, us/cell")
    _show(YARDSTICK, before, 1.0)
    for name in scenes:
        cost, after = cost_of(name), cost_of(YARDSTICK)
        _show(name, cost, cost.microseconds / (0.5 * (before.microseconds + after.microseconds)))
        before = after
    _show(YARDSTICK, before, 1.0)


def _show(name: str, cost: Cost, ratio: float) -> None:
    stages = ", ".join(f"{stage} {spent:.2f}" for stage, spent in cost.stages.most_common(SHOWN))
    print(f"{name:24s} {cost.microseconds:8.2f} {ratio:6.2f} {cost.steps:6d} {cost.cells:8.0f}   {stages}", flush=True)


if __name__ == "__main__":
    main()
