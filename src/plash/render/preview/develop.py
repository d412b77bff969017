"""From light at samples to a picture: average the samples of a pixel, compress highlights, apply the screen's curve."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel
from plash.grid.loops import chunk_range
from plash.render.preview.raster import BANDS


def develop(light: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The picture (height, width, 3) of light at 2 × 2 samples a pixel.

    Each sample is compressed before they are averaged, so that a glint has soft edges.
    """
    rows, columns, _ = light.shape
    picture = np.empty((rows // 2, columns // 2, 3), np.uint8)
    _develop(light, picture, BANDS)
    return picture


@inlined
def _compressed(x):
    """The same up to a knee, then ever more slowly towards 1."""
    knee = 0.9
    return x if x <= knee else 1 - (1 - knee) * np.exp(-(x - knee) / (1 - knee))


@kernel
def _develop(light, picture, bands):
    rows, columns, _ = picture.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                for c in range(3):
                    mean = 0.0
                    for k in range(4):
                        mean += 0.25 * _compressed(max(0.0, light[2 * i + k // 2, 2 * j + k % 2, c]))
                    shown = 12.92 * mean if mean <= 0.0031308 else 1.055 * mean ** (1 / 2.4) - 0.055
                    picture[i, j, c] = np.uint8(min(max(255 * shown + 0.5, 0.0), 255.0))
