"""Exports in Blender itself, where its Python module is installed: `pip install bpy`, in an environment of its own."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import plash
from plash.exports.vdb import vdb_bytes
from plash.grid.dense import tiles_over
from plash.grid.volume import Volume

bpy = pytest.importorskip("bpy")

FRAMES = 5


@pytest.fixture
def blank():
    """Blender with nothing in it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def exported(folder, name, *formats):
    """A small run, exported by a process of its own: Blender has another USD in it.

    PLASH_PYTHON names the interpreter with plash and usd-core, if that is another one.
    """
    words = [
        "run",
        name,
        "--resolution",
        "16",
        "--frames",
        str(FRAMES),
        "--set",
        f"output.export={json.dumps(formats)}",
    ]
    python = os.environ.get("PLASH_PYTHON", sys.executable)
    subprocess.run([python, "-m", "plash", *words, "--out", str(folder), "--quiet"], check=True)
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with a solid that moves."""
    return exported(tmp_path_factory.mktemp("blender") / "run", "stirring", "usd")


@pytest.fixture(scope="module")
def plume(tmp_path_factory):
    """A run of smoke."""
    return exported(tmp_path_factory.mktemp("blender") / "plume", "plume", "usd", "vdb")


def shown(name, frame):
    """Places and velocities of an object's vertices at a frame, as Blender has them."""
    bpy.context.scene.frame_set(frame)
    found = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = found.to_mesh()
    places, velocity = np.empty(3 * len(mesh.vertices)), np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", places)
    if "velocity" in mesh.attributes:
        mesh.attributes["velocity"].data.foreach_get("vector", velocity)
    matrix = np.array(found.matrix_world)
    return places.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], velocity.reshape(-1, 3)


def test_usd_opens_upright_with_every_frame(blank, run):
    bpy.ops.wm.usd_import(filepath=str(run / "usd/run.usda"))
    scene, opened = bpy.context.scene, plash.open_run(run)
    assert scene.render.fps / scene.render.fps_base == opened.scene.time.fps
    assert (scene.frame_start, scene.frame_end) == (1, FRAMES)
    for frame in opened:
        wanted = frame.surface
        places, velocity = shown("surface", frame.number)
        x, y, z = wanted.vertices.T
        assert np.abs(places - np.stack([x, -z, y], axis=1)).max() < 1e-5
        assert np.abs(velocity - wanted.velocity).max() < 1e-5  # in the axes of the object, which is turned
    moving = [solid for solid in opened.scene.solid if solid.moves]
    for solid in moving:
        first, last = (shown(solid.name.replace(" ", "_"), frame)[0] for frame in (1, FRAMES))
        assert np.abs(first - last).max() > 1e-3
    assert moving


def test_vdb_stands_where_the_grid_is(blank, tmp_path):
    h, cells = 0.25, (12, 20, 9)
    tiles = tiles_over((0, 0, 0), cells)
    density = np.random.default_rng(2).random((tiles.count + 1, *tiles.shape)).astype(np.float32)
    path = tmp_path / "smoke.vdb"
    path.write_bytes(vdb_bytes(Volume(tiles, {"density": density}, h), up="z"))
    bpy.ops.object.volume_import(filepath=str(path))
    volume = bpy.context.object
    assert volume.data.grids.load()
    (grid,) = volume.data.grids
    assert (grid.name, grid.data_type) == ("density", "FLOAT")
    matrix = np.array(grid.matrix_object)
    x, y, z = matrix[:3, :3] @ [1, 2, 3] + matrix[:3, 3]
    assert (x, y, z) == pytest.approx((1.5 * h, -3.5 * h, 2.5 * h))


def sampled(volume, name, places):
    """The values of a grid at places, as Blender's own nodes find them."""
    bpy.context.preferences.experimental.use_new_volume_nodes = True
    mesh = bpy.data.meshes.new("places")
    mesh.from_pydata(places.tolist(), [], [])
    thing = bpy.data.objects.new("places", mesh)
    bpy.context.scene.collection.objects.link(thing)
    tree = bpy.data.node_groups.new("sample", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "NodeGroupOutput", "GeometryNodeObjectInfo", "GeometryNodeGetNamedGrid")
    first, last, info, grid = (tree.nodes.new(kind) for kind in kinds)
    sample, store = (tree.nodes.new(f"GeometryNode{kind}") for kind in ("SampleGrid", "StoreNamedAttribute"))
    info.transform_space = "RELATIVE"
    info.inputs["Object"].default_value = volume
    grid.inputs["Name"].default_value = name
    sample.interpolation_mode = "TRILINEAR"
    store.inputs["Name"].default_value = "value"
    tree.links.new(info.outputs["Geometry"], grid.inputs["Volume"])
    tree.links.new(grid.outputs["Grid"], sample.inputs["Grid"])
    tree.links.new(first.outputs[0], store.inputs["Geometry"])
    tree.links.new(sample.outputs["Value"], store.inputs["Value"])
    tree.links.new(store.outputs["Geometry"], last.inputs[0])
    thing.modifiers.new("sample", "NODES").node_group = tree
    found = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    values = np.empty(len(places), np.float32)
    found.attributes["value"].data.foreach_get("value", values)
    return values


@pytest.mark.parametrize("way", ["usd", "vdb"])
def test_smoke_is_where_the_grid_is(blank, plume, way):
    """The density at the centres of cells, by the USD file that points at the VDB files, and by a VDB file itself."""
    if way == "usd":
        bpy.ops.wm.usd_import(filepath=str(plume / "usd/plume.usda"))
        (volume,) = [thing for thing in bpy.data.objects if thing.type == "VOLUME"]
    else:
        bpy.ops.object.volume_import(filepath=str(plume / f"vdb/grids.{FRAMES:04d}.vdb"))
        volume = bpy.context.object
        volume.rotation_euler = (np.pi / 2, 0, 0)
    bpy.context.scene.frame_set(FRAMES)
    smoke = plash.open_run(plume)[FRAMES].snapshot.as_volume()
    tiles = smoke.tiles
    x, y, z = tiles.cell_centres(tiles.slots, smoke.h).T
    for name in ("density", "temperature"):
        wanted = smoke.pools[name][1:].ravel()
        assert wanted.max() > 0.1
        found = sampled(volume, name, np.stack([x, -z, y], axis=1))
        assert np.abs(found - wanted).max() < 1e-6 * wanted.max()
