"""Runs with heat: temperatures on disk, resuming, and that nothing of it is there without."""

import numpy as np
import pytest

import plash
from plash.errors import MismatchError, StoppedError
from plash.files.frames import read_frame
from plash.pipeline.check.findings import findings, liquid_volume
from plash.pipeline.fingerprint import appearance, physics
from plash.solvers.frame import FrameGrids

from .conftest import StopAfter, checksums

BALL = {"name": "ball", "shape": {"kind": "sphere", "center": (0.06, 0.12, 0.06), "radius": 0.02}}


def scene(**settings):
    lamp = plash.load_scene("lava_lamp", resolution=18, frames=5, **settings)
    return plash.Scene(**{**{name: getattr(lamp, name) for name in type(lamp).model_fields}, "solid": [BALL]})


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight") / "run"
    plash.run(scene(), folder, stages=["simulate"])
    return folder


def test_temperatures_on_disk_are_those_in_memory(straight):
    for frame in plash.simulate(scene()):
        path = straight / "grids" / f"grids.{frame.number:04d}.npz"
        seen = read_frame(path, scene(), frame.number, None, "")
        assert isinstance(seen, FrameGrids)
        assert seen.temperature.dtype == np.float32
        assert np.array_equal(seen.temperature, frame.temperature)
        assert np.load(path)["time"] == frame.time
    assert frame.temperature.shape == frame.density.shape == (6, 18, 6)
    assert frame.temperature.max() == np.float32(353.15)
    assert frame.temperature.min() == np.float32(278.15)


@pytest.mark.parametrize("steps", [1, 3])
def test_stop_and_resume_give_the_same_bits(straight, tmp_path, steps):
    folder = tmp_path / "run"
    with pytest.raises(StoppedError):
        plash.run(scene(), folder, stages=["simulate"], progress=StopAfter(steps))
    plash.resume(folder)
    assert checksums(folder) == checksums(straight)


def test_another_expansion_is_another_run(straight):
    with pytest.raises(MismatchError, match=r"liquid\.thermal_expansion"):
        plash.resume(straight, thermal_expansion=0.01)


def test_without_heat_there_is_nothing_of_it_in_files_and_fingerprints(tmp_path):
    cold = plash.load_scene("kuo_obstacle", resolution=12, frames=2)
    plash.run(cold, tmp_path / "run", stages=["simulate"])
    with np.load(tmp_path / "run" / "grids" / "grids.0002.npz") as arrays:
        assert set(arrays) == {"density", "velocity", "pressure", "h", "frame", "time"}
    for path in (tmp_path / "run" / "checkpoints").glob("*.npz"):
        with np.load(path) as arrays:
            assert set(arrays) == {"faces", "density", "pressure", "about"}
    for name in ("kuo_pour", "river"):
        made = plash.load_scene(name)
        assert "temperature" not in str(physics(made)) + str(appearance(made))
        assert "thermal" not in str(physics(made)) + str(appearance(made))
    assert "thermal_expansion" in physics(plash.load_scene("lava_lamp"))["liquid"]


def test_a_liquid_in_air_has_no_temperature():
    frame = next(plash.simulate(plash.load_scene("dam_break_2d", resolution=16)))
    assert not hasattr(frame, "temperature")


def test_heat_counts_as_no_liquid_and_must_reach_some():
    lamp = plash.load_scene("lava_lamp", resolution=24)
    assert liquid_volume(lamp) == pytest.approx(0.09 * 0.12**2, rel=0.05)
    assert findings(lamp) == []
    block = {"name": "block", "shape": {"kind": "box", "min": (0, 0.3, 0), "max": (0.12, 0.36, 0.12)}}
    parts = {name: getattr(lamp, name) for name in type(lamp).model_fields}
    found = [(finding.where, finding.code) for finding in findings(plash.Scene(**{**parts, "solid": [block]}))]
    assert ('source[2] "cap"', "region-in-solid") in found


def test_the_estimate_counts_temperatures():
    lamp = plash.load_scene("lava_lamp", resolution=24)
    cold = lamp.model_copy(update={"source": ()})
    with_heat, without = (plash.check(made, with_steps=False).estimate for made in (lamp, cold))
    cells = 8 * 24 * 8
    assert with_heat.disk - without.disk > 120 * 4 * cells
