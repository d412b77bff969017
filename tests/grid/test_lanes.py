"""Four numbers at once give what they give one after another, to the last bit."""

import numpy as np
import pytest

from plash.grid.compile import serial_kernel
from plash.grid.lanes import add_four, minus, pairs_from, plus, times


@serial_kernel
def calculate(a, b, c, found):
    four, other = (a[0], a[1], a[2], a[3]), (b[0], b[1], b[2], b[3])
    for k, result in enumerate((plus(four, other), minus(four, other), times(four, other))):
        for lane in range(4):
            found[k, lane] = result[lane]
    for k, result in enumerate((plus(four, c), minus(four, c), times(four, c))):
        for lane in range(4):
            found[3 + k, lane] = result[lane]


@serial_kernel
def add_pairs_to(values, places, target):
    low, high = pairs_from(values, places[0], places[1], places[2], places[3])
    add_four(target, np.uint64(1), low)
    add_four(target, np.uint64(3), high)


def test_arithmetic_is_that_of_single_numbers():
    chance = np.random.default_rng(1)
    a, b = chance.normal(0, 1e3, (2, 200, 4)).astype(np.float32)
    b[:4] = np.inf, np.nan, -0.0, 1e-42
    c = np.float32(0.1)
    for one, other in zip(a, b, strict=True):
        found = np.empty((6, 4), np.float32)
        calculate(one, other, c, found)
        expected = np.array([one + other, one - other, one * other, one + c, one - c, one * c])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("places", [(0, 2, 4, 6), (5, 0, 9, 0), (3, 3, 3, 3)])
def test_pairs_are_read_from_anywhere_and_sums_overlap(places):
    values = np.arange(11, dtype=np.float32) ** 2
    target = np.ones(8, np.float32)
    add_pairs_to(values, np.array(places, np.uint64), target)
    expected = np.ones(8, np.float32)
    expected[1:5] += values[list(places)]
    expected[3:7] += values[np.array(places) + 1]
    np.testing.assert_array_equal(target, expected)
