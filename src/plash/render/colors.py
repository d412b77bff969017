"""Colours that show numbers: the scales of speeds and other values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.scene.colors import linear, rgb

# Scales by what they show, each of one way in lightness: speed and the rest from deep blue to a pale cyan, in steps of
# even lightness (CIE L* from 21 to 95); warmth as things that glow; what is thick as dark as syrup
_SPEED_COLORS = ("#10306e", "#14489a", "#1f66bd", "#3387d4", "#57a8e2", "#86c6ea", "#b3dcef", "#dff3f6")
_SCALES = {
    "temperature": ("#1b0c41", "#4a0c6b", "#781c6d", "#a52c60", "#cf4446", "#ed6925", "#fb9b06", "#f7d13d", "#fcffa4"),
    "log_viscosity": ("#fbe9c6", "#f3cf8e", "#e3ad5b", "#c98738", "#a56426", "#7d461d", "#552d17", "#331b12"),
}


def scale_colors(part: ArrayLike, shows: str = "speed") -> NDArray[np.float32]:
    """Light (n, 3) for speeds, or what else a scale shows, as parts of the way from its first value to its last."""
    stops = np.array([rgb(color) for color in _SCALES.get(shows, _SPEED_COLORS)])
    place = np.clip(np.nan_to_num(np.asarray(part, np.float64)), 0, 1) * (len(stops) - 1)
    mixed = np.stack([np.interp(place, np.arange(len(stops)), stops[:, k]) for k in range(3)], axis=-1)
    return linear(mixed).astype(np.float32)
