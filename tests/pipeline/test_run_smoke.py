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


IN_SPACE = """
version = 1
[domain]
size = [0.9, 0.6, 0.7]
resolution = 18
sides = { x_min = "unbounded", x_max = "unbounded", y_max = "open", z_max = "unbounded" }
gravity = [1.0, 0.5, -9.0]
[time]
frames = 5
[solver]
kind = "smoke"
confinement = 2
conserve = CONSERVE
courant = 4
wind = [0.5, 0, 0.2]
wind_rate = 3
[[source]]
name = "match"
kind = "smoke"
shape = { kind = "sphere", center = [0.2, 0.25, 0.3], radius = 0.06 }
mass_rate = 0.02
temperature = 600
motion = { velocity = [9, 0, 0] }
stop = 0.1
[[fill]]
shape = { kind = "sphere", center = [0.5, 0.25, 0.3], radius = 0.15 }
color = "red"
time = 0.06
[[solid]]
name = "ball"
shape = { kind = "sphere", center = [0.3, 0.3, 0.3], radius = 0.12 }
motion = { velocity = [3, 0, 0.5] }
"""


@pytest.mark.slow
@pytest.mark.parametrize("conserve", ["true", "false"])
def test_stop_and_resume_in_space_in_wind_with_all_that_moves(tmp_path, conserve):
    """A source that crosses the domain, one side closed, one open and others not there, in the midst of frames."""
    scene = plash.parse_scene(IN_SPACE.replace("CONSERVE", conserve))
    plash.run(scene, tmp_path / "straight", stages=["simulate"])
    for steps in (2, 5):
        folder = tmp_path / f"stopped after {steps}"
        with pytest.raises(StoppedError):
            plash.run(scene, folder, stages=["simulate"], progress=StopAfter(steps))
        plash.resume(folder)
        assert checksums(folder, "volumes") == checksums(tmp_path / "straight", "volumes") != {}


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
