"""Crumbs of a thick liquid: a particle that is on its own right beside the liquid clings to it.

    v -= w [ r - min(n·r, 0) n ] ,    r = v - u ,    w = 1 - exp(-2 ν k/h²)

u is the liquid's velocity, continued to the particle, n points away from the liquid, and k is how long viscosity acts.
So it goes along with the liquid and does not leave it, but may come towards it. Without that, every particle that is a
third of a cell beside a strand falls off by itself, as spray does.

It takes the same share w of the liquid's velocity gradient, if particles carry one. Without that it would hand the
velocity of its own place to faces further in, and a ball that turns would be spun up.

Reference: Batty & Bridson 2008.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.grid.sample import velocity_at
from plash.grid.tiles import Places
from plash.levelset.inside import places_of
from plash.particles.particles import Particles
from plash.timing import stage

_NEAR = 1.5  # cells from the surface, at the centre of a particle's cell


@stage
def let_cling(
    particles: Particles, velocity: FaceField, cells: Cells, viscosity: float | CellField, dt: float, h: float
) -> None:
    """Let the liquid hold the particles that are on their own near it, for dt (s); viscosity in m²/s."""
    assert cells.phi is not None
    alone = np.flatnonzero(particles.ballistic)
    where = places_of(particles.cell[:, alone].T.astype(np.int64), cells.tiles)
    near = (where[0] > 0) & (cells.phi.pool[where] < _NEAR * h)
    alone, where = alone[near], tuple(part[near] for part in where)
    if len(alone) == 0:
        return
    places = (particles.cell[:, alone].astype(np.float64) + particles.offset[:, alone]).T * h
    liquid = velocity_at(velocity, places, h).T
    relative = np.where(np.isnan(liquid), 0.0, particles.velocity[:, alone] - liquid)
    outward = _outward(cells.phi, where)
    leaving = (outward * relative).sum(axis=0)
    nu = viscosity.pool[where].astype(np.float64) if isinstance(viscosity, CellField) else viscosity
    share = 1 - np.exp(-2 * np.nan_to_num(nu) * dt / h**2)
    particles.velocity[:, alone] -= (share * (relative - np.minimum(leaving, 0.0) * outward)).astype(np.float32)
    if len(particles.affine):
        particles.affine[:, alone] = (share * _slopes(velocity, places, h)).astype(np.float32)


def _slopes(velocity: FaceField, points: NDArray[np.float64], h: float) -> NDArray[np.float64]:
    """Differences of a velocity across a cell's width round points, (dimension², n); 0 where one end is not known."""
    dimension = points.shape[1]
    found = np.empty((dimension, dimension, len(points)))
    for axis in range(dimension):
        half = np.zeros(dimension)
        half[axis] = h / 2
        found[:, axis] = (velocity_at(velocity, points + half, h) - velocity_at(velocity, points - half, h)).T
    return np.nan_to_num(found.reshape(dimension**2, len(points)))


def _outward(phi: CellField, places: Places) -> NDArray[np.float64]:
    """Unit vectors away from the liquid at some cells, (dimension, n); 0 where none is known."""
    slopes = []
    for axis in range(phi.tiles.dimension):
        ahead, behind = (phi.pool[phi.tiles.beside(places, axis, step)] for step in (1, -1))
        slopes.append(np.nan_to_num(ahead.astype(np.float64) - behind, posinf=0.0, neginf=0.0))
    slope = np.stack(slopes)
    size = np.sqrt((slope**2).sum(axis=0))
    vectors: NDArray[np.float64] = slope / np.where(size > 0, size, 1.0)
    return vectors
