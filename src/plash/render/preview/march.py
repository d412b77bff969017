"""What a camera sees of smoke: rays are followed from front to back, past tiles without smoke, until nothing is left.

On a piece of a ray, ds long, with smoke in which light fades at the rate s and that sends out q on each metre, of the
light behind it T = e^(-s ds) is left, and q (1 - T) / s is added. The pieces of a ray begin at a place of its own, by
a fixed pattern (Jimenez 2014), so that no bands are seen; the pattern is the same in every picture, so that nothing
flickers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.smoke.bricks import Bricks, full_brick, spline, through_box

Floats = NDArray[np.float32]

_STEP = 1.0  # cells
_TILE = 8
_END = np.float32(0.004)  # light that is left, below which a ray ends
_BANDS = 96  # more than of other pictures: where smoke is, rows take long


@dataclass(frozen=True, eq=False)
class SeenSmoke:
    """What is seen of smoke at each sample.

    Attributes:
        light: Of the smoke itself (rows, columns, 3).
        passing: The share of the light behind it that is left.
        depth: Where it begins, m; infinite where there is none.
    """

    light: Floats
    passing: Floats
    depth: Floats

    @classmethod
    def nothing(cls, view: View) -> SeenSmoke:
        """A picture without smoke."""
        shape = (view.height, view.width)
        return cls(np.zeros((*shape, 3), np.float32), np.ones(shape, np.float32), np.full(shape, np.inf, np.float32))

    @property
    def in_the_dark(self) -> SeenSmoke:
        """The same smoke where no light falls on it."""
        return SeenSmoke(np.zeros_like(self.light), self.passing, self.depth)

    def cover(self, behind: Floats) -> None:
        """Put it in front of the light of a picture."""
        behind *= self.passing[:, :, None]
        behind += self.light


def see_smoke(seen: SeenSmoke, view: View, behind: Floats, bricks: Bricks) -> None:
    """Follow the rays of a view up to what is opaque, at a depth (m) for each sample.

    The samples of a pixel, 2 × 2 of them, share one ray where they lie on one surface.
    """
    _see(view.packed, behind, bricks, seen.light, seen.passing, seen.depth, _BANDS)


@inlined
def _start_of(row, column):
    """Where the pieces of a ray begin, from 0 to 1 of a piece: neighbours differ much, and in all directions alike."""
    a = 0.06711056 * column + 0.00583715 * row
    b = 52.9829189 * (a - np.floor(a))
    return b - np.floor(b)


@inlined
def _followed(view, bricks, values, row, column, end, start):
    """Light of the smoke along the ray through a place of a picture, what is left of that behind it, and its depth."""
    u, v = (column - view[13]) / view[12], (view[14] - row) / view[12]
    x = u * view[3] + v * view[6] + view[9]
    y = u * view[4] + v * view[7] + view[10]
    z = u * view[5] + v * view[8] + view[11]
    red = green = blue = np.float32(0)
    left, begins = np.float32(1), np.inf
    tile = _TILE * bricks.h
    enter, leave = through_box(view, x, y, z, bricks.low, bricks.high, tile)
    leave = min(leave, end)
    if enter >= leave:
        return red, green, blue, left, begins
    long = np.sqrt(x * x + y * y + z * z)
    step = _STEP * bricks.h / long
    n = int(np.floor(enter / step - start))
    at_x, at_y, at_z, brick = -(1 << 20), 0, 0, 0
    while True:
        first = (n + start) * step
        if first >= leave:
            break
        last = min(first + step, leave)
        t = 0.5 * (first + last)
        px, py, pz = (view[0] + t * x) / tile, (view[1] + t * y) / tile, (view[2] + t * z) / tile
        a, b, c = int(np.floor(px)), int(np.floor(py)), int(np.floor(pz))
        if a != at_x or b != at_y or c != at_z:
            at_x, at_y, at_z, brick = a, b, c, full_brick(bricks.keys, bricks.full, a, b, c)
        n += 1
        if brick == 0:
            # On to the first piece whose middle is beyond this tile
            out = np.inf
            if x != 0:
                out = min(out, ((a + (x > 0)) * tile - view[0]) / x)
            if y != 0:
                out = min(out, ((b + (y > 0)) * tile - view[1]) / y)
            if z != 0:
                out = min(out, ((c + (z > 0)) * tile - view[2]) / z)
            n = max(n, int(np.ceil(out / step - start - 0.5)))
            continue
        fade, r, g, s = spline(values, brick, _TILE * (px - a), _TILE * (py - b), _TILE * (pz - c))
        if fade <= 0:
            continue
        begins = min(begins, first)
        length = np.float32((last - first) * long)
        passing = np.exp(-fade * length)
        part = left * (np.float32(1) - passing) / fade
        red, green, blue, left = red + part * r, green + part * g, blue + part * s, left * passing
        if left < _END:
            left = np.float32(0)
            break
    return red, green, blue, left, begins


@kernel
def _see(view, behind, bricks, light, passing, depth, bands):
    rows, columns = behind.shape[0] // 2, behind.shape[1] // 2
    values = bricks.values.reshape(-1)
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                nearest, furthest = np.float32(np.inf), np.float32(0)
                for k in range(4):
                    z = behind[2 * i + k // 2, 2 * j + k % 2]
                    nearest, furthest = min(nearest, z), max(furthest, z)
                # Infinite for all of them, or close to each other
                together = nearest == furthest or furthest - nearest <= np.float32(0.02) * nearest
                for k in range(1 if together else 4):
                    row, column = 2 * i + k // 2, 2 * j + k % 2
                    offset, end = (1.0, 0.5 * (nearest + furthest)) if together else (0.5, 1.0 * behind[row, column])
                    red, green, blue, left, begins = _followed(
                        view, bricks, values, row + offset, column + offset, end, _start_of(i, j)
                    )
                    for m in range(4 if together else 1):
                        to_row, to_column = (2 * i + m // 2, 2 * j + m % 2) if together else (row, column)
                        light[to_row, to_column, 0] = red
                        light[to_row, to_column, 1] = green
                        light[to_row, to_column, 2] = blue
                        passing[to_row, to_column] = left
                        depth[to_row, to_column] = begins
