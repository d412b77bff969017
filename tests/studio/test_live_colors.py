"""Colours in the studio: poured, carried, shown and saved."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.scene.language.write import scene_text
from plash.studio.drawing import with_poured
from plash.studio.kinds import live

TEXT = """version = 1
[domain]
size = [0.9, 0.6]
resolution = 24
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.3, 0.4] }
[look]
color = "#204060"
"""


def test_the_first_colour_that_is_poured_makes_all_liquid_carry_one():
    simulation: Any = live(plash.parse_scene(TEXT))
    simulation.advance(0.01)
    assert "color" not in simulation.views
    plain, _ = simulation.arrays("surface", arrows=False)
    assert "color" not in plain
    added = simulation.pour(0.6, 0.3, 0.1, "#ff8000")
    assert added > 0
    assert "color" in simulation.views
    simulation.advance(0.02)
    tones = simulation.arrays("color", arrows=False)[0]["tone"]
    assert len(tones) == simulation.facts()["particles"]
    assert {tuple(tone) for tone in tones.tolist()} == {(0x20, 0x40, 0x60), (0xFF, 0x80, 0)}
    seen = simulation.arrays("surface", arrows=False)[0]["color"]
    assert seen.shape == (16, 24, 3)
    assert seen[2, 2].tolist() == [0x20, 0x40, 0x60]
    assert seen[7, 16].tolist() == [0xFF, 0x80, 0]
    ledger = simulation._solver.ledger.colors
    assert ledger["red inflow"] == pytest.approx(added)


def test_colours_stay_when_the_scene_changes():
    scene = plash.parse_scene(TEXT)
    simulation: Any = live(scene)
    simulation.pour(0.6, 0.3, 0.1, "#ff8000")
    before = np.unique(simulation._solver.state.particles.color, axis=1)
    simulation.change(scene.model_copy(update={"domain": {"gravity": (1.0, -4.0)}}))
    simulation.advance(0.01)
    assert np.array_equal(np.unique(simulation._solver.state.particles.color, axis=1), before)
    assert simulation.pour(0.6, 0.55, 0.04) > 0
    assert np.array_equal(np.unique(simulation._solver.state.particles.color, axis=1), before)


def test_a_saved_scene_has_the_colours_that_were_poured():
    scene = plash.parse_scene(TEXT)
    drop = plash.Blob(shape=plash.Sphere(center=(0.6, 0.3), radius=0.1), time=0.1, color="#ff8000")
    saved = plash.parse_scene(scene_text(with_poured(scene, [drop])))
    assert saved.has_colors
    assert saved.source[0].color == "#ff8000"
    assert saved.liquid.color == saved.liquid_color == "#204060"
