"""One rule for which cell a position lies in: no offset is 1, and nothing moves by more than rounding."""

from typing import Any

import numpy as np
import pytest

from plash.particles.particles import Particles
from plash.particles.positions import split_position, split_positions

JUST_BELOW = [
    0.0,
    -0.0,
    1.0,
    2.5,
    -1e-30,
    1 - 1e-12,
    -1e-12,
    7 - 1e-9,
    -3 - 1e-9,
    1 - 2.0**-25,
    1 - 2.0**-24,
    123456.75,
]


def plain(inlined: Any) -> Any:
    """A piece of a kernel as it is written."""
    return inlined.py_func


@pytest.mark.parametrize("x", JUST_BELOW)
def test_one_position_and_many_are_split_alike(x):
    cells, offsets = split_positions(np.array([x]))
    cell, offset = plain(split_position)(np.float64(x))
    assert (cell, offset) == (cells[0], offsets[0])
    assert cells.dtype == np.int32
    assert offsets.dtype == np.float32


def test_offsets_lie_in_their_cells():
    x = np.concatenate([JUST_BELOW, np.random.default_rng(0).uniform(-1000, 1000, 100_000)])
    cell, offset = split_positions(x)
    assert (offset >= 0).all()
    assert (offset < 1).all()
    assert np.abs(cell + offset.astype(np.float64) - x).max() <= 2.0**-25


def test_single_precision_is_split_by_the_same_rule():
    x = np.random.default_rng(1).uniform(-4, 4, 1000).astype(np.float32)
    for value in [*x, np.float32(-1e-9), np.nextafter(np.float32(1), np.float32(0))]:
        cell, offset = plain(split_position)(value)
        assert 0 <= offset < 1
        assert abs(np.float64(cell) + np.float64(offset) - np.float64(value)) <= 2.0**-24


def test_particles_are_put_where_positions_are_split(dimension):
    places = np.random.default_rng(2).uniform(-30, 30, (500, dimension))
    places[0] = 3 - 1e-12
    particles = Particles.at(places)
    cell, offset = split_positions(places.T)
    assert (particles.cell == cell).all()
    assert (particles.offset == offset).all()
    assert (particles.cell[:, 0] == 3).all()
    assert (particles.offset[:, 0] == 0).all()
