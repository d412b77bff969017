"""How much pictures of smoke flicker: python -m benchmarks.flicker [--scene plume] [--first 1] [--frames 60].

The scene is simulated once, and its frames are drawn (draft) and ray traced (preview). Of each, in levels of 255:

    background      mean change from frame to frame where neither smoke nor its shadow is seen, and the largest
    smoke           mean change where smoke is seen, which is its motion
    unsteady        the part of that which goes back in the next frame: mean of |p(t+1) - 2 p(t) + p(t-1)| / 2
    at rest         largest change while the smoke of the last frame stands still and the clock runs on

Smooth motion has a small unsteady part. What drafts have of it is that of the smoke itself, as they have no grain.
Grain that is new in every frame would be seen in smoke at rest, too.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import plash
from plash.mesh.mesh import Mesh
from plash.render.choice import renderer_of
from plash.render.moment import Moment, no_particles

Picture = NDArray[np.float32]
_RESTING = 2  # frames at the end in which nothing moves
_SEEN = 2  # levels by which a pixel differs from that of the empty scene where there is smoke or shadow


def pictures(scene: plash.Scene, run: Path, frames: range) -> Iterator[Picture]:
    """The empty scene, the frames, and the last of them for some frames more, in levels."""
    renderer, shown = renderer_of(scene), plash.open_run(run)
    yield renderer.picture(Moment(Mesh.empty(), no_particles(3))).astype(np.float32)
    for number in range(frames.start, frames.stop + _RESTING):
        volume = shown[min(number, frames[-1])].snapshot.as_volume()
        moment = Moment(Mesh.empty(), no_particles(3), number / scene.time.fps, volume)
        yield renderer.picture(moment).astype(np.float32)


def measured(empty: Picture, shown: list[Picture], standing: list[Picture], is_clear: NDArray[np.bool_]) -> str:
    """What the module says, of pictures in a row and those at rest; `is_clear` has neither smoke nor shadow."""
    changes = [np.abs(b - a) for a, b in pairwise(shown)]
    still = np.array([change[is_clear].mean() for change in changes])
    largest = max(float(change[is_clear].max()) for change in changes)
    moving, unsteady = [], []
    for a, b, c in zip(shown, shown[1:], shown[2:], strict=False):
        seen = (np.abs(b - empty) > _SEEN).any(axis=2)
        moving.append(float(np.abs(b - a)[seen].mean()))
        unsteady.append(float(np.abs(c - 2 * b + a)[seen].mean()) / 2)
    resting = max(float(np.abs(b - a).max()) for a, b in pairwise([shown[-1], *standing]))
    background = f"background {still.mean():.3f} (largest {largest:.0f})"
    return f"{background}, smoke {np.mean(moving):.2f}, unsteady {np.mean(unsteady):.2f}, at rest {resting:.0f}"


def main() -> None:
    """Print a line for each quality."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="plume")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--first", type=int, default=1, help="the first frame")
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--run", type=Path, help="folder of a run of the scene that is simulated already")
    parser.add_argument("--quality", nargs="*", default=["draft", "preview"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        run = asked.run or Path(temporary) / "run"
        if asked.run is None:
            plash.run(plash.load_scene(asked.scene, frames=asked.first + asked.frames - 1), run, stages=["simulate"])
        is_clear = None
        for quality in asked.quality:
            scene = plash.load_scene(asked.scene, **{"look.width": asked.width, "look.quality": quality})
            empty, *drawn = pictures(scene, run, range(asked.first, asked.first + asked.frames))
            shown, standing = drawn[:-_RESTING], drawn[-_RESTING:]
            if is_clear is None:
                is_clear = (np.abs(np.stack(shown) - empty).max(axis=0) < 1).all(axis=2)
            said = f"{is_clear.mean():.0%} of it clear: {measured(empty, shown, standing, is_clear)}"
            print(f"{asked.scene}, {quality}, {asked.frames} frames, {said}", flush=True)


if __name__ == "__main__":
    main()
