"""Wide clips, such as the one that the README opens with: a second each, ray traced, 960 pixels across.

    python -m gallery.clips [NAME ...]

Runs are in out/gallery, beside those of the gallery; one that was stopped goes on where it was.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gallery.pictures import run_for_clip
from plash.pipeline.progress import Progress

WIDTH = 960
SAMPLES = 16


@dataclass(frozen=True)
class Wide:
    """The first seconds of a scene.

    Attributes:
        frames: How many.
        resolution: Cells along the longest side.
    """

    frames: int
    resolution: int


WIDE = {"dam_break": Wide(24, 112)}


def wide_clip(folder: Path, name: str) -> Path:
    """Where the wide clip of a scene is."""
    return folder / f"{name}_wide.webp"


def settings_of_wide(name: str, **more: Any) -> dict[str, Any]:
    """What a scene is run with for its wide clip."""
    return {
        "frames": WIDE[name].frames,
        "resolution": WIDE[name].resolution,
        "look.quality": "preview",
        "look.width": WIDTH,
        "look.samples": SAMPLES,
        "output.movies": ["webp"],
        "output.clip_width": WIDTH,
    } | more


def make_wide_clip(name: str, runs: Path, pictures: Path, progress: Progress | None = None, **more: Any) -> None:
    """Run a scene, and take its wide clip from the run.

    Args:
        name: Of the scene.
        runs: The run's folder is made in here, and continued if it is there.
        pictures: Where to put the clip.
        progress: Who wants to know how the run is getting on.
        more: Parameters of the scene to replace, such as `resolution=16`.
    """
    run_for_clip(name, runs / f"{name}_wide", settings_of_wide(name, **more), wide_clip(pictures, name), progress)


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    for chosen in sys.argv[1:] or WIDE:
        make_wide_clip(chosen, root / "out" / "gallery", root / "docs" / "pictures" / "gallery")
        print(wide_clip(root / "docs" / "pictures" / "gallery", chosen))
