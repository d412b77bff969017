"""What a scene says about its pictures, and what is refused."""

import os
import struct

import pytest

import plash
from plash.errors import SceneError
from plash.scene import Camera, Look, load_scene, parse_scene, scene_text, write_scene

HDR = b"#?RADIANCE\n# made by hand\nFORMAT=32-bit_rle_rgbe\n\n-Y 512 +X 1024\n"
EXR = (
    b"\x76\x2f\x31\x01\x02\0\0\0"
    + b"compression\0compression\0\x01\0\0\0\x03"
    + b"dataWindow\0box2i\0\x10\0\0\0"
    + struct.pack("<4i", 0, 0, 1023, 511)
    + b"\0"
)

KEYS = [{"time": 0, "from": (3, 1, 3), "to": (1, 0, 0)}, {"time": "2 s", "from": (0, 1, 3), "to": (1, 0, 0)}]


@pytest.mark.parametrize(
    ("look", "message"),
    [
        ({"quality": "best"}, "quality"),
        ({"samples": 0}, "samples"),
        ({"liquid": "beer"}, "liquid"),
        ({"ior": 0.5}, "ior"),
        ({"absorption": [1, 2]}, "three numbers: for red, green and blue"),
        ({"absorption": [1, 2, -1]}, "absorption"),
        ({"absorption": ["1 m", 2, 3]}, "absorption"),
        ({"smoke": "dots"}, "smoke"),
        ({"smoke_color": "smoky"}, "is no colour"),
        ({"smoke_opacity": -1}, "smoke_opacity"),
        ({"smoke_opacity": "3 m"}, "extinction"),
        ({"fire_brightness": -0.5}, "fire_brightness"),
        ({"light": "moon"}, "is no light"),
        ({"light": "studo"}, "studio"),
        ({"light": "nowhere.exr"}, "no such file"),
        ({"shutter": 2}, "shutter"),
        ({"camera": {"from": (1, 1, 1)}}, "a camera with `from` needs `to` too"),
        ({"camera": {"to": (1, 1, 1)}}, "a camera with `to` needs `from` too"),
        ({"camera": {"turn": 1, "key": KEYS}}, "does not go together with keys"),
        ({"camera": {"turn": "3 m/s"}}, "velocity"),
        ({"camera": {"key": KEYS[::-1]}}, "number 2 is at 0 s, not after the one at 2 s"),
        ({"camera": {"key": [{"time": 0, "to": (0, 0, 0)}]}}, "number 1 needs from and to"),
        ({"camera": {"key": [{"time": 0, "from": (0, 0, 0), "to": (0, 0, 0)}]}}, "a direction to look in"),
        ({"camera": {"key": [{"time": 0, "from": (0, 2, 0), "to": (0, 0, 0)}]}}, "points along the view"),
        ({"camera": {"aperture": -1}}, "aperture"),
    ],
)
def test_what_makes_no_sense_is_refused(look, message):
    with pytest.raises(SceneError, match=message):
        Look(**look)


def test_a_camera_in_two_dimensions_of_keys_is_refused():
    with pytest.raises(SceneError, match="entries"):
        load_scene("drop_in_pool", **{"look.camera": {"key": [{"time": 0, "from": (1, 2), "to": (0, 0)}]}})


def test_a_camera_that_turns_needs_no_place():
    camera = Camera(turn="30 deg/s")
    assert camera.position is None
    assert camera.turn == pytest.approx(0.5236, rel=1e-3)
    assert camera.moves
    assert not Camera.model_validate({"from": (1, 1, 1), "to": (0, 0, 0)}).moves


def test_everything_of_a_look_is_written_and_read_again(tmp_path):
    (tmp_path / "sky.hdr").write_bytes(HDR)
    look = {
        "quality": "final", "samples": 64, "liquid": "jelly", "ior": 1.4, "absorption": [1.0, 2.5, 3.0],
        "roughness": 0.1, "tank": "glass", "light": str(tmp_path / "sky.hdr"), "exposure": -0.5, "tone": "plain",
        "shutter": 0.5,
        "camera": {"key": KEYS, "aperture": "2 cm", "focus": "3 m", "up": (0, 1, 0)},
    }  # fmt: skip
    solid = {"color": "red", "material": "metal", "roughness": 0.3}
    scene = load_scene("dam_break", **{f"look.{key}": value for key, value in look.items()}, **{"solid[0].look": solid})
    assert parse_scene(scene_text(scene)) == scene
    write_scene(scene, tmp_path / "scene.toml")
    assert 'light = "sky.hdr"' in (tmp_path / "scene.toml").read_text()
    assert load_scene(tmp_path / "scene.toml") == scene


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("light.hdr", b"", "is no Radiance HDR picture"),
        ("light.exr", b"", "is no OpenEXR picture"),
        ("light.hdr", EXR, "is no Radiance HDR picture"),
        ("light.exr", HDR, "is no OpenEXR picture"),
        ("LIGHT.HDR", b"\x89PNG\r\n\x1a\n" + bytes(100), "is no Radiance HDR picture"),
        ("light.hdr", HDR[:20], "is no Radiance HDR picture"),
        ("light.hdr", HDR.replace(b"+X", b"+Y"), "is no Radiance HDR picture"),
        ("light.hdr", HDR.replace(b"512 +X 1024", b"0 +X 1024"), "has 0 pixels: a light has from 1 to"),
        ("light.hdr", HDR.replace(b"512 +X 1024", b"99999 +X 99999"), "has 9999800001 pixels"),
        ("light.exr", EXR[:30], "is no OpenEXR picture"),
        ("light.exr", EXR.replace(b"box2i", b"box2f"), "is no OpenEXR picture"),
        ("light.exr", EXR[:8] + b"x" * 70_000, "is no OpenEXR picture"),
        ("light.exr", EXR[:-17] + struct.pack("<4i", 9, 9, 0, 0), "has 0 pixels"),
    ],
)
def test_a_light_that_is_no_picture_is_refused(tmp_path, name, content, fault):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SceneError, match=f"{name} {fault}"):
        Look(light=str(tmp_path / name))


@pytest.mark.parametrize(("name", "content"), [("light.hdr", HDR), ("light.exr", EXR), ("light.HDR", HDR)])
def test_a_light_that_may_be_a_picture_is_taken(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert Look(light=str(tmp_path / name)).light == str(tmp_path / name)


def test_a_light_that_is_no_file_is_refused(tmp_path):
    (tmp_path / "folder.hdr").mkdir()
    os.mkfifo(tmp_path / "pipe.hdr")
    (tmp_path / "device.hdr").symlink_to("/dev/zero")
    with (tmp_path / "large.hdr").open("wb") as file:
        file.truncate(3 * 2**30)
    wanted = {"folder": "is a folder", "pipe": "device or pipe", "device": "device or pipe", "large": "3.0 GiB"}
    for name, fault in wanted.items():
        with pytest.raises(SceneError, match=fault):
            Look(light=str(tmp_path / f"{name}.hdr"))


def test_another_light_in_the_same_file_is_another_look(tmp_path):
    hashes = []
    for content in (HDR + b"day", HDR + b"night"):
        (tmp_path / "light.hdr").write_bytes(content)
        hashes.append(Look(light=str(tmp_path / "light.hdr")).model_dump()["light_sha256"])
    assert hashes[0] != hashes[1]
    assert Look().model_dump()["light_sha256"] == ""


def test_what_only_particles_carry_cannot_colour_stable_fluids():
    assert plash.load_scene("dam_break_2d", **{"look.color_by": "age"}).look.color_by == "age"
    with pytest.raises(
        plash.SceneError, match=r'look.color_by: "age" cannot be shown: stable fluids have no particles'
    ):
        plash.load_scene("kuo_pour", **{"look.color_by": "age"})
    with pytest.raises(
        plash.SceneError,
        match=r'not one of material, speed, age, temperature, log_viscosity, strain\. Did you mean "age"',
    ):
        plash.load_scene("dam_break_2d", **{"look.color_by": "aeg"})
