"""A still and a looping clip of a scene, made by a normal run: what is there already is not made again.

Clips of smoke and of some thick liquids are drafts, which a ray-traced frame takes ten times as long
as; their stills are ray traced.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
from PIL import Image

import plash
from gallery.heroes import moment_of
from plash.pipeline.progress import Progress
from plash.render.choice import drawable, renderer_of

# Quality level of the pictures, such as "preview"; None leaves scenes as they are, and so does a plash without levels
QUALITY: str | None = "preview"

WIDTH = 480  # pixels of a still
CLIP_WIDTH = 320
CLIP_SECONDS = 2.5
LARGEST_CLIP = 1_500_000  # bytes
LARGEST_GALLERY = 20_000_000

# Made to measure and to test with, not to look at
NOT_SHOWN = ("bench_dam_break", "falling_block", "still_pool")
_SAMPLES = 12  # of a still whose clip is a draft
_DRAFT_CLIPS = (
    "buckling_sheet",
    "chocolate_pour",
    "honey_toast",
    "jelly_drop",
    "jelly_letters",
    "jelly_melts",
    "lava_flow",
    "toothpaste",
    "wax_melts",
)
_STILL = 0.4  # the share of the run that has passed at the still, where the scene has none of its own
_STILLS = {
    "ball_drop": 0.24,
    "buckling_sheet": 0.6,
    "burning_log": 0.7,
    "chimney_wind": 1.0,
    "chocolate_pour": 0.42,
    "cold_fog": 0.85,
    "dam_break": 0.22,
    "drop_in_pool": 0.1,
    "egg_white": 0.5,
    "honey_coil": 0.9,
    "honey_toast": 1.0,
    "jelly_letters": 0.9,
    "jelly_melts": 1.0,
    "kettle_steam": 0.7,
    "kuo_obstacle": 0.3,
    "lava_flow": 1.0,
    "plume": 0.8,
    "plume_past_ball": 0.85,
    "smoke_ring": 0.6,
    "toothpaste": 1.0,
    "torch": 0.7,
    "two_smokes": 0.75,
    "wave_maker": 0.95,
    "wax_melts": 0.45,
}
_LONGER = {"lava_flow": 5.0}  # s: until it has a crust
RATE_FACTORS = (20, 28, 36, 44, 51)  # tried in turn until the clip is small enough


@dataclass(frozen=True)
class Pictures:
    """Where the pictures of a scene are."""

    folder: Path
    name: str

    @property
    def still(self) -> Path:
        """One frame."""
        return self.folder / f"{self.name}.jpg"

    @property
    def clip(self) -> Path:
        """A few seconds, playing for ever."""
        return self.folder / f"{self.name}.webp"

    @property
    def are_there(self) -> bool:
        """Whether both were made."""
        return self.still.is_file() and self.clip.is_file()


def settings_of(name: str, **more: Any) -> dict[str, Any]:
    """What a scene of the gallery is run with: small pictures, a few seconds, a clip beside the movie."""
    time = plash.load_scene(name).time
    frames = min(time.frames, max(2, round(_LONGER.get(name, CLIP_SECONDS) * time.fps)))
    settings = {
        "frames": frames,
        "look.width": WIDTH,
        "output.movies": ["mp4", "webp"],
        "output.clip_width": CLIP_WIDTH,
    }
    if QUALITY is not None and "quality" in plash.Look.model_fields:
        settings["look.quality"] = "draft" if _has_draft_clip(name) else QUALITY
    return settings | more


def run_for_clip(
    name: str, folder: Path, settings: dict[str, Any], clip: Path, progress: Progress | None = None
) -> plash.Scene:
    """Run a scene with some settings, and take a clip that is small enough from the run; gives the scene."""
    for factor in RATE_FACTORS:
        scene = plash.load_scene(name, **{**settings, "output.video_quality": factor})
        plash.run(scene, folder, source=name, progress=progress)
        made = folder / f"{folder.name}.webp"
        if made.stat().st_size <= LARGEST_CLIP:
            break
    clip.parent.mkdir(parents=True, exist_ok=True)
    copyfile(made, clip)
    return scene


def make_pictures(name: str, runs: Path, pictures: Pictures, progress: Progress | None = None, **more: Any) -> None:
    """Run a scene, and take a still and a clip from the run.

    Args:
        name: Of the scene.
        runs: The run's folder is made in here, and continued if it is there.
        pictures: Where to put them.
        progress: Who wants to know how the run is getting on.
        more: Parameters of the scene to replace, such as `resolution=16`.
    """
    folder, settings = runs / name, settings_of(name, **more)
    scene = run_for_clip(name, folder, settings, pictures.clip, progress)
    number = _still_frame(name, scene.time.frames)
    if _has_draft_clip(name) and "look.quality" not in more:
        finer = plash.load_scene(name, **{**settings, "look.quality": "final", "look.samples": _SAMPLES})
        picture = renderer_of(drawable(finer)[0]).picture(moment_of(finer, folder, number))
    else:
        with Image.open(folder / "render" / f"frame.{number:04d}.png") as image:
            picture = np.asarray(image.convert("RGB"))
    Image.fromarray(picture).save(pictures.still, "JPEG", quality=88, optimize=True)


def _has_draft_clip(name: str) -> bool:
    return name in _DRAFT_CLIPS or plash.load_scene(name).solver.has_smoke


def _still_frame(name: str, frames: int) -> int:
    return max(1, round(_STILLS.get(name, _STILL) * frames))


def complaints(folder: Path) -> list[str]:
    """What is too large for the repository."""
    files = sorted(file for file in folder.iterdir() if file.is_file()) if folder.is_dir() else []
    found = [
        f"{file}: has {file.stat().st_size / 1e6:.1f} MB, more than {LARGEST_CLIP / 1e6:g}"
        for file in files
        if file.stat().st_size > LARGEST_CLIP
    ]
    whole = sum(file.stat().st_size for file in files)
    if whole > LARGEST_GALLERY:
        found.append(f"{folder}: has {whole / 1e6:.1f} MB in all, more than {LARGEST_GALLERY / 1e6:g}")
    return found
