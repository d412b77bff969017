import math

import numpy as np

from plash.grid.fields import FaceField
from plash.grid.sample import velocity_at


def multilinear(axis, *x):
    linear = sum((0.7 - 0.4 * a + 0.2 * axis) * place for a, place in enumerate(x))
    return 0.3 * (axis + 1) + linear + 0.05 * math.prod(x) - 0.1 * x[0] * x[1]


def test_a_multilinear_field_is_reproduced_anywhere(make_box, dimension):
    """Linear along each axis, products included."""
    box = make_box(dimension)
    field = box.faces(multilinear)
    points = np.random.default_rng(0).random((400, dimension)) * np.array(box.cells_along) * box.h
    expected = np.stack([multilinear(a, *points.T) for a in range(dimension)], axis=1)
    assert np.abs(velocity_at(field, points, box.h) - expected).max() < 1e-5 * np.abs(expected).max()


def test_unknown_terms_are_dropped_and_the_rest_reweighted(make_box, dimension):
    """Cline figure 5: with one corner missing, a constant field is still that constant."""
    box = make_box(dimension)
    field = box.faces(lambda axis, *x: np.full(x[0].shape, 2.5))
    field.pool[:, :, :, ::2, ::2] = np.nan
    points = np.random.default_rng(1).random((200, dimension)) * (np.array(box.cells_along) - 2) * box.h
    assert np.abs(velocity_at(field, points, box.h) - 2.5).max() < 1e-6


def test_far_from_everything_the_velocity_is_not_known(make_box, dimension):
    box = make_box(dimension)
    assert np.isnan(velocity_at(FaceField.filled(box.tiles), np.zeros((1, dimension)), box.h)).all()
    assert np.isnan(velocity_at(box.faces(multilinear), np.full((1, dimension), 1e4), box.h)).all()
