"""Wide clips, such as the two that the README opens with: a second or so each, ray traced, 960 pixels across.

    python -m gallery.clips [NAME ...]

Runs are in out/gallery, beside those of the gallery; one that was stopped goes on where it was.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import plash
from gallery.pictures import RATE_FACTORS
from plash.pipeline.progress import Progress
from plash.render.video.animation import write_animation

WIDTH = 960
SAMPLES = 16
LARGEST = 600_000  # bytes


@dataclass(frozen=True)
class Wide:
    """Some frames of a scene.

    Attributes:
        first, last: Their numbers.
        resolution: Cells along the longest side.
    """

    first: int
    last: int
    resolution: int


WIDE = {"dam_break": Wide(1, 24, 112), "honey_coil": Wide(73, 96, 70), "wine_glass": Wide(14, 33, 100)}


def wide_clip(folder: Path, name: str) -> Path:
    """Where the wide clip of a scene is."""
    return folder / f"{name}_wide.webp"


def settings_of_wide(name: str, **more: Any) -> dict[str, Any]:
    """What a scene is run with for its wide clip."""
    return {
        "frames": WIDE[name].last,
        "resolution": WIDE[name].resolution,
        "look.quality": "preview",
        "look.width": WIDTH,
        "look.samples": SAMPLES,
    } | more


def make_wide_clip(name: str, runs: Path, pictures: Path, progress: Progress | None = None, **more: Any) -> None:
    """Run a scene up to the last frame of its wide clip, and make the clip from pictures of its frames alone.

    Args:
        name: Of the scene.
        runs: The run's folder is made in here, and continued if it is there.
        pictures: Where to put the clip.
        progress: Who wants to know how the run is getting on.
        more: Parameters of the scene to replace, such as `resolution=16`.
    """
    run, file = runs / f"{name}_wide", wide_clip(pictures, name)
    scene = plash.load_scene(name, **settings_of_wide(name, **more))
    numbers = range(WIDE[name].first, WIDE[name].last + 1)
    for number in numbers:
        plash.run(scene, run, frame=number, source=name, progress=progress)
    shown = [np.asarray(Image.open(run / "render" / f"frame.{number:04d}.png").convert("RGB")) for number in numbers]
    pictures.mkdir(parents=True, exist_ok=True)
    for factor in RATE_FACTORS:
        write_animation(shown, file, scene.time.fps, "webp", WIDTH, factor)
        if file.stat().st_size <= LARGEST:
            break


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    for chosen in sys.argv[1:] or WIDE:
        make_wide_clip(chosen, root / "out" / "gallery", root / "docs" / "pictures" / "gallery")
        print(wide_clip(root / "docs" / "pictures" / "gallery", chosen))
