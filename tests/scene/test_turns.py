"""Turns about any axis from key to key, and animations of nodes of glTF files."""

import base64
import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import plash
from plash.scene.turns import exponential, turn_at

KEYS: list[Any] = [
    {"time": 0.2},
    {"time": 0.7, "angle": "90 deg", "axis": (0, 0, 2)},
    {"time": 1.1, "angle": "120 deg", "axis": (1, 1, 1), "offset": (0.3, 0, 0.1)},
    {"time": 2.0, "angle": "-40 deg", "axis": (1, -2, 0.5)},
]


def matrix(pose):
    return np.array(pose.matrix)


def rate_by_differences(motion, time, step=1e-6):
    (before, one), (after, other) = (motion.pose(time + d) for d in (-step, step))
    turning = (np.array(after) - np.array(before)) / (2 * step) @ np.array(motion.pose(time).matrix).T
    return turning, (np.array(other) - np.array(one)) / (2 * step)


def assert_rate_is_the_derivative(motion, time):
    rate, pose = motion.rate(time), motion.pose(time)
    turning, moving = rate_by_differences(motion, time)
    spin = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
    np.testing.assert_allclose(rate.spin, spin, atol=2e-6 * max(1, np.abs(spin).max()))
    np.testing.assert_allclose(turning, -turning.T, atol=1e-6)
    np.testing.assert_allclose(rate.at(tuple(pose.shift)), moving, atol=1e-6)


@pytest.mark.parametrize("between", ["smooth", "linear"])
def test_keys_are_met_and_rates_are_derivatives(between):
    motion = plash.Motion(keys=KEYS, center=(0.1, 0.4, -0.2), between=between)
    for key in motion.keys:
        wanted = exponential(tuple(key.angle * np.array(key.axis or (1, 0, 0)) / np.linalg.norm(key.axis or (1, 0, 0))))
        np.testing.assert_allclose(matrix(motion.pose(key.time)), wanted, atol=1e-12)
        place = np.array(motion.center) + (key.offset or (0, 0, 0))
        np.testing.assert_allclose(matrix(motion.pose(key.time)) @ motion.center + motion.pose(key.time).shift, place)
    for time in (0.1, 0.33, 0.69, 0.95, 1.4, 1.9, 2.5):
        assert_rate_is_the_derivative(motion, time)
        np.testing.assert_allclose(matrix(motion.pose(time)) @ matrix(motion.pose(time)).T, np.eye(3), atol=1e-12)


def test_a_smooth_turn_has_no_kinks_and_begins_and_ends_at_rest():
    motion = plash.Motion(keys=KEYS, center=(0, 0, 0))
    for key in motion.keys:
        before, after = (np.array(motion.rate(key.time + d).spin) for d in (-1e-9, 1e-9))
        np.testing.assert_allclose(before, after, atol=1e-6)
    assert np.abs(motion.rate(0.2).spin).max() == 0
    assert np.abs(motion.rate(2.0 - 1e-9).spin).max() < 1e-6


@pytest.mark.parametrize("between", ["smooth", "linear"])
def test_one_axis_for_all_keys_is_the_angle_from_key_to_key(between):
    """More than a full turn too, and about an axis that is none of the three."""
    angles = [(0.0, 0.0), (0.5, 1.0), (0.8, 9.0), (1.5, 12.0), (2.0, 3.0)]
    plain: list[Any] = [{"time": t, "angle": a} for t, a in angles]
    own: list[Any] = [{**key, "axis": (1, 2, -2)} for key in plain]
    one = plash.Motion(keys=plain, axis=(1, 2, -2), center=(0.3, 0, 1), between=between)
    other = plash.Motion(keys=own, center=(0.3, 0, 1), between=between)
    for time in np.linspace(-0.1, 2.2, 47):
        np.testing.assert_allclose(matrix(one.pose(time)), matrix(other.pose(time)), atol=1e-9)
        np.testing.assert_allclose(one.rate(time).spin, other.rate(time).spin, atol=1e-8)


def test_between_other_axes_it_goes_the_short_way():
    turns = [(0.0, 0.0, math.radians(170)), (0.0, math.radians(175), 0.0)]
    matrices = [np.array(turn_at([0.0, 1.0], turns, False, t)[0]) for t in np.linspace(0, 0.999999, 20)]
    angles = [math.acos((np.trace(b @ a.T) - 1) / 2) for a, b in pairwise(matrices)]
    assert max(angles) - min(angles) < 1e-6
    assert sum(angles) <= math.pi


def test_keys_add_to_a_spin():
    motion = plash.Motion(keys=KEYS, spin=2.0, axis=(0, 1, 0), center=(0, 0.2, 0))
    for time in (0.5, 1.3):
        assert_rate_is_the_derivative(motion, time)


def scene(motion, size=(1, 1, 1)):
    middle = [side / 2 for side in size]
    return plash.Scene(
        domain={"size": size, "resolution": 8},
        fill=[{"shape": {"kind": "box", "min": [0] * len(size), "max": middle}}],
        solid=[{"name": "body", "shape": {"kind": "sphere", "center": middle, "radius": 0.1}, "motion": motion}],
    )


def test_only_turns_without_an_axis_of_their_own_need_one():
    assert scene({"keys": KEYS, "center": (0, 0, 0)}).solid[0].moves
    with pytest.raises(plash.SceneError, match=r"motion\.axis: is missing"):
        scene({"keys": [*KEYS, {"time": 3, "angle": 1}], "center": (0, 0, 0)})
    with pytest.raises(plash.SceneError, match=r"motion.keys\[0\].axis: .* has no use: a 2-D scene turns"):
        scene({"keys": [{"time": 0, "angle": 1, "axis": (0, 1)}], "center": (0, 0)}, (1, 1))
    with pytest.raises(plash.SceneError, match=r"keys\[0\].axis: .* has no direction"):
        plash.Motion(keys=[{"time": 0, "angle": 1, "axis": (0, 0, 0)}])


def gltf(tmp_path, channels, nodes=None, name="anim.gltf"):
    """A file whose node "jug" stands below "arm", with channels (node, path, times, values, interpolation)."""
    data, views, accessors, samplers, listed = b"", [], [], [], []
    for node, path, times, values, between in channels:
        for numbers, kind in ((times, "SCALAR"), (values, {3: "VEC3", 4: "VEC4"}[np.array(values).shape[-1]])):
            flat = np.array(numbers, "<f4")
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": flat.nbytes})
            count = flat.size // {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[kind]
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": count, "type": kind})
            data += flat.tobytes()
        samplers.append({"input": len(accessors) - 2, "output": len(accessors) - 1, "interpolation": between})
        listed.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
    arm = {"name": "arm", "children": [1], "translation": [0.2, 0, 0.1]}
    document = {
        "asset": {"version": "2.0"},
        "nodes": nodes or [arm, {"name": "jug", "translation": [0, 0.5, 0], "rotation": [0, 0.6, 0, 0.8]}],
        "animations": [{"name": "pour", "samplers": samplers, "channels": listed}] if listed else [],
        "buffers": [{"byteLength": len(data), "uri": f"data:;base64,{base64.b64encode(data).decode()}"}],
        "bufferViews": views,
        "accessors": accessors,
    }
    (tmp_path / name).write_text(json.dumps(document))
    return tmp_path / name


HALF = math.sqrt(0.5)
TURN = (0, "rotation", [0.0, 1.0, 3.0], [[0, 0, 0, 1], [0, 0, HALF, HALF], [HALF, 0, 0, HALF]], "LINEAR")
SHIFT = (1, "translation", [0.5, 1.5], [[0, 0.5, 0], [0.4, 0.5, 0.2]], "LINEAR")
CURVE = (
    *(1, "rotation", [0.0, 2.0]),
    [[0, 0, 0, 0], [0, 0.6, 0, 0.8], [0.3, 0, 0.1, 0], [0, 0.2, 0, 0], [0.1, 0.7, 0.1, 0.7], [0, 0, 0, 0]],
    "CUBICSPLINE",
)
STEPS = (1, "translation", [0.0, 1.0, 2.0], [[0, 0.5, 0], [0.1, 0.5, 0], [0.3, 0.5, 0]], "STEP")


def test_a_node_turns_and_shifts_with_all_above_it(tmp_path):
    motion = plash.Motion(animation={"file": gltf(tmp_path, [TURN, SHIFT]), "node": "jug"})
    np.testing.assert_allclose(matrix(motion.pose(0)), np.eye(3), atol=1e-7)
    np.testing.assert_allclose(motion.pose(0).shift, 0, atol=1e-7)
    # At 1 s the arm has turned by 90 degrees about z, and the jug has gone half of its way
    pose = motion.pose(1.0)
    np.testing.assert_allclose(matrix(pose), [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-6)
    arm, jug = np.array([0.2, 0, 0.1]), np.array([0.2, 0.5, 0.1])
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]) @ (np.array([0.2, 0.5, 0.1])) + arm
    np.testing.assert_allclose(matrix(pose) @ jug + pose.shift, turned, atol=1e-6)


@pytest.mark.parametrize("channels", [[TURN], [SHIFT], [TURN, SHIFT], [CURVE], [TURN, CURVE], [TURN, STEPS]])
def test_rates_of_animations_are_derivatives(tmp_path, channels):
    motion = plash.Motion(animation={"file": gltf(tmp_path, channels), "node": "jug", "scale": 0.5})
    for time in (0.2, 0.77, 1.2, 1.7, 2.4, 5.0):
        assert_rate_is_the_derivative(motion, time)
        np.testing.assert_allclose(matrix(motion.pose(time)) @ matrix(motion.pose(time)).T, np.eye(3), atol=1e-6)


def test_clips_of_several_nodes_are_one_motion_unless_one_is_named(tmp_path):
    whole = gltf(tmp_path, [TURN, SHIFT])
    document = json.loads(whole.read_text())
    (clip,) = document["animations"]
    document["animations"] = [{**clip, "name": name, "channels": [clip["channels"][n]]} for n, name in enumerate("ab")]
    (tmp_path / "two.gltf").write_text(json.dumps(document))
    one, two = (plash.Motion(animation={"file": file, "node": "jug"}) for file in (whole, tmp_path / "two.gltf"))
    named = plash.Motion(animation={"file": tmp_path / "two.gltf", "node": "jug", "clip": "b"})
    np.testing.assert_array_equal(matrix(one.pose(1.2)), matrix(two.pose(1.2)))
    np.testing.assert_array_equal(one.pose(1.2).shift, two.pose(1.2).shift)
    np.testing.assert_allclose(matrix(named.pose(1.2)), np.eye(3), atol=1e-6)


def test_a_turn_between_keys_goes_at_one_rate(tmp_path):
    motion = plash.Motion(animation={"file": gltf(tmp_path, [TURN]), "node": "arm"})
    for time in (0.1, 0.5, 0.9):
        np.testing.assert_allclose(motion.rate(time).spin, [0, 0, math.pi / 2], atol=1e-6)


def test_a_camera_goes_with_a_node_and_looks_along_it(tmp_path):
    from plash.render.camera import camera_view

    camera = plash.Camera(animation={"file": gltf(tmp_path, [TURN, SHIFT]), "node": "jug", "scale": 2}, fov=40)
    assert camera.moves
    for time in (0.0, 1.0, 2.2):
        placed, _ = camera.animation.placed(time)
        view = camera_view(camera, (1, 1, 1), (200, 100), time)
        np.testing.assert_allclose(view.position, placed[:3, 3])
        np.testing.assert_allclose(view.axes, [placed[:3, 0], placed[:3, 1], -placed[:3, 2]], atol=1e-6)
        assert view.fov == pytest.approx(40)
    np.testing.assert_allclose(camera_view(camera, (1, 1, 1), (200, 100), 0.0).position, [0.4, 1.0, 0.2], atol=1e-6)
    with pytest.raises(plash.SceneError, match="turn: has no use with an animation"):
        plash.Camera(animation={"file": gltf(tmp_path, [TURN]), "node": "jug"}, turn=1)
    assert "animation" not in plash.Camera().model_dump()


def test_steps_scale_loop_start_and_stop(tmp_path):
    file = gltf(tmp_path, [STEPS])
    motion = plash.Motion(animation={"file": file, "node": "jug", "scale": 0.01}, start=1, stop=5)
    shifts = [motion.pose(time).shift[0] for time in (0.5, 1.9, 2.1, 3.5, 9)]
    np.testing.assert_allclose(shifts, [0, 0, 0.001, 0.003, 0.003], atol=1e-9)
    round_again = plash.Motion(animation={"file": file, "node": "jug", "loop": True})
    np.testing.assert_allclose([round_again.pose(t).shift[0] for t in (1.5, 2.5, 3.5)], [0.1, 0, 0.1], atol=1e-7)


def test_a_run_knows_the_animation_by_its_numbers(tmp_path):
    from plash.pipeline.fingerprint import simulation

    def made(channels):
        return scene({"animation": {"file": gltf(tmp_path, channels, name=f"{len(channels)}.gltf"), "node": "jug"}})

    one = made([TURN])
    assert plash.parse_scene(plash.scene_text(one)) == one
    assert simulation(one) != simulation(made([TURN, SHIFT]))
    assert "animation" not in plash.Motion(velocity=(1, 0, 0)).model_dump()
    assert "axis" not in plash.MotionKey(time=0).model_dump()


def test_a_relative_path_starts_at_the_scene(tmp_path):
    gltf(tmp_path, [TURN])
    text = plash.scene_text(scene({"animation": {"file": str(tmp_path / "anim.gltf"), "node": "jug"}}))
    (tmp_path / "s.toml").write_text(text.replace(str(tmp_path / "anim.gltf"), "anim.gltf"))
    assert plash.load_scene(tmp_path / "s.toml").solid[0].moves


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"node": "jgu"}, r'animation.node: "jgu" is no node of .*Did you mean "jug"'),
        ({"clip": "por"}, r'animation.clip: "por" is no animation of .*Did you mean "pour"'),
        ({"node": "table"}, r'"table" does not move'),
        ({"file": "nowhere.glb"}, "there is no file"),
        ({"file": __file__}, "has the suffix"),
    ],
)
def test_what_is_not_there_is_refused(tmp_path, keys, message):
    nodes = [{"name": "arm", "children": [1]}, {"name": "jug"}, {"name": "table"}]
    given: Any = {"file": gltf(tmp_path, [TURN], nodes), "node": "jug", **keys}
    with pytest.raises(plash.SceneError, match=message):
        plash.Motion(animation=given)


def test_what_is_no_motion_of_a_rigid_body_is_refused(tmp_path):
    grows = (1, "scale", [0.0, 1.0], [[1, 1, 1], [2, 2, 2]], "LINEAR")
    with pytest.raises(plash.SceneError, match="grows or shrinks at 1 s: a body is rigid"):
        plash.Motion(animation={"file": gltf(tmp_path, [grows]), "node": "jug"})
    with pytest.raises(plash.SceneError, match="spin: has no use with an animation"):
        plash.Motion(animation={"file": gltf(tmp_path, [TURN]), "node": "jug"}, spin=1)
    with pytest.raises(plash.SceneError, match="animation: has no use: a node of a file moves in 3-D"):
        scene({"animation": {"file": gltf(tmp_path, [TURN]), "node": "jug"}}, (1, 1))
    damaged = tmp_path / "damaged.gltf"
    text = json.loads(gltf(tmp_path, [TURN]).read_text())
    text["animations"][0]["samplers"][0]["output"] = 77
    damaged.write_text(json.dumps(text))
    with pytest.raises(plash.SceneError, match="names accessors"):
        plash.Motion(animation={"file": damaged, "node": "jug"})
