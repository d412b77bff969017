import io

import numpy as np
import pytest

from plash.files.ply import mesh_from_ply, ply_bytes
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals


@pytest.fixture
def blob() -> Mesh:
    bare = mesh_of_array(np.random.default_rng(2).normal(size=(6, 5, 7)), 0.3)
    velocity = np.random.default_rng(3).normal(size=bare.vertices.shape).astype(np.float32)
    age = np.random.default_rng(4).uniform(size=len(bare.vertices)).astype(np.float32)
    return Mesh(bare.vertices, bare.faces, face_normals(bare.vertices, bare.faces), velocity, scalars={"age": age})


def assert_same(one: Mesh, two: Mesh):
    for name in ("vertices", "faces", "normals", "velocity", "edges"):
        a, b = getattr(one, name), getattr(two, name)
        assert (a is None) == (b is None)
        if a is not None:
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            assert a.tobytes() == b.tobytes()
    assert one.scalars.keys() == two.scalars.keys()
    assert all(one.scalars[name].tobytes() == two.scalars[name].tobytes() for name in one.scalars)


def test_round_trip_is_exact(blob):
    assert_same(mesh_from_ply(ply_bytes(blob), "blob.ply"), blob)


def test_round_trip_without_normals_and_with_an_outline():
    flat = mesh_of_array(np.random.default_rng(2).normal(size=(9, 12)), 0.3)
    assert len(flat.edges) > 0
    assert_same(mesh_from_ply(ply_bytes(flat), "flat.ply"), flat)


def test_empty_mesh_goes_round():
    assert_same(mesh_from_ply(ply_bytes(Mesh.empty()), "empty.ply"), Mesh.empty())


def test_other_programs_can_read_it(blob):
    trimesh = pytest.importorskip("trimesh")
    seen = trimesh.load(io.BytesIO(ply_bytes(blob)), file_type="ply", process=False)
    assert seen.faces.shape == blob.faces.shape
    assert np.isclose(seen.volume, blob.volume, rtol=1e-4)


@pytest.mark.parametrize("damage", [lambda d: d[:-5], lambda d: d + b"x", lambda d: b"solid" + d, lambda d: b""])
def test_damaged_files_are_refused(blob, damage):
    with pytest.raises(ValueError, match=r"blob\.ply"):
        mesh_from_ply(damage(ply_bytes(blob)), "blob.ply")


def test_faces_without_vertices_are_refused(blob):
    wrong = Mesh(blob.vertices, blob.faces + len(blob.vertices))
    with pytest.raises(ValueError, match="damaged"):
        mesh_from_ply(ply_bytes(wrong), "blob.ply")
