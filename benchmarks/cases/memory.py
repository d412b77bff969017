"""memory: peak memory of the dam break, each size in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.children import in_child
from benchmarks.plan import Plan
from benchmarks.progress import progress
from benchmarks.results import Figure

_MB = 1e6


def memory(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Peak resident memory, beyond that of the interpreter and the compiled kernels; and peak of the arrays."""
    progress("memory: a first child process compiles what is not compiled yet")
    _measure(16, plan)
    for resolution in plan.memory_sizes:
        progress(f"memory: flip {resolution} in a child process")
        found = _measure(resolution, plan)
        case = f"flip {resolution}"
        cells, particles = found["liquid_cells"], found["particles"]
        resident = max(found["build_resident"], found["step_resident"])
        own = max(0, resident - found["base"])
        # Where the peak cannot be reset it holds the compiler's too, and says little
        is_sound = bool(found["is_reset"])
        yield Figure(case, "peak resident", resident / _MB, "MB", "cost", judged=is_sound)
        yield Figure(case, "of it before", found["base"] / _MB, "MB")
        yield Figure(case, "own per cell", own / cells, "B", "cost", judged=is_sound)
        yield Figure(case, "own per particle", own / particles, "B", "cost", judged=False)
        yield Figure(case, "arrays in building", found["build_arrays"] / _MB, "MB", "cost")
        yield Figure(case, "arrays in steps", found["step_arrays"] / _MB, "MB", "cost")
        yield Figure(case, "per cell", found["step_arrays"] / cells, "B", "cost", judged=False)
        yield Figure(case, "per particle", found["step_arrays"] / particles, "B", "cost", judged=False)
        yield Figure(case, "liquid cells", cells)
        yield Figure(case, "particles", particles)


def _measure(resolution: int, plan: Plan) -> dict[str, Any]:
    overrides = {"resolution": resolution, "transfer": "flip"}
    return in_child("memory", {"scene": "bench_dam_break", "overrides": overrides, "steps": plan.memory_steps})
