"""Light from all directions, as pictures that wrap the scene: a studio with large soft lamps, and a sky.

Lamps are large, so that few rays find them well enough: a small sun gives bright specks. Below the horizon, and in the
studio a little above it, is a backdrop exactly as bright as the rim of the floor: there is no edge to be seen, and rays
that reach it end there. Light is scaled so that a white floor under it has a brightness of 1.25.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BRIGHTNESS = 1.25
_ROWS, _COLUMNS = 128, 256
_KEY, _FILL = np.array([1.0, 0.97, 0.92]), np.array([0.90, 0.96, 1.0])


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


def _over_backdrop(light: Array, above: Array, height: Array, rim: Array) -> NDArray[np.float32]:
    """Light in the right amount, blended into a backdrop that is as bright as the floor's rim.

    Of the light B that falls on the floor, a share comes from the backdrop, which is rim × B: B = k a + b rim B, where
    a is from the lights above and b the backdrop's share; k makes the mean of B what it should be.
    """
    each = (np.pi / _ROWS) * (2 * np.pi / _COLUMNS) * np.sqrt(1 - height**2)  # solid angle of each pixel
    weight = np.clip(height, 0, None) * each / np.pi
    lights = ((weight * above)[..., None] * light).sum(axis=(0, 1))
    share = float((weight * (1 - above)).sum())
    falling = lights / (1 - share * rim)
    scale = BRIGHTNESS / falling.mean()
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


def _panel(directions: Array, towards: Array, across: float, tall: float) -> Array:
    """A rectangular lamp with soft edges, half as wide and tall as `across` and `tall` at a distance of 1."""
    side = np.cross([0.0, 1.0, 0.0], towards)
    side /= np.sqrt(side @ side)
    ahead = directions @ towards
    safe = np.maximum(ahead, 1e-6)
    x, y = directions @ side / safe, directions @ np.cross(towards, side) / safe
    lit = _smooth(across + 0.08, across - 0.08, np.abs(x)) * _smooth(tall + 0.08, tall - 0.08, np.abs(y))
    panel: Array = np.where(ahead > 0, lit, 0.0)[..., None]
    return panel


def _smooth(start: float, end: float, x: Array) -> Array:
    """From 0 at the start to 1 at the end without a kink."""
    t = np.clip((x - start) / (end - start), 0, 1)
    smooth: Array = t * t * (3 - 2 * t)
    return smooth
