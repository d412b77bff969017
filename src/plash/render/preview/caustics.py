"""Light that waves gather on the floor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import serial_kernel
from plash.render.camera import View
from plash.render.preview.raster import Layer
from plash.render.preview.surfaces import DrawnTriangles, corner_weights, ray

Floats = NDArray[np.float32]

_INDEX = 1.33
_DARKEST, _BRIGHTEST = 0.45, 2.2


def light_on_floor(lamp: View, layer: Layer, things: DrawnTriangles) -> Floats:
    """How dense the rays of a lamp lie on the floor y = 0 behind liquid, 1 where nothing bends them.

    One ray goes through each sample of the lamp's view. It is bent where it enters the liquid, and followed down if
    the liquid reaches to the floor there; rays that leave it again in the air count as if they were not bent.
    """
    normals = things.normals if things.normals is not None else np.zeros((1, 3), np.float32)
    dense = np.zeros(layer.depth.shape, np.float32)
    _gather(lamp.packed, layer.depth, layer.index, layer.thickness, things.faces, things.vertices, normals, dense)
    return np.clip(dense, _DARKEST, _BRIGHTEST)


@serial_kernel
def _gather(lamp, depth, index, thickness, faces, vertices, normals, dense):
    rows, columns = depth.shape
    smooth = normals.shape[0] == vertices.shape[0]
    for i in range(rows):
        for j in range(columns):
            u, v = j + 0.5, i + 0.5
            t = index[i, j]
            if t >= 0:
                x, y, z = ray(lamp, i, j)
                long = np.sqrt(x * x + y * y + z * z)
                px, py, pz = lamp[0] + depth[i, j] * x, lamp[1] + depth[i, j] * y, lamp[2] + depth[i, j] * z
                leaves = py + thickness[i, j] * y
                a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
                wa, wb, wc, nx, ny, nz = corner_weights(lamp, vertices, a, b, c, x, y, z)
                if smooth:
                    nx = wa * normals[a, 0] + wb * normals[b, 0] + wc * normals[c, 0]
                    ny = wa * normals[a, 1] + wb * normals[b, 1] + wc * normals[c, 1]
                    nz = wa * normals[a, 2] + wb * normals[b, 2] + wc * normals[c, 2]
                scale = 1 / max(np.sqrt(nx * nx + ny * ny + nz * nz), 1e-30)
                nx, ny, nz = nx * scale, ny * scale, nz * scale
                facing = -(x * nx + y * ny + z * nz) / long
                if facing > 0.05 and py > 0 and leaves < 0.2 * py:
                    bent = facing / _INDEX - np.sqrt(1 - (1 - facing * facing) / _INDEX**2)
                    ex, ey, ez = (
                        x / long / _INDEX + bent * nx,
                        y / long / _INDEX + bent * ny,
                        z / long / _INDEX + bent * nz,
                    )
                    if ey < -0.05:
                        px, py, pz = px - py / ey * ex - lamp[0], -lamp[1], pz - py / ey * ez - lamp[2]
                        ahead = px * lamp[9] + py * lamp[10] + pz * lamp[11]
                        u = lamp[13] + lamp[12] * (px * lamp[3] + py * lamp[4] + pz * lamp[5]) / ahead
                        v = lamp[14] - lamp[12] * (px * lamp[6] + py * lamp[7] + pz * lamp[8]) / ahead
            # Spread by quadratic splines over 3 × 3 samples
            column, row = int(np.floor(u)), int(np.floor(v))
            fx, fy = u - column, v - row
            for di in range(-1, 2):
                wy = 0.5 * (1 - fy) ** 2 if di < 0 else (0.5 * fy**2 if di > 0 else 0.5 + fy * (1 - fy))
                for dj in range(-1, 2):
                    wx = 0.5 * (1 - fx) ** 2 if dj < 0 else (0.5 * fx**2 if dj > 0 else 0.5 + fx * (1 - fx))
                    if 0 <= row + di < rows and 0 <= column + dj < columns:
                        dense[row + di, column + dj] += np.float32(wx * wy)
    for i in range(2):
        for j in range(columns):
            dense[i, j] = dense[rows - 1 - i, j] = 1
    for i in range(rows):
        for j in range(2):
            dense[i, j] = dense[i, columns - 1 - j] = 1
