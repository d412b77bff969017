"""Surfaces for other programs: read back by trimesh, and by pyvista where it is installed."""

import ast
import io
import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import plash
from plash.exports.axes import upright_mesh
from plash.exports.gltf import glb_bytes
from plash.exports.materials import gltf_material, liquid_surface_look
from plash.exports.obj import obj_bytes
from plash.exports.ply import export_ply_bytes
from plash.exports.vtk import pvd_bytes, vtp_particles_bytes, vtp_surface_bytes
from plash.mesh.mesh import Mesh
from plash.render.smoke.optics import smoke_optics
from plash.scene import load_scene
from plash.scene.colors import COLORS
from plash.scene.look import SMOKE_COLOR
from plash.solvers.frame import FrameParticles

MATERIAL = gltf_material(liquid_surface_look(load_scene("dam_break")))
WRITERS = {
    "ply": export_ply_bytes,
    "obj": lambda mesh, up: obj_bytes(mesh, "surface", up),
    "glb": lambda mesh, up: glb_bytes(mesh, "surface", MATERIAL),
}


def read(data, kind):
    return trimesh.load(io.BytesIO(data), file_type=kind, process=False, force="mesh")


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("kind", WRITERS)
def test_vertices_and_triangles_come_back(drop, kind, up):
    found = read(WRITERS[kind](drop, up), kind)
    wanted = upright_mesh(drop, "y" if kind == "glb" else up)  # glTF has y up, whatever is asked for
    assert np.abs(found.vertices - wanted.vertices).max() <= (1e-7 if kind == "obj" else 0)
    assert np.array_equal(found.faces, drop.faces)
    assert found.is_watertight
    assert found.volume == pytest.approx(drop.volume, rel=1e-6)  # the turn is no mirror


@pytest.mark.parametrize("kind", ["ply", "obj"])
def test_gravity_points_down_the_axis_that_is_up(drop, kind):
    lowest = drop.vertices[:, 1].min()
    assert read(WRITERS[kind](drop, "z"), kind).vertices[:, 2].min() == pytest.approx(lowest, abs=1e-7)


def test_ply_has_the_velocity_by_its_name(drop):
    data = export_ply_bytes(drop, "z")
    head, _, body = data.partition(b"end_header\n")
    names = [line.split()[-1] for line in head.decode().splitlines() if line.startswith("property float")]
    rows = np.frombuffer(body[: 4 * len(names) * len(drop.vertices)], "<f4").reshape(-1, len(names))
    columns = [names.index(f"velocity_{axis}") for axis in "xyz"]
    u, v, w = drop.velocity.T
    assert np.array_equal(rows[:, columns], np.stack([u, -w, v], axis=1))
    assert np.array_equal(rows[:, names.index("age")], drop.scalars["age"])


def test_obj_numbers_are_exact_to_single_precision():
    """Signs, zeros in front, whole parts, and numbers that round to nothing."""
    places = np.array([[-0.001, 0.5, 123.456], [-1e-12, 0, -99.9999], [7, -0.25, 1e-5]], np.float32)
    lines = obj_bytes(Mesh(places, np.array([[0, 1, 2]], np.int32)), "drop", "y").decode().splitlines()
    assert lines[1] == "o drop"
    assert lines[-1] == "f 1 2 3"
    found = np.array([[float(word) for word in line.split()[1:]] for line in lines if line.startswith("v ")])
    assert np.abs(found - places).max() <= 5e-6
    assert "-0.00000 " not in lines[3]


def test_obj_has_normals(drop):
    lines = obj_bytes(drop, "drop", "y").decode().splitlines()
    normals = np.array([[float(word) for word in line.split()[1:]] for line in lines if line.startswith("vn ")])
    assert np.abs(normals - drop.normals).max() <= 5.1e-6
    assert lines[-1].split()[1].split("//")[0] == lines[-1].split()[1].split("//")[1]


def test_glb_carries_velocity_and_age(drop):
    data = glb_bytes(drop, "drop", MATERIAL)
    size, kind = struct.unpack_from("<II", data, 12)
    assert (len(data), kind) == (struct.unpack_from("<I", data, 8)[0], 0x4E4F534A)
    about = json.loads(data[20 : 20 + size])
    attributes = about["meshes"][0]["primitives"][0]["attributes"]
    for name, wanted in (("_VELOCITY", drop.velocity), ("_AGE", drop.scalars["age"]), ("NORMAL", drop.normals)):
        view = about["bufferViews"][about["accessors"][attributes[name]]["bufferView"]]
        start = 28 + size + view["byteOffset"]
        assert np.array_equal(np.frombuffer(data[start : start + view["byteLength"]], "<f4"), wanted.ravel())
    assert about["materials"][0]["extensions"]["KHR_materials_ior"]["ior"] == 1.333
    assert set(about["extensionsUsed"]) == set(about["materials"][0]["extensions"])


@pytest.mark.parametrize("kind", WRITERS)
def test_nothing_is_a_file_too(kind):
    data = WRITERS[kind](Mesh.empty(), "y")
    if kind == "glb":
        assert "meshes" not in json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    else:
        assert b"\nv " not in data


def particles():
    random = np.random.default_rng(5)
    carried: dict[str, Any] = {"velocity": random.random((7, 2)).astype(np.float32), "volume": random.random(7)}
    return FrameParticles(random.random((7, 2)), carried)


def vtk_arrays(data):
    """The arrays of a file by name, as the text says where they are."""
    text, _, body = data.partition(b'<AppendedData encoding="raw">_')
    found = {}
    for line in re.findall(rb"<DataArray [^>]*>", text):
        word = {key.decode(): value.decode() for key, value in re.findall(rb'(\w+)="([^"]*)"', line)}
        start = int(word["offset"])
        (size,) = struct.unpack_from("<Q", body, start)
        kind = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4"}[word["type"]]
        values = np.frombuffer(body[start + 8 : start + 8 + size], kind)
        columns = int(word["NumberOfComponents"])
        found[word["Name"]] = values.reshape(-1, columns) if columns > 1 else values
    return found


def test_vtk_surface(drop):
    data = vtp_surface_bytes(drop, 0.125, "z")
    found = vtk_arrays(data)
    wanted = upright_mesh(drop, "z")
    assert np.array_equal(found["Points"], wanted.vertices)
    assert np.array_equal(found["velocity"], wanted.velocity)
    assert np.array_equal(found["age"], drop.scalars["age"])
    assert np.array_equal(found["connectivity"].reshape(-1, 3), drop.faces)
    assert np.array_equal(found["offsets"], 3 * np.arange(1, len(drop.faces) + 1))
    assert found["TimeValue"].tolist() == [0.125]
    assert f'NumberOfPoints="{len(drop.vertices)}" NumberOfPolys="{len(drop.faces)}"'.encode() in data


def test_vtk_particles_of_a_plane_scene():
    found = vtk_arrays(vtp_particles_bytes(particles(), 0.0, "y"))
    given = particles()
    assert np.array_equal(found["Points"][:, :2], given.position.astype(np.float32))
    assert np.array_equal(found["velocity"], np.pad(given.velocity, ((0, 0), (0, 1))))
    assert np.array_equal(found["volume"], given.volume)
    assert found["connectivity"].tolist() == list(range(7))


def test_pyvista_reads_the_vtk_files(drop, tmp_path):
    pyvista = pytest.importorskip("pyvista")
    (tmp_path / "surface.vtp").write_bytes(vtp_surface_bytes(drop, 0.5, "y"))
    (tmp_path / "particles.vtp").write_bytes(vtp_particles_bytes(particles(), 0.5, "y"))
    (tmp_path / "run & co.pvd").write_bytes(pvd_bytes([(0.5, 0, "surface.vtp"), (0.5, 1, "particles.vtp")]))
    surface, points = pyvista.get_reader(tmp_path / "run & co.pvd").read()
    assert np.array_equal(surface["velocity"], drop.velocity)
    assert surface.volume == pytest.approx(drop.volume, rel=1e-5)
    assert points.n_points == points.n_cells == 7


def test_the_add_on_for_blender_names_colours_as_scenes_do():
    """It cannot ask plash: it is one file for Blender's own Python."""
    tree = ast.parse((Path(plash.__file__).parent / "blender/plash_addon.py").read_text())
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    named = {node.targets[0].id: node.value for node in assigned if isinstance(node.targets[0], ast.Name)}
    cube = load_scene("plume", **{"domain.size": [1, 1, 1]})
    assert ast.literal_eval(named["NAMES"]) == COLORS
    assert ast.literal_eval(named["_SMOKE"]) == SMOKE_COLOR
    assert ast.literal_eval(named["_DENSE"]) == pytest.approx(smoke_optics(cube).opacity)
