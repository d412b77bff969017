"""Bodies in a box, by the rules of Foster & Metaxas."""

import numpy as np
import pytest

from plash.physics.box.obstacles import NoObstacles, SolidCells

SHAPES = {2: (7, 10), 3: (6, 7, 9)}


def one_cell(dimension, friction=0.0):
    solid = np.zeros(SHAPES[dimension], bool)
    solid[(3,) * dimension] = True
    return SolidCells(solid, np.full(solid.shape, friction))


def test_only_the_faces_of_a_body_and_walls_are_closed(dimension):
    """A wall is no thicker than the cells it is made of."""
    velocity = np.ones((dimension, *SHAPES[dimension]))
    walls = velocity.copy()
    NoObstacles().close(walls)
    one_cell(dimension).close(velocity)
    assert ((velocity == 0).sum() - (walls == 0).sum()) == 2 * dimension


def test_friction_leaves_a_share_along_the_surface(dimension):
    """(1 - friction)^(24 dt) on open faces beside the body, and nothing elsewhere changes."""
    friction, dt = 0.6, 0.02
    velocity = np.ones((dimension, *SHAPES[dimension]))
    one_cell(dimension, friction).slow_by_friction(velocity, dt)
    slowed = velocity != 1.0
    assert np.allclose(velocity[slowed], (1 - friction) ** (24 * dt))
    assert slowed.sum() == dimension * 4 * (dimension - 1)
    whole, parts = np.ones_like(velocity), np.ones_like(velocity)
    one_cell(dimension, friction).slow_by_friction(whole, dt)
    for _ in range(3):
        one_cell(dimension, friction).slow_by_friction(parts, dt / 3)
    assert np.allclose(whole, parts)


@pytest.mark.parametrize(("friction", "left"), [(0.0, 1.0), (1.0, 0.0)])
def test_free_slip_and_no_slip(dimension, friction, left):
    velocity = np.ones((dimension, *SHAPES[dimension]))
    one_cell(dimension, friction).slow_by_friction(velocity, 0.01)
    beside = (0, *(3,) * (dimension - 2), 4, 3)
    assert velocity[beside] == left


def test_density_inside_is_zero(dimension):
    density = np.ones(SHAPES[dimension])
    one_cell(dimension).clear(density)
    assert density.sum() == density.size - 1


def test_what_goes_on_into_a_body_is_the_mean_beside_it(dimension):
    values = np.random.default_rng(0).random(SHAPES[dimension])
    before = values.copy()
    continued = one_cell(dimension).continued(values)
    place = (3,) * dimension
    beside = []
    for axis in range(dimension):
        for step in (-1, 1):
            index = list(place)
            index[axis] += step
            beside.append(values[tuple(index)])
    assert continued[place] == pytest.approx(np.mean(beside))
    assert (values == before).all()
    continued[place] = values[place]
    assert (continued == values).all()


def test_flow_along_a_body_goes_on_inside_and_flow_across_stays_closed(dimension):
    solid = np.zeros(SHAPES[dimension], bool)
    solid[..., :3, :] = True
    solids = SolidCells(solid, np.zeros(solid.shape))
    velocity = np.random.default_rng(1).standard_normal((dimension, *solid.shape))
    solids.close(velocity)
    continued = solids.continued_faces(velocity)
    assert (continued[0][..., 2, 1:] == velocity[0][..., 3, 1:]).all()
    assert (continued[1] == velocity[1]).all()


def test_filling_in_reaches_the_innermost_cells_and_nothing_else(dimension):
    shape = (11, 9, 13)[:dimension]
    solid = np.zeros(shape, np.bool_)
    solid[tuple(slice(2, n - 2) for n in shape)] = True
    open_values = np.where(solid, 0.0, np.random.default_rng(3).uniform(280, 350, shape))
    obstacles = SolidCells(solid, np.zeros(shape))
    uniform = np.where(solid, 0.0, 300.0)
    obstacles.fill_in(uniform)
    assert np.allclose(uniform, 300.0, rtol=1e-15)
    filled = open_values.copy()
    obstacles.fill_in(filled)
    assert np.array_equal(filled[~solid], open_values[~solid])
    assert filled.min() >= open_values[~solid].min()
    assert filled.max() <= open_values[~solid].max()
    mirrored = open_values[::-1].copy()
    obstacles.fill_in(mirrored)
    assert np.allclose(mirrored[::-1], filled, rtol=1e-15)
