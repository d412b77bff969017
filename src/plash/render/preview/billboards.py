"""Smoke as Cline draws it: a blurry dot for every cell, drawn from back to front.

A dot is a picture that faces the camera, three cells wide and densest in its middle. Its opacity is not 1 - density, as
the paper has it, which is how much light passes: of light e^(-s h f) is left, with the rate s at which it fades in the
cell, the cell's size h, and a bell f = c (1 - r²/R²)² with R = 3/2 h. Its integral is h², so that in the mean many dots
dim a ray as the smoke in their cells does.

Reference: Cline et al., section 9.4.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.grid.loops import chunk_range
from plash.grid.tiles import unpack
from plash.render.camera import View
from plash.render.preview.march import SeenSmoke
from plash.render.preview.raster import BANDS
from plash.render.smoke.bricks import Bricks

Floats = NDArray[np.float32]

_RADIUS = 1.5  # cells
_MIDDLE = 3 / (np.pi * _RADIUS**2)  # of the bell
_NEAR = 2.0  # cells from the camera: nearer dots would fill the picture


class _Dots(NamedTuple):
    """Dots from back to front: x and y in samples, depth (m), radius in samples, s h, and light of each."""

    place: NDArray[np.float64]
    radius: NDArray[np.float64]
    fade: Floats
    light: Floats


def see_billboards(seen: SeenSmoke, view: View, behind: Floats, bricks: Bricks) -> None:
    """Draw a dot for every cell of smoke that is nearer than what is opaque, at a depth (m) for each sample."""
    dots = _dots(view, bricks)
    _draw(dots, behind, seen.light, seen.passing, seen.depth, BANDS)


def _dots(view: View, bricks: Bricks) -> _Dots:
    values = bricks.values[1:, 1:-1, 1:-1, 1:-1]
    brick, z, y, x = np.nonzero(values[..., 0] > 0)
    cell = 8 * unpack(bricks.keys)[brick] + np.stack([x, y, z], axis=1)
    place = view.project((cell + 0.5) * bricks.h)
    order = np.argsort(-place[:, 2], kind="stable")
    order = order[place[order, 2] > _NEAR * bricks.h]
    found = values[brick[order], z[order], y[order], x[order]]
    radius = _RADIUS * bricks.h * view.focal / place[order, 2]
    return _Dots(place[order], radius, found[:, 0] * np.float32(bricks.h), found[:, 1:] / found[:, :1])


@kernel
def _draw(dots, behind, light, passing, depth, bands):
    place, radius, fade, color = dots.place, dots.radius, dots.fade, dots.light
    rows, columns = behind.shape
    for band in numba.prange(bands):
        part = chunk_range(band, bands, rows)
        top, bottom = part.start, part.stop - 1
        for n in range(len(radius)):
            x, y, z, r = place[n, 0], place[n, 1], place[n, 2], radius[n]
            first, last = max(top, int(np.ceil(y - r - 0.5))), min(bottom, int(np.floor(y + r - 0.5)))
            left, right = max(0, int(np.ceil(x - r - 0.5))), min(columns - 1, int(np.floor(x + r - 0.5)))
            scale = 1 / (r * r)
            for i in range(first, last + 1):
                for j in range(left, right + 1):
                    inside = 1 - ((i + 0.5 - y) ** 2 + (j + 0.5 - x) ** 2) * scale
                    if inside <= 0 or z >= behind[i, j]:
                        continue
                    rest = np.exp(-fade[n] * np.float32(_MIDDLE * inside * inside))
                    for k in range(3):
                        light[i, j, k] = rest * light[i, j, k] + (1 - rest) * color[n, k]
                    passing[i, j] *= rest
                    depth[i, j] = min(depth[i, j], np.float32(z))
