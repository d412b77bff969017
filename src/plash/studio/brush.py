"""What a pointer does to a liquid made of particles: carry it along, add some, take some away."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import FaceField
from plash.particles.particles import Particles
from plash.particles.seed import seed
from plash.particles.seed_parts import Distance

MOST_PARTICLES = 600_000
_LEAST_ROOM = 0.2  # share of a cell that must be empty for liquid to be added


def push_particles(
    particles: Particles, center: tuple[float, float], velocity: tuple[float, float], radius: float
) -> None:
    """Bring particles near a point towards a velocity: u += w (v - u), w = (1 - (r/radius)²)².

    Args:
        particles: Of the liquid.
        center: In cells.
        velocity: m/s.
        radius: In cells.
    """
    weight = _weight(particles.cell + particles.offset, center, radius)
    for axis in range(2):
        particles.velocity[axis] += weight * (np.float32(velocity[axis]) - particles.velocity[axis])


def push_faces(field: FaceField, center: tuple[float, float], velocity: tuple[float, float], radius: float) -> None:
    """The same for the velocity on the grid, which the next step's length depends on; unknown stays unknown."""
    tiles = field.tiles
    _, height, width = tiles.shape
    for axis in range(2):
        x = tiles.origins[:, 0, None, None] + np.arange(width) + (0.0 if axis == 0 else 0.5)
        y = tiles.origins[:, 1, None, None] + np.arange(height)[:, None] + (0.0 if axis == 1 else 0.5)
        places = np.stack(np.broadcast_arrays(x, y))
        weight = _weight(places, center, radius)
        weight[0] = 0
        pool = field.pool[axis, :, 0]
        pool += weight * (np.float32(velocity[axis]) - pool)


def poured(
    particles: Particles,
    wanted: Distance,
    box: tuple[int, ...],
    h: float,
    per_cell: int,
    jitter: float,
    random: np.random.Generator,
) -> Particles:
    """New particles for a shape, in cells that have room for them; as much as there is room.

    Args:
        particles: Those that are there.
        wanted: Signed distance (m) to where liquid is wanted.
        box: Cells of the domain along x and y.
        h: Cell size, m.
        per_cell: Particles in a full cell.
        jitter: Largest random shift as a share of half the lattice spacing.
        random: Where random numbers come from.
    """
    new = seed(wanted, box, h, per_cell, jitter, random, (0.0, 0.0))
    room = np.maximum(1.0 - _filled(particles, box)[new.cell[1], new.cell[0]], 0.0)
    new.volume *= room.astype(np.float32)
    new.keep(room > _LEAST_ROOM)
    if particles.count + new.count > MOST_PARTICLES:
        new.keep(np.zeros(new.count, np.bool_))
    return new


def inside_disc(particles: Particles, center: tuple[float, float], radius: float) -> NDArray[np.bool_]:
    """Whether particles are in a disc, given in cells."""
    return _weight(particles.cell + particles.offset, center, radius) > 0


def _weight(places: NDArray[Any], center: tuple[float, float], radius: float) -> NDArray[np.float32]:
    x, y = (places[axis] - center[axis] for axis in range(2))
    near = np.maximum(1.0 - (x * x + y * y) / radius**2, 0.0)
    weight: NDArray[np.float32] = (near * near).astype(np.float32)
    return weight


def _filled(particles: Particles, box: tuple[int, ...]) -> NDArray[np.float64]:
    """How full of particles each cell of the domain is [y, x]."""
    x, y = particles.cell
    inside = (x >= 0) & (x < box[0]) & (y >= 0) & (y < box[1])
    number = (y * box[0] + x)[inside]
    total = np.bincount(number, particles.volume[inside], box[0] * box[1])
    filled: NDArray[np.float64] = total.reshape(box[1], box[0]).astype(np.float64)
    return filled
