"""Rough walls of a box."""

import numpy as np

from plash.physics.box.sides import BoxSides


def test_what_goes_along_a_rough_wall_is_slowed_in_the_cells_beside_it(dimension):
    """By (1 - friction)^(24 dt), whatever the steps; what goes into the wall is not."""
    friction, dt, shape = 0.6, 0.02, (5, 6, 7)[:dimension]
    rough = ((0.0, friction), *((0.0, 0.0),) * (dimension - 1))
    whole, parts = np.ones((2, dimension, *shape))
    BoxSides(rough).slow_by_friction(whole, dt)
    for _ in range(3):
        BoxSides(rough).slow_by_friction(parts, dt / 3)
    assert np.allclose(whole, parts)
    assert np.allclose(whole[1:, ..., -1], (1 - friction) ** (24 * dt))
    assert (whole[1:, ..., :-1] == 1).all()
    assert (whole[0] == 1).all()
