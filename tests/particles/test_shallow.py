"""Liquid thinner than a cell beside a body: its slopes fade with time, its tip is not drawn up the slope."""

import numpy as np
import pytest
from validation.shores import beach, pool

import plash
from plash.grid.cells import AIR
from plash.grid.fields import FaceField
from plash.levelset.inside import places_of
from plash.particles.shallow import fade_shallow_slopes, hold_tips
from plash.solvers.timestep import wave_step

G = 9.3


@pytest.fixture(scope="module")
def state():
    """A pool on a flat beach that lies askew, after a step."""
    solver = plash.build(pool(beach(10, 3), 3, 24))
    solver.advance(0.03)
    return solver.state, solver.h


def is_shallow(state, h):
    """Whether each particle is in a cell that is cut, with the surface within a cell."""
    where = places_of(state.particles.cell.T.astype(np.int64), state.particles.tiles)
    share = state.cells.cut_cells.volume[where]
    return (share > 0) & (share < 1) & (state.cells.phi.pool[where] > -h)


def faded(state, h, acceleration, *times):
    particles = state.particles
    particles.affine[:] = np.random.default_rng(3).normal(size=particles.affine.shape)
    start, velocity = particles.affine.copy(), particles.velocity.copy()
    for dt in times:
        fade_shallow_slopes(particles, state.cells, dt, wave_step(h, acceleration), h)
    assert np.array_equal(particles.velocity, velocity)
    return particles.affine / start


def test_slopes_fade_in_shallow_cells_and_nowhere_else(state):
    state, h = state
    longest = 0.7 * np.sqrt(h / G)
    shallow = is_shallow(state, h)
    assert 10 < shallow.sum() < 0.5 * len(shallow)
    left = faded(state, h, G, 0.3 * longest)
    assert np.all(left[:, ~shallow] == 1)
    assert np.allclose(left[:, shallow], 0.7, rtol=1e-5)
    assert np.all(faded(state, h, G, 2 * longest)[:, shallow] == 0)


def test_the_loss_is_one_of_time_and_not_of_steps(state):
    state, h = state
    shallow, time = is_shallow(state, h), 0.1 * 0.7 * np.sqrt(h / G)
    one, ten = faded(state, h, G, time)[0, shallow], faded(state, h, G, *[time / 10] * 10)[0, shallow]
    assert np.allclose(one, ten, rtol=0.01)


def test_without_weight_nothing_fades(state):
    state, h = state
    assert np.all(faded(state, h, 0.0, 1.0) == 1)


def test_faces_beside_air_that_only_lacks_particles_become_no_faster(state):
    state, h = state
    cells, rng = state.cells, np.random.default_rng(4)
    dry = (cells.label == AIR) & (cells.phi.pool < 0.011 * h) & (cells.fill.pool == 0)
    dry &= (cells.cut_cells.volume > 0) & (cells.cut_cells.volume < 1)
    places = np.nonzero(dry)
    assert len(places[0]) > 0
    values = rng.normal(size=(2, *state.velocity.pool.shape)).astype(np.float32)
    velocity, carried = (FaceField(cells.tiles, pool) for pool in values)
    carried.pool[..., ::2] = np.nan
    before = velocity.pool.copy()
    hold_tips(velocity, carried, cells, h)
    beside = np.zeros(velocity.pool.shape, np.bool_)
    for axis in range(3):
        beside[axis][places] = beside[axis][cells.tiles.beside(places, axis, 1)] = True
    beside &= ~np.isnan(carried.pool)
    assert beside.any()
    assert np.array_equal(velocity.pool[~beside], before[~beside])
    expected = np.clip(before, -np.abs(carried.pool), np.abs(carried.pool))[beside]
    assert np.array_equal(velocity.pool[beside], expected)
    assert not np.array_equal(expected, before[beside])
