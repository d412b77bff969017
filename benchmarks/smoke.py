"""Smoke in a box of 1 m: python -m benchmarks.smoke [--cells 64] [--frames 20].

Prints seconds a frame, and microseconds a followed cell and step, by the clock and of the processor. The scene is that
of a script that runs Blender's Mantaflow: a hot ball of smoke near the floor. Run both in turn in the same minutes, and
compare the best of each.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import plash

_FPS = 24


def plume(cells: int) -> plash.Scene:
    """A plume with confinement and MacCormack's scheme, as `plume` has it."""
    return plash.Scene(
        domain={"size": (1, 1, 1), "resolution": cells, "sides": {"y_max": "open"}},
        solver=plash.Solver(kind="smoke", confinement=4),
        source=[
            plash.SmokeSource(
                shape=plash.Sphere(center=(0.5, 0.18, 0.5), radius=0.12), density_rate=8, temperature="150 degC"
            )
        ],
    )


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--frames", type=int, default=20)
    asked = parser.parse_args()
    plash.build(plume(16)).advance(1 / _FPS)  # compiles
    solver: Any = plash.build(plume(asked.cells))
    work, steps, start, used = 0, 0, time.perf_counter(), time.process_time()
    for frame in range(1, asked.frames + 1):
        while solver.state.time < frame / _FPS - 1e-9:
            work += solver.advance(frame / _FPS).liquid_cells
            steps += 1
    seconds, used = time.perf_counter() - start, time.process_time() - used
    a_cell = f"{1e6 * seconds / work:.3f} µs a cell, {1e6 * used / work:.3f} of the processor"
    print(f"{asked.cells}³: {seconds / asked.frames:.3f} s a frame, {steps} steps, {a_cell}")


if __name__ == "__main__":
    main()
