"""Normal and colour of what is seen at each sample, and how opaque things look in the light of the room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.preview.raster import BANDS, Ints, Layer

Floats = NDArray[np.float32]

# The floor is as bright as the background where all light reaches it: so much is from the sky, the rest from the lamp
_FLOOR_SKY = 0.45


class DrawnTriangles(NamedTuple):
    """Triangles to be seen: vertices (n, 3) in m, faces (m, 3), normals (n, 3) if smooth, light (n, 3) they return."""

    vertices: Floats
    faces: Ints
    normals: Floats | None
    colors: Floats

    @property
    def for_kernels(self) -> DrawnTriangles:
        """The same, with normals that no kernel reads where there are none."""
        return self if self.normals is not None else self._replace(normals=np.zeros((1, 3), np.float32))


@dataclass(frozen=True, eq=False)
class Seen:
    """Normal and colour at each sample; on the floor and where there is nothing the normal is zero."""

    normal: Floats
    color: Floats

    @classmethod
    def nothing(cls, view: View, background: NDArray[np.floating]) -> Seen:
        """A picture of the empty room, of one colour."""
        shape = (view.height, view.width, 3)
        return cls(np.zeros(shape, np.float32), np.full(shape, background, np.float32))

    def copy(self) -> Seen:
        """The same, to draw more into."""
        return Seen(self.normal.copy(), self.color.copy())


def see_triangles(seen: Seen, view: View, layer: Layer, things: DrawnTriangles, cell: float = 0.0) -> None:
    """Set normal and colour where a layer shows a triangle; with `cell` (m) the edges of cells are dark."""
    arrays = things.for_kernels
    _see_triangles(view.packed, layer.depth, layer.index, arrays, cell, seen.normal, seen.color, BANDS)


def see_balls(seen: Seen, view: View, layer: Layer, centers: NDArray[np.float64], colors: Floats) -> None:
    """Set normal and colour where a layer shows a ball."""
    _see_balls(view.packed, layer.depth, layer.index, centers, colors, seen.normal, seen.color, BANDS)


def shine(seen: Seen, key: Floats, sky: Floats, to_lamp: NDArray[np.float64]) -> Floats:
    """Light that opaque things send to the camera.

    Args:
        seen: Their normals and colours.
        key: Light of the lamp that reaches each sample, 1 without shadows.
        sky: The same for light from all around.
        to_lamp: Direction of the lamp.
    """
    light = np.empty_like(seen.color)
    _shine(seen.normal, seen.color, key, sky, to_lamp, light, BANDS)
    return light


@inlined
def ray(view, row, column):
    """Direction of the ray through the centre of a sample, of depth 1."""
    u, v = (column + 0.5 - view[13]) / view[12], (view[14] - row - 0.5) / view[12]
    x = u * view[3] + v * view[6] + view[9]
    y = u * view[4] + v * view[7] + view[10]
    z = u * view[5] + v * view[8] + view[11]
    return x, y, z


@inlined
def corner_weights(view, vertices, a, b, c, x, y, z):
    """Where the ray (x, y, z) meets a triangle: the weights of its corners, and its normal, not of length 1."""
    ax, ay, az = vertices[a, 0] - view[0], vertices[a, 1] - view[1], vertices[a, 2] - view[2]
    ux, uy, uz = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
    vx, vy, vz = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    along = x * nx + y * ny + z * nz
    if along == 0:
        return 1.0, 0.0, 0.0, nx, ny, nz
    # a + p u + q v = t ray: Cramer's rule
    cx, cy, cz = z * ay - y * az, x * az - z * ax, y * ax - x * ay
    p = (vx * cx + vy * cy + vz * cz) / along
    q = -(ux * cx + uy * cy + uz * cz) / along
    p, q = min(max(p, 0.0), 1.0), min(max(q, 0.0), 1.0)
    return max(1 - p - q, 0.0), p, q, nx, ny, nz


@kernel
def _see_triangles(view, depth, index, things, cell, normal, color, bands):
    vertices, faces, normals, colors = things
    rows, columns = index.shape
    smooth = normals.shape[0] == vertices.shape[0]
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                if index[i, j] < 0:
                    continue
                a, b, c = faces[index[i, j], 0], faces[index[i, j], 1], faces[index[i, j], 2]
                x, y, z = ray(view, i, j)
                wa, wb, wc, nx, ny, nz = corner_weights(view, vertices, a, b, c, x, y, z)
                if smooth:
                    nx = wa * normals[a, 0] + wb * normals[b, 0] + wc * normals[c, 0]
                    ny = wa * normals[a, 1] + wb * normals[b, 1] + wc * normals[c, 1]
                    nz = wa * normals[a, 2] + wb * normals[b, 2] + wc * normals[c, 2]
                scale = 1 / max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-30)
                if nx * x + ny * y + nz * z > 0 and not smooth:
                    scale = -scale
                normal[i, j, 0], normal[i, j, 1], normal[i, j, 2] = nx * scale, ny * scale, nz * scale
                fade = 1.0
                if cell > 0:
                    pixel = depth[i, j] / view[12] * 1.5
                    for k in range(3):
                        if abs(normal[i, j, k]) > 0.5:
                            continue
                        place = (view[k] + depth[i, j] * (x if k == 0 else (y if k == 1 else z))) / cell
                        away = abs(place - np.floor(place + 0.5)) * cell
                        fade = min(fade, 1 - 0.55 * min(max((0.035 * cell - away) / pixel + 0.5, 0.0), 1.0))
                for k in range(3):
                    color[i, j, k] = fade * (wa * colors[a, k] + wb * colors[b, k] + wc * colors[c, k])


@kernel
def _see_balls(view, depth, index, centers, colors, normal, color, bands):
    rows, columns = index.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                b = index[i, j]
                if b < 0:
                    continue
                x, y, z = ray(view, i, j)
                nx = view[0] + depth[i, j] * x - centers[b, 0]
                ny = view[1] + depth[i, j] * y - centers[b, 1]
                nz = view[2] + depth[i, j] * z - centers[b, 2]
                scale = 1 / max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-30)
                normal[i, j, 0], normal[i, j, 1], normal[i, j, 2] = nx * scale, ny * scale, nz * scale
                for k in range(3):
                    color[i, j, k] = colors[b, k]


@kernel
def _shine(normal, color, key, sky, to_lamp, light, bands):
    rows, columns, _ = normal.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                x, y, z = normal[i, j, 0], normal[i, j, 1], normal[i, j, 2]
                if x == 0 and y == 0 and z == 0:
                    for k in range(3):
                        light[i, j, k] = color[i, j, k] * (
                            _FLOOR_SKY * (0.15 + 0.85 * sky[i, j, k]) + (1 - _FLOOR_SKY) * key[i, j, k]
                        )
                    continue
                direct = max(x * to_lamp[0] + y * to_lamp[1] + z * to_lamp[2], 0.0)
                # A wall sees half the sky at most: its own body hides the rest, which is in `around` already
                around, open_sky = 0.42 + 0.16 * y, 1 / (0.55 + 0.45 * y) if y > -1 else 10.0
                for k in range(3):
                    light[i, j, k] = color[i, j, k] * (
                        around * (0.35 + 0.65 * min(open_sky * sky[i, j, k], 1.0)) + 0.85 * direct * key[i, j, k]
                    )
