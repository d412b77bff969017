"""How evenly particles fill space: where they are too dense or too sparse, and moving them apart.

A velocity without divergence keeps volume. Still particles drift together and apart, as they follow it with errors.
The fill fraction f tells: it should be 1 inside the liquid. Its error is the right-hand side of the density projection
(`physics/density_projection.py`), whose result moves particles here.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import LIQUID, NEAR_AIR, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, chunk_slots, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import split_position
from plash.timing import stage

_LARGEST_ERROR = 0.5
_LONGEST = 0.5  # displacement in a step, in cells
_BATCH = 128
_ROW = 8  # values summed by themselves first: not one long chain


@stage
def density_error(cells: Cells, target_fill: float = 1.0) -> NDArray[np.float64]:
    """Excess of liquid e = f - f_rest in liquid cells, within ±1/2; zero in other cells.

    In a cell with air round it only e > 0 counts: there f < 1 is how the surface is seen. A cell that a solid cuts
    has an excess only in its open share; where f is not known, there is none.
    """
    assert cells.fill is not None, "the fill fraction must be known"
    error = np.zeros(cells.label.shape)
    around, _ = cells.surroundings
    _find_error(cells.fill.pool, cells.label, around, cells.liquid_tiles, target_fill, error, chunk_count())
    if cells.cut_cells is not None:
        error[cells.liquid_tiles] *= cells.cut_cells.volume[cells.liquid_tiles]
    return error


def sum_of_squares(error: NDArray[np.float64], tiles: NDArray[np.int32]) -> float:
    """Over the cells of some tiles."""
    partial = np.zeros(len(tiles))
    _sum_squares(error.reshape(len(error), -1), tiles, partial, chunk_count())
    return float(partial.sum())


@stage
def displace_particles(particles: Particles, displacement: FaceField) -> None:
    """Move particles by a displacement given on faces in cells, by half a cell at most; velocities stay.

    Inside a cell each component is linear along its own axis, from the cell's one face to the other: the divergence
    there is that of the faces, so it removes each cell's own error. An unknown face takes the value of the opposite
    one; spray is not displaced. Afterwards particles may be up to half a cell outside the tile they are sorted into.
    """
    tiles = displacement.tiles
    places, in_tiles = particles.places, particles.in_tiles(tiles)
    _displace(tiles.shape)(places, particles.ballistic, in_tiles, displacement.pool, chunk_count())


@kernel
def _find_error(fill, label, around, tiles, target_fill, error, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            t = tiles[i]
            f, labels = fill[t].reshape(-1), label[t].reshape(-1)
            near, result = around[t].reshape(-1), error[t].reshape(-1)
            for m in range(len(f)):
                if labels[m] == LIQUID and f[m] == f[m]:
                    lowest = 0.0 if near[m] & NEAR_AIR else -_LARGEST_ERROR
                    result[m] = min(max(np.float64(f[m]) - target_fill, lowest), _LARGEST_ERROR)


@kernel
def _sum_squares(error, tiles, partial, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            values = error[tiles[i]]
            for first in range(0, len(values), _ROW):
                row = 0.0
                for m in range(first, first + _ROW):
                    row += values[m] * values[m]
                partial[i] += row


@for_tile_shape
def _displace(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    BATCH = _BATCH
    LONGEST = np.float32(_LONGEST)
    LEAST = np.float32(1e-20)  # so that no displacement is divided by zero

    @kernel
    def run(places, ballistic, in_tiles, field, chunks):
        cell, offset = places
        starts, origins, neighbours, _ = in_tiles
        n = len(origins) - 1
        one = np.float32(1)
        nothing = np.float32(0)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float32)
            lows = np.empty((DIM, BZ * BY * BX), np.float32)
            highs = np.empty((DIM, BZ * BY * BX), np.float32)
            place = np.zeros(BATCH, np.int32)
            step = np.zeros((3, BATCH), np.float32)
            factor = np.zeros(BATCH, np.float32)
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_cross(block, field[axis], neighbours, t, BZ, BY, BX)
                    ahead = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            m = (z * BY + y) * BX
                            for x in range(BX):
                                low, high = block[o + x], block[o + x + ahead]
                                # With one face unknown the other tells; with both there is no displacement
                                low = low if low == low else high
                                high = high if high == high else low
                                lows[axis, m + x] = low if low == low else nothing
                                highs[axis, m + x] = high if high == high else nothing
                for first in range(starts[t], starts[t + 1], BATCH):
                    size = min(BATCH, starts[t + 1] - first)
                    for k in range(size):
                        p = np.uint64(first + k)
                        m = (cell[1, p] - origins[t, 1]) * np.int32(BX) + cell[0, p] - origins[t, 0]
                        if DIM == 3:
                            m += (cell[2, p] - origins[t, 2]) * np.int32(BY * BX)
                        place[k] = m
                    for axis in range(DIM):
                        low_faces, high_faces, offsets = lows[axis], highs[axis], offset[axis, first:]
                        for k in range(size):
                            low = low_faces[np.uint32(place[k])]
                            step[axis, k] = low + offsets[k] * (high_faces[np.uint32(place[k])] - low)
                    for k in range(size):
                        square = step[0, k] * step[0, k] + step[1, k] * step[1, k] + step[2, k] * step[2, k]
                        factor[k] = min(LONGEST / np.sqrt(square + LEAST), one)
                    for k in range(size):
                        factor[k] = nothing if ballistic[np.uint64(first + k)] else factor[k]
                    for axis in range(DIM):
                        cells, offsets = cell[axis, first:], offset[axis, first:]
                        for k in range(size):
                            whole, rest = split_position(offsets[k] + factor[k] * step[axis, k])
                            cells[k] += whole
                            offsets[k] = rest

    return run
