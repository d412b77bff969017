"""Motes on their way through a frame: spray flies, foam drifts with the surface, bubbles rise in the liquid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range, corner_step, home_of
from plash.grid.tiles import TILE_SHAPES, Shape, dimension_of, find_slot, pack_one
from plash.whitewater.flow import OUTSIDE, Flow
from plash.whitewater.motes import BUBBLE, FOAM, SPRAY

_FLIES, _DIVES = 0.45, -0.4  # cells from the surface: spray is further out, bubbles are further in
_PULL = 8.0  # how fast foam goes back to the surface, in parts of the way during a fall through the domain's height
_AIR_DRAG = 0.35  # of spray's speed that air takes in that time
_DRAG, _LIFT = 30.0, 1.5  # how fast bubbles follow the liquid in that time; their buoyancy over gravity


class Moving(NamedTuple):
    """Motes that are carried: places in cells (n, d), velocities (m/s), kinds, and ages as foam (s)."""

    place: NDArray[np.float64]
    velocity: NDArray[np.float32]
    kind: NDArray[np.uint8]
    age: NDArray[np.float32]


class _Pools(NamedTuple):
    """What motes see of the liquid at the start and at the end of a frame."""

    velocity: NDArray[np.float32]
    phi: NDArray[np.float32]
    keys: NDArray[np.int64]
    neighbours: NDArray[np.int32]


def carry(
    motes: Moving,
    flows: tuple[Flow | None, Flow | None],
    when: float,
    dt: float,
    h: float,
    gravity: tuple[float, ...],
    fall: float,
) -> None:
    """Move motes for a time, and let each be what its place makes of it.

    Args:
        motes: Changed in place.
        flows: The liquid at the start and at the end of the frame.
        when: Share of the frame that is over, from 0 to 1.
        dt: Time to move for, s; 0 tells what each is where it is.
        h: Cell size, m.
        gravity: In m/s².
        fall: Time of a fall through the domain's height, s.
    """
    if len(motes.kind) == 0:
        return
    shape = TILE_SHAPES[motes.place.shape[1]]
    pull = 1 - np.exp(-_PULL * dt / fall)
    rates = np.array([dt, h, when, pull, np.exp(-_AIR_DRAG * dt / fall), _DRAG * dt / fall])
    before, after = (_pools(flow, shape) for flow in flows)
    _step(shape)(motes, before, after, rates, np.array(gravity), chunk_count())


def _pools(flow: Flow | None, shape: Shape) -> _Pools:
    if flow is not None:
        return _Pools(flow.velocity, flow.phi, flow.tiles.keys, flow.tiles.neighbours)
    unknown = np.full((dimension_of(shape), 1, *shape), np.nan, np.float32)
    nowhere = np.full((1, *shape), OUTSIDE, np.float32)
    return _Pools(unknown, nowhere, np.zeros(0, np.int64), np.zeros((1, 27), np.int32))


@for_tile_shape
def _step(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(motes, before, after, rates, gravity, chunks):
        place, velocity, kind, age = motes
        dt, h, when, pull, slowed, drag = rates
        n = len(kind)
        for c in prange(chunks):
            seen = np.empty((2, 8))  # of each flow: velocity, its weight, distance, slope
            for m in chunk_range(c, chunks, n):
                _look(before, place[m], seen[0], DIM, BZ, BY, BX)
                _look(after, place[m], seen[1], DIM, BZ, BY, BX)
                # Where the liquid is at one end of the frame only, that end is all that is known
                known = (1 - when) * seen[0, 3] + when * seen[1, 3]
                for k in range(8):
                    if k < 3:
                        total = (1 - when) * seen[0, 3] * seen[0, k] + when * seen[1, 3] * seen[1, k]
                        seen[0, k] = total / known if known > 0 else 0.0
                    elif k > 3:
                        seen[0, k] = (1 - when) * seen[0, k] + when * seen[1, k]
                phi = seen[0, 4]
                if phi > _FLIES or known <= 0:
                    kind[m] = SPRAY
                    for axis in range(DIM):
                        speed = (velocity[m, axis] + dt * gravity[axis]) * slowed
                        velocity[m, axis] = speed
                        place[m, axis] += dt * speed / h
                elif phi < _DIVES:
                    kind[m] = BUBBLE
                    for axis in range(DIM):
                        speed = velocity[m, axis] - _LIFT * dt * gravity[axis] + drag * seen[0, axis]
                        velocity[m, axis] = speed / (1 + drag)
                        place[m, axis] += dt * velocity[m, axis] / h
                else:
                    kind[m] = FOAM
                    age[m] += dt
                    steep = seen[0, 5] ** 2 + seen[0, 6] ** 2 + seen[0, 7] ** 2
                    back = pull * phi / np.sqrt(steep) if steep > 1e-4 else 0.0
                    for axis in range(DIM):
                        if dt > 0:
                            velocity[m, axis] = seen[0, axis]
                        place[m, axis] += dt * seen[0, axis] / h - back * seen[0, 5 + axis] / max(np.sqrt(steep), 1e-2)

    return run


@inlined
def _look(pools, place, seen, DIM, BZ, BY, BX):
    """Velocity of the liquid at a place, how much of it is known, distance to the surface, and how that changes."""
    velocity, phi, keys, neighbours = pools
    i, j = int(np.floor(place[0])), int(np.floor(place[1]))
    k = int(np.floor(place[2])) if DIM == 3 else 0
    fx, fy, fz = place[0] - i, place[1] - j, place[2] - k if DIM == 3 else 0.0
    tx, ty, tz = i // BX, j // BY, k // BZ
    t = find_slot(keys, pack_one(tx, ty, tz))
    for m in range(8):
        seen[m] = 0.0
    if t == 0:
        seen[4] = OUTSIDE
        return
    for corner in range(4 if DIM == 2 else 8):
        a, b, d = corner_step(corner)
        s, x, y, z = home_of(neighbours, t, i - tx * BX + a, j - ty * BY + b, k - tz * BZ + d, BZ, BY, BX)
        wx, wy, wz = fx if a else 1 - fx, fy if b else 1 - fy, (fz if d else 1 - fz) if DIM == 3 else 1.0
        value = np.float64(phi[s, z, y, x])
        seen[4] += wx * wy * wz * value
        seen[5] += (1.0 if a else -1.0) * wy * wz * value
        seen[6] += (1.0 if b else -1.0) * wx * wz * value
        if DIM == 3:
            seen[7] += (1.0 if d else -1.0) * wx * wy * value
        u = np.float64(velocity[0, s, z, y, x])
        if u == u:
            weight = wx * wy * wz
            seen[3] += weight
            seen[0] += weight * u
            seen[1] += weight * np.float64(velocity[1, s, z, y, x])
            if DIM == 3:
                seen[2] += weight * np.float64(velocity[2, s, z, y, x])
    if seen[3] > 1e-6:
        for axis in range(DIM):
            seen[axis] /= seen[3]
    else:
        seen[3] = 0.0
