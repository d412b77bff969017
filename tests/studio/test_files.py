"""Presets, depth, recordings: what the studio reads and makes."""

import io
from typing import Any, cast

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence

import plash
from plash.errors import MissingPartError, SceneError
from plash.levelset.shapes import distance
from plash.studio.extrude import extruded
from plash.studio.presets import preset_text, presets
from plash.studio.recording import LARGEST_SIDE, Recording
from plash.studio.scene_text import opened, start_text


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset["name"])
def test_every_preset_is_a_flat_scene_that_can_be_given_depth(preset):
    scene = opened(preset_text(preset["name"]))
    assert scene.dimension == 2
    assert preset["sentence"].endswith((".", ". "))
    deep = extruded(scene, 0.3, 16, 5)
    assert (deep.dimension, deep.time.frames) == (3, 5)
    flat = np.random.default_rng(1).uniform((0, 0), scene.domain.size, (400, 2))
    for z in (0.01, 0.29):
        places = np.concatenate([flat, np.full((len(flat), 1), z)], axis=1)
        for kind in ("fill", "solid"):
            for one, other in zip(getattr(scene, kind), getattr(deep, kind), strict=True):
                is_in = distance(one.shape, flat, "flat") < -1e-9
                assert np.array_equal(is_in, distance(other.shape, places, "deep") < -1e-9), (kind, one)


def test_turned_and_shifted_shapes_keep_their_outline_when_given_depth():
    shape: Any = {
        "kind": "difference",
        "rotation": {"angle": "30 deg", "about": [0.5, 0.5]},
        "of": [
            {"kind": "cylinder", "base": [0.2, 0.3], "top": [0.8, 0.6], "radius": 0.2, "translation": [0.05, -0.1]},
            {"kind": "capsule", "base": [0.4, 0.4], "top": [0.6, 0.5], "radius": 0.05, "rotation": {"angle": 1.0}},
            {"kind": "sphere", "center": [0.3, 0.35], "radius": 0.08},
            {"kind": "half_space", "point": [0.2, 0], "normal": [1, 0.2]},
        ],
    }
    scene = plash.Scene(domain={"size": (1, 1)}, fill=[plash.Fill(shape=shape, velocity=(1, 2))])
    deep = extruded(scene, 0.4, 16, 5)
    flat = np.random.default_rng(2).uniform(0, 1, (2000, 2))
    places = np.concatenate([flat, np.full((len(flat), 1), 0.2)], axis=1)
    assert np.array_equal(distance(scene.fill[0].shape, flat, "") < 0, distance(deep.fill[0].shape, places, "") < 0)
    assert deep.fill[0].velocity == (1, 2, 0)


def test_all_that_moves_liquid_is_given_depth_too():
    box = plash.Box(min=(0.1, 0.1), max=(0.3, 0.2))
    slanted: Any = {"kind": "disc", "center": (0.2, 0.5), "normal": (1, -1), "radius": 0.1}
    upward: Any = {"kind": "rectangle", "center": (0.7, 0.2), "normal": (0, 1), "size": 0.12, "translation": (0.1, 0)}
    motion: Any = {
        "velocity": (0.1, 0),
        "spin": 2,
        "center": (0.8, 0.8),
        "oscillation": {"amplitude": (0, 0.1), "period": 2},
        "keys": [{"time": 0, "offset": (0, 0)}, {"time": 1, "offset": (0.1, 0)}],
    }
    scene = plash.Scene(
        domain={"size": (1, 1)},
        source=[
            {"kind": "spout", "shape": slanted, "speed": 0.5},
            {
                "kind": "spout",
                "shape": upward,
                "flow_rate": 0.06,
                "motion": {"path": {"points": [(0, 0), (0.1, 0)], "speed": 1}},
            },
            {"kind": "blob", "shape": box, "time": 0.1, "velocity": (1, 0)},
        ],
        sink=[{"shape": box, "flow_rate": 0.03}],
        pump=[{"shape": box, "velocity": (0, 1)}],
        force=[
            {"kind": "vortex", "point": (0.5, 0.5), "strength": 1, "radius": 0.1},
            {"kind": "attractor", "point": (0.5, 0.5), "strength": 1, "radius": 0.1},
            {"kind": "constant", "acceleration": (0, 1)},
        ],
        solid=[{"shape": {"kind": "sphere", "center": (0.8, 0.8), "radius": 0.05}, "motion": motion}],
    )
    deep = extruded(scene, 0.4, 16, 5)
    sources, forces = cast(Any, deep.source), cast(Any, deep.force)
    for flat, spout in zip(cast(Any, scene.source)[:2], sources[:2], strict=True):
        assert spout.peak(3) == pytest.approx(flat.peak(2))
        assert spout.shape.area(3) == pytest.approx(0.4 * flat.shape.area(2))
        low, high = spout.shape.bounds(3)
        assert (low[2], high[2]) == pytest.approx((0, 0.4))
        assert (low[:2], high[:2]) == (pytest.approx(flat.shape.bounds(2)[0]), pytest.approx(flat.shape.bounds(2)[1]))
    assert sources[2].velocity == (1, 0, 0)
    assert deep.sink[0].flow_rate == pytest.approx(0.4 * 0.03)
    assert (deep.pump[0].velocity, forces[2].acceleration) == ((0, 1, 0), (0, 1, 0))
    assert (forces[0].axis, forces[1].point) == ((0, 0, 1), (0.5, 0.5, 0.2))
    for time in (0.3, 0.9):
        assert deep.solid[0].motion.pose(time) == scene.solid[0].motion.pose(time)


def test_scenes_of_pages_may_not_name_files():
    for line in ('[look]\nlight = "/etc/x.hdr"', '[[solid]]\nshape = { kind = "mesh", file = "/etc/passwd" }'):
        with pytest.raises(SceneError, match="names a file"):
            opened(preset_text("dam") + line)
    with pytest.raises(SceneError, match="line 1"):
        opened("nonsense")


def test_the_studio_starts_with_flat_scenes_only():
    assert "Dam break" in start_text(None)
    assert "version = 1" in start_text("dam_break_2d")
    with pytest.raises(SceneError, match="three lengths"):
        start_text("dam_break")
    with pytest.raises(SceneError, match="no such file"):
        start_text("nothing.toml")


def jpeg(value: int, size=(64, 40)) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", size, (value, 80, 120)).save(data, "JPEG", quality=95)
    return data.getvalue()


@pytest.mark.parametrize("kind", ["mp4", "gif"])
def test_a_recording_has_every_picture_in_order(tmp_path, kind):
    recording = Recording(tmp_path, 25, kind)
    for value in (20, 120, 220):
        recording.add(jpeg(value))
    recording.finish(tmp_path / f"movie.{kind}")
    if kind == "gif":
        with Image.open(tmp_path / "movie.gif") as image:
            pictures = [np.asarray(picture.convert("RGB")) for picture in ImageSequence.Iterator(image)]
    else:
        with av.open(str(tmp_path / "movie.mp4")) as file:
            pictures = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
    assert [picture.shape for picture in pictures] == [(40, 64, 3)] * 3
    assert np.allclose([picture[..., 0].mean() for picture in pictures], (20, 120, 220), atol=6)
    assert [file.name for file in tmp_path.iterdir()] == [f"movie.{kind}"]


def test_what_is_no_picture_is_not_recorded(tmp_path):
    recording = Recording(tmp_path, 25, "mp4")
    recording.add(jpeg(20))
    for data in (b"", b"x" * 100, jpeg(20)[:200], jpeg(20, (32, 40)), jpeg(20, (LARGEST_SIDE + 2, 4))):
        with pytest.raises(ValueError, match="picture"):
            recording.add(data)
    assert recording.count == 1
    recording.forget()
    assert list(tmp_path.iterdir()) == []


def test_without_its_packages_the_studio_names_the_command_that_installs_them(monkeypatch):
    import importlib.util

    from plash.cli.main import plash as program

    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None)
    with pytest.raises(MissingPartError, match=r'pip install "plash\[studio\]"') as error:
        program.main(args=["studio"], standalone_mode=False)
    assert error.value.exit_code == 7
