"""The large stills of the gallery: one moment of a scene each, at more cells than the scene has, ray traced.

The scene files say what a picture looks like: set, camera, light. Here is which moment is shown, and how finely.
A still that was made from the same scene is not made again, and a simulation that was stopped goes on where it was.

    python -m gallery.heroes [NAME ...]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

import plash
from plash.mesh.mesh import Mesh
from plash.pipeline.fingerprint import appearance, fingerprint, simulation
from plash.pipeline.progress import Progress
from plash.pipeline.run import of_use
from plash.render.choice import drawable, renderer_of
from plash.render.moment import Moment, no_particles

WIDTH = 1280
SAMPLES = 24
_QUALITY = 90  # of the JPEG


@dataclass(frozen=True)
class Hero:
    """A moment worth showing.

    Attributes:
        frame: Its number.
        resolution: Cells along the longest side.
        shutter: How long the shutter is open: what falls as fine drops is seen as streaks.
    """

    frame: int
    resolution: int
    shutter: float = 0.0


HEROES = {
    "breaking_wave": Hero(16, 192, shutter=0.35),
    "burning_log": Hero(42, 128),
    "cherry_cream": Hero(6, 128),
    "chocolate_pour": Hero(19, 128),
    "dam_break": Hero(13, 136),
    "drop_in_pool": Hero(6, 128),
    "fountain": Hero(17, 128, shutter=0.5),
    "honey_coil": Hero(60, 128),
    "kettle_steam": Hero(40, 128),
    "knot": Hero(16, 136),
    "paint_mix": Hero(16, 128),
    "whisky_ice": Hero(8, 128),
    "wine_glass": Hero(20, 128),
}


def still(folder: Path, name: str) -> Path:
    """Where the large still of a scene is."""
    return folder / f"{name}_large.jpg"


def make_hero(name: str, runs: Path, pictures: Path, progress: Progress | None = None, **more: Any) -> None:
    """Simulate a scene up to its moment, and make the picture of that, unless it is there.

    Args:
        name: Of the scene.
        runs: The run's folder is made in here, and continued if it is there.
        pictures: Where to put it.
        progress: Who wants to know how the run is getting on.
        more: Parameters of the scene to replace, such as `resolution=16`.
    """
    hero, file = HEROES[name], still(pictures, name)
    settings = {
        "resolution": hero.resolution,
        "look.width": WIDTH,
        "look.samples": SAMPLES,
        "look.shutter": hero.shutter,
        "look.quality": "final",
    }
    scene = plash.load_scene(name, **{**settings, "frames": hero.frame, **more})
    shown = scene.mesh.model_dump(), scene.whitewater.model_dump(), appearance(scene)
    made_from = fingerprint(simulation(scene), *shown, hero.frame)
    if _made_from(file) == made_from:
        return
    run = runs / f"{name}_large"
    plash.run(scene, run, source=name, progress=progress, stages=of_use(["simulate", "whitewater"], scene))
    drawn, _ = drawable(scene)
    picture = renderer_of(drawn).picture(moment_of(scene, run, hero.frame))
    pictures.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(file, "JPEG", quality=_QUALITY, optimize=True, comment=made_from.encode())


def moment_of(scene: plash.Scene, run: Path, number: int) -> Moment:
    """What there is to be seen in a frame of a run."""
    frame = plash.open_run(run)[number]
    if scene.look.show == "volume":
        return Moment(Mesh.empty(), no_particles(3), frame.time, frame.snapshot.as_volume())
    motes = frame.whitewater if scene.whitewater.amount > 0 else None
    return Moment(frame.snapshot.surface(scene, frame.time), no_particles(3), frame.time, motes=motes)


def _made_from(file: Path) -> str:
    """The hash of what a still was made from; nothing if it is not there."""
    if not file.is_file():
        return ""
    with Image.open(file) as image:
        return bytes(image.info.get("comment", b"")).decode("ascii", "replace")


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    for chosen in sys.argv[1:] or HEROES:
        make_hero(chosen, root / "out" / "gallery", root / "docs" / "pictures" / "gallery")
        print(still(root / "docs" / "pictures" / "gallery", chosen))
