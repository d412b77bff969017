"""Seconds a picture at each quality level, with and without LLVM: `python -m benchmarks.rendering`.

The frames are those of the benchmark's dam break, 64^3 cells and surfaces of detail 2, at 640 x 360. Each level runs
in a process of its own; the first picture, which compiles, is told apart. Beside seconds by the clock are seconds of
the processor, summed over cores: on a machine with other work, half of those is what two idle cores would need at best.

`--smoke` measures pictures of a plume on 128^3 cells instead, which is a formula and needs no simulation.
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
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from plash.grid.volume import Volume
    from plash.render.choice import Renderer
    from plash.render.moment import Moment

LEVELS = [("draft", ""), ("preview", "llvm_ad_rgb"), ("preview", "scalar_rgb"), ("final", "llvm_ad_rgb")]

SMOKE = [("draft", "", "volume"), ("draft", "", "billboards")]
SMOKE += [("preview", variant, "volume") for variant in ("llvm_ad_rgb", "scalar_rgb")]
CELLS = 128  # of the plume, along each side


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="bench_dam_break", help="scene to simulate")
    parser.add_argument("--run", type=Path, help="folder of a run that is simulated and meshed already")
    parser.add_argument("--frames", type=int, default=12, help="frames to simulate; the last four are rendered")
    parser.add_argument("--final", action="store_true", help="measure quality final too: minutes")
    parser.add_argument("--smoke", action="store_true", help="measure pictures of smoke, and nothing else")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.smoke and asked.child:
        print(json.dumps(measured_smoke(*asked.child)))
        return 0
    if asked.smoke:
        return print_smoke()
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
    return answer_of(["--run", str(folder), "--frames", str(frames), "--child", quality, variant], settings)


def answer_of(asked: list[str], settings: dict[str, str]) -> dict[str, float]:
    """What another process measured."""
    command = [sys.executable, "-m", "benchmarks.rendering", *asked]
    answer = subprocess.run(command, env=settings, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(answer.splitlines()[-1])
    return found


def print_smoke() -> int:
    """Seconds of pictures of the plume, in each way that smoke is drawn."""
    from plash.render.mitsuba.variant import works

    print(f"{'quality':10}{'variant':14}{'smoke':12}{'tiles':>8}{'first, s':>10}{'next, s':>9}{'processor, s':>14}")
    for quality, variant, way in SMOKE:
        if variant and not works(variant):
            print(f"{quality:10}{variant:14}does not work on this machine", flush=True)
            continue
        settings = os.environ | ({"PLASH_MITSUBA_VARIANT": variant} if variant else {})
        found = answer_of(["--smoke", "--child", quality, way], settings)
        times = f"{found['first']:10.2f}{found['next']:9.2f}{found['processor']:14.2f}"
        print(f"{quality:10}{variant or 'built-in':14}{way:12}{found['tiles']:8,}{times}", flush=True)
    return 0


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
    meshes = [
        mesh_from_ply(place.surface(frame).read_bytes(), "surface") for frame in range(max(frames - 3, 1), frames + 1)
    ]
    return {"triangles": len(meshes[-1].faces)} | timed(renderer, [Moment(mesh, no_particles(3)) for mesh in meshes])


def measured_smoke(quality: str, way: str) -> dict[str, float]:
    """The same for pictures of the plume."""
    from plash.mesh.mesh import Mesh
    from plash.render.choice import renderer_of
    from plash.render.moment import Moment, no_particles
    from plash.scene import Box, Domain, Fill, Look, Scene

    fill = Fill(shape=Box(min=(0, 0, 0), max=(0.1, 0.1, 0.1)))
    domain = Domain(size=(1, 1, 1), resolution=CELLS)
    samples = 6  # as many as scenes of smoke have
    look = Look.model_validate({"width": 640, "quality": quality, "smoke": way, "samples": samples})
    renderer = renderer_of(Scene(domain=domain, fill=[fill], look=look))
    volume = plume()
    return {"tiles": volume.tiles.count} | timed(renderer, [Moment(Mesh.empty(), no_particles(3), 0.0, volume)] * 4)


def plume() -> Volume:
    """A column of smoke that widens and curls, in a box of 1 m."""
    from plash.grid.dense import from_dense, tiles_over
    from plash.grid.tiles import Tiles
    from plash.grid.volume import Volume

    x, y, z = np.meshgrid(*[(np.arange(CELLS, dtype=np.float32) + 0.5) / CELLS] * 3, indexing="ij")
    for waves, far in ((5.0, 0.05), (11.0, 0.025), (23.0, 0.012)):
        turned = np.pi * waves
        x, z = x + far * np.sin(turned * (y + z)) * y, z + far * np.cos(turned * (y + x)) * y
        y = y + far * np.sin(turned * (x - z)) * y
    away = np.sqrt((x - 0.5) ** 2 + (z - 0.5) ** 2) / (0.08 + 0.28 * y)
    dense = np.clip(1.5 * (1 - away), 0, 1) * np.clip((0.93 - y) / 0.1, 0, 1)
    tiles = tiles_over((0, 0, 0), dense.shape)
    full = from_dense(dense, tiles)[1:].reshape(tiles.count, -1).max(axis=1) > 0
    tiles = Tiles.at(tiles.coordinates[1:][full], 3)
    return Volume(tiles, {"density": from_dense(dense.astype(np.float32), tiles)}, 1 / CELLS)


def timed(renderer: Renderer, moments: list[Moment]) -> dict[str, float]:
    """Seconds of the first picture, the median of the next ones, and their median of processor time."""
    clock, processor = [], []
    for moment in moments:
        start, busy = time.perf_counter(), sum(os.times()[:2])
        renderer.picture(moment)
        clock.append(time.perf_counter() - start)
        processor.append(sum(os.times()[:2]) - busy)
    return {
        "first": clock[0],
        "next": statistics.median(clock[1:]),
        "processor": statistics.median(processor[1:]),
    }


if __name__ == "__main__":
    sys.exit(main())
