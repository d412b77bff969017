"""Every command and file of the page "First steps", done in order, at a size that takes seconds."""

import re
import shutil

import pytest
from tests.pages import blocks, commands, named_file, typed

import plash

PAGE = "first_steps.md"
SMALL = {
    "one picture": ("--frames", "12", "--resolution", "12"),
    "run": ("--frames", "2", "--resolution", "12"),
    "resume": ("--frames", "3"),
}
pytestmark = pytest.mark.slow


def test_a_reader_gets_from_nothing_to_an_own_movie(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    install, *rest = blocks(PAGE)
    assert "pip install ." in install.text  # tests/test_wheel.py installs it
    scene = tmp_path / "honey.toml"
    for block in rest:
        if block.language == "sh":
            for command in commands(block.text):
                typed(command, SMALL["one picture"] if "--frame" in command else SMALL.get(command[1], ()))
        elif "in place of [[solid]]" in block.text:
            scene.write_text(re.sub(r"(?s)\[\[solid\]\].*", block.text, scene.read_text()))
        elif "at the end" in block.text:
            scene.write_text(scene.read_text() + block.text)
        else:
            (tmp_path / named_file(block.text)).write_text(block.text)
    run = plash.open_run("out/honey")
    assert len(run) == 3
    assert run.scene.liquid.material == "honey"
    assert run.scene.solid[0].shape.kind == "mesh"
    assert run.scene.look.camera.fov == 22
    assert {path.name for path in (tmp_path / "out/honey").iterdir()} >= {"honey.mp4", "honey.gif", "report.html"}
    shutil.rmtree("out")


def test_the_message_for_a_misspelt_material_is_as_the_page_says():
    (text,) = [block.text for block in blocks(PAGE) if block.text.startswith("# honey.toml\n")]
    with pytest.raises(plash.SceneError, match=r'line \d+: liquid.material: "hony".*Did you mean "honey"'):
        plash.parse_scene(text.replace('"honey"', '"hony"'))
