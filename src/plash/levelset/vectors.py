"""Vectors that a function of a scene gives at points: accelerations of forces, velocities of fills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError
from plash.scene.bodies import Fill
from plash.scene.functions import called
from plash.scene.sources import Blob

Array = NDArray[np.float64]


def vectors_at(function: Callable[..., Any], key: str, points: Array, *more: float) -> Array:
    """What a function gives at points (n, d) in metres, if that is one finite vector for each.

    Args:
        function: As the scene has it.
        key: What messages call it.
        points: Where.
        more: What else it is given, such as the time in s.

    Raises:
        SceneError: It gives something else, or fails.
    """
    title = getattr(function, "__name__", type(function).__name__)
    try:
        values = np.asarray(called(function, key, points, *more), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SceneError([Problem(key, f"the function {title} gave no array of numbers: {error}")]) from error
    if values.shape != points.shape:
        sentence = f"the function {title} gave an array of shape {values.shape}, not {points.shape}"
        raise SceneError([Problem(key, sentence)])
    if not np.isfinite(values).all():
        where = int(np.argmin(np.isfinite(values).all(axis=1)))
        sentence = f"the function {title} gave {values[where].tolist()} at {points[where].tolist()}"
        raise SceneError([Problem(key, f"{sentence}, not finite numbers")])
    return values


def start_velocity(liquid: Fill | Blob, points: Array, key: str) -> Array:
    """The velocity (n, d) in m/s that liquid starts with at points (n, d) in metres; `key` is its place in a scene."""
    velocity = np.tile(np.array(liquid.velocity[: points.shape[1]], np.float64), (len(points), 1))
    function = getattr(liquid, "velocity_at", None)
    return velocity if function is None else velocity + vectors_at(function, f"{key}.velocity_at", points)
