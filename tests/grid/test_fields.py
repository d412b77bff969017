import numpy as np
import pytest

from plash.grid.fields import fastest


@pytest.mark.parametrize("count", [2, 3])
def test_the_fastest_is_the_largest_size_of_what_is_known(count):
    rng = np.random.default_rng(5)
    components = rng.normal(scale=3.0, size=(count, 5, 8, 8)).astype(np.float32)
    components[rng.random(components.shape) < 0.3] = np.nan
    assert np.array_equal(fastest(components), np.nanmax(np.abs(components), axis=(1, 2, 3)).astype(np.float64))


def test_what_is_infinite_is_the_fastest_and_nothing_known_is_still():
    components = np.full((3, 4, 8), np.nan, np.float32)
    components[1, 2, 3] = -np.inf
    assert fastest(components).tolist() == [0.0, np.inf, 0.0]
