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

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel, serial_kernel
from plash.grid.loops import CENTRE, chunk_range, tile_beside
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.shore_cells import NARROW_STEEP, NEAR, OPEN, Seen

_LAYERS = 16  # cells that normals are carried on
_FLATTEST = 0.2  # slope of the distance, of 1, below which it has no direction
_LEVEL, _TILTED = 0.1, 0.25  # distance from the upward normal below which it is that one, and above which it stays


class Listed(NamedTuple):
    """Cells in a list.

    Attributes:
        places: Slot, z, y, x of each.
        around: Numbers in the list of each one's 3^d neighbours, or -1; only of cells whose own slope is not known.
        normal: Unit normals of the surface, or NaN.
        height: Distance to the plane that was carried on, in cells, or NaN.
    """

    places: NDArray[np.int32]
    around: NDArray[np.int32]
    normal: NDArray[np.float64]
    height: NDArray[np.float64]


def listed_cells(tiles: Tiles, slots: NDArray[np.int32], seen: Seen, upward: NDArray[np.float64]) -> Listed:
    """The cells at shores in some tiles, those that their normals come from, and the normals of the surface there.

    Args:
        tiles: Where the cells are.
        slots: Some of them.
        seen: What hats see there.
        upward: Unit vector against gravity, 0 without any.
    """
    part = seen.part[slots]
    row, *within = np.nonzero(part >= NEAR)
    most = np.count_nonzero(part)
    places = np.empty((most, 4), np.int32)
    places[: len(row)] = np.stack([slots[row], *within], axis=1)
    around = np.empty((most, 3**tiles.dimension), np.int32)
    room = Listed(places, around, np.full((most, 3), np.nan), np.full(most, np.nan))
    count = _list(tiles.shape)(room, len(row), seen, np.zeros(seen.part.size, np.int32), tiles.neighbours)
    listed = Listed(places[:count], around[:count], room.normal[:count], room.height[:count])
    _find_normals(listed, tiles, seen, upward)
    return listed


def _find_normals(listed: Listed, tiles: Tiles, seen: Seen, upward: NDArray[np.float64]) -> None:
    """Carry normals on to all listed cells; where wide hats see none near, from those that narrow ones see."""
    new = np.flatnonzero(~np.isnan(listed.normal[:, 0]))
    if upward.any():
        listed.normal[new] = _levelled(listed.normal[new], upward)
    _carry(listed, _LAYERS)
    unknown = np.flatnonzero(np.isnan(listed.normal[:, 0]))
    if len(unknown) == 0:
        return
    _fit_narrow(tiles.shape)(listed, unknown, _narrow_heights(listed, seen), chunk_count())
    new = unknown[~np.isnan(listed.normal[unknown, 0])]
    if upward.any():
        listed.normal[new] = _levelled(listed.normal[new], upward)
    _carry(listed, _LAYERS)


def _levelled(normal: NDArray[np.float64], upward: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normals that are nearly upward made so; those further off stay, and between they turn gradually."""
    tilt = normal - upward
    share = np.clip((np.sqrt((tilt * tilt).sum(axis=1)) - _LEVEL) / (_TILTED - _LEVEL), 0, 1)
    turned = upward + share[:, None] * tilt
    result: NDArray[np.float64] = turned / np.sqrt((turned * turned).sum(axis=1))[:, None]
    return result


def _narrow_heights(listed: Listed, seen: Seen) -> NDArray[np.float64]:
    """Distance to the surface in cells as narrow hats see it that no body cuts; NaN if one is nearly full or empty."""
    places = tuple(listed.places.T)
    fill = np.full(len(listed.height), np.nan)
    np.divide(seen.volume[places], seen.share[places], out=fill, where=seen.part[places] <= NEAR, dtype=np.float64)
    excess = np.where((fill > NARROW_STEEP) & (fill < 1 - NARROW_STEEP), 2 * fill - 1, np.nan)
    height: NDArray[np.float64] = -np.sign(excess) * (1 - np.sqrt(1 - np.abs(excess)))
    return height


@for_tile_shape
def _list(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    AROUND = 27 if BZ > 1 else 9
    DIM = dimension_of(shape)

    @serial_kernel
    def run(listed, count, seen, number, neighbours):
        places, around, normal, height = listed
        part, heights = seen.part.reshape(-1), seen.wide_height.reshape(-1)
        near, beside = np.empty(27, np.int64), np.empty(27, np.int64)
        values = np.empty(27)
        for i in range(count):
            number[((places[i, 0] * BZ + places[i, 1]) * BY + places[i, 2]) * BX + places[i, 3]] = i + 1
        i = 0
        while i < count:
            if normal[i, 0] == normal[i, 0]:
                i += 1
                continue
            _find_around(near, places[i], neighbours, BZ, BY, BX)
            for k in range(AROUND):
                cell = near[k]
                if part[cell] == 0:
                    around[i, k] = -1
                    continue
                if number[cell] == 0:
                    # A cell from which no body is seen: its own slope will do, if it has one
                    place = places[count]
                    place[3], place[2] = cell % BX, cell // BX % BY
                    place[1], place[0] = cell // (BX * BY) % BZ, cell // (BX * BY * BZ)
                    number[cell] = count + 1
                    if heights[cell] == heights[cell]:
                        _find_around(beside, place, neighbours, BZ, BY, BX)
                        for m in range(AROUND):
                            values[m] = heights[beside[m]] if part[beside[m]] == OPEN else np.nan
                        _fit_plane(values, normal[count], DIM)
                        if normal[count, 0] == normal[count, 0]:
                            height[count] = heights[cell]
                    count += 1
                around[i, k] = number[cell] - 1
            i += 1
        return count

    return run


@inlined_plainly
def _find_around(near, place, neighbours, BZ, BY, BX):
    """Numbers of the cells round one, among all cells; those of absent tiles are in slot 0."""
    k = 0
    for dz in range(-1 if BZ > 1 else 0, 2 if BZ > 1 else 1):
        beside_z, z = tile_beside(place[1] + dz, BZ)
        for dy in range(-1, 2):
            beside_y, y = tile_beside(place[2] + dy, BY)
            for dx in range(-1, 2):
                beside_x, x = tile_beside(place[3] + dx, BX)
                slot = np.int64(neighbours[place[0], CENTRE + 9 * beside_z + 3 * beside_y + beside_x])
                near[k] = ((slot * BZ + z) * BY + y) * BX + x
                k += 1


@for_tile_shape
def _fit_narrow(shape: Shape) -> Kernel:
    AROUND = 27 if shape[0] > 1 else 9
    DIM = dimension_of(shape)

    @kernel
    def run(listed, which, heights, chunks):
        around, normal, height = listed.around, listed.normal, listed.height
        n = len(which)
        for c in prange(chunks):
            values = np.empty(27)
            for m in chunk_range(c, chunks, n):
                i = which[m]
                if heights[i] != heights[i]:
                    continue
                for k in range(AROUND):
                    values[k] = heights[around[i, k]] if around[i, k] >= 0 else np.nan
                _fit_plane(values, normal[i], DIM)
                if normal[i, 0] == normal[i, 0]:
                    height[i] = heights[i]

    return run


@inlined_plainly
def _fit_plane(values, normal, dimension):
    """Find the unit slope of the plane of least squares through the known of the 3^d values round a cell."""
    count, total = 0, 0.0
    sum_x, sum_y, sum_z = 0, 0, 0
    xx, xy, xz, yy, yz, zz = 0, 0, 0, 0, 0, 0
    u, v, w = 0.0, 0.0, 0.0
    k = 0
    for dz in range(-1 if dimension == 3 else 0, 2 if dimension == 3 else 1):
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                value = values[k]
                k += 1
                if value != value:
                    continue
                count += 1
                total += value
                sum_x, sum_y, sum_z = sum_x + dx, sum_y + dy, sum_z + dz
                xx, xy, xz = xx + dx * dx, xy + dx * dy, xz + dx * dz
                yy, yz, zz = yy + dy * dy, yz + dy * dz, zz + dz * dz
                u, v, w = u + dx * value, v + dy * value, w + dz * value
    p, q, r, n = float(sum_x), float(sum_y), float(sum_z), count
    a, b, c = xx - p * p / n, xy - p * q / n, xz - p * r / n
    d, e, f = yy - q * q / n, yz - q * r / n, zz - r * r / n if dimension == 3 else 1.0
    u, v, w = u - p * total / n, v - q * total / n, w - r * total / n
    _solve_for_slope((a, b, c, d, e, f), (u, v, w), normal)


@inlined_plainly
def _solve_for_slope(square, right, normal):
    """Solve three symmetric equations, and make the solution a unit vector, unless they have none or it is too flat."""
    a, b, c, d, e, f = square
    u, v, w = right
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * p + b * q + c * r
    if determinant < 0.5:
        return
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
