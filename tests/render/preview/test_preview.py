from dataclasses import replace

import numpy as np
import pytest

from plash.mesh.mesh import Mesh
from plash.render.colors import scale_colors
from plash.render.moment import Moment, no_particles
from plash.render.preview.preview import picture_size, preview_of
from plash.scene import Box, Camera, Domain, Fill, Scene
from plash.scene.colors import light_of, screen
from plash.solvers.frame import FrameParticles

SHOWS = ["surface", "particles", "cells"]


def none(dimension, mesh=None):
    return Moment(mesh or Mesh.empty(), no_particles(dimension))


def changed(picture, empty):
    """Where a picture differs from that of the empty domain."""
    return np.abs(picture.astype(int) - empty).max(axis=2) > 12


@pytest.mark.parametrize("show", SHOWS)
def test_liquid_is_blue_and_where_it_should_be(make_scene, block_of_liquid, dimension, show):
    scene = make_scene(dimension, show=show, color_by="material", solids=False)
    preview = preview_of(scene)
    picture, empty = preview.picture(block_of_liquid(dimension)), preview.picture(none(dimension))
    assert picture.shape == empty.shape == (*picture_size(scene)[::-1], 3)
    assert picture.dtype == np.uint8
    seen = changed(picture, empty)
    blue = picture[:, :, 2].astype(int) > picture[:, :, 0].astype(int) + 40
    assert (seen & blue).mean() > 0.08
    # It stands at the left end and below the middle of the domain
    rows, columns = np.nonzero(seen & blue)
    assert columns.mean() < 0.45 * picture.shape[1]
    assert rows.mean() > 0.4 * picture.shape[0]
    assert not seen[: picture.shape[0] // 8].any()


@pytest.mark.parametrize("show", SHOWS)
def test_no_liquid_at_all_is_a_picture_too(make_scene, dimension, show):
    scene = make_scene(dimension, show=show)
    corner = Mesh(np.zeros((1, 3), np.float32), np.zeros((0, 3), np.int32))
    with_none = preview_of(scene).picture(none(dimension))
    assert np.array_equal(with_none, preview_of(scene).picture(none(dimension, corner)))
    assert len(np.unique(with_none.reshape(-1, 3), axis=0)) > 10


@pytest.mark.parametrize("show", SHOWS)
def test_threads_do_not_change_a_bit(make_scene, block_of_liquid, dimension, threads, show):
    pictures = []
    for count in (1, 2):
        threads(count)
        pictures.append(preview_of(make_scene(dimension, show=show)).picture(block_of_liquid(dimension)))
    assert np.array_equal(pictures[0], pictures[1])


def test_solids_have_their_colour_and_hide_liquid(make_scene, block_of_liquid):
    scene = make_scene(2)
    picture = preview_of(scene).picture(block_of_liquid(2))
    height, width, _ = picture.shape
    disc = picture[round(0.7 * height) - 2, round(0.75 * width)]
    assert np.abs(disc.astype(int) - 255 * screen(light_of("red"))).max() < 3


def test_flat_shading_differs_from_smooth(make_scene):
    corners = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32)
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    mesh = Mesh(np.float32(0.4) * corners + np.array([1, 0.5, 0.6], np.float32), np.array(faces, np.int32), corners)
    pictures = [
        preview_of(make_scene(shading=shading, solids=False)).picture(none(3, mesh)) for shading in ("smooth", "flat")
    ]
    assert changed(*pictures).mean() > 0.005


def test_speed_has_the_colours_of_the_scale(make_scene, block_of_liquid):
    block = block_of_liquid(2)
    mesh = block.mesh
    preview = preview_of(make_scene(2, top_speed=2.0, solids=False))
    for speed in (0.0, 1.0, 5.0):
        moving = Mesh(mesh.vertices, mesh.faces, None, np.full_like(mesh.velocity, speed / np.sqrt(3)), mesh.edges)
        middle = preview.picture(Moment(moving, block.particles))[60, 30]
        assert np.abs(middle.astype(int) - 255 * screen(scale_colors([speed / 2])[0])).max() < 3


def test_the_empty_background_has_the_colour_asked_for(make_scene):
    picture = preview_of(make_scene(background="#8f959c", edges=False, solids=False)).picture(none(3))
    assert np.abs(picture.astype(int) - [0x8F, 0x95, 0x9C]).max() <= 1


def test_solids_cast_shadows_on_the_floor_but_not_without_one(make_scene):
    pictures = [preview_of(make_scene(floor=floor, edges=False)).picture(none(3)) for floor in (True, False)]
    background = pictures[1][0, 0].astype(int)
    gray = [np.ptp(picture, axis=2) < 30 for picture in pictures]
    dark = [
        (picture.astype(int).sum(axis=2) < background.sum() - 30) & g for picture, g in zip(pictures, gray, strict=True)
    ]
    assert dark[0].sum() > dark[1].sum() + 50


@pytest.mark.parametrize("place", [(0.3, 0.3, 0.4), (0.7, 0.3, 0.9), (1.5, 0.3, 0.5), (1, -2, 3), (0.35, 5, 0.45)])
@pytest.mark.parametrize("show", SHOWS)
def test_the_camera_may_stand_anywhere(make_scene, block_of_liquid, place, show):
    """In the liquid, at its corner, in the solid, below the floor and straight above."""
    camera = Camera.model_validate({"from": place, "to": (0.3501, 0.2, 0.1)})
    picture = preview_of(make_scene(show=show, camera=camera)).picture(block_of_liquid(3))
    assert picture.shape == (90, 160, 3)


def test_the_camera_may_lie_on_its_side(make_scene, block_of_liquid):
    camera = Camera.model_validate({"from": (0.3, 0.3, 4), "to": (0.3, 0.3, 0), "up": (1, 0, 0)})
    assert preview_of(make_scene(camera=camera)).picture(block_of_liquid(3)).std() > 1


def test_in_the_liquid_everything_is_blue(make_scene, block_of_liquid):
    camera = Camera.model_validate({"from": (0.3, 0.3, 0.4), "to": (1, 0.2, 0.4)})
    picture = preview_of(make_scene(camera=camera, edges=False)).picture(block_of_liquid(3)).astype(int)
    assert (picture[:, :, 2] > picture[:, :, 0] + 20).mean() > 0.95


@pytest.mark.parametrize("material", ["milk", "honey", "mercury", "glycerol"])
def test_every_material_is_seen(make_scene, block_of_liquid, material):
    scene = make_scene(solids=False)
    scene = scene.model_copy(update={"liquid": scene.liquid.model_copy(update={"material": material})})
    preview = preview_of(scene)
    assert changed(preview.picture(block_of_liquid(3)), preview.picture(none(3))).mean() > 0.05


@pytest.mark.parametrize(
    ("size", "look", "expected"),
    [
        ((2, 1, 1), {}, (960, 540)),
        ((2, 1), {}, (960, 480)),
        ((1, 4), {"width": 100}, (100, 400)),
        ((1, 1, 5), {"width": 50, "height": 70}, (50, 70)),
        ((100, 1), {"width": 160}, (160, 20)),
    ],
)
def test_pictures_have_the_size_asked_for(size, look, expected):
    fill = Fill(shape=Box(min=(0,) * len(size), max=(0.5,) * len(size)))
    scene = Scene(domain=Domain(size=size, resolution=100), fill=[fill], look=look)
    assert picture_size(scene) == expected


def test_without_gravity_the_fastest_at_the_start_has_the_last_colour():
    fill = Fill(shape=Box(min=(0, 0), max=(1, 1)), velocity=(3, 4))
    scene = Scene(domain=Domain(size=(1, 1), gravity=(0, 0)), fill=[fill], look={"width": 64})
    velocity = np.tile(np.array([[3, 4]], np.float32), (1, 1))
    big = np.array([1.0])
    scene = scene.model_copy(update={"look": scene.look.model_copy(update={"show": "particles"})})
    particles = FrameParticles(np.array([[0.5, 0.5]]), {"velocity": velocity, "volume": big, "age": np.zeros(1)})
    picture = preview_of(scene).picture(Moment(Mesh.empty(), particles))
    assert np.abs(picture[32, 32].astype(int) - 255 * screen(scale_colors([1.0])[0])).max() < 3


@pytest.mark.parametrize("show", SHOWS)
def test_liquid_shows_its_age_on_a_scale_that_ends_with_the_scene(make_scene, block_of_liquid, show):
    scene = make_scene(2, show=show, color_by="age", solids=False, width=480)
    block = block_of_liquid(2)
    pictures = []
    for share in (0.0, 1.0):
        age = np.float32(share * (scene.time.frames - 1) / scene.time.fps)
        mesh = replace(block.mesh, scalars={"age": np.full(len(block.mesh.vertices), age)})
        carried = {**block.particles.carried, "age": np.full(len(block.particles.position), age)}
        moment = replace(block, mesh=mesh, particles=replace(block.particles, carried=carried))
        pictures.append(preview_of(scene).picture(moment))
        at = pictures[-1][int(0.7 * len(pictures[-1])), 60] / 255
        assert at == pytest.approx(screen(scale_colors(share)), abs=0.12)
    young, old = (picture[:60, 300:] for picture in pictures)
    assert np.array_equal(young, old), "the legend is the same"


def open_cap(turned=False):
    """A flat square in the middle of the domain, seen from above or from below."""
    corners = np.array([[0.6, 0.5, 0.3], [1.4, 0.5, 0.3], [1.4, 0.5, 0.9], [0.6, 0.5, 0.9]], np.float32)
    up = np.tile(np.array([0, -1 if turned else 1, 0], np.float32), (4, 1))
    faces = np.array([[0, 2, 1], [0, 3, 2]], np.int32)
    return Mesh(corners, faces[:, ::-1].copy() if turned else faces, up)


@pytest.mark.parametrize("shading", ["smooth", "flat"])
def test_an_open_surface_is_a_sheet_with_two_sides_and_a_shadow(make_scene, shading):
    scene = make_scene(3, solids=False, shading=shading, color="red").model_copy(update={"mesh": {"walls": "open"}})
    preview = preview_of(scene)
    empty = preview.picture(none(3)).astype(int)
    above, below = (preview.picture(none(3, open_cap(turned))) for turned in (False, True))
    # It looks the same whichever way its triangles are turned
    assert np.array_equal(above, below)
    red = above[:, :, 0].astype(int) > above[:, :, 1].astype(int) + 60
    assert red.mean() > 0.02
    shaded = ~red & (above.astype(int).sum(axis=2) < empty.sum(axis=2) - 60)
    assert shaded.mean() > 0.01
