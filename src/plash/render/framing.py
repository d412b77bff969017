"""What a camera without a place looks at: not the whole domain, but as much of it as the liquid may reach.

This is known from the scene alone. Frames on disk would tell it better, but a picture must not depend on how many of
them there were when it was made: a run that is stopped and goes on has the same pictures as one that was not.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from plash.scene.bodies import Fill
from plash.scene.drops import Drops
from plash.scene.model import Scene
from plash.scene.sources import Blob, Spout

_SPLASH = 1.6  # liquid that runs into a wall rises so many times as high as it came from
_LEAST = 0.25  # of the domain's height


def seen_size(scene: Scene) -> NDArray[np.float64]:
    """The box (m) from the origin that is to be seen: the domain, as high as liquid, solids and the splash may be.

    >>> from plash.scene import load_scene
    >>> seen_size(load_scene("wave_maker")).round(3).tolist()  # of 0.8 m
    [3.2, 0.751, 0.4]
    """
    size: NDArray[np.float64] = np.array(scene.domain.cells) * scene.domain.h
    gravity = scene.domain.gravity
    falls = scene.dimension == 3 and gravity[1] < 0 and gravity[0] == gravity[2] == 0
    if not falls or not scene.solver.has_free_surface or scene.force or scene.pump:
        return size
    tops = [0.0]
    sources = [source for source in scene.source if isinstance(source, Blob | Drops)]
    bodies: list[Fill | Blob | Drops] = [*(fill for fill in scene.fill if not fill.inside), *sources]
    for body in bodies:
        tops.append(_SPLASH * (_top(body.shape.bounds(3)[1][1], size) + _rise(body.velocity[1], gravity[1])))
    for source in scene.source:
        if isinstance(source, Spout):
            up = max(source.shape.normal[1], 0.0) * source.peak(3)
            tops.append(1.1 * (_top(source.shape.bounds(3)[1][1], size) + _rise(up, gravity[1])))
    last = scene.time.frames / scene.time.fps
    for solid in scene.solid:
        tops += [_top(solid.at(last * k / 8, 3).shape.bounds(3)[1][1], size) for k in range(9 if solid.moves else 1)]
    size[1] = min(size[1], max(*tops, _LEAST * size[1]))
    return size


def _top(height: float, size: NDArray[np.float64]) -> float:
    return min(height, float(size[1])) if math.isfinite(height) else float(size[1])


def _rise(velocity: float, gravity: float) -> float:
    """How much higher something gets that goes up or down so fast."""
    return velocity**2 / (2 * abs(gravity))
