"""Solids that are only seen: they are no part of the simulation."""

import numpy as np
import pytest

import plash
from plash.errors import SceneError
from plash.pipeline.check.findings import findings
from plash.pipeline.fingerprint import appearance, simulation
from plash.scene import Box, Domain, Fill, Scene, Solid, Sphere, parse_scene, scene_text

BLOCK = Fill(shape=Box(min=(0, 0, 0), max=(0.5, 0.6, 0.4)))


def make_scene(*solids):
    domain = Domain(size=(1.2, 0.9, 0.4), resolution=12)
    return Scene(domain=domain, fill=[BLOCK], solid=solids, liquid={"density": 870}, time={"frames": 3})


def ball(**keys):
    return Solid(name="ball", shape=Sphere(center=(0.8, 0.15, 0.2), radius=0.14), **keys)


def test_a_prop_changes_no_bit_of_the_simulation():
    """A prop in the way of the liquid, one that moves, and none give the same frames; an obstacle gives others."""
    moving = ball(collide=False, motion={"velocity": (0.5, 0, 0)})
    plain, prop, moved, obstacle = (
        [frame.particles.position for frame in plash.simulate(make_scene(*solids))]
        for solids in ((), (ball(collide=False),), (moving,), (ball(),))
    )
    assert all(np.array_equal(a, b) for a, b in zip(plain, prop, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(plain, moved, strict=True))
    assert not np.array_equal(plain[-1], obstacle[-1])


def test_a_prop_is_no_reason_to_simulate_again_but_to_draw_again():
    without, prop = make_scene(), make_scene(ball(collide=False))
    assert simulation(without) == simulation(prop)
    assert appearance(without) != appearance(prop)
    assert simulation(make_scene(ball())) != simulation(prop)


def test_a_check_has_nothing_to_say_of_a_prop_outside_the_domain():
    far = Solid(shape=Box(min=(-2, 0, -2), max=(-1, 0.4, -1)), collide=False)
    assert not [found for found in findings(make_scene(far)) if found.where.startswith("solid")]
    there = Solid(shape=Box(min=(-2, 0, -2), max=(-1, 0.4, -1)))
    assert [found for found in findings(make_scene(there)) if found.where.startswith("solid")]


def test_a_prop_is_written_and_read_again():
    scene = make_scene(ball(collide=False))
    assert "collide = false" in scene_text(scene)
    assert parse_scene(scene_text(scene)) == scene
    assert "collide" not in scene_text(make_scene(ball()))


@pytest.mark.parametrize(("key", "value"), [("friction", 0.5), ("temperature", "80 degC")])
def test_what_acts_on_liquid_is_refused_on_a_prop(key, value):
    with pytest.raises(SceneError, match=f"{key}.*no use on a prop"):
        ball(collide=False, **{key: value})
