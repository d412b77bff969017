"""Runs of smoke: sparse frames, resuming, the report and the check."""

from random import Random

import numpy as np
import pytest

import plash
from plash.cli.report import check_lines
from plash.errors import StoppedError

from ..fuzz.kills import kill_again_and_again
from .conftest import StopAfter, checksums

TEXT = """
version = 1
[domain]
size = [0.8, 1.2]
resolution = 24
sides = { x_max = "open", y_max = "open" }
[time]
frames = 5
[solver]
kind = "smoke"
confinement = 2
cooling = 0.5
[[source]]
name = "wick"
kind = "smoke"
shape = { kind = "sphere", center = [0.4, 0.25], radius = 0.1 }
density_rate = 2
temperature = 600
fuel = 0.8
color = "teal"
[[solid]]
name = "ball"
shape = { kind = "sphere", center = [0.3, 0.6], radius = 0.1 }
motion = { velocity = [0.3, 0] }
[look]
width = 64
"""


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight") / "run"
    outcome = plash.run(plash.parse_scene(TEXT), folder)
    assert outcome.movie is not None
    return folder


def test_frames_on_disk_are_those_in_memory(straight):
    for frame in plash.simulate(plash.parse_scene(TEXT)):
        found = np.load(straight / "volumes" / f"volumes.{frame.number:04d}.npz")
        volume = frame.volume
        assert np.array_equal(found["tiles"], volume.tiles.coordinates[1:])
        for name, pool in volume.pools.items():
            assert np.array_equal(found[name], pool[1:])
        assert set(volume.pools) == {"density", "temperature", "flame", "red", "green", "blue"}
    assert volume.density.max() > 0.3
    assert 0.1 < volume.pools["flame"].max() <= 1
    assert volume.pools["temperature"].max() > 600
    assert frame.velocity([[0.4, 0.4]])[0, 1] > 0.05
    assert not hasattr(frame, "particles")


@pytest.mark.parametrize("steps", [1, 4])
def test_stop_and_resume_give_the_same_bits(straight, tmp_path, steps):
    folder = tmp_path / "run"
    with pytest.raises(StoppedError):
        plash.run(plash.parse_scene(TEXT), folder, stages=["simulate"], progress=StopAfter(steps))
    plash.resume(folder)
    assert checksums(folder, "volumes") == checksums(straight, "volumes")


@pytest.mark.slow
def test_killed_again_and_again_smoke_ends_up_the_same(straight, tmp_path):
    scene, folder = tmp_path / "scene.toml", tmp_path / "run"
    scene.write_text(TEXT)
    kill_again_and_again([str(scene), "--threads", "1"], folder, Random(1), 2, longest=0.3)
    for part in ("volumes", "render"):
        assert checksums(folder, part) == checksums(straight, part) != {}


def test_the_report_and_the_check_speak_of_smoke(straight):
    page = (straight / "report.html").read_text("utf-8")
    assert "Mass at the end" in page
    assert "kg/m" in page
    assert "<h3>Heat</h3>" in page
    report = plash.check(plash.parse_scene(TEXT))
    assert report.estimate.liquid_cells > 50
    assert report.estimate.steps >= 4
    assert report.estimate.particles == 0
    assert any("of followed air" in line for line in check_lines(report))
