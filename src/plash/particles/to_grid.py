"""Velocity from particles to the grid.

    u_a(face) = Σ w V (u_pa + c_a · (x_face - x_p)) / Σ w V

with linear weights w; the affine term only for APIC. A face that no particle reaches is unknown, not zero. Each tile
sums into a block of its own, which is then added to the pools, one colour of tiles at a time: no atomics, and the same
bits for any thread count.

Reference: Zhu & Bridson 2005 (FLIP), Jiang et al. 2015 (APIC).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import FaceField
from plash.grid.lanes import add_four, pairs_from, plus, times
from plash.grid.loops import chunk_range, chunk_slice, neighbour_number, tile_beside
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import BATCH, corner_of_batch, find_corners, last_place, spread_to_corners
from plash.timing import stage

_TOUCHED = 1e-6  # weight, in cells of volume, from which a face counts as reached


@stage
def particles_to_grid(particles: Particles) -> FaceField:
    """Velocity on the faces that particles reach; unknown elsewhere.

    Affine parts are used where the particles have them. Linear and angular momentum are kept: Σ over faces of weight
    times velocity equals Σ over particles of volume times velocity.
    """
    tiles = particles.tiles
    assert tiles is not None, "particles must be sorted"
    momentum = FaceField.filled(tiles, 0.0)
    weight = FaceField.filled(tiles, 0.0)
    scatter = _scatter(tiles.shape, len(particles.affine) > 0)
    carried = _Carried(particles.velocity, particles.affine, particles.volume)
    for colour in tiles.colours:
        busy = colour[particles.starts[colour + 1] > particles.starts[colour]]
        scatter(particles.places, carried, particles.in_tiles(tiles), busy, momentum.pool, weight.pool, chunk_count())
    _divide(momentum.pool.reshape(-1), weight.pool.reshape(-1), chunk_count())
    return momentum


class _Carried(NamedTuple):
    """What particles bring to the grid."""

    velocity: NDArray[np.float32]
    affine: NDArray[np.float32]
    volume: NDArray[np.float32]


@for_tile_shape
def _scatter(shape: Shape, affine: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    DEPTH = 1 if BZ == 1 else 2
    AFFINE = affine
    SIZE = PZ * PY * PX
    LAST = last_place(BX)

    @kernel
    def run(places, carried, in_tiles, tiles, momentum, weight, chunks):
        velocity, gradient, volume = carried
        starts, origins, neighbours, _ = in_tiles
        n = len(tiles)
        zero = np.float32(0)
        for c in prange(chunks):
            block = np.empty(DIM * SIZE * 2, np.float32)
            corner = np.zeros((2, 3, BATCH), np.int32)
            share = np.zeros((2, 3, BATCH), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                block[:] = zero
                for first in range(np.uint64(starts[t]), np.uint64(starts[t + 1]), np.uint64(BATCH)):
                    size = min(np.uint64(BATCH), np.uint64(starts[t + 1]) - first)
                    find_corners(corner, share, places, origins, t, first, size, DIM, LAST)
                    for axis in range(DIM):
                        sides = 0 if axis == 0 else 1, 0 if axis == 1 else 1, 0 if axis == 2 else 1
                        for k in range(size):
                            p = first + k
                            o, fx, fy, fz = corner_of_batch(corner, share, k, sides, PY, PX, DIM)
                            q = velocity[axis, p]
                            cx = cy = cz = zero
                            if AFFINE:
                                cx = gradient[axis * DIM, p]
                                cy = gradient[axis * DIM + 1, p]
                                q -= cx * fx + cy * fy
                                if DIM == 3:
                                    cz = gradient[axis * DIM + 2, p]
                                    q -= cz * fz
                            left, right = spread_to_corners(volume[p], fx, fy, fz, DIM)
                            speeds = plus((zero, cy, cz, cy + cz), q) if AFFINE else (q, q, q, q)
                            left_momentum = times(left, speeds)
                            right_momentum = times(right, plus(speeds, cx) if AFFINE else speeds)
                            m = np.uint64(2 * axis * SIZE) + np.uint64(2) * o
                            for row in range(2 * DEPTH):
                                place = m + np.uint64(2 * ((row >> 1) * PY * PX + (row & 1) * PX))
                                add_four(block, place, (left_momentum[row], left[row], right_momentum[row], right[row]))
                for axis in range(DIM):
                    o = np.uint64(2 * axis * SIZE)
                    _add_pairs(block, o, momentum[axis], weight[axis], neighbours[t], BZ, BY, BX)

    return run


@inlined_plainly
def _add_pairs(block, first, momentum, weight, beside, BZ, BY, BX):
    """Add the pairs in a block, momentum and weight, to a tile and its neighbours; none to absent ones."""
    HZ = 1 if BZ > 1 else 0
    one, last = np.uint64(1), np.uint64(BX - 1)
    for pz in range(BZ + 2 * HZ):
        dz, z = tile_beside(pz - HZ, BZ)
        for py in range(BY + 2):
            dy, y = tile_beside(py - 1, BY)
            row = np.uint64(neighbour_number(-1, dy, dz))
            o = first + np.uint64(2 * (pz * (BY + 2) + py) * (BX + 2))
            u, v = np.uint64(z), np.uint64(y)
            s = np.uint64(beside[row])
            if s > 0:
                momentum[s, u, v, last] += block[o]
                weight[s, u, v, last] += block[o + one]
            s = np.uint64(beside[row + one])
            if s > 0:
                momenta, weights = momentum[s, u, v], weight[s, u, v]
                for x in range(np.uint64(0), np.uint64(BX), np.uint64(4)):
                    a = o + np.uint64(2) * (x + one)
                    of_momentum, of_weight = pairs_from(block, a, a + np.uint64(2), a + np.uint64(4), a + np.uint64(6))
                    add_four(momenta, x, of_momentum)
                    add_four(weights, x, of_weight)
            s = np.uint64(beside[row + np.uint64(2)])
            if s > 0:
                end = o + np.uint64(2 * (BX + 1))
                momentum[s, u, v, np.uint64(0)] += block[end]
                weight[s, u, v, np.uint64(0)] += block[end + one]


@kernel
def _divide(momentum, weight, chunks):
    n = len(momentum)
    for c in prange(chunks):
        part = momentum[chunk_slice(c, chunks, n)]
        weights = weight[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            part[m] = part[m] / weights[m] if weights[m] > np.float32(_TOUCHED) else np.float32(np.nan)
