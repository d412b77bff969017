"""The looks of liquids, each on the same crown of drops: python -m gallery.looks [LOOK ...]

Pictures are docs/pictures/look_*.jpg, ray traced in the studio, without the basin of the scene.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PIL import Image

import plash
from plash.mesh.mesh import Mesh
from plash.render.choice import drawable, renderer_of
from plash.render.moment import Moment, no_particles

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

_LOOKS = ("water", "clear", "milk", "honey", "paint", "lava", "jelly", "mercury", "oil")
_FRAME = 10
_SETTINGS: dict[str, Any] = {
    "quality": "preview",
    "width": 320,
    "samples": 48,
    "shutter": 0.0,
    "tank": "none",
    "camera": {"from": [0.72, 0.52, 1.05], "to": [0.25, 0.095, 0.25], "fov": 27.5},
}


def make_look(name: Any, mesh: Mesh, time: float) -> Path:
    """Make the picture of one look."""
    look = plash.Look(**_SETTINGS, liquid=name)
    scene = plash.load_scene("drop_in_pool").model_copy(update={"look": look, "solid": []})
    drawn, _ = drawable(scene)
    picture = renderer_of(drawn).picture(Moment(mesh, no_particles(3), time))
    file = PICTURES / f"look_{name}.jpg"
    Image.fromarray(picture).save(file, "JPEG", quality=88, optimize=True)
    return file


if __name__ == "__main__":
    scene = plash.load_scene("drop_in_pool", frames=_FRAME)
    *_, last = plash.simulate(scene)
    surface = last.snapshot.surface(scene, last.time)
    for chosen in sys.argv[1:] or _LOOKS:
        print(make_look(chosen, surface, last.time))
