"""Runs of scenes with Python functions: everything but going on from the folder alone."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plash
from plash.cli.main import _exit_code

from .conftest import StopAfter, checksums


def floor(points):
    return points[:, 1] - 0.2


def wind(points, time):
    return np.full_like(points, 0.5)


def scene(frames=3, shape=floor, height=None):
    return plash.Scene(
        domain={"size": ("1 m", "60 cm"), "resolution": 20},
        time={"frames": frames},
        fill=[{"shape": {"kind": "sphere", "center": (0.5, 0.4), "radius": "10 cm"}}, {"shape": shape}],
        solid=[{"shape": plash.HeightShape(height=height or (lambda x: 0.05 + 0.1 * x))}],
        force=[{"kind": "function", "function": wind}],
    )


def test_a_scene_with_functions_runs_to_its_movie_and_report(tmp_path):
    outcome = plash.run(scene(), tmp_path / "run")
    assert outcome.frames == 3
    assert outcome.movie.exists()
    assert "the function floor" in outcome.report.read_text()
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert manifest["scene"].startswith("# Shapes or forces of this scene are Python functions")


def test_readmes_own_scene_runs(tmp_path):
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    code = re.search(r"```python\n(scene = plash\.Scene\(.*?\n)```", readme, re.DOTALL)[1]
    names: dict[str, Any] = {"plash": plash}
    exec(code.replace('"resolution": 128}', '"resolution": 16}, time={"frames": 2}'), names)
    assert plash.run(names["scene"], tmp_path / "mine", stages=["simulate"]).frames == 2


def test_the_same_functions_go_on_in_the_same_process(tmp_path):
    whole = scene(4)
    plash.run(whole, tmp_path / "whole", stages=["simulate"])
    with pytest.raises(plash.PlashError, match="stopped"):
        plash.run(whole, tmp_path / "parts", stages=["simulate"], progress=StopAfter(3))
    plash.run(whole, tmp_path / "parts", stages=["simulate"])
    assert checksums(tmp_path / "whole") == checksums(tmp_path / "parts")


def test_other_functions_are_another_simulation_unless_asked_for(tmp_path):
    folder = tmp_path / "run"
    plash.run(scene(2), folder, stages=["simulate"])
    with pytest.raises(plash.PlashError, match=r"nobody can tell whether these are the same.*force=True") as error:
        plash.run(scene(2), folder, stages=["simulate"])  # another lambda of the same text
    assert error.value.exit_code == 6
    assert plash.run(scene(2), folder, stages=["simulate"], force=True).frames == 2


@pytest.mark.slow
def test_another_process_never_takes_its_functions_for_the_same(tmp_path):
    program = (
        "import plash\n"
        "def level(points): return points[:, 1] - 0.2\n"
        "parts = {'domain': {'size': (1, 0.6), 'resolution': 12}, 'time': {'frames': 2}, 'fill': [{'shape': level}]}\n"
        "scene = plash.Scene(**parts)\n"
        f"plash.run(scene, {str(tmp_path / 'run')!r}, stages=['simulate'])"
    )
    first = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert first.returncode == 0, first.stderr
    second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "MismatchError" in second.stderr


@pytest.mark.parametrize("command", ["resume", "mesh", "render", "video", "report"])
def test_it_cannot_be_resumed_from_its_folder(tmp_path, command, capfd):
    folder = tmp_path / "run"
    plash.run(scene(2), folder, stages=["simulate"])
    before = checksums(folder)
    assert _exit_code([command, str(folder)]) == 3
    err = capfd.readouterr().err
    wanted = f"scene of {folder}: holds a scene with Python functions, which no file can hold: it cannot be resumed"
    assert wanted in err
    assert "plash.run(scene, folder)" in err
    assert checksums(folder) == before
    assert _exit_code(["info", str(folder), "--verify"]) == 0


def test_a_file_still_refuses_functions(tmp_path):
    with pytest.raises(plash.SceneError, match=r"fill\[1\]\.shape\.function: is a Python function"):
        plash.write_scene(scene(), tmp_path / "scene.toml")
    assert list(tmp_path.iterdir()) == []
