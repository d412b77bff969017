"""Advection of the velocity by itself (Cline step 3a): where did this come from?

A virtual particle is traced from each face x back along the straight path that liquid took, to X with X + dt u(X) = x,
in two looks; the face takes the component found there. That is of second order, as particles are moved so too.

Reference: Stam 1999; Cline equation 12 and figure 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range
from plash.grid.sample import interpolate, interpolate_anywhere, interpolate_known
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage

_HALO = 3


@stage
def trace_back(velocity: FaceField, cells: Cells, dt: float, h: float) -> tuple[FaceField, int]:
    """The velocity carried along by itself for dt, on wet faces; and how many samples met no known value."""
    tiles = cells.tiles
    result = FaceField.filled(tiles)
    chunks = chunk_count()
    unknown = np.zeros(chunks, np.int64)
    where, scaled = _Where(tiles.origins, tiles.neighbours, tiles.keys), np.float32(dt / h)
    _trace(tiles.shape)(velocity.pool, result.pool, cells.faces, where, cells.wet_tiles, scaled, unknown, chunks)
    return result, int(unknown.sum())


class _Where(NamedTuple):
    """Where tiles are: first cell (x, y, z) and neighbours of each slot, and packed coordinates."""

    origins: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    keys: NDArray[np.int64]


@inlined
def _component(blocks, grid, keys, axis, first, place, BZ, BY, BX):
    """One component at a place in the block that begins with a first cell, or anywhere if the place is outside."""
    PZ, PY, PX = BZ + 2 * _HALO, BY + 2 * _HALO, BX + 2 * _HALO
    x, y, z = place
    half = np.float32(0.5)
    inside = x >= half and x < np.float32(PX - 1) and y >= half and y < np.float32(PY - 1)
    if BZ > 1:
        inside = inside and z >= half and z < np.float32(PZ - 1)
    if inside:
        sx = x if axis == 0 else x - half
        sy = y if axis == 1 else y - half
        sz = z if axis == 2 else z - half
        value = interpolate(blocks[axis], sx, sy, sz, PY, PX, BZ == 1)
        if value != value:
            value = interpolate_known(blocks[axis], sx, sy, sz, PY, PX, BZ == 1)
        return value
    gx, gy, gz = np.float64(x) + first[0], np.float64(y) + first[1], np.float64(z) + first[2]
    return np.float32(interpolate_anywhere(grid[axis], keys, axis, gx, gy, gz, BZ, BY, BX))


@for_tile_shape
def _trace(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    H = _HALO
    PZ, PY, PX, HZ = block_sizes(shape, H)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(grid, result, faces, where, tiles, dt, unknown, chunks):
        origins, neighbours, keys = where
        n = len(tiles)
        half = np.float32(0.5)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            u = np.zeros(3, np.float32)
            missing = 0
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                first = (origins[t, 0] - H, origins[t, 1] - H, origins[t, 2] - HZ)
                for axis in range(DIM):
                    copy_block(blocks[axis], grid[axis], neighbours, t, H, BZ, BY, BX)
                for face in range(DIM * BZ * BY * BX):
                    axis = face // (BZ * BY * BX)
                    m = face - axis * BZ * BY * BX
                    k = m // (BY * BX)
                    j = (m // BX) % BY
                    i_x = m % BX
                    if not faces[axis, t, k, j, i_x] & WET:
                        continue
                    x0 = np.float32(i_x + H) + (np.float32(0) if axis == 0 else half)
                    y0 = np.float32(j + H) + (np.float32(0) if axis == 1 else half)
                    z0 = np.float32(k + HZ) + (np.float32(0) if axis == 2 or DIM == 2 else half)
                    x, y, z = x0, y0, z0
                    for _ in range(2):
                        for a in range(DIM):
                            u[a] = _component(blocks, grid, keys, a, first, (x, y, z), BZ, BY, BX)
                            if u[a] != u[a]:
                                missing += 1
                                u[a] = np.float32(0)
                        x = x0 - dt * u[0]
                        y = y0 - dt * u[1]
                        if DIM == 3:
                            z = z0 - dt * u[2]
                    value = _component(blocks, grid, keys, axis, first, (x, y, z), BZ, BY, BX)
                    if value != value:
                        missing += 1
                    result[axis, t, k, j, i_x] = value
            unknown[c] = missing

    return run
