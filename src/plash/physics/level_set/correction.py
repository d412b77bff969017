"""A level set corrected by particles that escaped to the wrong side of it (the empty step 3 of Cline 10.8.2).

A particle has escaped if it is on the wrong side by more than its radius, s φ(x) < -r. It then is right, and the level
set is not. Each carries the distance to its own ball, φ_p(x) = s (r - |x - x_p|), to the 2^d cell centres round it:

    φ₊ = max(φ, φ_p of escaped positive ones) ,    φ₋ = min(φ, φ_p of escaped negative ones)

and the one of both that is nearer to zero is taken. All particles look at φ as it was before.

A liquid has particles of its own side only, which can but add to it: noise would make it grow. There they bring back
no more than is missing.

Reference: Enright et al. 2002; Enright et al. 2005.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.levelset.inside import places_of
from plash.physics.level_set.room import Room
from plash.physics.level_set.signed_particles import SignedParticles
from plash.timing import stage


@stage
def correct(phi: CellField, particles: SignedParticles, h: float, depth: NDArray[np.float64] | None = None) -> int:
    """Let escaped particles correct a level set (m); return how many there were.

    Every cell centre that lies in an escaped negative ball alone is inside afterwards, and outside in a positive one.
    How deep the particles are on their own side, in cells, is found if it is not given.
    """
    depth = particles.depth(phi, h) if depth is None else depth
    escaped = np.flatnonzero(depth < -particles.radius)
    if len(escaped) == 0:
        return 0
    place, sign = particles.place[escaped], particles.sign[escaped]
    first = np.floor(place - 0.5).astype(np.int64)
    sides = {1: (phi.pool.copy(), np.maximum), -1: (phi.pool.copy(), np.minimum)}
    for corner in itertools.product((0, 1), repeat=place.shape[1]):
        cell = first + corner
        away = np.sqrt(np.square(cell + 0.5 - place).sum(axis=1))
        own = (h * sign * (particles.radius[escaped] - away)).astype(np.float32)
        slot, z, y, x = places_of(cell, phi.tiles)
        index = np.ravel_multi_index((slot, z, y, x), phi.pool.shape)
        for side, (pool, nearest) in sides.items():
            mine = (sign == side) & (slot > 0)
            nearest.at(pool.reshape(-1), index[mine], own[mine])
    plus, minus = sides[1][0], sides[-1][0]
    phi.pool = np.where(np.abs(plus) <= np.abs(minus), plus, minus)
    return len(escaped)


def correct_what_is_missing(
    phi: CellField, particles: SignedParticles, depth: NDArray[np.float64], h: float, room: Room
) -> bool:
    """Let escaped particles correct a level set (m), by so much that no volume is there which was not missing.

    Args:
        phi: The level set, m.
        particles: That may have escaped.
        depth: How deep they are on their own side, in cells.
        h: Cell size, m.
        room: What knows how much is missing.

    Returns:
        Whether there were any.
    """
    before = phi.pool
    if correct(phi, particles, h, depth) == 0:
        return False
    room.complete(phi)
    after, left = phi.pool, room.missing(phi)
    if left >= 0:
        return True
    phi.pool = before
    was_missing = room.missing(phi)
    if was_missing > 0:
        phi.pool = before + np.float32(was_missing / (was_missing - left)) * (after - before)
    return True
