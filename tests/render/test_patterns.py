"""Floors of sets: made from formulas, of one mean, and without an end."""

import numpy as np
import pytest

from plash.render.patterns import Pattern, floor_pattern, looked_up, round_length
from plash.scene import load_scene
from plash.scene.sets import LIGHTS, SETS

PATTERNED = [name for name, kind in SETS.items() if kind.floor != "plain"]


def test_every_set_has_a_light_that_exists_and_only_the_studio_is_plain():
    assert {kind.light for kind in SETS.values()} <= set(LIGHTS)
    assert set(SETS) - set(PATTERNED) == {"studio"}


@pytest.mark.parametrize("name", PATTERNED)
def test_a_pattern_keeps_the_colour_of_the_floor(name):
    pattern = floor_pattern(load_scene("dam_break", **{"look.set": name}))
    assert pattern is not None
    assert pattern.factors.mean(axis=(0, 1), dtype=np.float64) == pytest.approx([1, 1, 1], abs=1e-4)
    assert pattern.factors.min() > 0
    assert pattern.factors.std() > 0.01
    # From afar nothing but the colour is left
    far = pattern.at(np.array([0.3, 7.1]), np.array([-2.0, 0.4]), np.full(2, 100 * pattern.size))
    assert far == pytest.approx(np.ones((2, 3)), abs=1e-3)


def test_a_pattern_goes_on_without_a_seam():
    pattern = floor_pattern(load_scene("dam_break", **{"look.set": "table"}))
    assert pattern is not None
    x, z, fine = np.linspace(0, 1, 50), np.linspace(0.2, 0.9, 50), np.full(50, 1e-4)
    here, there = pattern.at(x, z, fine), pattern.at(x + 3 * pattern.size, z - 2 * pattern.size, fine)
    assert here == pytest.approx(there, abs=1e-2)


def test_the_studio_and_flat_scenes_have_no_pattern():
    assert floor_pattern(load_scene("dam_break", **{"look.set": "studio"})) is None
    assert floor_pattern(load_scene("dam_break_2d", **{"look.set": "pool"})) is None


def test_tiles_have_a_round_length_and_a_joint_at_the_corner_of_the_domain():
    pattern = floor_pattern(load_scene("dam_break", **{"look.set": "pool"}))
    assert pattern is not None
    assert pattern.size / 8 == pytest.approx(0.2)
    line = np.linspace(0.02, 0.18, 40)
    on_joint = pattern.at(line, np.zeros(40), np.full(40, 1e-4)).mean()
    in_tile = pattern.at(line, np.full(40, 0.1), np.full(40, 1e-4)).mean()
    assert on_joint < 0.7 * in_tile


@pytest.mark.parametrize("length", [3e-4, 0.0149, 0.7, 33.0])
def test_round_lengths_are_near(length):
    assert 1 / 1.6 < round_length(length) / length < 1.6


def test_pictures_are_linear_between_pixels():
    picture = np.zeros((1, 2, 3), np.float32)
    picture[0, 1] = 1
    found = looked_up(picture, np.array([0.25, 0.5, 0.75]), np.zeros(3))
    assert found[:, 0] == pytest.approx([0, 0.5, 1])


def test_a_wider_square_has_the_mean_of_finer_ones():
    fine = np.arange(48, dtype=np.float32).reshape(4, 4, 3)
    half = fine.reshape(2, 2, 2, 2, 3).mean(axis=(1, 3))
    pattern = Pattern((fine, half), 4.0)
    middle = pattern.at(np.array([1.0]), np.array([1.0]), np.array([2.0]))
    assert middle[0] == pytest.approx(half[0, 0])
