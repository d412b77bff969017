"""Sets, tanks, textures and guides, at tiny size, in both renderers where both have them."""

from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.render.mitsuba.test_raytracer import NONE, liquid, make_scene

from plash.mesh.mesh import Mesh
from plash.render.mitsuba.raytracer import RayTracer
from plash.render.mitsuba.variant import load_mitsuba, variant
from plash.render.moment import Moment, no_particles
from plash.render.preview.preview import preview_of
from plash.scene import Box, Camera, Domain, Fill, Look, Scene, Solid
from plash.scene.colors import light_of
from plash.scene.sets import SETS

DOWN = Camera.model_validate({"from": (2.6, 1.9, 3.4), "to": (0.9, 0.0, 0.6), "fov": 26})


@pytest.fixture(autouse=True)
def plain_variant(monkeypatch):
    monkeypatch.setenv("PLASH_MITSUBA_VARIANT", "scalar_rgb")
    variant.cache_clear()
    load_mitsuba.cache_clear()


@pytest.mark.parametrize("name", SETS)
def test_drafts_and_ray_traced_pictures_of_a_set_have_the_same_floor(name):
    """Seen from above, away from shadows; in a studio drafts show the background as it is given, which is lighter."""
    look: dict[str, Any] = {"set": name, "camera": DOWN, "width": 96, "height": 54, "empty": True, "edges": False}
    traced, drawn = (
        renderer(make_scene(**look)).picture(NONE)[30:].astype(float) for renderer in (RayTracer, preview_of)
    )
    assert np.abs(traced.mean(axis=(0, 1)) - drawn.mean(axis=(0, 1))).max() < (70 if name == "studio" else 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pool", "outdoors", "dark"])
def test_an_empty_floor_with_a_pattern_has_no_dark_specks(name):
    """One pixel much darker than all of those round it. Joints of tiles are lines; where two meet they are darker."""
    scene = make_scene(empty=True, camera=DOWN, width=240, height=136, set=name)
    found = RayTracer(scene).picture(NONE).astype(float).mean(axis=2)
    around = np.lib.stride_tricks.sliding_window_view(found, (3, 3)).reshape(*(side - 2 for side in found.shape), 9)
    others = np.delete(around, 4, axis=2).min(axis=2)
    assert (others - found[1:-1, 1:-1]).max() < 40


def test_what_is_seen_through_water_guides_the_denoiser():
    """A red slab on the floor, under a pool: the guide is red there, and as it is beside the pool."""
    slab = Solid(shape=Box(min=(0.0, 0.0, 0.0), max=(1.8, 0.05, 1.2)), look={"color": "red"})
    camera = Camera.model_validate({"from": (2.1, 1.9, 3.4), "to": (0.45, 0.05, 0.6), "fov": 26})
    plain = make_scene(camera=camera)
    scene = Scene(domain=plain.domain, fill=plain.fill, solid=[slab], look=plain.look)
    tracer = RayTracer(scene)
    guides = []
    for moment in (liquid(), NONE):
        content = tracer._content(tracer._moving(moment), 0.0, 0.0)
        guides.append(tracer._guides(content, 0.0))
    (through, _), (bare, _) = guides
    pool = np.s_[13:16, 22:26]
    red = light_of("red")
    assert bare[pool].mean(axis=(0, 1)) == pytest.approx(red, abs=0.02)
    # Radiance that leaves water is less by the square of the index; a little more is lost to what the water mirrors
    assert through[pool].mean(axis=(0, 1)) == pytest.approx(red / 1.333**2, abs=0.05)


def test_closed_sides_have_panes_unless_told_otherwise():
    default, glass, none = (
        RayTracer(make_scene(empty=True, **keys)).picture(NONE).astype(int)
        for keys in ({"tank": None}, {"tank": "glass"}, {"tank": "none"})
    )
    assert np.array_equal(default, glass)
    assert np.abs(default - none).max() > 10  # the frames


def test_a_pane_has_its_colour():
    red = RayTracer(make_scene(empty=True, tank="glass", tank_color="#ff8080")).picture(NONE).astype(float)
    clear = RayTracer(make_scene(empty=True, tank="glass")).picture(NONE).astype(float)
    seen = np.s_[10:16, 18:30]
    assert red[seen][..., 2].mean() < clear[seen][..., 2].mean() - 20
    assert red[seen][..., 0].mean() > red[seen][..., 2].mean() + 20


def test_no_frame_of_liquid_is_seen_round_a_solid_at_a_side():
    """A block against the side that is looked at, in liquid: its face is of one colour, from rim to rim."""
    camera = Camera.model_validate({"from": (1.0, 0.4, 4.0), "to": (1.0, 0.25, 1.2), "fov": 14})
    block = Solid(shape=Box(min=(0.6, 0.0, 0.7), max=(1.4, 0.5, 1.2)), look={"color": "white"})
    domain = Domain(size=(2, 1, 1.2), resolution=20)
    look = Look(width=96, height=54, quality="preview", camera=camera, tank="none", samples=32, shutter=0)
    low, high = np.array([0.0, 0, 0]), np.array([2.0, 0.5, 1.2])
    pool = _box_with_hole(low, high, np.array([0.6, 0.0, 0.7]), np.array([1.4, 0.5, 1.2]))
    scene = Scene(domain=domain, fill=[Fill(shape=Box(min=(0, 0, 0), max=(2, 0.5, 1.2)))], solid=[block], look=look)
    seen = RayTracer(scene).picture(Moment(pool, no_particles(3))).astype(float).mean(axis=2)
    bare = RayTracer(scene).picture(NONE).astype(float).mean(axis=2)
    face = np.s_[20:44, 24:72]
    assert np.abs(seen[face] - bare[face]).mean() < 12
    assert np.ptp(seen[32, 26:70]) < 40


def _box_with_hole(low, high, inner_low, inner_high):
    """Liquid round a block that stands on the floor at the far z side and is as high as it: a closed U of triangles."""
    x = [low[0], inner_low[0], inner_high[0], high[0]]
    z = [low[2], inner_low[2], high[2]]
    outline = [(x[0], z[0]), (x[3], z[0]), (x[3], z[2]), (x[2], z[2])]
    outline += [(x[2], z[1]), (x[1], z[1]), (x[1], z[2]), (x[0], z[2])]
    points = [(a, low[1], b) for a, b in outline] + [(a, high[1], b) for a, b in outline]
    n = len(outline)
    sides = [t for k in range(n) for t in ((k, n + k, (k + 1) % n), ((k + 1) % n, n + k, n + (k + 1) % n))]
    caps = [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)]
    top = [(n + a, n + c, n + b) for a, b, c in caps]
    mesh = Mesh(np.array(points, np.float32), np.array([*sides, *caps, *top], np.int32))
    return mesh if mesh.volume > 0 else Mesh(mesh.vertices, np.ascontiguousarray(mesh.faces[:, ::-1]))


@pytest.mark.parametrize("renderer", [RayTracer, preview_of])
def test_a_texture_stands_upright_on_a_side_and_moves_with_its_solid(renderer, tmp_path):
    """Red above blue on the front of a block, also after the block has moved."""
    picture = np.zeros((8, 8, 3), np.uint8)
    picture[:4], picture[4:] = (255, 0, 0), (0, 0, 255)
    Image.fromarray(picture).save(tmp_path / "flag.png")
    camera = Camera.model_validate({"from": (1.0, 0.4, 4.0), "to": (1.0, 0.4, 1.2), "fov": 24})
    # The picture is 0.8 m high: a whole number of times fits below the block's middle at 0.4 m
    look: Any = {"texture": str(tmp_path / "flag.png"), "texture_size": 0.8}
    box = Box(min=(0.6, 0.0, 0.4), max=(1.4, 0.8, 0.9))
    block = Solid(shape=box, look=look, motion={"velocity": (0, 0.2, 0)})
    domain = Domain(size=(2, 1.5, 1.2), resolution=20)
    fill = [Fill(shape=Box(min=(0, 0, 0), max=(0.1, 0.1, 0.1)))]
    scene = Scene(
        domain=domain, fill=fill, solid=[block],
        look=Look(width=64, height=64, quality="preview", camera=camera, tank="none", shutter=0, edges=False),
    )  # fmt: skip
    drawn = renderer(scene)
    for time, shift in ((0.0, 0), (1.0, 11)):
        seen = drawn.picture(Moment(NONE.mesh, NONE.particles, time)).astype(float)
        upper, lower = (seen[row - shift : row + 4 - shift, 28:36].mean(axis=(0, 1)) for row in (20, 40))
        assert upper[0] > upper[2] + 50
        assert lower[2] > lower[0] + 50


def test_the_shutter_is_open_half_the_time_but_in_drafts():
    assert Look(quality="preview").open_shutter == Look(quality="final").open_shutter == 0.5
    assert Look().open_shutter == 0
    assert Look(quality="preview", shutter=0).open_shutter == 0
