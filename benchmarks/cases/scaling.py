"""scaling: the same liquid in a domain ten times as large along each axis, which must cost the same.

A block in a corner, away from the far walls, so that the liquid does the very same in both domains. Times are taken
in turn. Memory is the peak of the arrays in a process of its own: the memory of the interpreter and of the compiler,
which resident memory holds too, would hide what grows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from benchmarks.children import in_child
from benchmarks.plan import Plan
from benchmarks.progress import progress
from benchmarks.results import Figure
from benchmarks.stepping import Stepper, alternate, equal_work
from benchmarks.triad import thread_counts
from plash import load_scene

_SCENE = "bench_dam_break"
_TIMES = 10


def scaling(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Time per step and memory in the large domain, relative to the small one."""
    threads = thread_counts()[0]
    small, large = (_overrides(plan.scaling_size, times) for times in (1, _TIMES))
    case = f"flip, {plan.scaling_size} cells a metre, {_TIMES}x domain"

    progress(f"scaling: {plan.warm_up} + {plan.steps} steps of both domains in turn")
    built = [_built(overrides) for overrides in (small, large)]
    one, other = alternate([(stepper, threads) for stepper, _ in built], plan.warm_up, plan.steps)
    building = built[1][1] / built[0][1]
    del built
    ratios = [b.seconds / a.seconds for a, b in zip(one, other, strict=True)]
    least = min(b.seconds_per_cell for b in other) / min(a.seconds_per_cell for a in one)
    yield Figure(case, "time, of minima", least, "", "cost")
    yield Figure(case, "time, median", median(ratios), "", "cost", judged=False)
    yield Figure(case, "time of building", building, "", "cost", judged=False)
    yield Figure(case, "equal work", equal_work(one, other), "", "gain")

    progress("scaling: memory of both domains, in child processes")
    before, after = (
        in_child("memory", {"scene": _SCENE, "overrides": overrides, "steps": plan.memory_steps})
        for overrides in (small, large)
    )
    yield Figure(case, "memory of steps", after["step_arrays"] / before["step_arrays"], "", "cost")
    yield Figure(case, "memory of building", after["build_arrays"] / before["build_arrays"], "", "cost")
    yield Figure(case, "liquid cells", before["liquid_cells"])


def _built(overrides: dict[str, Any]) -> tuple[Stepper, float]:
    """A scene ready to be stepped, and the seconds that took."""
    scene = load_scene(_SCENE, **overrides)
    start = time.perf_counter()
    return Stepper(scene), time.perf_counter() - start


def _overrides(cells_per_metre: int, times: int) -> dict[str, Any]:
    return {
        "size": [times, times, times],
        "cell_size": 1 / cells_per_metre,
        "transfer": "flip",
        "fill[0].shape.max": [0.5, 0.6, 0.5],
    }
