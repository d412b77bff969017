"""Vorticity confinement on tiles."""

import numpy as np
import pytest

from plash.physics.smoke.confinement import VorticityConfinement


@pytest.mark.parametrize("speed", [0.3, 40.0])
def test_an_even_rotation_is_left_alone(make_box, dimension, speed):
    box = make_box(dimension, walls=False)
    away = [0.5 * n * box.h for n in box.cells_along]

    def rotation(axis, *places):
        return speed * (-(places[1] - away[1]), places[0] - away[0], 0.0 * places[0])[axis]

    velocity = box.faces(rotation)
    np.nan_to_num(velocity.pool, copy=False)
    before = velocity.pool.copy()
    VorticityConfinement(2.0, box.h).add(velocity, box.cells, 0.1)
    change = np.stack([box.dense(part) for part in velocity.pool - before])
    inside = change[(slice(None), *(slice(4, n - 4) for n in box.cells_along))]
    # A gradient of |ω| over one cell would give 2 · 0.1 · h · 2 speed
    assert np.abs(inside).max() < 2e-3 * 2 * 0.1 * box.h * 2 * speed
    assert np.isfinite(velocity.pool).all()


def test_a_swirl_is_spun_up_by_the_force_of_theory(make_box):
    """u = (0, f(x)): ω = f', N = sign(f' f'') x, and N × ω is along -y where |ω| grows with x."""
    box = make_box(2, walls=False)
    velocity = box.faces(lambda axis, x, y: axis * 0.5 * x**2 + 0.0 * y)
    np.nan_to_num(velocity.pool, copy=False)
    before = velocity.pool.copy()
    strength, dt = 3.0, 0.2
    VorticityConfinement(strength, box.h).add(velocity, box.cells, dt)
    change = box.dense(velocity.pool[1] - before[1])[6:-6, 6:-6]
    x = (np.arange(6, box.cells_along[0] - 6) + 0.5) * box.h
    assert change == pytest.approx(np.broadcast_to(-dt * strength * box.h * x[:, None], change.shape), rel=0.01)
