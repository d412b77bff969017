"""The sides of the domain, as particles meet them: closed ones put them back, open ones let them out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, inlined, kernel
from plash.grid.loops import chunk_slots, numbers_in
from plash.particles.particles import Particles
from plash.timing import stage

UNBOUNDED, CLOSED, OPEN = 0, 1, 2
SIDE_MARGIN = np.float32(1e-3)  # cells between a side and a particle put back


class SideLimits(NamedTuple):
    """The sides of the domain by axis and end, as kernels take them.

    Attributes:
        limits: First cell of the domain and one past the last.
        kinds: What the sides are.
    """

    limits: NDArray[np.int32]
    kinds: NDArray[np.int32]


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
    sides = SideLimits(limits, kinds)
    _keep_inside(particles.places, particles.velocity, particles.starts, near, sides, left, gone, chunks)
    return left if gone.any() else None


@inlined
def meet_sides(places, velocity, sides, p, dimension):
    """Put particle p back if it went through a closed side; 1 + 2·axis + (0 low, 1 high) if it left by an open one."""
    cell, offset = places
    limits, kinds = sides
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


@inlined
def is_between_sides(place, sides, dimension):
    """Whether a place lies beyond no closed side."""
    limits, kinds = sides
    is_between = True
    for axis in range(dimension):
        is_between &= kinds[axis, 0] != CLOSED or place[axis] >= limits[axis, 0]
        is_between &= kinds[axis, 1] != CLOSED or place[axis] < limits[axis, 1]
    return is_between


@inlined
def hold_between_sides(place, speed, sides, dimension):
    """Move a place back that lies beyond a closed side; whether it did."""
    limits, kinds = sides
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


@kernel
def _keep_inside(places, velocity, starts, near, sides, left, gone, chunks):
    n = len(near) - 1
    for c in prange(chunks):
        leaving = 0
        for t in chunk_slots(c, chunks, n):
            if not near[t]:
                continue
            for p in numbers_in(starts, t):
                left[p] = meet_sides(places, velocity, sides, p, len(places.cell))
                leaving += left[p] > 0
        gone[c] = leaving
