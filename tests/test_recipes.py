"""Every scene and command of the page "Recipes": sound as it stands, and run at a size that takes seconds."""

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


def test_containers_are_filled_and_rain_falls_by_the_keys_that_are_made_for_it():
    fills = [fill for text in SCENES.values() for fill in plash.parse_scene(text).fill]
    assert [fill.inside for fill in fills if fill.inside] == ["jug", "mug"]
    assert [source.kind for source in plash.parse_scene(SCENES["Rain"]).source] == ["drops"]


@pytest.mark.slow
def test_commands_do_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in OTHERS:
        for command in commands(block.text):
            typed(command, ("--resolution", "16", "--frames", "1") if command[1] == "run" else ())
    assert (tmp_path / "out/toast/toast.mp4").exists()


@pytest.mark.slow
def test_the_commands_of_the_first_lines_draw_a_look_and_one_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jug.toml").write_text(SCENES["Pour from a jug"])
    typed(["plash", "look", "jug.toml"])
    typed(["plash", "run", "jug.toml", "--frame", "2"], ("--resolution", "16"))
    assert (tmp_path / "jug_look.png").exists()
    assert [path.name for path in (tmp_path / "out/jug/render").glob("*.png")] == ["frame.0002.png"]
