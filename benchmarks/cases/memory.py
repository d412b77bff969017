"""memory: peak memory of the dam break, each size in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.children import in_child
from benchmarks.plan import Plan
from benchmarks.progress import progress
from benchmarks.results import Figure

_MB = 1e6


def memory(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Peak resident memory, beyond that of the interpreter and the compiled kernels; and peak of the arrays."""
    for resolution in plan.memory_sizes:
        progress(f"memory: flip {resolution} in a child process")
        overrides = {"resolution": resolution, "transfer": "flip"}
        found = in_child("memory", {"scene": "bench_dam_break", "overrides": overrides, "steps": plan.memory_steps})
        case = f"flip {resolution}"
        resident = max(found["build_resident"], found["step_resident"])
        own = max(0, resident - found["base"])
        arrays = max(found["build_arrays"], found["step_arrays"])
        # Where the peak cannot be reset it holds the compiler's too, and says little
        is_sound = bool(found["is_reset"])
        yield Figure(case, "peak resident", resident / _MB, "MB", "cost", judged=is_sound)
        yield Figure(case, "of it before", found["base"] / _MB, "MB")
        yield Figure(case, "own per cell", own / found["liquid_cells"], "B", "cost", judged=is_sound)
        yield Figure(case, "own per particle", own / found["particles"], "B", "cost", judged=False)
        yield Figure(case, "arrays", arrays / _MB, "MB", "cost")
        yield Figure(case, "arrays in steps", found["step_arrays"] / _MB, "MB", "cost", judged=False)
        yield Figure(case, "arrays per cell", arrays / found["liquid_cells"], "B", "cost", judged=False)
        yield Figure(case, "liquid cells", found["liquid_cells"])
        yield Figure(case, "particles", found["particles"])
