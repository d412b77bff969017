"""Stable fluids that are meddled with."""

import numpy as np
import pytest

import plash
from plash.studio.controls import values_of, with_value
from plash.studio.drawing import drawn
from plash.studio.extrude import extruded
from plash.studio.kinds import live
from plash.studio.live_fluids import LiveStableFluids

pytest.importorskip("plash.solvers.stable_fluids")

TEXT = """version = 1
[domain]
size = [0.9, 0.6]
resolution = 36
gravity = [0, -3.5]
[solver]
kind = "stable_fluids"
courant = 3
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.3, 0.4] }
"""


def solver_of(simulation):
    assert isinstance(simulation, LiveStableFluids)
    return simulation._solver


def steps(simulation, count: int) -> None:
    for _ in range(count):
        simulation.advance(simulation.time + 0.02)


def test_pouring_and_draining_are_accounted_for():
    simulation = live(plash.parse_scene(TEXT))
    before = simulation.facts()["target_volume"]
    simulation.pour(0.6, 0.3, 0.1)
    simulation.drain(0.1, 0.1, 0.08)
    facts = simulation.facts()
    assert facts["inflow"] > 0.01
    assert facts["outflow"] == pytest.approx(np.pi * 0.08**2, rel=0.1)
    assert facts["target_volume"] == pytest.approx(before + facts["inflow"] - facts["outflow"])
    assert facts["particle_volume"] == pytest.approx(facts["target_volume"], rel=1e-6)


def test_a_push_moves_the_fluid_along():
    simulation = live(plash.parse_scene(TEXT.replace("-3.5", "0")))
    before = simulation.facts()["center"][0]
    simulation.push(0.15, 0.2, 1.0, 0.0, 0.15)
    steps(simulation, 5)
    assert simulation.facts()["center"][0] > before + 1e-3


def test_stages_taken_one_by_one_are_the_same_step():
    whole, parts = live(plash.parse_scene(TEXT)), live(plash.parse_scene(TEXT))
    for simulation in (whole, parts):
        steps(simulation, 2)
    goal = whole.time + 0.005
    whole.advance(goal)
    assert [parts.next_stage(goal) for _ in range(5)] == ["force", "advect", "diffuse", "project", "scalars"]
    assert np.array_equal(solver_of(whole).state.faces, solver_of(parts).state.faces)
    assert np.array_equal(solver_of(whole).state.density, solver_of(parts).state.density)


def test_the_projection_removes_the_divergence_that_is_shown():
    simulation = live(plash.parse_scene(TEXT))
    steps(simulation, 3)
    sizes = []
    for view in ("divergence_before", "divergence"):
        arrays, units = simulation.arrays(view, arrows=True)
        sizes.append(float(np.abs(arrays["value"]).max()) * units["value"])
        assert arrays["velocity"].shape == (2, 25, 37)
    assert sizes[1] < 1e-3 * sizes[0]


def test_a_drawn_wall_has_no_fluid_in_it():
    simulation = live(plash.parse_scene(TEXT))
    steps(simulation, 2)
    simulation.change(drawn(simulation.scene, "wall 1", (0.15, 0.05), (0.15, 0.5), 0.04))
    steps(simulation, 3)
    density = solver_of(simulation).state.density
    assert density[8, 5] == 0.0
    assert density[4, 2] > 0.1


HEATED = TEXT.replace("[[fill]]", '[liquid]\nthermal_expansion = 0.05\n[[fill]]\ntemperature = "60 degC"')


def test_a_warm_fluid_shows_its_temperature():
    simulation = live(plash.parse_scene(HEATED))
    assert simulation.views[-1] == "temperature"
    assert "temperature" not in live(plash.parse_scene(TEXT)).views
    steps(simulation, 2)
    arrays, _ = simulation.arrays("temperature", arrows=False)
    scale = simulation.scale("temperature")
    assert (scale.low, scale.high) == (293.15, 333.15)
    assert arrays["color"][2, 2].tolist() == scale.colors(np.array(333.15)).tolist()
    assert arrays["color"][-1, -1].tolist() == scale.colors(np.array(293.15)).tolist()


def test_a_slider_of_heat_changes_the_fluid_under_way():
    simulation = live(plash.parse_scene(HEATED))
    steps(simulation, 2)
    before = solver_of(simulation).state.scalars["temperature"]
    changed = with_value(simulation.scene, "liquid.thermal_expansion", 0.01)
    simulation.change(with_value(changed, "liquid.material", "honey"))
    assert solver_of(simulation).heat.buoyancy.expansion == 0.01
    assert solver_of(simulation).state.scalars["temperature"] is before
    assert "liquid.thermal_expansion" in values_of(simulation.scene)
    assert "liquid.thermal_expansion" not in values_of(plash.parse_scene(TEXT))


def test_heat_is_given_depth_too():
    heater = (
        '[[source]]\nkind = "heat"\nshape = { kind = "sphere", center = [0.5, 0.2], radius = 0.1 }\ntemperature = 350\n'
    )
    deep = extruded(plash.parse_scene(HEATED + heater), 0.3, 16, 3)
    assert deep.source[0].shape.kind == "cylinder"
    assert deep.source[0].temperature == 350.0
    assert deep.fill[0].temperature == 333.15


def test_fluid_is_heated_though_a_wall_covers_all_of_it():
    simulation = live(plash.parse_scene(TEXT))
    steps(simulation, 1)
    simulation.change(drawn(simulation.scene, "wall 1", (0.0, 0.2), (0.4, 0.2), 0.5))
    simulation.heat(0.8, 0.1, 0.1, 350.0)
    assert simulation.values_at(0.8, 0.1)["temperature"] == pytest.approx(350.0)
    assert simulation.values_at(0.8, 0.5)["temperature"] == pytest.approx(293.15)
    steps(simulation, 2)
