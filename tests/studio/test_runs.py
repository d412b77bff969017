"""The list of runs, with folders in it that come from anywhere."""

import json
import os

import pytest

from plash.files.layout import RunFolder
from plash.studio.runs import Runs

from .conftest import make_run

MANIFESTS = {
    "deep": "[" * 100_000,
    "empty": "",
    "no table": "[]",
    "other format": '{"format": 99}',
    "no text": b"\xff\xfe",
}
SCENES = [
    "[[[",
    "domain = 3",
    "x = " + "[" * 5000,
    "[domain]\nsize = [nan, 1]",
    "[domain]\nsize = [inf, 1]",
    "[domain]\nsize = 'large'",
    "[domain]\nsize = [1, 2]\nresolution = 1979-05-27",
    "[domain]\nsize = [1, 2]\n[time]\nframes = nan",
    "time = 3\n[domain]\nsize = [1, 2]",
    "[domain]\nsize = [1, 2]\n[time]\nframes = " + "9" * 400,
    'title = "\\uFFFF"\n[domain]\nsize = [1, true]',
]


@pytest.fixture
def runs(tmp_path):
    make_run(tmp_path / "runs" / "ball")
    return Runs(tmp_path / "runs")


def listed(runs):
    found = runs.all()
    json.dumps(found, allow_nan=False).encode()  # as the server does
    return [run["name"] for run in found]


@pytest.mark.parametrize("text", MANIFESTS.values(), ids=MANIFESTS)
def test_a_bad_manifest_does_not_hide_the_other_runs(runs, text):
    bad = runs.root / "bad"
    bad.mkdir()
    (bad / "manifest.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert listed(runs) == ["ball"]
    assert runs.file("bad", "movie") is None


@pytest.mark.parametrize("scene", SCENES, ids=range(len(SCENES)))
def test_a_bad_scene_does_not_hide_the_other_runs(runs, scene):
    make_run(runs.root / "bad")
    path = runs.root / "bad" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "scene": scene}))
    assert "ball" in listed(runs)


def test_links_and_pipes_do_not_hide_the_other_runs(runs, tmp_path):
    make_run(tmp_path / "elsewhere")
    (runs.root / "away").symlink_to(tmp_path / "elsewhere")
    (runs.root / "round").symlink_to(runs.root / "round")
    (runs.root / "back").symlink_to(runs.root)
    (runs.root / "pipe").mkdir()
    os.mkfifo(runs.root / "pipe" / "manifest.json")
    for name, target in (("locked", ".lock"), ("drawn", "render")):
        make_run(runs.root / name)
        place = runs.root / name / target
        if place.is_dir():
            place.rename(tmp_path / "moved")
        place.symlink_to(tmp_path / "moved")
    os.makedirs(os.fsencode(runs.root / "no text") + b"\xff")
    assert listed(runs) == ["ball"]


def test_files_that_are_links_are_not_shown(runs, tmp_path):
    (tmp_path / "diary").write_text("private")
    report = RunFolder(runs.root / "ball").report
    assert runs.file("ball", "report") == report
    report.unlink()
    report.symlink_to(tmp_path / "diary")
    assert runs.file("ball", "report") is None
    assert not runs.all()[0]["report"]


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "\ud800", "..", "", ".", "/etc", "ball/../..", "round", "\\x"])
def test_odd_names_name_nothing(runs, name):
    (runs.root / "round").symlink_to(runs.root / "round")
    assert runs.folder(name) is None
    assert runs.file(name, "movie") is None


def test_a_run_that_was_moved_shows_its_movie(runs):
    path = runs.root / "ball" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "name": "ball"}))
    (runs.root / "ball").rename(runs.root / "sphere")
    assert runs.all()[0]["movie"]
    assert runs.file("sphere", "movie") == runs.root / "sphere" / "ball.mp4"
