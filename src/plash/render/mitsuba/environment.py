"""Light from all directions, as pictures that wrap the scene: a studio, skies, a window, a dark room.

Lamps are large, so that few rays find them well enough: a small sun gives bright specks. Below the horizon, and in the
studio a little above it, is a backdrop exactly as bright as the rim of the floor: there is no edge to be seen, and rays
that reach it end there. Light is scaled so that a white floor under it has a brightness of 1.25, and
in the dark of half as much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BRIGHTNESS = 1.25
_ROWS, _COLUMNS = 256, 512
_KEY, _FILL = np.array([1.0, 0.97, 0.92]), np.array([0.90, 0.96, 1.0])
_DAY, _SUN = np.array([0.96, 0.98, 1.0]), np.array([1.0, 0.93, 0.80])


def environment(name: str, to_lamp: Array, to_fill: Array, rim: Array) -> NDArray[np.float32]:
    """The light of a name.

    Args:
        name: One of `plash.scene.sets.LIGHTS`.
        to_lamp, to_fill: Directions of its lamp, window or sun, and of a smaller lamp if it has one.
        rim: Light that the floor's rim returns, of that which falls on it.
    """
    match name:
        case "sky":
            return sky_environment(to_lamp, rim)
        case "window":
            return window_environment(to_lamp, to_fill, rim)
        case "sun":
            return sun_environment(to_lamp, rim)
        case "dark":
            return dark_environment(to_lamp, to_fill, rim)
        case _:
            return studio_environment(to_lamp, to_fill, rim)


def studio_environment(to_lamp: Array, to_fill: Array, rim: Array) -> NDArray[np.float32]:
    """A large lamp on one side, a smaller one on the other, and a bright ceiling, brightest overhead.

    Args:
        to_lamp, to_fill: Directions of the lamps.
        rim: Light that the floor's rim returns, of that which falls on it.
    """
    directions = _directions()
    height = directions[..., 1]
    light = 0.16 + 0.45 * np.clip(height, 0, 1)[..., None] ** 1.5 * np.ones(3)
    light += 15.0 * _panel(directions, to_lamp, 0.42, 0.30) * _KEY
    light += 4.0 * _panel(directions, to_fill, 0.22, 0.42) * _FILL
    return _over_backdrop(light, _smooth(0.0, 0.45, height), height, rim)


def sky_environment(to_sun: Array, rim: Array) -> NDArray[np.float32]:
    """A hazy blue sky, paler towards the horizon, with a wide soft sun.

    Args:
        to_sun: Direction of the sun.
        rim: Light that the ground returns, of that which falls on it.
    """
    directions = _directions()
    height = directions[..., 1]
    pale = (1 - np.clip(height, 0, 1))[..., None] ** 4
    light = pale * np.array([0.86, 0.93, 1.0]) + (1 - pale) * np.array([0.20, 0.42, 0.85])
    nearness = directions @ to_sun
    light = light + (9.0 * _smooth(0.955, 0.985, nearness) + 0.8 * np.clip(nearness, 0, 1) ** 12)[..., None] * _KEY
    return _over_backdrop(light, _smooth(-0.004, 0.03, height), height, rim)


def window_environment(to_window: Array, to_wall: Array, rim: Array) -> NDArray[np.float32]:
    """A room with a tall window of six panes on one side, and a pale wall that is lit by it on the other."""
    directions = _directions()
    height = directions[..., 1]
    light = np.ones(3) * (0.30 + 0.25 * np.clip(height, 0, 1)[..., None])
    light = light * np.array([1.0, 0.98, 0.95])
    light += 0.9 * (np.clip(directions @ to_wall, 0, 1) ** 2)[..., None] * np.array([1.0, 0.97, 0.92])
    for across in (-1, 1):
        for tall in (-1, 0, 1):
            light += 26.0 * _panel(directions, to_window, 0.19, 0.17, (0.215 * across, 0.39 * tall), 0.02) * _DAY
    return _over_backdrop(light, _smooth(0.0, 0.25, height), height, rim)


def sun_environment(to_sun: Array, rim: Array) -> NDArray[np.float32]:
    """A clear sky with the sun in it, larger than in nature, so that few rays find it."""
    directions = _directions()
    height = directions[..., 1]
    pale = (1 - np.clip(height, 0, 1))[..., None] ** 3
    light = pale * np.array([0.62, 0.78, 1.0]) + (1 - pale) * np.array([0.12, 0.32, 0.80])
    nearness = directions @ to_sun
    light = light + (110.0 * _smooth(0.988, 0.996, nearness) + 0.5 * np.clip(nearness, 0, 1) ** 16)[..., None] * _SUN
    return _over_backdrop(light, _smooth(-0.004, 0.02, height), height, rim)


def dark_environment(to_lamp: Array, to_rim: Array, rim: Array) -> NDArray[np.float32]:
    """A dark room with two narrow lamps behind the scene: edges shine, and what glows is seen."""
    directions = _directions()
    height = directions[..., 1]
    light = 0.05 + 0.10 * np.clip(height, 0, 1)[..., None] ** 2 * np.ones(3)
    light += 16.0 * _panel(directions, to_lamp, 0.16, 0.42) * _KEY
    light += 10.0 * _panel(directions, to_rim, 0.13, 0.42) * np.array([0.72, 0.86, 1.0])
    return _over_backdrop(light, _smooth(0.0, 0.3, height), height, rim, 0.5 * BRIGHTNESS)


def _over_backdrop(
    light: Array, above: Array, height: Array, rim: Array, brightness: float = BRIGHTNESS
) -> NDArray[np.float32]:
    """Light in the right amount, blended into a backdrop that is as bright as the floor's rim.

    Of the light B that falls on the floor, a share comes from the backdrop, which is rim × B: B = k a + b rim B, where
    a is from the lights above and b the backdrop's share; k makes the mean of B what it should be.
    """
    each = (np.pi / _ROWS) * (2 * np.pi / _COLUMNS) * np.sqrt(1 - height**2)  # solid angle of each pixel
    weight = np.clip(height, 0, None) * each / np.pi
    lights = ((weight * above)[..., None] * light).sum(axis=(0, 1))
    share = float((weight * (1 - above)).sum())
    falling = lights / (1 - share * rim)
    scale = brightness / falling.mean()
    part = above[..., None]
    whole: NDArray[np.float32] = (scale * (part * light + (1 - part) * rim * falling)).astype(np.float32)
    return whole


def _directions() -> Array:
    """Unit vectors (rows, columns, 3): from straight up to straight down, and round from -z over +x."""
    from_up = np.pi * (np.arange(_ROWS) + 0.5)[:, None] / _ROWS
    round_about = 2 * np.pi * (np.arange(_COLUMNS) + 0.5)[None, :] / _COLUMNS
    return np.stack(
        [
            np.sin(from_up) * np.sin(round_about),
            np.cos(from_up) * np.ones_like(round_about),
            -np.sin(from_up) * np.cos(round_about),
        ],
        axis=-1,
    )


def _panel(
    directions: Array,
    towards: Array,
    across: float,
    tall: float,
    aside: tuple[float, float] = (0.0, 0.0),
    soft: float = 0.08,
) -> Array:
    """A rectangular lamp with soft edges, half as wide and tall as `across` and `tall` at a distance of 1."""
    side = np.cross([0.0, 1.0, 0.0], towards)
    side /= np.sqrt(side @ side)
    ahead = directions @ towards
    safe = np.maximum(ahead, 1e-6)
    x, y = directions @ side / safe - aside[0], directions @ np.cross(towards, side) / safe - aside[1]
    lit = _smooth(across + soft, across - soft, np.abs(x)) * _smooth(tall + soft, tall - soft, np.abs(y))
    panel: Array = np.where(ahead > 0, lit, 0.0)[..., None]
    return panel


def _smooth(start: float, end: float, x: Array) -> Array:
    """From 0 at the start to 1 at the end without a kink."""
    t = np.clip((x - start) / (end - start), 0, 1)
    smooth: Array = t * t * (3 - 2 * t)
    return smooth
