"""threads: how much faster two threads are than one, step against step."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from benchmarks.plan import Plan
from benchmarks.results import Figure
from benchmarks.stepping import bench_steps, equal_work


def threads(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Time of a step with one thread over that of the same step with two, taken in turn."""
    for resolution in plan.step_sizes:
        taken = bench_steps(plan, resolution, "flip")
        if 2 not in taken:
            return
        one, two = taken[1], taken[2]
        case = f"flip {resolution}"
        ratios = [a.seconds / b.seconds for a, b in zip(one, two, strict=True)]
        least = min(a.seconds_per_cell for a in one) / min(b.seconds_per_cell for b in two)
        yield Figure(case, "1 to 2, of minima", least, "", "gain")
        yield Figure(case, "1 to 2, median", median(ratios), "", "gain", judged=False)
        yield Figure(case, "equal work", equal_work(one, two), "", "gain")
        yield Figure(case, "triad 1 to 2", triad["memory_2"] / triad["memory_1"])
