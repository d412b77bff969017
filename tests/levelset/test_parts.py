"""Parts of cells that lie in small shapes: they add up to the shape, wherever it lies among the cells."""

import math

import numpy as np
import pytest

from plash.levelset.parts import is_small, parts_inside
from plash.scene.shapes import Box, Capsule, Sphere

H = 0.07


@pytest.mark.parametrize("radius", [0.02, 0.3, 0.5, 1.2, 3.9])  # in cells
@pytest.mark.parametrize("place", [(0.5, 0.5, 0.5), (0.0, 0.0, 0.0), (0.3, 0.1, 0.7)])
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_parts_of_a_ball_add_up_to_it(radius, place, dimension):
    centre = tuple((np.array(place[:dimension]) + 4) * H)
    cells, share = parts_inside(Sphere(center=centre, radius=radius * H), H, dimension, "ball")
    whole = math.pi * radius**2 if dimension == 2 else 4 / 3 * math.pi * radius**3
    assert share.sum() == pytest.approx(whole, rel=0.005)
    assert share.min() > 0
    assert share.max() <= 1.005
    middle = (share[:, None] * (cells + 0.5)).sum(axis=0) / share.sum()
    assert middle == pytest.approx(np.array(centre) / H, abs=0.5)


def test_a_box_is_exact():
    low, high = np.array([0.3, 2.9]), np.array([1.4, 3.05])
    cells, share = parts_inside(Box(min=tuple(low * H), max=tuple(high * H)), H, 2, "box")
    found = {tuple(cell): part for cell, part in zip(cells.tolist(), share, strict=True)}
    expected = {(0, 2): 0.7 * 0.1, (1, 2): 0.4 * 0.1, (0, 3): 0.7 * 0.05, (1, 3): 0.4 * 0.05}
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_thin_rod_across_the_grid_is_not_lost():
    base, top, radius = np.array([0.1, 0.12, 0.1]), np.array([0.9, 0.7, 0.8]), 0.15 * H
    _, share = parts_inside(Capsule(base=tuple(base), top=tuple(top), radius=radius), H, 3, "rod")
    length = np.linalg.norm(top - base)
    whole = math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3
    assert share.sum() * H**3 == pytest.approx(whole, rel=0.1)


def test_what_counts_as_small():
    assert is_small(Sphere(center=(0, 0), radius=3 * H), H, 2)
    assert not is_small(Sphere(center=(0, 0), radius=5 * H), H, 2)
    assert not is_small(Box(min=(-1000, 0, -1000), max=(1000, H, 1000)), H, 3)  # has too many cells to look at
