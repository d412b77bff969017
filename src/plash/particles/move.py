"""Particles carried along by the velocity field: second-order Runge-Kutta (Cline equation 12).

    y = x + dt u(x + dt/2 u(x))
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.sample import interpolate, interpolate_anywhere, interpolate_known
from plash.grid.tiles import Shape
from plash.particles.particles import Particles
from plash.stages import stage

_HALO = 2


@stage
def move_particles(particles: Particles, velocity: FaceField, dt: float, h: float) -> int:
    """Move particles through the velocity field for dt; return how many samples met no known value.

    A particle with no known velocity round it flies on with its own.
    """
    tiles = velocity.tiles
    chunks = chunk_count()
    unknown = np.zeros(chunks, np.int64)
    _move(tiles.shape)(
        particles.cell,
        particles.offset,
        particles.velocity,
        particles.starts,
        tiles.origins,
        tiles.neighbours,
        tiles.keys,
        velocity.pool,
        np.float32(dt / h),
        unknown,
        chunks,
    )
    return int(unknown.sum())


@for_tile_shape
def _move(shape: Shape):  # type: ignore[no-untyped-def]
    BZ, BY, BX = shape
    H = _HALO
    PZ, PY, PX, HZ = block_sizes(shape, H)
    DIM = 2 if BZ == 1 else 3
    THIN = BZ == 1
    SIZE = PZ * PY * PX

    @kernel
    def run(  # type: ignore[no-untyped-def]
        cell, offset, velocity, starts, origins, neighbours, keys, grid, dt, unknown, chunks
    ):
        n = len(origins) - 1
        half = np.float32(0.5)
        first = np.float32(0.5)
        last_x = np.float32(PX - 1)
        last_y = np.float32(PY - 1)
        last_z = np.float32(PZ - 1)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            u = np.zeros(3, np.float32)
            missing = 0
            for t in range(1 + c * n // chunks, 1 + (c + 1) * n // chunks):
                if starts[t + 1] == starts[t]:
                    continue
                for axis in range(DIM):
                    copy_block(blocks[axis], grid[axis], neighbours, t, H, BZ, BY, BX)
                for p in range(starts[t], starts[t + 1]):
                    x0 = np.float32(cell[0, p] - origins[t, 0] + H) + offset[0, p]
                    y0 = np.float32(cell[1, p] - origins[t, 1] + H) + offset[1, p]
                    z0 = np.float32(0)
                    if DIM == 3:
                        z0 = np.float32(cell[2, p] - origins[t, 2] + H) + offset[2, p]
                    x, y, z = x0, y0, z0
                    for half_step in range(2):
                        inside = x >= first and x < last_x and y >= first and y < last_y
                        if DIM == 3:
                            inside = inside and z >= first and z < last_z
                        for axis in range(DIM):
                            if inside:
                                sx = x if axis == 0 else x - half
                                sy = y if axis == 1 else y - half
                                sz = z if axis == 2 else z - half
                                value = interpolate(blocks[axis], sx, sy, sz, PY, PX, THIN)
                                if value != value:
                                    value = interpolate_known(blocks[axis], sx, sy, sz, PY, PX, THIN)
                            else:
                                gx = np.float64(x) + (origins[t, 0] - H)
                                gy = np.float64(y) + (origins[t, 1] - H)
                                gz = np.float64(z) + (origins[t, 2] - HZ)
                                value = np.float32(
                                    interpolate_anywhere(grid[axis], keys, axis, gx, gy, gz, BZ, BY, BX)
                                )
                            if value != value:
                                missing += 1
                                value = velocity[axis, p]
                            u[axis] = value
                        if half_step == 0:
                            x = x0 + half * dt * u[0]
                            y = y0 + half * dt * u[1]
                            if DIM == 3:
                                z = z0 + half * dt * u[2]
                    for axis in range(DIM):
                        place = offset[axis, p] + dt * u[axis]
                        whole = np.floor(place)
                        rest = place - whole
                        if rest >= np.float32(1):
                            rest = np.float32(0)
                            whole += np.float32(1)
                        cell[axis, p] += np.int32(whole)
                        offset[axis, p] = rest
            unknown[c] = missing

    return run
