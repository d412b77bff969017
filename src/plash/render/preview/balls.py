"""Balls: which one is seen at each sample. Each is exact, whatever its size in the picture."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.preview.raster import BANDS, Layer


def draw_balls(layer: Layer, view: View, centers: NDArray[np.float64], radius: NDArray[np.float64]) -> None:
    """Draw balls into a layer; in a layer of liquid each adds its depth from front to back to the thickness."""
    if len(centers) == 0:
        return
    seen = (centers - view.position) @ view.axes.T
    liquid = layer.thickness.shape == layer.depth.shape
    reach = _reach(view, seen, radius)
    balls = _Balls(seen, np.ascontiguousarray(radius), reach)
    _draw(balls, view.packed, liquid, layer.depth, layer.index, layer.thickness, layer.behind, BANDS)


def _reach(view: View, seen: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.float32]:
    """First and last x and y of each ball in samples: where planes through the camera touch it."""
    x, y, z = seen.T
    beyond = z * z - radius * radius
    ahead = (z > radius) & (beyond > 0)
    safe = np.where(ahead, beyond, 1.0)
    reach = np.empty((len(seen), 4), np.float32)
    for column, along, middle, sign in ((0, x, view.width / 2, 1.0), (2, y, view.height / 2, -1.0)):
        root = radius * np.sqrt(np.maximum(along * along + beyond, 0))
        ends = [middle + sign * view.focal * (along * z + side * root) / safe for side in (-sign, sign)]
        for k, end in enumerate(ends):
            reach[:, column + k] = np.where(ahead, np.clip(end, -1e9, 1e9), -1.0)
    return reach


class _Balls(NamedTuple):
    """Balls as the camera sees them: centres, radii, and first and last x and y in samples."""

    seen: NDArray[np.float64]
    radius: NDArray[np.float64]
    reach: NDArray[np.float32]


@kernel
def _draw(balls, view, liquid, depth, index, thickness, behind, bands):
    seen, radius, reach = balls
    rows, columns = depth.shape
    focal, middle_x, middle_y = view[12], view[13], view[14]
    for band in numba.prange(bands):
        part = chunk_range(band, bands, rows)
        top, bottom = part.start, part.stop - 1
        for b in range(seen.shape[0]):
            first = max(top, int(np.ceil(reach[b, 2] - 0.5)))
            last = min(bottom, int(np.floor(reach[b, 3] - 0.5)))
            left = max(0, int(np.ceil(reach[b, 0] - 0.5)))
            right = min(columns - 1, int(np.floor(reach[b, 1] - 0.5)))
            if first > last or left > right:
                continue
            x, y, z, r = seen[b, 0], seen[b, 1], seen[b, 2], radius[b]
            beyond = x * x + y * y + z * z - r * r
            for i in range(first, last + 1):
                v = (middle_y - i - 0.5) / focal
                for j in range(left, right + 1):
                    u = (j + 0.5 - middle_x) / focal
                    # The ray is (u, v, 1) t: where does it enter the ball?
                    a, along = u * u + v * v + 1, u * x + v * y + z
                    root = along * along - a * beyond
                    if root < 0:
                        continue
                    enter = np.float32((along - np.sqrt(root)) / a)
                    if liquid:
                        leave = np.float32((along + np.sqrt(root)) / a)
                        thickness[i, j] += min(leave, behind[i, j]) - min(enter, behind[i, j])
                        if enter >= behind[i, j]:
                            continue
                    if enter < depth[i, j]:
                        depth[i, j] = enter
                        index[i, j] = b
