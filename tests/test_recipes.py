"""Every scene, program and command of the page "Recipes": sound as it stands, and run at a size that takes seconds."""

import runpy

import pytest
from tests.pages import blocks, commands, typed

import plash
from plash.pipeline.check.findings import findings

SCENES = {block.heading: block.text for block in blocks("recipes.md") if block.language == "toml"}
OTHERS = [block for block in blocks("recipes.md") if block.language != "toml"]


def faults(scene):
    return [finding for finding in findings(scene) if finding.level != "note"]


def test_the_page_has_all_recipes():
    headings = {block.heading for block in blocks("recipes.md")}
    assert len(headings) == len({*SCENES, *(block.heading for block in OTHERS)}) == 6


@pytest.mark.slow
@pytest.mark.parametrize("heading", SCENES)
def test_a_scene_has_no_faults_and_runs(heading, tmp_path):
    assert faults(plash.parse_scene(SCENES[heading])) == []
    scene = plash.parse_scene(SCENES[heading], resolution=16, frames=2)
    outcome = plash.run(scene, tmp_path / "run", stages=["simulate"])
    assert outcome.frames == 2
    assert outcome.ledger["volume"] >= 0


@pytest.mark.slow
def test_programs_and_commands_do_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in OTHERS:
        if block.language == "python":
            (tmp_path / "program.py").write_text(block.text)
            runpy.run_path("program.py")
        else:
            for command in commands(block.text):
                typed(command, ("--resolution", "16", "--frames", "1") if command[1] == "run" else ())
    rain = plash.load_scene("rain.toml")
    assert len(rain.fill) == 61
    assert faults(rain) == []
    assert len(list(plash.simulate(rain.model_copy(update={"resolution": 12, "frames": 2})))) == 2
    assert (tmp_path / "out/toast/toast.mp4").exists()
