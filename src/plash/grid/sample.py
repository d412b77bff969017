"""Values between grid points: linear interpolation that drops what is not known.

Cline's figure 5: terms of cells that do not exist are left out and the rest is divided by the weight that remains.
Unknown values are NaN, so a plain interpolation tells by its result whether there was one; only then the terms
are looked at one by one.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range
from plash.grid.tiles import Shape, find_slot


def velocity_at(velocity: FaceField, points: NDArray[np.float64], h: float) -> NDArray[np.float64]:
    """Velocity (m/s) at points (n, dimension) in metres; NaN where it is not known.

    Reference: Cline, figure 5.
    """
    tiles = velocity.tiles
    places = np.ascontiguousarray(points, np.float64).reshape(-1, tiles.dimension) / h
    result = np.empty((len(places), tiles.dimension))
    _sample_points(tiles.shape)(velocity.pool, tiles.keys, places, result, chunk_count())
    return result


@inlined
def interpolate(block, x, y, z, PY, PX, THIN):
    """Linear interpolation in a block at lattice coordinates ≥ 0; NaN if any of the corners is unknown."""
    i = np.int32(x)
    j = np.int32(y)
    fx = x - np.float32(i)
    fy = y - np.float32(j)
    gy = np.float32(1) - fy
    # Unsigned indices: a signed one could count from the end, and would be tested for it at every corner
    one = np.uint64(1)
    if THIN:
        a = np.uint64(np.uint32(j * np.int32(PX) + i))
        b = a + np.uint64(PX)
        left = gy * block[a] + fy * block[b]
        right = gy * block[a + one] + fy * block[b + one]
        return left + fx * (right - left)
    k = np.int32(z)
    fz = z - np.float32(k)
    gz = np.float32(1) - fz
    a = np.uint64(np.uint32((k * np.int32(PY) + j) * np.int32(PX) + i))
    b = a + np.uint64(PX)
    c = a + np.uint64(PY * PX)
    d = b + np.uint64(PY * PX)
    wa, wb, wc, wd = gy * gz, fy * gz, gy * fz, fy * fz
    left = wa * block[a] + wb * block[b] + wc * block[c] + wd * block[d]
    right = wa * block[a + one] + wb * block[b + one] + wc * block[c + one] + wd * block[d + one]
    return left + fx * (right - left)


@inlined
def interpolate_known(block, x, y, z, PY, PX, THIN):
    """Linear interpolation over the known corners alone; NaN if there is none."""
    i = int(x)
    j = int(y)
    k = 0 if THIN else int(z)
    fx = x - np.float32(i)
    fy = y - np.float32(j)
    fz = np.float32(0) if THIN else z - np.float32(k)
    total = np.float32(0)
    weight = np.float32(0)
    for corner in range(4 if THIN else 8):
        a, b, c = corner & 1, (corner >> 1) & 1, corner >> 2
        value = block[((k + c) * PY + j + b) * PX + i + a]
        w = (fx if a else np.float32(1) - fx) * (fy if b else np.float32(1) - fy)
        if not THIN:
            w *= fz if c else np.float32(1) - fz
        if value == value and w > 0:
            total += w * value
            weight += w
    return total / weight if weight > np.float32(1e-6) else np.float32(np.nan)


@inlined
def lookup(pool, keys, x, y, z, BZ, BY, BX):
    """Value of any cell by its global index, through a search among the tiles; background if there is none."""
    tx = x // BX
    ty = y // BY
    tz = z // BZ
    key = ((tz + 1048576) << 42) | ((ty + 1048576) << 21) | (tx + 1048576)
    return pool[find_slot(keys, key), z - tz * BZ, y - ty * BY, x - tx * BX]


@inlined
def interpolate_anywhere(pool, keys, axis, x, y, z, BZ, BY, BX):
    """One velocity component at global coordinates in cells, dropping unknown terms: slow, for the rare far sample."""
    x -= 0.0 if axis == 0 else 0.5
    y -= 0.0 if axis == 1 else 0.5
    if BZ > 1:
        z -= 0.0 if axis == 2 else 0.5
    i = int(np.floor(x))
    j = int(np.floor(y))
    k = int(np.floor(z)) if BZ > 1 else 0
    fx = x - i
    fy = y - j
    fz = z - k if BZ > 1 else 0.0
    total = 0.0
    weight = 0.0
    for corner in range(8 if BZ > 1 else 4):
        a, b, c = corner & 1, (corner >> 1) & 1, corner >> 2
        w = (fx if a else 1.0 - fx) * (fy if b else 1.0 - fy)
        if BZ > 1:
            w *= fz if c else 1.0 - fz
        if w > 0.0:
            value = np.float64(lookup(pool, keys, i + a, j + b, k + c, BZ, BY, BX))
            if value == value:
                total += w * value
                weight += w
    return total / weight if weight > 1e-6 else np.nan


@for_tile_shape
def _sample_points(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = 2 if BZ == 1 else 3

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
