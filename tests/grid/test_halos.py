"""Places round tiles: each is evaluated once, and every tile gets all of its own."""

import numpy as np
import pytest

from plash.grid.halos import Halos
from plash.grid.tiles import Tiles


def some_tiles(dimension: int) -> tuple[Tiles, np.ndarray]:
    """A clump with gaps, of which some are looked at."""
    random = np.random.default_rng(3)
    spots = random.integers(-2, 3, (40, 3)) * ([1, 1, 1] if dimension == 3 else [1, 1, 0])
    tiles = Tiles.at(spots, dimension)
    return tiles, tiles.slots[random.random(tiles.count) < 0.7]


@pytest.mark.parametrize(("per_cell", "before", "behind"), [(1, 1, 2), (2, 2, 2), (1, 3, 0)])
def test_every_tile_gets_what_was_found_once(dimension, per_cell, before, behind):
    tiles, slots = some_tiles(dimension)
    halos = Halos(tiles, slots, per_cell, before, behind)
    places = np.moveaxis(np.indices(halos.shape)[1:][::-1], 0, -1)
    for axis in range(dimension):
        places[..., axis] += per_cell * tiles.origins[slots, axis].reshape(-1, 1, 1, 1) - before
    numbers = places @ np.array([1, 1000, 1000**2])
    once = halos.once()
    found = np.where(once, numbers, -(10**12))
    halos.share(found)
    np.testing.assert_array_equal(found, numbers)

    # No place inside a tile is found by another
    own = np.zeros(halos.shape, bool)
    inside = [slice(before, before + per_cell * n) if n > 1 else slice(None) for n in tiles.shape]
    own[(slice(None), *inside)] = True
    assert once[own].all()
    assert not np.isin(numbers[once & ~own], numbers[own]).any()
    assert not once.all()
