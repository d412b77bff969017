"""Large dam breaks: what a cell costs, and how much memory: python -m benchmarks.large [--cells 128 256] [--steps 4].

Each size is stepped in a process of its own, from its start, after a step that is not counted. Printed are microseconds
a liquid cell and step, by the clock and of the processor, the peak of resident memory while stepping, and what it is
after a frame of particles was written.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

import numba

import plash
from plash.files.frames import write_frame
from plash.solvers.build.liquid import build_liquid


def measured(cells: int, steps: int, threads: int) -> None:
    """Print a line of one size."""
    numba.set_num_threads(threads)
    solver = build_liquid(plash.load_scene("bench_dam_break", resolution=cells))
    solver.advance(10.0)
    stepped, clock, processor = 0, time.perf_counter(), time.process_time()
    for _ in range(steps):
        stepped += solver.advance(10.0).liquid_cells
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    before = _peak()
    with tempfile.TemporaryDirectory() as folder:
        write_frame(Path(folder) / "frame.npz", solver.snapshot(), 1, solver.state.time)
    print(
        f"{cells:5d} {stepped / steps / 1e6:8.3f} M cells {solver.state.particles.count / 1e6:7.2f} M particles "
        f"{clock / stepped * 1e6:7.3f} us by the clock {processor / stepped * 1e6:7.3f} us of the processor "
        f"{before:6.2f} GB, {_peak():6.2f} GB with a frame",
        flush=True,
    )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--threads", type=int, default=numba.get_num_threads())
    asked = parser.parse_args()
    for cells in asked.cells:
        process = multiprocessing.get_context("spawn").Process(
            target=measured, args=(cells, asked.steps, asked.threads)
        )
        process.start()
        process.join()


if __name__ == "__main__":
    main()
