"""Particles give part of what they carry to those round them, as if it spread: c_p <- (1 - a) c_p + a Σ w C.

C is the mean at cell centres, by the volumes V of particles and the hats w of `scalars.py`, Σ w = 1:

    m = Σ V w ,    C = Σ V w c_p / m ,    so Σ V Σ w C = Σ m C = Σ V c_p

What a particle gets is a mean of what those less than two cells away have: no new extreme is made, Σ V c stays, and
nothing is solved for. One exchange with a = 1 carries by a hat to the centres and by another one back. A hat has the
variance s (h - s) along an axis for a particle at a distance s from the next centre, h²/6 in the mean where particles
lie evenly. So an exchange is diffusion for a time t with κ t = <s (h - s)>, nearly exactly, for two hats after each
other are nearly a Gaussian. A share a of it is diffusion for that share of the time.

No hat reaches across a closed face, so liquid on the other side of a thin wall keeps what it has.

Reference: Zhu & Bridson 2005 (PIC).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import add_block, block_sizes, copy_block
from plash.grid.cells import SOLID, WALL, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import chunk_range, corner_step, numbers_in, stride
from plash.grid.sample import cell_and_share, corner_weight
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import last_place, place_in_block
from plash.timing import stage

Array = NDArray[np.float64]

_TOUCHED = 1e-6  # the least part of a hat that counts


def reach_of_exchange(particles: Particles) -> float:
    """κ t/h² of an exchange of all that particles have, by where they lie in their cells: 1/6 if they lie evenly."""
    away = np.abs(particles.places.offset - np.float32(0.5))
    return float((away * (1 - away)).mean(dtype=np.float64))


@stage
def means_of_rows(particles: Particles, rows: Array, cells: Cells) -> tuple[Array, Array]:
    """Mean of each row of values of sorted particles at the centres of cells that are not solid, by their volumes.

    Returns:
        The means [row, slot, z, y, x], zero where no particle tells, and the volume of what was averaged, in cells.
    """
    tiles = cells.tiles
    total, volume = np.zeros((len(rows), *cells.label.shape)), np.zeros(cells.label.shape)
    scatter = _scatter(tiles.shape, len(rows), cells.cut_cells is not None)
    held, walls = _Held(rows, particles.volume), _Walls(cells.label, cells.faces)
    for colour in tiles.colours:
        busy = colour[particles.starts[colour + 1] > particles.starts[colour]]
        scatter(particles.places, held, particles.in_tiles(tiles), busy, walls, _Found(total, volume), chunk_count())
    return np.divide(total, volume, out=total, where=volume > 0), volume


@stage
def take_means(particles: Particles, rows: Array, means: Array, cells: Cells, share: float) -> None:
    """Bring particles by a share of the way to the mean [row, slot, z, y, x] of the cells round them.

    Args:
        particles: As they were when the means were taken.
        rows: Of each particle; is changed.
        means: Of these values, or what has become of them.
        cells: Those of the means.
        share: How much of its own value a particle loses, 0 to 1.
    """
    tiles = cells.tiles
    busy = (np.flatnonzero(np.diff(particles.starts[1:])) + 1).astype(np.int32)
    held, walls = _Held(rows, particles.volume), _Walls(cells.label, cells.faces)
    gather = _gather(tiles.shape, len(rows), cells.cut_cells is not None)
    gather(particles.places, held, particles.in_tiles(tiles), busy, walls, means, share, chunk_count())


class _Held(NamedTuple):
    """What particles have."""

    rows: Array
    volume: NDArray[np.float32]


class _Walls(NamedTuple):
    """Labels of cells and bits of faces."""

    label: NDArray[np.int8]
    faces: NDArray[np.uint8]


class _Found(NamedTuple):
    """Sums by cell of V w c for each row, and of V w."""

    total: Array
    volume: Array


class _Around(NamedTuple):
    """What is round the particles of a tile: labels and closed faces in its block."""

    label: NDArray[np.int8]
    closed: NDArray[np.uint8]


@inlined_plainly
def _look_round(around, walls, neighbours, t, CUT, DIM, BZ, BY, BX):
    """Copy what is round a tile; returns whether any of it may keep a hat from reaching a centre."""
    copy_block(around.label, walls.label, neighbours, t, 1, BZ, BY, BX)
    if CUT:
        for axis in range(DIM):
            copy_block(around.closed[axis], walls.faces[axis], neighbours, t, 1, BZ, BY, BX)
    is_narrow = CUT
    for m in range(len(around.label)):
        is_narrow = is_narrow or around.label[m] == SOLID
    return is_narrow


@inlined_plainly
def _number(corner, PY, PX):
    """How much further in a block than the first of the cells round a particle a corner of them is."""
    a, b, c = corner_step(corner)
    return (c * PY + b) * PX + a


@inlined_plainly
def _is_shut_off(around, corner, first, own, PY, PX, DIM):
    """Whether a closed face lies between the cell that a particle is in and a corner of those round it."""
    m = np.int64(first) + _number(own, PY, PX)
    for axis in range(DIM):
        there, here = corner >> axis & 1, own >> axis & 1
        if there != here:
            across = stride(axis, PY, PX)
            if around.closed[axis, m + across * there] & WALL:
                return True
            m += across * (there - here)
    return False


@inlined_plainly
def _hats(weights, around, is_narrow, places, at, PY, PX, DIM):
    """Fill in the weights of the cells round a particle; returns the first of them in the block, and if any has one.

    Solid cells have none, nor those beyond a closed face; the others have one in sum.
    """
    origins, t, p, LAST = at
    half = np.float32(0.5)
    i, fx = cell_and_share(place_in_block(places.cell, places.offset, origins, t, p, 0, LAST) - half)
    j, fy = cell_and_share(place_in_block(places.cell, places.offset, origins, t, p, 1, LAST) - half)
    k, fz = np.int32(0), np.float32(0)
    if DIM == 3:
        k, fz = cell_and_share(place_in_block(places.cell, places.offset, origins, t, p, 2, LAST) - half)
    first = np.uint64(np.uint32((k * np.int32(PY) + j) * np.int32(PX) + i))
    for corner in range(1 << DIM):
        weights[corner] = corner_weight(corner, np.float64(fx), np.float64(fy), np.float64(fz), DIM == 2)
    if not is_narrow:
        return first, True
    own = (1 if fx >= half else 0) + (2 if fy >= half else 0) + (4 if fz >= half else 0)
    total = 0.0
    for corner in range(1 << DIM):
        m = first + np.uint64(_number(corner, PY, PX))
        if around.label[m] == SOLID or _is_shut_off(around, corner, first, own, PY, PX, DIM):
            weights[corner] = 0.0
        total += weights[corner]
    if total < _TOUCHED:
        return first, False
    for corner in range(1 << DIM):
        weights[corner] /= total
    return first, True


@for_tile_shape
def _scatter(shape: Shape, rows: int, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    LAST = last_place(BX)
    ROWS = rows
    CUT = is_cut

    @kernel
    def run(places, held, in_tiles, tiles, walls, found, chunks):
        starts, origins, neighbours, _ = in_tiles
        values, volumes = held
        n = len(tiles)
        for c in prange(chunks):
            around = _Around(np.zeros(SIZE, np.int8), np.zeros((DIM, SIZE), np.uint8))
            sums = np.zeros((ROWS + 1) * SIZE)
            weights = np.zeros(8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                is_narrow = _look_round(around, walls, neighbours, t, CUT, DIM, BZ, BY, BX)
                sums[:] = 0.0
                for p in numbers_in(starts, t):
                    at = (origins, t, p, LAST)
                    first, is_known = _hats(weights, around, is_narrow, places, at, PY, PX, DIM)
                    if not is_known:
                        continue
                    v = np.float64(volumes[p])
                    for corner in range(1 << DIM):
                        w = v * weights[corner]
                        m = np.uint64(ROWS + 1) * (first + np.uint64(_number(corner, PY, PX)))
                        for row in range(ROWS):
                            sums[m + np.uint64(row)] += w * values[row, p]
                        sums[m + np.uint64(ROWS)] += w
                for row in range(ROWS):
                    add_block(sums, row, ROWS + 1, found.total[row], neighbours, t, BZ, BY, BX)
                add_block(sums, ROWS, ROWS + 1, found.volume, neighbours, t, BZ, BY, BX)

    return run


@for_tile_shape
def _gather(shape: Shape, rows: int, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    LAST = last_place(BX)
    ROWS = rows
    CUT = is_cut

    @kernel
    def run(places, held, in_tiles, tiles, walls, means, share, chunks):
        starts, origins, neighbours, _ = in_tiles
        values, _ = held
        n = len(tiles)
        for c in prange(chunks):
            around = _Around(np.zeros(SIZE, np.int8), np.zeros((DIM, SIZE), np.uint8))
            blocks = np.zeros((ROWS, SIZE))
            weights = np.zeros(8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                is_narrow = _look_round(around, walls, neighbours, t, CUT, DIM, BZ, BY, BX)
                for row in range(ROWS):
                    copy_block(blocks[row], means[row], neighbours, t, 1, BZ, BY, BX)
                for p in numbers_in(starts, t):
                    at = (origins, t, p, LAST)
                    first, is_known = _hats(weights, around, is_narrow, places, at, PY, PX, DIM)
                    if not is_known:
                        continue
                    for row in range(ROWS):
                        value = 0.0
                        for corner in range(1 << DIM):
                            value += weights[corner] * blocks[row, first + np.uint64(_number(corner, PY, PX))]
                        values[row, p] += share * (value - values[row, p])

    return run
