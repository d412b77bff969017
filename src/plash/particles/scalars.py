"""Scalars that particles carry, such as their temperature: to cell centres, and changes of them back.

Each particle spreads its volume V over the cell centres round it by hats W. Of its hat counts what lies at cells that
are not solid, and that is made whole, so that no volume is lost at walls:

    w = W / Σ W ,    m_c = Σ V w ,    T_c = Σ V w T_p / m_c ,    so Σ m_c T_c = Σ V T_p

Back, every particle takes the change of the cells round it, T_p += Σ w δ, as in FLIP: what the grid does not resolve
stays. With δ = ΔT_c the sum Σ V T_p changes by Σ m_c ΔT_c exactly. But a particle that is the warmest of all could
become warmer still. So no particle is warmed beyond a bound B_c, which no new value of the cell is above, and what that
leaves over goes to the others in the cell, by how far they are from the bound:

    full = max(B_c - T_p, 0) ,    δ = min(ΔT_c, full) + λ_c (full - min(ΔT_c, full)) ,    0 ≤ λ_c ≤ 1

and likewise where it gets colder. Then T_p is a mean of what it was and of the bounds round it: no new extreme is made,
and not a joule is lost. λ_c ≤ 1 since Σ V w (B_c - T_p) ≥ m_c (B_c - T_c) ≥ m_c ΔT_c.

Reference: Zhu & Bridson 2005 (FLIP).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import add_block, block_sizes, copy_block
from plash.grid.cells import SOLID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range, corner_step, numbers_in, row_start
from plash.grid.sample import cell_and_share, corner_weight
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import last_place, place_in_block
from plash.timing import stage

Array = NDArray[np.float64]

_TOUCHED = 1e-6  # volume, in cells, from which particles tell what is at a cell centre; and the least part of a hat


@dataclass(frozen=True, eq=False)
class CellMeans:
    """The mean of a scalar at cell centres.

    Attributes:
        tiles: Where the cells are.
        value: The mean [slot, z, y, x]; NaN where no particle tells.
        volume: Of what was averaged, in cells; zero where no particle tells.
    """

    tiles: Tiles
    value: Array
    volume: Array

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Where particles tell."""
        return self.volume > 0


@stage
def cell_means(particles: Particles, values: Array, cells: Cells) -> CellMeans:
    """Mean of a scalar of sorted particles at the centres of cells that are not solid, by their volumes."""
    tiles = cells.tiles
    total, volume = np.zeros(cells.label.shape), np.zeros(cells.label.shape)
    scatter = _scatter(tiles.shape)
    carried = _Carried(values, particles.volume)
    for busy in _busy(particles, tiles):
        scatter(particles.places, carried, particles.in_tiles(tiles), busy, cells.label, total, volume, chunk_count())
    volume[volume < _TOUCHED] = 0.0
    value = np.divide(total, volume, out=np.full_like(total, np.nan), where=volume > 0)
    return CellMeans(tiles, value, volume)


@stage
def add_change(
    particles: Particles, values: Array, means: CellMeans, change: Array, bound: Array, cells: Cells
) -> None:
    """Add to a scalar of particles the change of its means, without new extremes and without loss.

    Args:
        particles: As they were when the means were taken.
        values: Of each particle; is changed.
        means: Of these values.
        change: Of the means; zero where it is not known.
        bound: What no particle is brought beyond by a cell: at least the new mean where that rises, at most where it
            falls.
        cells: Those of the means.
    """
    tiles = means.tiles
    given, room = np.zeros(change.shape), np.zeros(change.shape)
    measure = _measure_room(tiles.shape)
    wanted = _Wanted(change, bound)
    carried = _Carried(values, particles.volume)
    for busy in _busy(particles, tiles):
        where = particles.in_tiles(tiles), busy, cells.label
        measure(particles.places, carried, *where, wanted, _Measured(given, room), chunk_count())
    missing = means.volume * change - given
    share = np.divide(missing, room, out=np.zeros_like(room), where=room != 0)
    np.clip(share, 0.0, 1.0, out=share)
    occupied = (np.flatnonzero(np.diff(particles.starts[1:])) + 1).astype(np.int32)
    where = particles.in_tiles(tiles), occupied, cells.label
    _gather(tiles.shape)(particles.places, values, *where, wanted, share, chunk_count())


@stage
def bounds_of_change(means: CellMeans, change: Array) -> Array:
    """What no particle is brought beyond by a cell: the highest or lowest mean round it, before and after.

    The highest where the mean rises, the lowest where it falls; zero where it does neither.
    """
    tiles = means.tiles
    bound = np.zeros(change.shape)
    busy = (np.flatnonzero((change != 0).any(axis=(1, 2, 3)))).astype(np.int32)
    _find_bounds(tiles.shape)(means.value, change, tiles.neighbours, busy, bound, chunk_count())
    return bound


def _busy(particles: Particles, tiles: Tiles) -> list[NDArray[np.int32]]:
    """Tiles that hold particles, colour by colour."""
    return [colour[particles.starts[colour + 1] > particles.starts[colour]] for colour in tiles.colours]


class _Carried(NamedTuple):
    """What particles bring to the grid."""

    value: Array
    volume: NDArray[np.float32]


class _Wanted(NamedTuple):
    """What particles are to take from cells."""

    change: Array
    bound: Array


class _Measured(NamedTuple):
    """Sums of V w by cell: of what particles take at once, and of what they could take besides."""

    given: Array
    room: Array


@inlined
def _place(places, origins, t, p, LAST, DIM):
    """Cell before a particle and its shares, in the block of a tile, counted from the centre of its first cell."""
    half = np.float32(0.5)
    i, fx = cell_and_share(place_in_block(places.cell, places.offset, origins, t, p, 0, LAST) - half)
    j, fy = cell_and_share(place_in_block(places.cell, places.offset, origins, t, p, 1, LAST) - half)
    k, fz = np.int32(0), np.float32(0)
    if DIM == 3:
        k, fz = cell_and_share(place_in_block(places.cell, places.offset, origins, t, p, 2, LAST) - half)
    return i, j, k, np.float64(fx), np.float64(fy), np.float64(fz)


@inlined
def _hats(weights, numbers, label, place, PY, PX, THIN):
    """Fill in the weights of the cells round a place and their numbers in the block; returns how many there are.

    Solid ones have none, and the others one in sum; if all are solid there are none.
    """
    i, j, k, fx, fy, fz = place
    count = 4 if THIN else 8
    total = 0.0
    for corner in range(count):
        a, b, c = corner_step(corner)
        m = ((k + c) * PY + j + b) * PX + i + a
        w = corner_weight(corner, fx, fy, fz, THIN)
        weights[corner] = w if label[m] != SOLID else 0.0
        numbers[corner] = m
        total += weights[corner]
    if total < _TOUCHED:
        return 0
    for corner in range(count):
        weights[corner] /= total
    return count


@inlined
def _first_and_full(change, bound, value):
    """What a particle takes of a change at once, and all it could take up to the bound."""
    full = bound - value
    if change > 0.0:
        full = max(full, 0.0)
        return min(change, full), full
    if change < 0.0:
        full = min(full, 0.0)
        return max(change, full), full
    return 0.0, 0.0


@for_tile_shape
def _scatter(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    THIN = BZ == 1
    LAST = last_place(BX)

    @kernel
    def run(places, carried, in_tiles, tiles, label, total, volume, chunks):
        starts, origins, neighbours, _ = in_tiles
        n = len(tiles)
        for c in prange(chunks):
            labels = np.zeros(SIZE, np.int8)
            sums = np.zeros(SIZE)
            volumes = np.zeros(SIZE)
            weights = np.zeros(8)
            numbers = np.zeros(8, np.int64)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(labels, label, neighbours, t, 1, BZ, BY, BX)
                sums[:] = 0.0
                volumes[:] = 0.0
                for p in numbers_in(starts, t):
                    place = _place(places, origins, t, p, LAST, DIM)
                    v = np.float64(carried.volume[p])
                    for k in range(_hats(weights, numbers, labels, place, PY, PX, THIN)):
                        volumes[numbers[k]] += v * weights[k]
                        sums[numbers[k]] += v * weights[k] * carried.value[p]
                add_block(sums, 0, 1, total, neighbours, t, BZ, BY, BX)
                add_block(volumes, 0, 1, volume, neighbours, t, BZ, BY, BX)

    return run


@for_tile_shape
def _measure_room(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    THIN = BZ == 1
    LAST = last_place(BX)

    @kernel
    def run(places, carried, in_tiles, tiles, label, wanted, measured, chunks):
        starts, origins, neighbours, _ = in_tiles
        n = len(tiles)
        for c in prange(chunks):
            labels = np.zeros(SIZE, np.int8)
            change = np.zeros(SIZE)
            bound = np.zeros(SIZE)
            given = np.zeros(SIZE)
            room = np.zeros(SIZE)
            weights = np.zeros(8)
            numbers = np.zeros(8, np.int64)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(labels, label, neighbours, t, 1, BZ, BY, BX)
                copy_block(change, wanted.change, neighbours, t, 1, BZ, BY, BX)
                copy_block(bound, wanted.bound, neighbours, t, 1, BZ, BY, BX)
                given[:] = 0.0
                room[:] = 0.0
                for p in numbers_in(starts, t):
                    place = _place(places, origins, t, p, LAST, DIM)
                    v = np.float64(carried.volume[p])
                    for k in range(_hats(weights, numbers, labels, place, PY, PX, THIN)):
                        m = numbers[k]
                        first, full = _first_and_full(change[m], bound[m], carried.value[p])
                        given[m] += v * weights[k] * first
                        room[m] += v * weights[k] * (full - first)
                add_block(given, 0, 1, measured.given, neighbours, t, BZ, BY, BX)
                add_block(room, 0, 1, measured.room, neighbours, t, BZ, BY, BX)

    return run


@for_tile_shape
def _gather(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    THIN = BZ == 1
    LAST = last_place(BX)

    @kernel
    def run(places, value, in_tiles, tiles, label, wanted, share, chunks):
        starts, origins, neighbours, _ = in_tiles
        n = len(tiles)
        for c in prange(chunks):
            labels = np.zeros(SIZE, np.int8)
            change = np.zeros(SIZE)
            bound = np.zeros(SIZE)
            shares = np.zeros(SIZE)
            weights = np.zeros(8)
            numbers = np.zeros(8, np.int64)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(labels, label, neighbours, t, 1, BZ, BY, BX)
                copy_block(change, wanted.change, neighbours, t, 1, BZ, BY, BX)
                copy_block(bound, wanted.bound, neighbours, t, 1, BZ, BY, BX)
                copy_block(shares, share, neighbours, t, 1, BZ, BY, BX)
                for p in numbers_in(starts, t):
                    place = _place(places, origins, t, p, LAST, DIM)
                    low = high = value[p]
                    added = 0.0
                    for k in range(_hats(weights, numbers, labels, place, PY, PX, THIN)):
                        m = numbers[k]
                        first, full = _first_and_full(change[m], bound[m], value[p])
                        added += weights[k] * (first + shares[m] * (full - first))
                        if full != 0.0 and weights[k] > 0.0:
                            low = min(low, bound[m])
                            high = max(high, bound[m])
                    value[p] = min(max(value[p] + added, low), high)

    return run


@for_tile_shape
def _find_bounds(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX

    @kernel
    def run(value, change, neighbours, tiles, bound, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(SIZE)
            added = np.zeros(SIZE)
            high = np.zeros((2, SIZE))
            low = np.zeros((2, SIZE))
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(block, value, neighbours, t, 1, BZ, BY, BX)
                copy_block(added, change, neighbours, t, 1, BZ, BY, BX)
                for m in range(SIZE):
                    is_known = block[m] == block[m]
                    high[0, m] = block[m] + max(added[m], 0.0) if is_known else -np.inf
                    low[0, m] = block[m] + min(added[m], 0.0) if is_known else np.inf
                # Each axis in turn looks at both neighbours
                for m in range(1, SIZE - 1):
                    high[1, m] = max(high[0, m - 1], high[0, m], high[0, m + 1])
                    low[1, m] = min(low[0, m - 1], low[0, m], low[0, m + 1])
                for m in range(PX, SIZE - PX):
                    high[0, m] = max(high[1, m - PX], high[1, m], high[1, m + PX])
                    low[0, m] = min(low[1, m - PX], low[1, m], low[1, m + PX])
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            m = o + x
                            highest, lowest = high[0, m], low[0, m]
                            if HZ > 0:
                                highest = max(highest, high[0, m - PX * PY], high[0, m + PX * PY])
                                lowest = min(lowest, low[0, m - PX * PY], low[0, m + PX * PY])
                            rise = change[t, z, y, x]
                            bound[t, z, y, x] = 0.0 if rise == 0.0 else (highest if rise > 0.0 else lowest)

    return run
