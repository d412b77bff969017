from typing import Any

import numpy as np
import pytest

from plash.levelset.shapes import distance
from plash.mesh.mesh import Mesh
from plash.mesh.shapes import shape_mesh
from plash.scene.domain import Domain
from plash.scene.moves import Rotation
from plash.scene.shapes import Box, Capsule, Cylinder, Difference, FunctionShape, HalfSpace, HeightShape, Sphere, Union

SPACE, PLANE = Domain(size=(2, 1, 1.3)), Domain(size=(2, 1))
SPAN = np.sqrt(0.09 + 0.25 + 0.01)
TURN = Rotation(angle=30, axis=(1, 2, 3))

SOLIDS: dict[str, tuple[Any, float]] = {
    "box": (Box(min=(0.1, 0, 0), max=(1, 0.5, 0.25)), 0.9 * 0.5 * 0.25),
    "sphere": (Sphere(center=(0.5, 0.5, 0.5), radius=0.3), 4 / 3 * np.pi * 0.3**3),
    "cylinder": (Cylinder(base=(0.5, 0.2, 0.5), top=(0.8, 0.7, 0.4), radius=0.2), np.pi * 0.04 * SPAN),
    "capsule": (
        Capsule(base=(0.5, 0.2, 0.5), top=(0.8, 0.7, 0.4), radius=0.15),
        np.pi * 0.15**2 * SPAN + 4 / 3 * np.pi * 0.15**3,
    ),
    "turned box": (Box(min=(0.1, 0, 0), max=(1, 0.5, 0.25), rotation=TURN, translation=(0.2, 0.3, 0)), 0.1125),
    "turned rod": (Cylinder(base=(0.5, 0, 0.5), top=(0.5, 0.5, 0.5), radius=0.1, rotation=TURN), np.pi * 0.005),
    "tube": (
        Difference(
            of=(
                Cylinder(base=(0.5, 0.2, 0.5), top=(0.8, 0.7, 0.4), radius=0.2),
                Cylinder(base=(0.86, 0.8, 0.38), top=(0.44, 0.1, 0.52), radius=0.14),
            ),
            translation=(0.1, 0.0, -0.05),
        ),
        np.pi * (0.04 - 0.0196) * SPAN,
    ),
    "half space": (HalfSpace(point=(0, 0.3, 0), normal=(0, 1, 0)), 2 * 0.3 * 1.3),
    "difference": (
        Difference(of=(Box(min=(0.2, 0.2, 0.2), max=(0.8, 0.8, 0.8)), Sphere(center=(0.5, 0.5, 0.5), radius=0.2))),
        0.6**3 - 4 / 3 * np.pi * 0.2**3,
    ),
    "union": (
        Union(of=(Box(min=(0, 0, 0), max=(0.5, 0.5, 0.5)), Sphere(center=(1.5, 0.5, 0.5), radius=0.3))),
        0.125 + 4 / 3 * np.pi * 0.3**3,
    ),
    "function": (
        FunctionShape(function=lambda p: np.linalg.norm(p - [1, 0.5, 0.6], axis=1) - 0.4),
        4 / 3 * np.pi * 0.4**3,
    ),
    "height": (HeightShape(height=lambda x, z: 0.2 + 0.1 * x + 0 * z), 1.3 * (0.4 + 0.2)),
}
REGIONS: dict[str, tuple[Any, float]] = {
    "box": (Box(min=(0.1, 0), max=(1, 0.5)), 0.45),
    "turned box": (Box(min=(0.1, 0), max=(1, 0.5), rotation=Rotation(angle=40), translation=(0.1, 0.2)), 0.45),
    "sphere": (Sphere(center=(0.5, 0.5), radius=0.3), np.pi * 0.09),
    "cylinder": (Cylinder(base=(0.5, 0.1), top=(0.8, 0.6), radius=0.2), 0.4 * np.hypot(0.3, 0.5)),
    "capsule": (Capsule(base=(0.5, 0.1), top=(0.8, 0.6), radius=0.2), 0.4 * np.hypot(0.3, 0.5) + np.pi * 0.04),
    "half space": (HalfSpace(point=(0, 0.3), normal=(0, 1)), 0.6),
}


def welded(mesh: Mesh) -> Mesh:
    """The mesh with vertices at one place as one: edges with two normals have them twice."""
    places, which = np.unique(np.round(mesh.vertices, 5), axis=0, return_inverse=True)
    faces = which.reshape(-1)[mesh.faces].astype(np.int32)
    whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return Mesh(places, faces[whole])


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_have_their_volume(name):
    shape, volume = SOLIDS[name]
    mesh = welded(shape_mesh(shape, SPACE))
    assert mesh.open_edges() == 0
    assert mesh.volume == pytest.approx(volume, rel=1e-2)


@pytest.mark.parametrize("name", REGIONS)
def test_regions_are_closed_and_have_their_area(name):
    shape, area = REGIONS[name]
    mesh = shape_mesh(shape, PLANE)
    assert mesh.open_edges() == 0
    assert mesh.volume == pytest.approx(area, rel=2e-3)
    assert (mesh.vertices[:, 2] == 0).all()


@pytest.mark.parametrize("name", ["box", "sphere", "cylinder", "capsule", "turned box", "turned rod", "tube"])
def test_vertices_lie_on_the_surface_and_normals_point_out_of_it(name):
    shape, _ = SOLIDS[name]
    mesh = shape_mesh(shape, SPACE)
    assert np.abs(distance(shape, mesh.vertices)).max() < 1e-6
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1, abs=1e-5)
    step = 1e-3
    assert distance(shape, mesh.vertices + step * mesh.normals) == pytest.approx(step, rel=0.01)


@pytest.mark.parametrize("name", REGIONS)
def test_outlines_lie_on_the_surface(name):
    shape, _ = REGIONS[name]
    if name != "half space":
        mesh = shape_mesh(shape, PLANE)
        assert np.abs(distance(shape, mesh.vertices[mesh.edges.ravel(), :2])).max() < 1e-6


def test_only_a_bore_from_end_to_end_makes_a_tube():
    """Other holes in a cylinder are found by marching: a cup, and a bore beside the axis."""
    rod = Cylinder(base=(0.5, 0.2, 0.5), top=(0.5, 0.8, 0.5), radius=0.3)
    for base, top in (((0.5, 0.4, 0.5), (0.5, 1, 0.5)), ((0.6, 0, 0.5), (0.6, 1, 0.5))):
        mesh = welded(shape_mesh(Difference(of=(rod, Cylinder(base=base, top=top, radius=0.1))), SPACE))
        volume = np.pi * (0.09 * 0.6 - 0.01 * (0.4 if base[1] == 0.4 else 0.6))
        assert mesh.volume == pytest.approx(volume, rel=0.01)


def test_endless_shapes_end_at_the_domain():
    mesh = shape_mesh(HalfSpace(point=(0, 0.3, 0), normal=(0, 1, 0)), SPACE)
    size = np.array(SPACE.cells) * SPACE.h
    assert mesh.vertices.min() >= -1e-6
    assert (mesh.vertices <= [size[0] + 1e-6, 0.3 + 1e-6, size[2] + 1e-6]).all()


@pytest.mark.parametrize("to", [(0.0, 0.0, 0.0), (0.0, -0.2, 0.0), (0.4, 0.0, 0.0), (5.0, -3.0, 1.0)])
def test_a_sampled_shape_is_whole_wherever_it_is(to):
    """A bowl in the domain, partly beyond it, and far outside."""
    low, high = np.add((0.2, 0.1, 0.2), to), np.add((0.6, 0.3, 0.5), to)
    hollow = Box(min=tuple(low + 0.05), max=tuple(np.add(high, (-0.05, 1, -0.05))))
    bowl = Difference(of=[Box(min=tuple(low), max=tuple(high)), hollow])
    mesh = shape_mesh(bowl, SPACE)
    assert np.allclose([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)], [low, high], atol=0.005)
    assert np.isclose(mesh.volume, 0.4 * 0.2 * 0.3 - 0.3 * 0.15 * 0.2, rtol=0.03)


def test_a_shape_outside_the_domain_that_must_be_sampled_has_no_triangles():
    assert len(shape_mesh(HalfSpace(point=(0, -1, 0), normal=(0, 1, 0)), SPACE).faces) == 0


def test_a_mesh_is_drawn_as_it_is(tmp_path):
    import trimesh

    from plash.scene.mesh_shape import MeshShape

    path = tmp_path / "box.stl"
    trimesh.creation.box(extents=(30, 20, 50)).export(path)
    mesh = shape_mesh(MeshShape(file=path, scale=0.01, translation=(1, 0.5, 0.5)), SPACE)
    assert mesh.volume == pytest.approx(0.03, rel=1e-5)
    assert np.abs(mesh.vertices - [1, 0.5, 0.5]).max(axis=0) == pytest.approx([0.15, 0.1, 0.25])
    # The corners of a box are sharp: every corner has the normal of its face
    corners = mesh.vertices[mesh.faces].astype(float)
    of_face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    of_face /= np.linalg.norm(of_face, axis=1)[:, None]
    assert np.allclose(mesh.normals[mesh.faces], of_face[:, None], atol=1e-6)
