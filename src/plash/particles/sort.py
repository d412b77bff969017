"""Which tiles exist (Cline figure 4), and the particles in the order of their tiles.

A tile exists if it holds a particle or lies within the buffer zone round a cell that does. Particles are brought into tile order by
a stable counting sort: few change tile in a step, and those that do are found through the old tile's neighbours.
"""

from __future__ import annotations

import itertools

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, for_tile_shape, kernel
from plash.grid.tiles import TILE_SHAPES, Shape, Tiles, pack, widened
from plash.particles.particles import Particles
from plash.stages import stage


@stage
def sort_particles(particles: Particles, buffer: int) -> NDArray[np.bool_]:
    """Bring particles into tile order on the tiles they need now; return which cells hold one, by slot.

    Args:
        particles: Sorted in place; `particles.tiles` are the tiles that exist from now on.
        buffer: Width in cells of the zone of air kept round every particle.
    """
    dimension = particles.dimension
    shape = TILE_SHAPES[dimension]
    occupied, group = _group_by_tile(particles, shape)
    firsts = _reorder(particles, group, len(occupied))
    marked = np.zeros((len(occupied), *shape), np.bool_)
    extent = np.zeros((len(occupied), 3, 2), np.int32)
    _mark_cells(shape)(particles.cell, firsts, marked, extent, chunk_count())

    keys = _with_buffer(occupied, extent, buffer, shape)
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


def _group_by_tile(particles: Particles, shape: Shape) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sorted keys of the tiles that hold particles, and for each particle the place of its tile among them."""
    old = particles.tiles
    if old is None:
        keys, group = np.unique(_tile_keys(particles.cell, shape), return_inverse=True)
        return keys, group.astype(np.int32)
    slot = np.empty(particles.count, np.int32)
    chunks = chunk_count()
    seen = np.zeros((chunks, old.count + 1), np.int64)
    find = _find_slots(shape)
    find(particles.cell, particles.starts, old.coordinates, old.neighbours, slot, seen, chunks)
    seen_once = seen.sum(axis=0)
    keys = old.keys[seen_once[1:] > 0]
    strays = np.flatnonzero(slot == 0) if seen_once[0] else np.zeros(0, np.int64)
    if len(strays):
        stray_keys = _tile_keys(particles.cell[:, strays], shape)
        keys = np.union1d(keys, stray_keys)
    place = np.zeros(old.count + 1, np.int32)
    place[1:] = np.searchsorted(keys, old.keys)
    group = place[slot]
    if len(strays):
        group[strays] = np.searchsorted(keys, stray_keys)
    return keys, group


def _tile_keys(cell: NDArray[np.int32], shape: Shape) -> NDArray[np.int64]:
    coordinates = np.zeros((cell.shape[1], 3), np.int64)
    for axis in range(len(cell)):
        coordinates[:, axis] = cell[axis] // shape[2 - axis]
    return pack(coordinates)


def _reorder(particles: Particles, group: NDArray[np.int32], groups: int) -> NDArray[np.int64]:
    """Stable counting sort of every array by group; returns where each group begins, and the end."""
    chunks = chunk_count()
    histogram = np.zeros((chunks, groups), np.int64)
    _count(group, histogram, chunks)
    totals = histogram.sum(axis=0)
    firsts = np.concatenate([[0], np.cumsum(totals)])
    histogram = firsts[:-1] + np.cumsum(histogram, axis=0) - histogram
    order = np.empty(particles.count, np.int64)
    _place(group, histogram, order, chunks)
    for name in ("cell", "offset", "velocity", "affine"):
        rows = getattr(particles, name)
        if len(rows):
            ordered = np.empty_like(rows)
            _take(rows, order, ordered, chunks)
            setattr(particles, name, ordered)
    volume = np.empty((1, particles.count), np.float32)
    _take(particles.volume[None], order, volume, chunks)
    particles.volume = volume[0]
    return firsts


def _with_buffer(
    keys: NDArray[np.int64], extent: NDArray[np.int32], buffer: int, shape: Shape
) -> NDArray[np.int64]:
    """Keys of all tiles within a buffer of the occupied cells, whose extent in each tile is given."""
    sizes = shape[::-1]
    rings = [-(-buffer // size) if size > 1 else 0 for size in sizes]
    needed = [keys]
    for offset in itertools.product(*(range(-ring, ring + 1) for ring in rings)):
        if not any(offset):
            continue
        near = np.ones(len(keys), np.bool_)
        for axis, d in enumerate(offset):
            if d < 0:
                near &= extent[:, axis, 0] + (-d - 1) * sizes[axis] + 1 <= buffer
            elif d > 0:
                near &= sizes[axis] - extent[:, axis, 1] + (d - 1) * sizes[axis] <= buffer
        if near.any():
            needed.append(widened(keys[near], np.array(offset, np.int64)))
    return np.unique(np.concatenate(needed))


@for_tile_shape
def _find_slots(shape: Shape):  # type: ignore[no-untyped-def]
    BZ, BY, BX = shape
    DIM = 2 if BZ == 1 else 3
    LOG = BX.bit_length() - 1

    @kernel
    def run(cell, starts, coordinates, neighbours, slot, seen, chunks):  # type: ignore[no-untyped-def]
        n = len(coordinates) - 1
        for c in prange(chunks):
            for t in range(1 + c * n // chunks, 1 + (c + 1) * n // chunks):
                for p in range(starts[t], starts[t + 1]):
                    dx = (cell[0, p] >> LOG) - coordinates[t, 0]
                    dy = (cell[1, p] >> LOG) - coordinates[t, 1]
                    dz = 0
                    if DIM == 3:
                        dz = (cell[2, p] >> LOG) - coordinates[t, 2]
                    s = 0
                    if abs(dx) <= 1 and abs(dy) <= 1 and abs(dz) <= 1:
                        s = neighbours[t, 13 + 9 * dz + 3 * dy + dx]
                    slot[p] = s
                    seen[c, s] += 1

    return run


@kernel
def _count(group, histogram, chunks):  # type: ignore[no-untyped-def]
    n = len(group)
    for c in prange(chunks):
        for p in range(c * n // chunks, (c + 1) * n // chunks):
            histogram[c, group[p]] += 1


@kernel
def _place(group, firsts, order, chunks):  # type: ignore[no-untyped-def]
    n = len(group)
    for c in prange(chunks):
        for p in range(c * n // chunks, (c + 1) * n // chunks):
            order[firsts[c, group[p]]] = p
            firsts[c, group[p]] += 1


@kernel
def _take(rows, order, result, chunks):  # type: ignore[no-untyped-def]
    n = len(order)
    for c in prange(chunks):
        for row in range(len(rows)):
            for p in range(c * n // chunks, (c + 1) * n // chunks):
                result[row, p] = rows[row, order[p]]


@for_tile_shape
def _mark_cells(shape: Shape):  # type: ignore[no-untyped-def]
    BZ, BY, BX = shape
    DIM = 2 if BZ == 1 else 3

    @kernel
    def run(cell, firsts, marked, extent, chunks):  # type: ignore[no-untyped-def]
        n = len(marked)
        for c in prange(chunks):
            for i in range(c * n // chunks, (c + 1) * n // chunks):
                for p in range(firsts[i], firsts[i + 1]):
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
