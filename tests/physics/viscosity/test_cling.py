"""Particles on their own beside a thick liquid: they go along with it, and may come nearer."""

import numpy as np
import pytest

from plash.grid.cells import label_cells
from plash.grid.dense import from_dense, tiles_over
from plash.grid.fields import CellField, FaceField
from plash.particles.particles import Particles
from plash.physics.viscosity.cling import let_cling

H, ALONG = 0.37, (16, 16, 8)


@pytest.mark.parametrize("varies", [False, True])
def test_what_clings_goes_along_and_may_come_nearer(dimension, varies):
    """Liquid below y = 6 h moves along x at 2 m/s: half of the rest goes where exp(-2 ν k/h²) = 1/2."""
    along = ALONG[:dimension]
    tiles = tiles_over((0,) * dimension, along)
    height = (np.arange(16) + 0.5 - 6.0) * H
    shape = (1, 16) if dimension == 2 else (1, 16, 1)
    dense = np.broadcast_to(height.reshape(shape), along).astype(np.float32)
    phi = CellField(tiles, from_dense(dense, tiles, background=np.float32(3 * H)))
    cells = label_cells(tiles, phi.pool < 0, np.zeros(phi.pool.shape, np.bool_), phi)
    velocity = FaceField.filled(tiles, 0.0)
    velocity.pool[0] = 2.0
    places = [[8.2, 6.4, 4.3], [8.2, 6.4, 4.3], [8.2, 9.4, 4.3], [8.2, 6.4, 4.3]]
    particles = Particles.at(np.array(places)[:, :dimension])
    particles.ballistic = np.array([True, True, True, False])
    particles.velocity[:2] = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, 1.0], [0.0, 1.0]]).T
    nu = np.log(2) / 2 * H**2 / 0.1
    let_cling(particles, velocity, cells, CellField.filled(tiles, nu) if varies else nu, 0.1, H)
    leaving, coming, far, within = particles.velocity[:2].T
    assert leaving == pytest.approx([1.0, 0.5], abs=1e-6)
    assert coming == pytest.approx([1.0, -1.0], abs=1e-6)
    assert far == pytest.approx([0.0, 1.0])
    assert within == pytest.approx([0.0, 1.0])


def test_what_clings_turns_with_the_liquid(dimension):
    """A particle beside liquid that turns takes its gradient too: faces further in are not spun up."""
    along = ALONG[:dimension]
    tiles = tiles_over((0,) * dimension, along)
    phi = CellField.filled(tiles, 0.5 * H)
    cells = label_cells(tiles, phi.pool < 0, np.zeros(phi.pool.shape, np.bool_), phi)
    velocity = FaceField.filled(tiles, 0.0)
    for axis, (other, rate) in enumerate(((1, -3.0), (0, 3.0))):
        centres = tiles.cell_centres(tiles.slots, 1.0)
        velocity.pool[axis, 1:] = (rate * H * centres[:, other]).reshape(velocity.pool[axis, 1:].shape)
    particles = Particles.at(np.array([[8.2, 6.4, 4.3]])[:, :dimension])
    particles.affine = np.zeros((dimension**2, 1), np.float32)
    particles.ballistic = np.array([True])
    let_cling(particles, velocity, cells, 1e3 * H**2, 1.0, H)
    expected = np.zeros((dimension, dimension))
    expected[0, 1], expected[1, 0] = -3.0 * H, 3.0 * H
    assert particles.affine[:, 0].reshape(dimension, dimension) == pytest.approx(expected, abs=1e-4)
    assert particles.velocity[0, 0] == pytest.approx(-3.0 * H * 6.4, rel=1e-4)
