"""Velocity from the grid back to particles.

PIC takes the new velocity; FLIP adds the change instead, blended by `ratio`; APIC takes the velocity and its gradient.

Reference: Zhu & Bridson 2005 (FLIP), Jiang et al. 2015 (APIC).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import FaceField
from plash.grid.lanes import four_from, minus, pairs_from, plus, times
from plash.grid.loops import chunk_slots
from plash.grid.sample import interpolate, interpolate_known, interpolate_known_from
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import BATCH, corner_of_batch, find_corners, last_place, place_in_block
from plash.timing import stage


@stage
def grid_to_particles(particles: Particles, velocity: FaceField, change: FaceField | None, ratio: float) -> int:
    """Give particles the new velocity (ratio 0, PIC) or their own plus its change (ratio 1, FLIP), or a blend.

        u_p <- ratio (u_p + Δu(x_p)) + (1 - ratio) u(x_p)

    With a change, particles also get to know their slip u(x_p) - u_p: they move with the liquid. Returns how many
    samples met no known value; such particles keep their velocity, and so do flying ones.
    """
    tiles = velocity.tiles
    chunks = chunk_count()
    unknown = np.zeros(chunks, np.int64)
    places, in_tiles = particles.places, particles.in_tiles(tiles)
    if change is None:
        run = _gather(tiles.shape)
        run(places, particles.velocity, particles.ballistic, in_tiles, velocity.pool, unknown, chunks)
        return int(unknown.sum())
    if len(particles.slip) == 0:
        particles.slip = np.zeros_like(particles.velocity)
    given = _Given(particles.velocity, particles.slip)
    blend = _Blend(velocity.pool, change.pool, np.float32(ratio))
    _gather_change(tiles.shape)(places, given, particles.ballistic, in_tiles, blend, unknown, chunks)
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
def _gather(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    THIN = BZ == 1
    SIZE = PZ * PY * PX
    LAST = last_place(BX)

    @kernel
    def run(places, velocity, ballistic, in_tiles, grid, unknown, chunks):
        cell, offset = places
        starts, origins, neighbours, _ = in_tiles
        n = len(origins) - 1
        half = np.float32(0.5)
        for c in prange(chunks):
            new = np.empty((DIM, SIZE), np.float32)
            place = np.zeros((3, BATCH), np.float32)
            value = np.zeros(BATCH, np.float32)
            missing = 0
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_block(new[axis], grid[axis], neighbours, t, 1, BZ, BY, BX)
                for first in range(starts[t], starts[t + 1], BATCH):
                    size = min(BATCH, starts[t + 1] - first)
                    _find_places(place, cell, offset, origins, t, first, size, DIM, LAST)
                    for axis in range(DIM):
                        shift_x = np.float32(0) if axis == 0 else half
                        shift_y = np.float32(0) if axis == 1 else half
                        shift_z = np.float32(0) if axis == 2 else half
                        for k in range(size):
                            x, y, z = place[0, k] - shift_x, place[1, k] - shift_y, place[2, k] - shift_z
                            value[k] = interpolate(new[axis], x, y, z, PY, PX, THIN)
                        for k in range(size):
                            p = np.uint64(first + k)
                            if ballistic[p]:
                                continue
                            u = value[k]
                            if u != u:
                                x, y, z = place[0, k] - shift_x, place[1, k] - shift_y, place[2, k] - shift_z
                                u = interpolate_known(new[axis], x, y, z, PY, PX, THIN)
                                if u != u:
                                    missing += 1
                                    continue
                            velocity[axis, p] = u
            unknown[c] = missing

    return run


@for_tile_shape
def _gather_change(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    THIN = BZ == 1
    SIZE = PZ * PY * PX
    LAST = last_place(BX)

    @kernel
    def run(places, given, ballistic, in_tiles, blend, unknown, chunks):
        velocity, slip = given
        starts, origins, neighbours, _ = in_tiles
        grid, change, ratio = blend
        n = len(origins) - 1
        one = np.float32(1)
        for c in prange(chunks):
            new = np.empty((DIM, SIZE), np.float32)
            delta = np.empty((DIM, SIZE), np.float32)
            pairs = np.empty((DIM, 2 * SIZE), np.float32)
            corner = np.zeros((2, 3, BATCH), np.int32)
            share = np.zeros((2, 3, BATCH), np.float32)
            missing = 0
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_block(new[axis], grid[axis], neighbours, t, 1, BZ, BY, BX)
                    copy_block(delta[axis], change[axis], neighbours, t, 1, BZ, BY, BX)
                    for m in range(np.uint64(SIZE)):
                        pairs[axis, np.uint64(2) * m] = new[axis, m]
                        pairs[axis, np.uint64(2) * m + np.uint64(1)] = delta[axis, m]
                for first in range(np.uint64(starts[t]), np.uint64(starts[t + 1]), np.uint64(BATCH)):
                    size = min(np.uint64(BATCH), np.uint64(starts[t + 1]) - first)
                    find_corners(corner, share, places, origins, t, first, size, DIM, LAST)
                    for axis in range(DIM):
                        sides = 0 if axis == 0 else 1, 0 if axis == 1 else 1, 0 if axis == 2 else 1
                        for k in range(size):
                            p = first + k
                            o, fx, fy, fz = corner_of_batch(corner, share, k, sides, PY, PX, DIM)
                            left, left_change, right, right_change = _both_sides(pairs[axis], o, fy, fz, PY, PX, THIN)
                            u = left + fx * (right - left)
                            d = left_change + fx * (right_change - left_change)
                            if u != u or d != d:
                                u = interpolate_known_from(new[axis], o, fx, fy, fz, PY, PX, THIN)
                                d = interpolate_known_from(delta[axis], o, fx, fy, fz, PY, PX, THIN)
                            if ballistic[p]:
                                continue
                            if u != u or d != d:
                                missing += 1
                                continue
                            own = ratio * (velocity[axis, p] + d) + (one - ratio) * u
                            slip[axis, p] = u - own
                            velocity[axis, p] = own
            unknown[c] = missing

    return run


@inlined_plainly
def _find_places(place, cell, offset, origins, t, first, size, DIM, LAST):
    """Coordinates of a batch of particles in the block of tile t with a halo of 1."""
    for axis in range(DIM):
        for k in range(size):
            place[axis, k] = place_in_block(cell, offset, origins, t, first + k, axis, LAST)


@inlined_plainly
def _both_sides(pairs, start, fy, fz, PY, PX, THIN):
    """Two values interpolated along y and z in the lattice planes of a corner and one further, as by `interpolate`.

    Both values stand side by side, so that those of two planes are four neighbours.
    """
    gy = np.float32(1) - fy
    a = np.uint64(2) * start
    b = a + np.uint64(2 * PX)
    if THIN:
        return plus(times(four_from(pairs, a), gy), times(four_from(pairs, b), fy))
    gz = np.float32(1) - fz
    c = a + np.uint64(2 * PY * PX)
    d = b + np.uint64(2 * PY * PX)
    front = plus(times(four_from(pairs, a), gy * gz), times(four_from(pairs, b), fy * gz))
    return plus(plus(front, times(four_from(pairs, c), gy * fz)), times(four_from(pairs, d), fy * fz))


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
        starts, origins, neighbours, _ = in_tiles
        n = len(origins) - 1
        nothing = np.float32(0)
        for c in prange(chunks):
            new = np.empty((DIM, SIZE), np.float32)
            corner = np.zeros((2, 3, BATCH), np.int32)
            share = np.zeros((2, 3, BATCH), np.float32)
            missing = 0
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_block(new[axis], grid[axis], neighbours, t, 1, BZ, BY, BX)
                for first in range(np.uint64(starts[t]), np.uint64(starts[t + 1]), np.uint64(BATCH)):
                    size = min(np.uint64(BATCH), np.uint64(starts[t + 1]) - first)
                    find_corners(corner, share, places, origins, t, first, size, DIM, LAST)
                    for axis in range(DIM):
                        sides = 0 if axis == 0 else 1, 0 if axis == 1 else 1, 0 if axis == 2 else 1
                        for k in range(size):
                            p = first + k
                            o, fx, fy, fz = corner_of_batch(corner, share, k, sides, PY, PX, DIM)
                            u, gx, gy, gz = _value_and_slope(new[axis], o, fx, fy, fz, PY, PX, THIN)
                            if u != u:
                                u = interpolate_known_from(new[axis], o, fx, fy, fz, PY, PX, THIN)
                                gx = gy = gz = nothing
                            if ballistic[p]:
                                u, gx, gy, gz = velocity[axis, p], nothing, nothing, nothing
                            elif u != u:
                                missing += 1
                                u = velocity[axis, p]
                            velocity[axis, p] = u
                            gradient[axis * DIM, p] = gx
                            gradient[axis * DIM + 1, p] = gy
                            if DIM == 3:
                                gradient[axis * DIM + 2, p] = gz
            unknown[c] = missing

    return run


@inlined_plainly
def _value_and_slope(block, a, fx, fy, fz, PY, PX, THIN):
    """Linear interpolation from the minimal corner's index on, and the gradient of its weights, per cell."""
    b = a + np.uint64(PX)
    behind = np.uint64(0 if THIN else PY * PX)
    # Along x in four rows: below and above in front, below and above behind
    left, right = pairs_from(block, a, b, a + behind, b + behind)
    dx = minus(right, left)
    low = plus(left, times(dx, fx))
    # Along y: values in front and behind, slopes along x in front and behind
    below = low[0], low[2], dx[0], dx[2]
    dy = minus((low[1], low[3], dx[1], dx[3]), below)
    front = plus(below, times(dy, fy))
    if THIN:
        return front[0], front[2], dy[0], np.float32(0)
    # Along z: the value, and its slopes along x and y
    near = front[0], front[2], dy[0], np.float32(0)
    dz = minus((front[1], front[3], dy[1], np.float32(0)), near)
    value, gx, gy, _ = plus(near, times(dz, fz))
    return value, gx, gy, dz[0]
