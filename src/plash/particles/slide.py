"""One particle on its way past solids: how far it is free to go, and how it slides along the walls that it meets.

The distance to solids is interpolated between corners of cells. These are the pieces of `particles/collide.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined_plainly
from plash.grid.loops import corner_step
from plash.grid.sample import between_four, lookup
from plash.particles.sides import hold_between_sides

MARGIN = 0.02  # cells from a solid, by the interpolated distance, at which a particle stops
_LONGEST = 0.5  # cells between two looks at the distance: no wall is thinner than three of these
_SHORTEST = 0.1
_SLIDES = 8
_SLACK = 0.05  # cells that a way along a hollow wall may go deeper, before it is put back
_HALVINGS = 6
_PUSHES = 3
_ROUNDING = 1e-4  # cells that a stored distance may be wrong by


class Nearby(NamedTuple):
    """The distance in the block of tile t with a halo of 1, and what tells it anywhere else."""

    block: NDArray[np.float32]
    phi: NDArray[np.float32]
    keys: NDArray[np.int64]
    origins: NDArray[np.int32]
    t: int


class Path(NamedTuple):
    """A particle on its way, in global coordinates in cells; the arrays serve one particle after the other.

    Attributes:
        place: Where it is.
        move: What is left of its move.
        there: The place ahead that is looked at.
        speed: Its velocity, m/s.
        normal: Of the wall that it meets.
        before: Of the wall that it met before, or zero.
        corners: Distances at the corners of the cell that was looked at last.
    """

    place: NDArray[np.float64]
    move: NDArray[np.float64]
    there: NDArray[np.float64]
    speed: NDArray[np.float64]
    normal: NDArray[np.float64]
    before: NDArray[np.float64]
    corners: NDArray[np.float64]


@inlined_plainly
def cell_in_block(origins, t, i, j, k, BZ, BY, BX):
    """Index of a cell in the block of tile t with a halo of 1; -1 if not all of its corners are in there."""
    HZ = 1 if BZ > 1 else 0
    x, y, z = i - origins[t, 0] + 1, j - origins[t, 1] + 1, k - origins[t, 2] + HZ
    if 0 <= x < BX + 1 and 0 <= y < BY + 1 and 0 <= z < BZ + HZ:
        return (z * (BY + 2) + y) * (BX + 2) + x
    return -1


@inlined_plainly
def look(corners, nearby, place, BZ, BY, BX):
    """Distance at global coordinates in cells, between the corners of the cell there, which it notes.

    From the block, if the cell is in it, else from anywhere.
    """
    PY, PX = BY + 2, BX + 2
    i, j = int(np.floor(place[0])), int(np.floor(place[1]))
    k = int(np.floor(place[2])) if BZ > 1 else 0
    fx, fy, fz = place[0] - i, place[1] - j, place[2] - k
    gx, gy, gz = 1.0 - fx, 1.0 - fy, 1.0 - fz
    first = cell_in_block(nearby.origins, nearby.t, i, j, k, BZ, BY, BX)
    for corner in range(8 if BZ > 1 else 4):
        a, b, c = corner_step(corner)
        if first >= 0:
            corners[corner] = nearby.block[np.uint64(first + (c * PY + b) * PX + a)]
        else:
            corners[corner] = lookup(nearby.phi, nearby.keys, i + a, j + b, k + c, BZ, BY, BX)
    front = between_four(corners[0], corners[1], corners[2], corners[3], fx, gx, fy, gy)
    if BZ == 1:
        return front
    back = between_four(corners[4], corners[5], corners[6], corners[7], fx, gx, fy, gy)
    return gz * front + fz * back


@inlined_plainly
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


@inlined_plainly
def may_be_inside(corners, place, DIM):
    """Whether the place looked at last is further from every corner of its cell than the solid is from that corner."""
    for corner in range(1 << DIM):
        square = 0.0
        for axis in range(DIM):
            square += (place[axis] - np.floor(place[axis]) - ((corner >> axis) & 1)) ** 2
        safe = corners[corner] - _ROUNDING
        if safe > 0.0 and safe * safe > square:
            return False
    return True


@inlined_plainly
def _against(vector, normal):
    """Part of a vector along a normal, if it goes against it, else 0."""
    return min(vector[0] * normal[0] + vector[1] * normal[1] + vector[2] * normal[2], 0.0)


@inlined_plainly
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


@inlined_plainly
def lift_out(path, nearby, sides, BZ, BY, BX):
    """Move a place that is too deep out along the normal, but not out of the domain; whether it was."""
    DIM = 2 if BZ == 1 else 3
    place, speed, normal = path.place, path.speed, path.normal
    was_deep = False
    for _ in range(_PUSHES):
        depth = look(path.corners, nearby, place, BZ, BY, BX)
        if depth >= MARGIN - 1e-5:
            break
        was_deep = True
        _find_normal(path.corners, place, normal, DIM)
        against = _against(speed, normal)
        for axis in range(3):
            place[axis] += (MARGIN - depth) * normal[axis]
            speed[axis] -= against * normal[axis]
        hold_between_sides(place, speed, sides, DIM)
    return was_deep


@inlined_plainly
def _aim(path, sides, DIM):
    """Let the move end inside the domain: put back from outside, it might be behind a wall. Whether it did not."""
    place, move, there = path.place, path.move, path.there
    for axis in range(3):
        there[axis] = place[axis] + move[axis]
    is_held = hold_between_sides(there, path.speed, sides, DIM)
    for axis in range(3):
        move[axis] = there[axis] - place[axis]
    return is_held


@inlined_plainly
def _free_way(path, nearby, length, is_sliding, BZ, BY, BX):
    """How much of the move is safe, and where the first place is that was found not to be; infinity if there is none.

    As far as it is safe to go, not below the margin nor deeper than at the start; then halving what lies between there
    and the first place that is not safe. One that slides may go a little deeper: along a hollow wall a straight way
    does.
    """
    place, move, there, corners = path.place, path.move, path.there, path.corners
    here = look(corners, nearby, place, BZ, BY, BX)
    least = min(here, MARGIN) - (_SLACK if is_sliding else 1e-6)
    free = 0.0
    blocked = np.inf
    if here < MARGIN - 1e-5:
        _find_normal(corners, place, path.normal, 2 if BZ == 1 else 3)
        if _against(move, path.normal) < 0.0:
            blocked = 0.0
    halvings = 0
    while free < length and blocked - free >= 1e-3 and halvings < _HALVINGS:
        probe = min(free + min(max(here - MARGIN, _SHORTEST), _LONGEST), length)
        if blocked < np.inf:
            probe = 0.5 * (free + blocked)
            halvings += 1
        for axis in range(3):
            there[axis] = place[axis] + move[axis] * (probe / length)
        phi_there = look(corners, nearby, there, BZ, BY, BX)
        if phi_there < least:
            blocked = probe
        else:
            free = probe
            here = phi_there
    return free, blocked


@inlined_plainly
def _turn_at_wall(path, nearby, free, blocked, BZ, BY, BX):
    """Go as far as is free, and turn the rest of the move, and the velocity, along the wall that is met.

    The wall lies ahead: at the border of two cells of a hollow the normal here is that of the wall behind, and a move
    along that would be stopped again and again. Free and blocked are shares of the move.
    """
    DIM = 2 if BZ == 1 else 3
    place, move, there, normal = path.place, path.move, path.there, path.normal
    for axis in range(3):
        there[axis] = place[axis] + move[axis] * blocked
        place[axis] += move[axis] * free
        move[axis] *= 1.0 - free
    look(path.corners, nearby, there, BZ, BY, BX)
    _find_normal(path.corners, there, normal, DIM)
    _turn_along(move, normal, path.before, DIM)
    _turn_along(path.speed, normal, path.before, DIM)
    for axis in range(3):
        path.before[axis] = normal[axis]


@inlined_plainly
def slide_along_walls(path, nearby, sides, BZ, BY, BX):
    """Go along the path, and along each wall that it meets; whether it was held up anywhere."""
    place, move = path.place, path.move
    is_held = False
    for slide in range(_SLIDES):
        is_held |= _aim(path, sides, 2 if BZ == 1 else 3)
        square = move[0] ** 2 + move[1] ** 2 + move[2] ** 2
        length = np.sqrt(square)
        if square < 1e-12:
            break
        free, blocked = _free_way(path, nearby, length, slide > 0, BZ, BY, BX)
        if blocked == np.inf:
            for axis in range(3):
                place[axis] += move[axis]
                move[axis] = 0.0
            break
        is_held = True
        _turn_at_wall(path, nearby, free / length, blocked / length, BZ, BY, BX)
        lift_out(path, nearby, sides, BZ, BY, BX)
    return is_held


@inlined_plainly
def lose_rest(move, speed, way):
    """Of a way that could not be finished, take the velocity along the rest."""
    square = move[0] ** 2 + move[1] ** 2 + move[2] ** 2
    if square >= 1e-12:
        along = max(speed[0] * move[0] + speed[1] * move[1] + speed[2] * move[2], 0.0) / square
        for axis in range(3):
            speed[axis] -= min(np.sqrt(square) / way, 1.0) * along * move[axis]
