"""What a mesh that moves costs: milliseconds a step, against a cylinder that moves and a mesh that stands.

    python -m benchmarks.moving_mesh [--steps 12]

A pool with a body that sways and tilts in it. The mesh is a jug with walls thinner than a cell, or the cylinder itself
in triangles. All are stepped in turn, so that a machine that gets slower or faster meets all alike. One thread, and the
time of the processor: other programs change that least. The middle of the steps counts, and the ratio is against the
cylinder that moves.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import trimesh

import plash
from benchmarks.stepping import Stepper

YARDSTICK = "cylinder, moves"
RESOLUTION = 48
RADIUS, HEIGHT, WALL = 0.2, 0.45, 0.017  # m; the wall is 0.8 cells
BASE = (0.5, 0.12, 0.5)
MOTION: Any = {
    "axis": [0, 0, 1],
    "center": list(BASE),
    "oscillation": {"amplitude": [0.1, 0, 0], "angle": "20 deg", "period": "1 s"},
}
UPRIGHT = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])  # a quarter turn round x
WARM_UP = 2  # steps, the first of which compile


def jug(sections: int, rings: int) -> trimesh.Trimesh:
    """A jug that is open at the top, of 4 sections rings triangles."""
    up = np.linspace(0, 1, rings)
    belly = 0.06 * np.sin(np.pi * up)
    outside = np.stack([RADIUS - 0.06 + belly, HEIGHT * up], axis=1)
    inside = np.stack([RADIUS - 0.06 - WALL + belly, WALL + (HEIGHT - WALL) * up], axis=1)[::-1]
    line = np.concatenate([[[0, 0]], outside, inside, [[0, WALL]]])
    return _standing(trimesh.creation.revolve(line, sections=sections))


def cylinder(triangles: int) -> trimesh.Trimesh:
    """The cylinder of the comparison."""
    made = trimesh.creation.cylinder(radius=RADIUS, height=HEIGHT, sections=triangles // 4)
    made.apply_translation([0, 0, HEIGHT / 2])
    return _standing(made)


def _standing(made: trimesh.Trimesh) -> trimesh.Trimesh:
    """Its z axis up, which is y in a scene, and put where it belongs."""
    made.apply_transform(UPRIGHT)
    made.apply_translation(BASE)
    return made


def scene(shape: plash.Cylinder | plash.MeshShape, moves: bool, resolution: int) -> plash.Scene:
    """A pool with a body in it."""
    return plash.Scene(
        domain={"size": (1, 1, 1), "resolution": resolution},
        time={"fps": 240, "frames": 10**4},
        fill=[{"shape": plash.HalfSpace(point=(0, 0.5, 0), normal=(0, 1, 0))}],
        solid=[plash.Solid(name="body", shape=shape, motion=MOTION if moves else None)],
    )


def scenes(folder: Path, resolution: int) -> dict[str, plash.Scene]:
    """What is compared."""
    top = (BASE[0], BASE[1] + HEIGHT, BASE[2])
    exact = plash.Cylinder(base=BASE, top=top, radius=RADIUS)
    found = {YARDSTICK: scene(exact, True, resolution), "cylinder, stands": scene(exact, False, resolution)}
    for name, mesh in (("cylinder", cylinder(760)), ("jug", jug(19, 10)), ("jug", jug(50, 25))):
        title = f"{name} of {len(mesh.faces)} triangles"
        file = folder / f"{title.replace(' ', '_')}.ply"
        mesh.export(file)
        for word, moves in (("moves", True), ("stands", False)):
            found[f"{title}, {word}"] = scene(plash.MeshShape(file=str(file)), moves, resolution)
    return found


def milliseconds(scenes: list[plash.Scene], steps: int) -> list[float]:
    """Of the processor for a step of each scene."""
    steppers = [Stepper(one) for one in scenes]
    taken: list[list[float]] = [[] for _ in scenes]
    for _ in range(WARM_UP + steps):
        for stepper, times in zip(steppers, taken, strict=True):
            start = time.process_time()
            stepper.step(threads=1)
            times.append(time.process_time() - start)
    return [1e3 * median(times[WARM_UP:]) for times in taken]


def main() -> None:
    parser = argparse.ArgumentParser(description="Milliseconds a step with a mesh that moves, against a cylinder.")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--resolution", type=int, default=RESOLUTION)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = scenes(Path(folder), options.resolution)
        found = dict(zip(made, milliseconds(list(made.values()), options.steps), strict=True))
    print(f"{'body':36s} {'ms/step':>8s} {'ratio':>6s}")
    for name, own in found.items():
        print(f"{name:36s} {own:8.1f} {own / found[YARDSTICK]:6.2f}")


if __name__ == "__main__":
    main()
