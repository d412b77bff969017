"""A whole run, from the scene to the movie: python -m benchmarks.whole_run [--scene dam_break] [--frames 60].

Prints, in turn, the seconds of a run that does everything one after the other, and of one whose surfaces and pictures
are made by lanes beside the simulation, as it is by default; and how many cores were busy on average.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time

import plash
from plash.pipeline.lanes import lanes


def measured(scene: plash.Scene) -> tuple[float, float]:
    """Seconds by the clock, and of all processors, that a run takes."""
    with tempfile.TemporaryDirectory() as folder:
        start, before = time.perf_counter(), _processor()
        plash.run(scene, f"{folder}/run", progress=False)
        return time.perf_counter() - start, _processor() - before


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="dam_break")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--turns", type=int, default=2)
    asked = parser.parse_args()
    scene = plash.load_scene(asked.scene, frames=asked.frames)
    measured(plash.load_scene(asked.scene, frames=2))  # compiles, and loads
    as_it_is = lanes._SECONDS_WORTH_IT
    for _ in range(asked.turns):
        for name, least in (("in turn", math.inf), ("with lanes", as_it_is)):
            lanes._SECONDS_WORTH_IT = least
            seconds, used = measured(scene)
            print(f"{name:>10}: {seconds:.1f} s, {used / seconds:.2f} cores busy")


if __name__ == "__main__":
    main()
