"""Ray-traced smoke at tiny size, with the variant that works everywhere."""

import numpy as np
import pytest

from plash.grid.dense import from_dense, tiles_over
from plash.grid.volume import Volume
from plash.mesh.mesh import Mesh
from plash.render.mitsuba.placing import Placing
from plash.render.mitsuba.raytracer import RayTracer
from plash.render.mitsuba.smoke_parts import smoke_boxes
from plash.render.mitsuba.variant import load_mitsuba, variant
from plash.render.moment import Moment, no_particles
from plash.render.smoke.optics import smoke_optics
from plash.scene import Box, Camera, Domain, Fill, Look, Scene

H = 0.05
CELLS = (40, 20, 24)
CAMERA = Camera.model_validate({"from": (1.0, 0.5, 6.0), "to": (1.0, 0.5, 0.6), "fov": 14})


@pytest.fixture(autouse=True)
def plain_variant(monkeypatch):
    monkeypatch.setenv("PLASH_MITSUBA_VARIANT", "scalar_rgb")
    variant.cache_clear()
    load_mitsuba.cache_clear()


def make_scene(**look):
    return Scene(
        domain=Domain(size=(2, 1, 1.2), resolution=40),
        fill=[Fill(shape=Box(min=(0, 0, 0), max=(0.1, 0.1, 0.1)))],
        look=Look(**{"width": 48, "height": 28, "quality": "preview", "camera": CAMERA, **look}),
    )


def volume(dense, **others):
    tiles = tiles_over((0, 0, 0), CELLS)
    pools = {"density": from_dense(dense.astype(np.float32), tiles)}
    pools |= {name: from_dense(values.astype(np.float32), tiles) for name, values in others.items()}
    return Volume(tiles, pools, H)


def slab(dense):
    """A layer of 16 cells across the view, over the borders of tiles and of boxes."""
    values = np.zeros(CELLS)
    values[2:38, 2:18, 4:20] = dense
    return values


def picture(of, **look):
    return RayTracer(make_scene(**look)).picture(Moment(Mesh.empty(), no_particles(3), 0.0, of))


def test_black_smoke_lets_through_what_the_slab_lets_through():
    """e^(-k rho L) of the light behind it: no light is lost or gained between boxes."""
    look = {"smoke_opacity": 3.0, "smoke_color": "#000000", "floor": False, "tone": "plain", "samples": 64}
    bare, smoky = (picture(of, **look)[8:20, 14:34].mean() / 255 for of in (Volume.empty(3, H), volume(slab(0.4))))
    light = [((value + 0.055) / 1.055) ** 2.4 for value in (bare, smoky)]
    assert light[1] / light[0] == pytest.approx(np.exp(-3 * 0.4 * 16 * H), rel=0.05)


def test_no_smoke_changes_no_bit():
    renderer = RayTracer(make_scene())
    none = [Volume.empty(3, H), volume(np.zeros(CELLS))]
    pictures = [renderer.picture(Moment(Mesh.empty(), no_particles(3), 0.0, of)) for of in none]
    pictures.append(renderer.picture(Moment(Mesh.empty(), no_particles(3))))
    assert np.array_equal(pictures[0], pictures[1])
    assert np.array_equal(pictures[0], pictures[2])


def test_the_same_smoke_is_the_same_picture():
    """And smoke that lets nothing through is white, not black."""
    of = volume(slab(1.0))
    look = {"smoke_opacity": 30.0, "smoke_color": "white"}
    seen = picture(of, **look)
    assert np.array_equal(seen, picture(of, **look))
    assert seen[8:20, 14:34].min() > 90


@pytest.mark.slow
@pytest.mark.parametrize("camera", [CAMERA, CAMERA.with_values(turn=np.pi)])
def test_a_frame_does_not_depend_on_those_before_it(camera):
    """What guides the denoiser is kept while nothing but smoke moves, and made again when the camera does."""
    moments = [Moment(Mesh.empty(), no_particles(3), t, volume(slab(dense))) for t, dense in ((0.0, 0.3), (0.25, 1.0))]
    one = RayTracer(make_scene(camera=camera))
    for moment in moments:
        assert np.array_equal(one.picture(moment), RayTracer(make_scene(camera=camera)).picture(moment))


def test_flames_are_seen_and_light_the_floor():
    flame = np.zeros(CELLS)
    flame[17:23, 2:8, 9:15] = 1.0
    of = volume(0 * flame, flame=flame, temperature=293 + 1400 * flame)
    dark, bright = (picture(of, fire_brightness=b, background="#707070").astype(int) for b in (0.0, 2.0))
    gained = (bright - dark)[:, :, 0] - (bright - dark)[:, :, 2]
    assert gained.max() > 100
    assert gained[24:, 18:30].mean() > 3
    # Soot of the flame hides what is behind it: e^(-10 × 0.3 m / 1.34 m) of the light is left
    bare = picture(Volume.empty(3, H), background="#707070").astype(int)
    assert dark[21, 24].sum() < 0.6 * bare[21, 24].sum()


def test_boxes_hold_all_cells_once_and_are_cut_down_to_the_smoke():
    values = np.zeros(CELLS)
    values[3:12, 5:9, 2:4] = 1.0
    values[36:39, 11:19, 20:23] = 2.0
    scene = make_scene(smoke_opacity=7.0)
    boxes = smoke_boxes(load_mitsuba(), Placing.of(scene.domain), volume(values), smoke_optics(scene))
    assert len(boxes) == 2
    for box in boxes.values():
        grid = np.array(box["interior"]["sigma_t"]["grid"])
        assert grid.max() == 1
        assert grid.size < 0.1 * values.size


def test_warm_smoke_has_its_own_colours():
    warmth = np.where(np.arange(CELLS[0])[:, None, None] < 20, 280.0, 373.0) * np.ones(CELLS)
    of = volume(slab(4.0), temperature=warmth)
    seen = picture(of, color_by="temperature", smoke_opacity=30.0).astype(int)
    cold, hot = seen[10:16, 14:20].mean(axis=(0, 1)), seen[10:16, 28:34].mean(axis=(0, 1))
    assert cold[2] > 1.1 * cold[0]
    assert cold.max() < 40
    assert hot[0] > 2 * hot[2] > 2


def test_smoke_has_the_colours_that_it_carries():
    left = np.ones(CELLS) * (np.arange(CELLS[0]) < 20).reshape(-1, 1, 1)
    of = volume(slab(4.0), red=0.8 * left, green=np.full(CELLS, 0.05), blue=0.8 * (1 - left))
    seen = picture(of, smoke_opacity=10.0, floor=False, background="black", samples=32).astype(int)
    reddish = (seen[10:18, :, 0] - seen[10:18, :, 2]).mean(axis=0)
    assert reddish[12:22].min() > 20
    assert reddish[27:36].max() < -20
