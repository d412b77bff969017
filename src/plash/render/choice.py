"""Who makes the pictures of a scene: the built-in renderer, or the ray tracer."""

from __future__ import annotations

from typing import Literal

from plash.render.mitsuba.raytracer import RayTracer
from plash.render.mitsuba.variant import is_installed, missing
from plash.render.preview.preview import Preview
from plash.scene.model import Scene

Renderer = Literal["built-in", "ray tracer"]


def renderer_of(scene: Scene, or_built_in: bool = False) -> tuple[Renderer, str]:
    """Who makes a scene's pictures, and what the user should know if that is not who was asked for.

    Args:
        scene: Its look says the quality.
        or_built_in: Whether the built-in renderer may stand in for a ray tracer that is not installed.

    Raises:
        MissingPartError: The ray tracer is not installed, and nobody may stand in.
    """
    quality = scene.look.quality
    if quality == "draft":
        return "built-in", ""
    if scene.dimension == 2:
        return "built-in", f'quality "{quality}" is for 3-D: this 2-D scene is drawn by the built-in renderer'
    if is_installed():
        return "ray tracer", ""
    if not or_built_in:
        raise missing()
    return "built-in", (
        f'the pictures are drawn by the built-in renderer, not ray traced: quality "{quality}" needs Mitsuba. '
        'Install it with: pip install "plash[render]", and run again; nothing else is made again'
    )


def picture_taker(scene: Scene, renderer: Renderer) -> Preview | RayTracer:
    """A renderer, ready to take pictures of a scene."""
    return Preview(scene) if renderer == "built-in" else RayTracer(scene)
