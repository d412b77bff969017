"""Thin lines with soft edges, hidden by what is in front of them."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.preview.raster import BANDS


def line_cover(
    view: View,
    ends: NDArray[np.floating],
    width: float,
    depth: NDArray[np.float32] | None = None,
    slack: float = 0.0,
) -> NDArray[np.float32]:
    """How much of each sample lines cover, from 0 to 1.

    Args:
        view: The camera.
        ends: (lines, 2, 3), where each starts and ends, m.
        width: Of the lines, in samples.
        depth: Depth of what hides them (m); nothing does if not given.
        slack: How far behind it (m) a line is still seen.
    """
    cover = np.zeros((view.height, view.width), np.float32)
    hidden = np.full((1, 1), np.inf, np.float32) if depth is None else depth
    ahead = _ahead(view, np.asarray(ends, np.float64))
    if len(ahead):
        screen = view.project(ahead.reshape(-1, 3)).reshape(-1, 6)
        _cover(np.clip(screen, -1e7, 1e7), width / 2, hidden, slack, cover, BANDS)
    return cover


def _ahead(view: View, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of the lines that is before the camera."""
    if len(ends) == 0:
        return ends
    z = (ends - view.position) @ view.axes[2]
    near = 1e-3 * max(float(z.max()), 1e-12)
    ends, z = ends[(z > near).any(axis=1)].copy(), z[(z > near).any(axis=1)]
    for one, other in ((0, 1), (1, 0)):
        behind = z[:, one] < near
        part = (near - z[behind, one]) / (z[behind, other] - z[behind, one])
        ends[behind, one] += part[:, None] * (ends[behind, other] - ends[behind, one])
    return ends


@kernel
def _cover(lines, half, hidden, slack, cover, bands):
    rows, columns = cover.shape
    always = hidden.shape[0] == 1
    for band in numba.prange(bands):
        part = chunk_range(band, bands, rows)
        top, bottom = part.start, part.stop - 1
        for k in range(lines.shape[0]):
            ax, ay, az, bx, by, bz = lines[k]
            reach = half + 1
            first = max(top, int(np.floor(min(ay, by) - reach)))
            last = min(bottom, int(np.ceil(max(ay, by) + reach)))
            length = max((bx - ax) ** 2 + (by - ay) ** 2, 1e-12)
            slope = (bx - ax) / (by - ay) if abs(by - ay) > 1e-9 else np.inf
            sideways = reach * np.sqrt(length) / max(abs(by - ay), 1e-9)
            for i in range(first, last + 1):
                y = i + 0.5
                left, right = min(ax, bx) - reach, max(ax, bx) + reach
                if np.isfinite(slope):
                    middle = ax + (y - ay) * slope
                    left, right = max(left, middle - sideways), min(right, middle + sideways)
                for j in range(max(0, int(np.floor(left))), min(columns - 1, int(np.ceil(right))) + 1):
                    x = j + 0.5
                    part = min(max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0.0), 1.0)
                    away = np.sqrt((ax + part * (bx - ax) - x) ** 2 + (ay + part * (by - ay) - y) ** 2)
                    amount = np.float32(min(max(half + 0.5 - away, 0.0), 1.0))
                    if amount <= cover[i, j]:
                        continue
                    if not always:
                        z = 1 / (1 / az + part * (1 / bz - 1 / az))
                        if z > hidden[i, j] + slack:
                            continue
                    cover[i, j] = amount
