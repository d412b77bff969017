"""Which share of the space round each lattice sample is filled with liquid.

    f = Σ V_p W(x - x_p) / S ,     W a product of hats (1 - |s|/h)/h ,     S the part of W that is open to liquid

A hat of width h with its corners on the lattice is a sum of hats as wide as the lattice spacing. So particles are
added to the 2^d samples round them, and filters with three entries do the rest, for the liquid and for the
space open to it alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import add_row, block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.lanes import add_four, times
from plash.grid.loops import chunk_range, neighbour_number, row_start
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.grid.whole_arrays import cleared_like
from plash.particles.particles import Particles
from plash.particles.positions import BATCH
from plash.particles.surface import distance_of_excess

# Filters (neighbour, centre, neighbour) that make hats of width h from hats of width h/detail
_WIDENING = {
    1: [],
    2: [(0.25, 0.5)],
    3: [(1 / 3, 1 / 3), (1 / 3, 1 / 3)],
    4: [(0.25, 0.5), (0.5, 0.0), (0.5, 0.0)],
}
_SOFTENING = {1: 0, 2: 1, 3: 2, 4: 4}  # further rounds of (1/4, 1/2, 1/4): particles are not evenly spread
_LEAST_OPEN = 1e-3  # of the space round a sample: where less is open, nothing is said about it


def reach(detail: int) -> int:
    """How many spacings from a particle samples can matter: as far as the filters see twice."""
    return 2 * detail + _SOFTENING[detail]


def scattered_volume(particles: Particles, tiles: Tiles) -> NDArray[np.float32]:
    """Volume shared among the samples round each particle; particles are in tile order."""
    pools = np.zeros((1, tiles.count + 1, *tiles.shape), np.float32)
    _add_scattered(pools, particles, tiles, np.zeros((0, particles.count), np.float32), tiles.slots)
    return pools


def scattered(particles: Particles, tiles: Tiles) -> NDArray[np.float32]:
    """Volume times velocity, shared alike; by axis."""
    pools = np.zeros((tiles.dimension, tiles.count + 1, *tiles.shape), np.float32)
    _add_scattered(pools, particles, tiles, particles.velocity, tiles.slots)
    return pools


def carried_near(
    particles: Particles, tiles: Tiles, names: tuple[str, ...], detail: int, is_wanted: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Volume times velocity and other quantities, seen with the width of a cell; right in some tiles only.

    Args:
        particles: In tile order.
        tiles: Where samples are.
        names: Of the other quantities that they carry.
        detail: Samples along the edge of a cell.
        is_wanted: The tiles, marked by slot.
    """
    # All filters together see less than a tile far, and a particle is shared among samples of tiles that touch its own
    near = _with_neighbours(tiles, is_wanted)
    values = particles.velocity
    if names:
        values = np.concatenate([values, *(getattr(particles, name)[None] for name in names)])
    pools = np.zeros((len(values), tiles.count + 1, *tiles.shape), np.float32)
    reaching = tiles.slots[_with_neighbours(tiles, near)[1:]]
    _add_scattered(pools, particles, tiles, values, reaching)
    return _widened(tiles, pools, detail, tiles.slots[near[1:]], cleared_like)


def _with_neighbours(tiles: Tiles, is_marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Marks, by slot, of some tiles and all that touch them."""
    near = np.zeros(tiles.count + 1, np.bool_)
    near[tiles.neighbours[is_marked]] = True
    return near


def _add_scattered(
    pools: NDArray[np.float32],
    particles: Particles,
    tiles: Tiles,
    values: NDArray[np.float32],
    slots: NDArray[np.int32],
) -> None:
    """Add to samples the volume of the particles in some tiles times values (k, n), or the volume if there are none."""
    is_busy = np.zeros(tiles.count + 1, np.bool_)
    is_busy[slots] = np.diff(particles.starts)[slots] > 0
    scatter, places, in_tiles = _scatter(tiles.shape, len(values) > 0), particles.places, particles.in_tiles(tiles)
    for colour in tiles.colours:
        scatter(places, particles.volume, values, in_tiles, colour[is_busy[colour]], pools, chunk_count())


def widened(
    tiles: Tiles, pools: NDArray[np.float32], detail: int, slots: NDArray[np.int32] | None = None
) -> NDArray[np.float32]:
    """Pools summed over the samples round each, with weights that make hats as wide as a cell, and a little softer.

    Args:
        tiles: Where samples are.
        pools: Their values, by quantity.
        detail: Samples along the edge of a cell.
        slots: Tiles that are not the same all round; all, if not said otherwise.
    """
    if slots is None or len(slots) == tiles.count:
        return _widened(tiles, pools, detail, tiles.slots, np.empty_like)
    return _widened(tiles, pools, detail, slots, np.copy)


def _widened(
    tiles: Tiles,
    pools: NDArray[np.float32],
    detail: int,
    slots: NDArray[np.int32],
    made: Callable[[NDArray[np.float32]], NDArray[np.float32]],
) -> NDArray[np.float32]:
    """Pools after all filters, in some tiles; what is elsewhere is as it was made."""
    run = _filter(tiles.shape)
    for side, centre in _WIDENING[detail] + [(0.25, 0.5)] * _SOFTENING[detail]:
        result = made(pools)
        result[:, 0] = pools[:, 0]
        run(pools, result, tiles.neighbours, slots, np.float32(side), np.float32(centre), chunk_count())
        pools = result
    return pools


def opened_round(tiles: Tiles, share: NDArray[np.float32], detail: int) -> NDArray[np.float32]:
    """The open part of the space that each sample's hat sees, from the part of each sample's own."""
    least = np.ones(tiles.count + 1, np.float32)
    _find_least(share, least, chunk_count())
    near = tiles.slots[(least[tiles.neighbours[1:]] < 1).any(axis=1)]
    opened: NDArray[np.float32] = widened(tiles, share[None], detail, near)[0]
    return opened


@kernel
def _find_least(pool, least, chunks):
    n = len(pool)
    size = pool[0].size
    for c in prange(chunks):
        for t in chunk_range(c, chunks, n):
            row = pool[t].reshape(size)
            lowest = row[0]
            for m in range(size):
                lowest = min(lowest, row[m])
            least[t] = lowest


def distance_of_fill(filled: NDArray[np.float32], opened: NDArray[np.float32], detail: int) -> NDArray[np.float32]:
    """Distance to the surface in lattice spacings, from the share of space that is filled; exact for a flat one.

    φ = -h sgn(q) (1 - √(1 - |q|)) with q = 2f - 1.
    """
    phi = np.empty_like(filled)
    _set_distance(filled.ravel(), opened.ravel(), np.float32(detail), phi.reshape(-1), chunk_count())
    return phi


@kernel
def _set_distance(filled, opened, detail, phi, chunks):
    n = len(phi)
    one, least = np.float32(1), np.float32(_LEAST_OPEN)
    for c in prange(chunks):
        for m in chunk_range(c, chunks, n):
            share = filled[m] / max(opened[m], least) if opened[m] > least else np.float32(0)
            q = np.float32(2) * min(share, one) - one
            phi[m] = distance_of_excess(q, detail)


@for_tile_shape
def _scatter(shape: Shape, with_values: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    DEPTH = 1 if BZ == 1 else 2
    SIZE = PZ * PY * PX
    WITH_VALUES = with_values
    LANES = 4 if with_values else 1  # values are added four at a time

    @kernel
    def run(places, volume, values, in_tiles, tiles, pools, chunks):
        cell, offset = places
        starts, origins, neighbours, _ = in_tiles
        n, rows = len(tiles), len(values)
        one, zero = np.float32(1), np.float32(0)
        groups = (rows + 3) // 4 if WITH_VALUES else 1
        for c in prange(chunks):
            block = np.empty((groups, LANES * SIZE), np.float32)
            carried = np.zeros((4 * groups, BATCH), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                block[:] = zero
                for first in range(np.uint64(starts[t]), np.uint64(starts[t + 1]), np.uint64(BATCH)):
                    size = min(np.uint64(BATCH), np.uint64(starts[t + 1]) - first)
                    for row in range(rows):
                        for b in range(size):
                            carried[row, b] = values[row, first + b]
                    for b in range(size):
                        p = first + b
                        fx, fy, fz = offset[0, p], offset[1, p], zero
                        o = (cell[1, p] - origins[t, 1] + 1) * PX + cell[0, p] - origins[t, 0] + 1
                        if DIM == 3:
                            fz = offset[2, p]
                            o += (cell[2, p] - origins[t, 2] + 1) * PY * PX
                        for depth in range(DEPTH):
                            wz = volume[p]
                            if DIM == 3:
                                wz *= fz if depth == 1 else one - fz
                            for row in range(2):
                                wy = wz * (fy if row == 1 else one - fy)
                                for column in range(2):
                                    w = wy * (fx if column == 1 else one - fx)
                                    m = np.uint64(LANES) * np.uint64(o + depth * PY * PX + row * PX + column)
                                    if not WITH_VALUES:
                                        block[0, m] += w
                                        continue
                                    for g in range(groups):
                                        first_row, second = np.uint64(4 * g), np.uint64(4 * g + 1)
                                        third, fourth = np.uint64(4 * g + 2), np.uint64(4 * g + 3)
                                        held = (
                                            carried[first_row, b],
                                            carried[second, b],
                                            carried[third, b],
                                            carried[fourth, b],
                                        )
                                        add_four(block[g], m, times(held, w))
                for k in range(len(pools)):
                    _add_block(block[k // LANES], k % LANES, LANES, pools[k], neighbours[t], BZ, BY, BX)

    return run


@inlined_plainly
def _add_block(block, lane, lanes, pool, beside, BZ, BY, BX):
    """Add one lane of a block of halo 1 to a tile and its neighbours upwards; nothing was added below."""
    HZ = 1 if BZ > 1 else 0
    first = np.uint64(0)
    for z in range(BZ + HZ):
        for y in range(BY + 1):
            row = np.uint64(neighbour_number(0, int(y == BY), int(z == BZ)))
            u = np.uint64(0 if z == BZ else z)
            v = np.uint64(0 if y == BY else y)
            o = np.uint64(lanes * row_start(z, y, HZ, BY + 2, BX + 2) + lane)
            s = np.uint64(beside[row])
            if s > 0:
                add_row(pool[s, u, v], block, o, lanes, BX)
            s = np.uint64(beside[row + np.uint64(1)])
            if s > 0:
                pool[s, u, v, first] += block[o + np.uint64(lanes * BX)]


@for_tile_shape
def _filter(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    LAYER = PY * PX

    @kernel
    def run(pools, result, neighbours, slots, side, centre, chunks):
        n = len(slots)
        for c in prange(chunks):
            one = np.zeros(SIZE, np.float32)
            two = np.zeros(SIZE, np.float32)
            for k in range(len(pools)):
                for m in chunk_range(c, chunks, n):
                    t = slots[m]
                    copy_block(one, pools[k], neighbours, t, 1, BZ, BY, BX)
                    for m in range(1, SIZE - 1):
                        two[m] = centre * one[m] + side * (one[m - 1] + one[m + 1])
                    for m in range(PX, SIZE - PX):
                        one[m] = centre * two[m] + side * (two[m - PX] + two[m + PX])
                    if HZ > 0:
                        for m in range(LAYER, SIZE - LAYER):
                            two[m] = centre * one[m] + side * (one[m - LAYER] + one[m + LAYER])
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            row = result[k, t, z, y]
                            for x in range(BX):
                                row[x] = two[o + x] if HZ > 0 else one[o + x]

    return run
