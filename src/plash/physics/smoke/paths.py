"""Paths of the air: where the centre of each cell came from in a step, and where it gets to.

    d = ∓ dt u(x ∓ dt u/2)

A place beyond the block of a tile is found by a search among all tiles.

Reference: Stam 1999; Cline step 3a.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block, copy_cross
from plash.grid.cells import Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.sample import interpolate_anywhere
from plash.grid.tiles import Shape, dimension_of
from plash.physics.places import (
    HALO,
    SECTIONS,
    Where,
    begin_list,
    is_within,
    own_place,
    put_place,
    value_at,
)


class Paths(NamedTuple):
    """Where the centres of cells came from and where they go, as displacements in cells [axis, slot, z, y, x]."""

    back: NDArray[np.float32]
    forth: NDArray[np.float32]


def paths_of(velocity: FaceField, cells: Cells, dt: float, h: float) -> Paths:
    """The paths that a velocity makes in dt; far away that of the wind."""
    tiles = cells.tiles
    ways = np.empty((2, *velocity.pool.shape), np.float32)
    wind = np.float32(dt / h) * velocity.pool[:, :1]
    ways[0][:, ~cells.wet], ways[1][:, ~cells.wet] = -wind, wind
    run = _follow(tiles.shape)
    run(velocity.pool, Where.of(tiles), cells.wet_tiles, np.float32(dt / h), ways, chunk_count())
    return Paths(*ways)


@inlined
def _find_half_ways(listed, dt, COUNT, FIRST, QY, QX, DIM):
    """Make half of what the centres of cells go in dt of the velocity on their faces."""
    half = np.float32(0.5)
    for axis in range(DIM):
        start, step = np.uint64(axis * COUNT), np.uint64(stride(axis, QY, QX))
        for m in range(start + np.uint64(FIRST), start + np.uint64(COUNT - FIRST)):
            listed[m] = half * (dt * half * (listed[m] + listed[m + step]))


@inlined
def _half_way(listed, m, sign, COUNT):
    """Where the air in a cell is half a step before or after."""
    x, y, z = own_place(listed, m, COUNT)
    return (
        x + sign * listed[m],
        y + sign * listed[m + np.uint64(COUNT)],
        z + sign * listed[m + np.uint64(2 * COUNT)],
    )


@inlined
def _find_places(listed, sign, axis, COUNT, FIRST, PZ, PY, PX):
    """List the places half-way on the lattice of an axis, which is half a cell behind that of cells."""
    half, zero = np.float32(0.5), np.float32(0)
    along_x, along_y, along_z = half if axis == 0 else zero, half if axis == 1 else zero, half if axis == 2 else zero
    for m in range(np.uint64(FIRST), np.uint64(COUNT - FIRST)):
        x, y, z = place = _half_way(listed, m, sign, COUNT)
        within = is_within(place, half, PZ, PY, PX)
        put_place(listed, m, (x + along_x, y + along_y, z + along_z), within, COUNT, PY, PX, PZ == 1)


@inlined
def _anywhere(pool, keys, axis, corner, place, BZ, BY, BX):
    """A component of the velocity at a place counted from the centre of a block's first cell, found by a search."""
    x, y, z = place
    gx, gy, gz = np.float64(x) + corner[0] + 0.5, np.float64(y) + corner[1] + 0.5, np.float64(z) + corner[2] + 0.5
    return np.float32(interpolate_anywhere(pool, keys, axis, gx, gy, gz, BZ, BY, BX))


@for_tile_shape
def _follow(shape: Shape) -> Kernel:
    """Displacements back and forth, by the velocity half-way."""
    BZ, BY, BX = shape
    H = HALO
    PZ, PY, PX, HZ = block_sizes(shape, H)
    QZ, QY, QX, LAYER = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE, COUNT = PZ * PY * PX, QZ * QY * QX
    FIRST = (LAYER * QY + 1) * QX + 1

    @kernel
    def run(velocity, where, tiles, dt, ways, chunks):
        origins, neighbours, keys = where
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            listed = np.zeros(SECTIONS * COUNT, np.float32)
            begin_list(listed, COUNT, QY, QX, H, HZ)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                corner = (origins[t, 0] - H, origins[t, 1] - H, origins[t, 2] - HZ)
                for axis in range(DIM):
                    copy_block(blocks[axis], velocity[axis], neighbours, t, H, BZ, BY, BX)
                    copy_cross(listed[axis * COUNT : (axis + 1) * COUNT], velocity[axis], neighbours, t, BZ, BY, BX)
                _find_half_ways(listed, dt, COUNT, FIRST, QY, QX, DIM)
                for direction in range(2):
                    sign = np.float32(2 * direction - 1)
                    for axis in range(DIM):
                        block, result = blocks[axis], ways[direction, axis, t]
                        _find_places(listed, sign, axis, COUNT, FIRST, PZ, PY, PX)
                        is_far = False
                        for k in range(BZ):
                            for j in range(BY):
                                o = np.uint64(row_start(k, j, LAYER, QY, QX))
                                row = result[k, j]
                                for m in range(np.uint64(BX)):
                                    value = value_at(block, listed, o + m, COUNT, PY, PX, DIM == 2)
                                    is_far |= value != value
                                    row[m] = sign * dt * value
                        if is_far:
                            for k in range(BZ):
                                for j in range(BY):
                                    o = np.uint64(row_start(k, j, LAYER, QY, QX))
                                    row = result[k, j]
                                    for m in range(np.uint64(BX)):
                                        if row[m] != row[m]:
                                            place = _half_way(listed, o + m, sign, COUNT)
                                            value = _anywhere(velocity[axis], keys, axis, corner, place, BZ, BY, BX)
                                            row[m] = sign * dt * value

    return run
