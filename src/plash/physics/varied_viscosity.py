"""Explicit viscosity that differs from place to place (Cline equation 20, for one step forward).

    u_0 += (dt/h²) Σ over neighbours n of ν_n (u_n - u_0)

ν_n belongs between the two samples of a velocity: along its own axis that is the centre of a cell, across it the edge
that four cells share, whose geometric mean it is. What one velocity loses its neighbour gains.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block, copy_cross
from plash.grid.cells import Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField, FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of


def spread_momentum(velocity: FaceField, viscosity: CellField, cells: Cells, number: float) -> None:
    """Let viscosity (m²/s) act on every velocity that borders liquid; the number is dt/h², in s/m²."""
    tiles = velocity.tiles
    spread = velocity.pool.copy()
    run = _spread(tiles.shape)
    busy = cells.wet_tiles
    run(velocity.pool, np.log(viscosity.pool), tiles.neighbours, busy, np.float32(number), spread, chunk_count())
    velocity.pool = spread


@inlined
def _mean_viscosity(logarithms, a, b, c, d):
    """Geometric mean of what is known in four cells; NaN if nothing is."""
    total = np.float32(0)
    count = np.float32(0)
    for m in (a, b, c, d):
        if logarithms[m] == logarithms[m]:
            total += logarithms[m]
            count += np.float32(1)
    return np.exp(total / count)


@for_tile_shape
def _spread(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(velocity, logarithm, neighbours, tiles, number, result, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.full(SIZE, np.float32(np.nan))
            thick = np.full(SIZE, np.float32(np.nan))
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(thick, logarithm, neighbours, t, 1, BZ, BY, BX)
                for axis in range(DIM):
                    copy_cross(block, velocity[axis], neighbours, t, BZ, BY, BX)
                    along = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                m = o + x
                                own = block[m]
                                total = np.float32(0)
                                for way in range(2 * DIM):
                                    across = stride(way // 2, PY, PX)
                                    step = across if way % 2 else -across
                                    other = block[m + step]
                                    if other != other:
                                        continue
                                    if way // 2 == axis:
                                        centre = m if way % 2 else m - along
                                        nu = _mean_viscosity(thick, centre, centre, centre, centre)
                                    else:
                                        nu = _mean_viscosity(thick, m, m - along, m + step, m + step - along)
                                    total += nu * (other - own)
                                result[axis, t, z, y, x] = own + number * total

    return run
