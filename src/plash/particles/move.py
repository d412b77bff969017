"""Particles carried along by the velocity field: second-order Runge-Kutta (Cline equation 12).

y = x + dt u(x + dt/2 u(x))
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_slots
from plash.grid.sample import interpolate, interpolate_anywhere
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import split_position
from plash.timing import stage

_HALO = 2
_BATCH = 128  # particles that are sampled together, in a loop without branches


@stage
def move_particles(particles: Particles, velocity: FaceField, dt: float, h: float) -> int:
    """Move particles through the velocity field for dt; return how many samples met no known value.

    A flying particle moves with its own velocity, and so does one with no known velocity round it.
    """
    tiles = velocity.tiles
    chunks = chunk_count()
    unknown = np.zeros(chunks, np.int64)
    places, in_tiles = particles.places, particles.in_tiles(tiles)
    own, ballistic, scaled = particles.velocity, particles.ballistic, np.float32(dt / h)
    _move(tiles.shape)(places, own, ballistic, in_tiles, velocity.pool, scaled, unknown, chunks)
    return int(unknown.sum())


@for_tile_shape
def _move(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    H = _HALO
    PZ, PY, PX, HZ = block_sizes(shape, H)
    DIM = dimension_of(shape)
    THIN = BZ == 1
    SIZE = PZ * PY * PX
    BATCH = _BATCH

    @kernel
    def run(places, velocity, ballistic, in_tiles, grid, dt, unknown, chunks):
        cell, offset = places
        starts, origins, neighbours, keys = in_tiles
        n = len(origins) - 1
        half = np.float32(0.5)
        last_x = np.float32(PX - 1.5)
        last_y = np.float32(PY - 1.5)
        last_z = np.float32(PZ - 1.5)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            start = np.zeros((3, BATCH), np.float32)
            place = np.zeros((3, BATCH), np.float32)
            inside = np.zeros((3, BATCH), np.float32)
            u = np.zeros((3, BATCH), np.float32)
            missing = 0
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_block(blocks[axis], grid[axis], neighbours, t, H, BZ, BY, BX)
                for first in range(starts[t], starts[t + 1], BATCH):
                    size = min(BATCH, starts[t + 1] - first)
                    for axis in range(DIM):
                        origin = origins[t, axis] - H
                        for k in range(size):
                            start[axis, k] = np.float32(cell[axis, first + k] - origin) + offset[axis, first + k]
                            place[axis, k] = start[axis, k]
                    for part in range(2):
                        # Points outside the block are sampled at its edge, and again further down
                        for k in range(size):
                            inside[0, k] = min(max(place[0, k], half), last_x)
                            inside[1, k] = min(max(place[1, k], half), last_y)
                            inside[2, k] = min(max(place[2, k], half), last_z)
                        for axis in range(DIM):
                            shift_x = np.float32(0) if axis == 0 else half
                            shift_y = np.float32(0) if axis == 1 else half
                            shift_z = np.float32(0) if axis == 2 else half
                            for k in range(size):
                                x, y, z = (
                                    inside[0, k] - shift_x,
                                    inside[1, k] - shift_y,
                                    inside[2, k] - shift_z,
                                )
                                u[axis, k] = interpolate(blocks[axis], x, y, z, PY, PX, THIN)
                        for k in range(size):
                            if ballistic[first + k]:
                                for axis in range(DIM):
                                    u[axis, k] = velocity[axis, first + k]
                                continue
                            x, y, z = place[0, k], place[1, k], place[2, k]
                            is_inside = x == inside[0, k] and y == inside[1, k] and (THIN or z == inside[2, k])
                            is_known = u[0, k] + u[1, k] + u[2, k]
                            if is_inside and is_known == is_known:
                                continue
                            for axis in range(DIM):
                                value = np.float32(
                                    interpolate_anywhere(
                                        grid[axis],
                                        keys,
                                        axis,
                                        np.float64(x) + (origins[t, 0] - H),
                                        np.float64(y) + (origins[t, 1] - H),
                                        np.float64(z) + (origins[t, 2] - HZ),
                                        BZ,
                                        BY,
                                        BX,
                                    )
                                )
                                if value != value:
                                    missing += 1
                                    value = velocity[axis, first + k]
                                u[axis, k] = value
                        if part == 0:
                            for axis in range(DIM):
                                for k in range(size):
                                    place[axis, k] = start[axis, k] + half * dt * u[axis, k]
                    for axis in range(DIM):
                        for k in range(size):
                            whole, rest = split_position(offset[axis, first + k] + dt * u[axis, k])
                            cell[axis, first + k] += whole
                            offset[axis, first + k] = rest
            unknown[c] = missing

    return run
