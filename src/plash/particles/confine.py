"""Particles kept out of solids and inside the domain.

A move is traced, not judged by its end: along the segment the solid's distance says how far it is safe to go, a
particle stops where it meets the solid and slides on along its surface. So nothing gets through a wall however far
it moves in a step. The distance is interpolated between corners of cells; `particles/push_out.py` then tests particles
close to a body with the exact shape. A particle loses the velocity into the solid and no other. None is ever removed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.sample import lookup
from plash.grid.tiles import Shape, Tiles
from plash.particles.particles import Particles
from plash.stages import stage

UNBOUNDED, CLOSED, OPEN = 0, 1, 2
SIDE_MARGIN = np.float32(1e-3)  # cells between a side and a particle put back

_MARGIN = 0.02  # cells from a solid, by the interpolated distance, at which a particle stops
_LONGEST = 0.5  # cells between two looks at the distance: no wall is thinner than three of these
_SHORTEST = 0.01
_SLIDES = 4
_PUSHES = 3
# Cells: an interpolated distance is never more than this above the true one, as no corner is further away on average
_BLUR = {2: 0.71, 3: 0.87}


class Start(NamedTuple):
    """Where particles were before a move: cell and offset."""

    cell: NDArray[np.int32]
    offset: NDArray[np.float32]

    @staticmethod
    def of(particles: Particles) -> Start:
        """The present places."""
        return Start(particles.cell.copy(), particles.offset.copy())


@stage
def trace_particles(
    particles: Particles,
    start: Start,
    tiles: Tiles,
    gap: NDArray[np.float32],
    near: NDArray[np.bool_],
    limits: NDArray[np.int32],
    kinds: NDArray[np.int32],
    keep_velocity: bool = False,
) -> NDArray[np.int64]:
    """Stop moves where they meet a solid and let the rest slide along it; returns the particles close to one.

    Args:
        particles: After the move; sorted as they were before it.
        start: Before the move.
        tiles: Where the distance is known.
        gap: Signed distance to solids at the minimal corner of cells, in cells; large where there is none.
        near: By slot, whether a particle of this tile can meet a solid unless it goes further than a tile.
        limits: First cell of the domain and one past the last, by axis.
        kinds: What the sides are, by axis.
        keep_velocity: Whether velocities stay as they are, for moves that are not due to them.
    """
    close = np.zeros(particles.count, np.bool_)
    _trace(tiles.shape)(
        particles.cell,
        particles.offset,
        particles.velocity,
        start.cell,
        start.offset,
        particles.starts,
        near,
        tiles.origins,
        tiles.keys,
        gap,
        limits,
        kinds,
        keep_velocity,
        close,
        chunk_count(),
    )
    return np.flatnonzero(close)


@stage
def keep_inside(
    particles: Particles, limits: NDArray[np.int32], kinds: NDArray[np.int32], near: NDArray[np.bool_]
) -> NDArray[np.int8] | None:
    """Put particles back that went through a closed side of the domain.

    Args:
        particles: After a move; sorted as they were before it.
        limits: First cell of the domain and one past the last, by axis.
        kinds: What the sides are, by axis.
        near: By slot, whether a particle of this tile can meet a side.

    Returns:
        For each particle 0, or 1 + 2·axis + (0 low, 1 high) if it left through an open side; None if none did.
    """
    left = np.zeros(particles.count, np.int8)
    chunks = chunk_count()
    gone = np.zeros(chunks, np.int64)
    arrays = (particles.cell, particles.offset, particles.velocity, particles.starts)
    _keep_inside(*arrays, near, limits, kinds, left, gone, chunks)
    return left if gone.any() else None


@inlined
def meet_sides(cell, offset, velocity, limits, kinds, p, dimension):  # type: ignore[no-untyped-def]
    """Put particle p back if it went through a closed side; 1 + 2·axis + (0 low, 1 high) if it left by an open one."""
    left = 0
    for axis in range(dimension):
        if cell[axis, p] < limits[axis, 0]:
            if kinds[axis, 0] == CLOSED:
                cell[axis, p] = limits[axis, 0]
                offset[axis, p] = SIDE_MARGIN
                velocity[axis, p] = max(velocity[axis, p], np.float32(0))
            elif kinds[axis, 0] == OPEN:
                left = 1 + 2 * axis
        elif cell[axis, p] >= limits[axis, 1]:
            if kinds[axis, 1] == CLOSED:
                cell[axis, p] = limits[axis, 1] - 1
                offset[axis, p] = np.float32(1) - SIDE_MARGIN
                velocity[axis, p] = min(velocity[axis, p], np.float32(0))
            elif kinds[axis, 1] == OPEN:
                left = 2 + 2 * axis
    return np.int8(left)


@kernel
def _keep_inside(cell, offset, velocity, starts, near, limits, kinds, left, gone, chunks):  # type: ignore[no-untyped-def]
    n = len(near) - 1
    for c in prange(chunks):
        leaving = 0
        for t in range(1 + c * n // chunks, 1 + (c + 1) * n // chunks):
            if not near[t]:
                continue
            for p in range(starts[t], starts[t + 1]):
                left[p] = meet_sides(cell, offset, velocity, limits, kinds, p, len(cell))
                leaving += left[p] > 0
        gone[c] = leaving


@inlined
def _corner(gap, keys, t, i, j, k, ox, oy, oz, BZ, BY, BX):  # type: ignore[no-untyped-def]
    """Distance at the minimal corner of a cell: from tile t, if the cell is in it, else from anywhere."""
    x, y, z = i - ox, j - oy, k - oz
    if 0 <= x < BX and 0 <= y < BY and 0 <= z < BZ:
        return np.float64(gap[t, z, y, x])
    return np.float64(lookup(gap, keys, i, j, k, BZ, BY, BX))


@inlined
def _sample(corners, gap, keys, t, place, slope, ox, oy, oz, BZ, BY, BX):  # type: ignore[no-untyped-def]
    """Distance between corners of cells at global coordinates in cells; sets its unit gradient as well."""
    i, j = int(np.floor(place[0])), int(np.floor(place[1]))
    k = int(np.floor(place[2])) if BZ > 1 else 0
    fx, fy, fz = place[0] - i, place[1] - j, place[2] - k
    count = 8 if BZ > 1 else 4
    for corner in range(count):
        a, b, c = corner & 1, (corner >> 1) & 1, corner >> 2
        corners[corner] = _corner(gap, keys, t, i + a, j + b, k + c, ox, oy, oz, BZ, BY, BX)
    total = 0.0
    slope[0] = slope[1] = slope[2] = 0.0
    for corner in range(count):
        a, b, c = corner & 1, (corner >> 1) & 1, corner >> 2
        wx, wy = fx if a else 1.0 - fx, fy if b else 1.0 - fy
        wz = 1.0
        if BZ > 1:
            wz = fz if c else 1.0 - fz
        value = corners[corner]
        total += wx * wy * wz * value
        slope[0] += (value if a else -value) * wy * wz
        slope[1] += (value if b else -value) * wx * wz
        if BZ > 1:
            slope[2] += (value if c else -value) * wx * wy
    length = np.sqrt(slope[0] ** 2 + slope[1] ** 2 + slope[2] ** 2)
    for axis in range(3):
        slope[axis] = slope[axis] / length if length > 1e-6 else 0.0
    return total


@inlined
def _hold_between_sides(place, speed, limits, kinds, dimension):  # type: ignore[no-untyped-def]
    """Move a place back that lies beyond a closed side; whether it did."""
    is_held = False
    for axis in range(dimension):
        if kinds[axis, 0] == CLOSED and place[axis] < limits[axis, 0]:
            place[axis] = np.float64(limits[axis, 0]) + np.float64(SIDE_MARGIN)
            speed[axis] = max(speed[axis], 0.0)
            is_held = True
        elif kinds[axis, 1] == CLOSED and place[axis] >= limits[axis, 1]:
            place[axis] = np.float64(limits[axis, 1]) - np.float64(SIDE_MARGIN)
            speed[axis] = min(speed[axis], 0.0)
            is_held = True
    return is_held


@for_tile_shape
def _trace(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = 2 if BZ == 1 else 3
    BLUR = _BLUR[DIM]

    @kernel
    def run(  # type: ignore[no-untyped-def]
        cell,
        offset,
        velocity,
        start_cell,
        start_offset,
        starts,
        near,
        origins,
        keys,
        gap,
        limits,
        kinds,
        keep_velocity,
        close,
        chunks,
    ):
        n = len(near) - 1
        for c in prange(chunks):
            corners = np.zeros(8)
            place = np.zeros(3)
            move = np.zeros(3)
            there = np.zeros(3)
            normal = np.zeros(3)
            speed = np.zeros(3)
            for t in range(1 + c * n // chunks, 1 + (c + 1) * n // chunks):
                ox, oy, oz = origins[t, 0], origins[t, 1], origins[t, 2]
                for p in range(starts[t], starts[t + 1]):
                    # Most are too far from any solid to meet one: the distance grows by no more than the way
                    square = 0.0
                    for axis in range(DIM):
                        place[axis] = np.float64(start_cell[axis, p]) + np.float64(start_offset[axis, p])
                        move[axis] = np.float64(cell[axis, p]) + np.float64(offset[axis, p]) - place[axis]
                        square += move[axis] ** 2
                    length = np.sqrt(square)
                    if not near[t] and length < BX:
                        continue
                    k = cell[2, p] if DIM == 3 else 0
                    if _corner(gap, keys, t, cell[0, p], cell[1, p], k, ox, oy, oz, BZ, BY, BX) > length + 2.0:
                        continue

                    for axis in range(DIM):
                        speed[axis] = velocity[axis, p]
                    is_held = False
                    for _ in range(_SLIDES):
                        # To a place inside the domain: put back from outside, it might be behind a wall
                        square = 0.0
                        for axis in range(3):
                            there[axis] = place[axis] + move[axis]
                        is_held |= _hold_between_sides(there, speed, limits, kinds, DIM)
                        for axis in range(3):
                            move[axis] = there[axis] - place[axis]
                            square += move[axis] ** 2
                        length = np.sqrt(square)

                        # How far it is safe to go: not below the margin, nor deeper than at the start
                        least = min(_sample(corners, gap, keys, t, place, normal, ox, oy, oz, BZ, BY, BX), _MARGIN)
                        least -= 1e-6
                        inward = move[0] * normal[0] + move[1] * normal[1] + move[2] * normal[2]
                        free = 0.0
                        blocked = -1.0
                        if length > 0.0 and least < _MARGIN - 1e-5 and inward < 0.0:
                            blocked = 0.0
                        reach = 0.0
                        while blocked < 0.0 and free < length:
                            here = 0.0
                            for axis in range(3):
                                there[axis] = place[axis] + move[axis] * (free / length)
                            here = _sample(corners, gap, keys, t, there, normal, ox, oy, oz, BZ, BY, BX)
                            reach = min(free + min(max(here - _MARGIN, _SHORTEST), _LONGEST), length)
                            for axis in range(3):
                                there[axis] = place[axis] + move[axis] * (reach / length)
                            here = _sample(corners, gap, keys, t, there, normal, ox, oy, oz, BZ, BY, BX)
                            if here < least:
                                blocked = reach
                            else:
                                free = reach
                        if blocked < 0.0:
                            for axis in range(3):
                                place[axis] += move[axis]
                                move[axis] = 0.0
                            break
                        is_held = True
                        for _ in range(6):
                            middle = 0.5 * (free + blocked)
                            if blocked - free < 1e-3:
                                break
                            for axis in range(3):
                                there[axis] = place[axis] + move[axis] * (middle / length)
                            if _sample(corners, gap, keys, t, there, normal, ox, oy, oz, BZ, BY, BX) < least:
                                blocked = middle
                            else:
                                free = middle
                        for axis in range(3):
                            place[axis] += move[axis] * (free / length)
                            move[axis] *= 1.0 - free / length
                        _sample(corners, gap, keys, t, place, normal, ox, oy, oz, BZ, BY, BX)
                        inward = min(move[0] * normal[0] + move[1] * normal[1] + move[2] * normal[2], 0.0)
                        against = min(speed[0] * normal[0] + speed[1] * normal[1] + speed[2] * normal[2], 0.0)
                        square = 0.0
                        for axis in range(3):
                            move[axis] -= inward * normal[axis]
                            speed[axis] -= against * normal[axis]
                            square += move[axis] ** 2
                        if square < 1e-12:
                            break

                    # Out along the normal, if it is inside after all; but not out of the domain
                    is_held |= _hold_between_sides(place, speed, limits, kinds, DIM)
                    depth = _sample(corners, gap, keys, t, place, normal, ox, oy, oz, BZ, BY, BX)
                    for _ in range(_PUSHES):
                        if depth >= _MARGIN - 1e-5:
                            break
                        is_held = True
                        against = min(speed[0] * normal[0] + speed[1] * normal[1] + speed[2] * normal[2], 0.0)
                        for axis in range(3):
                            place[axis] += (_MARGIN - depth) * normal[axis]
                            speed[axis] -= against * normal[axis]
                        _hold_between_sides(place, speed, limits, kinds, DIM)
                        depth = _sample(corners, gap, keys, t, place, normal, ox, oy, oz, BZ, BY, BX)
                    close[p] = depth < BLUR
                    if not is_held:
                        continue
                    for axis in range(DIM):
                        whole = np.floor(place[axis])
                        rest = np.float32(place[axis] - whole)
                        if rest >= np.float32(1):
                            rest = np.float32(0)
                            whole += 1.0
                        cell[axis, p] = np.int32(whole)
                        offset[axis, p] = rest
                        if not keep_velocity:
                            velocity[axis, p] = np.float32(speed[axis])

    return run
