"""Runs of a warm liquid: temperatures in frames, surfaces and checkpoints, and the same bits after a stop."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.errors import DamagedError, MismatchError, StoppedError
from plash.files.frames import read_frame
from plash.files.ply import mesh_from_ply
from plash.pipeline.fingerprint import appearance, physics
from plash.studio.kinds import live

from .conftest import StopAfter, checksums

TEXT = """version = 1
[domain]
size = [0.6, 0.4]
resolution = 24
side_temperature = { y_min = "60 degC" }
[time]
fps = 20
frames = 5
[liquid]
density = 900
thermal_diffusivity = "1e-4 m^2/s"
thermal_expansion = 1e-3
viscosity_at = [
  { temperature = "20 degC", dynamic_viscosity = 1 },
  { temperature = "60 degC", dynamic_viscosity = 0.1 },
]
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.25, 0.3] }
[[source]]
kind = "spout"
speed = 1
temperature = "5 degC"
shape = { kind = "rectangle", center = [0.45, 0.35], normal = [0, -1], size = 0.08 }
[look]
color_by = "temperature"
"""


def scene(**settings):
    return plash.parse_scene(TEXT, **settings)


def settings(key, value) -> dict[str, Any]:
    return {key: value}


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight") / "run"
    plash.run(scene(), folder, stages=["simulate", "mesh"])
    return folder


def test_temperatures_are_in_frames_surfaces_and_ledgers(straight):
    for frame in plash.simulate(scene()):
        seen = read_frame(straight / "particles" / f"particles.{frame.number:04d}.npz", scene(), frame.number, None, "")
        assert np.array_equal(seen.as_particles().temperature, frame.particles.temperature)
        assert frame.particles.temperature.dtype == np.float32
    surface = mesh_from_ply((straight / "mesh" / "surface.0005.ply").read_bytes(), "surface")
    warm = surface.scalars["temperature"]
    assert 278.1 < warm.min() < 285 < 293.2 < warm.max() <= 333.2
    heat = frame.ledger.heat
    assert heat["walls"] > 0
    assert heat["inflow"] > 0
    assert heat["now"] == pytest.approx(sum(value for why, value in heat.items() if why != "now"), rel=1e-12)


@pytest.mark.parametrize("steps", [1, 5])
def test_stop_and_resume_give_the_same_bits(straight, tmp_path, steps):
    folder = tmp_path / "run"
    with pytest.raises(StoppedError):
        plash.run(scene(), folder, stages=["simulate", "mesh"], progress=StopAfter(steps))
    plash.resume(folder)
    assert checksums(folder) == checksums(straight)


def test_another_ramp_or_floor_is_another_run(straight):
    with pytest.raises(MismatchError, match=r"side_temperature"):
        plash.resume(straight, **settings("domain.side_temperature.y_min", 310))
    with pytest.raises(MismatchError, match=r"viscosity_at"):
        plash.resume(straight, **settings("liquid.viscosity_at[0].dynamic_viscosity", 3))


def test_a_frame_without_its_temperatures_is_damaged(straight, tmp_path):
    with np.load(straight / "particles" / "particles.0003.npz") as frame:
        arrays = {name: frame[name] for name in frame}
    path = tmp_path / "particles.0003.npz"
    np.savez(path, **{name: values for name, values in arrays.items() if name != "temperature"})
    with pytest.raises(DamagedError, match="no array 'temperature'"):
        read_frame(path, scene(), 3, None, "")
    np.savez(path, **{**arrays, "temperature": -arrays["temperature"]})
    with pytest.raises(DamagedError, match="'temperature' has"):
        read_frame(path, scene(), 3, None, "")


def test_fingerprints_know_what_is_said_and_nothing_else():
    plain = plash.load_scene("dam_break_2d")
    for word in ("temperature", "viscosity_at", "viscosity_between"):
        assert word not in str(physics(plain)) + str(appearance(plain))
    assert all("viscosity" not in fill for fill in physics(plain)["fill"])
    said = physics(scene())
    assert said["domain"]["side_temperature"] == {"y_min": 333.15}
    assert len(said["liquid"]["viscosity_at"]) == 2
    assert appearance(scene())["scale"] == (278.15, 333.15)
    assert "scale" not in appearance(scene(color_by="speed"))


def test_looks_of_smoke_that_nobody_gave_are_not_in_fingerprints():
    plain = appearance(plash.load_scene("dam_break"))["look"]
    assert not {"smoke", "smoke_color", "smoke_opacity", "fire_brightness"} & set(plain)
    given = {"look.smoke_opacity": 3.0, "look.smoke": "billboards"}
    assert appearance(plash.load_scene("dam_break", **given))["look"] == plain | {
        "smoke_opacity": 3.0,
        "smoke": "billboards",
    }


def test_pictures_are_coloured_by_temperature():
    from plash.render.preview.tint import Tint

    tint = Tint(scene())
    assert (tint.low, tint.top, tint.unit) == (278.15, 333.15, "K")


def test_the_studio_shows_temperatures_and_follows_changes():
    simulation = live(scene())
    assert "temperature" in simulation.views
    simulation.advance(0.02)
    arrays, _ = simulation.arrays("temperature", arrows=False)
    assert len(np.unique(arrays["color"].reshape(-1, 3), axis=0)) > 3  # colours of warm and cold liquid
    assert simulation.pour(0.4, 0.15, 0.05) > 0
    simulation.advance(0.04)
    simulation.drain(0.1, 0.1, 0.05)
    simulation.change(scene(**{"domain.side_temperature.y_min": 293.15, "source[0].temperature": 293.15}))
    simulation.advance(0.06)
    assert "temperature" not in simulation.views
    simulation.change(scene())
    simulation.advance(0.08)
    assert "temperature" in simulation.views


@pytest.mark.parametrize("view", ["age", "temperature"])
def test_the_studio_shows_a_scene_in_which_no_liquid_is_left(view):
    simulation: Any = live(scene())
    particles = simulation._solver.state.particles
    particles.keep(np.zeros(particles.count, np.bool_))
    arrays, _ = simulation.arrays(view, arrows=False)
    assert len(arrays["points"]) == 0 if view == "age" else "points" not in arrays
