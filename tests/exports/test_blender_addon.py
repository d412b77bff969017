"""The add-on in Blender itself, where its Python module is installed (`blender.py`)."""

import importlib
import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.exports.blender import FRAMES, exported, rendered

import plash
from plash.render.smoke.black_body import glow_colors
from plash.render.smoke.optics import smoke_optics

bpy = pytest.importorskip("bpy")

ADDON = Path(__file__).parents[2] / "src/plash/blender/plash_addon.py"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def addon():
    """The add-on, switched on, in a Blender with nothing in it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    spec = importlib.util.spec_from_file_location("plash_addon", ADDON)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    found.register()
    yield found
    found.unregister()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with a solid that moves."""
    return exported(tmp_path_factory.mktemp("blender") / "run", "stirring", "usd")


@pytest.fixture(scope="module")
def torch(tmp_path_factory):
    """A run of smoke that burns."""
    return exported(tmp_path_factory.mktemp("blender") / "torch", "torch", "usd", "vdb")


def liquid(addon):
    (found,) = [thing for thing in bpy.context.scene.objects if addon.RUN in thing]
    return found


def test_a_run_is_shown_frame_by_frame(addon, run):
    assert bpy.ops.import_scene.plash_run(filepath=str(run / "manifest.json")) == {"FINISHED"}
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end, scene.render.fps) == (1, FRAMES, 24)
    assert scene.camera is not None
    assert scene.render.use_motion_blur
    sizes = set()
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        places, _, velocity, _ = addon.read_surface(addon.surface_file(run, frame))
        mesh = liquid(addon).data
        found, moving = np.empty(3 * len(mesh.vertices)), np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", found)
        mesh.attributes["velocity"].data.foreach_get("vector", moving)
        assert np.array_equal(found.reshape(-1, 3), places)
        assert np.array_equal(moving.reshape(-1, 3), velocity)
        low, high = found.reshape(-1, 3).min(axis=0), found.reshape(-1, 3).max(axis=0)
        assert np.allclose(low, [0, -1, 0], atol=0.05)  # a tank of 1 m x 1 m, upright, water 35 cm deep
        assert high[2] == pytest.approx(0.35, abs=0.1)
        sizes.add(found.tobytes())
    assert len(sizes) == FRAMES
    assert len(mesh.materials) == 1
    paddle = scene.objects["paddle"]
    turned = []
    for frame in (1, FRAMES):
        scene.frame_set(frame)
        turned.append(np.array(paddle.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world))
    assert np.abs(turned[0] - turned[1]).max() > 0.1


def test_frames_that_come_later_appear(addon, run, tmp_path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.app.handlers.frame_change_pre.append(addon.follow_timeline)
    young = tmp_path / "run"
    shutil.copytree(run, young)
    for frame in range(3, FRAMES + 1):
        addon.surface_file(young, frame).unlink()
    shutil.rmtree(young / "usd")
    addon.load_run(young)
    scene = bpy.context.scene
    scene.frame_set(4)
    before = len(liquid(addon).data.vertices)
    assert before == len(addon.read_surface(addon.surface_file(run, 2))[0])  # the last that there is
    shutil.copy(addon.surface_file(run, 4), addon.surface_file(young, 4))
    scene.frame_set(4)
    assert len(liquid(addon).data.vertices) == len(addon.read_surface(addon.surface_file(run, 4))[0])


def test_smoke_is_a_volume_and_frames_that_come_later_appear(addon, torch, tmp_path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.app.handlers.frame_change_pre.append(addon.follow_timeline)
    young = tmp_path / "run"
    shutil.copytree(torch, young)
    for frame in range(4, FRAMES + 1):
        addon.volume_file(young, frame).unlink()
    added = addon.load_run(young)
    scene, smoke = bpy.context.scene, added["smoke"]
    assert [thing for thing in scene.objects if addon.RUN in thing] == [smoke]
    assert not {thing.name for thing in scene.objects} & {"density", "velocity", "surface", "particles"}
    assert (smoke.data.frame_duration, smoke.data.sequence_mode) == (3, "EXTEND")
    assert (smoke.data.velocity_grid, smoke.data.velocity_unit) == ("velocity", "SECOND")
    assert smoke.rotation_euler[0] == pytest.approx(np.pi / 2)  # its files have y up
    for frame in range(4, FRAMES + 1):
        shutil.copy(addon.volume_file(torch, frame), addon.volume_file(young, frame))
    scene.frame_set(FRAMES)
    assert smoke.data.frame_duration == FRAMES
    shown = smoke.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert shown.grids.load()
    assert {grid.name for grid in shown.grids} == {"density", "velocity", "temperature", "flame"}
    assert shown.grids.frame == FRAMES
    (principled,) = [node for node in smoke.data.materials[0].node_tree.nodes if node.type == "PRINCIPLED_VOLUME"]
    described = addon.read_manifest(young)[1]
    opacity, flame_opacity, color, glow = addon.smoke_look(described)
    assert principled.inputs["Density"].default_value == pytest.approx(opacity)
    assert principled.inputs["Color"].default_value[:3] == pytest.approx(color.tolist())
    optics = smoke_optics(plash.open_run(torch).scene)
    assert (opacity, flame_opacity) == pytest.approx((optics.opacity, optics.flame_opacity))
    brightest = glow_colors([1700.0])[0].max()
    assert glow / addon.exposure_of(described) == pytest.approx(4 * described["look"]["fire_brightness"] * brightest)
    assert scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value > 0


def test_black_bodies_have_the_colours_of_pictures(addon):
    for kelvin, color in addon.GLOW.items():
        wanted = glow_colors([kelvin])[0]
        assert color == pytest.approx((wanted / wanted.max()).tolist(), abs=1e-3)


def test_flames_glow_in_cycles_where_the_grid_has_them(addon, torch, tmp_path):
    """Without other light the picture is black but for flames, which are red to yellow, above the wick."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.app.handlers.frame_change_pre.append(addon.follow_timeline)
    addon.load_run(torch)
    scene = bpy.context.scene
    scene.frame_set(FRAMES)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.0
    for thing in list(scene.objects):
        if thing.type == "LIGHT":
            bpy.data.objects.remove(thing)
    scene.render.use_motion_blur = False
    scene.view_settings.view_transform = "Raw"
    picture = rendered(tmp_path / "torch.png", 64, 36)
    red, green, blue = picture.max(axis=(0, 1))
    assert red > 0.2
    assert red > green > blue
    rows, columns = np.nonzero(picture[..., 0] > 0.5 * red)
    assert np.abs(columns - 32).max() < 6  # the torch stands in the middle
    world_to_camera_view = importlib.import_module("bpy_extras.object_utils").world_to_camera_view
    vector = importlib.import_module("mathutils").Vector
    end_of_stick = world_to_camera_view(scene, scene.camera, vector((0.3, -0.3, 0.42)))
    assert rows.mean() > 36 * end_of_stick.y  # counted from below


def test_what_is_no_run_is_refused(addon, tmp_path):
    with pytest.raises(addon.NoRunError, match="is no run folder of plash"):
        addon.load_run(tmp_path)
    with pytest.raises(RuntimeError, match="is no run folder of plash"):
        bpy.ops.import_scene.plash_run(filepath=str(tmp_path / "manifest.json"))
