"""Spray, foam and bubbles in drawn pictures: small white discs, drawn from back to front.

A disc narrower than a sample covers a part of it: it fades instead of flickering.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.preview.raster import BANDS
from plash.whitewater.motes import BUBBLE, FOAM, SPRAY, Motes

Floats = NDArray[np.float32]

_NARROWEST = 0.75  # samples: the radius of the smallest disc that is drawn
_NEAREST = 0.5  # cells from the camera: nearer motes would fill the picture
_SUNK = 0.6  # cells behind the liquid's surface that foam may lie, and be seen
_COVER = {SPRAY: 0.85, FOAM: 0.8, BUBBLE: 0.45}  # how much of what is behind a mote it hides
_LIGHT = {SPRAY: (0.93, 0.95, 0.97), FOAM: (0.95, 0.96, 0.96), BUBBLE: (0.72, 0.86, 0.9)}


class _Discs(NamedTuple):
    """Discs from back to front: x and y in samples and depth (m), radius in samples, cover, and light."""

    place: NDArray[np.float64]
    radius: NDArray[np.float64]
    cover: NDArray[np.float64]
    light: NDArray[np.float32]


def draw_surface_motes(light: Floats, view: View, motes: Motes, largest: float, h: float, nearest: Floats) -> None:
    """Draw spray and foam that nothing hides.

    Args:
        light: Of the picture, changed in place.
        view: The camera.
        motes: Of a frame.
        largest: Radius of the largest, m.
        h: Cell size, m.
        nearest: Depth (m) of what is seen at each sample; foam may lie a little behind it.
    """
    for kind, behind in ((FOAM, _SUNK * h), (SPRAY, 0.0)):
        discs = _discs(view, motes.of_kind(kind), kind, largest, h)
        _draw(discs, nearest, np.float32(behind), light, BANDS)


def draw_bubbles(light: Floats, view: View, motes: Motes, largest: float, h: float, opaque: Floats) -> None:
    """Draw bubbles before what is opaque; the liquid is drawn over them."""
    discs = _discs(view, motes.of_kind(BUBBLE), BUBBLE, largest, h)
    _draw(discs, opaque, np.float32(0), light, BANDS)


def _discs(view: View, motes: Motes, kind: int, largest: float, h: float) -> _Discs:
    places = np.pad(motes.position, ((0, 0), (0, 3 - motes.dimension)))
    place = view.project(places)
    order = np.argsort(-place[:, 2], kind="stable")
    order = order[place[order, 2] > _NEAREST * h]
    true = largest * motes.size[order] * view.focal / place[order, 2]
    radius = np.maximum(true, _NARROWEST)
    cover = _COVER[kind] * (true / radius) ** 2
    # Foam thins out at the end of its life
    left = 1 - motes.age[order] / np.maximum(motes.lifetime[order], 1e-30)
    cover *= np.clip(3 * left, 0.0, 1.0)
    return _Discs(place[order], radius, cover, np.array(_LIGHT[kind], np.float32))


@kernel
def _draw(discs, depth, behind, light, bands):
    place, radius, cover, color = discs.place, discs.radius, discs.cover, discs.light
    rows, columns = depth.shape
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
                    square = ((i + 0.5 - y) ** 2 + (j + 0.5 - x) ** 2) * scale
                    if square >= 1 or z >= depth[i, j] + behind:
                        continue
                    share = cover[n] * min(2 * (1 - square), 1.0)
                    # Round: darker below, where less light falls on it
                    shade = 1 - 0.18 * max((i + 0.5 - y) / r, 0.0)
                    for k in range(3):
                        light[i, j, k] += share * (shade * color[k] - light[i, j, k])
