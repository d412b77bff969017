"""start: how long until something moves, with and without kernels compiled earlier."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.children import in_child
from benchmarks.plan import Plan
from benchmarks.progress import progress
from benchmarks.results import Figure


def start(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Seconds from the birth of a process to the end of its first step: cold, and warm from the same cache."""
    flip, apic = plan.start_sizes
    scenes: list[tuple[str, str, dict[str, Any]]] = [
        ("3-D flip", "bench_dam_break", {"resolution": flip, "transfer": "flip"}),
        ("2-D apic", "dam_break_2d", {"resolution": apic, "transfer": "apic"}),
    ]
    for case, scene, overrides in scenes:
        request = {"scene": scene, "overrides": overrides}
        with tempfile.TemporaryDirectory(prefix="plash-benchmark-") as folder:
            environment = {"PLASH_CACHE_DIR": folder}
            progress(f"start: {case}, cold")
            cold = in_child("start", request, environment)
            yield Figure(case, "cold, 1st step", cold["first_step"], "s", "time")
            yield Figure(case, "cold, 2nd step", cold["second_step"], "s", "time")
            compiled = _machine_codes(folder)
            yield Figure(case, "compiled", compiled, "kernels")

            progress(f"start: {case}, warm")
            warm = [in_child("start", request, environment) for _ in range(plan.repeats)]
            compiled_warm = _machine_codes(folder) - compiled
            yield Figure(case, "warm, 1st step", min(found["first_step"] for found in warm), "s", "time")
            yield Figure(case, "warm, 2nd step", min(found["second_step"] for found in warm), "s", "time")
            yield Figure(case, "compiled warm", compiled_warm, "kernels", "cost")
            yield Figure(case, "import plash", min(found["import"] for found in warm), "s", "time", judged=False)
            solver = min(found["import_solver"] for found in warm)
            yield Figure(case, "import solver", solver, "s", "time", judged=False)


def _machine_codes(folder: str) -> int:
    """Pieces of machine code in numba's cache; refuses a cache of more than one version of plash."""
    if len(list(Path(folder).glob("plash/grid-*"))) > 1:
        raise RuntimeError("the source of plash was edited during the measurement: nothing was warm")
    return sum(1 for _ in Path(folder).rglob("*.nbc"))
