"""Processor time of whitewater beside that of the surface, frame by frame: `python -m benchmarks.whitewater`.

The frames are those of the benchmark's dam break, 64^3 cells and surfaces of detail 2. Both stages are called as a run
calls them, on the same frames, in turn, with one thread; reading files is counted for neither.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numba

import plash
from plash.whitewater.advance import advanced
from plash.whitewater.flow import flow_of
from plash.whitewater.motes import Motes


def main(arguments: list[str] | None = None) -> int:
    """Print a row for every tenth frame, and the ratio of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resolution", type=int, default=64, help="cells along the longest side")
    parser.add_argument("--frames", type=int, default=40, help="frames to simulate")
    parser.add_argument("--amount", type=float, default=1.0, help="of whitewater")
    parser.add_argument("--run", type=Path, help="folder of a run that is simulated already")
    asked = parser.parse_args(arguments)
    numba.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.run or Path(temporary) / "run"
        if asked.run is None:
            scene = plash.load_scene("bench_dam_break", resolution=asked.resolution, frames=asked.frames)
            plash.run(scene, folder, stages=["simulate"])
        measure(folder, asked.amount)
    return 0


def measure(folder: Path, amount: float) -> None:
    """Time both stages over the frames of a run; the first two frames only compile."""
    run = plash.open_run(folder)
    scene = run.scene.model_copy(update={"whitewater": {"amount": amount}})
    motes, totals = Motes.none(scene.dimension), [0.0, 0.0]
    print(f"{'frame':>6}{'particles':>11}{'motes':>9}{'whitewater, s':>15}{'surface, s':>12}")
    for number in run.numbers[1:]:
        seen = [(frame.particles, frame.time) for frame in (run[number - 1], run[number])]
        start = time.process_time()
        flows = [flow_of(p.position, p.velocity, p.volume, scene.domain, scene.solids_at(t)) for p, t in seen]
        motes = advanced(motes, (flows[0], flows[1]), scene, number)
        middle = time.process_time()
        seen[1][0].surface(scene, seen[1][1])
        spent = middle - start, time.process_time() - middle
        if number > 3:
            totals = [total + seconds for total, seconds in zip(totals, spent, strict=True)]
        if number % 10 == 0:
            print(f"{number:6}{len(seen[1][0].position):11,}{len(motes):9,}{spent[0]:15.3f}{spent[1]:12.3f}")
    print(f"whitewater takes {totals[0] / totals[1]:.2f} of the surface's processor time")


if __name__ == "__main__":
    raise SystemExit(main())
