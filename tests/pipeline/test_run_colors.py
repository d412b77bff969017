"""Runs of liquid of several colours: files, resuming, and pictures that show the right hues."""

import shutil
from typing import Any

import numpy as np
import pytest

import plash
from plash.render.mitsuba.variant import is_installed
from plash.render.moment import Moment
from plash.render.preview.preview import preview_of
from plash.scene.colors import light_of

TEXT = """version = 1
[domain]
size = [0.9, 0.6]
resolution = 24
gravity = [0, -3.5]
[time]
fps = 30
frames = 5
[liquid]
color = "#f4ead5"
colors = "mix"
color_diffusivity = "40 cm^2/s"
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.3, 0.4] }
color = "red"
[[source]]
kind = "blob"
time = 0.05
shape = { kind = "sphere", center = [0.65, 0.4], radius = 0.08 }
[[source]]
kind = "dye"
shape = { kind = "box", min = [0.3, 0], max = [0.5, 0.6] }
color = "blue"
rate = "4 s^-1"
"""
FILES = [("particles/particles", "npz"), ("checkpoints/checkpoint", "npz"), ("mesh/surface", "ply")]


def test_a_run_goes_on_bit_for_bit(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    plash.run(plash.parse_scene(TEXT), whole, stages=["simulate", "mesh"])
    shutil.copytree(whole, parts)
    files = [f"{folder}.000{frame}.{end}" for frame in (4, 5) for folder, end in FILES]
    for file in files:
        (parts / file).unlink()
    plash.resume(parts)
    for file in files:
        assert (parts / file).read_bytes() == (whole / file).read_bytes()
    with np.load(parts / "particles" / "particles.0005.npz") as frame:
        assert frame["color"].shape == (len(frame["volume"]), 3)
        assert frame["color"].dtype == np.float32
        assert len(np.unique(frame["color"], axis=0)) > 10


LEFT, RIGHT = "#e02020", "#2030d0"


def two_bodies(dimension, **look):
    """A red body at the left and a blue one at the right."""
    size = (1.2, 0.6, 0.5)[:dimension]
    boxes = [((0.1, 0.0, 0.1), (0.5, 0.4, 0.4), LEFT), ((0.7, 0.0, 0.1), (1.1, 0.4, 0.4), RIGHT)]
    fills: Any = [
        {"shape": {"kind": "box", "min": low[:dimension], "max": high[:dimension]}, "color": color}
        for low, high, color in boxes
    ]
    seen: Any = {"width": 160, "edges": False, **look}
    domain: Any = {"size": size, "resolution": 24}
    scene = plash.Scene(domain=domain, fill=fills, look=seen)
    frame = next(iter(plash.simulate(scene)))
    return scene, Moment(frame.snapshot.surface(scene, 0.0), frame.particles)


def hues(picture):
    """Shares of what is red that is at the left, and of what is blue at the right; and of the picture in both."""
    red, blue = picture[:, :, 0].astype(int), picture[:, :, 2].astype(int)
    is_red, is_blue = red > blue + 40, blue > red + 40
    columns = np.arange(picture.shape[1])[None] < picture.shape[1] / 2
    return [
        (is_red & columns).sum() / max(is_red.sum(), 1),
        (is_blue & ~columns).sum() / max(is_blue.sum(), 1),
        is_red.mean(),
        is_blue.mean(),
    ]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("show", ["surface", "particles", "cells"])
def test_drawn_pictures_show_each_body_in_its_colour(dimension, show):
    scene, moment = two_bodies(dimension, show=show)
    of_red, of_blue, reds, blues = hues(preview_of(scene).picture(moment))
    assert min(of_red, of_blue) > 0.97
    assert min(reds, blues) > 0.03


def test_a_flat_picture_has_the_very_colours():
    scene, moment = two_bodies(2)
    picture = preview_of(scene).picture(moment)
    height, width = picture.shape[:2]
    row = round(height * (1 - 0.2 / 0.6))
    for x, color in ((0.3, LEFT), (0.9, RIGHT)):
        wanted = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
        assert np.abs(picture[row, round(width * x / 1.2)].astype(int) - wanted).max() <= 3
    assert light_of(LEFT)[0] > light_of(RIGHT)[0]


@pytest.mark.skipif(not is_installed(), reason="no ray tracer")
@pytest.mark.parametrize("liquid", ["paint", "water", "mercury"])
def test_ray_traced_pictures_show_each_body_in_its_colour(liquid):
    from plash.render.mitsuba.raytracer import RayTracer

    scene, moment = two_bodies(3, quality="preview", liquid=liquid, samples=16)
    of_red, of_blue, reds, blues = hues(RayTracer(scene).picture(moment))
    assert min(of_red, of_blue) > 0.9
    assert min(reds, blues) > 0.02
