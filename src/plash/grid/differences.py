"""Differences on the staggered grid: divergence in cells, gradient on faces (Cline equations 4 and 5).

Both are undivided: multiply by 1/h for the true operators.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import LIQUID, WALL, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage


@stage
def divergence(velocity: FaceField, cells: Cells) -> NDArray[np.float64]:
    """Net outflow h ∇·u of every liquid cell (m/s), zero in other cells, in double precision.

    Where solids cut cells a face counts with its open fraction, Σ ± f u; what is known of closed faces is not read.
    What solids that move push out of a cell comes on top: Σ ± [f u + (1 - f) u_solid].
    """
    tiles = cells.tiles
    result = np.zeros(cells.label.shape)
    run = _divergence(tiles.shape, cells.cut_cells is not None)
    fractions, label, busy = cells.face_fractions, cells.label, cells.liquid_tiles
    run(velocity.pool, fractions, label, tiles.neighbours, busy, result, chunk_count())
    if cells.cut_cells is not None and cells.cut_cells.solid_flux is not None:
        slots, outflow = cells.cut_cells.solid_flux
        result[slots] += np.where(cells.label[slots] == LIQUID, outflow, 0.0)
    return result


@stage
def subtract_gradient(velocity: FaceField, potential: NDArray[np.float64], cells: Cells) -> None:
    """Set u -= p_i - p_(i-1) on every open wet face; every other velocity becomes unknown.

    The potential (m/s) must be zero outside liquid.
    """
    tiles = cells.tiles
    run = _subtract_gradient(tiles.shape)
    run(velocity.pool, potential, cells.faces, tiles.neighbours, tiles.slots, chunk_count())


@for_tile_shape
def _divergence(shape: Shape, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    CUT = is_cut

    @kernel
    def run(velocity, face_fractions, label, neighbours, tiles, result, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            shares = np.zeros(SIZE, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_cross(block, velocity[axis], neighbours, t, BZ, BY, BX)
                    if CUT:
                        copy_cross(shares, face_fractions[axis], neighbours, t, BZ, BY, BX)
                        for m in range(SIZE):
                            block[m] = block[m] * shares[m] if shares[m] > 0 else np.float32(0)
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                if label[t, z, y, x] == LIQUID:
                                    result[t, z, y, x] += np.float64(block[o + x + step]) - np.float64(block[o + x])

    return run


@for_tile_shape
def _subtract_gradient(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(velocity, potential, faces, neighbours, tiles, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float64)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, potential, neighbours, t, BZ, BY, BX)
                for axis in range(DIM):
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                if faces[axis, t, z, y, x] & (WET | WALL) == WET:
                                    slope = block[o + x] - block[o + x - step]
                                    velocity[axis, t, z, y, x] = np.float32(velocity[axis, t, z, y, x] - slope)
                                else:
                                    velocity[axis, t, z, y, x] = np.float32(np.nan)

    return run
