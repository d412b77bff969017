"""Strain that particles carry: to where stress is known, and new strain from there.

To the grid: the stress of a sample is the mean of what particles bring, by their volumes and linear weights w,

    S = Σ w V 2 G E / Σ w V

Back: ∇u at a particle is the mean of its samples with the weights w times their shares of liquid. Those outside the
liquid have none, so a particle at the surface reads only what is inside, and liquid that turns as a rigid body does so
for every particle. Nothing is smeared: a particle's strain changes only by what happens to it.

Reference: Cline section 8; Jiang et al. 2015 for transfers by particles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import add_block, block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range, corner_step
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


@inlined
def _shift(group, axis, DIM):
    """Where the samples of a group lie in their cell along an axis: half-way, or at its start."""
    if group == 0:
        return np.float32(0.5)
    pair = group - 1  # xy, xz, yz
    left_out = 2 - pair if DIM == 3 else 2
    return np.float32(0.5) if axis == left_out else np.float32(0)


@inlined
def _place(x, y, z, group, DIM):
    """Sample before a place in a block, and the shares beyond it."""
    i, fx = cell_and_share(x - _shift(group, 0, DIM))
    j, fy = cell_and_share(y - _shift(group, 1, DIM))
    k, fz = np.int32(0), np.float32(0)
    if DIM == 3:
        k, fz = cell_and_share(z - _shift(group, 2, DIM))
    return i, j, k, fx, fy, fz


@inlined
def _weigh(weights, numbers, share, place, PY, PX, THIN):
    """Find the weights of the samples round a place, times their shares of liquid, and their numbers in the block.

    Returns the sum of the weights.
    """
    i, j, k, fx, fy, fz = place
    total = 0.0
    for corner in range(4 if THIN else 8):
        a, b, d = corner_step(corner)
        m = ((k + d) * PY + j + b) * PX + i + a
        w = np.float64(corner_weight(corner, fx, fy, fz, THIN)) * share[m]
        weights[corner], numbers[corner] = w, m
        total += w
    return total


@for_tile_shape
def _scatter(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    ENTRIES = DIM * (DIM + 1) // 2
    GROUPS = 1 + ENTRIES - DIM
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
            weights = np.zeros(8)
            numbers = np.zeros(8, np.int64)
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
                    brings = np.float64(volume[p]) * scale[each * p]
                    for group in range(GROUPS):
                        first = 0 if group == 0 else DIM + group - 1
                        last = DIM if group == 0 else first + 1
                        place = _place(x, y, z, group, DIM)
                        total = _weigh(weights, numbers, shares[first], place, PY, PX, THIN)
                        if not total > _TOUCHED:
                            continue
                        for corner in range(4 if THIN else 8):
                            w = brings * weights[corner] / total
                            for entry in range(first, last):
                                sums[entry, numbers[corner]] += np.float32(w * strain[entry, p])
                for entry in range(ENTRIES):
                    add_block(sums[entry], 0, 1, load[entry], neighbours, t, BZ, BY, BX)

    return run


@inlined
def _read_samples(means, blocks, weighed, place, group, PY, PX, DIM):
    """Find the means of what samples of a group have round a place; false if there is none.

    The first rows of the blocks are shares, then strain rates, then spins; means of these two are found.
    """
    weights, numbers = weighed
    entries = DIM * (DIM + 1) // 2
    first = 0 if group == 0 else DIM + group - 1
    last = DIM if group == 0 else first + 1
    total = _weigh(weights, numbers, blocks[first], place, PY, PX, DIM == 2)
    if not total > _TOUCHED:
        return False
    means[first:last] = 0.0
    if group > 0:
        means[entries + group - 1] = 0.0
    for corner in range(8 if DIM == 3 else 4):
        w, m = weights[corner] / total, numbers[corner]
        for entry in range(first, last):
            means[entry] += w * blocks[entries + entry, m]
        if group > 0:
            means[entries + group - 1] += w * blocks[2 * entries + group - 1, m]
    return True


@inlined
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


@inlined
def _load(room, strain, p, DIM):
    """Take the strain of a particle."""
    for a in range(DIM):
        room.strain[a, a] = strain[a, p]
        for b in range(a + 1, DIM):
            room.strain[a, b] = room.strain[b, a] = strain[edge_entry(a, b, DIM), p]


@inlined
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
    GROUPS = 1 + ENTRIES - DIM
    LAST = last_place(BX)

    @kernel
    def run(places, held, in_tiles, tiles, given, step, chunks):
        starts, origins, neighbours, _ = in_tiles
        strain, sizes, ballistic, constants = held
        each = 1 if constants.shape[1] > 1 else 0
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.zeros((2 * ENTRIES + GROUPS - 1, SIZE), np.float32)
            means = np.zeros(ENTRIES + GROUPS - 1)
            weighed = (np.zeros(8), np.zeros(8, np.int64))
            room = room_for_tensors()
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for entry in range(ENTRIES):
                    copy_block(blocks[entry], given.share[entry], neighbours, t, 1, BZ, BY, BX)
                    copy_block(blocks[ENTRIES + entry], given.strain[entry], neighbours, t, 1, BZ, BY, BX)
                for pair in range(GROUPS - 1):
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
                    for group in range(GROUPS):
                        place = _place(x, y, z, group, DIM)
                        is_known = _read_samples(means, blocks, weighed, place, group, PY, PX, DIM) and is_known
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
