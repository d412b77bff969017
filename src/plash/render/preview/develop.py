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


def develop(light: NDArray[np.float32], exposure: float = 0.0) -> NDArray[np.uint8]:
    """The picture (height, width, 3) of light at 2 × 2 samples a pixel.

    Each sample is compressed before they are averaged, so that a glint has soft edges.

    Args:
        light: As film shows it, linear.
        exposure: Stops to brighten it by, as `plash.render.tone` does before the film.
    """
    rows, columns, _ = light.shape
    picture = np.empty((rows // 2, columns // 2, 3), np.uint8)
    _develop(light, picture, 2.0**exposure, *_screen_curve(), BANDS)
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


@inlined
def _exposed(x, gain):
    """What film shows of `gain` times the light of which it shows x, from 0 to 1: the curve of `plash.render.tone`."""
    a, b = 2.51 - 2.43 * x, 0.03 - 0.59 * x
    before = gain * (np.sqrt(b * b + 0.56 * a * x) - b) / (2 * a)
    return min(1.0, before * (2.51 * before + 0.03) / (before * (2.43 * before + 0.59) + 0.14))


@kernel
def _develop(light, picture, gain, starts, bins, bands):
    rows, columns, _ = picture.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                for c in range(3):
                    mean = 0.0
                    for k in range(4):
                        sample = _compressed(max(0.0, light[2 * i + k // 2, 2 * j + k % 2, c]))
                        mean += 0.25 * (sample if gain == 1.0 else _exposed(sample, gain))
                    value = int(bins[int(min(mean, 1.0) * _BINS)])
                    while value < 255 and starts[value + 1] <= mean:
                        value += 1
                    picture[i, j, c] = value
