"""A glass whose wall is half a cell thick holds water: as a mesh, and as what a cylinder leaves of another."""

import numpy as np
import pytest
import trimesh

import plash

pytestmark = pytest.mark.slow

RADIUS, WALL, HEIGHT, FOOT = 0.2, 0.0125, 0.4, 0.05


def mesh_glass(tmp_path):
    outline = [(0, 0), (RADIUS, 0), (RADIUS, HEIGHT), (RADIUS - WALL, HEIGHT), (RADIUS - WALL, WALL), (0, WALL)]
    glass = trimesh.creation.revolve(np.array(outline), sections=48)
    glass.apply_transform(trimesh.transformations.rotation_matrix(-np.pi / 2, [1, 0, 0]))
    glass.apply_translation([0.3, FOOT, 0.3])
    glass.export(tmp_path / "glass.stl")
    return plash.MeshShape(file=tmp_path / "glass.stl")


def turned_glass(tmp_path):
    outside = plash.Cylinder(base=(0.3, FOOT, 0.3), top=(0.3, FOOT + HEIGHT, 0.3), radius=RADIUS)
    inside = plash.Cylinder(base=(0.3, FOOT + WALL, 0.3), top=(0.3, 0.6, 0.3), radius=RADIUS - WALL)
    return plash.Difference(of=[outside, inside])


@pytest.mark.parametrize("glass", [mesh_glass, turned_glass])
def test_a_glass_holds_water(tmp_path, glass):
    scene = plash.Scene(
        domain={"size": (0.6, 0.6, 0.6), "resolution": 24},
        fill=[{"shape": plash.Cylinder(base=(0.3, 0.06, 0.3), top=(0.3, 0.3, 0.3), radius=RADIUS)}],
        solid=[{"name": "glass", "shape": glass(tmp_path)}],
        time={"fps": 24, "frames": 121},
    )
    assert scene.domain.h == pytest.approx(2 * WALL)
    for frame in plash.simulate(scene):
        place = frame.particles.position
        assert np.hypot(place[:, 0] - 0.3, place[:, 2] - 0.3).max() < RADIUS - WALL
        assert place[:, 1].min() > FOOT + WALL
    assert frame.ledger.leaks == {"glass": 0}
    assert frame.ledger.particle_volume == pytest.approx(frame.ledger.initial, rel=1e-6)
    assert frame.ledger.volume == pytest.approx(frame.ledger.initial, rel=0.03)
    assert np.abs(frame.particles.velocity).max() < 0.05
