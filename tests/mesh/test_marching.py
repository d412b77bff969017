import numpy as np
import pytest

from plash.grid.dense import from_dense, tiles_over
from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.mesh.marching import field_of_array, march, mesh_of_array, mesh_of_tiles
from plash.mesh.mesh import Mesh
from plash.mesh.topology import parts_of

CENTRE = np.array([0.13, -0.07, 0.21])


def ball(h, dimension=3, radius=1.0):
    """Exact distance to a ball as an array in a box that is no cube, and the box's first point."""
    n = np.ceil(np.array([1.5, 1.7, 1.9])[:dimension] / h).astype(int)
    axes = np.meshgrid(*[np.arange(-m, m + 1) * h for m in n[::-1]], indexing="ij")
    away = np.sqrt(sum((axis - c) ** 2 for axis, c in zip(axes[::-1], CENTRE, strict=False)))
    return mesh_of_array(away - radius, h, tuple(-n * h))


def test_sphere_is_a_sphere():
    h = 0.1
    mesh = ball(h)
    assert mesh.euler_number == 2
    assert mesh.open_edges() == 0
    error = np.linalg.norm(mesh.vertices - CENTRE, axis=1) - 1
    assert np.abs(error).max() <= h**2 / 8 * 1.05 + 1e-6


def test_volume_and_area_are_of_second_order():
    coarse, fine = ball(0.14), ball(0.07)
    for exact, name in ((4 / 3 * np.pi, "volume"), (4 * np.pi, "area")):
        errors = [exact - getattr(mesh, name) for mesh in (coarse, fine)]
        assert errors[1] > 0
        assert 3.2 < errors[0] / errors[1] < 4.8
    assert abs(fine.area / (4 * np.pi) - 1) < 0.01


def test_area_of_a_disc_is_of_second_order():
    errors = [np.pi - ball(h, dimension=2).volume for h in (0.11, 0.055)]
    assert 3.2 < errors[0] / errors[1] < 4.8
    disc = ball(0.11, dimension=2)
    assert disc.euler_number == 1
    assert disc.open_edges() == 0
    around = disc.vertices[disc.edges].astype(float)[:, :, :2]
    doubled = around[:, 0, 0] * around[:, 1, 1] - around[:, 1, 0] * around[:, 0, 1]
    assert np.isclose(doubled.sum() / 2, disc.volume)  # the outline runs round the triangles, inside on its left


def test_torus_has_a_hole():
    z, y, x = np.mgrid[-14:15, -8:9, -15:16] * 0.1
    ring = np.hypot(np.hypot(x, z) - 0.9, y) - 0.35
    mesh = mesh_of_array(ring, 0.1)
    assert mesh.euler_number == 0
    assert mesh.open_edges() == 0


def test_double_torus_has_two_holes():
    z, y, x = np.mgrid[-5:6, -13:14, -22:23] * 0.1
    rings = [np.hypot(np.hypot(x - side, y) - 0.8, z) - 0.3 for side in (-0.9, 0.9)]
    mesh = mesh_of_array(np.minimum(*rings), 0.1)
    assert mesh.euler_number == -2
    assert mesh.open_edges() == 0
    assert mesh.volume > 0


def holes(mesh):
    """Handles of a closed mesh by the Euler number of each part: all whole numbers, none negative."""
    part = parts_of(mesh.faces, len(mesh.vertices))
    each = [Mesh(mesh.vertices, mesh.faces[part[mesh.faces[:, 0]] == p]).euler_number for p in range(part.max() + 1)]
    return 1 - np.array(each) / 2


def test_parts_of_noise_are_closed_surfaces_with_whole_numbers_of_handles():
    for number in range(0, 100, 10):
        mesh = mesh_of_array(np.random.default_rng(number).normal(size=(10, 10, 10)), 0.3)
        found = holes(mesh)
        assert (found >= 0).all()
        assert (found == np.rint(found)).all()


def test_midpoints_have_the_same_faces(dimension):
    values = np.random.default_rng(5).normal(size=(11, 13, 9)[:dimension])
    field = field_of_array(values)
    one, two = march(field), march(field, midpoints=True)
    assert np.array_equal(one.faces, two.faces)
    between = two.ends[:, 0] != two.ends[:, 1]
    assert (two.share[between] == 0.5).all()


def test_vertices_on_edges_along_the_surface_are_in_their_middle_whatever_round_off_says(dimension):
    heights = np.arange(9.0)[(None,) * (dimension - 2) + (slice(None), None)] - 4.0
    noise = np.random.default_rng(5).uniform(-1e-4, 1e-4, (7, 9, 11)[3 - dimension :])
    cuts = march(field_of_array((heights + noise).astype(np.float32)), flat=0.02)
    between = cuts.ends[:, 0] != cuts.ends[:, 1]
    inner = np.all((cuts.places >= 0) & (cuts.places <= np.array([10, 8, 6])), axis=1)
    across = between & inner & (cuts.places[:, 1] == 4.0)
    upright = between & inner & (cuts.places[:, 1] != 4.0)
    assert across.sum() >= 4
    assert upright.sum() == noise[..., 0, :].size
    assert np.abs(cuts.share[across] - 0.5).max() < 0.01
    assert np.abs(cuts.places[upright, 1] - 4.0).max() < 1e-3


def test_any_number_of_threads_gives_the_same_bits(dimension, threads):
    field = field_of_array(np.random.default_rng(5).normal(size=(41, 33, 29)[:dimension]))
    found = []
    for n in (1, 2):
        threads(n)
        found.append(march(field))
    for name in ("places", "ends", "share", "faces", "edges"):
        assert getattr(found[0], name).tobytes() == getattr(found[1], name).tobytes()


@pytest.mark.parametrize("shape", [(10, 10, 10), (7, 19, 11), (23, 9)])
def test_noise_has_no_open_edges(shape):
    for number in range(100):
        values = np.random.default_rng(number).normal(size=shape)
        mesh = mesh_of_array(values, 0.3)
        assert mesh.open_edges() == 0
        assert mesh.volume > 0
        corners = mesh.vertices[mesh.faces].astype(float)
        assert np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).min() > 0


def test_corners_across_an_ambiguous_face_stay_apart():
    values = np.ones((4, 4, 4))
    values[1, 1, 1] = values[1, 2, 2] = -1
    assert mesh_of_array(values, 1.0).euler_number == 4
    two, one_hole = mesh_of_array(values[1], 1.0), mesh_of_array(-values[1], 1.0)
    assert two.euler_number == 2
    assert one_hole.euler_number == 0
    assert two.open_edges() == one_hole.open_edges() == 0


def test_absent_tiles_are_outside(dimension):
    """A tile that is all inside, alone far from the origin: a closed box, though all its neighbours are missing."""
    at = np.array([[-70000, 3, 0 if dimension == 2 else 5]])
    tiles = Tiles.at(at, dimension)
    field = CellField.filled(tiles, 1.0)
    field.pool[1] = -1.0
    cuts = march(field)
    assert mesh_of_tiles(field, 0.5).open_edges() == 0
    size = np.array(tiles.shape[::-1])[:dimension]
    assert np.allclose(cuts.places.min(axis=0)[:dimension], at[0, :dimension] * size - 0.5)
    assert np.allclose(cuts.places.max(axis=0)[:dimension], (at[0, :dimension] + 1) * size - 0.5)


def test_place_of_the_tiles_does_not_matter(dimension):
    values = np.random.default_rng(5).normal(size=(21, 13, 18)[:dimension]).astype(np.float32)
    meshes = []
    for first in ((0,) * dimension, (-37, 5, 11)[:dimension]):
        tiles = tiles_over(tuple(f - 3 for f in first), tuple(n + 20 for n in values.shape))
        field = CellField(tiles, from_dense(values, tiles, first, 2.0))
        meshes.append(mesh_of_tiles(field, 1.0, tuple(-float(f) for f in first)))
    one, two = meshes
    assert one.open_edges() == two.open_edges() == 0
    assert np.isclose(one.volume, two.volume, rtol=1e-5)
    order = [np.lexsort(mesh.vertices.round(4).T) for mesh in meshes]
    assert np.allclose(one.vertices[order[0]], two.vertices[order[1]], atol=1e-4)
    assert len(one.faces) == len(two.faces)


def test_vertices_know_the_samples_they_lie_between(dimension):
    values = np.random.default_rng(5).normal(size=(11, 13, 9)[:dimension]).astype(np.float32)
    tiles = tiles_over((-8,) * dimension, tuple(n + 16 for n in values.shape))
    field = CellField(tiles, from_dense(values, tiles, None, 2.0))
    cuts = march(field)
    pool = field.moved_to(cuts.tiles).pool.ravel().astype(float)
    between = pool[cuts.ends[:, 0]] * (1 - cuts.share) + pool[cuts.ends[:, 1]] * cuts.share
    on_edges = cuts.ends[:, 0] != cuts.ends[:, 1]
    clamped = (cuts.share < 0.002) | (cuts.share > 0.998)
    assert np.abs(between[on_edges & ~clamped]).max() < 1e-12
    assert on_edges.all() == (dimension == 3)


def test_all_outside_is_empty(dimension):
    assert len(mesh_of_array(np.ones((5, 4, 3)[:dimension]), 0.2).faces) == 0
