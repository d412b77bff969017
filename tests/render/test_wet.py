"""Wet solids and a wet floor in pictures of both renderers, milk that scatters, and the crust of lava."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plash.mesh.mesh import Mesh
from plash.mesh.shapes import shape_mesh
from plash.mesh.wetness import Wetness, sample_count, wet_surfaces
from plash.render.choice import renderer_of
from plash.render.mitsuba.crust import crust_glow
from plash.render.mitsuba.variant import load_mitsuba, variant
from plash.render.moment import Moment, no_particles
from plash.render.wet_look import wet_look
from plash.scene import Box, Camera, Domain, Fill, Look, Scene, Solid, Sphere

CAMERA = Camera.model_validate({"from": (2.6, 1.7, 3.4), "to": (0.9, 0.2, 0.6), "fov": 26})
SLAB = Box(min=(0.9, 0.0, 0.3), max=(1.5, 0.15, 0.9))
SIZE = (2, 1, 1.2)


@pytest.fixture(autouse=True)
def plain_variant(monkeypatch):
    monkeypatch.setenv("PLASH_MITSUBA_VARIANT", "scalar_rgb")
    variant.cache_clear()
    load_mitsuba.cache_clear()
    yield
    variant.cache_clear()
    load_mitsuba.cache_clear()


def make_scene(quality, **look):
    keys: dict[str, Any] = {"width": 48, "height": 28, "tank": "none", "shutter": 0, "edges": False}
    return Scene(
        domain=Domain(size=SIZE, resolution=16),
        fill=[Fill(shape=Box(min=(0, 0, 0), max=(0.3, 0.3, 0.3)))],
        solid=[Solid(shape=SLAB, look={"color": "#9a8468"})],
        look=Look(**{**keys, "camera": CAMERA, "quality": quality, **look}),
    )


def taken(scene, film):
    """The picture of a scene without liquid, with so much of a film everywhere."""
    surfaces = wet_surfaces(scene.obstacles, scene.domain)
    count = sample_count(surfaces)
    wetness = Wetness(np.full(count, film, np.float32), np.zeros(count, np.float32))
    return renderer_of(scene).picture(Moment(Mesh.empty(), no_particles(3), 0.0, wetness=wetness)).astype(int)


@pytest.mark.parametrize("quality", ["draft", "preview"])
@pytest.mark.parametrize("kind", ["studio", "pool"])
def test_what_is_wet_is_darker_and_a_dry_film_is_not_seen(quality, kind):
    scene = make_scene(quality, set=kind)
    bare = renderer_of(scene).picture(Moment(Mesh.empty(), no_particles(3))).astype(int)
    hardly, wet = taken(scene, 0.003), taken(scene, 1.0)
    assert np.abs(hardly - bare).mean() < 1.5
    assert np.array_equal(taken(scene, 0.0), bare)
    front, ground = np.s_[15:18, 23:27], np.s_[14:17, 12:16]
    for part in (front, ground):
        assert wet[part].mean() < bare[part].mean() - 6
    # Nothing changes beside the domain
    assert np.abs(wet[:3] - bare[:3]).mean() < 4


def test_liquid_that_hides_leaves_its_colour_and_mercury_nothing():
    milk = wet_look(make_scene("draft", liquid="milk"))
    assert milk is not None
    assert milk.color(np.array([[0.1, 0.1, 0.1]])).min() > 0.6
    assert wet_look(make_scene("draft", liquid="mercury")) is None
    assert wet_look(make_scene("draft", liquid="lava")) is None
    water = wet_look(make_scene("draft"))
    assert water is not None
    dry = np.linspace(0.05, 0.95, 10)
    assert (water.color(dry) < dry).all()
    assert (np.diff(water.color(dry) / dry) > 0).all()  # what is dark gets darker by more


def block(low, high):
    return closed(Box(min=low, max=high))


def closed(shape):
    """Liquid in a shape, whose triangles share their corners."""
    mesh = shape_mesh(shape, Domain(size=SIZE))
    vertices, which = np.unique(mesh.vertices, axis=0, return_inverse=True)
    return Moment(Mesh(vertices, which.ravel()[mesh.faces].astype(np.int32)), no_particles(3))


def test_deep_milk_has_its_colour_and_thin_milk_lets_light_through():
    looks = {"color": "#c8a070", "samples": 64}
    ball, middle = Sphere(center=(0.5, 0.3, 0.5), radius=0.3), np.s_[9:14, 12:17]
    scene = make_scene("preview", liquid="milk", **looks)
    matte = Solid(shape=ball, look={"color": "#c8a070"})
    same = Scene(domain=scene.domain, fill=scene.fill, solid=[*scene.solid, matte], look=scene.look)
    pictures = (
        renderer_of(scene).picture(closed(ball)),
        renderer_of(same).picture(block((0, 0, 0), (0.1, 0.1, 0.1))),
    )
    colors = [picture[middle].astype(float).mean(axis=(0, 1)) for picture in pictures]
    assert colors[0] == pytest.approx(colors[1], abs=15)
    # A sheet before a dark slab or nothing: where paint hides what it is, milk shows it
    sheet = block((0.85, 0.02, 0.95), (1.55, 0.3, 0.962))
    dark = Solid(shape=SLAB, look={"color": "#100808"})
    seen = {}
    for name in ("milk", "paint"):
        for solids in ((dark,), ()):
            scene = make_scene("preview", liquid=name, **looks)
            scene = Scene(domain=scene.domain, fill=scene.fill, solid=list(solids), look=scene.look)
            seen[name, len(solids)] = renderer_of(scene).picture(sheet).astype(int)
    painted = seen["paint", 0]
    hidden = (np.abs(painted - seen["paint", 1]).max(axis=2) < 10) & (painted[:, :, 0] > painted[:, :, 2] + 30)
    assert hidden.sum() > 20
    assert (seen["milk", 0] - seen["milk", 1])[hidden].mean() > 10


def places(count=4000):
    return np.random.default_rng(3).uniform(0, 2, (count, 3))


def test_hot_lava_has_no_crust_and_cold_lava_glows_in_its_cracks_only():
    at, rest = places(), np.zeros((4000, 3))
    assert crust_glow(np.ones(4000), at, rest, 0.3, 0.2, 1.0) == pytest.approx(1.0)
    cold = crust_glow(np.full(4000, 0.2), at, rest, 0.3, 0.2, 1.0)
    assert np.median(cold) < 0.05
    assert 0.08 < (cold > 0.3).mean() < 0.5
    # The colder, the darker in the mean
    means = [crust_glow(np.full(4000, heat), at, rest, 0.3, 0.2, 1.0).mean() for heat in (0.5, 0.7, 0.9, 1.0)]
    assert np.all(np.diff(means) > 0)


def test_the_crust_stands_where_lava_does_and_goes_along_with_it():
    at, rest, heat = places(), np.zeros((4000, 3)), np.full(4000, 0.4)
    still = [crust_glow(heat, at, rest, time, 0.2, 1.5) for time in (0.1, 0.9, 2.3)]
    assert still[1] == pytest.approx(still[0])
    assert still[2] == pytest.approx(still[0])
    flow, step = np.tile([[0.3, -0.1, 0.2]], (4000, 1)), 1 / 24
    before, after = (crust_glow(heat, at + k * step * flow, flow, 0.4 + k * step, 0.2, 1.5) for k in (0, 1))
    stays = crust_glow(heat, at, flow, 0.4 + step, 0.2, 1.5)
    carried, fixed = (np.abs(other - before).mean() for other in (after, stays))
    assert carried < 0.5 * fixed


def test_drafts_have_the_colour_of_a_look_by_name():
    moment = block((0.1, 0.0, 0.2), (0.8, 0.5, 0.8))
    colors = {}
    for name in ("milk", "lava"):
        picture = renderer_of(make_scene("draft", liquid=name)).picture(replace(moment))
        colors[name] = picture[9:14, 12:18].astype(float).mean(axis=(0, 1))
    assert np.ptp(colors["milk"]) < 30
    assert colors["milk"].min() > 120
    assert colors["lava"][0] > 2 * colors["lava"][2]
