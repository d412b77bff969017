"""Liquid that is warmed and cooled by hand, and the views that show it."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.render.colors import scale_colors
from plash.scene.colors import screen
from plash.studio.controls import values_of, warmth_of, with_value
from plash.studio.kinds import live

HONEY = """version = 1
[domain]
size = [0.24, 0.16]
resolution = 24
gravity = [0, -3.5]
friction = 1
[liquid]
material = "honey"
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.24, 0.1] }
"""
CUP = HONEY.replace("[[fill]]", '[[fill]]\ntemperature = "50 degC"')


def honey(text: str = HONEY) -> Any:
    return live(plash.parse_scene(text))


def test_the_heat_brush_brings_liquid_to_a_temperature_and_turns_heat_on():
    simulation = honey()
    simulation.advance(0.01)
    assert not {"temperature", "viscosity"} & set(simulation.views)
    simulation.heat(0.12, 0.05, 0.03, 333.15)
    assert {"temperature", "viscosity"} <= set(simulation.views)
    particles = simulation._solver.state.particles
    away = np.hypot(*(particles.position(0.01) - (0.12, 0.05)).T)
    assert set(particles.temperature[0][away < 0.0299]) == {333.15}
    assert set(particles.temperature[0][away > 0.0301]) == {293.15}
    ledger = simulation._solver.ledger.heat
    assert ledger["heaters"] == pytest.approx(40 * np.pi * 0.03**2, rel=0.05)
    simulation.advance(0.02)
    assert ledger["now"] == pytest.approx(sum(value for name, value in ledger.items() if name != "now"))
    assert not simulation.scene.has_heat  # which is what undo and settings see


def test_cold_honey_is_as_thick_as_its_material_says_and_the_solver_knows_it():
    simulation = honey()
    simulation.heat(0.12, 0.05, 0.03, 283.15)
    simulation.advance(0.01)
    scale = simulation.scale("viscosity")
    assert (10**scale.low, 10**scale.high) == pytest.approx((10.0, 40.0))
    nu = simulation._solver.state.viscosity.pool
    assert np.nanmax(nu) == pytest.approx(40 / 1420, rel=1e-3)
    color = simulation.arrays("viscosity", arrows=False)[0]["color"]
    assert color[5, 12].tolist() == scale.colors(np.array(math.log10(40))).tolist()
    assert color[5, 2].tolist() == scale.colors(np.array(1.0)).tolist()


def test_views_have_the_colours_of_pictures():
    simulation = honey(CUP)
    assert simulation.views[:3] == ("surface", "temperature", "viscosity")
    told = simulation.scale("temperature").told()
    assert (told["low"], told["high"], told["unit"]) == pytest.approx((20.0, 50.0, "°C"))
    wanted = np.rint(255 * screen(scale_colors([1.0], "temperature")[0])).astype(int)
    assert told["stops"][-1] == "#" + "".join(f"{part:02x}" for part in wanted)
    color = simulation.arrays("temperature", arrows=False)[0]["color"]
    assert color[4, 12].tolist() == wanted.tolist()


def test_stable_fluids_are_warmed_too():
    simulation: Any = live(
        plash.parse_scene(
            HONEY.replace('"honey"', '"water"').replace("[liquid]", '[solver]\nkind = "stable_fluids"\n[liquid]')
        )
    )
    simulation.heat(0.12, 0.05, 0.03, 313.15)
    simulation.advance(0.01)
    assert simulation.views[-1] == "temperature"
    assert simulation._solver.state.scalars["temperature"][5, 12] == pytest.approx(313.15, abs=0.5)
    simulation.change(with_value(simulation.scene, "liquid.thermal_expansion", 0.01))
    assert simulation._solver.state.scalars["temperature"][5, 12] == pytest.approx(313.15, abs=0.5)


def test_the_brush_reaches_as_far_as_the_scene_does():
    assert warmth_of(plash.parse_scene(HONEY)) == [-40.0, 80.0]
    assert warmth_of(plash.load_scene("lava_lamp")) == [-40.0, 80.0]
    low, high = warmth_of(plash.parse_scene(HONEY.replace('"honey"', '"lava"')))
    assert (low, high) == pytest.approx((-450.0, 100.0))
    assert "liquid.thermal_diffusivity" not in values_of(plash.parse_scene(HONEY))
    assert "liquid.thermal_diffusivity" in values_of(plash.parse_scene(HONEY), has_heat=True)
