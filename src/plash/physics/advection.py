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
from plash.grid.sample import interpolate, interpolate_anywhere, interpolate_from, interpolate_known
from plash.grid.tiles import Shape, dimension_of
from plash.physics.places import SECTIONS, put_place, value_at
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


@inlined
def _begin_own(own, H, HZ, COUNT, BY, BX, THIN):
    """Write down where the faces of a tile are in its block, counted from its first cell: x, y and z for each axis."""
    half, zero = np.float32(0.5), np.float32(0)
    for axis in range(2 if THIN else 3):
        for m in range(COUNT):
            first = 3 * axis * COUNT + m
            own[first] = np.float32(m % BX + H) + (zero if axis == 0 else half)
            own[first + COUNT] = np.float32(m // BX % BY + H) + (zero if axis == 1 else half)
            own[first + 2 * COUNT] = np.float32(m // (BX * BY) + HZ) + (zero if axis == 2 or THIN else half)


@inlined
def _look_at_faces(listed, first, block, axis, a, halo, BZ, BY, BX):
    """Write down component a at the faces across an axis: where it lies itself, or in the middle of four others."""
    H, HZ = halo
    PY, PX = BY + 2 * H, BX + 2 * H
    half, zero = np.float32(0.5), np.float32(0)
    # Across the axis it lies half a cell behind, along its own half a cell ahead
    fx = half if a != axis and (a == 0 or axis == 0) else zero
    fy = half if a != axis and (a == 1 or axis == 1) else zero
    fz = half if a != axis and (a == 2 or axis == 2) else zero
    behind = 0 if a == axis else (1 if axis == 0 else (PX if axis == 1 else PX * PY))
    for k in range(BZ):
        for j in range(BY):
            o = np.uint64(((k + HZ) * PY + j + H) * PX + H - behind)
            to = np.uint64(first + (k * BY + j) * BX)
            for i in range(np.uint64(BX)):
                listed[to + i] = interpolate_from(block, o + i, fx, fy, fz, PY, PX, BZ == 1)


@inlined
def _list_places(listed, first, a, COUNT, PZ, PY, PX):
    """List where places in a block are on the lattice of a component. Places are the three sections from a first on."""
    half, zero = np.float32(0.5), np.float32(0)
    off_x, off_y = zero if a == 0 else half, zero if a == 1 else half
    off_z = zero if a == 2 else half
    y_first, z_first = first + np.uint64(COUNT), first + np.uint64(2 * COUNT)
    for m in range(np.uint64(COUNT)):
        x, y, z = listed[first + m], listed[y_first + m], listed[z_first + m]
        within = (x >= half) & (x < np.float32(PX - 1)) & (y >= half) & (y < np.float32(PY - 1))
        if PZ > 1:
            within = within & (z >= half) & (z < np.float32(PZ - 1))
        put_place(listed, m, (x - off_x, y - off_y, z - off_z), within, COUNT, PY, PX, PZ == 1)


@inlined
def _trace_face(blocks, grid, keys, axis, first, start, dt, THIN, BZ, BY, BX):
    """What comes to one face from beyond the block or from between unknown values, and how many samples met none."""
    x0, y0, z0 = start
    x, y, z = start
    missing = 0
    zero = np.float32(0)
    for _ in range(2):
        u = _component(blocks, grid, keys, 0, first, (x, y, z), BZ, BY, BX)
        v = _component(blocks, grid, keys, 1, first, (x, y, z), BZ, BY, BX)
        w = zero if THIN else _component(blocks, grid, keys, 2, first, (x, y, z), BZ, BY, BX)
        missing += (u != u) + (v != v) + (w != w)
        x = x0 - dt * (u if u == u else zero)
        y = y0 - dt * (v if v == v else zero)
        if not THIN:
            z = z0 - dt * (w if w == w else zero)
    value = _component(blocks, grid, keys, axis, first, (x, y, z), BZ, BY, BX)
    return value, missing + (value != value)


@for_tile_shape
def _trace(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    H = _HALO
    PZ, PY, PX, HZ = block_sizes(shape, H)
    DIM = dimension_of(shape)
    SIZE, COUNT = PZ * PY * PX, BZ * BY * BX
    # Sections of the list: those of `put_place`, the place of each face, and the places of all axes' faces
    PLACE, OWN = SECTIONS * COUNT, (SECTIONS + 3) * COUNT

    @kernel
    def run(grid, result, faces, where, tiles, dt, unknown, chunks):
        origins, neighbours, keys = where
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            listed = np.zeros(OWN + 9 * COUNT, np.float32)
            _begin_own(listed[OWN:], H, HZ, COUNT, BY, BX, DIM == 2)
            missing = 0
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                first = (origins[t, 0] - H, origins[t, 1] - H, origins[t, 2] - HZ)
                for axis in range(DIM):
                    copy_block(blocks[axis], grid[axis], neighbours, t, H, BZ, BY, BX)
                for axis in range(DIM):
                    # Where all faces of the tile came from, wet or not: not a number where a look met none
                    own = np.uint64(OWN + 3 * axis * COUNT)
                    for a in range(DIM):
                        _look_at_faces(listed, PLACE + a * COUNT, blocks[a], axis, a, (H, HZ), BZ, BY, BX)
                        moved, still = np.uint64(PLACE + a * COUNT), own + np.uint64(a * COUNT)
                        for m in range(np.uint64(COUNT)):
                            listed[moved + m] = listed[still + m] - dt * listed[moved + m]
                    for a in range(DIM):
                        _list_places(listed, np.uint64(PLACE), a, COUNT, PZ, PY, PX)
                        moved, still = np.uint64(a * COUNT), own + np.uint64(a * COUNT)
                        for m in range(np.uint64(COUNT)):
                            u = value_at(blocks[a], listed, m, COUNT, PY, PX, DIM == 2)
                            listed[moved + m] = listed[still + m] - dt * u
                    for m in range(np.uint64(DIM * COUNT)):
                        listed[np.uint64(PLACE) + m] = listed[m]
                    _list_places(listed, np.uint64(PLACE), axis, COUNT, PZ, PY, PX)
                    wet, came = faces[axis, t].reshape(-1), result[axis, t].reshape(-1)
                    is_rest = False
                    for m in range(np.uint64(COUNT)):
                        value = value_at(blocks[axis], listed, m, COUNT, PY, PX, DIM == 2)
                        is_wet = wet[m] & WET != 0
                        is_rest |= is_wet & (value != value)
                        came[m] = value if is_wet else np.float32(np.nan)
                    if is_rest:
                        for m in range(np.uint64(COUNT)):
                            if wet[m] & WET and came[m] != came[m]:
                                x, y = own + m, own + np.uint64(COUNT) + m
                                start = listed[x], listed[y], listed[own + np.uint64(2 * COUNT) + m]
                                value, lost = _trace_face(
                                    blocks, grid, keys, axis, first, start, dt, DIM == 2, BZ, BY, BX
                                )
                                came[m] = value
                                missing += lost
            unknown[c] = missing

    return run
