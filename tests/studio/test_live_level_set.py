"""A level set that is meddled with: what is poured and drained is what the ledger counts, and φ stays a distance."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.studio.controls import values_of, with_value
from plash.studio.drawing import drawn
from plash.studio.kinds import live
from plash.studio.live import must_restart

TEXT = """version = 1
[domain]
size = [0.96, 0.64]
resolution = 48
gravity = [0, 0]
[liquid]
density = 730
[solver]
surface = "levelset"
courant = 2
[[fill]]
shape = { kind = "sphere", center = [0.25, 0.3], radius = 0.12 }
"""


def level_set(text: str = TEXT) -> Any:
    return live(plash.parse_scene(text))


def steps(simulation, count: int) -> None:
    for _ in range(count):
        simulation.advance(simulation.time + 0.02)


def test_pouring_and_draining_are_accounted_for():
    simulation = level_set()
    steps(simulation, 1)
    before = simulation.facts()["target_volume"]
    added = simulation.pour(0.65, 0.4, 0.1)
    assert added == pytest.approx(np.pi * 0.1**2, rel=0.02)
    assert simulation.pour(0.65, 0.4, 0.1) < 0.01 * added
    simulation.drain(0.25, 0.3, 0.06)
    facts = simulation.facts()
    assert facts["outflow"] == pytest.approx(np.pi * 0.06**2, rel=0.03)
    assert facts["target_volume"] == pytest.approx(before + facts["inflow"] - facts["outflow"])
    steps(simulation, 4)
    facts = simulation.facts()
    assert facts["particle_volume"] == pytest.approx(facts["target_volume"], rel=0.03)
    simulation.drain(0.0, 0.0, 1e6)
    steps(simulation, 1)
    assert simulation.facts()["volume"] == 0.0
    assert simulation.pour(0.5, 0.3, 0.1) == pytest.approx(np.pi * 0.1**2, rel=0.02)


def test_liquid_that_is_poured_falls_and_a_push_moves_it():
    simulation = level_set(TEXT.replace("[0, 0]", "[0, -4]"))
    simulation.drain(0.25, 0.3, 0.2)
    simulation.pour(0.6, 0.4, 0.1)
    x, y = simulation.facts()["center"]
    for _ in range(6):
        simulation.push(0.6, 0.4, 0.5, 0.0, 0.3)
        steps(simulation, 1)
    later = simulation.facts()["center"]
    assert later[0] > x + 0.01
    assert later[1] < y - 0.005


def test_views_are_phi_its_band_and_the_particles_that_correct_it():
    simulation = level_set()
    steps(simulation, 1)
    h = 0.02
    arrays, units = simulation.arrays("phi", arrows=True)
    phi = arrays["value"] * units["value"]
    y, x = (np.indices(phi.shape) + 0.5) * h
    distance = np.hypot(x - 0.25, y - 0.3) - 0.12
    near = np.abs(distance) < 3 * h
    assert np.abs(phi - distance)[near].max() < 0.2 * h
    band = simulation.arrays("band", arrows=False)[0]
    assert set(np.unique(band["label"])) == {0, 3, 4}
    assert np.array_equal(band["label"] == 3, phi < 0)
    assert len(band["tiles"]) > 0
    signed = simulation.arrays("signed", arrows=False)[0]
    place = signed["points"] / 65535 * (0.96, 0.64)
    away = np.hypot(place[:, 0] - 0.25, place[:, 1] - 0.3) - 0.12
    assert len(place) == simulation.facts()["particles"] > 100
    assert away.max() < 0
    radius = signed["shade"] / 255 * 0.5
    deep = -away / h
    assert np.abs(radius - np.clip(deep, 0.1, 0.5)).max() < 0.05
    for view in simulation.views:
        arrays, _ = simulation.arrays(view, arrows=True)
        assert arrays["phi"].shape == (32, 48)


def test_parameters_and_walls_change_under_way():
    simulation = level_set()
    steps(simulation, 1)
    count = simulation.facts()["particles"]
    scene = simulation.scene
    for key, value in {"solver.levelset_particles": False, "solver.levelset_volume": "shift"}.items():
        assert key in values_of(scene)
        scene = with_value(scene, key, value)
        simulation.change(scene)
        steps(simulation, 1)
    assert simulation.facts()["particles"] == 0
    simulation.change(with_value(scene, "solver.levelset_particles", True))
    assert simulation.facts()["particles"] == pytest.approx(count, rel=0.1)
    simulation.change(drawn(simulation.scene, "wall 1", (0.25, 0.3), (0.3, 0.3), 0.03))
    assert simulation._solver.ledger.removed["covered by a solid"] > 0.003
    steps(simulation, 2)
    assert must_restart(scene, with_value(scene, "solver.surface", "particles"))
    assert "solver.transfer" not in values_of(scene)


def test_the_heat_brush_does_not_reach_a_level_set_and_says_so():
    with pytest.raises(plash.PlashError, match=r'does not reach a level set: choose surface = "particles"'):
        level_set().heat(0.25, 0.3, 0.1, 350.0)
