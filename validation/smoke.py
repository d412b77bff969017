"""What smoke must hold: python -m validation.smoke [--cells 64] [--frames 200].

Prints, of the scene `plume`, what became of all the smoke that its source brought; then what the same plume takes in a
domain ten times as large, in processor time and tiles, which memory goes with; and the processor time for each followed
cell and step. Run it with one thread (NUMBA_NUM_THREADS=1).
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import plash
from plash.solvers.smoke import SmokeSolver

_FPS = 24


def drift(cells: int, frames: int) -> None:
    """Print the ledger of the plume, as shares of what was brought."""
    solver: Any = plash.build(plash.load_scene("plume", resolution=cells))
    advance(solver, frames)
    ledger = solver.ledger
    parts = ", ".join(f"{reason} {amount / ledger.inflow:.2e}" for reason, amount in sorted(ledger.removed.items()))
    missing = ledger.inflow - sum(ledger.removed.values()) - ledger.volume
    print(f"plume, {cells} cells, {frames} frames: brought {ledger.inflow:.4g} kg; of it {parts};", end=" ")
    print(f"not in the ledger {missing / ledger.inflow:.1e}")


def empty_space(cells: int, frames: int) -> None:
    """Print what a domain ten times as large costs: the plume is in the middle of its floor."""
    found = []
    for times in (1, 10):
        width, height, depth = (side * times for side in (1.4, 1.8, 1.2))
        scene = plash.Scene(
            domain={"size": (width, height, depth), "cell_size": 1.8 / cells, "sides": "open"},
            solver=plash.Solver(kind="smoke", confinement=6),
            source=[
                plash.SmokeSource(
                    shape=plash.Sphere(center=(0.7, 0.3, 0.6), radius=0.15), density_rate=5, temperature="70 degC"
                )
            ],
        )
        solver: Any = plash.build(scene)
        advance(solver, 1)  # compiles
        start = time.process_time()
        work = advance(solver, frames)
        seconds = time.process_time() - start
        found.append((seconds, solver.state.envelope.tiles.count))
        print(f"domain {times} times: {seconds:.2f} s, {found[-1][1]} tiles, {1e6 * seconds / work:.3f} µs a cell")
    (short, few), (long, many) = found
    print(f"time {long / short:.3f} times, tiles {many / few:.3f} times")


def advance(solver: SmokeSolver, frames: int) -> int:
    """Go on to a frame, and tell how many cells were followed in all steps together."""
    work = 0
    for frame in range(1, frames + 1):
        while solver.state.time < frame / _FPS - 1e-9:
            work += solver.advance(frame / _FPS).liquid_cells
    return work


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--frames", type=int, default=200)
    asked = parser.parse_args()
    drift(asked.cells, asked.frames)
    empty_space(asked.cells, max(2, asked.frames // 8))


if __name__ == "__main__":
    main()
