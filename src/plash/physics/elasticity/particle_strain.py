"""Strain that particles carry: to where stress is known, and new strain from there.

Back: ∇u at a particle is the mean of the samples round it, with linear weights w times their own (`samples.py`). Those
outside the liquid have none, so a particle at the surface reads only what is inside, and liquid that turns as a rigid
body does so for every particle. One beyond the last samples, in a cell that is less than half full, has none round it:
it reads those up to two cells away, with hats twice as wide. Without strain such particles made a body softer, by the
share of it that they are. Nothing is smeared: a particle's strain changes only by what happens to it.

To the grid: a particle brings its volume times its stress to the same samples, with the same weights, of sum 1.

Reference: Cline section 8; Jiang et al. 2015 for transfers by particles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import add_block, block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import chunk_range, corner_step, home_of
from plash.grid.sample import cell_and_share, corner_weight
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import last_place, place_in_block
from plash.physics.elasticity.rates import Rates
from plash.physics.elasticity.samples import Pool, StressSamples, edge_entry
from plash.physics.elasticity.tensor import (
    room_for_tensors,
    size_of,
    strain_along,
    strain_as_in_paper,
    yield_factor,
)
from plash.timing import stage

_TOUCHED = 1e-6  # volume, in cells, from which particles tell what a sample has; and the least weight of samples
_WIDE_2D, _WIDE_3D = 16, 64  # samples up to two cells away


class Constants(NamedTuple):
    """What liquid is made of, by particle: rows of one number for all particles, or of one for each.

    Attributes:
        rows: Shear modulus (Pa), yield strain, and yield rate (1/s).
    """

    rows: NDArray[np.float64]


@stage
def particle_load(particles: Particles, constants: Constants, samples: StressSamples, rho: float) -> Pool:
    """Elastic stress over density times the volume it has, in cells: [entry, slot, z, y, x], m²/s².

    At a wall that holds liquid only the part of a cell before it has particles. There the ratio makes up for it.
    """
    tiles = samples.tiles
    load = np.zeros_like(samples.share)
    brought = _Brought(particles.strain_tensor, particles.volume, 2 / rho * constants.rows[0])
    scatter = _scatter(tiles.shape)
    for colour in tiles.colours:
        busy = colour[particles.starts[colour + 1] > particles.starts[colour]]
        scatter(particles.places, brought, particles.in_tiles(tiles), busy, samples.share, load, chunk_count())
    load *= samples.ratio
    return load


@stage
def strain_particles(
    particles: Particles, constants: Constants, rates: Rates, samples: StressSamples, dt: float, how: StrainHow
) -> None:
    """Strain particles for dt (s) at the rates of the velocity, and let them yield."""
    tiles = samples.tiles
    busy = (np.flatnonzero(np.diff(particles.starts[1:])) + 1).astype(np.int32)
    given = _Given(rates.strain, rates.spin, samples.share)
    held = _Held(particles.strain_tensor, particles.strain[0], particles.ballistic, constants.rows)
    step = _Step(dt / how.h, dt, how.corotated)
    _strain(tiles.shape)(particles.places, held, particles.in_tiles(tiles), busy, given, step, chunk_count())


class StrainHow(NamedTuple):
    """How strain grows.

    Attributes:
        h: Cell size, m.
        corotated: Whether it turns with the flow, or grows as in the paper.
    """

    h: float
    corotated: bool


class _Brought(NamedTuple):
    """What particles bring to the grid; the scale is that of all, or of each."""

    strain: NDArray[np.float64]
    volume: NDArray[np.float32]
    scale: NDArray[np.float64]


class _Held(NamedTuple):
    """What particles have: tensors and their sizes; constants are those of all, or of each."""

    strain: NDArray[np.float64]
    sizes: NDArray[np.float32]
    ballistic: NDArray[np.bool_]
    constants: NDArray[np.float64]


class _Given(NamedTuple):
    """What particles take from the grid."""

    strain: Pool
    spin: Pool
    share: Pool


class _Step(NamedTuple):
    """How long the step is, in s and over the cell size, and whether strain turns."""

    scaled: float
    dt: float
    corotated: bool


@inlined_plainly
def _shift(entry, axis, DIM):
    """Where a sample of an entry lies in its cell along an axis: half-way, or at its start."""
    if entry < DIM:
        return np.float32(0.5)
    pair = entry - DIM  # xy, xz, yz
    left_out = 2 - pair if DIM == 3 else 2
    return np.float32(0.5) if axis == left_out else np.float32(0)


@inlined_plainly
def _place(x, y, z, entry, DIM):
    """Sample before a place in a block, and the shares beyond it."""
    i, fx = cell_and_share(x - _shift(entry, 0, DIM))
    j, fy = cell_and_share(y - _shift(entry, 1, DIM))
    k, fz = np.int32(0), np.float32(0)
    if DIM == 3:
        k, fz = cell_and_share(z - _shift(entry, 2, DIM))
    return i, j, k, fx, fy, fz


@inlined_plainly
def _surround(corners, numbers, place, PY, PX, THIN):
    """Find the linear weights of the samples round a place, and their numbers in the block."""
    i, j, k, fx, fy, fz = place
    for corner in range(4 if THIN else 8):
        a, b, d = corner_step(corner)
        corners[corner] = np.float64(corner_weight(corner, fx, fy, fz, THIN))
        numbers[corner] = ((k + d) * PY + j + b) * PX + i + a


@inlined_plainly
def _weigh(weights, corners, numbers, share, THIN):
    """Set weights to those of the samples round a place times their own; returns their sum."""
    total = 0.0
    for corner in range(4 if THIN else 8):
        w = corners[corner] * share[numbers[corner]]
        weights[corner] = w
        total += w
    return total


@inlined_plainly
def _wide_weight(step, f):
    """Weight of the sample so many before (0), at or after the one at 1, in a hat two cells to either side."""
    return 1.0 - 0.5 * abs(step - 1 - np.float64(f))


@inlined_plainly
def _weigh_widely(weights, homes, share, near, place, BZ, BY, BX):
    """The same of samples up to two cells from a place in the tile near[1], with the slot, z, y and x of each."""
    neighbours, t = near
    i, j, k, fx, fy, fz = place
    total = 0.0
    for n in range(_WIDE_2D if BZ == 1 else _WIDE_3D):
        a, b, d = n & 3, (n >> 2) & 3, n >> 4
        w = _wide_weight(a, fx) * _wide_weight(b, fy)
        if BZ > 1:
            w *= _wide_weight(d, fz)
        slot, x, y, z = home_of(neighbours, t, i - 2 + a, j - 2 + b, k - 2 + d if BZ > 1 else 0, BZ, BY, BX)
        w *= share[slot, z, y, x]
        weights[n] = w
        homes[n, 0], homes[n, 1], homes[n, 2], homes[n, 3] = slot, z, y, x
        total += w
    return total


@for_tile_shape
def _scatter(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    ENTRIES = DIM * (DIM + 1) // 2
    THIN = BZ == 1
    LAST = last_place(BX)

    @kernel
    def run(places, brought, in_tiles, tiles, share, load, chunks):
        starts, origins, neighbours, _ = in_tiles
        strain, volume, scale = brought
        each = 1 if len(scale) > 1 else 0
        n = len(tiles)
        for c in prange(chunks):
            sums = np.zeros((ENTRIES, SIZE), np.float32)
            shares = np.zeros((ENTRIES, SIZE), np.float32)
            weights, corners, numbers = np.zeros(_WIDE_3D), np.zeros(8), np.zeros(8, np.int64)
            homes = np.zeros((_WIDE_3D, 4), np.int64)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                sums[:] = np.float32(0)
                for entry in range(ENTRIES):
                    copy_block(shares[entry], share[entry], neighbours, t, 1, BZ, BY, BX)
                for p in range(starts[t], starts[t + 1]):
                    x = place_in_block(places.cell, places.offset, origins, t, p, 0, LAST)
                    y = place_in_block(places.cell, places.offset, origins, t, p, 1, LAST)
                    z = np.float32(0)
                    if DIM == 3:
                        z = place_in_block(places.cell, places.offset, origins, t, p, 2, LAST)
                    for entry in range(ENTRIES):
                        brings = np.float64(volume[p]) * scale[each * p] * strain[entry, p]
                        if entry == 0 or entry >= DIM:
                            place = _place(x, y, z, entry, DIM)
                            _surround(corners, numbers, place, PY, PX, THIN)
                        total = _weigh(weights, corners, numbers, shares[entry], THIN)
                        if total > _TOUCHED:
                            for corner in range(4 if THIN else 8):
                                sums[entry, numbers[corner]] += np.float32(brings * weights[corner] / total)
                            continue
                        total = _weigh_widely(weights, homes, share[entry], (neighbours, t), place, BZ, BY, BX)
                        if total > _TOUCHED:
                            for k in range(_WIDE_2D if THIN else _WIDE_3D):
                                part = np.float32(brings * weights[k] / total)
                                load[entry, homes[k, 0], homes[k, 1], homes[k, 2], homes[k, 3]] += part
                for entry in range(ENTRIES):
                    add_block(sums[entry], 0, 1, load[entry], neighbours, t, BZ, BY, BX)

    return run


@inlined_plainly
def _read_sample(means, blocks, weighed, entry, DIM):
    """Find the mean of what samples of an entry have round a place; false if there is none.

    The first rows of the blocks are shares, then strain rates, then spins; means of these two are found.
    """
    weights, corners, numbers, _ = weighed
    entries = DIM * (DIM + 1) // 2
    total = _weigh(weights, corners, numbers, blocks[entry], DIM == 2)
    if not total > _TOUCHED:
        return False
    rate, spin = 0.0, 0.0
    for corner in range(8 if DIM == 3 else 4):
        w, m = weights[corner], numbers[corner]
        rate += w * blocks[entries + entry, m]
        if entry >= DIM:
            spin += w * blocks[2 * entries + entry - DIM, m]
    means[entry] = rate / total
    if entry >= DIM:
        means[entries + entry - DIM] = spin / total
    return True


@inlined_plainly
def _read_widely(means, given, weighed, near, place, entry, BZ, BY, BX, DIM):
    """The same for a place beyond the last samples."""
    weights, _, _, homes = weighed
    total = _weigh_widely(weights, homes, given.share[entry], near, place, BZ, BY, BX)
    if not total > _TOUCHED:
        return False
    rate, spin = 0.0, 0.0
    for k in range(_WIDE_3D if DIM == 3 else _WIDE_2D):
        w, slot, z, y, x = weights[k], homes[k, 0], homes[k, 1], homes[k, 2], homes[k, 3]
        rate += w * given.strain[entry, slot, z, y, x]
        if entry >= DIM:
            spin += w * given.spin[entry - DIM, slot, z, y, x]
    means[entry] = rate / total
    if entry >= DIM:
        means[DIM * (DIM + 1) // 2 + entry - DIM] = spin / total
    return True


@inlined_plainly
def _set_gradient(room, means, scale, DIM):
    """Set dt ∇u from strain rates and spins."""
    entries = DIM * (DIM + 1) // 2
    for a in range(DIM):
        room.gradient[a, a] = scale * means[a]
        for b in range(a + 1, DIM):
            edge = edge_entry(a, b, DIM)
            spin = means[entries + edge - DIM]
            room.gradient[a, b] = scale * (means[edge] + spin)
            room.gradient[b, a] = scale * (means[edge] - spin)


@inlined_plainly
def _load(room, strain, p, DIM):
    """Take the strain of a particle."""
    for a in range(DIM):
        room.strain[a, a] = strain[a, p]
        for b in range(a + 1, DIM):
            room.strain[a, b] = room.strain[b, a] = strain[edge_entry(a, b, DIM), p]


@inlined_plainly
def _store(room, strain, p, factor, DIM):
    """Give a strain, times a factor, to a particle."""
    for a in range(DIM):
        strain[a, p] = factor * room.strain[a, a]
        for b in range(a + 1, DIM):
            strain[edge_entry(a, b, DIM), p] = factor * room.strain[a, b]


@for_tile_shape
def _strain(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    ENTRIES = DIM * (DIM + 1) // 2
    PAIRS = ENTRIES - DIM
    LAST = last_place(BX)

    @kernel
    def run(places, held, in_tiles, tiles, given, step, chunks):
        starts, origins, neighbours, _ = in_tiles
        strain, sizes, ballistic, constants = held
        each = 1 if constants.shape[1] > 1 else 0
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.zeros((2 * ENTRIES + PAIRS, SIZE), np.float32)
            means = np.zeros(ENTRIES + PAIRS)
            corners, numbers = np.zeros(8), np.zeros(8, np.int64)
            weighed = (np.zeros(_WIDE_3D), corners, numbers, np.zeros((_WIDE_3D, 4), np.int64))
            room = room_for_tensors()
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for entry in range(ENTRIES):
                    copy_block(blocks[entry], given.share[entry], neighbours, t, 1, BZ, BY, BX)
                    copy_block(blocks[ENTRIES + entry], given.strain[entry], neighbours, t, 1, BZ, BY, BX)
                for pair in range(PAIRS):
                    copy_block(blocks[2 * ENTRIES + pair], given.spin[pair], neighbours, t, 1, BZ, BY, BX)
                for p in range(starts[t], starts[t + 1]):
                    if ballistic[p]:
                        continue
                    x = place_in_block(places.cell, places.offset, origins, t, p, 0, LAST)
                    y = place_in_block(places.cell, places.offset, origins, t, p, 1, LAST)
                    z = np.float32(0)
                    if DIM == 3:
                        z = place_in_block(places.cell, places.offset, origins, t, p, 2, LAST)
                    is_known = True
                    for entry in range(ENTRIES):
                        if entry == 0 or entry >= DIM:
                            place = _place(x, y, z, entry, DIM)
                            _surround(corners, numbers, place, PY, PX, DIM == 2)
                        if not _read_sample(means, blocks, weighed, entry, DIM):
                            near = neighbours, t
                            if not _read_widely(means, given, weighed, near, place, entry, BZ, BY, BX, DIM):
                                is_known = False
                    _load(room, strain, p, DIM)
                    if is_known:
                        _set_gradient(room, means, step.scaled, DIM)
                        if step.corotated:
                            strain_along(room, DIM)
                        else:
                            strain_as_in_paper(room, DIM)
                    size = size_of(room.strain, DIM)
                    factor = 0.0  # what has no modulus is not strained
                    if constants[0, each * p] > 0:
                        factor = yield_factor(size, constants[1, each * p], constants[2, each * p], step.dt)
                    _store(room, strain, p, factor, DIM)
                    sizes[p] = np.float32(factor * size)

    return run
