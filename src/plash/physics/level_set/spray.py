"""Drops: what is too small for a level set flies on by itself, and falls into the liquid again.

A negative particle that is deep outside is liquid which the level set has lost. It becomes a drop with the volume that
it stood for, a cell's over the number of particles in a cell, as long as that volume is missing. Drops fly as bodies
do, and carry their volume. One that falls into the liquid gives it back: the liquid round it swells by so much in the
next step. Drops that fill a cell among them become liquid of the level set.

Reference: Enright et al. 2002, whose escaped particles fly too, but carry no volume.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, Cells
from plash.grid.fields import CellField
from plash.grid.tiles import Places
from plash.levelset.inside import places_of
from plash.levelset.sampling import sampled
from plash.particles.particles import Particles
from plash.physics.level_set.signed_particles import SMALLEST, SignedParticles
from plash.timing import stage

_OUTSIDE = 0.2  # cells from the surface, from which on a particle flies
_SMALLEST_DROP = 0.2  # of the volume that a particle stands for: less waits until more is missing
_SWELLING = 0.2  # of its volume that a cell may take up in a step
_FULL = 0.8  # of a cell: drops that fill it are liquid


@stage
def let_go(particles: SignedParticles, phi: CellField, h: float, share: float, missing: float) -> Particles:
    """Take particles that are far outside out of those of a level set, and return them as drops at rest.

    Args:
        particles: Of the level set; those that fly are taken out.
        phi: The level set, m.
        h: Cell size, m.
        share: Volume that a particle stands for, in cells.
        missing: Volume that is missing, in cells: no more flies.
    """
    # Radii were just adjusted: whoever is outside has the smallest
    outside = np.flatnonzero((particles.radius <= np.float32(SMALLEST)) & (particles.sign < 0))
    depth = particles.some(outside).depth(phi, h)
    is_far = depth < -_OUTSIDE
    outside, depth = outside[is_far], depth[is_far]
    count = min(len(outside), int(missing / share + 1 - _SMALLEST_DROP))
    if count <= 0:
        return Particles(particles.place.shape[1])
    # The farthest first; the last gets what is left
    flying = outside[np.argsort(depth, kind="stable")[:count]]
    drops = Particles.at(particles.place[flying])
    drops.volume[:] = share
    drops.volume[-1] = min(share, missing - (count - 1) * share)
    stay = np.ones(particles.count, np.bool_)
    stay[flying] = False
    particles.keep(stay)
    return drops


@stage
def falling_in(drops: Particles, cells: Cells) -> tuple[Places, NDArray[np.float64]]:
    """The cell into which each drop falls, and the volume (in cells) that it gives to the liquid there in a step."""
    assert cells.phi is not None
    place = _places(drops)
    first = np.floor(place - 0.5).astype(np.int64)
    # Of the liquid cells round it, the deepest one
    deepest = places_of(first, cells.tiles)
    level = np.full(drops.count, np.inf)
    for corner in np.ndindex(*(2,) * drops.dimension):
        there = places_of(first + corner, cells.tiles)
        found = np.where(cells.label[there] == LIQUID, cells.phi.pool[there], np.inf)
        deepest = tuple(np.where(found < level, new, old) for new, old in zip(there, deepest, strict=True))
        level = np.minimum(level, found)
    is_in = (sampled(cells.phi, place) < 0) & (level < 0)
    wanted = np.where(is_in, drops.volume.astype(np.float64), 0.0)
    crowd = np.zeros(cells.label.shape)
    np.add.at(crowd, deepest, wanted)
    return deepest, wanted * np.minimum(1.0, _SWELLING / np.maximum(crowd[deepest], 1e-30))


@stage
def gather(
    drops: Particles, particles: SignedParticles, phi: CellField, is_closed: NDArray[np.bool_], h: float
) -> None:
    """Make liquid of a level set (m) of the drops that fill a cell; they go on as its particles."""
    if drops.count == 0:
        return
    cell = np.ascontiguousarray(drops.cell.T).astype(np.int64)
    home = places_of(cell, phi.tiles)
    full = np.zeros(phi.pool.shape)
    np.add.at(full, home, drops.volume.astype(np.float64))
    joins = (full[home] >= _FULL) & (phi.pool[home] > 0) & ~is_closed[home] & (home[0] > 0)
    if not joins.any():
        return
    centre = np.unique(cell[joins], axis=0)
    d = drops.dimension
    filled = np.minimum(full[places_of(centre, phi.tiles)], 1.5)
    radius = np.sqrt(filled / np.pi) if d == 2 else np.cbrt(0.75 * filled / np.pi)
    for step in np.ndindex(*(3,) * d):
        away = np.array(step) - 1
        there = places_of(centre + away, phi.tiles)
        ball = (h * (np.sqrt(float((away**2).sum())) - radius)).astype(np.float32)
        known = there[0] > 0
        there = tuple(part[known] for part in there)
        np.minimum.at(phi.pool, there, ball[known])
    count = int(joins.sum())
    particles.add(
        SignedParticles(_places(drops)[joins], np.full(count, -1, np.int8), np.full(count, SMALLEST, np.float32))
    )
    particles.radius = np.clip(particles.radius, np.float32(SMALLEST), None)
    drops.keep(~joins)


def _places(drops: Particles) -> NDArray[np.float64]:
    """Where drops are, in cells (n, d)."""
    return drops.position(1.0)
