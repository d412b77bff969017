import numpy as np

from plash.grid.dense import from_dense, tiles_over
from plash.grid.fields import CellField
from plash.mesh.marching import mesh_of_tiles
from plash.mesh.mesh import Mesh
from plash.mesh.normals import creased, face_normals, gradient_normals

RADIUS, H = 1.0, 0.1
CENTRE = np.array([0.03, -0.04, 0.01])


def sphere(h=H):
    n = int(np.ceil(1.3 / h))
    index = np.meshgrid(*[np.arange(-n, n + 1)] * 3, indexing="ij")
    away = np.sqrt(sum((i * h - c) ** 2 for i, c in zip(index, CENTRE, strict=True)))
    tiles = tiles_over((-n,) * 3, (2 * n + 1,) * 3)
    return CellField(tiles, from_dense((away - RADIUS).astype(np.float32), tiles, (-n,) * 3, 9.0))


def largest_angle(normals, vertices):
    exact = (vertices - CENTRE) / np.linalg.norm(vertices - CENTRE, axis=1)[:, None]
    return np.degrees(np.arccos(np.clip((normals * exact).sum(axis=1), -1, 1)).max())


def test_gradient_normals_are_within_a_degree():
    field = sphere()
    mesh = mesh_of_tiles(field, H)
    assert largest_angle(gradient_normals(field, mesh.vertices, H), mesh.vertices) <= 1


def test_face_normals_point_outwards():
    mesh = mesh_of_tiles(sphere(), H)
    normals = face_normals(mesh.vertices, mesh.faces)
    assert normals.dtype == np.float32
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
    assert largest_angle(normals, mesh.vertices) < 4


def test_mean_face_normals_are_better_than_first_order():
    means = []
    for h in (0.1, 0.05):
        mesh = mesh_of_tiles(sphere(h), h)
        exact = (mesh.vertices - CENTRE) / np.linalg.norm(mesh.vertices - CENTRE, axis=1)[:, None]
        means.append(np.linalg.norm(face_normals(mesh.vertices, mesh.faces) - exact, axis=1).mean())
    assert means[0] / means[1] > 1.7


def test_creases_are_sharp_and_all_else_stays():
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
    sides = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))], np.int32)
    box = Mesh(corners, faces, face_normals(corners, faces))
    sharp = creased(box, 50)
    assert np.isclose(sharp.volume, 1)
    assert len(sharp.vertices) == 8 + 36
    assert np.isclose(np.abs(sharp.normals[sharp.faces]).max(axis=2), 1).all()
    round_one = mesh_of_tiles(sphere(), H)
    ball = Mesh(round_one.vertices, round_one.faces, face_normals(round_one.vertices, round_one.faces))
    assert len(creased(ball).vertices) == len(ball.vertices)
