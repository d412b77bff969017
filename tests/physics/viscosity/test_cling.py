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
