from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plash.errors import SceneError
from plash.scene import Domain, Sides
from plash.scene.domain import SideName


def test_resolution_counts_cells_along_the_longest_side():
    domain = Domain(size=("2 m", 1, "50 cm"), resolution=64)
    assert (domain.dimension, domain.h, domain.cells) == (3, 2 / 64, (64, 32, 16))


def test_cell_size_stands_instead_of_resolution():
    domain = Domain(size=(1, 0.5), cell_size="10 cm")
    assert (domain.resolution, domain.h, domain.cells) == (None, 0.1, (10, 5))


def test_resolution_is_64_when_nothing_is_said():
    assert Domain(size=(1, 1)).resolution == 64
    assert Domain(size=(1, 1), resolution=None) == Domain(size=(1, 1))


def test_size_is_rounded_to_whole_cells():
    assert Domain(size=(1, 0.524, 0.526), cell_size=0.05).cells == (20, 10, 11)


@given(st.integers(1, 4096), st.floats(0.01, 100), st.floats(0.01, 1))
def test_longest_side_has_as_many_cells_as_resolution_says(resolution, size, share):
    if share * resolution < 1 - 1e-6:
        with pytest.raises(SceneError, match="side y of the domain has only"):
            Domain(size=(size, size * share), resolution=resolution)
        return
    domain = Domain(size=(size, size * share), resolution=resolution)
    assert domain.cells[0] == resolution
    assert abs(domain.cells[1] - share * resolution) <= 0.5 + 1e-6


def test_gravity_pulls_down_in_every_dimension():
    assert Domain(size=(1, 1)).gravity == (0, -9.81)
    assert Domain(size=(1, 1, 1)).gravity == (0, -9.81, 0)
    assert Domain(size=(1, 1), gravity=("1 m/s^2", 0)).gravity == (1, 0)


def test_one_word_stands_for_all_sides():
    domain = Domain(size=(1, 1, 1), sides="open")
    assert {domain.side(name) for name in get_args(SideName)} == {"open"}


def test_sides_left_out_of_the_table_are_closed():
    domain = Domain(size=(1, 1), sides={"y_max": "open"})
    assert (domain.side("y_max"), domain.side("x_min")) == ("open", "closed")
    assert Domain(size=(1, 1)) == Domain(size=(1, 1), sides="closed") == Domain(size=(1, 1), sides=Sides())


def test_four_open_sides_are_all_sides_in_2d():
    sides: Any = dict.fromkeys(["x_min", "x_max", "y_min", "y_max"], "open")
    assert Domain(size=(1, 1), sides=sides) == Domain(size=(1, 1), sides="open")


def test_size_may_be_an_array():
    resolution: Any = np.int64(8)
    assert Domain(size=np.array([2.0, 1.0], dtype=np.float32), resolution=resolution).cells == (8, 4)


@pytest.mark.parametrize(
    ("arguments", "key", "words"),
    [
        (
            {"size": (1, 1, 1), "resolution": 4096},
            "resolution",
            ["4096", "6.872e+10 cells", "2147483648", "lower"],
        ),
        ({"size": (1, 1), "cell_size": "1 um"}, "cell_size", ["1e-06", "1e+12 cells", "larger cells"]),
        ({"size": (1, 1), "cell_size": "2 m"}, "cell_size", ["2.0", "side x", "only 1 m"]),
        ({"size": (1, 0.001), "resolution": 10}, "resolution", ["10", "cells of 0.1 m", "side y", "0.001 m"]),
        ({"size": (1e-8, 1e-8)}, "resolution", ["64", "1e-09"]),
        (
            {"size": (1, 1), "resolution": 8, "cell_size": 0.1},
            "cell_size",
            ["0.1", "resolution = 8", "keep one"],
        ),
        ({"size": (1,)}, "size", ["[1] has length 1"]),
        ({"size": (1, 1, 1, 1)}, "size", ["has length 4"]),
        ({"size": 3}, "size", ["3 is the wrong type", "list"]),
        ({"size": "11"}, "size", ['"11" is the wrong type', "list"]),
        ({"size": (1, 0)}, "size[1]", ["0 is out of range", "above 0 m"]),
        ({"size": (1, 2e9)}, "size[1]", ["at most 1000000000 m"]),
        ({"size": (1, 1), "gravity": (0, -9.81, 0)}, "gravity", ["3 entries", "2-D"]),
        ({"size": (1, 1), "sides": "opne"}, "sides", ['"opne"', 'Did you mean "open"']),
        ({"size": (1, 1), "sides": {"x_mim": "open"}}, "sides.x_mim", ['Did you mean "x_min"']),
        ({"size": (1, 1), "sides": {"x_min": "wall"}}, "sides.x_min", ['"wall" is not one of closed, open']),
        ({"size": (1, 1), "sides": {"z_min": "open"}}, "sides.z_min", ["2-D", "no such side"]),
        ({"size": (1, 1), "sides": 3}, "sides", ["3 is the wrong type", "table"]),
        ({}, "size", ["is missing", "a length"]),
    ],
)
def test_impossible_domain_is_refused_by_key_value_and_limit(arguments, key, words):
    with pytest.raises(SceneError) as error:
        Domain(**arguments)
    (problem,) = error.value.problems
    assert problem.key == key
    assert all(word in problem.message for word in words), problem.message
    assert error.value.source == "Domain"
