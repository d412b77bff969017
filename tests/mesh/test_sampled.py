"""Surfaces of plain arrays: shapes whose volume, normals and topology are known."""

import numpy as np
import pytest

from plash.mesh.defects import defects
from plash.mesh.sampled import surface_of_density, surface_of_distance
from plash.scene import Meshing

H = 0.05
COUNTS = {2: (19, 13), 3: (19, 13, 15)}


def grid(dimension):
    """Coordinates x, y[, z] as arrays [z, y, x], samples H apart."""
    return np.meshgrid(*[np.arange(n) * H for n in COUNTS[dimension][::-1]], indexing="ij")[::-1]


def pool(dimension, level=0.32):
    return grid(dimension)[1] - level


def whole(dimension, level=0.32):
    sides = [(n - 1) * H for n in COUNTS[dimension]]
    sides[1] = level
    return np.prod(sides)


def test_a_pool_is_closed_and_exactly_flush_with_the_walls(dimension):
    origin = (1.0, -2.0, 0.5)[:dimension]
    mesh = surface_of_distance(pool(dimension), H, origin)
    assert defects(mesh) == []
    assert np.isclose(mesh.volume, whole(dimension), rtol=1e-4)
    for axis, first in enumerate(origin):
        assert mesh.vertices[:, axis].min() == np.float32(first)
        if axis != 1:
            assert mesh.vertices[:, axis].max() == np.float32(first + (COUNTS[dimension][axis] - 1) * H)


def test_open_walls_leave_the_surface_alone(dimension):
    mesh = surface_of_distance(pool(dimension), H, meshing=Meshing(smoothing=0, walls="open", normals="field"))
    if dimension == 2:
        outline = mesh.vertices[np.unique(mesh.edges)]
        assert np.isclose(mesh.volume, whole(2), rtol=1e-4)
    else:
        outline = mesh.vertices
        assert np.isclose(mesh.area, 18 * 14 * H * H)
        assert np.allclose(mesh.normals, [0, 1, 0], atol=1e-5)
    assert np.allclose(outline[:, 1], 0.32, atol=1e-6)
    assert mesh.open_edges() > 0


def test_midpoints_are_half_way(dimension):
    mesh = surface_of_distance(pool(dimension), H, meshing=Meshing(placement="midpoint", walls="open"))
    outline = mesh.vertices[np.unique(mesh.edges)] if dimension == 2 else mesh.vertices
    assert np.allclose(outline[:, 1], 6.5 * H)


def test_a_density_is_inside_where_it_is_above_the_level(dimension):
    places = grid(dimension)
    centre = (0.43, 0.31, 0.37)
    away = np.sqrt(sum((x - c) ** 2 for x, c in zip(places, centre, strict=False)))
    mesh = surface_of_density(10 * np.exp(-away / 0.2), 10 * np.exp(-1), H)
    assert defects(mesh) == []
    exact = np.pi * 0.2**2 if dimension == 2 else 4 / 3 * np.pi * 0.2**3
    assert abs(mesh.volume / exact - 1) < 0.05
    if dimension == 3:
        outwards = (mesh.vertices - centre) / np.linalg.norm(mesh.vertices - centre, axis=1)[:, None]
        assert (mesh.normals * outwards).sum(axis=1).min() > 0.98


def test_specks_are_left_out_by_size(dimension):
    places = grid(dimension)
    balls = [((0.3, 0.3, 0.3), 0.17), ((0.75, 0.2, 0.5), 0.06)]
    away = [np.sqrt(sum((x - c) ** 2 for x, c in zip(places, at, strict=False))) - r for at, r in balls]
    both = surface_of_distance(np.minimum(*away), H)
    one = surface_of_distance(np.minimum(*away), H, meshing=Meshing(smoothing=0, smallest=10))
    euler = 1 if dimension == 2 else 2
    assert (both.euler_number, one.euler_number) == (2 * euler, euler)
    assert np.isclose(one.volume, surface_of_distance(away[0], H).volume, rtol=1e-6)


@pytest.mark.parametrize("rounds", [1, 2])
def test_subdivision_keeps_volume_walls_and_edges(dimension, rounds):
    plain = surface_of_distance(pool(dimension), H)
    fine = surface_of_distance(pool(dimension), H, meshing=Meshing(smoothing=0, subdivide=rounds))
    assert defects(fine) == []
    assert np.isclose(fine.volume, plain.volume, rtol=1e-5)
    assert np.isclose(fine.area, plain.area, rtol=2e-3)
    assert len(fine.faces) == 4**rounds * len(plain.faces)
    assert fine.vertices[:, 0].min() == 0


def test_a_full_box_is_a_box(dimension):
    mesh = surface_of_distance(np.full(COUNTS[dimension][::-1], -1.0), H)
    sides = [(n - 1) * H for n in COUNTS[dimension]]
    assert np.isclose(mesh.volume, np.prod(sides), rtol=1e-4)
    assert defects(mesh) == []


@pytest.mark.parametrize("wrong", [np.zeros(5), np.zeros((1, 5)), np.full((4, 4), np.nan), np.zeros((2, 2, 2, 2))])
def test_what_is_no_field_is_refused(wrong):
    with pytest.raises(ValueError, match="field"):
        surface_of_distance(wrong, H)
