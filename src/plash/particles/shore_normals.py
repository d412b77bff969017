"""Normals of the liquid's surface where it meets bodies.

They are slopes of the surface as the wide hat sees it in cells from which it sees no body, carried on layer by layer
with the plane itself. Where no such cell is near, as in a puddle on a slope, they are those that the narrow hat sees.

A surface that is nearly level is taken as level. Otherwise every ripple two cells out would tilt the plane at the
shore, which moves the liquid there, which makes ripples: in a bowl of 24 cells they grew a hundredfold in 20 s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel, serial_kernel
from plash.grid.loops import chunk_range, home_of
from plash.grid.tiles import Places, Shape, Tiles
from plash.particles.shore_cells import NEAR, OPEN, STEEP, Seen

_LAYERS = 16  # cells that normals are carried on
_NARROW_STEEP = 0.005  # filled share of a narrow hat, or empty one, below which it tells no height
_FLATTEST = 0.2  # slope of the distance, of 1, below which it has no direction
_LEVEL, _TILTED = 0.1, 0.25  # distance from the upward normal below which it is that one, and above which it stays


class Listed(NamedTuple):
    """Cells in a list.

    Attributes:
        places: Slot, z, y, x of each.
        around: Numbers in the list of each one's 3^d neighbours, or -1.
        normal: Unit normals of the surface, or NaN.
        height: Distance to the plane that was carried on, in cells, or NaN.
    """

    places: NDArray[np.int32]
    around: NDArray[np.int32]
    normal: NDArray[np.float64]
    height: NDArray[np.float64]


def listed_cells(tiles: Tiles, places: Places, seen: Seen, upward: NDArray[np.float64]) -> Listed:
    """Some cells and the normals of the surface there; upward is the unit vector against gravity, 0 without any."""
    count = len(places[0])
    number = np.zeros(seen.part.shape, np.int32)
    number[places] = np.arange(1, count + 1)
    around = np.empty((count, 3**tiles.dimension), np.int32)
    rows = np.stack(places, axis=1).astype(np.int32)
    _link(tiles.shape)(rows, number, tiles.neighbours, around, chunk_count())
    listed = Listed(rows, around, np.full((count, 3), np.nan), np.full(count, np.nan))
    part = seen.part[places]
    wide = _divided(seen.wide_volume[places], seen.wide_share[places], part == OPEN)
    narrow = _divided(seen.volume[places], seen.share[places], part <= NEAR)
    for fill, reach in ((wide, 2), (narrow, 1)):
        height = _height_seen(fill, reach)
        normal = np.full((count, 3), np.nan)
        _slope(listed, height, normal, tiles.dimension, chunk_count())
        if upward.any():
            _level(normal, upward)
        new = np.isnan(listed.normal[:, 0]) & ~np.isnan(normal[:, 0])
        listed.normal[new], listed.height[new] = normal[new], height[new]
        _carry(listed, _LAYERS)
    return listed


def _level(normal: NDArray[np.float64], upward: NDArray[np.float64]) -> None:
    """Make normals that are nearly upward so; those further off stay, and between they turn gradually."""
    tilt = normal - upward
    share = np.clip((np.sqrt((tilt * tilt).sum(axis=1)) - _LEVEL) / (_TILTED - _LEVEL), 0, 1)
    normal[:] = upward + share[:, None] * tilt
    normal /= np.sqrt((normal * normal).sum(axis=1))[:, None]


def _divided(volume: NDArray[np.float32], share: NDArray[np.float32], where: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Filled share in some places; NaN elsewhere."""
    unknown = np.full(len(volume), np.nan)
    filled: NDArray[np.float64] = np.divide(volume, share, out=unknown, where=where, dtype=np.float64)
    return filled


def _height_seen(fill: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Distance to the surface in cells as a whole hat of that half-width sees it; NaN if it is nearly full or empty."""
    least = STEEP if reach > 1 else _NARROW_STEEP
    excess = np.where((fill > least) & (fill < 1 - least), 2 * fill - 1, np.nan)
    height: NDArray[np.float64] = -reach * np.sign(excess) * (1 - np.sqrt(1 - np.abs(excess)))
    return height


@for_tile_shape
def _link(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DEEP = 1 if BZ > 1 else 0

    @kernel
    def run(places, number, neighbours, around, chunks):
        n = len(places)
        for c in prange(chunks):
            for i in chunk_range(c, chunks, n):
                t, z, y, x = places[i, 0], places[i, 1], places[i, 2], places[i, 3]
                k = 0
                for dz in range(-DEEP, DEEP + 1):
                    for dy in range(-1, 2):
                        for dx in range(-1, 2):
                            s, u, v, w = home_of(neighbours, t, x + dx, y + dy, z + dz, BZ, BY, BX)
                            around[i, k] = number[s, w, v, u] - 1 if s > 0 else -1
                            k += 1

    return run


@kernel
def _slope(listed, height, normal, dimension, chunks):
    """Unit slopes of a height that is known in some of the cells: of the plane of least squares through those round."""
    around = listed.around
    n = len(height)
    for c in prange(chunks):
        mean = np.zeros(4)
        square = np.zeros((3, 4))
        for i in chunk_range(c, chunks, n):
            if height[i] != height[i]:
                continue
            count = 0
            mean[:] = 0.0
            square[:] = 0.0
            for k in range(around.shape[1]):
                j = around[i, k]
                if j < 0 or height[j] != height[j]:
                    continue
                count += 1
                step = (k % 3 - 1.0, k // 3 % 3 - 1.0, k // 9 - 1.0 if dimension == 3 else 0.0, height[j])
                for a in range(4):
                    mean[a] += step[a]
                for a in range(dimension):
                    for b in range(4):
                        square[a, b] += step[a] * step[b]
            for a in range(dimension):
                for b in range(4):
                    square[a, b] -= mean[a] * mean[b] / count
            if dimension == 2:
                square[2, 2] = 1.0
            _solve_for_slope(square, normal[i])


@inlined
def _solve_for_slope(square, normal):
    """Solve three symmetric equations with the right-hand side in the last column, and make the solution a unit."""
    a, b, c = square[0, 0], square[0, 1], square[0, 2]
    d, e, f = square[1, 1], square[1, 2], square[2, 2]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * p + b * q + c * r
    if determinant < 0.5:
        return
    u, v, w = square[0, 3], square[1, 3], square[2, 3]
    x = (p * u + q * v + r * w) / determinant
    y = (q * u + (a * f - c * c) * v + (b * c - a * e) * w) / determinant
    z = (r * u + (b * c - a * e) * v + (a * d - b * b) * w) / determinant
    length = np.sqrt(x * x + y * y + z * z)
    if length > _FLATTEST:
        normal[0], normal[1], normal[2] = x / length, y / length, z / length


@serial_kernel
def _carry(listed, layers):
    """Give cells without a normal the mean of those round them, and of their planes, layer by layer."""
    around, normal, height = listed.around, listed.normal, listed.height
    unknown = np.flatnonzero(np.isnan(normal[:, 0]))
    mean = np.empty((len(unknown), 4))
    for _ in range(layers):
        if len(unknown) == 0:
            return
        left = 0
        for m in range(len(unknown)):
            mean[m] = 0.0
            count = 0
            for k in range(around.shape[1]):
                j = around[unknown[m], k]
                if j < 0 or normal[j, 0] != normal[j, 0]:
                    continue
                count += 1
                deep = k // 9 - 1 if around.shape[1] == 27 else 0
                mean[m, 3] += (
                    height[j] - (k % 3 - 1) * normal[j, 0] - (k // 3 % 3 - 1) * normal[j, 1] - deep * normal[j, 2]
                )
                for axis in range(3):
                    mean[m, axis] += normal[j, axis]
            mean[m, 3] /= max(count, 1)
        for m in range(len(unknown)):
            i = unknown[m]
            length = np.sqrt(mean[m, 0] ** 2 + mean[m, 1] ** 2 + mean[m, 2] ** 2)
            if length > _FLATTEST:
                normal[i] = mean[m, :3] / length
                height[i] = mean[m, 3]
            else:
                unknown[left] = i
                left += 1
        unknown = unknown[:left]
