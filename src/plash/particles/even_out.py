"""Differences inside a cell, which the grid does not see, die away as by conduction.

Particles take changes of the grid, so differences between the particles of one cell would stay for ever. In a cell
whose neighbours' means have the slopes g and the second differences c along the axes, every particle comes closer to
the profile through them,

    R = C + Σ g_a s_a + ½ c_a s_a² ,    s = x_p - x_c ,    T_p* = T_p + α (R - T_p)

where C is such that the mean of R over the particles of the cell is theirs, R is held within what they have, and α is
the share of such differences that dies away. What the cell gains or loses by being held so, its particles give back by
how far each is from their lowest or highest value. So Σ V T over a cell stays, no new extreme is made, and a profile
that is linear, up to a wall too, does not change. Nothing is smeared from cell to cell.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range, numbers_in, row_start, stride
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.particles import Particles
from plash.timing import stage

Array = NDArray[np.float64]


@stage
def even_out(particles: Particles, values: Array, means: Array, tiles: Tiles, share: float) -> None:
    """Let a share of the differences inside cells die away.

    Args:
        particles: Sorted into the tiles.
        values: Of each particle; is changed.
        means: At cell centres [slot, z, y, x]; NaN where it is not known.
        tiles: Where the cells are.
        share: α, 0 to 1.
    """
    busy = (np.flatnonzero(np.diff(particles.starts[1:])) + 1).astype(np.int32)
    where = particles.in_tiles(tiles), busy
    _relax(tiles.shape)(particles.places, values, particles.volume, *where, means, share, chunk_count())


@inlined
def _slope_and_bend(block, m, step):
    """Slope and second difference between the known neighbours of a cell along an axis; zero if there is none.

    The slope is NaN if the cell itself is not known.
    """
    low, own, high = block[m - step], block[m], block[m + step]
    if own != own:
        return np.nan, 0.0
    if low == low and high == high:
        return 0.5 * (high - low), high - 2 * own + low
    if high == high:
        return high - own, 0.0
    if low == low:
        return own - low, 0.0
    return 0.0, 0.0


@inlined
def _number(places, origins, t, p, BY, BX, DIM):
    """The number of a particle's cell in its tile."""
    m = (places.cell[1, p] - origins[t, 1]) * BX + places.cell[0, p] - origins[t, 0]
    if DIM == 3:
        m += (places.cell[2, p] - origins[t, 2]) * BY * BX
    return m


@inlined
def _rise(slopes, offset, m, p, DIM):
    """What slopes and bends of a cell add up to from its centre to a particle."""
    rise = 0.0
    for axis in range(DIM):
        s = np.float64(offset[axis, p]) - 0.5
        rise += (slopes[axis, m] + 0.5 * slopes[DIM + axis, m] * s) * s
    return rise


@for_tile_shape
def _relax(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    CELLS = BZ * BY * BX

    @kernel
    def run(places, value, volume, in_tiles, tiles, means, share, chunks):
        starts, origins, neighbours, _ = in_tiles
        n = len(tiles)
        for c in prange(chunks):
            block = np.full(PZ * PY * PX, np.nan)
            slopes = np.zeros((2 * DIM, CELLS))
            low = np.zeros(CELLS)
            high = np.zeros(CELLS)
            sums = np.zeros((2, CELLS))
            owed = np.zeros(CELLS)
            room = np.zeros((2, CELLS))
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, means, neighbours, t, BZ, BY, BX)
                low[:] = np.inf
                high[:] = -np.inf
                sums[:] = 0.0
                owed[:] = 0.0
                room[:] = 0.0
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            for axis in range(DIM):
                                m = (z * BY + y) * BX + x
                                slope, bend = _slope_and_bend(block, o + x, stride(axis, PY, PX))
                                slopes[axis, m] = slope
                                slopes[DIM + axis, m] = bend
                # Where the profile lies, then towards it, then what is owed
                for p in numbers_in(starts, t):
                    m = _number(places, origins, t, p, BY, BX, DIM)
                    low[m] = min(low[m], value[p])
                    high[m] = max(high[m], value[p])
                    sums[0, m] += volume[p]
                    sums[1, m] += volume[p] * (value[p] - _rise(slopes, places.offset, m, p, DIM))
                for p in numbers_in(starts, t):
                    m = _number(places, origins, t, p, BY, BX, DIM)
                    if low[m] < high[m] and sums[1, m] == sums[1, m]:
                        profile = sums[1, m] / sums[0, m] + _rise(slopes, places.offset, m, p, DIM)
                        before = value[p]
                        value[p] += share * (min(max(profile, low[m]), high[m]) - before)
                        owed[m] += volume[p] * (before - value[p])
                        room[0, m] += volume[p] * (value[p] - low[m])
                        room[1, m] += volume[p] * (high[m] - value[p])
                for p in numbers_in(starts, t):
                    m = _number(places, origins, t, p, BY, BX, DIM)
                    if owed[m] > 0.0 and room[1, m] > 0.0:
                        value[p] += min(owed[m] / room[1, m], 1.0) * (high[m] - value[p])
                    elif owed[m] < 0.0 and room[0, m] > 0.0:
                        value[p] += min(-owed[m] / room[0, m], 1.0) * (low[m] - value[p])

    return run
