"""Which tiles exist (Cline figure 4), and the particles in the order of their tiles.

A tile exists if it holds a particle or lies within the buffer zone round a cell that does. Particles are brought
into tile order by a stable counting sort: few change tile in a step, and those that do are found through the old
tile's neighbours.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.carried import CARRIED
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.loops import chunk_range, chunk_slots, neighbour_number, numbers_in
from plash.grid.tiles import TILE_SHAPES, Shape, Tiles, dimension_of, pack, widened
from plash.particles.particles import Particles
from plash.timing import stage

_STRETCH = 2048  # particles that are brought into order row by row


@stage
def sort_particles(particles: Particles, buffer: int) -> NDArray[np.bool_]:
    """Bring particles into tile order on the tiles they need now; return which cells hold one, by slot.

    Args:
        particles: Sorted in place; `particles.tiles` are the tiles that exist from now on.
        buffer: Width in cells of the zone of air kept round every particle.
    """
    dimension = particles.dimension
    shape = TILE_SHAPES[dimension]
    occupied, firsts = _into_tile_order(particles, shape)
    marked = np.zeros((len(occupied), *shape), np.bool_)
    extent = np.zeros((len(occupied), 3, 2), np.int32)
    _mark_cells(shape)(particles.cell, firsts, marked, extent, chunk_count())

    keys = with_buffer(occupied, extent, buffer, shape)
    old = particles.tiles
    if old is None or not np.array_equal(old.keys, keys):
        particles.tiles = Tiles.of_keys(keys, dimension)
    tiles = particles.tiles
    assert tiles is not None
    slots = tiles.slots_of(occupied)
    counts = np.zeros(tiles.count + 2, np.int64)
    counts[slots + 1] = np.diff(firsts)
    particles.starts = np.cumsum(counts)
    by_slot = np.zeros((tiles.count + 1, *shape), np.bool_)
    by_slot[slots] = marked
    return by_slot


def sort_onto(particles: Particles, tiles: Tiles, buffer: int) -> None:
    """Bring particles into the order of some tiles and of those that they need themselves.

    Args:
        particles: Sorted in place; `particles.tiles` are all of these, the very same as before if they are alike.
        tiles: Tiles that exist whether particles are there or not.
        buffer: Width in cells of the zone of air kept round every particle.
    """
    before, own, counts = particles.tiles, np.zeros(0, np.int64), np.zeros(0, np.int64)
    if particles.count:
        sort_particles(particles, buffer)
        assert particles.tiles is not None
        own, counts = particles.tiles.keys, np.diff(particles.starts)[1:]
    keys = np.union1d(tiles.keys, own)
    if len(keys) > tiles.count:
        tiles = (
            before
            if before is not None and np.array_equal(before.keys, keys)
            else Tiles.of_keys(keys, particles.dimension)
        )
    starts = np.zeros(tiles.count + 2, np.int64)
    starts[tiles.slots_of(own) + 1] = counts
    particles.tiles, particles.starts = tiles, np.cumsum(starts)


def _into_tile_order(particles: Particles, shape: Shape) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort every array by tile; returns the keys of the tiles that hold particles and where each one's begin."""
    old, chunks = particles.tiles, chunk_count()
    if old is None:
        keys, group = _tiles_of(particles.cell, shape)
        bounds = np.linspace(0, particles.count, chunks + 1).astype(np.int64)
        counts = np.zeros((chunks, len(keys)), np.int64)
        _count(group, bounds, counts, chunks)
        return keys, _reorder(particles, group, bounds, counts)

    # Chunks of whole old tiles: most particles are where they were, or next door
    bounds = particles.starts[1 + np.arange(chunks + 1) * old.count // chunks]
    group = np.empty(particles.count, np.int32)
    counts = np.zeros((chunks, old.count + 1), np.int64)
    find = _find_slots(shape)
    find(particles.cell, particles.starts, old.coordinates, old.neighbours, group, counts, chunks)
    if counts[:, 0].any():
        particles.tiles = None
        return _into_tile_order(particles, shape)
    firsts = _reorder(particles, group, bounds, counts)
    is_occupied = np.diff(firsts) > 0
    is_occupied[0] = False
    return old.keys[is_occupied[1:]], np.concatenate([firsts[:-1][is_occupied], firsts[-1:]])


def _tiles_of(cell: NDArray[np.int32], shape: Shape) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The keys of the tiles that hold cells, in order, and the place of each cell's tile among them.

    Tiles that do not lie far apart are counted in the box round them, which takes less time than to sort them.
    """
    coordinates = np.zeros((3, cell.shape[1]), np.int64)
    for axis in range(len(cell)):
        coordinates[axis] = cell[axis] // shape[2 - axis]
    low = coordinates.min(axis=1, initial=0)
    extent = coordinates.max(axis=1, initial=0) - low + 1
    if float(np.prod(extent, dtype=np.float64)) > 4 * cell.shape[1]:
        keys, place = np.unique(pack(coordinates.T), return_inverse=True)
        return keys, place.astype(np.int32)
    number = np.ravel_multi_index(tuple(coordinates - low[:, None]), tuple(extent))
    found = np.flatnonzero(np.bincount(number, minlength=int(np.prod(extent))))
    keys = pack(np.stack(np.unravel_index(found, tuple(extent)), axis=1) + low)
    order = np.argsort(keys)
    place = np.zeros(int(np.prod(extent)), np.int32)
    place[found[order]] = np.arange(len(found), dtype=np.int32)
    return keys[order], place[number]


def _reorder(
    particles: Particles, group: NDArray[np.int32], bounds: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Stable counting sort of every array by group; returns where each group begins, and the end.

    Args:
        particles: Sorted in place.
        group: Of each particle.
        bounds: Particles of chunk c are bounds[c] ... bounds[c+1]-1.
        counts: Particles by chunk and group.
    """
    chunks = len(counts)
    firsts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    places = firsts[:-1] + np.cumsum(counts, axis=0) - counts
    order = np.empty(particles.count, np.uint32)
    _place(group, bounds, places, order, chunks)
    for name, quantity in CARRIED.items():
        values = getattr(particles, name)
        if quantity.is_momentary:
            setattr(particles, name, quantity.at_start_like(values))
        elif values.size:
            ordered = np.empty_like(values)
            _take(values.reshape(-1, len(order)), order, ordered.reshape(-1, len(order)), chunks)
            setattr(particles, name, ordered)
    return firsts


def with_buffer(keys: NDArray[np.int64], extent: NDArray[np.int32], buffer: int, shape: Shape) -> NDArray[np.int64]:
    """Keys of all tiles within a buffer of the occupied cells, whose extent in each tile is given."""
    near = np.ones((1, 1, 1, len(keys)), np.bool_)
    rings = [-(-buffer // size) if size > 1 else 0 for size in shape[::-1]]
    for axis, (size, ring) in enumerate(zip(shape[::-1], rings, strict=True)):
        away = np.arange(-ring, ring + 1)[:, None]
        gap = np.where(away < 0, extent[:, axis, 0] + 1, size - extent[:, axis, 1]) + (np.abs(away) - 1) * size
        along = [1, 1, 1, len(keys)]
        along[axis] = len(away)
        near = near & ((away == 0) | (gap <= buffer)).reshape(along)
    *away_by_axis, tile = np.nonzero(near)
    return np.unique(widened(keys[tile], np.stack(away_by_axis, axis=-1) - rings))


@for_tile_shape
def _find_slots(shape: Shape) -> Kernel:
    DIM = dimension_of(shape)
    LOG = shape[2].bit_length() - 1

    @kernel
    def run(cell, starts, coordinates, neighbours, group, counts, chunks):
        n = len(coordinates) - 1
        for c in prange(chunks):
            for t in chunk_slots(c, chunks, n):
                for p in numbers_in(starts, t):
                    dx = (cell[0, p] >> LOG) - coordinates[t, 0]
                    dy = (cell[1, p] >> LOG) - coordinates[t, 1]
                    dz = 0
                    if DIM == 3:
                        dz = (cell[2, p] >> LOG) - coordinates[t, 2]
                    s = 0
                    if abs(dx) <= 1 and abs(dy) <= 1 and abs(dz) <= 1:
                        s = neighbours[t, neighbour_number(dx, dy, dz)]
                    group[p] = s
                    counts[c, s] += 1

    return run


@kernel
def _count(group, bounds, counts, chunks):
    for c in prange(chunks):
        for p in numbers_in(bounds, c):
            counts[c, group[p]] += 1


@kernel
def _place(group, bounds, places, order, chunks):
    for c in prange(chunks):
        place = places[c]
        for p in numbers_in(bounds, c):
            g = np.uint32(group[p])
            order[np.uint64(place[g])] = p
            place[g] += 1


@kernel
def _take(rows, order, result, chunks):
    n = len(order)
    for c in prange(chunks):
        last = (c + 1) * n // chunks
        # A stretch of the order stays in the cache while all rows are taken in it
        for first in range(c * n // chunks, last, _STRETCH):
            stretch = order[first : min(first + _STRETCH, last)]
            for row in range(len(rows)):
                values, ordered = rows[row], result[row, first:]
                for k in range(len(stretch)):
                    ordered[k] = values[stretch[k]]


@for_tile_shape
def _mark_cells(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(cell, firsts, marked, extent, chunks):
        n = len(marked)
        for c in prange(chunks):
            for i in chunk_range(c, chunks, n):
                for p in numbers_in(firsts, i):
                    z = cell[2, p] & (BZ - 1) if DIM == 3 else 0
                    marked[i, z, cell[1, p] & (BY - 1), cell[0, p] & (BX - 1)] = True
                for axis in range(3):
                    extent[i, axis, 0] = 1000
                    extent[i, axis, 1] = -1
                for z in range(BZ):
                    for y in range(BY):
                        for x in range(BX):
                            if marked[i, z, y, x]:
                                extent[i, 0, 0] = min(extent[i, 0, 0], x)
                                extent[i, 0, 1] = max(extent[i, 0, 1], x)
                                extent[i, 1, 0] = min(extent[i, 1, 0], y)
                                extent[i, 1, 1] = max(extent[i, 1, 1], y)
                                extent[i, 2, 0] = min(extent[i, 2, 0], z)
                                extent[i, 2, 1] = max(extent[i, 2, 1], z)

    return run
