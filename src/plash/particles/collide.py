"""Particles kept out of solids.

A move is traced, not judged by its end: along the segment the solid's distance says how far it is safe to go, a
particle stops where it meets the solid and slides on along its surface. So nothing gets through a wall however far
it moves in a step. The distance is interpolated between corners of cells; `particles/project_out.py` then tests
particles close to a body with the exact shape. A particle loses the velocity into the solid, and in a corner, where its
way ends, what would carry it on; no other. None is ever removed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.loops import chunk_slots, numbers_in
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import split_position
from plash.particles.sides import SideLimits, hold_between_sides, is_between_sides
from plash.particles.slide import (
    MARGIN,
    Nearby,
    Path,
    cell_in_block,
    lift_out,
    look,
    lose_rest,
    may_be_inside,
    slide_along_walls,
)
from plash.timing import stage

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
def collide_particles(
    particles: Particles,
    start: Start,
    tiles: Tiles,
    solid_phi: NDArray[np.float32],
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
        solid_phi: Signed distance to solids at the minimal corner of cells, in cells; large where there is none.
        near: By slot, whether a particle of this tile can meet a solid unless it goes further than a tile.
        limits: First cell of the domain and one past the last, by axis.
        kinds: What the sides are, by axis.
        keep_velocity: Whether velocities stay as they are, for moves that are not due to them.
    """
    close = np.zeros(particles.count, np.bool_)
    moved = _Moved(particles.cell, particles.offset, particles.velocity)
    solid, sides = _Solid(solid_phi, near), SideLimits(limits, kinds)
    _trace(tiles.shape)(moved, start, particles.in_tiles(tiles), solid, sides, keep_velocity, close, chunk_count())
    return np.flatnonzero(close)


class _Moved(NamedTuple):
    """Particles after a move."""

    cell: NDArray[np.int32]
    offset: NDArray[np.float32]
    velocity: NDArray[np.float32]


class _Solid(NamedTuple):
    """Distance to solids at the minimal corner of cells, and which tiles' particles can meet one."""

    phi: NDArray[np.float32]
    near: NDArray[np.bool_]


@for_tile_shape
def _trace(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    SIZE = int(np.prod(block_sizes(shape, 1)[:3]))
    BLUR = _BLUR[DIM]
    STEEPEST = DIM**0.5  # of a distance between corners: no part of its gradient is greater than one

    @kernel
    def run(moved, start, in_tiles, solid, sides, keep_velocity, close, chunks):
        cell, offset, velocity = moved
        start_cell, start_offset = start
        starts, origins, neighbours, keys = in_tiles
        solid_phi, near = solid
        n = len(near) - 1
        for c in prange(chunks):
            block = np.empty(SIZE, np.float32)
            path = Path(np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(8))
            place, move, there, speed, _, before, corners = path
            tile_of_block = 0
            for t in chunk_slots(c, chunks, n):
                nearby = Nearby(block, solid_phi, keys, origins, t)
                for p in numbers_in(starts, t):
                    square = 0.0
                    for axis in range(DIM):
                        place[axis] = np.float64(start_cell[axis, p]) + np.float64(start_offset[axis, p])
                        there[axis] = np.float64(cell[axis, p]) + np.float64(offset[axis, p])
                        move[axis] = there[axis] - place[axis]
                        square += move[axis] ** 2
                    length = np.sqrt(square)
                    if not near[t] and length < BX:
                        continue
                    if tile_of_block != t:
                        copy_block(block, solid_phi, neighbours, t, 1, BZ, BY, BX)
                        tile_of_block = t
                    # Most are too far from any solid to have met one: the distance grows by no more than the way
                    k = cell[2, p] if DIM == 3 else 0
                    first = cell_in_block(origins, t, cell[0, p], cell[1, p], k, BZ, BY, BX)
                    if first >= 0 and block[np.uint64(first)] > length + 2.0:
                        continue
                    depth = look(corners, nearby, there, BZ, BY, BX)
                    if depth > MARGIN + STEEPEST * length and is_between_sides(there, sides, DIM):
                        close[p] = depth < BLUR and may_be_inside(corners, there, DIM)
                        continue

                    for axis in range(DIM):
                        speed[axis] = velocity[axis, p]
                    before[:] = 0.0
                    is_held = slide_along_walls(path, nearby, sides, BZ, BY, BX)
                    lose_rest(move, speed, length)

                    # Out along the normal, if it is inside after all; but not out of the domain
                    is_held |= hold_between_sides(place, speed, sides, DIM)
                    is_held |= lift_out(path, nearby, sides, BZ, BY, BX)
                    depth = look(corners, nearby, place, BZ, BY, BX)
                    close[p] = depth < BLUR and may_be_inside(corners, place, DIM)
                    if not is_held:
                        continue
                    for axis in range(DIM):
                        cell[axis, p], offset[axis, p] = split_position(place[axis])
                        if not keep_velocity:
                            velocity[axis, p] = np.float32(speed[axis])

    return run
