"""Scalars of particles: to cells and back without loss and without new extremes."""

import numpy as np
import pytest

from plash.grid.cells import label_cells
from plash.particles.even_out import even_out
from plash.particles.particles import Particles
from plash.particles.scalars import add_change, bounds_of_change, cell_means
from plash.particles.sort import sort_particles
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.contacts import Contacts


def crowd(dimension, seed=0, count=4000):
    """Particles at random in a box that is no cube, across several tiles, with solid cells all round and in it."""
    rng = np.random.default_rng(seed)
    size = np.array((21.0, 34.0) if dimension == 2 else (11.0, 19.0, 13.0))
    places = rng.random((count, dimension)) * size
    particles = Particles.at(places)
    particles.volume = rng.uniform(0.1, 0.4, count).astype(np.float32)
    particles.carry({"temperature": 0.0})
    particles.temperature[0] = 300 + 40 * rng.random(count)
    marked = sort_particles(particles, 3)
    tiles = particles.tiles
    centres = tiles.cell_centres(tiles.slots, 1.0).reshape(tiles.count, *tiles.shape, dimension)
    solid = np.zeros((tiles.count + 1, *tiles.shape), np.bool_)
    solid[1:] = ((centres < 0) | (centres > size)).any(axis=-1) | (np.abs(centres - 5.5) < 1).all(axis=-1)
    return particles, label_cells(tiles, marked, solid)


def heat(particles):
    return (particles.volume * particles.temperature[0]).sum()


def test_means_hold_all_volume_and_all_heat(dimension):
    particles, cells = crowd(dimension)
    means = cell_means(particles, particles.temperature[0], cells)
    seen = means.volume.sum()
    # Those with nothing but solid cells round them are left out
    assert particles.total_volume() * 0.98 < seen <= particles.total_volume() * (1 + 1e-6)
    stuck = (cells.label[means.is_known] == 2).sum()
    assert stuck == 0
    particles.temperature[0] = 310.0
    means = cell_means(particles, particles.temperature[0], cells)
    assert np.abs(means.value[means.is_known] - 310).max() < 1e-10


@pytest.mark.parametrize("number", [0.01, 1.0, 1e3])
def test_a_change_by_conduction_loses_no_heat_and_makes_no_extreme(dimension, number):
    particles, cells = crowd(dimension)
    values = particles.temperature[0]
    before, low, high = heat(particles), values.min(), values.max()
    for _ in range(3):
        means = cell_means(particles, values, cells)
        change, _ = Conduction(number, 1.0).change(means, cells, Contacts.none(), 1.0)
        add_change(particles, values, means, change, bounds_of_change(means, change), cells)
        assert heat(particles) == pytest.approx(before, rel=1e-10)
        assert low <= values.min()
        assert values.max() <= high


def test_the_same_change_everywhere_is_added_to_everybody(dimension):
    particles, cells = crowd(dimension)
    values = particles.temperature[0]
    values[:] = 300.0
    means = cell_means(particles, values, cells)
    change = np.where(means.is_known, 2.5, 0.0)
    add_change(particles, values, means, change, bounds_of_change(means, change), cells)
    seen = values != 300.0
    assert seen.mean() > 0.98
    assert np.abs(values[seen] - 302.5).max() < 1e-10


def test_differences_inside_cells_die_away_without_loss(dimension):
    particles, cells = crowd(dimension)
    values = particles.temperature[0]
    before, spread = heat(particles), values.std()
    low, high = values.min(), values.max()
    means = cell_means(particles, np.full(particles.count, 320.0), cells)
    even_out(particles, values, means.value, cells.tiles, 0.5)
    assert heat(particles) == pytest.approx(before, rel=1e-12)
    assert low <= values.min()
    assert values.max() <= high
    assert values.std() < 0.85 * spread
    even_out(particles, values, means.value, cells.tiles, 1.0)
    one = np.flatnonzero(values != values[0])[0]
    mine = (particles.cell == particles.cell[:, one : one + 1]).all(axis=0)
    assert mine.sum() > 1
    assert np.ptp(values[mine]) < 1e-9


def test_a_linear_profile_has_no_differences_inside_cells(dimension):
    particles, cells = crowd(dimension)
    slope = np.array([2.0, -3.0, 1.0])[:dimension]
    values = particles.temperature[0]
    values[:] = 300 + particles.position(1.0) @ slope
    tiles = cells.tiles
    line = np.full(cells.label.shape, np.nan)
    line[1:] = (300 + tiles.cell_centres(tiles.slots, 1.0) @ slope).reshape(tiles.count, *tiles.shape)
    line[cells.label == 2] = np.nan
    before = values.copy()
    even_out(particles, values, line, tiles, 1.0)
    assert np.abs(values - before).max() < 1e-4
