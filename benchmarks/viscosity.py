"""What a thick liquid costs: a step with the whole viscous stress against one without viscosity.

    python -m benchmarks.viscosity [--resolution 64] [--steps 8]

A column that collapses in a closed box, at nu dt/h² = 10 and 1e4. All are stepped in turn by the same dt, with one
thread, and the time of the processor counts: other programs change that least. The middle of the steps is taken. Memory
is the peak of what NumPy allocated in a step.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from statistics import median
from typing import Any

import numba

import plash

NUMBERS = (0.0, 10.0, 1e4)
WARM_UP = 2  # steps, the first of which compile


def column(resolution: int, number: float, dt: float) -> plash.Scene:
    """A column of liquid, a fifth of its box, with nu dt/h² = number."""
    nu = number / resolution**2 / dt
    return plash.Scene(
        domain={"size": (1, 1, 1), "resolution": resolution, "friction": 1},
        liquid={"kinematic_viscosity": nu},
        fill=[{"shape": plash.Box(min=(0, 0, 0), max=(0.45, 0.9, 0.5))}],
        solver=plash.Solver(viscosity="coupled" if number else "explicit"),
    )


def take(solver: Any, dt: float) -> float:
    """One step; tells the seconds of the processor."""
    start = time.process_time()
    for _ in solver.stages(dt):
        pass
    return time.process_time() - start


def measure(resolution: int, steps: int) -> None:
    """Print the table."""
    numba.set_num_threads(1)
    dt = 0.35 * (1 / resolution / 9.81) ** 0.5
    solvers: dict[float, Any] = {number: plash.build(column(resolution, number, dt)) for number in NUMBERS}
    seconds: dict[float, list[float]] = {number: [] for number in NUMBERS}
    iterations: dict[float, list[int]] = {number: [] for number in NUMBERS}
    for step in range(WARM_UP + steps):
        for number, solver in solvers.items():
            taken = take(solver, dt)
            if step >= WARM_UP:
                seconds[number].append(taken)
                iterations[number].append(solver.report.viscosity_iterations)
    memory = {number: _peak(solver, dt) for number, solver in solvers.items()}
    print(
        "| nu dt/h² | ms a step | times | iterations | MB at the peak | times |\n| --- | --- | --- | --- | --- | --- |"
    )
    first, least = median(seconds[0.0]), memory[0.0]
    for number in NUMBERS:
        taken, peak = median(seconds[number]), memory[number]
        print(
            f"| {number:g} | {1e3 * taken:.0f} | {taken / first:.2f} | {median(iterations[number]):g} "
            f"| {peak / 1e6:.0f} | {peak / least:.2f} |"
        )


def _peak(solver: Any, dt: float) -> int:
    """Bytes that arrays take at the peak of a step, with those that the liquid has already."""
    held = sum(array.nbytes for array in vars(solver.state.particles).values() if hasattr(array, "nbytes"))
    tracemalloc.start()
    take(solver, dt)
    peak: int = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak + int(held)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resolution", type=int, default=64)
    parser.add_argument("--steps", type=int, default=8)
    asked = parser.parse_args()
    measure(asked.resolution, asked.steps)
