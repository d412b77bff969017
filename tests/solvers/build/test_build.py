"""A solver is built without its fluid; the fluid is made apart."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.carried import CARRIED
from plash.solvers.build import build_solver, initial_state
from plash.solvers.build.box import build_box
from plash.solvers.build.liquid import build_liquid

SCENES = ["dam_break_2d", "kuo_pour"]


def scene(name: str) -> plash.Scene:
    return plash.load_scene(name, resolution=16, frames=3)


@pytest.mark.parametrize("name", SCENES)
def test_building_and_filling_is_what_build_does(name):
    whole, parts = plash.build(scene(name)), build_solver(scene(name))
    assert parts.ledger.initial == 0
    parts.begin(initial_state(scene(name)))
    assert parts.ledger == whole.ledger
    assert parts.ledger.initial > 0
    (one, numbers), (two, others) = whole.stored(), parts.stored()
    assert numbers == others
    assert one.keys() == two.keys()
    assert all(np.array_equal(one[array], two[array]) for array in one)


def test_a_solver_without_liquid_needs_no_particles(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("nothing is seeded")

    monkeypatch.setattr("plash.solvers.build.liquid.seed", refuse)
    solver: Any = build_solver(scene("dam_break_2d"))
    assert solver.state.particles.count == 0
    assert all(getattr(solver.state.particles, name).shape[-1] == 0 for name in CARRIED)


def test_stages_show_the_velocity_that_they_left():
    solver = build_box(scene("kuo_pour"))
    shown = {stage.name: stage.velocity.copy() for stage in solver.stages(0.01)}
    assert list(shown) == ["force", "advect", "diffuse", "project", "scalars"]
    assert np.array_equal(shown["project"], solver.state.faces)
    assert not np.array_equal(shown["advect"], shown["project"])


def test_labelling_moves_nothing():
    solver = build_liquid(scene("dam_break_2d"))
    before = solver.state.particles.position(1.0)
    *_, cells, volume = solver.label()
    assert solver.state.cells is cells
    assert volume * solver.h**2 == pytest.approx(solver.ledger.volume)
    after = solver.state.particles.position(1.0)
    assert np.array_equal(np.sort(before, axis=0), np.sort(after, axis=0))
    assert (solver.state.steps, solver.state.time) == (0, 0.0)
