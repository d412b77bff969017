"""The room that pictures are taken in: a large lamp to the left, light from above, and what mirrors see.

The lamp stands with the camera, so that every view is lit alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.render.camera import View, box_corners, framing
from plash.render.preview.lights import MAP_SIZE
from plash.scene.model import Scene

Array = NDArray[np.float64]

LAMP_SOFTNESS = 0.09  # radius of the lamp over its distance
SKY_SOFTNESS = 0.7


@dataclass(frozen=True, eq=False)
class StudioLights:
    """The lights of a scene.

    Attributes:
        lamp: View from the lamp.
        sky: View from straight above, for the light of the whole ceiling.
        to_lamp: Direction of the lamp.
        background: Light of what is behind everything.
        mirrored: What mirrors see, 21 numbers: the background, and the axes of two bright panels.
    """

    lamp: View
    sky: View
    to_lamp: Array
    background: Array
    mirrored: Array


# Of the lamp and of a smaller one: how far to the right of the camera, away from it, and up
_PLACES = {
    "studio": ((-0.72, 0.30, 1.05), (0.9, -0.1, 0.55)),
    "sky": ((-0.72, 0.30, 1.05), (0.9, -0.1, 0.55)),
    "window": ((-0.95, 0.42, 0.72), (0.9, -0.5, 0.25)),
    "sun": ((-0.80, 0.55, 0.85), (0.9, -0.1, 0.55)),
    "dark": ((-0.80, 0.75, 0.62), (0.85, 0.72, 0.50)),
}


def lamp_directions(view: View, light: str = "studio") -> tuple[Array, Array]:
    """Where the lamp of a light and a smaller one on the other side stand for a camera."""
    up = np.array([0.0, 1, 0])
    right = view.axes[0] - view.axes[0][1] * up
    if right @ right < 1e-6:  # the camera lies on its side
        right = np.cross(view.axes[2], up)
    right /= np.sqrt(right @ right)
    away = np.cross(up, right)
    lamp, other = (_unit(a * right + b * away + c * up) for a, b, c in _PLACES.get(light, _PLACES["studio"]))
    return lamp, other


def studio_for(view: View, size: Array, background: Array, light: str = "studio") -> StudioLights:
    """The studio for a camera that looks at a domain, in a light by its name; files of light are taken for a studio."""
    to_lamp, to_fill = lamp_directions(view, light)
    up = np.array([0.0, 1, 0])
    corners = box_corners(np.zeros(3), size)
    square = (MAP_SIZE, MAP_SIZE)
    lamp = framing(corners, to_lamp, 14.0, square, 0.12)
    sky = framing(corners, up, 20.0, square, 0.2)
    mirrored = np.concatenate([background, _panel_axes(to_lamp).ravel(), _panel_axes(to_fill).ravel()])
    return StudioLights(lamp, sky, to_lamp, background, mirrored)


def floor_height(scene: Scene) -> float:
    """Where the floor is, m: under the domain, or under the solids that stand below it, such as a table."""
    below = [solid.shape.bounds(3) for solid in scene.seen_at(0.0)]
    return min((low[1] for low, high in below if high[1] <= 0 and math.isfinite(low[1])), default=0.0)


def _panel_axes(direction: Array) -> Array:
    across = _unit(np.cross(np.array([0.0, 1, 0]), direction))
    return np.stack([across, np.cross(direction, across), direction])


def _unit(vector: Array) -> Array:
    unit: Array = vector / np.sqrt(vector @ vector)
    return unit
