"""Seconds a picture at each quality level, with and without LLVM: `python -m benchmarks.rendering`.

The frames are those of the benchmark's dam break, 64^3 cells and surfaces of detail 2, at 640 x 360. Each level runs
in a process of its own; the first picture, which compiles, is told apart. Beside seconds by the clock are seconds of
the processor, summed over cores: on a machine with other work, half of those is what two idle cores would need at best.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LEVELS = [("draft", ""), ("preview", "llvm_ad_rgb"), ("preview", "scalar_rgb"), ("final", "llvm_ad_rgb")]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="bench_dam_break", help="scene to simulate")
    parser.add_argument("--run", type=Path, help="folder of a run that is simulated and meshed already")
    parser.add_argument("--frames", type=int, default=12, help="frames to simulate; the last four are rendered")
    parser.add_argument("--final", action="store_true", help="measure quality final too: minutes")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        print(json.dumps(measured(asked.run, asked.frames, *asked.child)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.run or Path(temporary) / "run"
        if asked.run is None:
            import plash

            plash.run(plash.load_scene(asked.scene, frames=asked.frames), folder, stages=["simulate", "mesh"])
        print(f"{'quality':10}{'variant':14}{'triangles':>10}{'first, s':>10}{'next, s':>9}{'processor, s':>14}")
        for quality, variant in LEVELS:
            if quality == "final" and not asked.final:
                continue
            found = in_child(folder, asked.frames, quality, variant)
            times = f"{found['first']:10.2f}{found['next']:9.2f}{found['processor']:14.2f}"
            print(f"{quality:10}{variant or 'built-in':14}{found['triangles']:10,}{times}", flush=True)
    return 0


def in_child(folder: Path, frames: int, quality: str, variant: str) -> dict[str, float]:
    """The measurement in a process of its own."""
    settings = os.environ | ({"PLASH_MITSUBA_VARIANT": variant} if variant else {})
    asked = ["--run", str(folder), "--frames", str(frames), "--child", quality, variant]
    command = [sys.executable, "-m", "benchmarks.rendering", *asked]
    answer = subprocess.run(command, env=settings, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(answer.splitlines()[-1])
    return found


def measured(folder: Path, frames: int, quality: str, variant: str) -> dict[str, float]:
    """Seconds of the first picture and the median of the next ones, and their median of processor time."""
    from plash.files.layout import RunFolder
    from plash.files.ply import mesh_from_ply
    from plash.pipeline.stages.registry import read_run
    from plash.render.mitsuba.raytracer import RayTracer
    from plash.render.moment import Moment, no_particles
    from plash.render.preview.preview import preview_of
    from plash.scene.language.read import parse_scene

    place = RunFolder(folder)
    scene = parse_scene(read_run(place).scene, **{"look.width": 640, "look.quality": quality})
    renderer = RayTracer(scene) if variant else preview_of(scene)
    clock, processor, triangles = [], [], 0
    for frame in range(max(frames - 3, 1), frames + 1):
        mesh = mesh_from_ply(place.surface(frame).read_bytes(), "surface")
        start, busy = time.perf_counter(), sum(os.times()[:2])
        renderer.picture(Moment(mesh, no_particles(3)))
        clock.append(time.perf_counter() - start)
        processor.append(sum(os.times()[:2]) - busy)
        triangles = len(mesh.faces)
    return {
        "triangles": triangles,
        "first": clock[0],
        "next": statistics.median(clock[1:]),
        "processor": statistics.median(processor[1:]),
    }


if __name__ == "__main__":
    sys.exit(main())
