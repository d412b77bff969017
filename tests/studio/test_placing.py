"""Boxes and discs, roughness, and the value under the pointer."""

import math
from typing import Any

import pytest

import plash
from plash.errors import PlashError
from plash.studio.placing import MOST, placed, shapes_of

from .conftest import SCENE
from .listener import Page
from .test_rewind import KINDS


def at(page: Page, x: float, y: float) -> dict[str, float]:
    page.say("probe", x=x, y=y)
    return {name: value for name, value, _ in page.last("probe")["probe"]["values"]}


def test_a_box_is_placed_moved_and_resized_and_that_is_one_change_each():
    page = Page()
    for k in range(3):
        page.say("place", begins=k == 0, shape="box", x0=0.9, y0=0.1, x1=1.0 + 0.1 * k, y1=0.3)
    page.work()
    told = page.last("scene")
    assert told["shapes"] == [{"name": "box 1", "shape": "box", "x0": 0.9, "y0": 0.1, "x1": 1.2, "y1": 0.3}]
    assert told["undo"] == 1
    page.say("place", begins=True, shape="box", name="box 1", x0=1.5, y0=0.5, x1=1.2, y1=0.7)
    page.say("place", begins=True, shape="disc", x0=0.6, y0=0.6, x1=0.8, y1=0.9)
    page.work()
    box, disc = page.last("scene")["shapes"]
    assert (box["x0"], box["x1"]) == (1.2, 1.5)
    assert disc == pytest.approx({"x0": 0.6, "y0": 0.65, "x1": 0.8, "y1": 0.85, "name": "disc 1", "shape": "disc"})
    page.say("save")
    saved = plash.parse_scene(page.last("file")["text"])
    assert [(solid.name, solid.shape.kind) for solid in saved.solid] == [("box 1", "box"), ("disc 1", "sphere")]
    page.say("remove", name="box 1")
    page.work()
    assert page.last("scene")["solids"] == ["disc 1"]
    for _ in range(4):
        page.say("undo")
    assert page.last("scene")["solids"] == []
    page.say("remove", name="box 1")
    assert "no solid called" in page.last("note")["text"]


def test_shapes_that_cannot_be_placed_are_told():
    scene = plash.parse_scene(SCENE)
    for k in range(MOST):
        scene = placed(scene, f"box {k + 1}", "box", (0.1, 0.1), (0.2, 0.2))
    with pytest.raises(PlashError, match=f"{MOST} is the most"):
        placed(scene, "box 99", "box", (0.1, 0.1), (0.2, 0.2))
    page = Page()
    page.say("draw", begins=True, x0=0.8, y0=0.1, x1=0.8, y1=0.1, radius=0.03)
    page.say("place", begins=True, shape="box", name="wall 1", x0=0.1, y0=0.1, x1=0.2, y1=0.2)
    page.work()
    assert "draw or erase" in page.last("note")["text"]
    assert shapes_of(page.session._live.scene) == []
    page.say("place", begins=True, shape="disc", x0=0.5, y0=0.5, x1=0.5, y1=0.5)
    page.work()
    (disc,) = page.last("scene")["shapes"]
    assert disc["x1"] - disc["x0"] == pytest.approx(0.004 * 1.6)


def test_all_walls_are_as_rough_as_the_slider_says():
    page = Page()
    page.say("draw", begins=True, x0=0.8, y0=0.1, x1=0.8, y1=0.3, radius=0.03)
    page.say("set", key="domain.friction", value=0.75)
    page.say("place", begins=True, shape="box", x0=1.2, y0=0.5, x1=1.4, y1=0.7)
    page.say("draw", begins=True, x0=0.2, y0=0.8, x1=0.4, y1=0.8, radius=0.03)
    page.work()
    scene = page.session._live.scene
    assert [solid.friction for solid in scene.solid] == [0.75] * 3
    assert scene.domain.friction.by_axis(2) == ((0.75, 0.75), (0.75, 0.75))
    assert page.last("scene")["values"]["domain.friction"] == 0.75
    page.say("set", key="domain.friction", value=1.5)
    page.work()
    assert "must be from 0" in page.last("note")["text"]
    assert page.last("scene")["values"]["domain.friction"] == 0.75


def test_a_rough_floor_holds_a_slide_back():
    text = SCENE.replace("max = [0.5, 0.7]", "max = [1.6, 0.2]").replace(
        "[1.6, 1.0]", "[1.6, 1.0]\ngravity = [2, -9.81]"
    )
    speeds = []
    for friction in (0.0, 1.0):
        page = Page(text)
        page.say("set", key="domain.friction", value=friction)
        for _ in range(12):
            page.say("step")
        speeds.append(abs(at(page, 0.8, 0.02)["Velocity along x"]) / page.session._live.time)
    assert speeds[1] < 0.7 * speeds[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_values_at_a_point_are_those_of_the_fluid(kind):
    page = Page(KINDS[kind])
    page.say("push", x=0.25, y=0.36, u=1.5, v=-0.5, radius=0.4)
    page.say("step")
    page.say("push", x=0.25, y=0.36, u=1.5, v=-0.5, radius=0.4)
    values = at(page, 0.25, 0.36)
    assert values["Velocity along x"] == pytest.approx(1.5, abs=0.1)
    assert values["Velocity along y"] == pytest.approx(-0.5, abs=0.1)
    assert values["Speed"] == pytest.approx(math.hypot(values["Velocity along x"], values["Velocity along y"]))
    page.say("view", name="vorticity")
    page.work()
    page.seen()
    assert "Vorticity" in at(page, 0.25, 0.36)
    assert page.last("probe")["probe"]["cell"] == [5, 7]
    assert at(page, -1.0, 0.5) == {}


def test_the_pressure_at_a_point_is_that_of_the_water_above():
    page = Page(SCENE.replace("max = [0.5, 0.7]", "max = [1.6, 0.7]"))
    page.say("step")
    values = at(page, 0.8, 0.175)
    assert values["Pressure"] == pytest.approx(998.2 * 9.81 * (0.7 - 0.175), rel=0.03)
    page.say("probe", x=0.8, y=0.69)
    assert at(page, 0.8, 0.68)["Distance to the surface"] == pytest.approx(-0.02, abs=0.03)
    page.say("play", running=True)
    page.work(2)
    assert page.header["probe"]["cell"] == [16, 13]
    page.seen()
    before = page.session._live.time
    page.say("probe", x=0.31, y=0.69)
    page.work()
    assert (page.header["probe"]["cell"], page.header["time"]) == ([6, 13], before)  # no step comes before an answer
    page.say("probe")
    page.seen()
    page.work(2)
    assert "probe" not in page.header


def test_a_turning_liquid_has_twice_its_rate_as_vorticity():
    text = """version = 1
[domain]
size = [1.2, 1.0]
resolution = 48
gravity = [0, 0]
[[fill]]
shape = { kind = "sphere", center = [0.6, 0.5], radius = 0.3 }
"""
    page = Page(text)
    simulation: Any = page.session._live
    particles = simulation._solver.state.particles
    x, y = (particles.cell + particles.offset) * simulation._solver.h
    particles.velocity[0], particles.velocity[1] = -3.0 * (y - 0.5), 3.0 * (x - 0.6)
    page.say("view", name="vorticity")
    page.say("step")
    page.work()
    assert at(page, 0.6, 0.5)["Vorticity"] == pytest.approx(6.0, rel=0.05)
