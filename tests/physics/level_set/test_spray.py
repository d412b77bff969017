"""Liquid that is too small for a level set: no drop has more than is missing, and all of it comes back."""

from __future__ import annotations

import numpy as np
import pytest

import plash
from plash.grid.cells import label_cells
from plash.physics.level_set.level_set import LevelSet
from plash.physics.level_set.signed_particles import SignedParticles
from plash.physics.level_set.spray import falling_in, gather, let_go

H = 0.037


def ball(dimension):
    low, high = np.zeros(dimension), np.array([1.3, 1.9, 1.1][:dimension])
    shape = plash.Sphere(center=tuple(high / 2), radius=6 * H)
    return LevelSet.of(shape, H, low.tolist(), high.tolist(), particles=False), high / 2 / H


def thrown(centre, heights):
    """Negative particles that far above the centre of a ball with a radius of six cells."""
    place = np.repeat(centre[None], len(heights), axis=0)
    place[:, 1] += heights
    return SignedParticles(place, np.full(len(heights), -1, np.int8), np.full(len(heights), 0.1, np.float32))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.55, 9.0])
def test_no_more_flies_than_is_missing_and_the_farthest_first(dimension, missing):
    level_set, centre = ball(dimension)
    particles = thrown(centre, [3.0, 6.1, 7.5, 9.0, 8.0])
    drops = let_go(particles, level_set.phi, H, 0.25, missing)
    assert drops.count + particles.count == 5
    assert drops.total_volume() <= missing + 1e-6
    assert drops.count == {0.0: 0, 0.3: 2, 0.55: 3, 9.0: 3}[missing]
    above = drops.position(1.0)[:, 1] - centre[1]
    np.testing.assert_allclose(above, [9.0, 8.0, 7.5][: drops.count], rtol=1e-6)


@pytest.mark.parametrize("dimension", [2, 3])
def test_drops_in_the_liquid_give_their_volume_to_cells_of_it(dimension):
    level_set, centre = ball(dimension)
    drops = let_go(thrown(centre, [7.5, 7.6, 7.7]), level_set.phi, H, 0.15, 9.0)
    drops.cell[1] -= 3
    drops.cell[1, 0] += 3
    phi = level_set.phi
    cells = label_cells(phi.tiles, phi.pool < 0, np.zeros(phi.pool.shape, np.bool_), phi)
    places, given = falling_in(drops, cells)
    outside = drops.position(1.0)[:, 1] > centre[1] + 6
    assert outside.sum() == 1
    assert np.all(given[outside] == 0)
    assert np.all(phi.pool[places][~outside] < 0)
    np.testing.assert_allclose(given.sum(), 0.2, rtol=1e-6)  # a cell takes so much in a step


@pytest.mark.parametrize("dimension", [2, 3])
def test_drops_that_fill_a_cell_become_liquid(dimension):
    level_set, centre = ball(dimension)
    phi, particles = level_set.phi, SignedParticles.none(dimension)
    closed = np.zeros(phi.pool.shape, np.bool_)
    for count, joins in ((3, False), (5, True)):
        drops = let_go(thrown(np.floor(centre) + 0.5, [9.0] * count), phi, H, 0.2, 9.0)
        gather(drops, particles, phi, closed, H)
        assert (drops.count == 0) == joins
        assert particles.count == (count if joins else 0)
        above = (np.floor(centre) + 0.5) * H
        above[1] += 9 * H
        assert (level_set.distance_at([above])[0] < 0) == joins
