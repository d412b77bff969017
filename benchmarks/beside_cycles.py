"""plash's ray-traced pictures beside Blender's Cycles: `python -m benchmarks.beside_cycles --blender PYTHON`.

PYTHON is one that imports `bpy` (`pip install bpy` into an environment of its own). Both renderers get the same
triangles of a splash over tiles, the same solids, floor, camera and light from all around, and the same absorption in
the water. Both use one thread, and denoise. Errors are root mean squares in levels of 255 against the renderer's *own*
picture of many samples, denoised too: of the whole picture, and of what is seen through liquid. Seconds are of the
processor, of everything that a picture takes from triangles to pixels: the least of four pictures, for the first ones
of either compile or load what the others find. PYTHON may be left out: then only plash is measured.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.guides import Measurement
from plash.render.mitsuba.denoise import denoised

Floats = NDArray[np.float32]
PICTURES = 4  # of each kind
_SEED = 1000  # none of those of the reference
_WIDE = 512  # pixels of the light round Blender's horizon


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blender", help="a Python that imports bpy")
    parser.add_argument("--scene", default="dam_break")
    parser.add_argument("--resolution", type=int, default=40)
    parser.add_argument("--frame", type=int, default=20)
    parser.add_argument("--width", type=int, default=240, help="pixels across")
    parser.add_argument("--samples", type=int, nargs="*", default=[4, 8, 16, 32, 64])
    parser.add_argument("--cycles-samples", type=int, nargs="*", default=[4, 8, 16, 32])
    parser.add_argument("--reference", type=int, default=192, help="samples of the pictures to compare with")
    asked = parser.parse_args(arguments)
    asked.tank = "none"
    measure = Measurement(asked)
    reference = denoised(measure.reference, *measure.through(), quickly=False)
    print(f"{'renderer':10}{'samples':>9}{'processor, s':>14}{'whole':>9}{'through liquid':>16}", flush=True)
    for samples in asked.samples:
        print_row("plash", samples, *plash_picture(measure, samples), reference, measure.liquid)
    if asked.blender is None:
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        np.savez(folder / "scene.npz", **for_blender(measure))
        asked_of = [str(folder), str(asked.reference), str(PICTURES), *map(str, asked.cycles_samples)]
        child = [asked.blender, str(Path(__file__).with_name("blender_child.py")), *asked_of]
        subprocess.run(child, check=True, stdout=subprocess.DEVNULL)
        found = np.load(folder / "pictures.npz")
        for samples in asked.cycles_samples:
            light, seconds = found[f"light_{samples}"], float(found[f"seconds_{samples}"])
            print_row("Cycles", samples, light, seconds, found["reference"], measure.liquid)
    return 0


def plash_picture(measure: Measurement, samples: int) -> tuple[Floats, float]:
    """Light of a denoised picture, and the least seconds of a few."""
    least = math.inf
    for _ in range(PICTURES):
        start = time.process_time()
        measure.content = measure.tracer._content(measure.moving, measure.time, 0.0)
        light = measure.light("multijitter", samples, _SEED)
        clean = denoised(light, *measure.through(), quickly=True)
        least = min(least, time.process_time() - start)
    return clean, least


def print_row(
    name: str, samples: int, light: Floats, seconds: float, reference: Floats, liquid: NDArray[np.bool_]
) -> None:
    """Errors of a picture."""
    from plash.render.tone import toned

    shown, true = (toned(each, 0.0, "filmic").astype(np.float64) for each in (light, reference))
    off = ((shown - true) ** 2).mean(axis=2)
    whole, under = np.sqrt(off.mean()), np.sqrt(off[liquid].mean())
    print(f"{name:10}{samples:9}{seconds:14.2f}{whole:9.2f}{under:16.2f}", flush=True)


def for_blender(measure: Measurement) -> dict[str, Any]:
    """Everything that Blender is to render, with z up."""
    from plash.mesh.shapes import shape_mesh
    from plash.render.mitsuba.environment import environment
    from plash.render.mitsuba.looks import liquid_look
    from plash.render.mitsuba.set_parts import rim_color
    from plash.render.patterns import floor_pattern
    from plash.render.preview.studio import lamp_directions
    from plash.scene.colors import light_of

    scene, tracer, moving = measure.scene, measure.tracer, measure.moving
    assert moving is not None
    view, pattern, look = tracer._view(measure.time), floor_pattern(scene), liquid_look(scene)
    assert pattern is not None
    source = scene.look.seen_light
    light = environment(source, *lamp_directions(tracer._view(0.0), source), rim_color(scene))
    made: dict[str, Any] = {
        "size": np.array(tracer._pixels), "fov": view.fov, "eye": _turned(view.position),
        "axes": _turned(np.stack([view.axes[0], view.axes[1], -view.axes[2]])), "light": _sky(light),
        "liquid_vertices": _turned(moving.mesh.vertices), "liquid_faces": moving.mesh.faces,
        "liquid_normals": _turned(np.asarray(moving.mesh.normals)), "ior": look.ior, "absorption": look.absorption,
        "tile": pattern.factors * (0.62 * light_of(scene.look.seen_background)).astype(np.float32),
        "tile_size": pattern.size, "middle": _turned(np.array(scene.domain.size) / 2),
    }  # fmt: skip
    for number, solid in enumerate(scene.solid):
        mesh = shape_mesh(solid.at(measure.time, 3).shape, scene.domain)
        made[f"solid_{number}_vertices"], made[f"solid_{number}_faces"] = _turned(mesh.vertices), mesh.faces
        made[f"solid_{number}_color"] = light_of(solid.look.seen_color)
    return made


def _turned(vectors: NDArray[np.floating]) -> Floats:
    """Vectors with y up as Blender has them, with z up."""
    x, y, z = np.moveaxis(np.asarray(vectors, np.float32), -1, 0)
    return np.stack([x, -z, y], axis=-1)


def _sky(light: Floats) -> Floats:
    """Light from all directions as Mitsuba has it, in rows from the top, as Blender has it, in rows from the bottom."""
    rows, columns = light.shape[:2]
    u, v = np.meshgrid((np.arange(_WIDE) + 0.5) / _WIDE, (np.arange(_WIDE // 2) + 0.5) / (_WIDE // 2))
    angle, height = (0.5 - u) * 2 * np.pi, (1 - v) * np.pi
    x, y, z = np.sin(height) * np.cos(angle), np.sin(height) * np.sin(angle), np.cos(height)
    # Back to y up: (x, z, -y)
    column = np.mod(np.arctan2(x, y) / (2 * np.pi), 1) * columns
    row = np.arccos(np.clip(z, -1, 1)) / np.pi * rows
    found: Floats = light[np.minimum(row.astype(int), rows - 1), np.minimum(column.astype(int), columns - 1)]
    return found[..., :3]


if __name__ == "__main__":
    sys.exit(main())
