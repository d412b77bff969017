"""What a velocity in a box carries along."""

import numpy as np
import pytest

from plash.grid.box import at_centres, cell_centres, interpolated_at
from plash.physics.box.advection import BackwardTrace, MacCormack

SHAPES = {2: (17, 26), 3: (11, 15, 18)}
H = 0.37


def uniform(shape, cells):
    """A velocity of so many cells in one second, on all faces, walls too."""
    return np.stack([np.full(shape, part * H) for part in cells])


@pytest.mark.parametrize("method", [BackwardTrace(), MacCormack()])
def test_whole_cells_are_crossed_exactly(dimension, method):
    """A shift by whole cells moves the values; the last faces are walls, so the middle is looked at."""
    field = np.random.default_rng(0).standard_normal(SHAPES[dimension])
    shift = (2, -1, 1)[:dimension]
    moved = method.carried(field, method.paths(uniform(field.shape, shift), 1.0, H))
    middle = (slice(5, -5),) * dimension
    assert np.allclose(moved[middle], np.roll(field, shift[::-1], tuple(range(dimension)))[middle], atol=1e-12)


@pytest.mark.parametrize("method", [BackwardTrace(), MacCormack()])
def test_a_constant_stays_constant(dimension, method):
    velocity = np.random.default_rng(1).standard_normal((dimension, *SHAPES[dimension]))
    carried = method.carried(np.full(SHAPES[dimension], 0.7), method.paths(velocity, 3.0, H))
    assert np.abs(carried - 0.7).max() < 1e-15


@pytest.mark.parametrize("method", [BackwardTrace(), MacCormack()])
def test_no_new_extremes(dimension, method):
    rng = np.random.default_rng(2)
    velocity, field = rng.standard_normal((dimension, *SHAPES[dimension])), rng.random(SHAPES[dimension])
    for dt in (0.05, 1.0, 20.0):
        carried = method.carried(field, method.paths(velocity, dt, H))
        assert carried.min() >= field.min()
        assert carried.max() <= field.max()


def test_values_on_faces_are_zero_at_walls(dimension):
    """Beside the far wall a component falls to zero, as it does beside the near one."""
    shape = SHAPES[dimension]
    for axis in range(dimension):
        along = dimension - 1 - axis
        velocity = uniform(shape, [-2.0 if a == axis else 0.0 for a in range(dimension)])
        field = np.ones(shape)
        carried = BackwardTrace().carried(field, BackwardTrace().paths(velocity, 0.25, H), axis)
        assert not np.take(carried, 0, along).any()
        last = np.take(carried, shape[along] - 1, along)
        assert (last < 1).all()
        assert (last > 0).all()


def errors(method, resolutions):
    """Of a smooth hump after a quarter turn in a vortex that leaves walls alone."""
    found = []
    for n in resolutions:
        h = np.pi / n
        faces, centres = np.arange(n) * h, (np.arange(n) + 0.5) * h
        velocity = np.stack([np.outer(np.cos(centres), np.sin(faces)), -np.outer(np.sin(faces), np.cos(centres))])
        y, x = np.meshgrid(centres, centres, indexing="ij")
        field = start = np.exp(-4 * ((x - 1.2) ** 2 + (y - 1.4) ** 2))
        for sign in (1, -1):
            for _ in range(n // 8):
                field = method.carried(field, method.paths(sign * velocity, 4 / n, h))
        found.append(np.abs(field - start).mean())
    return found


def test_maccormack_is_of_second_order_and_the_plain_trace_of_first():
    plain, corrected = errors(BackwardTrace(), (32, 64)), errors(MacCormack(), (32, 64))
    assert plain[0] / plain[1] < 2.6
    assert corrected[0] / corrected[1] > 3.2
    assert corrected[1] < plain[1] / 5


@pytest.mark.parametrize("method", [BackwardTrace(), MacCormack()])
def test_same_bits_for_any_number_of_threads(dimension, method, threads):
    rng = np.random.default_rng(4)
    velocity, field = rng.standard_normal((dimension, *SHAPES[dimension])), rng.random(SHAPES[dimension])
    found = []
    for n in (1, 2):
        threads(n)
        found.append(method.carried(field, method.paths(velocity, 1.3, H), 0).tobytes())
    assert found[0] == found[1]


def test_centres_take_the_mean_of_faces_and_points_what_is_between(dimension):
    """A velocity that is linear in space is the same at centres and between them."""
    shape = SHAPES[dimension]
    velocity = np.stack([np.indices(shape)[dimension - 1 - axis] * H for axis in range(dimension)])
    centres = at_centres(velocity)
    inner = (slice(None), *(slice(1, -2),) * dimension)
    places = cell_centres(shape, H).T.reshape(dimension, *shape)
    assert np.allclose(centres[inner], places[inner])
    points = np.random.default_rng(5).uniform(2.5 * H, 7.5 * H, (20, dimension))
    assert np.allclose(interpolated_at(centres, points, H), points)
