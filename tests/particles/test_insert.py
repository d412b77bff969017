"""Particles that come and go."""

import numpy as np
import pytest

from plash.particles.insert import insert_particles, remove_particles
from plash.particles.particles import Particles
from plash.particles.sort import sort_particles


def _particles(count: int, dimension: int, seed: int, spread: float = 40.0) -> Particles:
    random = np.random.default_rng(seed)
    particles = Particles.at(random.uniform(-spread, spread, (count, dimension)))
    particles.velocity[:] = random.normal(size=(dimension, count))
    particles.volume[:] = random.uniform(0.1, 0.2, count)
    particles.affine = random.normal(size=(dimension**2, count)).astype(np.float32)
    return particles


def _rows(particles: Particles) -> np.ndarray:
    rows = np.concatenate([particles.position(1.0).T, particles.velocity, particles.volume[None], particles.affine])
    return rows[:, np.lexsort(rows)]


@pytest.mark.parametrize("spread", [40.0, 90.0], ids=["in tiles that exist", "partly beyond"])
def test_inserted_particles_are_there_and_sorted_as_if_all_had_been_at_once(dimension, spread):
    first, second = _particles(3000, dimension, 1), _particles(500, dimension, 2, spread)
    together = _particles(3000, dimension, 1)
    together.add(second)
    sort_particles(first, 2)
    insert_particles(first, second)
    assert first.starts[-1] == first.count == 3500
    assert np.array_equal(_rows(first), _rows(together))
    sort_particles(first, 2)
    sort_particles(together, 2)
    assert np.array_equal(first.tiles.keys, together.tiles.keys)
    assert np.array_equal(first.starts, together.starts)
    assert np.array_equal(_rows(first), _rows(together))


def test_removed_particles_are_gone_and_the_others_stay_in_their_tiles(dimension):
    particles = _particles(2000, dimension, 3)
    sort_particles(particles, 2)
    which = np.arange(7, 2000, 3)
    stays = np.setdiff1d(np.arange(2000), which)
    wanted = particles.position(1.0)[stays]
    slots = np.repeat(np.arange(len(particles.starts) - 1), np.diff(particles.starts))[stays]
    remove_particles(particles, which)
    assert np.array_equal(particles.position(1.0), wanted)
    assert np.array_equal(np.repeat(np.arange(len(particles.starts) - 1), np.diff(particles.starts)), slots)


def test_the_first_particles_of_all_can_be_inserted(dimension):
    particles = Particles(dimension)
    particles.affine = np.zeros((dimension**2, 0), np.float32)
    sort_particles(particles, 2)
    insert_particles(particles, _particles(10, dimension, 4))
    assert (particles.count, particles.affine.shape) == (10, (dimension**2, 10))
    assert sort_particles(particles, 2).sum() > 0
