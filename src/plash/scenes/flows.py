"""Known motions, for scenes whose liquid is told where to go: points (n, 2) in metres and a time in s to m/s."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

SECONDS = 59 / 24  # of a turn, and until the vortex is back: sixty frames


def turning(points: Points, time: float) -> Points:
    """One turn in sixty frames, round the middle of a box of one metre."""
    x, y = (points - 0.5).T
    return 2 * np.pi / SECONDS * np.stack([-y, x], axis=1)


def slotted_disc(points: Points) -> Points:
    """Distance to Zalesak's disc: a slot, a sixth of it wide, ends above its middle."""
    x, y = (points - (0.5, 0.75)).T
    return np.asarray(np.maximum(np.hypot(x, y) - 0.15, -np.maximum(np.abs(x) - 0.025, y - 0.1)))


def vortex(points: Points, time: float) -> Points:
    """A vortex in a box of one metre, which turns back halfway: that of period 8, in sixty frames."""
    x, y = np.pi * points.T
    swirl = np.stack([-(np.sin(x) ** 2) * np.sin(2 * y), np.sin(y) ** 2 * np.sin(2 * x)], axis=1)
    return np.asarray(8 / SECONDS * np.cos(np.pi * time / SECONDS) * swirl)
