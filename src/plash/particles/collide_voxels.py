"""Particles out of solid cells: back along the normal of the solid that they went into."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_slots
from plash.grid.sample import lookup
from plash.grid.tiles import Shape, Tiles
from plash.particles.particles import Particles
from plash.particles.sides import CLOSED, meet_sides

_TRIES = 12


def collide_with_voxels(
    particles: Particles,
    tiles: Tiles,
    is_solid: NDArray[np.bool_],
    solid_phi: NDArray[np.float32],
    near: NDArray[np.bool_],
    limits: NDArray[np.int32],
    kinds: NDArray[np.int32],
) -> tuple[NDArray[np.int8] | None, int]:
    """Put particles back that went into a solid cell or through a closed side.

    Args:
        particles: After a move; sorted as they were before it.
        tiles: Where the cells are.
        is_solid: By cell.
        solid_phi: Signed distance of cell centres to the nearest body, in cells.
        near: By slot, whether a particle of this tile can meet a solid cell or a side.
        limits: First cell of the domain and one past the last, by axis.
        kinds: What the sides are, by axis.

    Returns:
        For each particle 0, or 1 + 2·axis + (0 low, 1 high) if it left through an open side, None if none
        did; and how many could not be put back.
    """
    left = np.zeros(particles.count, np.int8)
    chunks = chunk_count()
    gone, stuck = np.zeros(chunks, np.int64), np.zeros(chunks, np.int64)
    arrays = (particles.cell, particles.offset, particles.velocity, particles.starts)
    where = (near, tiles.origins, tiles.keys, is_solid, solid_phi)
    _leave(tiles.shape)(*arrays, *where, limits, kinds, left, gone, stuck, chunks)
    return left if gone.any() else None, int(stuck.sum())


@inlined
def _solid_phi_at(solid_phi, keys, x, y, z, BZ, BY, BX):
    """Distance between cell centres, at global coordinates in cells."""
    x -= 0.5
    y -= 0.5
    i, j = int(np.floor(x)), int(np.floor(y))
    fx, fy = x - i, y - j
    k, fz = 0, 0.0
    if BZ > 1:
        z -= 0.5
        k = int(np.floor(z))
        fz = z - k
    total = 0.0
    for corner in range(8 if BZ > 1 else 4):
        a, b, c = corner & 1, (corner >> 1) & 1, corner >> 2
        w = (fx if a else 1.0 - fx) * (fy if b else 1.0 - fy)
        if BZ > 1:
            w *= fz if c else 1.0 - fz
        total += w * np.float64(lookup(solid_phi, keys, i + a, j + b, k + c, BZ, BY, BX))
    return total


@for_tile_shape
def _leave(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = 2 if BZ == 1 else 3

    @kernel
    def run(
        cell,
        offset,
        velocity,
        starts,
        near,
        origins,
        keys,
        is_solid,
        solid_phi,
        limits,
        kinds,
        left,
        gone,
        stuck,
        chunks,
    ):
        n = len(near) - 1
        for c in prange(chunks):
            failures = 0
            leaving = 0
            place = np.zeros(3)
            normal = np.zeros(3)
            for t in chunk_slots(c, chunks, n):
                if not near[t]:
                    continue
                for p in range(starts[t], starts[t + 1]):
                    left[p] = meet_sides(cell, offset, velocity, limits, kinds, p, DIM)
                    if left[p]:
                        leaving += 1
                        continue
                    x = cell[0, p] - origins[t, 0]
                    y = cell[1, p] - origins[t, 1]
                    z = cell[2, p] - origins[t, 2] if DIM == 3 else 0
                    if 0 <= x < BX and 0 <= y < BY and 0 <= z < BZ:
                        if not is_solid[t, z, y, x]:
                            continue
                    elif not lookup(
                        is_solid, keys, x + origins[t, 0], y + origins[t, 1], z + origins[t, 2], BZ, BY, BX
                    ):
                        continue

                    # In a solid cell: out along the normal, a little further each time
                    for axis in range(DIM):
                        place[axis] = np.float64(cell[axis, p]) + np.float64(offset[axis, p])
                    is_free = False
                    for attempt in range(_TRIES):
                        here = _solid_phi_at(solid_phi, keys, place[0], place[1], place[2], BZ, BY, BX)
                        length = 0.0
                        for axis in range(DIM):
                            dx = 0.25 if axis == 0 else 0.0
                            dy = 0.25 if axis == 1 else 0.0
                            dz = 0.25 if axis == 2 else 0.0
                            normal[axis] = _solid_phi_at(
                                solid_phi, keys, place[0] + dx, place[1] + dy, place[2] + dz, BZ, BY, BX
                            ) - _solid_phi_at(solid_phi, keys, place[0] - dx, place[1] - dy, place[2] - dz, BZ, BY, BX)
                            length += normal[axis] ** 2
                        length = np.sqrt(length)
                        if not length > 0.0:
                            break
                        step = max(-here, 0.0) + 0.1 * (attempt + 1)
                        for axis in range(DIM):
                            normal[axis] /= length
                            place[axis] += step * normal[axis]
                            low = np.float64(limits[axis, 0]) + 1e-3
                            high = np.float64(limits[axis, 1]) - 1e-3
                            if kinds[axis, 0] == CLOSED:
                                place[axis] = max(place[axis], low)
                            if kinds[axis, 1] == CLOSED:
                                place[axis] = min(place[axis], high)
                        i, j = int(np.floor(place[0])), int(np.floor(place[1]))
                        k = int(np.floor(place[2])) if DIM == 3 else 0
                        if not lookup(is_solid, keys, i, j, k, BZ, BY, BX):
                            is_free = True
                            break
                    if not is_free:
                        failures += 1
                        continue
                    inward = 0.0
                    for axis in range(DIM):
                        inward += np.float64(velocity[axis, p]) * normal[axis]
                    for axis in range(DIM):
                        whole = np.floor(place[axis])
                        cell[axis, p] = np.int32(whole)
                        offset[axis, p] = min(np.float32(place[axis] - whole), np.float32(0.999999))
                        velocity[axis, p] -= np.float32(min(inward, 0.0) * normal[axis])
            stuck[c] = failures
            gone[c] = leaving

    return run
