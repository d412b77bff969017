from typing import Any

import numpy as np
import pytest

import plash
from plash.mesh.mesh import Mesh
from plash.render.colors import scale_colors
from plash.render.moment import Moment, no_particles
from plash.render.preview.develop import develop
from plash.render.preview.preview import preview_of
from plash.render.preview.tint import Tint
from plash.render.tone import film, toned
from plash.scene.colors import linear, screen


def test_screen_undoes_linear():
    values = np.linspace(0, 1, 101)
    assert screen(linear(values)) == pytest.approx(values)


def test_faster_is_lighter():
    lightness = scale_colors(np.linspace(0, 1, 50)) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > 0).all()
    assert np.array_equal(scale_colors([2.0, np.nan]), scale_colors([1.0, 0.0]))


@pytest.mark.parametrize(("shows", "way"), [("temperature", 1), ("log_viscosity", -1)])
def test_other_scales_go_one_way_too(shows, way):
    lightness = scale_colors(np.linspace(0, 1, 50), shows) @ [0.2126, 0.7152, 0.0722]
    assert (way * np.diff(lightness) > 0).all()


def test_a_plain_colour_is_kept():
    for value in (0, 40, 128, 233):
        light = np.full((8, 6, 3), linear(value / 255), np.float32)
        assert (develop(light) == value).all()


def test_too_much_light_is_white_and_nothing_overflows():
    assert (develop(np.full((2, 2, 3), 50, np.float32)) == 255).all()
    assert (develop(np.full((2, 2, 3), -1, np.float32)) == 0).all()


@pytest.mark.parametrize("stops", [-2.0, 0.7, 3.0])
def test_stops_brighten_a_drawn_picture_as_they_do_a_ray_traced_one(stops):
    """Below the knee of highlights: film shows 2^stops times the light of which it showed what was drawn."""
    light = np.linspace(0, 0.9, 40)[:, None, None] * np.ones((1, 1, 3))
    seen = film(light)
    plain = seen < 0.9
    drawn = develop(np.repeat(np.repeat(seen, 2, axis=0), 2, axis=1).astype(np.float32), stops).astype(int)
    traced = toned(light, stops, "filmic").astype(int)
    assert np.abs(drawn - traced)[plain].max() <= 1
    assert np.abs(drawn - toned(light, 0.0, "filmic")).max() > 20


def test_a_draft_of_a_scene_has_its_exposure():
    fill = [{"shape": plash.Box(min=(0, 0, 0), max=(0.3, 0.2, 0.4))}]
    parts: Any = {"domain": {"size": (0.6, 0.5, 0.4), "resolution": 8}, "fill": fill}
    means = [
        preview_of(plash.Scene(**parts, look=plash.Look(set="pool", width=32, height=18, exposure=stops)))
        .picture(Moment(Mesh.empty(), no_particles(3)))
        .mean()
        for stops in (-1.0, 0.0, 0.5)
    ]
    assert means[0] + 20 < means[1] < means[2] - 5


@pytest.mark.parametrize("look", ["paint", "milk"])
def test_drawn_liquid_of_an_opaque_look_hides_what_is_behind(look):
    """Within a hundredth of the domain, whatever the material is; plain water does not."""
    fill = [{"shape": plash.Box(min=(0, 0, 0), max=(0.3, 0.2, 0.4))}]
    parts: Any = {"domain": {"size": (0.6, 0.5, 0.4), "resolution": 8}, "fill": fill}
    hidden, clear = (Tint(plash.Scene(**parts, look=plash.Look(liquid=name))).liquid.cloudy for name in (look, None))
    assert hidden < 0.005 < 0.2 < clear
