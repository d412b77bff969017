"""The velocity beside a liquid: without divergence where the surface may run, and unchanged in the liquid."""

from __future__ import annotations

import numpy as np
import pytest

import plash
from plash.grid.cells import AIR, LIQUID, WET, label_cells
from plash.grid.differences import divergence
from plash.grid.fields import FaceField
from plash.physics.level_set.extension import WIDTH, keep_volume_outside
from plash.physics.level_set.level_set import LevelSet

H = 0.037


@pytest.mark.parametrize("dimension", [2, 3])
def test_air_beside_the_liquid_keeps_its_volume(dimension):
    low, high = np.zeros(dimension), np.array([1.3, 1.9, 1.1][:dimension])
    drop = LevelSet.of(
        plash.Sphere(center=tuple(high / 2), radius=6 * H), H, low.tolist(), high.tolist(), particles=False
    )
    phi = drop.phi
    nothing = np.zeros(phi.pool.shape, np.bool_)
    cells = label_cells(phi.tiles, phi.pool < 0, nothing, phi)
    velocity = FaceField.filled(phi.tiles, 0.0)
    velocity.pool[:] = np.random.default_rng(5).normal(size=velocity.pool.shape)
    before = velocity.pool.copy()
    keep_volume_outside(velocity, cells, H)
    is_wet = (cells.faces & WET) > 0
    assert np.array_equal(velocity.pool[is_wet], before[is_wet])
    beside = (cells.label == AIR) & (phi.pool < WIDTH * H)
    seen = label_cells(phi.tiles, beside, nothing)
    old = divergence(FaceField(phi.tiles, before), seen)[seen.label == LIQUID]
    new = divergence(velocity, seen)[seen.label == LIQUID]
    assert np.linalg.norm(new) < 5e-3 * np.linalg.norm(old)
    assert np.abs(velocity.pool).max() <= np.abs(before).max()
