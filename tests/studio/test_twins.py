"""Two methods side by side: one clock, one hand, two results."""

import numpy as np
import pytest

from plash.studio.kinds import live
from plash.studio.twins import Twins

from .conftest import SCENE
from .listener import Page


def beside(page: Page) -> dict:
    page.work()
    page.seen()
    return page.header["other"]


@pytest.mark.parametrize(
    "others",
    [{"solver.transfer": "pic"}, {"solver.courant": 0.5}, {"solver.surface": "levelset"}, {"domain.resolution": 20}],
    ids=lambda others: next(iter(others)),
)
def test_both_have_the_same_time_and_their_own_parameters(others):
    page = Page()
    page.say("compare", settings=others)
    told = page.last("scene")
    ((key, value),) = others.items()
    assert told["compare"] == others
    assert told["beside"]["values"][key] == value != told["values"][key]
    for _ in range(3):
        page.say("step")
        other = beside(page)
        assert other["time"] == pytest.approx(page.header["time"], rel=1e-9)
    header, arrays = page.frames[-1]
    assert {"phi", "other_phi"} <= set(arrays)
    assert arrays["other_phi"].shape == tuple(reversed(told["beside"]["cells"]))
    assert header["steps"] == 3
    page.say("compare", settings={})
    page.work()
    assert page.last("scene")["beside"] is None
    assert "other" not in page.header


def test_the_first_is_as_if_it_were_alone():
    page = Page()
    page.say("compare", settings={"solver.transfer": "pic"})
    alone = live(page.session._live.scene)
    for _ in range(4):
        page.say("step")
        alone.advance(page.session._frame_time)
    assert isinstance(page.session._live, Twins)
    assert alone.facts()["kinetic"] == page.session._live.facts()["kinetic"]


def test_what_the_hand_does_is_done_to_both():
    page = Page()
    page.say("compare", settings={"solver.transfer": "flip"})
    page.say("step")
    page.say("pour", x=1.2, y=0.6, radius=0.15)
    page.say("drain", x=0.1, y=0.1, radius=0.1)
    page.say("draw", begins=True, x0=0.9, y0=0.0, x1=0.9, y1=0.3, radius=0.03)
    other = beside(page)
    first, second = page.header["target_volume"], other["target_volume"]
    assert first == pytest.approx(second, rel=0.02)
    _, arrays = page.frames[-1]
    assert np.array_equal(arrays["solid"], arrays["other_solid"])
    assert arrays["solid"].min() < 0
    page.say("push", x=0.3, y=0.3, u=2.0, v=0.0, radius=0.2)
    page.say("probe", x=0.3, y=0.3)
    told = page.last("probe")
    speeds = [{name: value for name, value, _ in part["values"]}["Speed"] for part in (told["probe"], told["other"])]
    assert min(speeds) > 0.5


def test_pic_loses_energy_that_apic_keeps():
    page = Page(SCENE.replace("[1.6, 1.0]", "[1.6, 1.0]\ngravity = [0, 0]"))
    page.say("compare", settings={"solver.transfer": "pic"})
    for _ in range(6):
        page.say("push", x=0.3, y=0.5, u=1.0, v=0.0, radius=0.15)
        page.say("push", x=0.3, y=0.2, u=-1.0, v=0.0, radius=0.15)
    start = beside(page)["kinetic"]
    for _ in range(12):
        page.say("step")
    other = beside(page)
    assert start > 0
    assert other["kinetic"] < 0.9 * page.header["kinetic"]


def test_a_comparison_that_cannot_be_is_told_and_another_scene_ends_one():
    page = Page()
    page.say("compare", settings={"solver.courant": 1e9})
    assert page.last("note")["level"] == "error"
    assert page.last("scene")["beside"] is None
    page.say("compare", settings={"solver.transfer": "pic"})
    page.say("set", key="solver.courant", value=1.0)
    page.work()
    assert page.last("scene")["beside"]["values"]["solver.courant"] == 1.0
    page.say("step")
    page.say("step")
    page.say("back")
    assert beside(page)["time"] == pytest.approx(page.header["time"])
    page.say("start", preset="drop")
    assert page.last("scene")["beside"] is None
    page.say("undo")
    page.work()
    assert page.last("scene")["title"] == "Small tank"
