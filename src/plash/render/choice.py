"""Who makes the pictures of a scene: the built-in renderer, or the ray tracer."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.render.mitsuba.raytracer import RayTracer
from plash.render.mitsuba.variant import is_installed, missing
from plash.render.moment import Moment
from plash.render.preview.preview import preview_of
from plash.scene.model import Scene

DRAWN = "draft"  # the quality of the built-in renderer


class Renderer(Protocol):
    """Makes the pictures of one scene."""

    def picture(self, moment: Moment) -> NDArray[np.uint8]:
        """The picture (height, width, 3) of a frame, in sRGB."""


def drawable(scene: Scene, or_built_in: bool = False) -> tuple[Scene, str]:
    """A scene in the quality that its pictures can have here, and what the user should know if that is another one.

    Args:
        scene: Its look says the quality.
        or_built_in: Whether the built-in renderer may stand in for a ray tracer that is not installed.

    Raises:
        MissingPartError: The ray tracer is not installed, and nobody may stand in.
    """
    quality = scene.look.quality
    drawn = scene.with_values(look=scene.look.with_values(quality=DRAWN))
    if quality == DRAWN:
        return scene, ""
    if scene.dimension == 2:
        return drawn, f'quality "{quality}" is for 3-D: this 2-D scene is drawn by the built-in renderer'
    if is_installed():
        return scene, ""
    if not or_built_in:
        raise missing()
    return drawn, (
        f'the pictures are drawn by the built-in renderer, not ray traced: quality "{quality}" needs Mitsuba. '
        'Install it with: pip install "plash[render]", and run again; nothing else is made again'
    )


def renderer_of(scene: Scene) -> Renderer:
    """The renderer of a drawable scene, ready to make pictures."""
    return preview_of(scene) if scene.look.quality == DRAWN else RayTracer(scene)
