"""Ray-traced pictures at tiny size, with the variant that works everywhere and fixed random numbers.

The stored pictures in ../data are made by `python tests/render/mitsuba/test_raytracer.py`; look at them before you
keep them.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from plash.errors import PlashError
from plash.mesh.mesh import Mesh
from plash.mesh.shapes import shape_mesh
from plash.render.mitsuba import raytracer
from plash.render.mitsuba.raytracer import RayTracer, refuse_broken
from plash.render.mitsuba.variant import load_mitsuba, variant
from plash.render.moment import Moment, no_particles
from plash.render.preview.preview import preview_of
from plash.scene import Box, Camera, Domain, Fill, Look, Scene, Solid, Sphere
from plash.solvers.frame import FrameParticles

DATA = Path(__file__).parents[1] / "data"
NONE = Moment(Mesh.empty(), no_particles(3))
HIGH = (0.9, 0.5, 1.2)
CAMERA = Camera.model_validate({"from": (2.6, 1.3, 3.4), "to": (0.9, 0.3, 0.6), "fov": 26})
PLAIN: dict[str, Any] = {"width": 48, "height": 28, "quality": "preview", "tank": "none", "shutter": 0}
LOOKS: dict[str, dict[str, Any]] = {
    "water": {},
    "clear": {"liquid": "clear"},
    "milk": {"liquid": "milk"},
    "honey": {"liquid": "honey"},
    "oil": {"liquid": "oil"},
    "paint": {"liquid": "paint"},
    "lava": {"liquid": "lava"},
    "jelly": {"liquid": "jelly"},
    "mercury": {"liquid": "mercury"},
    "own": {"ior": 1.6, "absorption": [0.1, 4.0, 4.0], "roughness": 0.3},
    "speed": {"color_by": "speed", "top_speed": 18.0},
    "flat": {"shading": "flat", "liquid": "paint"},
    "tank": {"tank": "glass"},
    "sky": {"light": "sky"},
    "no_floor": {"floor": False, "background": "teal"},
    "plain": {"tone": "plain", "exposure": -1.0},
    "lens": {"camera": {"from": (2.6, 1.3, 3.4), "to": (0.9, 0.3, 0.6), "fov": 26, "aperture": 0.4, "focus": 2.5}},
    "blur": {"shutter": 1.0},
    "particles": {"show": "particles"},
    "cells": {"show": "cells"},
}


@pytest.fixture(autouse=True)
def plain_variant(monkeypatch):
    monkeypatch.setenv("PLASH_MITSUBA_VARIANT", "scalar_rgb")
    variant.cache_clear()
    load_mitsuba.cache_clear()


def make_scene(material="matte", size=(2, 1, 1.2), empty=False, **look):
    scale = size[0] / 2
    ball = Sphere(center=tuple(scale * x for x in (1.3, 0.3, 0.6)), radius=0.3 * scale)
    return Scene(
        domain=Domain(size=size, resolution=20),
        fill=[Fill(shape=Box(min=(0, 0, 0), max=tuple(scale * x for x in HIGH)))],
        solid=[] if empty else [Solid(shape=ball, look={"color": "orange", "material": material})],
        look=Look(**{**PLAIN, "camera": CAMERA, **look}),
    )


def liquid(scale=1.0, time=0.0):
    """A block that moves to the right, and its particles."""
    mesh = shape_mesh(Box(min=(0, 0, 0), max=tuple(scale * x for x in HIGH)), Domain(size=(2, 1, 1.2)))
    vertices, faces = welded(mesh)
    velocity = np.tile(np.array([[9.0, 0, 0]], np.float32), (len(vertices), 1))
    points = np.stack(np.meshgrid(*[np.arange(0.05, side, 0.1) for side in HIGH]), axis=-1).reshape(-1, 3)
    speed = np.tile(np.array([[9.0, 0, 0]], np.float32), (len(points), 1))
    particles = FrameParticles(
        points, {"velocity": speed, "volume": np.full(len(points), 1e-3), "age": np.zeros(len(points))}
    )
    return Moment(Mesh(vertices, faces, None, velocity), particles, time)


def welded(mesh):
    """Shared vertices, as a liquid's surface has them."""
    vertices, which = np.unique(mesh.vertices, axis=0, return_inverse=True)
    return vertices, which.ravel()[mesh.faces].astype(np.int32)


def picture(**look):
    return RayTracer(make_scene(**look)).picture(liquid())


def far_apart(picture, stored):
    """Mean difference of the whole and the largest of blocks of 4 x 4 pixels, in colour levels."""
    off = picture.astype(float) - stored
    height, width, _ = off.shape
    blocks = off.reshape(height // 4, 4, width // 4, 4, 3).mean(axis=(1, 3))
    return abs(off.mean(axis=(0, 1))).max(), abs(blocks).max()


@pytest.mark.parametrize("name", LOOKS)
def test_every_look_is_as_it_was(name):
    stored = np.asarray(Image.open(DATA / f"{name}.png")).astype(float)
    overall, somewhere = far_apart(picture(**LOOKS[name]), stored)
    assert overall < 4
    assert somewhere < 25


@pytest.mark.parametrize("material", ["plastic", "metal", "glass"])
def test_solids_look_like_what_they_are_made_of(material):
    matte, other = picture(), picture(material=material)
    ball = np.s_[8:16, 26:34]
    assert np.abs(matte[ball].astype(int) - other[ball]).max() > 20
    assert np.abs(matte[:4].astype(int) - other[:4]).mean() < 6


def test_glass_has_the_colour_that_it_is_given():
    ball = np.s_[8:16, 26:34]
    seen = {}
    for color in (None, "red", "blue"):
        look: Any = {"material": "glass"} | ({"color": color} if color else {})
        solid = Solid(shape=Sphere(center=(1.3, 0.3, 0.6), radius=0.3), look=look)
        plain = make_scene()
        scene = Scene(domain=plain.domain, fill=plain.fill, solid=[solid], look=plain.look)
        seen[color] = RayTracer(scene).picture(NONE)[ball].astype(float).mean(axis=(0, 1))
    assert np.ptp(seen[None]) < 15  # clear, unless a colour is given
    assert seen["red"][0] > seen["red"][2] + 40
    assert seen["blue"][2] > seen["blue"][0] + 40


@pytest.mark.parametrize("light", ["studio", "sky"])
def test_a_table_below_the_domain_is_seen(light):
    plain = make_scene(light=light)
    table = Solid(shape=Box(min=(-0.2, -0.8, -0.2), max=(2.2, 0.0, 1.4)), look={"color": "red"})
    scene = Scene(domain=plain.domain, fill=plain.fill, solid=[table], look=plain.look)
    for renderer in (RayTracer(scene), preview_of(scene)):
        seen = renderer.picture(NONE).astype(float)
        assert np.mean(seen[:, :, 0] > seen[:, :, 2] + 40) > 0.3


def test_the_same_frame_is_the_same_picture():
    renderer = RayTracer(make_scene())
    first = renderer.picture(liquid())
    renderer.picture(NONE)
    assert np.array_equal(first, renderer.picture(liquid()))


def test_an_empty_frame_is_the_empty_scene():
    renderer = RayTracer(make_scene())
    empty = renderer.picture(NONE)
    corner = Mesh(np.zeros((1, 3), np.float32), np.zeros((0, 3), np.int32))
    assert np.array_equal(empty, renderer.picture(Moment(corner, NONE.particles)))
    assert empty.std() > 5  # the ball and its shadow
    filled = renderer.picture(liquid())
    assert np.abs(filled.astype(int) - empty).mean() > 3


def test_no_line_is_seen_where_the_floor_ends():
    flat = Camera.model_validate({"from": (4.2, 2.2, 4.6), "to": (1.0, 0.75, 0.6), "fov": 34})
    found = RayTracer(make_scene(camera=flat, width=160, height=90)).picture(NONE)
    above = found[:16].astype(float).mean(axis=2)
    assert np.abs(np.diff(above, axis=0)).max() < 6
    assert np.abs(np.diff(above, axis=1)).max() < 6


@pytest.mark.slow
@pytest.mark.parametrize("light", ["studio", "sky", "file"])
def test_an_empty_floor_has_no_dark_specks(light, tmp_path):
    """Rays that slip through the floor see the dark below it."""
    if light == "file":
        light = str(tmp_path / "room.exr")
        load_mitsuba().Bitmap(np.full((8, 16, 3), 0.7, np.float32)).write(light)
    down = Camera.model_validate({"from": (2.6, 1.9, 3.4), "to": (0.9, 0.0, 0.6), "fov": 26})
    found = RayTracer(make_scene(empty=True, camera=down, light=light, width=320, height=180)).picture(NONE)
    found = found.astype(float).mean(axis=2)
    around = np.lib.stride_tricks.sliding_window_view(found, (5, 5))
    assert (np.median(around, axis=(2, 3)) - found[2:-2, 2:-2]).max() < 4


def test_a_named_look_is_the_same_at_every_size():
    camera = {"from": (0.065, 0.0325, 0.085), "to": (0.0225, 0.0075, 0.015), "fov": 26}
    small = RayTracer(make_scene(size=(0.05, 0.025, 0.03), camera=camera)).picture(
        Moment(liquid(0.025).mesh, NONE.particles)
    )
    overall, somewhere = far_apart(small, picture().astype(float))
    assert overall < 3
    assert somewhere < 15


def test_more_absorption_is_darker():
    means = [picture(absorption=[a, a, a]).mean() for a in (0.0, 2.0, 40.0)]
    assert means[0] > means[1] > means[2]


def test_exposure_brightens():
    assert picture(exposure=1.0).mean() > picture().mean() + 20


def test_an_open_shutter_smears_what_moves_and_nothing_else():
    sharp, blurred = picture(liquid="paint"), picture(liquid="paint", shutter=1.0)
    assert np.abs(sharp.astype(int) - blurred).max() > 25
    assert np.abs(sharp[:3].astype(int) - blurred[:3]).mean() < 6


def test_jobs_at_once_give_what_they_would_one_by_one(monkeypatch):
    renderer = RayTracer(make_scene(shutter=0.5))
    assert len(renderer._shutter_offsets(renderer._moving(liquid()), 0.0)) > 1
    at_once = renderer.picture(liquid())
    monkeypatch.setattr(raytracer, "_AT_ONCE", 1)
    assert np.array_equal(at_once, renderer.picture(liquid()))


def lit_to_the_left(z, turn=0.0, time=0.0):
    """How much brighter a ball is on its left than on its right, seen from a place in front of it or behind."""
    camera = {"from": (1.0, 0.5, z), "to": (1.0, 0.5, 0.6), "fov": 20, "turn": turn}
    plain = make_scene(camera=camera, tone="plain", floor=False, height=48)
    ball = Solid(shape=Sphere(center=(1.0, 0.5, 0.6), radius=0.3), look={"color": "gray"})
    scene = Scene(domain=plain.domain, fill=plain.fill, solid=[ball], look=plain.look)
    found = RayTracer(scene).picture(replace(NONE, time=time)).astype(float).mean(axis=2)
    y, x = np.mgrid[:48, :48] - 23.5
    on_the_ball = np.hypot(x, y) < 10
    return found[on_the_ball & (x < 0)].mean() - found[on_the_ball & (x > 0)].mean()


def test_lamps_do_not_turn_with_the_camera():
    front, behind = (lit_to_the_left(3.6, turn="90 deg/s", time=time) for time in (0.0, 2.0))
    assert front > 3
    assert behind < -3
    # A camera that stood there from the start has its lamps to the left again
    assert lit_to_the_left(-2.4) > 3


def test_a_surface_with_a_hole_is_refused_with_the_number_of_open_edges():
    mesh = liquid().mesh
    with pytest.raises(PlashError, match=r"holes: 3 open edges.*plash mesh"):
        refuse_broken(Mesh(mesh.vertices, mesh.faces[1:]))


def test_a_surface_inside_out_is_refused_with_its_volume():
    mesh = liquid().mesh
    with pytest.raises(PlashError, match=r"inside out: its volume is -0\.54"):
        refuse_broken(Mesh(mesh.vertices, np.ascontiguousarray(mesh.faces[:, ::-1])))


def test_a_light_from_a_file(tmp_path):
    mi = load_mitsuba()
    sky = np.zeros((8, 16, 3), np.float32)
    sky[:4] = [3.0, 0.3, 0.3]
    mi.Bitmap(sky).write(str(tmp_path / "red.exr"))
    red = picture(light=str(tmp_path / "red.exr"), liquid="milk").astype(float)
    assert red[:, :, 0].mean() > red[:, :, 1].mean() + 50


def test_a_single_thread_does_not_wait_for_others_with_files_of_light(tmp_path):
    program = """if True:
        import sys
        import numpy
        from plash.render.mitsuba.variant import load_mitsuba
        mitsuba = load_mitsuba()
        mitsuba.Bitmap(numpy.ones((8, 16, 3), numpy.float32)).write(sys.argv[1])
        print(mitsuba.Bitmap(sys.argv[1]).size())
    """
    alone = {**os.environ, "NUMBA_NUM_THREADS": "1", "PLASH_MITSUBA_VARIANT": "scalar_rgb"}
    command = [sys.executable, "-c", program, str(tmp_path / "sky.exr")]
    done = subprocess.run(command, env=alone, capture_output=True, text=True, timeout=120, check=True)
    assert "16, 8" in done.stdout


@pytest.mark.parametrize("look", [{"color": "red"}, {"color": "red", "liquid": "paint"}, {"color_by": "speed"}])
def test_an_open_surface_is_a_sheet_with_two_sides(look):
    """Without the faces on walls a clear liquid would have no inside: it is drawn opaque, from above and from below."""
    corners = np.array([[0.3, 0.5, 0.1], [1.2, 0.5, 0.1], [1.2, 0.5, 1.1], [0.3, 0.5, 1.1]], np.float32)
    faces = np.array([[0, 2, 1], [0, 3, 2]], np.int32)
    scene = make_scene(**look).model_copy(update={"mesh": {"walls": "open"}})
    seen = []
    for turned in (faces, np.ascontiguousarray(faces[:, ::-1])):
        moment = Moment(Mesh(corners, turned, None, np.zeros_like(corners)), no_particles(3))
        seen.append(RayTracer(scene).picture(moment).astype(int))
    assert np.abs(seen[0] - seen[1]).mean() < 3
    empty = RayTracer(scene).picture(NONE).astype(int)
    assert (np.abs(seen[0] - empty).max(axis=2) > 40).mean() > 0.05


if __name__ == "__main__":
    os.environ["PLASH_MITSUBA_VARIANT"] = "scalar_rgb"
    for name in sys.argv[1:] or LOOKS:
        Image.fromarray(picture(**LOOKS[name])).save(DATA / f"{name}.png", optimize=True)
