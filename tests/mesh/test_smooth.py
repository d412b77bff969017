import numpy as np
import pytest

from plash.mesh.draft import CLOSES, Draft
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh
from plash.mesh.smooth import smoothed


def smooth(mesh, sweeps, walls=None) -> Mesh:
    walls = np.zeros(len(mesh.vertices), np.uint8) if walls is None else walls
    draft = Draft(mesh.vertices.astype(np.float64), np.zeros_like(mesh.vertices), walls, mesh.faces, mesh.edges)
    return Mesh(smoothed(draft, sweeps).places.astype(np.float32), mesh.faces, edges=mesh.edges)


def bumpy_ball(dimension, noise, radius=1.0, h=0.1):
    n = int(1.5 * radius / h)
    axes = np.mgrid[(slice(-n, n + 1),) * dimension] * h
    away = np.sqrt((axes**2).sum(axis=0)) - radius
    return mesh_of_array(away + noise * h * np.random.default_rng(1).normal(size=away.shape), h, (-n * h,) * dimension)


def roughness(mesh):
    rim = np.unique(mesh.edges) if len(mesh.edges) else slice(None)
    return np.linalg.norm(mesh.vertices[rim], axis=1).std()


def test_bumps_go_and_the_volume_stays(dimension):
    before = bumpy_ball(dimension, noise=0.15)
    after = smooth(before, 8)
    assert roughness(after) < 0.6 * roughness(before)
    assert abs(after.volume / before.volume - 1) < 0.01


def test_a_smooth_ball_stays_as_it_is(dimension):
    before = bumpy_ball(dimension, noise=0.0)
    after = smooth(before, 10)
    assert abs(after.volume / before.volume - 1) < 0.002
    assert roughness(after) < 0.01


@pytest.mark.parametrize("radius", [0.09, 0.13, 0.2])
def test_every_drop_keeps_its_volume(radius):
    big, small = bumpy_ball(3, 0.0), bumpy_ball(3, 0.0, radius)
    vertices = np.concatenate([big.vertices, small.vertices + np.float32(4)])
    both = Mesh(vertices, np.concatenate([big.faces, small.faces + len(big.vertices)]).astype(np.int32))
    after = smooth(both, 8)
    drop = Mesh(after.vertices[len(big.vertices) :], small.faces)
    assert abs(drop.volume / small.volume - 1) < 0.03
    assert abs(after.volume / both.volume - 1) < 0.002


def test_no_sweeps_change_nothing(dimension):
    before = bumpy_ball(dimension, 0.3)
    assert np.array_equal(smooth(before, 0).vertices, before.vertices)


def test_vertices_on_a_wall_stay_on_it():
    mesh = bumpy_ball(3, 0.3)
    walls = np.where(mesh.vertices[:, 0] > 0.8, 2, 0).astype(np.uint8)
    walls[mesh.vertices[:, 1] > 0.9] = 8 | CLOSES
    after = smooth(mesh, 4, walls)
    assert np.array_equal(after.vertices[walls == 2, 0], mesh.vertices[walls == 2, 0])
    assert np.array_equal(after.vertices[walls >= CLOSES, 1], mesh.vertices[walls >= CLOSES, 1])
    assert not np.array_equal(after.vertices[walls == 2, 1], mesh.vertices[walls == 2, 1])
