"""Pictures that cover solids: which files are taken, and which are refused."""

import numpy as np
import pytest
from PIL import Image

from plash.errors import SceneError
from plash.scene import load_scene, write_scene
from plash.scene.look import SolidLook


@pytest.fixture
def wood(tmp_path):
    file = tmp_path / "wood.png"
    Image.fromarray(np.full((4, 6, 3), 90, np.uint8)).save(file)
    return file


def test_a_change_of_the_picture_is_noticed(wood):
    before = SolidLook(texture=str(wood)).model_dump()["texture_sha256"]
    Image.fromarray(np.full((4, 6, 3), 91, np.uint8)).save(wood)
    assert SolidLook(texture=str(wood)).model_dump()["texture_sha256"] != before
    assert SolidLook().model_dump()["texture_sha256"] == ""


def test_a_texture_is_found_beside_the_scene_file(wood):
    scene = load_scene("dam_break", **{"solid[0].look": {"texture": str(wood), "texture_size": "20 cm"}})
    write_scene(scene, wood.parent / "scene.toml")
    assert 'texture = "wood.png"' in (wood.parent / "scene.toml").read_text()
    assert load_scene(wood.parent / "scene.toml") == scene


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("wood.gif", b"GIF89a", "give the path of a .png or .jpg file"),
        ("wood.png", b"", "is no PNG picture"),
        ("wood.jpg", b"\x89PNG\r\n\x1a\n" + bytes(100), "is no JPEG picture"),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path, name, content, fault):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SceneError, match=fault):
        SolidLook(texture=str(tmp_path / name))


def test_a_picture_that_breaks_off_is_refused(wood):
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)).save(wood)
    wood.write_bytes(wood.read_bytes()[:-4000])
    with pytest.raises(SceneError, match="cannot be read as a picture"):
        SolidLook(texture=str(wood))


def test_a_picture_that_is_too_large_or_missing_is_refused(tmp_path, wood):
    Image.new("L", (4097, 1)).save(wood)
    with pytest.raises(SceneError, match="4097 x 1 pixels: a texture has at most 4096"):
        SolidLook(texture=str(wood))
    with pytest.raises(SceneError, match="no such file"):
        SolidLook(texture=str(tmp_path / "nowhere.png"))


def test_keys_that_have_no_use_are_refused(wood):
    with pytest.raises(SceneError, match="no use without texture"):
        SolidLook(texture_size=0.2)
    with pytest.raises(SceneError, match="does not go together with glass"):
        SolidLook(texture=str(wood), material="glass")
