"""Files of frames made beside the simulation: a lane makes a run faster, and does not change a bit of it."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import plash
from plash.errors import StoppedError
from plash.files.layout import RunFolder
from plash.pipeline.lanes import lanes
from plash.pipeline.progress import Silent
from plash.pipeline.stages.registry import STAGES, read_run

from .conftest import checksums

SCENE = plash.load_scene("dam_break", resolution=16, frames=6, **{"look.width": 64})
PARTS = ("particles", "mesh", "wet", "render")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone") / "run"
    plash.run(SCENE, folder)
    return {part: checksums(folder, part) for part in PARTS}


@pytest.fixture
def opened(monkeypatch, threads):
    """The lanes that are opened, as soon as a frame is there."""
    found = []

    class Known(lanes._Lane):
        def __init__(self, *about):
            super().__init__(*about)
            found.append(self._process)

    threads(2)
    monkeypatch.setattr(lanes, "_SECONDS_WORTH_IT", 0.0)
    monkeypatch.setattr(lanes, "threads", lambda: 2)
    monkeypatch.setattr(lanes, "_Lane", Known)
    return found


def is_as(alone, folder):
    return all(checksums(folder, part) == alone[part] for part in PARTS)


def is_whole(folder):
    manifest = read_run(RunFolder(folder))
    return all(record.status == "done" for record in manifest.stages.values())


class When(Silent):
    """Does something when a stage made a frame for the first time."""

    def __init__(self, frame, act, stage="simulate"):
        self.frame, self.act, self.stage = frame, act, stage

    def made(self, stage, frame, seconds):
        if (stage, frame) == (self.stage, self.frame):
            self.frame = 0
            self.act()


def test_files_are_the_same(alone, opened, tmp_path):
    plash.run(SCENE, tmp_path / "run")
    assert len(opened) == 1
    assert opened[0].poll() is not None  # it has ended
    assert is_as(alone, tmp_path / "run")
    assert is_whole(tmp_path / "run")


def test_what_a_killed_lane_left_is_made_all_the_same(alone, opened, tmp_path):
    plash.run(SCENE, tmp_path / "run", progress=When(3, lambda: opened[0].kill()))
    assert is_as(alone, tmp_path / "run")
    assert is_whole(tmp_path / "run")


def test_a_frame_that_a_lane_cannot_read_is_simulated_again(alone, opened, tmp_path):
    file = tmp_path / "run/particles/particles.0003.npz"
    spoil = When(3, lambda: file.write_bytes(bytes(file.stat().st_size)), stage="wet")
    plash.run(SCENE, tmp_path / "run", progress=spoil)
    assert is_as(alone, tmp_path / "run")
    assert is_whole(tmp_path / "run")


def test_a_frame_that_is_spoilt_while_it_waits_is_simulated_again(alone, opened, tmp_path, monkeypatch):
    monkeypatch.setattr(lanes, "_AHEAD", 0)  # lanes are asked for nothing: all waits until the last frame is simulated
    file = tmp_path / "run/particles/particles.0003.npz"
    spoil = When(6, lambda: file.write_bytes(bytes(file.stat().st_size)), stage="wet")
    plash.run(SCENE, tmp_path / "run", progress=spoil)
    assert len(opened) == 1
    assert is_as(alone, tmp_path / "run")
    assert is_whole(tmp_path / "run")


def test_a_stopped_run_leaves_no_lane_and_goes_on(alone, opened, tmp_path):
    with pytest.raises(StoppedError):
        plash.run(SCENE, tmp_path / "run", progress=When(4, lambda: os.kill(os.getpid(), signal.SIGINT)))
    assert opened[0].poll() is not None
    plash.resume(tmp_path / "run")
    assert is_as(alone, tmp_path / "run")
    assert is_whole(tmp_path / "run")


def test_a_lane_ends_with_whoever_opened_it():
    worker = subprocess.Popen([sys.executable, "-m", lanes._WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with worker:
        worker.stdin.close()
    assert worker.returncode == 0


@pytest.mark.parametrize(
    ("quality", "amount", "apart"),
    [("draft", 0.0, {"mesh", "render", "vdb"}), ("draft", 1.0, {"mesh", "render", "vdb"}), ("final", 0.0, {"vdb"})],
)
def test_what_waits_for_another_frame_or_uses_all_cores_is_not_made_apart(quality, amount, apart):
    scene = plash.load_scene("dam_break", **{"look.quality": quality, "whitewater.amount": amount})
    asked = ["simulate", "mesh", "wet", "render", "vdb", *(["whitewater"] if amount else [])]
    run: Any = SimpleNamespace(scene=scene, or_plainer=True)
    makers: Any = {stage: stage.maker(run) for stage in map(STAGES.__getitem__, asked)}
    makers[STAGES["render"]].scene = scene  # whether or not there is a ray tracer here
    assert {stage.name for stage in lanes.made_apart(makers)} == apart
