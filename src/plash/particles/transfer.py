"""Velocity from particles to the grid and back: PIC, FLIP and APIC.

To the grid: u_a(face) = Σ w V (u_pa + c_a · (x_face - x_p)) / Σ w V with linear weights w; the affine
term only for APIC. A face that no particle reaches is unknown, not zero. Each tile sums into a block of its own,
which is then added to the pools, one colour of tiles at a time: no atomics, and the same bits for any thread count.

Back: PIC takes the new velocity, FLIP adds the change instead, blended by `ratio`; APIC takes the velocity and its
gradient.

Reference: Zhu & Bridson 2005 (FLIP), Jiang et al. 2015 (APIC).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import add_block, block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, chunk_slice, chunk_slots
from plash.grid.sample import cell_and_share, interpolate, interpolate_known
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import last_place, place_in_block
from plash.timing import stage

_BATCH = 128  # particles whose samples are computed before any of them is looked at: a loop without branches
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


@stage
def grid_to_particles(particles: Particles, velocity: FaceField, change: FaceField | None, ratio: float) -> int:
    """Give particles the new velocity (ratio 0, PIC) or their own plus its change (ratio 1, FLIP), or a blend.

        u_p <- ratio (u_p + Δu(x_p)) + (1 - ratio) u(x_p)

    With a change, particles also get to know their slip u(x_p) - u_p: they move with the liquid. Returns how many
    samples met no known value; such particles keep their velocity, and so do flying ones.
    """
    tiles = velocity.tiles
    flip = change is not None
    run = _gather(tiles.shape, flip)
    chunks = chunk_count()
    unknown = np.zeros(chunks, np.int64)
    blend = _Blend(velocity.pool, change.pool if change is not None else velocity.pool, np.float32(ratio))
    if flip and len(particles.slip) == 0:
        particles.slip = np.zeros_like(particles.velocity)
    given = _Given(particles.velocity, particles.slip)
    run(particles.places, given, particles.ballistic, particles.in_tiles(tiles), blend, unknown, chunks)
    return int(unknown.sum())


@stage
def grid_to_affine_particles(particles: Particles, velocity: FaceField) -> int:
    """Give particles the new velocity and its gradient (APIC); return how many samples met no known value.

    Flying particles keep their velocity and have no gradient.
    """
    tiles = velocity.tiles
    chunks = chunk_count()
    unknown = np.zeros(chunks, np.int64)
    run = _gather_affine(tiles.shape)
    places, in_tiles = particles.places, particles.in_tiles(tiles)
    run(places, particles.velocity, particles.affine, particles.ballistic, in_tiles, velocity.pool, unknown, chunks)
    return int(unknown.sum())


class _Carried(NamedTuple):
    """What particles bring to the grid."""

    velocity: NDArray[np.float32]
    affine: NDArray[np.float32]
    volume: NDArray[np.float32]


class _Given(NamedTuple):
    """What particles get from the grid: velocity, and with FLIP how much faster the liquid is."""

    velocity: NDArray[np.float32]
    slip: NDArray[np.float32]


class _Blend(NamedTuple):
    """What particles take from the grid: the velocity there, its change, and how much of the change counts."""

    velocity: NDArray[np.float32]
    change: NDArray[np.float32]
    ratio: np.float32


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
                for p in range(starts[t], starts[t + 1]):
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


@for_tile_shape
def _gather(shape: Shape, flip: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    THIN = BZ == 1
    FLIP = flip
    SIZE = PZ * PY * PX
    LAST = last_place(BX)
    BATCH = _BATCH

    @kernel
    def run(places, given, ballistic, in_tiles, blend, unknown, chunks):
        cell, offset = places
        velocity, slip = given
        starts, origins, neighbours, _ = in_tiles
        grid, change, ratio = blend
        n = len(origins) - 1
        half = np.float32(0.5)
        one = np.float32(1)
        for c in prange(chunks):
            new = np.empty((DIM, SIZE), np.float32)
            delta = np.empty((DIM, SIZE), np.float32)
            place = np.zeros((3, BATCH), np.float32)
            value = np.zeros(BATCH, np.float32)
            added = np.zeros(BATCH, np.float32)
            missing = 0
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_block(new[axis], grid[axis], neighbours, t, 1, BZ, BY, BX)
                    if FLIP:
                        copy_block(delta[axis], change[axis], neighbours, t, 1, BZ, BY, BX)
                for first in range(starts[t], starts[t + 1], BATCH):
                    size = min(BATCH, starts[t + 1] - first)
                    for axis in range(DIM):
                        origin = origins[t, axis] - 1
                        for k in range(size):
                            to = np.float32(cell[axis, first + k] - origin) + offset[axis, first + k]
                            place[axis, k] = min(to, LAST)
                    for axis in range(DIM):
                        shift_x = np.float32(0) if axis == 0 else half
                        shift_y = np.float32(0) if axis == 1 else half
                        shift_z = np.float32(0) if axis == 2 else half
                        for k in range(size):
                            x, y, z = place[0, k] - shift_x, place[1, k] - shift_y, place[2, k] - shift_z
                            value[k] = interpolate(new[axis], x, y, z, PY, PX, THIN)
                            if FLIP:
                                added[k] = interpolate(delta[axis], x, y, z, PY, PX, THIN)
                        for k in range(size):
                            if ballistic[first + k]:
                                continue
                            u = value[k]
                            d = added[k]
                            if u != u or d != d:
                                x, y, z = place[0, k] - shift_x, place[1, k] - shift_y, place[2, k] - shift_z
                                u = interpolate_known(new[axis], x, y, z, PY, PX, THIN)
                                if FLIP:
                                    d = interpolate_known(delta[axis], x, y, z, PY, PX, THIN)
                                if u != u or d != d:
                                    missing += 1
                                    continue
                            own = u
                            if FLIP:
                                own = ratio * (velocity[axis, first + k] + d) + (one - ratio) * u
                                slip[axis, first + k] = u - own
                            velocity[axis, first + k] = own
            unknown[c] = missing

    return run


@for_tile_shape
def _gather_affine(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    THIN = BZ == 1
    SIZE = PZ * PY * PX
    LAST = last_place(BX)

    @kernel
    def run(places, velocity, gradient, ballistic, in_tiles, grid, unknown, chunks):
        cell, offset = places
        starts, origins, neighbours, _ = in_tiles
        n = len(origins) - 1
        half = np.float32(0.5)
        for c in prange(chunks):
            new = np.empty((DIM, SIZE), np.float32)
            missing = 0
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_block(new[axis], grid[axis], neighbours, t, 1, BZ, BY, BX)
                for p in range(starts[t], starts[t + 1]):
                    if ballistic[p]:
                        for row in range(DIM * DIM):
                            gradient[row, p] = np.float32(0)
                        continue
                    x = place_in_block(cell, offset, origins, t, p, 0, LAST)
                    y = place_in_block(cell, offset, origins, t, p, 1, LAST)
                    z = place_in_block(cell, offset, origins, t, p, 2, LAST) if DIM == 3 else np.float32(0)
                    for axis in range(DIM):
                        sx = x if axis == 0 else x - half
                        sy = y if axis == 1 else y - half
                        sz = z if axis == 2 else z - half
                        u, gx, gy, gz = _value_and_slope(new[axis], sx, sy, sz, PY, PX, THIN)
                        if u != u:
                            u = interpolate_known(new[axis], sx, sy, sz, PY, PX, THIN)
                            gx = gy = gz = np.float32(0)
                        if u != u:
                            missing += 1
                        else:
                            velocity[axis, p] = u
                        gradient[axis * DIM, p] = gx
                        gradient[axis * DIM + 1, p] = gy
                        if DIM == 3:
                            gradient[axis * DIM + 2, p] = gz
            unknown[c] = missing

    return run


@inlined
def _value_and_slope(block, x, y, z, PY, PX, THIN):
    """Linear interpolation and the gradient of its weights, per cell."""
    i, fx = cell_and_share(x)
    j, fy = cell_and_share(y)
    o = j * PX + i
    if THIN:
        value, gx, gy = _value_and_slope_in_layer(block, o, fx, fy, PX)
        return value, gx, gy, np.float32(0)
    k, fz = cell_and_share(z)
    o += k * PY * PX
    front, gx_front, gy_front = _value_and_slope_in_layer(block, o, fx, fy, PX)
    back, gx_back, gy_back = _value_and_slope_in_layer(block, o + PY * PX, fx, fy, PX)
    value = front + fz * (back - front)
    return value, gx_front + fz * (gx_back - gx_front), gy_front + fz * (gy_back - gy_front), back - front


@inlined
def _value_and_slope_in_layer(block, o, fx, fy, PX):
    """The same in one layer, at (fx, fy) from entry o of the block."""
    dx_low = block[o + 1] - block[o]
    dx_high = block[o + PX + 1] - block[o + PX]
    low = block[o] + fx * dx_low
    high = block[o + PX] + fx * dx_high
    return low + fy * (high - low), dx_low + fy * (dx_high - dx_low), high - low
