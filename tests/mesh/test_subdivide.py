"""Loop subdivision against the table of weights in VALIDATION 10, on meshes whose limit is known."""

import numpy as np
import pytest

from plash.mesh.draft import CLOSES, Draft
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals
from plash.mesh.subdivide import refined, subdivided

BETA = {3: 0.187500, 4: 0.121094, 5: 0.084093, 6: 0.062500, 7: 0.049025}
CHI = {3: 0.200000, 4: 0.140909, 5: 0.105716, 6: 0.083333, 7: 0.068263}


def cone(n, height=0.7):
    """A closed mesh with a vertex of n neighbours in a ring: number 0, with number n + 1 below."""
    angle = 2 * np.pi * np.arange(n) / n + 0.3
    ring = np.stack([np.cos(angle), np.sin(angle), 0.1 * np.cos(3 * angle)], axis=1)
    vertices = np.vstack([[0.1, 0.05, height], ring, [0.0, 0.1, -0.4]]).astype(np.float32)
    i = np.arange(1, n + 1)
    j = np.roll(i, -1)
    upper, lower = (np.stack([np.full(n, apex), *pair], axis=1) for apex, pair in ((0, (i, j)), (n + 1, (j, i))))
    return Mesh(vertices, np.concatenate([upper, lower]).astype(np.int32))


def blob(seed=2, shape=(9, 8, 10)):
    return mesh_of_array(np.random.default_rng(seed).normal(size=shape), 0.3)


@pytest.mark.parametrize("n", BETA)
def test_vertices_have_the_weights_of_the_table(n):
    mesh = cone(n)
    moved = subdivided(mesh).vertices[0]
    assert np.allclose(
        moved, (1 - n * BETA[n]) * mesh.vertices[0] + BETA[n] * mesh.vertices[1 : n + 1].sum(axis=0), atol=2e-6
    )


@pytest.mark.parametrize("n", CHI)
def test_rounds_tend_to_the_limit(n):
    mesh = cone(n)
    limit = (1 - n * CHI[n]) * mesh.vertices[0] + CHI[n] * mesh.vertices[1 : n + 1].sum(axis=0)
    gaps = [np.linalg.norm(subdivided(mesh, rounds).vertices[0] - limit) for rounds in (1, 3, 6)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 2e-4


def test_edges_have_three_eighths_of_their_ends():
    mesh = cone(5)
    finer = subdivided(mesh)
    a, b = mesh.vertices[0], mesh.vertices[2]
    expected = 3 / 8 * (a + b) + (mesh.vertices[1] + mesh.vertices[3]) / 8
    assert np.isclose(np.linalg.norm(finer.vertices - expected, axis=1).min(), 0, atol=1e-6)


def test_counts_and_euler_number():
    mesh = blob()
    edges = len(mesh.faces) * 3 // 2
    finer = subdivided(mesh)
    assert len(finer.faces) == 4 * len(mesh.faces)
    assert len(finer.vertices) == len(mesh.vertices) + edges
    assert finer.euler_number == mesh.euler_number
    assert finer.open_edges() == 0


def test_an_affine_map_before_or_after_is_the_same():
    mesh = blob()
    matrix, shift = np.array([[1.2, 0.3, 0.0], [-0.4, 0.8, 0.5], [0.1, 0.2, -1.5]]), np.array([3.0, -2.0, 1.0])
    mapped = Mesh((mesh.vertices @ matrix + shift).astype(np.float32), mesh.faces)
    assert np.allclose(subdivided(mapped, 2).vertices, subdivided(mesh, 2).vertices @ matrix + shift, atol=1e-5)


def test_a_flat_sheet_stays_flat_and_keeps_its_rim_straight():
    """Four by three squares, cut into triangles, with boundary: the interior and the straight rim stay in place."""
    x, y = np.meshgrid(np.arange(5) * 0.7, np.arange(4) * 0.7, indexing="ij")
    vertices = np.stack([x.ravel(), y.ravel(), 0.4 + 0.5 * x.ravel()], axis=1).astype(np.float32)
    i = np.arange(20).reshape(5, 4)
    a, b, c, d = i[:-1, :-1].ravel(), i[1:, :-1].ravel(), i[1:, 1:].ravel(), i[:-1, 1:].ravel()
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]).astype(np.int32)
    finer = subdivided(Mesh(vertices, faces), 2)
    assert np.allclose(finer.vertices[:, 2], 0.4 + 0.5 * finer.vertices[:, 0], atol=1e-5)
    inner = (finer.vertices[:, 1] > 0.75) & (finer.vertices[:, 1] < 1.35)
    assert np.isclose(finer.vertices[:, 1].min(), 0, atol=1e-6)
    assert np.isclose(finer.vertices[:, 1].max(), 2.1, atol=1e-6)
    assert inner.any()


def test_a_rim_is_subdivided_by_itself():
    """The rim of an open mesh is a cubic B-spline, whatever is inside of it."""
    mesh = cone(6)
    upper = Mesh(mesh.vertices[:7], mesh.faces[:6])
    finer = subdivided(upper)
    ring = upper.vertices[1:]
    spline = 0.75 * ring + 0.125 * (np.roll(ring, 1, axis=0) + np.roll(ring, -1, axis=0))
    assert np.allclose(finer.vertices[1:7], spline, atol=1e-6)


def test_an_outline_becomes_a_spline_and_goes_on_bounding_the_region():
    y, x = np.mgrid[-6:7, -7:8] * 0.3
    disc = mesh_of_array(np.hypot(x, 1.3 * y) - 1.4, 0.3)
    following = dict(disc.edges.tolist())
    before = {j: i for i, j in following.items()}
    finer = subdivided(disc)
    rim = disc.edges[:, 0]
    expected = [0.75 * disc.vertices[i] + 0.125 * (disc.vertices[following[i]] + disc.vertices[before[i]]) for i in rim]
    assert np.allclose(finer.vertices[rim], expected, atol=1e-6)
    assert len(finer.edges) == 2 * len(disc.edges)
    assert finer.open_edges() == 0
    assert finer.euler_number == disc.euler_number
    ends = finer.vertices[finer.edges].astype(float)
    enclosed = (ends[:, 0, 0] * ends[:, 1, 1] - ends[:, 1, 0] * ends[:, 0, 1]).sum() / 2
    assert np.isclose(finer.volume, enclosed, rtol=1e-5)


def test_velocity_goes_by_the_same_weights_as_places():
    bare = blob()
    velocity = (2 * bare.vertices + 1).astype(np.float32)
    mesh = Mesh(bare.vertices, bare.faces, face_normals(bare.vertices, bare.faces), velocity)
    finer = subdivided(mesh, 2)
    assert np.allclose(finer.velocity, 2 * finer.vertices + 1, atol=1e-5)
    assert np.allclose(np.linalg.norm(finer.normals, axis=1), 1, atol=1e-5)


def test_creases_at_walls_stay_sharp():
    """A box with two of its sides on walls: they stay flat squares, their common edge straight, other edges round."""
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float) * [0.9, 0.6, 0.7]
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))], np.int32)
    walls = np.zeros(8, np.uint8)
    walls[corners[:, 0] == 0] |= 1 | CLOSES
    draft = Draft(corners, np.zeros((8, 3), np.float32), walls, faces, np.zeros((0, 2), np.int32))
    for _ in range(3):
        draft = refined(draft)
    on_wall = draft.places[draft.walls & 1 > 0]
    assert np.abs(on_wall[:, 0]).max() == 0
    assert len(on_wall) > 50
    tags = draft.tags(draft.faces)
    assert (tags == 1).sum() == 2 * 4**3
    assert draft.places[:, 0].max() < 0.9 * 0.98
