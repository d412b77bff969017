"""Stages of a user: called in every step of every solver, between ours, and what they change is what follows."""

import numpy as np
import pytest

import plash

SCENES = {
    "liquid": {"kind": "liquid"},
    "levelset": {"kind": "liquid", "surface": "levelset"},
    "stable_fluids": {"kind": "stable_fluids"},
    "smoke": {"kind": "smoke"},
}


def scene(kind, **more):
    return plash.Scene(
        domain={"size": (0.7, 0.5), "resolution": 14},
        solver=SCENES[kind],
        fill=[plash.Fill(shape=plash.Box(min=(0, 0), max=(0.3, 0.25)))],
        **more,
    )


@pytest.mark.parametrize("kind", SCENES)
def test_it_is_called_after_each_stage_that_it_names(kind):
    solver = plash.build(scene(kind))
    names = scene(kind).solver.step_stages
    calls = []
    for name in names:
        plash.add_stage(solver, name, lambda solver, dt, name=name: calls.append((name, dt)))
    report = solver.advance(0.01)
    assert [name for name, _ in calls] == list(names)
    assert {dt for _, dt in calls} == {report.dt}


@pytest.mark.parametrize("kind", SCENES)
def test_the_settings_know_the_stages_of_the_step(kind):
    solver = plash.build(scene(kind))
    assert tuple(stage.name for stage in solver.stages(0.005)) == scene(kind).solver.step_stages


def test_what_it_adds_to_the_velocity_acts_as_a_force():
    """A uniform acceleration by a stage after "advect" is a force of the scene, to round-off."""
    push = 1.5

    def pushed(solver, dt):
        solver.state.velocity.pool[0] += np.float32(push * (solver.state.lag + dt / 2))

    by_stage = plash.build(scene("liquid", stage=[{"after": "advect", "function": pushed}]))
    by_force = plash.build(scene("liquid", force=[plash.ConstantForce(acceleration=(push, 0))]))
    for solver in (by_stage, by_force):
        while solver.state.time < 0.05:
            solver.advance(0.05)
    difference = by_stage.snapshot().position - by_force.snapshot().position
    assert np.abs(difference).max() < 1e-3 * by_stage.h


def test_a_scene_without_stages_gives_the_same_bits_as_one_with_an_idle_stage():
    idle = plash.build(scene("liquid", stage=[{"after": "forces", "function": lambda solver, dt: None}]))
    plain = plash.build(scene("liquid"))
    for solver in (idle, plain):
        solver.advance(0.02)
    np.testing.assert_array_equal(idle.state.particles.velocity, plain.state.particles.velocity)
