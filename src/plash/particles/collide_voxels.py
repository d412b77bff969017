"""Particles out of solid cells: back along the normal of the solid that they went into."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_slots, numbers_in
from plash.grid.sample import interpolate_cells, lookup
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import split_position
from plash.particles.sides import CLOSED, SideLimits, meet_sides

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
    counts = np.zeros((2, chunks), np.int64)
    voxels, sides = _Voxels(is_solid, solid_phi, near), SideLimits(limits, kinds)
    places, in_tiles = particles.places, particles.in_tiles(tiles)
    _leave(tiles.shape)(places, particles.velocity, in_tiles, voxels, sides, left, counts, chunks)
    gone, stuck = counts.sum(axis=1)
    return left if gone else None, int(stuck)


class _Voxels(NamedTuple):
    """Which cells are solid, the distance of their centres, and which tiles' particles can meet one."""

    is_solid: NDArray[np.bool_]
    phi: NDArray[np.float32]
    near: NDArray[np.bool_]


@inlined
def _find_normal(normal, phi, keys, place, BZ, BY, BX):
    """Unit gradient of the distance at a place; whether it has one."""
    DIM = 2 if BZ == 1 else 3
    x, y, z = place[0], place[1], place[2]
    length = 0.0
    for axis in range(DIM):
        dx = 0.25 if axis == 0 else 0.0
        dy = 0.25 if axis == 1 else 0.0
        dz = 0.25 if axis == 2 else 0.0
        ahead = interpolate_cells(phi, keys, x + dx - 0.5, y + dy - 0.5, z + dz - 0.5, BZ, BY, BX)
        normal[axis] = ahead - interpolate_cells(phi, keys, x - dx - 0.5, y - dy - 0.5, z - dz - 0.5, BZ, BY, BX)
        length += normal[axis] ** 2
    length = np.sqrt(length)
    for axis in range(DIM):
        normal[axis] /= length
    return length > 0.0


@inlined
def _push_out(place, normal, voxels, keys, sides, BZ, BY, BX):
    """Move a place out of solid cells along the normal, a little further each time; whether it came out."""
    DIM = 2 if BZ == 1 else 3
    limits, kinds = sides
    for attempt in range(_TRIES):
        here = interpolate_cells(voxels.phi, keys, place[0] - 0.5, place[1] - 0.5, place[2] - 0.5, BZ, BY, BX)
        if not _find_normal(normal, voxels.phi, keys, place, BZ, BY, BX):
            return False
        step = max(-here, 0.0) + 0.1 * (attempt + 1)
        for axis in range(DIM):
            place[axis] += step * normal[axis]
            if kinds[axis, 0] == CLOSED:
                place[axis] = max(place[axis], np.float64(limits[axis, 0]) + 1e-3)
            if kinds[axis, 1] == CLOSED:
                place[axis] = min(place[axis], np.float64(limits[axis, 1]) - 1e-3)
        i, j = int(np.floor(place[0])), int(np.floor(place[1]))
        k = int(np.floor(place[2])) if DIM == 3 else 0
        if not lookup(voxels.is_solid, keys, i, j, k, BZ, BY, BX):
            return True
    return False


@for_tile_shape
def _leave(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(places, velocity, in_tiles, voxels, sides, left, counts, chunks):
        cell, offset = places
        starts, origins, _, keys = in_tiles
        n = len(voxels.near) - 1
        for c in prange(chunks):
            leaving, failures = 0, 0
            place = np.zeros(3)
            normal = np.zeros(3)
            for t in chunk_slots(c, chunks, n):
                if not voxels.near[t]:
                    continue
                for p in numbers_in(starts, t):
                    left[p] = meet_sides(places, velocity, sides, p, DIM)
                    if left[p]:
                        leaving += 1
                        continue
                    x = cell[0, p] - origins[t, 0]
                    y = cell[1, p] - origins[t, 1]
                    z = cell[2, p] - origins[t, 2] if DIM == 3 else 0
                    if 0 <= x < BX and 0 <= y < BY and 0 <= z < BZ:
                        if not voxels.is_solid[t, z, y, x]:
                            continue
                    elif not lookup(
                        voxels.is_solid, keys, x + origins[t, 0], y + origins[t, 1], z + origins[t, 2], BZ, BY, BX
                    ):
                        continue

                    for axis in range(DIM):
                        place[axis] = np.float64(cell[axis, p]) + np.float64(offset[axis, p])
                    if not _push_out(place, normal, voxels, keys, sides, BZ, BY, BX):
                        failures += 1
                        continue
                    inward = 0.0
                    for axis in range(DIM):
                        inward += np.float64(velocity[axis, p]) * normal[axis]
                    for axis in range(DIM):
                        cell[axis, p], offset[axis, p] = split_position(place[axis])
                        velocity[axis, p] -= np.float32(min(inward, 0.0) * normal[axis])
            counts[0, c] = leaving
            counts[1, c] = failures

    return run
