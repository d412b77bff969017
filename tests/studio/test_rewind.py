"""A step back: the moment before a step returns bit for bit, and memory is bounded."""

import numpy as np
import pytest

import plash
from plash.studio.kinds import live
from plash.studio.rewind import MOST, Rewind

from .conftest import SCENE
from .listener import Page

KINDS = {
    "liquid": SCENE,
    "levelset": SCENE.replace("[solver]", '[solver]\nsurface = "levelset"'),
    "stable_fluids": SCENE.replace("[solver]", '[solver]\nkind = "stable_fluids"'),
    "smoke": SCENE.replace("[solver]", '[solver]\nkind = "smoke"').replace("tolerance = 1e-3\n", ""),
}


def picture(page: Page) -> dict:
    page.work()
    page.seen()
    return page.frames[-1][1]


@pytest.mark.parametrize("kind", KINDS)
def test_steps_taken_again_after_going_back_have_the_same_bits(kind):
    page = Page(KINDS[kind])
    page.say("view", name="velocity")
    for _ in range(4):
        page.say("step")
    facts, once = page.session._live.facts(), picture(page)
    for _ in range(3):
        page.say("back")
    assert page.session._live.facts()["steps"] == 1
    for _ in range(3):
        page.say("step")
    again, twice = page.session._live.facts(), picture(page)
    for name in ("time", "steps", "kinetic", "potential", "volume", "center", "target_volume"):
        assert again[name] == facts[name], name
    for name, array in once.items():
        assert np.array_equal(array, twice[name]), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_under_way_is_taken_back_to_its_start(kind):
    page = Page(KINDS[kind])
    page.say("step")
    before = page.session._live.facts()
    page.say("stage")
    page.say("stage")
    page.say("back")
    after = page.session._live.facts()
    assert (after["steps"], after["time"], after["kinetic"]) == (1, before["time"], before["kinetic"])
    page.work()
    assert page.header["stage"] == ""
    assert page.header["back"] == 1


def test_going_back_brings_the_walls_and_the_heat_of_that_time():
    page = Page()
    page.say("step")
    page.say("draw", begins=True, x0=0.8, y0=0.1, x1=0.8, y1=0.3, radius=0.03)
    page.say("heat", x=0.2, y=0.2, radius=0.2, warmth=30.0)
    page.say("pour", x=1.2, y=0.5, radius=0.1)
    page.say("step")
    assert page.last("scene")["solids"] == ["wall 1"]
    assert "temperature" in page.last("scene")["views"]
    page.say("back")
    page.say("back")
    assert (page.last("scene")["solids"], page.session._live.facts()["steps"]) == ([], 0)
    assert "temperature" not in page.last("scene")["views"]
    page.say("save")
    assert not plash.parse_scene(page.last("file")["text"]).source
    page.say("undo")
    assert page.last("scene")["solids"] == ["wall 1"]
    page.say("back")
    assert "no earlier moment" in page.last("note")["text"]


def test_moments_of_a_run_are_kept_now_and_then_and_forgotten_with_it():
    page = Page()
    page.say("play", running=True)
    for _ in range(6):
        page.work()
        page.seen()
    assert 1 <= len(page.session._rewind) <= 6
    page.say("back")
    page.work()
    assert not page.header["running"]
    page.say("reset")
    assert len(page.session._rewind) == 0


def test_memory_is_bounded():
    rewind = Rewind(most_bytes=1000)
    for size in (400, 500, 300, 90, 2000, 10):
        rewind.keep(b"x" * size, 0.0)
        assert sum(len(moment) for moment, _ in rewind._moments) == rewind._bytes <= 1000
    assert len(rewind) == 1
    for _ in range(2 * MOST):
        rewind.keep(b"", 0.0)
    assert len(rewind) == MOST


def test_a_moment_is_about_as_large_as_the_liquid():
    simulation = live(plash.parse_scene(SCENE))
    simulation.advance(0.01)
    moment = simulation.moment()
    assert moment is not None
    assert len(moment) < 400 * simulation.facts()["particles"] + 2**20
