"""Values between grid points: linear interpolation that drops what is not known.

Cline's figure 5: terms of cells that do not exist are left out and the rest is divided by the weight that remains.
Unknown values are NaN, so a plain interpolation tells by its result whether there was one; only then the terms
are looked at one by one.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, corner_step
from plash.grid.tiles import Shape, dimension_of, find_slot, pack_one


def velocity_at(velocity: FaceField, points: NDArray[np.float64], h: float) -> NDArray[np.float64]:
    """Velocity (m/s) at points (n, dimension) in metres; NaN where it is not known.

    Reference: Cline, figure 5.
    """
    tiles = velocity.tiles
    places = np.ascontiguousarray(points, np.float64).reshape(-1, tiles.dimension) / h
    result = np.empty((len(places), tiles.dimension))
    _sample_points(tiles.shape)(velocity.pool, tiles.keys, places, result, chunk_count())
    return result


@inlined_plainly
def cell_and_share(x):
    """Cell before a coordinate ≥ 0 in single precision, and how far the coordinate lies beyond it."""
    i = np.int32(x)
    return i, x - np.float32(i)


@inlined_plainly
def corner_weight(corner, fx, fy, fz, THIN):
    """Weight of a corner in the linear interpolation at (fx, fy, fz) from the minimal one, in their precision."""
    a, b, c = corner_step(corner)
    one = type(fx)(1)
    weight = (fx if a else one - fx) * (fy if b else one - fy)
    if not THIN:
        weight *= fz if c else one - fz
    return weight


@inlined_plainly
def between_four(a, b, c, d, fx, gx, fy, gy):
    """Linear interpolation in a square with corners a b below and c d above; g is 1 - f, or 0 where nothing counts."""
    return gy * (gx * a + fx * b) + fy * (gx * c + fx * d)


@inlined_plainly
def interpolate(block, x, y, z, PY, PX, THIN):
    """Linear interpolation in a block at lattice coordinates ≥ 0; NaN if any of the corners is unknown."""
    i, fx = cell_and_share(x)
    j, fy = cell_and_share(y)
    k, fz = cell_and_share(np.float32(0) if THIN else z)
    start = np.uint64(np.uint32((k * np.int32(PY) + j) * np.int32(PX) + i))
    return interpolate_from(block, start, fx, fy, fz, PY, PX, THIN)


@inlined_plainly
def interpolate_from(block, start, fx, fy, fz, PY, PX, THIN):
    """The same from the minimal corner's index on, and how far the place lies beyond that corner.

    The index has no sign: a signed one could count from the end, and would be tested for it at every corner.
    """
    one = np.uint64(1)
    gy = np.float32(1) - fy
    a = start
    b = a + np.uint64(PX)
    if THIN:
        left = gy * block[a] + fy * block[b]
        right = gy * block[a + one] + fy * block[b + one]
        return left + fx * (right - left)
    gz = np.float32(1) - fz
    c = a + np.uint64(PY * PX)
    d = b + np.uint64(PY * PX)
    wa, wb, wc, wd = gy * gz, fy * gz, gy * fz, fy * fz
    left = wa * block[a] + wb * block[b] + wc * block[c] + wd * block[d]
    right = wa * block[a + one] + wb * block[b + one] + wc * block[c + one] + wd * block[d + one]
    return left + fx * (right - left)


@inlined_plainly
def interpolate_known(block, x, y, z, PY, PX, THIN):
    """Linear interpolation over the known corners alone; NaN if there is none."""
    i, fx = cell_and_share(x)
    j, fy = cell_and_share(y)
    k, fz = cell_and_share(np.float32(0) if THIN else z)
    start = np.uint64(np.uint32((k * np.int32(PY) + j) * np.int32(PX) + i))
    return interpolate_known_from(block, start, fx, fy, fz, PY, PX, THIN)


@inlined_plainly
def interpolate_known_from(block, start, fx, fy, fz, PY, PX, THIN):
    """The same from the minimal corner's index on, and how far the place lies beyond that corner."""
    total = np.float32(0)
    weight = np.float32(0)
    for corner in range(4 if THIN else 8):
        a, b, c = corner_step(corner)
        value = block[start + np.uint64((c * PY + b) * PX + a)]
        w = corner_weight(corner, fx, fy, fz, THIN)
        if value == value and w > 0:
            total += w * value
            weight += w
    return total / weight if weight > np.float32(1e-6) else np.float32(np.nan)


@inlined_plainly
def lookup(pool, keys, x, y, z, BZ, BY, BX):
    """Value of any cell by its global index, through a search among the tiles; background if there is none."""
    tx = x // BX
    ty = y // BY
    tz = z // BZ
    return pool[find_slot(keys, pack_one(tx, ty, tz)), z - tz * BZ, y - ty * BY, x - tx * BX]


@inlined_plainly
def interpolate_cells(pool, keys, x, y, z, BZ, BY, BX):
    """Linear interpolation between any cells at global coordinates, in which cell (i, j, k) has its value at (i, j, k).

    In double precision, and slow: every corner is searched for.
    """
    i, j = int(np.floor(x)), int(np.floor(y))
    k = int(np.floor(z)) if BZ > 1 else 0
    fx, fy, fz = x - i, y - j, z - k
    total = 0.0
    for corner in range(8 if BZ > 1 else 4):
        a, b, c = corner_step(corner)
        w = corner_weight(corner, fx, fy, fz, BZ == 1)
        total += w * np.float64(lookup(pool, keys, i + a, j + b, k + c, BZ, BY, BX))
    return total


@inlined_plainly
def interpolate_anywhere(pool, keys, axis, x, y, z, BZ, BY, BX):
    """One velocity component at global coordinates in cells, dropping unknown terms: slow, for the rare far sample."""
    x -= 0.0 if axis == 0 else 0.5
    y -= 0.0 if axis == 1 else 0.5
    z -= 0.0 if axis == 2 else 0.5
    i, j = int(np.floor(x)), int(np.floor(y))
    k = int(np.floor(z)) if BZ > 1 else 0
    fx, fy, fz = x - i, y - j, z - k
    total = 0.0
    weight = 0.0
    for corner in range(8 if BZ > 1 else 4):
        a, b, c = corner_step(corner)
        w = corner_weight(corner, fx, fy, fz, BZ == 1)
        if w > 0.0:
            value = np.float64(lookup(pool, keys, i + a, j + b, k + c, BZ, BY, BX))
            if value == value:
                total += w * value
                weight += w
    return total / weight if weight > 1e-6 else np.nan


@inlined_plainly
def smooth_step(value, low, high):
    """From 0 at a low value to 1 at a high one, without a kink."""
    part = min(max((value - low) / (high - low), 0.0), 1.0)
    return part * part * (3 - 2 * part)


@for_tile_shape
def _sample_points(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(velocity, keys, places, result, chunks):
        n = len(places)
        for c in prange(chunks):
            for p in chunk_range(c, chunks, n):
                z = places[p, 2] if DIM == 3 else 0.0
                for axis in range(DIM):
                    result[p, axis] = interpolate_anywhere(
                        velocity[axis], keys, axis, places[p, 0], places[p, 1], z, BZ, BY, BX
                    )

    return run
