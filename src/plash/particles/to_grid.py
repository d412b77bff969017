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

from plash.grid.blocks import add_block, block_sizes
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, chunk_slice, numbers_in
from plash.grid.sample import cell_and_share
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import last_place, place_in_block
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
        cell, offset = places
        velocity, gradient, volume = carried
        starts, origins, neighbours, _ = in_tiles
        n = len(tiles)
        half = np.float32(0.5)
        one = np.float32(1)
        for c in prange(chunks):
            block = np.empty(DIM * SIZE * 2, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                block[:] = np.float32(0)
                for p in numbers_in(starts, t):
                    # Coordinates in the block, whose first cell is the halo's
                    x = place_in_block(cell, offset, origins, t, p, 0, LAST)
                    y = place_in_block(cell, offset, origins, t, p, 1, LAST)
                    z = place_in_block(cell, offset, origins, t, p, 2, LAST) if DIM == 3 else np.float32(0)
                    for axis in range(DIM):
                        i_x, fx = cell_and_share(x if axis == 0 else x - half)
                        i_y, fy = cell_and_share(y if axis == 1 else y - half)
                        o = i_y * np.int32(PX) + i_x
                        fz = np.float32(0)
                        if DIM == 3:
                            i_z, fz = cell_and_share(z if axis == 2 else z - half)
                            o += i_z * np.int32(PY * PX)
                        q = velocity[axis, p]
                        cx = np.float32(0)
                        cy = np.float32(0)
                        cz = np.float32(0)
                        if AFFINE:
                            cx = gradient[axis * DIM, p]
                            cy = gradient[axis * DIM + 1, p]
                            q -= cx * fx + cy * fy
                            if DIM == 3:
                                cz = gradient[axis * DIM + 2, p]
                                q -= cz * fz
                        m = np.uint64(2 * axis * SIZE) + np.uint64(2) * np.uint64(np.uint32(o))
                        w = volume[p]
                        for depth in range(DEPTH):
                            wz = w
                            if DIM == 3:
                                wz = w * (fz if depth == 1 else one - fz)
                            for row in range(2):
                                wy = wz * (fy if row == 1 else one - fy)
                                w1 = wy * fx
                                w0 = wy - w1
                                q0 = q
                                if AFFINE:
                                    q0 += np.float32(row) * cy + np.float32(depth) * cz
                                # Four neighbouring numbers, read before any is written: one vector operation
                                a0 = m + np.uint64(2 * (depth * PY * PX + row * PX))
                                a1, a2, a3 = a0 + np.uint64(1), a0 + np.uint64(2), a0 + np.uint64(3)
                                b0, b1, b2, b3 = block[a0], block[a1], block[a2], block[a3]
                                block[a0] = b0 + w0 * q0
                                block[a1] = b1 + w0
                                block[a2] = b2 + w1 * (q0 + cx)
                                block[a3] = b3 + w1
                for axis in range(DIM):
                    add_block(block, 2 * axis * SIZE, 2, momentum[axis], neighbours, t, BZ, BY, BX)
                    add_block(block, 2 * axis * SIZE + 1, 2, weight[axis], neighbours, t, BZ, BY, BX)

    return run


@kernel
def _divide(momentum, weight, chunks):
    n = len(momentum)
    for c in prange(chunks):
        part = momentum[chunk_slice(c, chunks, n)]
        weights = weight[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            part[m] = part[m] / weights[m] if weights[m] > np.float32(_TOUCHED) else np.float32(np.nan)
