"""From light at samples to a picture: average the samples of a pixel, compress highlights, apply the screen's curve."""

from __future__ import annotations

import functools

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel
from plash.grid.loops import chunk_range
from plash.render.preview.raster import BANDS

_BINS = 4096


def develop(light: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The picture (height, width, 3) of light at 2 × 2 samples a pixel.

    Each sample is compressed before they are averaged, so that a glint has soft edges.
    """
    rows, columns, _ = light.shape
    picture = np.empty((rows // 2, columns // 2, 3), np.uint8)
    _develop(light, picture, *_screen_curve(), BANDS)
    return picture


@functools.cache
def _screen_curve() -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Light from which on a screen shows each of its 256 values, and the value at which to begin to look, in bins.

    Powers take longer than all else that happens to a pixel.
    """
    shown = (np.arange(256) - 0.5) / 255
    low, high = shown / 12.92, ((np.maximum(shown, 0) + 0.055) / 1.055) ** 2.4
    starts = np.where(low <= 0.0031308, low, high)
    starts[0] = -np.inf
    bins = np.searchsorted(starts, np.arange(_BINS + 1) / _BINS, side="right") - 1
    return starts, bins.astype(np.uint8)


@inlined
def _compressed(x):
    """The same up to a knee, then ever more slowly towards 1."""
    knee = 0.9
    return x if x <= knee else 1 - (1 - knee) * np.exp(-(x - knee) / (1 - knee))


@kernel
def _develop(light, picture, starts, bins, bands):
    rows, columns, _ = picture.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                for c in range(3):
                    mean = 0.0
                    for k in range(4):
                        mean += 0.25 * _compressed(max(0.0, light[2 * i + k // 2, 2 * j + k % 2, c]))
                    value = int(bins[int(min(mean, 1.0) * _BINS)])
                    while value < 255 and starts[value + 1] <= mean:
                        value += 1
                    picture[i, j, c] = value
