"""Mesh shapes in scene files: where their files are looked for, what is refused, and what is written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import trimesh

from plash.errors import SceneError
from plash.scene import Fill, MeshShape, Scene, Union, load_scene, parse_scene, scene_text, write_scene

TEXT = """\
version = 1
[domain]
size = [1, 1, 1]
[[fill]]
shape = { kind = "box", min = [0, 0, 0], max = [1, 0.5, 1] }
[[solid]]
name = "body"
shape = { kind = "mesh", file = "bodies/box.stl", scale = 0.1, translation = [0.5, 0.5, 0.5] }
"""


@pytest.fixture
def folder(tmp_path):
    """A scene file, and a cube of two units beside it."""
    (tmp_path / "bodies").mkdir()
    trimesh.creation.box((2, 2, 2)).export(tmp_path / "bodies" / "box.stl")
    (tmp_path / "scene.toml").write_text(TEXT)
    return tmp_path


def problem_of(text, folder, **overrides):
    with pytest.raises(SceneError) as error:
        parse_scene(text, "scene", folder, **overrides)
    (problem,) = error.value.problems
    return problem


def test_relative_path_starts_at_the_scene_file(folder):
    shape = load_scene(folder / "scene.toml").solid[0].shape
    assert isinstance(shape, MeshShape)
    assert shape.file == str(folder / "bodies" / "box.stl")
    assert shape.bounds(3)[0] == pytest.approx((0.4, 0.4, 0.4))
    assert shape.bounds(3)[1] == pytest.approx((0.6, 0.6, 0.6))


def test_relative_path_in_python_and_in_overrides_starts_at_the_working_directory(folder, monkeypatch):
    monkeypatch.chdir(folder / "bodies")
    assert MeshShape(file="box.stl") == MeshShape(file=folder / "bodies" / "box.stl")
    mine = load_scene(Path("..") / "scene.toml", **{"solid[0].shape.file": "box.stl"}).solid[0].shape
    files = load_scene("../scene.toml").solid[0].shape
    assert isinstance(mine, MeshShape)
    assert isinstance(files, MeshShape)
    assert mine.file == str(folder / "bodies" / "box.stl")
    assert os.path.samefile(files.file, "box.stl")


def test_scene_read_back_is_the_same_and_its_folder_can_be_moved(folder):
    scene = load_scene(folder / "scene.toml")
    assert parse_scene(scene_text(scene)) == scene
    write_scene(scene, folder / "again.toml")
    assert 'file = "bodies/box.stl"' in (folder / "again.toml").read_text()
    assert load_scene(folder / "again.toml") == scene
    write_scene(scene, folder / "bodies" / "other.toml")
    assert 'file = "box.stl"' in (folder / "bodies" / "other.toml").read_text()
    assert load_scene(folder / "bodies" / "other.toml") == scene


def test_path_outside_the_folder_is_written_whole(folder):
    (folder / "elsewhere").mkdir()
    scene = load_scene(folder / "scene.toml")
    write_scene(scene, folder / "elsewhere" / "scene.toml")
    assert str(folder / "bodies" / "box.stl") in (folder / "elsewhere" / "scene.toml").read_text()
    assert load_scene(folder / "elsewhere" / "scene.toml") == scene


def test_mesh_in_a_group_is_found_too(folder):
    text = TEXT.replace('shape = { kind = "mesh"', 'shape = { kind = "union", of = [{ kind = "mesh"') + "] }\n"
    text = text.replace("0.5] }\n] }", "0.5] }] }")
    scene = parse_scene(text, "scene", folder)
    assert isinstance(scene.solid[0].shape, Union)
    assert parse_scene(scene_text(scene, folder), "scene", folder) == scene


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("bodies/box.stl", "bodies/bux.stl", "file", ["there is no file", "bodies/bux.stl", 'Did you mean "box.stl"']),
        ("bodies/box.stl", "nowhere/box.stl", "file", ["there is no file", "There is no folder"]),
        ("bodies/box.stl", "bodies/box.step", "file", ['".step"', ".stl, .obj, .ply, .glb, .gltf"]),
        ("bodies/box.stl", "scene", "file", ["no suffix", ".stl"]),
        ("bodies/box.stl", "", "file", ["a mesh is one of"]),
        ('"bodies/box.stl"', "3", "file", ["3", "text"]),
        ("bodies/box.stl", "a\\u0000.stl", "file", [".stl"]),
        ("bodies/box.stl", "a" * 5000 + ".stl", "file", [".stl"]),
        ("scale = 0.1", "scale = 0", "scale", ["above 0"]),
        ("scale = 0.1", 'scale = "1 mm"', "scale", ['"1 mm"']),
        ("scale = 0.1", "scale = 1e9, rotation = { angle = 1, axis = [0, 1, 0] }", None, []),
        ("scale = 0.1", "scalee = 0.1", "scalee", ["unknown key", 'Did you mean "scale"', "file, scale"]),
        ("scale = 0.1", "rotation = { angle = 1 }", "rotation.axis", ["is missing"]),
    ],
)
def test_wrong_mesh_is_refused_by_line_and_key(folder, old, new, key, words):
    text = TEXT.replace(old, new)
    if key is None:
        parse_scene(text, "scene", folder)
        return
    problem = problem_of(text, folder)
    assert (problem.line, problem.key) == (8, f"solid[0].shape.{key}")
    assert all(word in problem.message for word in words), problem.message
    assert len(problem.message) < 600


def test_two_dimensional_scene_has_no_place_for_a_mesh(folder):
    text = TEXT.replace("[1, 1, 1]", "[1, 1]", 1).replace("[0, 0, 0], max = [1, 0.5, 1]", "[0, 0], max = [1, 0.5]")
    problem = problem_of(text.replace(", translation = [0.5, 0.5, 0.5]", ""), folder)
    assert (problem.line, problem.key) == (8, "solid[0].shape")
    assert "only in 3-D" in problem.message


def test_turn_of_the_docs_brings_z_up_to_y_up(folder):
    page = (Path(__file__).parents[2] / "docs" / "meshes.md").read_text("utf-8")
    turn = re.search(r"^rotation = .*about.*$", page, re.MULTILINE).group()
    trimesh.creation.box(bounds=[[0, 0, 0], [2, 3, 5]]).export(folder / "bodies" / "box.stl")
    shape = parse_scene(TEXT.replace("scale = 0.1", f"scale = 0.1, {turn}"), "scene", folder).solid[0].shape
    low, high = shape.bounds(3)
    assert low == pytest.approx((0.5, 0.5, 0.2))
    assert high == pytest.approx((0.7, 1.0, 0.5))


@pytest.mark.parametrize(
    ("keys", "key", "words"),
    [
        ('thickness = "2 kg"', "thickness", ["a mass, not a length"]),
        ("thickness = 0", "thickness", ["above 0 m"]),
        ('thickness = "thin"', "thickness", ["not a number with a unit"]),
        ("repair = 1", "repair", ["true or false"]),
        ('repair = true, thickness = "2 mm"', "repair", ["has no use with thickness", "take one of them out"]),
        ("repaire = true", "repaire", ['Did you mean "repair"']),
    ],
)
def test_wrong_thickness_or_repair_is_refused_by_line_and_key(folder, keys, key, words):
    problem = problem_of(TEXT.replace("scale = 0.1", keys), folder)
    assert (problem.line, problem.key) == (8, f"solid[0].shape.{key}")
    assert all(word in problem.message for word in words), problem.message


@pytest.mark.parametrize("keys", ['thickness = "2 mm"', "repair = true"])
def test_thickness_and_repair_are_written_and_read_back(folder, keys):
    scene = parse_scene(TEXT.replace("scale = 0.1", f"scale = 0.1, {keys}"), "scene", folder)
    assert parse_scene(scene_text(scene)) == scene
    assert scene != parse_scene(TEXT, "scene", folder)
    assert keys.split()[0] in scene.solid[0].shape.model_dump()


def test_data_of_a_mesh_without_them_is_as_it_was(folder):
    data = load_scene(folder / "scene.toml").solid[0].shape.model_dump()
    assert set(data) == {"kind", "file", "scale", "rotation", "translation", "sha256"}


def test_unreadable_file_is_refused_with_the_scene(folder):
    (folder / "bodies" / "box.stl").write_bytes(b"\x00" * 99)
    problem = problem_of(TEXT, folder)
    assert (problem.line, problem.key) == (8, "solid[0].shape.file")
    assert "box.stl" in problem.message


def test_mesh_out_of_all_bounds_is_refused(folder):
    trimesh.creation.box((2e6, 2, 2)).export(folder / "bodies" / "box.stl")
    problem = problem_of(TEXT.replace("scale = 0.1", "scale = 1e6"), folder)
    assert problem.key == "solid[0].shape.scale"
    assert "1e+12 m" in problem.message


def test_fill_outside_the_domain_is_refused(folder):
    with pytest.raises(SceneError, match="lies wholly outside the domain"):
        Scene(
            domain={"size": (1, 1, 1)},
            fill=[Fill(shape=MeshShape(file=folder / "bodies" / "box.stl", translation=(9, 0, 0)))],
        )


def test_content_of_the_file_is_part_of_the_data_of_a_scene(folder):
    shapes = [scene["shape"] for scene in load_scene(folder / "scene.toml").model_dump()["solid"]]
    assert len(shapes[0]["sha256"]) == 64
    (folder / "bodies" / "copy.stl").write_bytes((folder / "bodies" / "box.stl").read_bytes())
    assert MeshShape(file=folder / "bodies" / "copy.stl").sha256 == shapes[0]["sha256"]
    trimesh.creation.box((2, 2, 2.5)).export(folder / "bodies" / "copy.stl")
    assert MeshShape(file=folder / "bodies" / "copy.stl").sha256 != shapes[0]["sha256"]


def test_scene_without_a_mesh_needs_no_mesh_reader():
    program = "import sys, plash; plash.load_scene('dam_break'); assert 'trimesh' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
