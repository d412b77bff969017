"""Smoke in 2-D pictures: a layer of it as deep as an eighth of the domain, in even light."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range, chunk_slots
from plash.grid.volume import Volume
from plash.render.camera import View
from plash.render.preview.raster import BANDS
from plash.render.preview.surfaces import ray
from plash.render.smoke.bricks import brick_tiles, empty_bricks, fill_bricks, full_brick, spline_weights
from plash.render.smoke.optics import SmokeFields, SmokeOptics, emitted, fades, tint_at

Floats = NDArray[np.float32]

_DEPTH = 1 / 8  # of the layer, in domain sizes
_TILE = 16


def draw_plane_smoke(light: Floats, view: View, volume: Volume, optics: SmokeOptics) -> None:
    """Put the smoke of a 2-D volume in front of the light of a picture."""
    if volume.tiles.count == 0:
        return
    tiles = brick_tiles(volume)
    if tiles.count == 0:
        return
    cells = np.zeros((tiles.count + 1, *tiles.shape, 4), np.float32)
    _set(cells, SmokeFields.of(volume, tiles), optics, chunk_count())
    bricks = empty_bricks(tiles, volume.h)
    fill_bricks(bricks, tiles, cells, 0, 4)
    _draw(light, view.packed, bricks, _DEPTH * optics.size, BANDS)


@kernel
def _set(cells, smoke, optics, chunks):
    _, deep, high, wide, _ = cells.shape
    for chunk in numba.prange(chunks):
        for slot in chunk_slots(chunk, chunks, len(smoke.homes)):
            home = smoke.homes[slot - 1]
            if home == 0:
                continue
            for z in range(deep):
                for y in range(high):
                    for x in range(wide):
                        by_smoke, by_flame = fades(smoke, optics, home, z, y, x)
                        cells[slot, z, y, x, 0] = by_smoke + by_flame
                        for part in range(3):
                            glow = emitted(smoke, optics, home, z, y, x, part)
                            cells[slot, z, y, x, 1 + part] = (
                                by_smoke * tint_at(smoke, optics, home, z, y, x, part) + glow
                            )


@kernel
def _draw(light, view, bricks, depth, bands):
    rows, columns, _ = light.shape
    keys, full, values = bricks.keys, bricks.full, bricks.values
    tile = _TILE * bricks.h
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                x, y, z = ray(view, i, j)
                far = -view[2] / z
                px, py = (view[0] + far * x) / tile, (view[1] + far * y) / tile
                a, b = int(np.floor(px)), int(np.floor(py))
                brick = full_brick(keys, full, a, b, 0)
                if brick == 0:
                    continue
                px, py = _TILE * (px - a), _TILE * (py - b)
                m, n = int(px), int(py)
                across = spline_weights(np.float32(px - m - 0.5))
                down = spline_weights(np.float32(py - n - 0.5))
                fade = red = green = blue = np.float32(0)
                for v in range(3):
                    for u in range(3):
                        w = across[u] * down[v]
                        at = values[brick, 0, n + v, m + u]
                        fade, red, green, blue = fade + w * at[0], red + w * at[1], green + w * at[2], blue + w * at[3]
                if fade <= 0:
                    continue
                passing = np.exp(-fade * np.float32(depth))
                part = (np.float32(1) - passing) / fade
                light[i, j, 0] = passing * light[i, j, 0] + part * red
                light[i, j, 1] = passing * light[i, j, 1] + part * green
                light[i, j, 2] = passing * light[i, j, 2] + part * blue
