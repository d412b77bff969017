"""The example scripts do what they say; movies are cut short."""

import runpy
import sys
from pathlib import Path

import pytest

import plash

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(script, tmp_path, monkeypatch, capsys):
    whole_run = plash.run

    def short_run(scene, out, **options):
        coarse = scene.domain.model_copy(update={"resolution": 24})
        short = scene.time.model_copy(update={"frames": 2})
        return whole_run(scene.model_copy(update={"domain": coarse, "time": short}), tmp_path / "run", **options)

    monkeypatch.setattr(plash, "run", short_run)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert "frame" in capsys.readouterr().out


def test_examples_are_short():
    assert EXAMPLES
    for script in EXAMPLES:
        assert len(script.read_text().splitlines()) <= 60, script
