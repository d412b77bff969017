"""Bodies from files of triangles in a whole simulation."""

import numpy as np
import pytest
import trimesh

import plash

CENTRE, RADIUS = (0.62, 0.2, 0.3), 0.14


def dam_break(ball, fill=None):
    return plash.Scene(
        domain={"size": (1.0, 0.6, 0.6), "resolution": 24},
        time={"frames": 5},
        fill=[{"shape": fill or plash.Box(min=(0, 0, 0), max=(0.4, 0.45, 0.6))}],
        solid=[{"name": "ball", "shape": ball}],
    )


@pytest.fixture(scope="module")
def mesh_ball(tmp_path_factory):
    path = tmp_path_factory.mktemp("meshes") / "ball.glb"
    trimesh.creation.icosphere(subdivisions=5, radius=100).export(path)
    return plash.MeshShape(file=path, scale=RADIUS / 100, translation=CENTRE)


def test_dam_breaks_round_a_mesh_as_round_the_exact_shape(mesh_ball):
    exact = list(plash.simulate(dam_break(plash.Sphere(center=CENTRE, radius=RADIUS))))
    found = list(plash.simulate(dam_break(mesh_ball)))
    assert len(found) == 5
    for ours, theirs in zip(found, exact, strict=True):
        assert ours.ledger.particle_volume == pytest.approx(theirs.ledger.particle_volume, rel=1e-6)
        assert ours.ledger.leaks == {"ball": 0}
        assert ours.particles.position.mean(axis=0) == pytest.approx(theirs.particles.position.mean(axis=0), abs=2e-3)
    solid_phi = np.linalg.norm(found[-1].particles.position - CENTRE, axis=1)
    assert solid_phi.min() > RADIUS - 1.0 / 24


def test_liquid_starts_in_the_shape_of_a_mesh(mesh_ball):
    far = plash.Box(min=(0.9, 0, 0), max=(1, 0.1, 0.1))
    frame = next(plash.simulate(dam_break(far, mesh_ball)))
    assert frame.ledger.particle_volume == pytest.approx(4 / 3 * np.pi * RADIUS**3, rel=0.01)


def test_open_mesh_is_refused_by_name(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=2, radius=RADIUS)
    trimesh.Trimesh(ball.vertices, ball.faces[1:], process=False).export(tmp_path / "ball.ply")
    shape = plash.MeshShape(file=tmp_path / "ball.ply", translation=CENTRE)
    with pytest.raises(plash.SceneError, match=r"ball.*has 3 open edges around 1 hole.*close the hole"):
        next(plash.simulate(dam_break(shape)))
