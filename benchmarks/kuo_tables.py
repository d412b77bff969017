"""Kuo's tables 1 to 3 again: python -m benchmarks.kuo_tables [--frames 3 50 100 150] [--set domain.resolution=24].

Seconds of processor time that single frames of the three scenes `kuo_*` take: their simulation, their surface, and
their picture, drawn (draft) and ray traced (preview), 480 pixels wide, on one thread if NUMBA_NUM_THREADS is 1. Frame 1
is the start and takes no step; kernels are compiled before. Prints a table in Markdown, with Kuo's figures beside it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import plash
from plash.render.choice import drawable, renderer_of
from plash.render.mitsuba.variant import is_installed
from plash.render.moment import Moment

# Simulation, surface and rendering of a frame, s, on a Pentium 4 of 800 MHz; the report tells neither cells nor pixels
KUO = {
    "kuo_pour": {1: ("~10", "< 10", "4"), 50: ("~10", "22", "8"), 100: ("~10", "25", "14"), 150: ("~10", "47", "17")},
    "kuo_splash": {
        1: ("~10", "< 10", "4"), 50: ("~10", "28", "10"), 100: ("~10", "45", "17"), 150: ("~10", "58", "25"),
    },
    "kuo_obstacle": {
        1: ("~10", "< 10", "4"), 50: ("~10", "30", "12"), 100: ("~10", "43", "18"), 150: ("~10", "58", "22"),
    },
}  # fmt: skip
_WIDTH = 480


def rows(name: str, frames: list[int], settings: dict[str, Any]) -> Iterator[str]:
    """The lines of one scene."""
    scene = plash.load_scene(name, **{**settings, "frames": max(frames), "look.width": _WIDTH})
    qualities = ["draft", *(["preview"] if is_installed() else [])]
    drawers = [renderer_of(drawable(scene.model_copy(update={"look": {"quality": each}}))[0]) for each in qualities]
    started = time.process_time()
    for frame in plash.simulate(scene):
        spent = [time.process_time() - started]
        if frame.number in (2, *frames):  # the second loads kernels, and is not written down
            mesh, taken = _timed(lambda: frame.snapshot.surface(scene, frame.time))  # noqa: B023
            moment = Moment(mesh, frame.snapshot.dots(), time=frame.time)
            spent += [taken, *(_timed(lambda: drawer.picture(moment))[1] for drawer in drawers)]  # noqa: B023
        if frame.number in frames:
            theirs = KUO[name].get(1 if frame.number < 10 else frame.number, ("", "", ""))
            ours = " | ".join(f"{each:.2f}" for each in spent)
            yield f"| `{name}` | {frame.number} | {' | '.join(theirs)} | {ours} |"
        started = time.process_time()


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    made = work()
    return made, time.process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, nargs="+", default=[3, 50, 100, 150])
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=NUMBER")
    asked = parser.parse_args()
    settings = {key: float(value) for key, value in (each.split("=", 1) for each in asked.settings)}
    settings = {key: int(value) if value == int(value) else value for key, value in settings.items()}
    print("| scene | frame | Kuo: simulation | surface | rendering | simulation | surface | drawn | ray traced |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in KUO:
        for row in rows(name, asked.frames, settings):
            print(row, flush=True)


if __name__ == "__main__":
    main()
