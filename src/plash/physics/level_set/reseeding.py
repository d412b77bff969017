"""Signed particles where the surface has come to be: too few are made more, too many fewer.

Never in a test that is run backwards: new particles would take the error of the level set for the truth.

Reference: Enright et al. 2002.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.levelset.inside import places_of
from plash.physics.level_set.band import cells_within, first_corners
from plash.physics.level_set.signed_particles import BOTH_SIDES, REACH, SignedParticles, attracted
from plash.timing import stage

_DEEP = 1.5  # radii on the wrong side, from which a particle tells nothing of this surface


@stage
def reseed(
    particles: SignedParticles,
    phi: CellField,
    h: float,
    per_cell: int,
    random: np.random.Generator,
    sides: Sequence[int] = BOTH_SIDES,
) -> NDArray[np.float64]:
    """Bring the particles of each sign that is wanted to so many in every cell near the surface, and to none elsewhere.

    Those that escaped are kept, unless they are deep on the wrong side: the liquid there is too small for the level
    set. Of the others the ones farthest behind the surface go first.

    Returns:
        Places (n, d) in cells of the negative ones that were deep outside: spray.
    """
    depth = particles.depth(phi, h)
    deep = depth < -_DEEP * particles.radius
    spray = particles.place[deep & (particles.sign < 0)]
    particles.keep(~deep)
    depth = depth[~deep]

    # What is in which cell, the best first: escaped ones, then by how near they are to touching the surface
    escaped = depth < -particles.radius
    rank = np.where(escaped, -np.inf, depth - particles.radius)
    cell = np.floor(particles.place).astype(np.int64)
    where = np.ravel_multi_index(places_of(cell, phi.tiles), phi.pool.shape)
    group = 2 * where + (particles.sign > 0)
    order = np.lexsort((rank, group))
    ordered = group[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else ordered
    number = np.arange(len(ordered)) - np.repeat(begins, np.diff(np.append(begins, len(ordered))))
    near = np.abs(phi.pool.reshape(-1)) < np.float32(REACH * h)
    kept = np.zeros(len(ordered), np.bool_)
    kept[order] = (number < per_cell) & near[where[order]]
    particles.keep(kept | escaped)

    # What is missing
    counts = np.bincount(group[kept | escaped], minlength=2 * phi.pool.size)
    cells = cells_within(phi, REACH * h)
    flat = np.ravel_multi_index(cells, phi.pool.shape)
    corners = first_corners(phi.tiles, cells)
    places, signs = [], []
    for sign in sides:
        missing = np.maximum(per_cell - counts[2 * flat + (sign > 0)], 0)
        places.append(np.repeat(corners, missing, axis=0).astype(np.float64))
        signs.append(np.full(len(places[-1]), sign, np.int8))
    place = np.concatenate(places)
    place += random.random(place.shape)
    particles.add(attracted(phi, h, place, np.concatenate(signs), random))
    _into_order(particles, phi)
    return spray


def _into_order(particles: SignedParticles, phi: CellField) -> None:
    """Sort particles by tile, so that those that follow one another are near."""
    slot = places_of(np.floor(particles.place).astype(np.int64), phi.tiles)[0]
    order = np.argsort(slot, kind="stable")
    particles.place, particles.sign = particles.place[order], particles.sign[order]
    particles.radius = particles.radius[order]
