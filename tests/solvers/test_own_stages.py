"""Stages of a user: called in every step of every solver, between ours, and what they change is what follows."""

from typing import Any

import numpy as np
import pytest

import plash

SCENES: dict[str, Any] = {
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


def test_a_stage_that_there_is_not_is_named_with_those_there_are():
    solver = plash.build(scene("liquid"))
    plash.add_stage(solver, "proiect", lambda solver, dt: None)
    with pytest.raises(plash.SceneError, match=r"'proiect' is no stage .* grid, advect, .* Did you mean \"project\""):
        solver.advance(0.01)


def test_what_it_adds_to_the_velocity_acts_as_a_force():
    """A blob without weight that is pushed in every step has the velocity a t, but for the push of one step.

    That of its inside: particles on their own, such as some at its surface, read no velocity of the grid.
    """
    push, time, longest = 1.5, 0.2, 0.01

    def pushed(solver, dt):
        solver.state.velocity.pool[0] += np.float32(push * dt)

    blob = plash.Scene(
        domain={"size": (0.7, 0.5), "resolution": 21, "gravity": (0, 0)},
        solver={"max_dt": longest},
        fill=[plash.Fill(shape=plash.Sphere(center=(0.25, 0.25), radius="12 cm"))],
        stage=[plash.OwnStage(after="advect", function=pushed)],
    )
    solver = plash.build(blob)
    while solver.state.time < time:
        solver.advance(time)
    particles = solver.snapshot().as_particles()
    middle = particles.position.mean(axis=0)
    inside = particles.velocity[np.linalg.norm(particles.position - middle, axis=1) < 0.05]
    np.testing.assert_allclose(np.median(inside, axis=0), [push * time, 0.0], atol=1.01 * push * longest)


def test_a_scene_without_stages_gives_the_same_bits_as_one_with_an_idle_stage():
    idle: Any = plash.build(scene("liquid", stage=[{"after": "forces", "function": lambda solver, dt: None}]))
    plain: Any = plash.build(scene("liquid"))
    for solver in (idle, plain):
        solver.advance(0.02)
    np.testing.assert_array_equal(idle.state.particles.velocity, plain.state.particles.velocity)
