"""Exports in Blender itself, where its Python module is installed: `pip install bpy`, in an environment of its own."""

from pathlib import Path

import numpy as np
import pytest
from tests.exports.blender import FRAMES, exported, rendered

import plash
from plash.exports.vdb import vdb_bytes
from plash.grid.dense import tiles_over
from plash.grid.volume import Volume

bpy = pytest.importorskip("bpy")

pytestmark = pytest.mark.slow

DAM_FRAMES = 24
KEYS = "[{ time = 0 }, { time = 0.4, offset = [0.2, 0.1, -0.1] }, { time = 1, offset = [0, 0.4, 0] }]"


@pytest.fixture
def blank():
    """Blender with nothing in it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(scope="module")
def dam(tmp_path_factory):
    """A second of the dam break, with a ball that moves."""
    home = tmp_path_factory.mktemp("blender")
    text = (Path(plash.__file__).parent / "scenes/dam_break.toml").read_text()
    still = 'name = "ball"\n'
    assert text.count(still) == 1
    (home / "dam.toml").write_text(text.replace(still, f"{still}motion = {{ keys = {KEYS} }}\n"))
    return exported(home / "dam", home / "dam.toml", "usd", frames=DAM_FRAMES, resolution=24)


@pytest.fixture(scope="module")
def plume(tmp_path_factory):
    """A run of smoke."""
    return exported(tmp_path_factory.mktemp("blender") / "plume", "plume", "usd", "vdb")


def shown(name, frame):
    """Places (n, 3, 3) of the corners of an object's triangles at a frame in Blender's world, and velocities there."""
    bpy.context.scene.frame_set(frame)
    found = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = found.to_mesh()
    assert {len(face.vertices) for face in mesh.polygons} == {3}
    places, velocity = np.empty(3 * len(mesh.vertices)), np.zeros(3 * len(mesh.vertices))
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.vertices.foreach_get("co", places)
    mesh.loops.foreach_get("vertex_index", corners)
    if "velocity" in mesh.attributes:
        mesh.attributes["velocity"].data.foreach_get("vector", velocity)
    matrix = np.array(found.matrix_world)
    placed = places.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    turned = velocity.reshape(-1, 3) @ matrix[:3, :3].T
    return placed[corners].reshape(-1, 3, 3), turned[corners].reshape(-1, 3, 3)


def z_up(vectors):
    """Vectors as Blender's axes have them."""
    return np.stack([vectors[..., 0], -vectors[..., 2], vectors[..., 1]], axis=-1)


def test_the_dam_break_opens_upright_at_its_scale_and_speed_with_24_frames(blank, dam):
    bpy.ops.wm.usd_import(filepath=str(dam / "usd/dam.usda"))
    scene, opened = bpy.context.scene, plash.open_run(dam)
    assert scene.render.fps / scene.render.fps_base == opened.scene.time.fps == 24
    assert (scene.frame_start, scene.frame_end) == (1, DAM_FRAMES)
    assert scene.unit_settings.scale_length == 1.0
    different = set()
    for frame in opened:
        places, velocity = shown("surface", frame.number)
        wanted = frame.surface
        assert np.abs(places - z_up(wanted.vertices[wanted.faces])).max() < 1e-5
        assert np.abs(velocity - z_up(wanted.velocity[wanted.faces])).max() < 1e-5
        little = 0.1 * opened.scene.domain.h  # by which drops bulge
        assert (places > np.array([0, -1, 0]) - little).all()  # a tank of 2 m x 1 m x 1 m
        assert (places < np.array([2, 0, 1]) + little).all()
        different.add(places.tobytes())
    assert len(different) == DAM_FRAMES


def test_the_ball_moves_where_it_moves(blank, dam):
    bpy.ops.wm.usd_import(filepath=str(dam / "usd/dam.usda"))
    asked = plash.open_run(dam).scene
    ball, step = asked.solid
    middle = np.array(ball.shape.center)
    for frame in range(1, DAM_FRAMES + 1):
        matrix, shift = ball.motion.pose((frame - 1) / asked.time.fps)
        corners = shown("ball", frame)[0].reshape(-1, 3)
        around = corners - z_up(np.array(matrix) @ middle + shift)
        assert np.abs(np.sqrt((around**2).sum(axis=1)) - ball.shape.radius).max() < 0.01 * ball.shape.radius
    assert np.abs(np.array(ball.motion.pose(0.4)[1])).max() == pytest.approx(0.2)
    assert not step.moves
    assert np.array_equal(shown("step", 1)[0], shown("step", DAM_FRAMES)[0])


def test_velocities_blur_the_picture(blank, dam, tmp_path):
    """Water alone, at rest and when it splashes, seen from the side: only what moves is smeared."""
    bpy.ops.wm.usd_import(filepath=str(dam / "usd/dam.usda"))
    scene = bpy.context.scene
    for thing in list(scene.objects):
        if thing.type == "MESH" and thing.name != "surface":
            bpy.data.objects.remove(thing)
    glow = bpy.data.materials.new("glow")
    glow.use_nodes = True
    shader = glow.node_tree.nodes["Principled BSDF"]
    shader.inputs["Emission Color"].default_value, shader.inputs["Emission Strength"].default_value = (1, 1, 1, 1), 1.0
    scene.view_layers[0].material_override = glow
    side = bpy.data.objects.new("side", bpy.data.cameras.new("side"))
    side.data.type, side.data.ortho_scale = "ORTHO", 2.2
    side.location, side.rotation_euler = (1.0, -4.0, 0.5), (np.pi / 2, 0, 0)
    scene.collection.objects.link(side)
    scene.camera = side
    changed, rough = {}, {}
    for frame in (1, 17):
        scene.frame_set(frame)
        pictures = []
        for is_on in (False, True):
            scene.render.use_motion_blur, scene.render.motion_blur_shutter = is_on, 1.0
            pictures.append(rendered(tmp_path / f"{frame}{is_on}.png", 96, 54).mean(axis=2))
        changed[frame] = np.count_nonzero(np.abs(pictures[0] - pictures[1]) > 0.1)
        rough[frame] = [sum((np.diff(picture, axis=axis) ** 2).sum() for axis in (0, 1)) for picture in pictures]
    assert changed[1] == 0
    assert changed[17] > 100
    assert rough[1][1] == pytest.approx(rough[1][0], rel=0.02)
    assert rough[17][1] < 0.92 * rough[17][0]


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


def sampled(volume, name, places, between):
    """The values of a grid at places, as Blender's own nodes find them between voxels."""
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
    sample.interpolation_mode = between
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
    # Temperature is 0 beyond the grid: beside that, round-off of places is all that could be seen between voxels
    for name, between in (("density", "TRILINEAR"), ("temperature", "NEAREST")):
        wanted = smoke.pools[name][1:].ravel()
        assert wanted.max() > 0.1
        found = sampled(volume, name, np.stack([x, -z, y], axis=1), between)
        assert np.abs(found - wanted).max() < 1e-6 * wanted.max()
