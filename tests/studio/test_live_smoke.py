"""Smoke that is meddled with: every gram is accounted for, hot air rises, nothing is in a wall."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.studio.controls import values_of, with_value
from plash.studio.drawing import drawn, poured_part, takes_colors, with_poured
from plash.studio.extrude import extruded
from plash.studio.fields import UNKNOWN
from plash.studio.kinds import live
from plash.studio.live import must_restart

TEXT = """version = 1
[domain]
size = [0.96, 0.64]
resolution = 48
sides = { y_max = "open" }
[solver]
kind = "smoke"
[[fill]]
shape = { kind = "sphere", center = [0.25, 0.2], radius = 0.1 }
density = 0.6
"""
TORCH = TEXT.replace(
    "[[fill]]",
    '[[source]]\nkind = "smoke"\nname = "wick"\nfuel = 1\ntemperature = "400 degC"\n'
    'shape = { kind = "sphere", center = [0.6, 0.1], radius = 0.06 }\n[[fill]]',
)


def smoke(text: str = TEXT) -> Any:
    return live(plash.parse_scene(text))


def steps(simulation, count: int) -> None:
    for _ in range(count):
        simulation.advance(simulation.time + 0.02)


def density(simulation) -> np.ndarray:
    arrays, units = simulation.arrays("density", arrows=False)
    return arrays["value"] * units["value"]


def test_a_brush_of_smoke_fills_a_disc_once_and_the_ledger_counts_it():
    simulation = smoke()
    steps(simulation, 1)
    before = simulation.facts()["target_volume"]
    added = simulation.pour(0.7, 0.4, 0.08)
    assert added == pytest.approx(np.pi * 0.08**2, rel=0.03)  # 1 kg/m³
    again = simulation.pour(0.7, 0.4, 0.08)  # cells that the disc cuts get their share once more
    assert again < 0.1 * added
    assert density(simulation)[20, 35] == pytest.approx(1.0, abs=1e-3)
    simulation.drain(0.7, 0.4, 0.05)
    facts = simulation.facts()
    assert facts["inflow"] == pytest.approx(added + again)
    assert facts["outflow"] == pytest.approx(np.pi * 0.05**2, rel=0.1)
    steps(simulation, 5)
    facts = simulation.facts()
    assert facts["target_volume"] == pytest.approx(before + facts["inflow"] - facts["outflow"])
    assert facts["volume"] == pytest.approx(facts["target_volume"], rel=1e-5)


def test_heated_air_rises_and_cooled_air_sinks_in_a_scene_that_had_no_heat():
    heights = []
    for temperature in (393.15, 193.15):
        simulation = smoke()
        steps(simulation, 1)
        assert "temperature" not in simulation.views
        simulation.heat(0.25, 0.2, 0.1, temperature)
        assert "temperature" in simulation.views
        ends = sorted((293.15, temperature))
        scale = simulation.scale("temperature")
        assert [scale.low, scale.high] == pytest.approx(ends)
        color = simulation.arrays("temperature", arrows=False)[0]["color"]
        assert color[10, 12].tolist() == scale.colors(np.array(temperature)).tolist()
        assert color[30, 40].tolist() == scale.colors(np.array(293.15)).tolist()
        steps(simulation, 8)
        heights.append(simulation.facts()["center"][1])
    assert heights[0] > 0.215
    assert heights[1] < 0.19


def test_a_drawn_wall_holds_smoke_back_and_has_none_in_it():
    simulation = smoke(TEXT.replace('kind = "smoke"\n', 'kind = "smoke"\nwind = [0.6, 0]\nwind_rate = 5\n', 1))
    simulation.change(drawn(simulation.scene, "wall 1", (0.45, -0.05), (0.45, 0.7), 0.03))
    simulation.change(drawn(simulation.scene, "wall 2", (0.25, 0.2), (0.27, 0.2), 0.04))
    covered = -simulation._solver.ledger.target_volume + simulation._solver.ledger.initial
    assert covered == 0.0
    assert simulation._solver.ledger.removed["covered by solids"] > 0.5 * 0.6 * np.pi * 0.04**2
    for _ in range(3):
        simulation.push(0.35, 0.3, 2.0, 0.0, 0.2)
        steps(simulation, 3)
    found = density(simulation)
    assert found[10, 12] == 0.0
    assert found[:, 25:].max() < 1e-3
    assert found[:, :22].max() > 0.1


def test_parameters_and_the_wind_change_under_way_and_no_smoke_is_lost():
    simulation = smoke(TORCH)
    steps(simulation, 3)
    before = simulation.facts()["volume"]
    scene = simulation.scene
    for key, value in {
        "solver.wind": [0.5, 0.0],
        "solver.wind_rate": 4.0,
        "solver.confinement": 3.0,
        "solver.burn_rate": 2.0,
        "solver.advection": "semi_lagrangian",
        "domain.gravity": [0.0, 0.0],
    }.items():
        assert key in values_of(scene)
        scene = with_value(scene, key, value)
        assert not must_restart(simulation.scene, scene)
        simulation.change(scene)
    assert simulation.facts()["volume"] == pytest.approx(before)
    center = simulation.facts()["center"][0]
    steps(simulation, 12)
    assert simulation.facts()["center"][0] > center + 0.005
    assert "solver.burn_rate" not in values_of(plash.parse_scene(TEXT))
    assert "liquid.material" not in values_of(scene)


def test_stages_taken_one_by_one_are_the_same_step():
    whole, parts = smoke(TORCH), smoke(TORCH)
    for simulation in (whole, parts):
        steps(simulation, 2)
    goal = whole.time + 0.004
    whole.advance(goal)
    assert [parts.next_stage(goal) for _ in range(4)] == ["grid", "advect", "forces", "project"]
    assert np.array_equal(whole._solver.state.scalars, parts._solver.state.scalars)
    assert np.array_equal(whole._solver.state.velocity.pool, parts._solver.state.velocity.pool)


def test_every_view_has_the_size_of_the_domain_and_shows_what_it_says():
    simulation = smoke(TORCH)
    steps(simulation, 6)
    for view in simulation.views:
        arrays, units = simulation.arrays(view, arrows=True)
        assert arrays["velocity"].shape == (2, 33, 49)
        assert set(units) <= {"value", "velocity"}
        for name in ("smoke", "value", "label", "flame", "color"):
            assert name not in arrays or arrays[name].shape[:2] == (32, 48)
    flame = simulation.arrays("flame", arrows=False)[0]["flame"]
    assert flame[5, 30] > 200
    assert flame[25, 5] == 0
    arrays, units = simulation.arrays("vorticity", arrows=False)
    assert (arrays["value"] != UNKNOWN).all()
    left, right = arrays["value"][5:16, :30].astype(float), arrays["value"][5:16, 30:].astype(float)
    assert right.sum() * units["value"] < -1 < 1 < left.sum() * units["value"]  # hot air goes up in the middle


def test_the_projection_removes_the_divergence_that_is_shown():
    simulation = smoke()
    simulation.heat(0.25, 0.2, 0.1, 393.15)
    steps(simulation, 4)
    sizes = []
    for view in ("divergence_before", "divergence"):
        arrays, units = simulation.arrays(view, arrows=False)
        sizes.append(float(np.abs(arrays["value"]).max()) * units["value"])
    assert sizes[1] < 1e-2 * sizes[0]


def test_smoke_in_the_wind_is_given_depth_too():
    windy = with_value(plash.parse_scene(TORCH), "solver.wind", [0.5, 0.1])
    deep = extruded(windy, 0.3, 16, 3)
    assert tuple(deep.solver.wind) == (0.5, 0.1, 0.0)
    assert deep.source[0].shape.kind == "cylinder"
    assert deep.dimension == 3


def tint(simulation, row: int, column: int) -> list[int]:
    return simulation.arrays("smoke", arrows=False)[0]["color"][row, column].tolist()


def test_the_first_colour_that_is_poured_makes_all_smoke_carry_one():
    simulation = smoke(TEXT + '[look]\nsmoke_color = "#406080"\n')
    steps(simulation, 1)
    assert "color" not in simulation.arrays("smoke", arrows=False)[0]
    plain = density(simulation)
    assert simulation.pour(0.7, 0.4, 0.08, "#ff8000") > 0
    assert density(simulation)[10, 12] == pytest.approx(plain[10, 12], rel=1e-3)
    assert tint(simulation, 10, 12) == [0x40, 0x60, 0x80]
    assert tint(simulation, 20, 35) == [0xFF, 0x80, 0]
    assert simulation.pour(0.7, 0.2, 0.05) > 0  # without a colour: that of all smoke
    assert tint(simulation, 10, 35) == [0x40, 0x60, 0x80]
    steps(simulation, 3)
    assert tint(simulation, 20, 35) == pytest.approx([0xFF, 0x80, 0], abs=2)


def test_going_back_before_the_first_colour_gives_smoke_without_colours():
    simulation = smoke()
    steps(simulation, 1)
    moment, seen = simulation.moment(), density(simulation)
    simulation.pour(0.7, 0.4, 0.08, "#ff8000")
    steps(simulation, 1)
    simulation.go_back(moment)
    assert "color" not in simulation.arrays("smoke", arrows=False)[0]
    assert np.array_equal(density(simulation), seen)


def test_a_saved_scene_has_the_smoke_and_the_colours_that_were_poured():
    scene = plash.parse_scene(TEXT + '[look]\nsmoke_color = "#406080"\nbackground = "white"\n')
    disc = plash.Sphere(center=(0.7, 0.4), radius=0.08)
    assert takes_colors(scene)
    saved = with_poured(scene, [poured_part(scene, disc, 0.2, "#ff8000"), poured_part(scene, disc, 0.3, None)])
    assert [fill.color for fill in saved.fill] == [None, "#ff8000", None]
    assert saved.smoke_colors == ["#406080", "#ff8000"]
    assert saved.look.background == "white"
