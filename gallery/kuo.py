"""Figures after Kuo's report, each of one frame that is meshed and drawn in several ways: python -m gallery.kuo.

kuo_walls.jpg      two clips without and with the surface along walls, drawn and ray traced (his figures 5 and 6)
kuo_vertices.jpg   vertices half-way on edges, and where the density is the isovalue (figure 4)
kuo_styles.jpg     flat, smooth, and ray traced (figure 7)
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import plash
from plash.render.choice import drawable, renderer_of
from plash.render.moment import Moment
from plash.solvers.frame import Frame

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

_WIDTH = 480  # pixels of each picture
_GAP = 6
_FRAME = 22  # in the middle of the splash, and of the pour
_NEAR = {"from": [1.7, 1.15, 2.1], "to": [0.5, 0.36, 0.5], "fov": 17}


def frame_of(name: str) -> Frame:
    """A frame of a scene as it comes with plash."""
    *_, last = plash.simulate(plash.load_scene(name, frames=_FRAME))
    return last


def picture(name: str, frame: Frame, **settings: Any) -> NDArray[np.uint8]:
    """A picture of a frame of a scene, meshed and drawn with other settings, in a studio without its set and props."""
    changes = {key.replace("_", ".", 1): value for key, value in settings.items() if key.startswith("mesh_")}
    looks = {key.removeprefix("look_"): value for key, value in settings.items() if key.startswith("look_")}
    scene = plash.load_scene(name, **changes)
    bodies = [solid for solid in scene.solid if solid.collide]
    scene = scene.model_copy(update={"look": plash.Look(width=_WIDTH, **looks), "solid": bodies})
    drawn, _ = drawable(scene)
    mesh = frame.snapshot.surface(scene, frame.time)
    return np.asarray(renderer_of(drawn).picture(Moment(mesh, frame.snapshot.dots(), time=frame.time)), np.uint8)


def side_by_side(rows: list[list[NDArray[np.uint8]]]) -> Image.Image:
    """Rows of pictures of one size, with white gaps."""
    height, width = rows[0][0].shape[:2]
    size = (len(rows[0]) * (width + _GAP) - _GAP, len(rows) * (height + _GAP) - _GAP)
    sheet = Image.new("RGB", size, "white")
    for j, row in enumerate(rows):
        for i, each in enumerate(row):
            sheet.paste(Image.fromarray(each), (i * (width + _GAP), j * (height + _GAP)))
    return sheet


def main(only: list[str]) -> None:
    """Make the figures."""
    frames = {name: frame_of(name) for name in ("kuo_pour", "kuo_splash")}
    splash = frames["kuo_splash"]
    figures = {
        "walls": lambda: [
            [
                picture(name, frame, mesh_walls=walls, look_quality=quality)
                for quality in ("draft", "preview")
                for walls in ("open", "closed")
            ]
            for name, frame in frames.items()
        ],
        "vertices": lambda: [
            [
                picture("kuo_splash", splash, mesh_placement=placement, look_shading="flat", look_liquid="paint",
                        mesh_detail=1, mesh_smoothing=0, look_quality="preview", look_camera=_NEAR)
                for placement in ("midpoint", "interpolated")
            ]
        ],
        "styles": lambda: [
            [
                picture("kuo_splash", splash, look_shading="flat", mesh_detail=1, look_camera=_NEAR),
                picture("kuo_splash", splash, look_shading="smooth", mesh_detail=1, look_camera=_NEAR),
                picture("kuo_splash", splash, look_quality="final", look_samples=48, look_camera=_NEAR),
            ]
        ],
    }  # fmt: skip
    for name in only or list(figures):
        side_by_side(figures[name]()).save(PICTURES / f"kuo_{name}.jpg", "JPEG", quality=88, optimize=True)
        print(PICTURES / f"kuo_{name}.jpg")


if __name__ == "__main__":
    main(sys.argv[1:])
