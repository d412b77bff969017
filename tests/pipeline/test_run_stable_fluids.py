"""Runs of stable fluids: frames of grids, resuming, and what makes what again."""

import shutil
from typing import Any

import numpy as np
import pytest

import plash
from plash.errors import MismatchError, StoppedError
from plash.pipeline.inspect import inspect_run

from .conftest import StopAfter, checksums


def scene(frames=5, **settings):
    return plash.load_scene("kuo_obstacle", resolution=16, frames=frames, **{"look.width": 64, **settings})


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight") / "run"
    outcome = plash.run(scene(), folder)
    assert outcome.movie is not None
    assert outcome.frames == 5
    return folder


def test_frames_on_disk_are_those_in_memory(straight):
    for frame in plash.simulate(scene()):
        found = np.load(straight / "grids" / f"grids.{frame.number:04d}.npz")
        assert np.array_equal(found["density"], frame.density)
        assert np.array_equal(found["velocity"], frame.grids.velocity)
        assert found["time"] == frame.time
    assert frame.density.shape == (8, 11, 16)
    assert not hasattr(frame, "particles")


def test_a_frame_knows_its_velocity_anywhere():
    *_, frame = plash.simulate(scene())
    h = frame.grids.h
    place = np.array([[5.5 * h, 3.5 * h, 2.5 * h], [9.0, 0.1, 0.1]])
    found = frame.velocity(place)
    assert np.allclose(found[0], frame.grids.velocity[:, 2, 3, 5])
    assert np.isnan(found[1]).all()


@pytest.mark.parametrize("steps", [1, 3])
def test_stop_and_resume_give_the_same_bits(straight, tmp_path, steps):
    folder = tmp_path / "run"
    with pytest.raises(StoppedError):
        plash.run(scene(), folder, stages=["simulate"], progress=StopAfter(steps))
    plash.resume(folder)
    assert checksums(folder) == checksums(straight)


def test_a_lost_frame_is_made_again(straight, tmp_path):
    folder = shutil.copytree(straight, tmp_path / "run")
    (folder / "grids" / "grids.0003.npz").unlink()
    plash.resume(folder)
    assert checksums(folder) == checksums(straight)
    assert inspect_run(folder, with_checksums=True).damaged == ()


def test_another_isovalue_only_makes_surfaces_again(straight, tmp_path):
    folder = shutil.copytree(straight, tmp_path / "run")
    lower: Any = {"solver.isovalue": 0.3}
    plash.resume(folder, **lower)
    assert checksums(folder) == checksums(straight)
    assert checksums(folder, "mesh") != checksums(straight, "mesh")
    livelier: Any = {"solver.confinement": 0.35}
    with pytest.raises(MismatchError, match=r"solver\.confinement"):
        plash.resume(folder, **livelier)


def test_the_report_and_the_check_speak_of_stable_fluids(straight, tmp_path):
    page = (straight / "report.html").read_text()
    assert "Particles" not in page
    report = plash.check(scene(), with_steps=False)
    assert report.estimate.cells == 8 * 11 * 16
    assert report.estimate.particles == 0
