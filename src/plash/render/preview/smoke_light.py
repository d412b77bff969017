"""How much light of a lamp gets to each place in smoke, and past it.

The lamp sees the smoke as rays of a picture, and along each the depth of smoke that its light has crossed is written
down at even distances. Every place reads from that how dark it is there: one march for all cells. The same numbers,
taken together along each ray, are a shadow map for what is opaque.

Light that smoke scattered goes on and is scattered again. That is brighter, and fades more slowly, than light straight
from the lamp: with every scattering half as strong, through half the depth (Wrenninge et al. 2013).

Reference: Wrenninge, Kulla & Lundqvist 2013.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.preview.lights import MAP_SIZE, ShadowMap, shadow_map_of
from plash.render.preview.raster import BANDS
from plash.render.preview.surfaces import ray
from plash.render.smoke.bricks import Bricks, full_brick, linear_fade, through_box

Floats = NDArray[np.float32]
Array = NDArray[np.float64]

_PARTS = 2  # samples of a ray between two depths that are written down
_TILE = 8


class LitDepths(NamedTuple):
    """Depth of smoke that light of a lamp has crossed.

    Attributes:
        lamp: The view from it, packed.
        near: Depth (m) of the first layer.
        step: Between layers, m.
        crossed: [row, column, layer]: of light e^-crossed is left.
    """

    lamp: Array
    near: float
    step: float
    crossed: Floats


def lit_depths(view: View, bricks: Bricks, box: tuple[Array, Array], finest: float) -> LitDepths:
    """What light of a lamp has crossed in bricks, whose fades are set.

    Args:
        view: From the lamp.
        bricks: How fast light fades.
        box: Corners of a box that holds all of them, m: the lattice depends on it, and so does not move with the smoke.
        finest: Distance of samples, m.
    """
    corners = np.array([[box[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
    depth = view.project(corners)[:, 2]
    near = max(float(depth.min()), 0.0)
    layers = max(int(np.ceil((float(depth.max()) - near) / (_PARTS * finest))), 1) + 1
    step = max(float(depth.max()) - near, finest) / (layers - 1)
    crossed = np.zeros((view.height, view.width, layers), np.float32)
    found = LitDepths(view.packed, near, step, crossed)
    _follow(bricks, found, BANDS)
    return found


def smoke_shadows(view: View, depths: LitDepths, softness: float, grain: float) -> ShadowMap:
    """The shadow map of smoke: how much of a lamp it covers, and how far away it is in the mean."""
    rows, columns, layers = depths.crossed.shape
    moments = np.zeros((rows, columns, 3), np.float32)
    mean = depths.near + 0.5 * depths.step * (layers - 1)
    _add_moments(depths, mean, moments, BANDS)
    found = _resized(moments, MAP_SIZE)
    scale = MAP_SIZE / columns
    wider = View(view.position, view.axes, view.focal * scale, MAP_SIZE, MAP_SIZE)
    return shadow_map_of(wider, found, mean, softness, grain)


def _resized(values: Floats, size: int) -> Floats:
    """A square picture (n, n, c) with more samples, linear between the middles of the old ones."""
    n = len(values)
    place = np.clip((np.arange(size) + 0.5) * n / size - 0.5, 0, n - 1)
    first = np.minimum(place.astype(int), n - 2)
    part = (place - first).astype(np.float32)
    tall = values[first] + part[:, None, None] * (values[first + 1] - values[first])
    wide: Floats = tall[:, first] + part[None, :, None] * (tall[:, first + 1] - tall[:, first])
    return wide


@kernel
def _add_moments(depths, mean, moments, bands):
    """Light lost on the way, and the same times the depth where it is lost, and its square, counted from a mean."""
    near, step, crossed = depths.near, depths.step, depths.crossed
    rows, columns, layers = crossed.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                if crossed[i, j, layers - 1] == 0:
                    continue
                before = 1.0
                for k in range(1, layers):
                    if crossed[i, j, k] == crossed[i, j, k - 1]:
                        continue
                    after = np.exp(-crossed[i, j, k])
                    depth = near + (k - 0.5) * step - mean
                    moments[i, j, 0] += before - after
                    moments[i, j, 1] += (before - after) * depth
                    moments[i, j, 2] += (before - after) * depth * depth
                    before = after


@inlined
def crossed_at(depths, x, y, z):
    """Depth of smoke between the lamp and a place (m), linear between those written down."""
    view, crossed = depths.lamp, depths.crossed
    rows, columns, layers = crossed.shape
    dx, dy, dz = x - view[0], y - view[1], z - view[2]
    depth = dx * view[9] + dy * view[10] + dz * view[11]
    scale = view[12] / max(depth, 1e-9)
    across = view[13] + scale * (dx * view[3] + dy * view[4] + dz * view[5]) - 0.5
    down = view[14] - scale * (dx * view[6] + dy * view[7] + dz * view[8]) - 0.5
    layer = (depth - depths.near) / depths.step
    if layer <= 0 or layers < 2:
        return np.float32(0)
    across, down = min(max(across, 0.0), columns - 1.001), min(max(down, 0.0), rows - 1.001)
    layer = min(layer, layers - 1.001)
    i, j, k = int(down), int(across), int(layer)
    fi, fj, fk = np.float32(down - i), np.float32(across - j), np.float32(layer - k)
    gi, gj, gk = np.float32(1) - fi, np.float32(1) - fj, np.float32(1) - fk
    a, b, c, d = crossed[i, j], crossed[i, j + 1], crossed[i + 1, j], crossed[i + 1, j + 1]
    near = gi * (gj * a[k] + fj * b[k]) + fi * (gj * c[k] + fj * d[k])
    far = gi * (gj * a[k + 1] + fj * b[k + 1]) + fi * (gj * c[k + 1] + fj * d[k + 1])
    return gk * near + fk * far


@inlined
def scattered(crossed):
    """Light in smoke of a lamp of strength 1 behind so much of it, scattered once, twice and more often."""
    quarter = np.exp(np.float32(-0.25) * crossed)
    half = quarter * quarter
    return (half * half + np.float32(0.5) * half + np.float32(0.25) * quarter) / np.float32(1.75)


@kernel
def _follow(bricks, depths, bands):
    keys, full, values = bricks.keys, bricks.full, bricks.values.reshape(-1)
    view, crossed = depths.lamp, depths.crossed
    rows, columns, layers = crossed.shape
    tile = _TILE * bricks.h
    part = depths.step / _PARTS
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                x, y, z = ray(view, i, j)
                length = np.float32(np.sqrt(x * x + y * y + z * z) * part)
                enter, leave = through_box(view, x, y, z, bricks.low, bricks.high, tile)
                if enter >= leave:
                    continue
                total = np.float32(0)
                at_x, at_y, at_z, brick = -(1 << 20), 0, 0, 0
                first = max(int((enter - depths.near) / part) - 1, 0)
                last = min(int((leave - depths.near) / part) + 1, _PARTS * (layers - 1))
                for n in range(first, last):
                    if n % _PARTS == 0:
                        crossed[i, j, n // _PARTS] = total
                    t = depths.near + (n + 0.5) * part
                    px, py, pz = (view[0] + t * x) / tile, (view[1] + t * y) / tile, (view[2] + t * z) / tile
                    a, b, c = int(np.floor(px)), int(np.floor(py)), int(np.floor(pz))
                    if a != at_x or b != at_y or c != at_z:
                        at_x, at_y, at_z, brick = a, b, c, full_brick(keys, full, a, b, c)
                    if brick:
                        fade = linear_fade(values, brick, _TILE * (px - a), _TILE * (py - b), _TILE * (pz - c))
                        total += length * fade
                for k in range((max(last, first) + _PARTS - 1) // _PARTS, layers):
                    crossed[i, j, k] = total
