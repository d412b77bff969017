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
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_slots
from plash.grid.sample import lookup
from plash.grid.tiles import Shape, Tiles
from plash.particles.particles import Particles
from plash.particles.sides import hold_between_sides, is_between_sides
from plash.timing import stage

_MARGIN = 0.02  # cells from a solid, by the interpolated distance, at which a particle stops
_LONGEST = 0.5  # cells between two looks at the distance: no wall is thinner than three of these
_SHORTEST = 0.1
_SLIDES = 8
_SLACK = 0.05  # cells that a way along a hollow wall may go deeper, before it is put back
_HALVINGS = 6
_PUSHES = 3
_ROUNDING = 1e-4  # cells that a stored distance may be wrong by
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
    _trace(tiles.shape)(
        particles.cell,
        particles.offset,
        particles.velocity,
        start.cell,
        start.offset,
        particles.starts,
        near,
        tiles.origins,
        tiles.neighbours,
        tiles.keys,
        solid_phi,
        limits,
        kinds,
        keep_velocity,
        close,
        chunk_count(),
    )
    return np.flatnonzero(close)


@inlined
def _place_in_block(origins, t, i, j, k, BZ, BY, BX):
    """Index of a cell in the block of tile t with a halo of 1; -1 if not all of its corners are in there."""
    HZ = 1 if BZ > 1 else 0
    x, y, z = i - origins[t, 0] + 1, j - origins[t, 1] + 1, k - origins[t, 2] + HZ
    if 0 <= x < BX + 1 and 0 <= y < BY + 1 and 0 <= z < BZ + HZ:
        return (z * (BY + 2) + y) * (BX + 2) + x
    return -1


@inlined
def _look(corners, block, solid_phi, keys, origins, t, place, BZ, BY, BX):
    """Distance at global coordinates in cells, between the corners of the cell there, which it notes.

    From the block of tile t with a halo of 1, if the cell is in it, else from anywhere.
    """
    PY, PX = BY + 2, BX + 2
    i, j = int(np.floor(place[0])), int(np.floor(place[1]))
    k = int(np.floor(place[2])) if BZ > 1 else 0
    fx, fy, fz = place[0] - i, place[1] - j, place[2] - k
    gx, gy, gz = 1.0 - fx, 1.0 - fy, 1.0 - fz
    first = _place_in_block(origins, t, i, j, k, BZ, BY, BX)
    if first >= 0:
        for corner in range(8 if BZ > 1 else 4):
            step = ((corner >> 2) * PY + ((corner >> 1) & 1)) * PX + (corner & 1)
            corners[corner] = block[np.uint64(first + step)]
    else:
        for corner in range(8 if BZ > 1 else 4):
            a, b, c = corner & 1, (corner >> 1) & 1, corner >> 2
            corners[corner] = lookup(solid_phi, keys, i + a, j + b, k + c, BZ, BY, BX)
    near = gy * (gx * corners[0] + fx * corners[1]) + fy * (gx * corners[2] + fx * corners[3])
    if BZ == 1:
        return near
    far = gy * (gx * corners[4] + fx * corners[5]) + fy * (gx * corners[6] + fx * corners[7])
    return gz * near + fz * far


@inlined
def _find_normal(corners, place, normal, DIM):
    """Unit gradient of the distance at the place that was looked at last."""
    square = 0.0
    for axis in range(DIM):
        slope = 0.0
        for corner in range(1 << DIM):
            weight = 1.0 if (corner >> axis) & 1 else -1.0
            for other in range(DIM):
                if other != axis:
                    part = place[other] - np.floor(place[other])
                    weight *= part if (corner >> other) & 1 else 1.0 - part
            slope += weight * corners[corner]
        normal[axis] = slope
        square += slope**2
    length = np.sqrt(square)
    for axis in range(DIM):
        normal[axis] = normal[axis] / length if length > 1e-6 else 0.0


@inlined
def _may_be_inside(corners, place, DIM):
    """Whether the place looked at last is further from every corner of its cell than the solid is from that corner."""
    for corner in range(1 << DIM):
        square = 0.0
        for axis in range(DIM):
            square += (place[axis] - np.floor(place[axis]) - ((corner >> axis) & 1)) ** 2
        safe = corners[corner] - _ROUNDING
        if safe > 0.0 and safe * safe > square:
            return False
    return True


@inlined
def _against(vector, normal):
    """Part of a vector along a normal, if it goes against it, else 0."""
    return min(vector[0] * normal[0] + vector[1] * normal[1] + vector[2] * normal[2], 0.0)


@inlined
def _turn_along(vector, normal, before, DIM):
    """Take from a vector what goes into the wall that is met; between it and the wall before, what crosses their edge.

    Args:
        vector: Is changed.
        normal: Of the wall that is met.
        before: Of the wall met before, or zero.
        DIM: 2 or 3.
    """
    against = _against(vector, normal)
    for axis in range(3):
        vector[axis] -= against * normal[axis]
    if _against(vector, before) < -1e-9:
        edge_x = normal[1] * before[2] - normal[2] * before[1]
        edge_y = normal[2] * before[0] - normal[0] * before[2]
        edge_z = normal[0] * before[1] - normal[1] * before[0]
        square = edge_x**2 + edge_y**2 + edge_z**2
        along = (vector[0] * edge_x + vector[1] * edge_y + vector[2] * edge_z) / max(square, 1e-12)
        if DIM == 2 or square < 1e-12:
            along = 0.0
        vector[0], vector[1], vector[2] = along * edge_x, along * edge_y, along * edge_z


@inlined
def _lift(corners, block, solid_phi, keys, origins, t, place, speed, normal, limits, kinds, BZ, BY, BX):
    """Move a place that is too deep out along the normal, but not out of the domain; whether it was."""
    DIM = 2 if BZ == 1 else 3
    was_deep = False
    for _ in range(_PUSHES):
        depth = _look(corners, block, solid_phi, keys, origins, t, place, BZ, BY, BX)
        if depth >= _MARGIN - 1e-5:
            break
        was_deep = True
        _find_normal(corners, place, normal, DIM)
        against = _against(speed, normal)
        for axis in range(3):
            place[axis] += (_MARGIN - depth) * normal[axis]
            speed[axis] -= against * normal[axis]
        hold_between_sides(place, speed, limits, kinds, DIM)
    return was_deep


@for_tile_shape
def _trace(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = 2 if BZ == 1 else 3
    SIZE = int(np.prod(block_sizes(shape, 1)[:3]))
    BLUR = _BLUR[DIM]
    STEEPEST = DIM**0.5  # of a distance between corners: no part of its gradient is greater than one

    @kernel
    def run(
        cell,
        offset,
        velocity,
        start_cell,
        start_offset,
        starts,
        near,
        origins,
        neighbours,
        keys,
        solid_phi,
        limits,
        kinds,
        keep_velocity,
        close,
        chunks,
    ):
        n = len(near) - 1
        for c in prange(chunks):
            block = np.empty(SIZE, np.float32)
            corners = np.zeros(8)
            place = np.zeros(3)
            move = np.zeros(3)
            there = np.zeros(3)
            normal = np.zeros(3)
            speed = np.zeros(3)
            before = np.zeros(3)
            tile_of_block = 0
            for t in chunk_slots(c, chunks, n):
                for p in range(starts[t], starts[t + 1]):
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
                    first = _place_in_block(origins, t, cell[0, p], cell[1, p], k, BZ, BY, BX)
                    if first >= 0 and block[np.uint64(first)] > length + 2.0:
                        continue
                    depth = _look(corners, block, solid_phi, keys, origins, t, there, BZ, BY, BX)
                    if depth > _MARGIN + STEEPEST * length and is_between_sides(there, limits, kinds, DIM):
                        close[p] = depth < BLUR and _may_be_inside(corners, there, DIM)
                        continue

                    for axis in range(DIM):
                        speed[axis] = velocity[axis, p]
                    before[:] = 0.0
                    way = length
                    is_held = False
                    for slide in range(_SLIDES):
                        # To a place inside the domain: put back from outside, it might be behind a wall
                        square = 0.0
                        for axis in range(3):
                            there[axis] = place[axis] + move[axis]
                        is_held |= hold_between_sides(there, speed, limits, kinds, DIM)
                        for axis in range(3):
                            move[axis] = there[axis] - place[axis]
                            square += move[axis] ** 2
                        length = np.sqrt(square)
                        if square < 1e-12:
                            break

                        # As far as it is safe to go, not below the margin nor deeper than at the start; then halving
                        # what lies between there and the first place that is not safe. One that slides may go a
                        # little deeper: along a hollow wall a straight way does
                        here = _look(corners, block, solid_phi, keys, origins, t, place, BZ, BY, BX)
                        least = min(here, _MARGIN) - (1e-6 if slide == 0 else _SLACK)
                        free = 0.0
                        blocked = np.inf
                        if here < _MARGIN - 1e-5:
                            _find_normal(corners, place, normal, DIM)
                            if _against(move, normal) < 0.0:
                                blocked = 0.0
                        halvings = 0
                        while free < length and blocked - free >= 1e-3 and halvings < _HALVINGS:
                            probe = min(free + min(max(here - _MARGIN, _SHORTEST), _LONGEST), length)
                            if blocked < np.inf:
                                probe = 0.5 * (free + blocked)
                                halvings += 1
                            for axis in range(3):
                                there[axis] = place[axis] + move[axis] * (probe / length)
                            gap_there = _look(corners, block, solid_phi, keys, origins, t, there, BZ, BY, BX)
                            if gap_there < least:
                                blocked = probe
                            else:
                                free = probe
                                here = gap_there
                        if blocked == np.inf:
                            for axis in range(3):
                                place[axis] += move[axis]
                                move[axis] = 0.0
                            break

                        # The wall that is met lies ahead: at the border of two cells of a hollow the normal here is
                        # that of the wall behind, and a move along that would be stopped again and again
                        is_held = True
                        for axis in range(3):
                            there[axis] = place[axis] + move[axis] * (blocked / length)
                            place[axis] += move[axis] * (free / length)
                            move[axis] *= 1.0 - free / length
                        _look(corners, block, solid_phi, keys, origins, t, there, BZ, BY, BX)
                        _find_normal(corners, there, normal, DIM)
                        _turn_along(move, normal, before, DIM)
                        _turn_along(speed, normal, before, DIM)
                        for axis in range(3):
                            before[axis] = normal[axis]
                        _lift(
                            corners, block, solid_phi, keys, origins, t, place, speed, normal, limits, kinds, BZ, BY, BX
                        )

                    # Of a way that could not be finished, the velocity along the rest is lost
                    square = move[0] ** 2 + move[1] ** 2 + move[2] ** 2
                    if square >= 1e-12:
                        along = max(speed[0] * move[0] + speed[1] * move[1] + speed[2] * move[2], 0.0) / square
                        for axis in range(3):
                            speed[axis] -= min(np.sqrt(square) / way, 1.0) * along * move[axis]

                    # Out along the normal, if it is inside after all; but not out of the domain
                    is_held |= hold_between_sides(place, speed, limits, kinds, DIM)
                    is_held |= _lift(
                        corners, block, solid_phi, keys, origins, t, place, speed, normal, limits, kinds, BZ, BY, BX
                    )
                    depth = _look(corners, block, solid_phi, keys, origins, t, place, BZ, BY, BX)
                    close[p] = depth < BLUR and _may_be_inside(corners, place, DIM)
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
