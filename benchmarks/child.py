"""The child's side of `benchmarks/children.py`: one request as JSON in, one answer as JSON out.

Nothing of plash or numba is imported before a task begins: what an import costs is part of what is measured.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")


def memory(scene: str, overrides: dict[str, Any], steps: int) -> dict[str, Any]:
    """Peak memory of building a scene and of stepping it.

    Two measures: the peak of the arrays, from tracemalloc (numpy reports to it), which is the same in every run; and
    the peak resident memory beyond that of a process that has stepped a tiny scene, which also holds what numba
    allocates and the allocator keeps. The latter is VmHWM: ru_maxrss would begin with that of the parent.
    """
    import gc
    import tracemalloc

    from plash import build, load_scene

    others = {name: value for name, value in overrides.items() if name != "resolution"}
    loaded = load_scene(scene, **{**others, "cell_size": 1 / 16})
    tiny = build(loaded)
    _take_steps(tiny, 3, loaded.time.fps)
    del tiny
    gc.collect()
    base = _resident("VmRSS")
    is_reset = _reset_peak()

    tracemalloc.start()
    loaded = load_scene(scene, **overrides)
    solver = build(loaded)
    build_arrays = tracemalloc.get_traced_memory()[1]
    build_resident = _resident("VmHWM")
    _reset_peak()
    tracemalloc.reset_peak()
    _take_steps(solver, steps, loaded.time.fps)
    return {
        "build_arrays": build_arrays,
        "step_arrays": tracemalloc.get_traced_memory()[1],
        "base": base,
        "build_resident": build_resident,
        "step_resident": _resident("VmHWM"),
        "is_reset": is_reset,
        "liquid_cells": solver.report.liquid_cells,
        "particles": solver.report.particles,
        "tiles": solver.report.tiles,
    }


def start(scene: str, overrides: dict[str, Any], spawned: float) -> dict[str, Any]:
    """Seconds of the imports, and from the birth of the process to the end of the first and of the second step."""
    before = time.perf_counter()
    import plash

    package = time.perf_counter() - before
    build = plash.build
    solver_import = time.perf_counter() - before
    loaded = plash.load_scene(scene, **overrides)
    solver = build(loaded)
    ends = []
    for _ in range(2):
        _take_steps(solver, 1, loaded.time.fps)
        ends.append(time.time() - spawned)
    return {"import": package, "import_solver": solver_import, "first_step": ends[0], "second_step": ends[1]}


def _take_steps(solver: Any, steps: int, fps: float) -> None:
    """Step from frame to frame, wherever the solver stands now."""
    for _ in range(steps):
        frames_done = math.floor(solver.state.time * fps + 1e-6)
        solver.advance((frames_done + 1) / fps)


def _resident(which: str) -> int:
    """Resident memory of this process in bytes: VmRSS now, or VmHWM at its peak since the last reset."""
    if not _STATUS.exists():
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(which))
    return 1024 * int(line.split()[1])


def _reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def main() -> None:
    """Answer the request given as the only argument."""
    request = json.loads(sys.argv[1])
    if request["cores"]:
        os.sched_setaffinity(0, request["cores"])
    arguments = request["arguments"]
    match request["task"]:
        case "memory":
            answer = memory(**arguments)
        case "start":
            answer = start(**arguments, spawned=request["spawned"])
        case task:
            raise ValueError(f"no task {task!r}")
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
