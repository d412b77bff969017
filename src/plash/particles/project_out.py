"""Particles put out of the exact shape of solids.

What is inside is moved out along the normal, a little further each time, or, if that fails, back to where it started,
which was outside, and there it moves with the solid. So no particle is inside a solid after a step, to the last bit of
its position; but for one that a solid presses against a closed side of the domain, which stays in the domain.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.particles.positions import split_positions
from plash.particles.sides import CLOSED, SIDE_MARGIN
from plash.timing import stage

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_TRIES = 8
_HAIR = 1e-4  # cells outside a shape at which a particle is put that was inside


@stage
def project_out(
    particles: Particles,
    which: NDArray[np.int64],
    start: Start,
    distance: Distance,
    limits: NDArray[np.int32],
    kinds: NDArray[np.int32],
    keep_velocity: bool = False,
    solid_velocity: Distance | None = None,
) -> int:
    """Move some particles out of the exact shape of solids, or back to their start; returns how many are still inside.

    Args:
        particles: After they were traced.
        which: Those to look at.
        start: Before the move.
        distance: Signed distance of points (n, d) to the solids, all in cells.
        limits: First cell of the domain and one past the last, by axis.
        kinds: What the sides are, by axis.
        keep_velocity: Whether velocities stay as they are.
        solid_velocity: Velocity (n, d) of the nearest solid at points (n, d), m/s; None while all stand.
    """
    which, places, solid_phi = _those_inside(particles, which, distance)
    for attempt in range(_TRIES):
        if len(which) == 0:
            return 0
        normal = normals(distance, places)
        places += ((attempt + 1) * _HAIR - solid_phi)[:, None] * normal
        _stay_between_sides(places, limits, kinds)
        _put(particles, which, places)
        if not keep_velocity:
            velocity = particles.velocity[:, which].astype(np.float64)
            if solid_velocity is not None:
                velocity -= solid_velocity(places).T
            speed = np.minimum(np.einsum("ij,ji->i", normal, velocity), 0.0)
            particles.velocity[:, which] -= (speed[:, None] * normal).T.astype(np.float32)
        which, places, solid_phi = _those_inside(particles, which, distance)
    particles.cell[:, which] = start.cell[:, which]
    particles.offset[:, which] = start.offset[:, which]
    _bring_back(particles, which, limits, kinds)
    if not keep_velocity:
        particles.velocity[:, which] = 0 if solid_velocity is None else solid_velocity(_places(particles, which)).T
    return len(_those_inside(particles, which, distance)[0])


def _those_inside(
    particles: Particles, which: NDArray[np.int64], distance: Distance
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Those of some particles that are inside, their places, and their distances."""
    places = _places(particles, which)
    solid_phi = distance(places)
    inside = solid_phi < 0
    return which[inside], places[inside], solid_phi[inside]


def _bring_back(
    particles: Particles, which: NDArray[np.int64], limits: NDArray[np.int32], kinds: NDArray[np.int32]
) -> None:
    """Put those of some particles back into the domain whose start a solid has carried through a closed side."""
    beyond = np.zeros(len(which), np.bool_)
    for axis, cell in enumerate(particles.cell[:, which]):
        beyond |= (kinds[axis, 0] == CLOSED) & (cell < limits[axis, 0])
        beyond |= (kinds[axis, 1] == CLOSED) & (cell >= limits[axis, 1])
    which = which[beyond]
    places = _places(particles, which)
    _stay_between_sides(places, limits, kinds)
    _put(particles, which, places)


def _places(particles: Particles, which: NDArray[np.int64]) -> NDArray[np.float64]:
    """Positions of some particles in cells, exactly as they are stored."""
    return np.ascontiguousarray((particles.cell[:, which].astype(np.float64) + particles.offset[:, which]).T)


def _put(particles: Particles, which: NDArray[np.int64], places: NDArray[np.float64]) -> None:
    particles.cell[:, which], particles.offset[:, which] = split_positions(places.T)


def normals(distance: Distance, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit gradient of a distance at places (n, d), from central differences; zero where there is none."""
    count, dimension = places.shape
    steps = 1e-3 * np.eye(dimension)
    ends = places + np.stack([steps, -steps])[:, :, None, :]
    ahead, behind = distance(ends.reshape(-1, dimension)).reshape(2, dimension, count)
    normal = np.ascontiguousarray((ahead - behind).T)
    length = np.sqrt(np.einsum("ij,ij->i", normal, normal))
    unit: NDArray[np.float64] = normal / np.maximum(length, 1e-12)[:, None]
    return unit


def _stay_between_sides(places: NDArray[np.float64], limits: NDArray[np.int32], kinds: NDArray[np.int32]) -> None:
    for axis in range(places.shape[1]):
        if kinds[axis, 0] == CLOSED:
            np.maximum(places[:, axis], limits[axis, 0] + float(SIDE_MARGIN), out=places[:, axis])
        if kinds[axis, 1] == CLOSED:
            np.minimum(places[:, axis], limits[axis, 1] - float(SIDE_MARGIN), out=places[:, axis])
