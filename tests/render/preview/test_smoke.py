"""Smoke in drafts: how much light passes, where it comes from, and what is in front of what."""

from dataclasses import replace

import numpy as np
import pytest

from plash.grid.dense import from_dense, tiles_over
from plash.grid.volume import Volume
from plash.mesh.mesh import Mesh
from plash.render.camera import View, camera_view, looking
from plash.render.moment import Moment, no_particles
from plash.render.preview.billboards import see_billboards
from plash.render.preview.march import SeenSmoke, see_smoke
from plash.render.preview.preview import preview_of
from plash.render.preview.smoke import lit_smoke
from plash.render.preview.studio import studio_for
from plash.render.smoke.fire import fire_lamps
from plash.render.smoke.optics import smoke_optics
from plash.scene import Box, Domain, Fill, Look, Scene, Solid, Sphere
from plash.scene.colors import linear
from plash.scene.solver import Solver

H = 0.05
CELLS = (40, 20, 24)  # the domain of `make_scene`


def volume(dense, h=H, **others) -> Volume:
    """Fields [x, y[, z]] as a volume; temperature has 293 K round it."""
    tiles = tiles_over((0,) * dense.ndim, dense.shape)
    pools = {"density": from_dense(dense.astype(np.float32), tiles)}
    for name, values in others.items():
        beyond = np.float32(293 if name == "temperature" else 0)
        pools[name] = from_dense(values.astype(np.float32), tiles, background=beyond)
    return Volume(tiles, pools, h)


def ball_of_smoke(center=(1.0, 0.5, 0.6), radius=0.3, dense=1.0, cells=CELLS):
    """Density (kg/m³) of a ball with a soft rim, and its places."""
    places = np.stack(np.meshgrid(*[(np.arange(n) + 0.5) * H for n in cells], indexing="ij"))
    away = np.sqrt(sum((place - c) ** 2 for place, c in zip(places, center, strict=False)))
    return dense * np.clip((radius - away) / (2 * H) + 0.5, 0, 1)


def moment(of, dimension=3):
    return Moment(Mesh.empty(), no_particles(dimension), 0.0, of)


def seen(scene, of, view: View, draw=see_smoke):
    size = np.array(scene.domain.cells) * scene.domain.h
    lit = lit_smoke(of, smoke_optics(scene), studio_for(view, size, np.zeros(3)), size, None)
    found = SeenSmoke.nothing(view)
    draw(found, view, np.full((view.height, view.width), np.inf, np.float32), lit.bricks)
    return found


@pytest.mark.parametrize("opacity", [0.7, 4.0, 30.0])
@pytest.mark.parametrize("dense", [0.4, 1.3])
def test_light_through_a_slab_fades_exponentially(make_scene, opacity, dense):
    """A slab of 16 cells, seen at right angles and aslant: e^(-k rho L), with no edge at the borders of tiles."""
    slab = np.zeros(CELLS)
    slab[:, :, 4:20] = dense
    scene = make_scene(smoke_opacity=opacity)
    for place in ((1.0, 0.5, 6.0), (1.0, 4.5, 5.6)):
        view = looking(place, (1.0, 0.5, 0.6), 0.1, (8, 8))
        along = np.linalg.norm(np.array(place) - (1, 0.5, 0.6)) / (place[2] - 0.6)
        expected = np.exp(-opacity * dense * 16 * H * along)
        found = seen(scene, volume(slab), view).passing
        assert found == pytest.approx(np.full((8, 8), expected), rel=0.01, abs=0.004)


def test_light_of_a_thick_slab_does_not_depend_on_the_pattern_of_its_rays(make_scene):
    slab = np.zeros(CELLS)
    slab[:, :, 4:20] = 1.0
    rays = looking((1, 0.5, 6), (1, 0.5, 0.6), 0.02, (16, 16))
    light = seen(make_scene(smoke_opacity=8.0), volume(slab), rays).light
    assert np.ptp(light[:, :, 0]) < 0.03 * light[:, :, 0].mean()


def test_a_light_sees_the_depth_of_smoke_before_a_place(make_scene):
    """Straight down through a layer: k rho times what is above."""
    layer = np.zeros(CELLS)
    layer[:, 8:16] = 0.6
    scene = make_scene(smoke_opacity=5.0)
    size = np.array(CELLS) * H
    view = camera_view(None, size, (160, 90))
    lit = lit_smoke(volume(layer), smoke_optics(scene), studio_for(view, size, np.zeros(3)), size, None)
    cover = lit.shadows[1].atlas[256, 256, 0]
    assert cover == pytest.approx(1 - np.exp(-5 * 0.6 * 8 * H), rel=0.01)


@pytest.mark.parametrize("dense", [0.4, 1.3])
def test_billboards_dim_light_as_the_smoke_in_their_cells_does(make_scene, dense):
    """In the mean over many dots; the paper's own opacity, 1 - density, would let dense smoke vanish."""
    slab = np.zeros(CELLS)
    slab[:, :, 4:20] = dense
    scene = make_scene(smoke_opacity=2.0)
    found = seen(scene, volume(slab), looking((1.0, 0.5, 6.0), (1.0, 0.5, 0.6), 3.0, (64, 64)), draw=see_billboards)
    assert found.passing.mean() == pytest.approx(np.exp(-2 * dense * 16 * H), rel=0.03)
    assert np.ptp(found.passing) < 0.2 * found.passing.mean()


def test_billboards_are_drawn_from_back_to_front(make_scene):
    """Of two layers, dark and bright by their own light, the one in front is seen."""
    dense = np.zeros(CELLS)
    dense[:, :, 4:8] = dense[:, :, 14:18] = 1.0
    glow = np.where(np.arange(CELLS[2]) < 10, 1.0, 0.0) * dense
    of = volume(dense, flame=glow, temperature=293 + 1500 * glow)
    scene = make_scene(smoke_opacity=40.0)
    front, back = (
        seen(scene, of, looking((1.0, 0.5, z), (1.0, 0.5, 0.6), 3.0, (16, 16)), draw=see_billboards).light[:, :, 0]
        for z in (6.0, -5.0)
    )
    assert back.min() > 2 * front.max()


def test_billboards_are_hidden_by_what_is_before_them_and_the_same_for_any_threads(make_scene, threads):
    scene = make_scene(smoke="billboards", smoke_opacity=6.0, camera={"from": (1.0, 0.5, 5.0), "to": (1.0, 0.5, 0.6)})
    ball = Solid(shape=Sphere(center=(1.0, 0.5, 1.0), radius=0.12), look={"color": "red"})
    preview = preview_of(Scene(domain=scene.domain, fill=scene.fill, solid=[ball], look=scene.look))
    bare = preview.picture(moment(Volume.empty(3, H)))
    smoky = []
    for count in (1, 2):
        threads(count)
        smoky.append(preview.picture(moment(volume(ball_of_smoke(radius=0.25)))))
    assert np.array_equal(smoky[0], smoky[1])
    middle = tuple(n // 2 for n in bare.shape[:2])
    assert int(smoky[0][middle][0]) - int(smoky[0][middle][2]) > 0.9 * (int(bare[middle][0]) - int(bare[middle][2]))
    assert np.abs(smoky[0].astype(int) - bare).max() > 30


@pytest.mark.parametrize("shift", [(3, 0, 0), (0, 5, 0), (1, 2, 7)])
def test_tiles_and_cells_leave_no_pattern(make_scene, shift):
    """Moved by some cells, with the camera, smoke looks the same: nothing depends on where tiles begin."""
    cells = (24, 24, 24)
    puff = ball_of_smoke((0.6, 0.6, 0.6), 0.3, cells=cells)
    moved = np.zeros((40, 40, 40))
    moved[tuple(slice(s, s + 24) for s in shift)] = puff
    scene = make_scene(smoke_opacity=6.0)
    place, step = np.array([0.6, 0.7, 3.0]), H * np.array(shift)
    views = [looking(place + step * k, (0.6 + step * k * [1, 1, 1])[:3], 16.0, (64, 64)) for k in (0, 1)]
    first, second = (seen(scene, volume(of), view).passing for of, view in zip((puff, moved), views, strict=True))
    assert first.min() < 0.1
    assert np.abs(first - second).max() < 2e-3


def test_smoke_that_is_the_same_from_both_sides_looks_the_same(make_scene):
    rng = np.random.default_rng(4)
    dense = rng.random(CELLS) * ball_of_smoke((1.0, 0.5, 0.6), 0.4)
    even = dense + dense[::-1]
    view = looking((1.0, 0.6, 4.0), (1.0, 0.5, 0.6), 16.0, (120, 80))
    passing = seen(make_scene(smoke_opacity=4.0), volume(even), view).passing
    assert passing.min() < 0.3
    assert np.abs(passing - passing[:, ::-1]).max() < 0.02


def test_the_side_of_the_lamp_is_brighter(make_scene):
    """The lamp stands at the back left, above."""
    scene = make_scene(smoke_opacity=12.0, background="black", edges=False, floor=False, solids=False)
    picture = preview_of(scene).picture(moment(volume(ball_of_smoke())))
    bright = picture.astype(float).mean(axis=2)
    rows, columns = np.nonzero(bright > bright.max() / 4)
    top, bottom, left, right = rows.min(), rows.max(), columns.min(), columns.max()
    across, down = (right - left) // 4, (bottom - top) // 4
    middle_row, middle = (top + bottom) // 2, (left + right) // 2
    assert bright[middle_row, left + across] > 1.2 * bright[middle_row, right - across]
    assert bright[top + down, middle] > 1.2 * bright[bottom - down, middle]


def test_solids_hide_smoke_behind_them_and_are_veiled_by_smoke_before_them(make_scene):
    scene = make_scene(smoke_opacity=6.0, edges=False, camera={"from": (1.0, 0.5, 5.0), "to": (1.0, 0.5, 0.6)})
    empty = Volume.empty(3, H)
    for z, veiled in ((1.0, False), (0.2, True)):
        ball = Solid(shape=Sphere(center=(1.0, 0.5, z), radius=0.12), look={"color": "red"})
        preview = preview_of(Scene(domain=scene.domain, fill=scene.fill, solid=[ball], look=scene.look))
        bare, smoky = (preview.picture(moment(of)) for of in (empty, volume(ball_of_smoke(radius=0.25))))
        middle = tuple(n // 2 for n in bare.shape[:2])
        red = [int(picture[middle][0]) - int(picture[middle][2]) for picture in (bare, smoky)]
        if veiled:
            assert red[1] < 0.3 * red[0]
        else:
            assert red[1] == pytest.approx(red[0], rel=0.1)


def test_solids_shade_smoke(make_scene):
    """A board between the lamp and smoke darkens it."""
    scene = make_scene(smoke_opacity=6.0, edges=False, background="black", floor=False, solids=False)
    board = Solid(shape=Box(min=(0.2, 0.95, -0.8), max=(1.6, 1.0, 1.2)))
    bright = []
    for solids in ([], [board]):
        preview = preview_of(Scene(domain=scene.domain, fill=scene.fill, solid=solids, look=scene.look))
        smoke, bare = (preview.picture(moment(of)) for of in (volume(ball_of_smoke(radius=0.2)), Volume.empty(3, H)))
        bright.append(np.maximum(smoke.astype(int) - bare, 0)[45:60].sum())
    assert bright[1] < 0.8 * bright[0]


def test_smoke_casts_a_soft_shadow_on_the_floor(make_scene):
    scene = make_scene(smoke_opacity=12.0, edges=False, solids=False, width=320)
    preview = preview_of(scene)
    smoke, bare = (preview.picture(moment(of)).astype(float) for of in (volume(ball_of_smoke()), Volume.empty(3, H)))
    fall = (bare - smoke).mean(axis=2)
    below = fall[3 * len(fall) // 4 :]
    assert below.max() > 15
    assert np.abs(np.diff(below, axis=1)).max() < 0.12 * below.max()


@pytest.mark.parametrize("way", ["volume", "billboards"])
@pytest.mark.parametrize("place", [(1.0, 0.5, 0.6), (0.9, 0.4, 0.5), (1, -2, 3), (1.0, 5.0, 0.6)])
def test_the_camera_may_stand_in_smoke_and_anywhere(make_scene, place, way):
    camera = {"from": place, "to": (1.3, 0.3, 0.2)}
    scene = make_scene(camera=camera, smoke=way, smoke_opacity=40.0, smoke_color="#000000")
    preview = preview_of(scene)
    smoky, bare = (preview.picture(moment(of)).mean() for of in (volume(ball_of_smoke()), Volume.empty(3, H)))
    inside = np.linalg.norm(np.array(place) - (1.0, 0.5, 0.6)) < 0.2
    assert smoky < (0.3 * bare if inside else bare)


@pytest.mark.parametrize("show", ["surface", "particles"])
def test_no_smoke_changes_no_bit(make_scene, block_of_liquid, dimension, show):
    preview = preview_of(make_scene(dimension, show=show))
    block = block_of_liquid(dimension)
    plain = preview.picture(block)
    for none in (Volume.empty(dimension, H), volume(np.zeros(CELLS[:dimension]))):
        assert np.array_equal(plain, preview.picture(replace(block, volume=none)))


@pytest.mark.parametrize("show", ["surface", "particles"])
def test_threads_do_not_change_a_bit_of_smoke(make_scene, block_of_liquid, dimension, threads, show):
    dense = ball_of_smoke(cells=CELLS[:dimension])
    of = volume(dense, flame=dense**2, temperature=293 + 1500 * dense)
    pictures = []
    for count in (1, 2):
        threads(count)
        preview = preview_of(make_scene(dimension, show=show))
        pictures.append(preview.picture(replace(block_of_liquid(dimension), volume=of)))
    assert np.array_equal(pictures[0], pictures[1])
    assert pictures[0].std() > 5


def test_a_plane_picture_shows_how_much_smoke_there_is():
    """Of the paper's light e^(-k rho depth) is left, with a depth of an eighth of the domain's size."""
    scene = Scene(
        domain=Domain(size=(2, 1), resolution=40),
        fill=[Fill(shape=Box(min=(0, 0), max=(0.1, 0.1)))],
        look=Look(width=160, smoke_color="#000000", smoke_opacity=5.0, edges=False),
    )
    preview = preview_of(scene)
    dense = np.full((40, 20), 0.8)
    dense[20:] = 0.0
    smoke, paper = (preview.picture(moment(of, 2))[40].astype(float) for of in (volume(dense), Volume.empty(2, H)))
    left = linear(smoke[40] / 255) / linear(paper[40] / 255)
    assert left == pytest.approx(np.full(3, np.exp(-5 * 0.8 * np.sqrt(2) / 8)), rel=0.02)
    assert np.array_equal(smoke[100], paper[100])


def test_smoke_scenes_in_2d_have_neither_a_scale_of_speeds_nor_white_paper(make_scene, monkeypatch):
    monkeypatch.setattr(Solver, "has_smoke", True)
    picture = preview_of(make_scene(2, solids=False, edges=False, background="black", width=480)).picture(
        moment(Volume.empty(2, H), 2)
    )
    assert picture.max() < 60


def test_smoke_beyond_the_domain_is_seen_and_lit(make_scene):
    scene = make_scene(smoke_opacity=12.0, background="black", floor=False, edges=False, solids=False)
    away = looking((1, 1.6, 7), (1.0, 1.6, 0.6), 20.0, (60, 60))
    tall = ball_of_smoke((1.0, 1.6, 0.6), 0.3, cells=(40, 40, 24))
    found = seen(scene, volume(tall), away)
    assert found.passing.min() < 0.05
    assert found.light.max() > 0.4


def test_flames_light_the_floor_and_solids(make_scene):
    fire = ball_of_smoke((1.0, 0.2, 0.6), 0.15)
    of = volume(0 * fire, flame=fire, temperature=293 + 1500 * fire)
    warm = {}
    for brightness in (0.0, 1.0, 2.0):
        scene = make_scene(fire_brightness=brightness, background="#707070", edges=False)
        picture = preview_of(scene).picture(moment(of)).astype(float)
        warm[brightness] = (picture[:, :, 0] - picture[:, :, 2])[60:70, 60:75].mean()
    assert abs(warm[0.0]) < 2
    assert warm[2.0] > 1.5 * warm[1.0] > 9


def test_flames_send_out_what_they_send_out(make_scene):
    """Far away a thin flame is a lamp of its whole volume: the sum of q V."""
    scene = make_scene()
    optics = smoke_optics(scene)._replace(flame_opacity=1e-3)
    flame = np.zeros(CELLS)
    flame[3:30, 4:9, 2:18] = 0.7
    lamps = fire_lamps(volume(0 * flame, flame=flame, temperature=293 + 1407 * (flame > 0)), optics)
    glow = optics.glow[round(1700 / 4000 * (len(optics.glow) - 1))]
    assert lamps.power.sum(axis=0) == pytest.approx(1e-3 * 0.7 * glow * 27 * 5 * 16 * H**3, rel=0.01)
    middle = (lamps.places * lamps.power.sum(axis=1)[:, None]).sum(axis=0) / lamps.power.sum()
    assert middle == pytest.approx(H * np.array([16.5, 6.5, 10.0]), rel=1e-3)
    assert len(lamps.places) > 1


def test_warm_smoke_has_the_colours_of_the_scale(make_scene):
    cold, hot = (
        preview_of(make_scene(2, color_by="temperature", solids=False, edges=False)).picture(
            moment(volume(np.full((40, 20), 30.0), temperature=np.full((40, 20), warmth)), 2)
        )[60, 40]
        for warmth in (280.0, 500.0)
    )
    assert int(cold[2]) > int(cold[0]) + 20
    assert int(hot[0]) > int(hot[2]) + 60


def halves(dimension=3):
    """A ball of smoke whose left half is red and whose right half is blue."""
    dense = ball_of_smoke(center=(1.0, 0.5, 0.6)[:dimension], cells=CELLS[:dimension], dense=3.0)
    left = (np.arange(CELLS[0]) < 20).reshape(-1, *(1,) * (dimension - 1)) * np.ones(dense.shape)
    return volume(dense, red=0.8 * left, green=np.full(dense.shape, 0.05), blue=0.8 * (1 - left))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("smoke", ["volume", "billboards"])
def test_smoke_has_the_colours_that_it_carries(make_scene, dimension, smoke):
    scene = make_scene(dimension, solids=False, smoke=smoke, background="black", edges=False, floor=False)
    picture = preview_of(scene).picture(moment(halves(dimension), dimension)).astype(int)
    reddish = picture[:, :, 0] - picture[:, :, 2]
    red, blue = np.nonzero(reddish > 40)[1], np.nonzero(reddish < -40)[1]
    assert min(len(red), len(blue)) > 0.01 * reddish.size
    assert red.mean() < blue.mean() - 0.05 * reddish.shape[1]
