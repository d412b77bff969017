"""How a step fares beside other busy programs: python -m benchmarks.beside [--resolution 64] [--busy 0 1 2].

Wall time of a step of `bench_dam_break` with 0, 1 and 2 processes that keep a core busy each, for the layers that numba
can run threads with. Each figure is the median of some steps; rounds go through all combinations in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict

_STEPS = """
import json, sys, time
import numba, plash
solver = plash.build(plash.load_scene("bench_dam_break", resolution=int(sys.argv[2])))
numba.set_num_threads(int(sys.argv[1]))
for _ in range(3):
    solver.advance(10.0)
seconds = []
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    report = solver.advance(10.0)
    seconds.append((time.perf_counter() - start) / report.liquid_cells)
print(json.dumps(seconds))
"""
_BUSY = "while True: pass"


def microseconds(layer: str, threads: int, busy: int, resolution: int, steps: int) -> float:
    """Of a step, per liquid cell, beside so many busy processes."""
    others = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(busy)]
    try:
        environment = {**os.environ, "NUMBA_THREADING_LAYER": layer}
        program = [sys.executable, "-c", _STEPS, str(threads), str(resolution), str(steps)]
        done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
        seconds: list[float] = json.loads(done.stdout)
        return 1e6 * statistics.median(seconds)
    finally:
        for other in others:
            other.kill()
            other.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resolution", type=int, default=64)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--layers", nargs="+", default=["tbb", "omp"])
    options = parser.parse_args()
    found = defaultdict(list)
    for _ in range(options.rounds):
        for busy in options.busy:
            for layer, threads in [(options.layers[0], 1), *((layer, 2) for layer in options.layers)]:
                time = microseconds(layer, threads, busy, options.resolution, options.steps)
                found[layer, threads, busy].append(time)
    print("| | " + " | ".join(f"{busy} busy" for busy in options.busy) + " |")
    print("| --- |" + " --- |" * len(options.busy))
    for layer, threads in dict.fromkeys((layer, threads) for layer, threads, _ in found):
        times = [min(found[layer, threads, busy]) for busy in options.busy]
        cells = " | ".join(f"{time:.2f} ({time / times[0]:.1f})" for time in times)
        print(f"| {layer}, {threads} threads | {cells} |")


if __name__ == "__main__":
    main()
