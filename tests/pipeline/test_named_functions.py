"""Runs of scenes that name functions: resumed from their folder, refused when the file has changed."""

import json

import numpy as np
import pytest
from tests.pipeline.conftest import StopAfter, checksums

import plash
from plash.cli.main import _exit_code

SCENE = """
version = 1
[domain]
size = [0.8, 0.5]
resolution = 20
[time]
frames = 4
[liquid]
density = 870
[[fill]]
shape = "tank:pool"
velocity_at = "tank:swirl"
[[force]]
kind = "function"
function = "tank:wind"
[[stage]]
after = "advect"
function = "tank:drag"
[output]
measure = "tank:measured"
"""
TANK = """
import numpy as np
def pool(points): return points[:, 1] - 0.2 - 0.05 * np.sin(9 * points[:, 0])
def swirl(points): return np.stack([0.25 - points[:, 1], points[:, 0] - 0.4], axis=1)
def wind(points, time): return np.stack([np.full(len(points), np.sin(9 * time)), np.zeros(len(points))], axis=1)
def drag(solver, dt): solver.state.velocity.pool *= 1 - 3 * dt
def measured(frame):
    particles = frame.particles
    return {"top": particles.position[:, 1].max(), "ledger": frame.ledger.volume, "all": particles.volume}
"""


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "tank.py").write_text(TANK)
    path = tmp_path / "tank.toml"
    path.write_text(SCENE)
    return path


@pytest.mark.slow
def test_stopped_and_resumed_from_the_folder_it_gives_the_same_bits(scene, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    plash.run(scene, whole, stages=["simulate", "measure"])
    with pytest.raises(plash.PlashError, match="stopped"):
        plash.run(scene, parts, stages=["simulate", "measure"], progress=StopAfter(3))
    assert _exit_code(["resume", str(parts), "--quiet"]) == 0
    assert checksums(whole) == checksums(parts)
    assert checksums(whole, "measure") == checksums(parts, "measure")


def test_what_is_measured_is_kept_and_read_back(scene, tmp_path):
    plash.run(scene, tmp_path / "run", stages=["simulate", "measure"])
    run = plash.open_run(tmp_path / "run")
    np.testing.assert_array_equal(run.measured["top"], [frame.particles.position[:, 1].max() for frame in run])
    np.testing.assert_array_equal(run.measured["ledger"], run.ledger["volume"])
    np.testing.assert_array_equal(run[3].measured["all"], run[3].particles.volume)
    assert list(run.measured) == ["frame", "time", "top", "ledger"]


def test_another_measure_measures_again_and_does_not_simulate(scene, tmp_path):
    plash.run(scene, tmp_path / "run", stages=["simulate", "measure"])
    before = checksums(tmp_path / "run")
    made = []

    class Watch(StopAfter):
        def made(self, stage, frame, seconds):
            made.append(stage)

    (tmp_path / "other.py").write_text('def number(frame): return {"number": frame.number}\n')
    changed = plash.load_scene(scene, **{"output.measure": f"{tmp_path / 'other.py'}:number"})
    plash.run(changed, tmp_path / "run", stages=["simulate", "measure"], progress=Watch(-1))
    assert set(made) == {"measure"}
    assert list(plash.open_run(tmp_path / "run").measured["number"]) == [1, 2, 3, 4]
    assert checksums(tmp_path / "run") == before


@pytest.mark.parametrize(
    ("text", "words"),
    [("3.0", "gave float for frame 1, not a dictionary"), ('{"a": "b"}', "gave a = <U1 for frame 1, not a number")],
)
def test_a_measure_that_is_none_is_refused_by_its_key(scene, tmp_path, text, words):
    (tmp_path / "other.py").write_text(f"def number(frame): return {text}\n")
    changed = plash.load_scene(scene, frames=1, **{"output.measure": f"{tmp_path / 'other.py'}:number"})
    with pytest.raises(plash.SceneError, match=f"output.measure: {words}"):
        plash.run(changed, tmp_path / "run", stages=["simulate", "measure"])


def test_a_changed_file_is_another_simulation(scene, tmp_path, capfd):
    plash.run(scene, tmp_path / "run", stages=["simulate"])
    (tmp_path / "tank.py").write_text(TANK.replace("0.05", "0.06"))
    assert _exit_code(["run", str(scene), "--out", str(tmp_path / "run")]) == 6
    assert "a file that the scene names was changed" in capfd.readouterr().err
    assert _exit_code(["resume", str(tmp_path / "run"), "--frames", "5"]) == 6
    (tmp_path / "tank.py").write_text(TANK)
    assert _exit_code(["resume", str(tmp_path / "run"), "--frames", "5", "--quiet"]) == 0
    (tmp_path / "tank.py").unlink()
    assert _exit_code(["resume", str(tmp_path / "run"), "--frames", "6"]) == 3
    assert "there is no file" in capfd.readouterr().err


def test_a_function_that_fails_ends_the_run_with_a_sentence(scene, tmp_path, capfd):
    (tmp_path / "tank.py").write_text(TANK.replace("1 - 3 * dt", "1 / 0"))
    assert _exit_code(["simulate", str(scene), "--out", str(tmp_path / "run")]) == 3
    told = capfd.readouterr().err
    assert "stage[0].function: the function drag of tank.py failed: ZeroDivisionError" in told
    assert "Traceback" not in told


def test_the_manifest_names_the_functions(scene, tmp_path):
    plash.run(scene, tmp_path / "run", stages=["simulate"])
    text = json.loads((tmp_path / "run/manifest.json").read_text())["scene"]
    assert f'"{tmp_path / "tank.py"}:drag"' in text
    assert text.startswith("version = 1")


def test_a_stage_that_a_step_does_not_have_is_refused(scene):
    with pytest.raises(
        plash.SceneError, match=r'stage\[0\]\.after: "diffuse" is no stage of a step here.*grid, advect'
    ):
        plash.load_scene(scene, **{"stage[0].after": "diffuse"})
