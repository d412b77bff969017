"""The colour of things that glow because they are hot.

Planck's law gives the light of a black body at each wavelength, and the eye's three responses (CIE 1931, as the sums of
bells of Wyman et al. 2013) make a colour of it.

References: Wyman, Sloan & Shirley 2013; Nguyen, Fedkiw & Jensen 2002 for flames.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

BRIGHT = 1700.0  # K: where the largest of red, green and blue is 1
_FIRST, _FULL = 700.0, 1000.0  # K: below the first nothing is seen to glow
_PLANCK = 1.438777e-2  # h c / k, m K
_WAVES = np.linspace(380e-9, 780e-9, 201)
_TO_RGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])


def glow_colors(temperature: ArrayLike) -> Array:
    """Light (n, 3) of black bodies, linear red, green and blue, 1 at most at 1700 K.

    The colour is that of Planck's law. The brightness grows with the fourth power of the temperature, as all the
    radiation does: of the visible part a screen could not show both the root of a flame and its tip.

    >>> red, green, blue = glow_colors([1500.0])[0]
    >>> bool(red > 2 * green > 10 * blue)
    True
    """
    kelvin = np.maximum(np.atleast_1d(np.asarray(temperature, np.float64)), 1.0)
    with np.errstate(over="ignore"):
        radiance = _WAVES**-5.0 / np.expm1(np.minimum(_PLANCK / (_WAVES * kelvin[:, None]), 700.0))
    seen = np.einsum("nw,wc->nc", radiance, _responses())
    color = np.maximum(np.einsum("nc,rc->nr", seen, _TO_RGB), 0.0)
    color /= np.maximum(color.max(axis=1, keepdims=True), 1e-300)
    part = np.clip((kelvin - _FIRST) / (_FULL - _FIRST), 0, 1)
    glow: Array = color * (part**2 * (3 - 2 * part) * (kelvin / BRIGHT) ** 4)[:, None]
    return glow


def _responses() -> Array:
    """Those of the eye (wavelength, 3): x, y and z of CIE 1931."""
    nm = _WAVES * 1e9

    def bell(middle: float, left: float, right: float) -> Array:
        width = np.where(nm < middle, left, right)
        shape: Array = np.exp(-0.5 * ((nm - middle) / width) ** 2)
        return shape

    x = 1.056 * bell(599.8, 37.9, 31.0) + 0.362 * bell(442.0, 16.0, 26.7) - 0.065 * bell(501.1, 20.4, 26.2)
    y = 0.821 * bell(568.8, 46.9, 40.5) + 0.286 * bell(530.9, 16.3, 31.1)
    z = 1.217 * bell(437.0, 11.8, 36.0) + 0.681 * bell(459.0, 26.0, 13.8)
    return np.stack([x, y, z], axis=1)
