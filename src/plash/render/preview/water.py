"""How liquid looks: mirror of a studio, lens for what is behind it, and coloured by its depth.

At each sample the surface reflects a part of the light (Fresnel, by Schlick's formula) and refracts the rest. The
refracted ray goes on to where the liquid first ends: at something opaque, which is then seen, or at its own surface,
which again reflects a part, all of it at flat angles, and refracts the rest towards what is behind. On the way light
fades as exp(-absorption × length), and liquid that scatters adds its own colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel
from plash.grid.loops import chunk_range
from plash.grid.sample import smooth_step
from plash.render.camera import View
from plash.render.preview.raster import BANDS, Layer
from plash.render.preview.surfaces import DrawnTriangles, corner_weights, ray

Floats = NDArray[np.float32]

_INDEX = 1.33
_DARKEST = 0.004  # colour of a liquid: none lets nothing through at all
_SLOPE = 0.35  # least cosine between a smooth normal and the view, as a part of the flat normal's


@dataclass(frozen=True)
class LiquidOptics:
    """How a liquid treats light.

    Attributes:
        clear: Length (m) after which light has the liquid's colour.
        cloudy: Length (m) after which most of what is seen is the liquid itself.
        metal: Whether it only reflects, in its colour.
    """

    clear: float
    cloudy: float
    metal: bool = False


def shine_through(
    light: Floats,
    view: View,
    opaque: Floats,
    layer: Layer,
    back: Layer,
    things: DrawnTriangles,
    liquid: LiquidOptics,
    key: Floats,
    studio: NDArray[np.float64],
    floor: bool,
) -> Floats:
    """Light of the picture with the liquid.

    Args:
        light: Of everything opaque.
        view: The camera.
        opaque: Depth of everything opaque, m.
        layer: The liquid's front and thickness.
        back: Where it first ends behind its front.
        things: Its triangles and colours.
        liquid: How it treats light.
        key: Light of the lamp that reaches the front at each sample.
        studio: What is reflected: 21 numbers, see `plash.render.preview.studio`.
        floor: Whether there is one, at y = 0.
    """
    result = light.copy()
    water = _Water(layer.depth, layer.index, layer.thickness, back.depth, back.index)
    room = _Room(light, opaque, key, studio, floor)
    fades = (np.log(np.maximum(things.colors, np.float32(_DARKEST))) / liquid.clear).astype(np.float32)
    treated = _Treated(liquid.clear, liquid.cloudy, liquid.metal, fades)
    _shine_through(view.packed, water, room, things.for_kernels, treated, result, BANDS)
    return result


class _Water(NamedTuple):
    """Where the liquid is at each sample: depth and triangle of its front, its thickness, and the same of its back."""

    depth: NDArray[np.float32]
    triangle: NDArray[np.int32]
    thickness: NDArray[np.float32]
    back_depth: NDArray[np.float32]
    back_triangle: NDArray[np.int32]


class _Room(NamedTuple):
    """What is seen through the liquid and in it: opaque things, the lamp, what is reflected, and a floor."""

    light: NDArray[np.float32]
    opaque: NDArray[np.float32]
    key: NDArray[np.float32]
    studio: NDArray[np.float64]
    floor: bool


class _Treated(NamedTuple):
    """How the liquid treats light; at each corner, the logarithm of what a metre leaves of it."""

    clear: float
    cloudy: float
    metal: bool
    fades: NDArray[np.float32]


@inlined
def _panel(studio, start, x, y, z, width, height):
    """Light of a soft panel of some half width and height in the direction that row 2 of its axes points to."""
    ahead = x * studio[start + 6] + y * studio[start + 7] + z * studio[start + 8]
    if ahead <= 0.01:
        return 0.0
    a = abs(x * studio[start] + y * studio[start + 1] + z * studio[start + 2]) / ahead
    b = abs(x * studio[start + 3] + y * studio[start + 4] + z * studio[start + 5]) / ahead
    return (1 - smooth_step(a, 0.8 * width, 1.2 * width)) * (1 - smooth_step(b, 0.8 * height, 1.2 * height))


@inlined
def studio_light(studio, x, y, z):
    """Brightness of the room in a direction: walls, dimmer above, and two panels; times the background's colour."""
    wall = 0.95 - 0.6 * smooth_step(y, 0.0, 0.7) if y > 0 else 0.95 - 0.15 * smooth_step(-y, 0.0, 0.5)
    return wall + 7.0 * _panel(studio, 3, x, y, z, 0.42, 0.3) + 2.0 * _panel(studio, 12, x, y, z, 0.22, 0.6)


@inlined
def _normal(view, things, t, x, y, z, side):
    """Unit normal of a triangle where a ray meets it, its corners' weights, and the cosine between normal and ray.

    An interpolated normal may look away from a face that is seen: it is then turned towards that of the face.
    `side` is -1 where the ray enters and 1 where it leaves.
    """
    vertices, faces, normals, _ = things
    a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
    wa, wb, wc, nx, ny, nz = corner_weights(view, vertices, a, b, c, x, y, z)
    scale = 1 / max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-30)
    nx, ny, nz = nx * scale, ny * scale, nz * scale
    if normals.shape[0] == vertices.shape[0]:
        flat = side * (x * nx + y * ny + z * nz)
        sx = wa * normals[a, 0] + wb * normals[b, 0] + wc * normals[c, 0]
        sy = wa * normals[a, 1] + wb * normals[b, 1] + wc * normals[c, 1]
        sz = wa * normals[a, 2] + wb * normals[b, 2] + wc * normals[c, 2]
        smooth = side * (x * sx + y * sy + z * sz)
        turn = 0.0
        if smooth < _SLOPE * flat:
            turn = (_SLOPE * flat - smooth) / max((1 - _SLOPE) * flat, 1e-6)
        nx, ny, nz = sx + turn * nx, sy + turn * ny, sz + turn * nz
        scale = 1 / max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-30)
        nx, ny, nz = nx * scale, ny * scale, nz * scale
    return nx, ny, nz, wa, wb, wc, max(side * (x * nx + y * ny + z * nz), 0.01)


@inlined
def _sample_at(view, rows, columns, x, y, z):
    """Row and column of a point given relative to the camera; -1 if it is not in the picture."""
    ahead = x * view[9] + y * view[10] + z * view[11]
    if ahead <= 0:
        return -1, -1
    u = view[13] + view[12] * (x * view[3] + y * view[4] + z * view[5]) / ahead
    v = view[14] - view[12] * (x * view[6] + y * view[7] + z * view[8]) / ahead
    if u < 0 or v < 0 or u >= columns or v >= rows:
        return -1, -1
    return int(v), int(u)


@kernel
def _shine_through(view, water, room, things, treated, result, bands):
    depth, index, thickness, back_depth, back_index = water
    light, opaque, key, studio, floor = room
    clear, cloudy, metal, fades = treated
    faces, colors = things.faces, things.colors
    rows, columns = index.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                t = index[i, j]
                if t < 0 and not thickness[i, j] > 0:
                    continue
                x, y, z = ray(view, i, j)
                long = np.sqrt(x * x + y * y + z * z)
                x, y, z = x / long, y / long, z / long
                length = max(thickness[i, j], 0.0) * long
                nx, ny, nz, wa, wb, wc, facing = _normal(view, things, max(t, 0), x, y, z, -1.0)
                a, b, c = faces[max(t, 0), 0], faces[max(t, 0), 1], faces[max(t, 0), 2]
                towards = 0.5 + 0.5 * (nx * studio[9] + ny * studio[10] + nz * studio[11])  # the lamp
                mirror, shown = 0.0, 0.0  # what the front reflects
                inner, around = 0.0, 0.0  # what the back reflects
                row, column, beyond = i, j, 1.0  # where what is behind is seen, or how bright the room is there
                if t >= 0:
                    mirror = 0.02 + 0.98 * (1 - facing) ** 5
                    shown = studio_light(studio, x + 2 * facing * nx, y + 2 * facing * ny, z + 2 * facing * nz)
                    # Snell's law
                    bent = facing / _INDEX - np.sqrt(1 - (1 - facing * facing) / _INDEX**2)
                    ex, ey, ez = x / _INDEX + bent * nx, y / _INDEX + bent * ny, z / _INDEX + bent * nz
                    start, reach, end = depth[i, j] * long, length, back_index[i, j]
                    if end >= 0:
                        reach = max(back_depth[i, j] * long - start, 0.0)
                    px, py, pz = start * x + reach * ex, start * y + reach * ey, start * z + reach * ez
                    if end >= 0:
                        nx, ny, nz, _, _, _, _ = _normal(view, things, end, x, y, z, 1.0)
                        leaving = max(ex * nx + ey * ny + ez * nz, 0.01)
                        sine = _INDEX**2 * (1 - leaving * leaving)
                        inner = 1.0
                        if sine < 1:
                            cosine = np.sqrt(1 - sine)
                            inner = 0.02 + 0.98 * (1 - cosine) ** 5
                            bent = cosine - _INDEX * leaving
                            ox, oy, oz = _INDEX * ex + bent * nx, _INDEX * ey + bent * ny, _INDEX * ez + bent * nz
                            away = min(opaque[i, j] * long - start - reach, 4 * clear + 3 * start)
                            height = view[1] + py
                            if floor and oy < 0 and height > 0:
                                away = min(away, -height / oy)
                            px, py, pz = px + away * ox, py + away * oy, pz + away * oz
                            beyond = studio_light(studio, ox, oy, oz)
                        ex, ey, ez = ex - 2 * leaving * nx, ey - 2 * leaving * ny, ez - 2 * leaving * nz
                        around = studio_light(studio, ex, ey, ez)
                    row, column = _sample_at(view, rows, columns, px, py, pz)
                    if row >= 0 and opaque[row, column] <= depth[i, j]:
                        row, column = i, j
                # Half the time in single precision, which is more than a screen shows
                hidden = np.exp(np.float32(-length / cloudy))
                for k in range(3):
                    own = wa * colors[a, k] + wb * colors[b, k] + wc * colors[c, k]
                    if metal:
                        part = own + (1 - own) * (1 - facing) ** 5
                        result[i, j, k] = part * shown * studio[k]
                        continue
                    fade = wa * fades[a, k] + wb * fades[b, k] + wc * fades[c, k]
                    left = np.exp(np.float32(fade * length))
                    behind = light[row, column, k] if row >= 0 else beyond * studio[k]
                    through = (1 - inner) * behind
                    if inner > 0:
                        after_half = np.sqrt(np.float32(max(own, _DARKEST)))  # of `clear`
                        through += inner * around * studio[k] * after_half
                    through *= left
                    inside = through * hidden + own * (0.3 + 0.78 * towards * key[i, j, k]) * (1 - hidden)
                    result[i, j, k] = (1 - mirror) * inside + mirror * shown * studio[k]
