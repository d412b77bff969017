"""Soft shadows: how much light of a large lamp reaches a point past solids and through liquid.

The lamp sees the things as a picture: for each sample how much of it is covered, how far away the cover is and how
thick. Averages of that picture over ever larger areas (a pyramid) give shadows that are sharp where a thing touches
what it stands on and soft further away, smooth and without noise, so that nothing flickers between frames.

Liquid also gathers light: rays of the lamp are bent where they enter it and end closer together or further apart on
the floor. How dense they lie there is a fourth layer of the pyramid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel, serial_kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.preview.raster import BANDS, Layer

Floats = NDArray[np.float32]

MAP_SIZE = 512
_LEVELS = 7


@dataclass(frozen=True, eq=False)
class ShadowMap:
    """What a lamp sees of some things.

    Attributes:
        view: From the lamp.
        middle: Depth (m) that others are counted from, which keeps their squares small.
        atlas: The pyramid, one level below the other: cover, cover × depth, cover × thickness (of opaque things
            depth²), and how bright the lamp is on the floor there; each level has half the samples of the one
            before. Depths are counted from `middle`.
        softness: Radius of the lamp over its distance.
        absorb: How fast light fades in the things, 1/m for red, green and blue; infinite in opaque ones.
        grain: Depth (m) over which an opaque thing lets less and less light through.
    """

    view: View
    middle: float
    atlas: Floats
    softness: float
    absorb: NDArray[np.float64]
    grain: float


def shadow_map(
    view: View,
    layer: Layer,
    softness: float,
    absorb: NDArray[np.float64],
    grain: float,
    gathered: Floats | None = None,
) -> ShadowMap:
    """The map of a layer drawn from a lamp's view, MAP_SIZE × MAP_SIZE; `gathered` is the light on the floor."""
    covered = layer.index >= 0
    atlas = np.zeros((2 * MAP_SIZE, MAP_SIZE, 4), np.float32)
    atlas[:MAP_SIZE, :, 3] = 1 if gathered is None else gathered
    atlas[:MAP_SIZE, :, 0] = covered
    middle = float(np.mean(layer.depth, where=covered)) if covered.any() else 0.0
    depth = np.where(covered, layer.depth - np.float32(middle), 0)
    atlas[:MAP_SIZE, :, 1] = depth
    if grain > 0:
        atlas[:MAP_SIZE, :, 2] = depth * depth
    else:
        atlas[:MAP_SIZE, :, 2] = np.where(covered, np.maximum(layer.thickness, 0), 0)
    _build_pyramid(atlas, MAP_SIZE, _LEVELS)
    return ShadowMap(view, middle, atlas, softness, absorb, grain)


def shadow_map_of(view: View, moments: Floats, middle: float, softness: float, grain: float) -> ShadowMap:
    """The map of things that cover a lamp in part: cover, cover × depth and cover × depth², counted from `middle`."""
    atlas = np.zeros((2 * MAP_SIZE, MAP_SIZE, 4), np.float32)
    atlas[:MAP_SIZE, :, :3] = moments
    atlas[:MAP_SIZE, :, 3] = 1
    _build_pyramid(atlas, MAP_SIZE, _LEVELS)
    return ShadowMap(view, middle, atlas, softness, np.full(3, np.inf), grain)


def dim(light: Floats, view: View, depth: Floats, shadows: ShadowMap) -> None:
    """Multiply the light (rows, columns, 3) of each sample by what reaches it past the things of a shadow map.

    The samples of a pixel, 2 × 2 of them, share one value where they lie on one surface.
    """
    numbers = np.array([shadows.softness, shadows.grain, shadows.middle, *shadows.absorb])
    _dim(light, view.packed, depth, shadows.atlas, shadows.view.packed, numbers, BANDS)


@serial_kernel
def _build_pyramid(atlas, size, levels):
    start, n = 0, size
    for _ in range(levels - 1):
        half = n // 2
        below = start + n
        for i in range(half):
            for j in range(half):
                a, b, c, d, total = 0.0, 0.0, 0.0, 0.0, 0.0
                for di in range(-1, 3):
                    y = min(max(2 * i + di, 0), n - 1)
                    wy = 3.0 if 0 <= di <= 1 else 1.0
                    for dj in range(-1, 3):
                        x = min(max(2 * j + dj, 0), n - 1)
                        w = wy * (3.0 if 0 <= dj <= 1 else 1.0)
                        a += w * atlas[start + y, x, 0]
                        b += w * atlas[start + y, x, 1]
                        c += w * atlas[start + y, x, 2]
                        d += w * atlas[start + y, x, 3]
                        total += w
                atlas[below + i, j, 0] = a / total
                atlas[below + i, j, 1] = b / total
                atlas[below + i, j, 2] = c / total
                atlas[below + i, j, 3] = d / total
        start, n = below, half


@inlined
def _sampled(atlas, size, level, x, y):
    """The four layers at a place of the finest level, by quadratic splines."""
    start, n = 0, size
    for _ in range(level):
        start += n
        n //= 2
    x, y = x * n / size, y * n / size
    j, i = int(np.floor(x)), int(np.floor(y))
    fx, fy = x - j, y - i
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for di in range(-1, 2):
        wy = 0.5 * (1 - fy) ** 2 if di < 0 else (0.5 * fy**2 if di > 0 else 0.5 + fy * (1 - fy))
        row = i + di
        if row < 0 or row >= n:
            continue
        for dj in range(-1, 2):
            wx = 0.5 * (1 - fx) ** 2 if dj < 0 else (0.5 * fx**2 if dj > 0 else 0.5 + fx * (1 - fx))
            column = j + dj
            if column < 0 or column >= n:
                continue
            w = wx * wy
            a += w * atlas[start + row, column, 0]
            b += w * atlas[start + row, column, 1]
            c += w * atlas[start + row, column, 2]
            d += w * atlas[start + row, column, 3]
    return a, b, c, d


@inlined
def cover_before(atlas, lamp, softness, grain, middle, px, py, pz):
    """How much of the lamp is covered seen from a point, how deep (m) its light has crossed things, how dense it is."""
    size = atlas.shape[1]
    dx, dy, dz = px - lamp[0], py - lamp[1], pz - lamp[2]
    z = dx * lamp[9] + dy * lamp[10] + dz * lamp[11]
    scale = lamp[12] / z
    x = lamp[13] + scale * (dx * lamp[3] + dy * lamp[4] + dz * lamp[5])
    y = lamp[14] - scale * (dx * lamp[6] + dy * lamp[7] + dz * lamp[8])
    if x < 0 or y < 0 or x >= size or y >= size:
        return 0.0, 0.0, 1.0
    a, b, c, _ = _sampled(atlas, size, 5, x, y)
    if a < 1e-5:
        return 0.0, 0.0, 1.0
    # The further the cover, the larger the area of it that can hide a part of the lamp
    z -= middle
    gap = max(z - b / a, 0.0)
    if grain > 0:
        # Near and far covers side by side: a point between them is under the near ones
        gap = max(gap, 0.7 * np.sqrt(max(c / a - (b / a) ** 2, 0.0)))
    level = min(max(np.log2(gap * softness * scale + 1e-9) + 1.0, 0.0), 5.0)
    low = int(level)
    part = level - low
    a, b, c, _ = _sampled(atlas, size, low, x, y)
    dense = 1.0
    if grain == 0:
        # Only below liquid that stands on the floor is light gathered
        a1, b1, c1, d1 = _sampled(atlas, size, 1, x, y)
        if a1 > 1e-5:
            dense += a1 * min(max(2.0 - (z - (b1 + c1) / a1) / (0.002 * (z + middle)), 0.0), 1.0) * (d1 - 1.0)
    if part > 0:
        a1, b1, c1, _ = _sampled(atlas, size, low + 1, x, y)
        a, b, c = a + part * (a1 - a), b + part * (b1 - b), c + part * (c1 - c)
    if a < 1e-5:
        return 0.0, 0.0, dense
    crossed = z - b / a
    if grain > 0:
        # Chebyshev: at most this part of what covers the lamp is further away than the point
        beyond = max(crossed - grain, 0.0)
        spread = max(c / a - (b / a) ** 2, 0.0) + (0.5 * grain) ** 2
        lit = spread / (spread + beyond * beyond)
        return a * min(1.15 * (1 - lit), 1.0), 0.0, dense
    return a, min(max(crossed, 0.0), c / a), dense


@kernel
def _dim(light, view, depth, atlas, lamp, numbers, bands):
    rows, columns = depth.shape[0] // 2, depth.shape[1] // 2
    softness, grain, middle, red, green, blue = numbers
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                nearest, furthest = np.float32(np.inf), np.float32(0)
                for k in range(4):
                    z = depth[2 * i + k // 2, 2 * j + k % 2]
                    nearest, furthest = min(nearest, z), max(furthest, z)
                if not np.isfinite(nearest):
                    continue
                together = furthest - nearest <= np.float32(0.02) * nearest
                for k in range(1 if together else 4):
                    row, column = 2 * i + k // 2, 2 * j + k % 2
                    z, offset = depth[row, column], 0.5
                    if together:
                        z, offset = np.float32(0.5) * (nearest + furthest), 1.0
                    if not np.isfinite(z):
                        continue
                    u = (column + offset - view[13]) / view[12]
                    v = (view[14] - row - offset) / view[12]
                    px = view[0] + z * (u * view[3] + v * view[6] + view[9])
                    py = view[1] + z * (u * view[4] + v * view[7] + view[10])
                    pz = view[2] + z * (u * view[5] + v * view[8] + view[11])
                    cover, crossed, dense = cover_before(atlas, lamp, softness, grain, middle, px, py, pz)
                    if cover == 0 and dense == 1:
                        continue
                    r = g = b = 1 - cover
                    if grain == 0:
                        r += cover * np.exp(-red * crossed)
                        g += cover * np.exp(-green * crossed)
                        b += cover * np.exp(-blue * crossed)
                        if abs(py) < 1e-3 * z:
                            r, g, b = r * dense, g * dense, b * dense
                    for m in range(4 if together else 1):
                        to_row, to_column = (2 * i + m // 2, 2 * j + m % 2) if together else (row, column)
                        light[to_row, to_column, 0] *= np.float32(r)
                        light[to_row, to_column, 1] *= np.float32(g)
                        light[to_row, to_column, 2] *= np.float32(b)
