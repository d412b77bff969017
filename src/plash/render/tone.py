"""From light to the colours of a screen, as a camera and film do it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.scene.colors import screen


def toned(light: NDArray[np.floating], exposure: float, curve: str) -> NDArray[np.uint8]:
    """The picture of light.

    Args:
        light: Linear red, green and blue (height, width, 3).
        exposure: Stops to brighten it by: 1 doubles it.
        curve: "filmic" has more contrast in the middle and lets highlights fade into white; "plain" cuts them off at 1.

    >>> toned(np.array([[[0.0, 0.18, 1.0]]]), 0.0, "plain").tolist()
    [[[0, 118, 255]]]
    """
    x = np.maximum(light.astype(np.float64), 0) * 2.0**exposure
    return (255 * screen(film(x) if curve == "filmic" else x) + 0.5).astype(np.uint8)


def film(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Light as film shows it, from 0 to 1: the fit of the ACES curve by Narkowicz 2015.

    >>> film(np.array([0.0, 0.18])).round(2).tolist()
    [0.0, 0.18]
    """
    x = 0.72 * light  # leaves grey of 0.18 where it is
    found: NDArray[np.float64] = x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)
    return np.minimum(found, 1.0)
