"""Open fractions: exact for a plane at any angle and offset, and what is not open is solid."""

import numpy as np
import pytest

from plash.levelset.fractions import (
    at_half_cells,
    cell_share,
    edge_fraction,
    face_fraction,
    hat_share,
    open_fractions,
    open_half_cells,
)

SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1))


def planes(count=300):
    rng = np.random.default_rng(3)
    normals = rng.standard_normal((count, 2))
    return normals / np.linalg.norm(normals, axis=1)[:, None], rng.uniform(-1, 1, count)


def area_above(normal, offset):
    """Area of the unit square where normal·x + offset > 0, integrated exactly along x for fine steps in y."""
    y = (np.arange(20000) + 0.5) / 20000
    low, high = offset + normal[1] * y, offset + normal[0] + normal[1] * y
    return edge_fraction(low, high).mean()


def test_a_face_is_open_where_a_plane_at_any_angle_is_positive():
    normals, offsets = planes()
    corners = tuple(normals @ np.array(corner) + offsets for corner in SQUARE)
    found = face_fraction(corners)
    exact = np.array([area_above(n, o) for n, o in zip(normals, offsets, strict=True)])
    assert np.abs(found - exact).max() < 1e-6


def test_open_and_solid_make_up_a_face():
    normals, offsets = planes()
    corners = tuple(normals @ np.array(corner) + offsets for corner in SQUARE)
    both = face_fraction(corners) + face_fraction(tuple(-corner for corner in corners))
    assert np.abs(both - 1).max() < 1e-12
    line = np.random.default_rng(0).standard_normal((2, 100))
    assert np.abs(edge_fraction(*line) + edge_fraction(*-line) - 1).max() < 1e-12


def test_a_solid_across_a_face_stays_connected():
    one, three = np.array([1.0]), np.array([-3.0])
    # Open at two opposite corners: a triangle with legs of a quarter in each
    assert face_fraction((one, three, one, three))[0] == pytest.approx(2 * 0.5 * 0.25**2)


def corners_of(dimension, normal, offset, cells=(5, 4, 6)):
    places = np.meshgrid(*[np.arange(n + 1.0) for n in cells[:dimension]], indexing="ij")
    value = sum(n * x for n, x in zip(normal, places, strict=False)) + offset
    return value.T.reshape(1, *([1] if dimension == 2 else []), *value.T.shape)


def test_fractions_are_multiples_of_a_power_of_two_and_none_is_tiny(dimension):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        normal = rng.standard_normal(dimension)
        for faces in open_fractions(corners_of(dimension, normal / np.linalg.norm(normal), rng.uniform(-3, 3))):
            assert (faces * 1024 == np.rint(faces * 1024)).all()
            cut = faces[(faces > 0) & (faces < 1)]
            assert ((cut >= 0.0097) & (cut <= 0.9903)).all()


def test_the_faces_of_a_cut_cell_close_up_with_its_cut(dimension):
    """Sum of ± f over opposite faces is the cut's area times its normal: parallel to the normal of the plane."""
    normal = np.array((0.31, 0.83, -0.46))[:dimension]
    normal /= np.linalg.norm(normal)
    faces = open_fractions(corners_of(dimension, normal, -2.1))
    jumps = [np.diff(f, axis=3 - axis) for axis, f in enumerate(faces)]
    along = np.stack([jump.ravel() for jump in jumps], axis=1).astype(np.float64)
    across = along - (along @ normal)[:, None] * normal
    assert np.abs(across).max() < 0.012  # what is below a hundredth counts as closed


def test_a_face_in_the_surface_is_closed_whatever_the_last_bit_says(dimension):
    normal = np.array((0.0, 1.0, 0.0))[:dimension]
    for hair in (-1e-12, 0.0, 1e-12):
        faces = open_fractions(corners_of(dimension, normal, -2.0 + hair))
        assert (faces[1][:, :, 2] == 0).all()
        assert (faces[1][:, :, 3] == 1).all()
        assert (faces[0][:, :, 2] == 1).all()


def test_shares_beside_a_flat_wall_are_those_of_whole_cells(dimension):
    normal = np.array((1.0, 0.0, 0.0))[:dimension]
    halves = open_half_cells(at_half_cells(corners_of(dimension, normal, -2.0, (6, 6, 6))))
    assert hat_share(halves)[..., 1].ravel() == pytest.approx(7 / 8)
    assert hat_share(halves)[..., 0].ravel() == pytest.approx(1 / 8)
    assert (cell_share(halves)[..., :1] == 0).all()
    assert (cell_share(halves)[..., 1:] == 1).all()
