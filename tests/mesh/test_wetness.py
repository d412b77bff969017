"""Films on solids: too thin to be liquid, they make solids wet, and dry."""

import math

import numpy as np
import pytest

from plash.mesh.ball import unit_ball
from plash.mesh.mesh import Mesh
from plash.mesh.reconstruct import liquid_surface
from plash.mesh.shapes import shape_mesh
from plash.mesh.split import with_short_edges
from plash.mesh.wetness import Wetness, advanced, floor_nodes, sample_count, wet_surfaces
from plash.scene import Box, Cylinder, Domain, Meshing, Motion, Solid, Sphere
from plash.scene.look import SolidLook

H = 0.05
DOMAIN = Domain(size=(1.2, 0.6, 0.9), cell_size=H)
VOLUME = (H / 2) ** 3
PLATE = Box(min=(0.3, 0.2, 0.3), max=(0.8, 0.22, 0.6))


def layer(thickness, low=(0.3, 0.0, 0.2), high=(0.9, 0.0, 0.7)):
    """One level layer of jittered particles, so many cells thick."""
    apart = math.sqrt(VOLUME / (thickness * H))
    count = [int((high[axis] - low[axis]) / apart) for axis in (0, 2)]
    x, z = np.meshgrid(*(np.arange(n) + 0.5 for n in count))
    places = np.stack([x.ravel() * apart, np.full(x.size, 0.5 * thickness * H), z.ravel() * apart], axis=1)
    shift = np.random.default_rng(5).uniform(-0.2, 0.2, places.shape) * [apart, 0, apart]
    return places + shift + np.array(low)


def surface(places, solids=(), **keys):
    velocity, volume = np.zeros(places.shape, np.float32), np.full(len(places), VOLUME)
    return liquid_surface(places, velocity, volume, H, Meshing(**keys), DOMAIN, solids)


def wetted(before, surfaces, places, times, drying=3.0, velocity=None):
    flow = np.zeros(places.shape, np.float32) if velocity is None else np.asarray(velocity, np.float32)
    return advanced(before, surfaces, (places, flow, np.full(len(places), VOLUME)), times, drying, H)


@pytest.mark.parametrize("detail", [2, 3])
def test_thin_films_are_left_out_on_floor_and_solids(detail):
    plate = Solid(shape=PLATE)
    on_plate = layer(0.2, (0.35, 0.22, 0.35), (0.75, 0.22, 0.55))
    for places, solids in ((layer(0.2), ()), (on_plate, (plate,))):
        shown, hidden = (surface(places, solids, detail=detail, films=films) for films in (True, False))
        whole = len(places) * VOLUME
        assert shown.volume > 0.5 * whole
        assert hidden.volume < 0.05 * whole


def test_what_is_thicker_or_away_from_solids_is_the_same_with_and_without_films():
    index = np.stack(np.meshgrid(*[np.arange(4)] * 3), axis=-1).reshape(-1, 3)
    block = (index + 0.5) * (H / 2) + [0.5, 0.0, 0.4]
    drop = np.array([[0.21, 0.41, 0.33]])
    meshes = [surface(np.concatenate([block, drop]), films=films) for films in (True, False)]
    assert np.array_equal(meshes[0].vertices, meshes[1].vertices)
    # In the open a thin sheet is no film
    sheet = layer(0.2, (0.3, 0.3, 0.2), (0.9, 0.3, 0.7))
    meshes = [surface(sheet, films=films) for films in (True, False)]
    assert np.array_equal(meshes[0].vertices, meshes[1].vertices)


def test_a_film_that_is_left_out_does_not_swell_the_rest():
    index = np.stack(np.meshgrid(np.arange(10), np.arange(4), np.arange(8), indexing="ij"), axis=-1).reshape(-1, 3)
    pool = (index + 0.5) * (H / 2)
    plate = (Solid(shape=PLATE),)
    film = layer(0.2, (0.6, 0.22, 0.35), (0.75, 0.22, 0.55))
    alone, beside = (surface(places, plate).volume for places in (pool, np.concatenate([pool, film])))
    assert len(film) > 0.04 * len(pool)
    assert beside == pytest.approx(alone, rel=2e-3)


@pytest.mark.parametrize("shape", [PLATE, Sphere(center=(0.4, 0.3, 0.3), radius=0.2)])
def test_splitting_edges_keeps_the_surface(shape):
    coarse = shape_mesh(shape, DOMAIN)
    fine = with_short_edges(coarse, 0.03)
    assert fine.area == pytest.approx(coarse.area, rel=1e-5)
    assert fine.volume == pytest.approx(coarse.volume, rel=1e-5)
    ends = fine.vertices[fine.faces].astype(np.float64)
    assert np.linalg.norm(ends - np.roll(ends, 1, axis=1), axis=2).max() < 0.03 * (1 + 1e-6)
    assert fine.normals is not None
    assert np.linalg.norm(fine.normals, axis=1) == pytest.approx(1, abs=1e-6)


def test_splitting_leaves_no_gaps_and_spares_what_is_far():
    ball = unit_ball(3)
    mesh = Mesh(ball.vertices.astype(np.float32), ball.faces, ball.vertices.astype(np.float32))
    fine = with_short_edges(mesh, 0.1, np.full(3, 0.2), np.full(3, 2.0))
    assert fine.open_edges() == 0
    assert fine.euler_number == 2
    assert len(mesh.faces) < len(fine.faces) < 0.6 * len(with_short_edges(mesh, 0.1).faces)


def test_what_touches_the_floor_wets_it_and_only_there():
    surfaces = wet_surfaces((), DOMAIN)
    across, along = floor_nodes(DOMAIN)
    assert sample_count(surfaces) == across * along
    place = np.array([[0.61, 0.1 * H, 0.42]])
    wetness = wetted(Wetness.dry(sample_count(surfaces)), surfaces, place, (0.0, 0.04))
    away = np.linalg.norm(surfaces[0].mesh.vertices - place, axis=1) / H
    assert (wetness.wet[away < 0.5] == 1).all()
    assert (wetness.wet[away > 0.9] == 0).all()
    assert (np.diff(wetness.wet[np.argsort(away)]) <= 1e-6).all()
    assert not wetness.under.any()


def test_a_film_dries_exponentially():
    surfaces = wet_surfaces((), DOMAIN)
    wetness = wetted(Wetness.dry(sample_count(surfaces)), surfaces, np.array([[0.61, 0.01, 0.42]]), (0.0, 0.0))
    first, frame, drying = wetness.wet.copy(), 1 / 24, 0.7
    nobody = np.zeros((0, 3))
    for k in range(10):
        wetness = wetted(wetness, surfaces, nobody, (k * frame, (k + 1) * frame), drying)
    kept = wetness.wet > 0
    assert wetness.wet[kept] == pytest.approx(first[kept] * math.exp(-10 * frame / drying), rel=1e-5)
    for k in range(10, 200):
        wetness = wetted(wetness, surfaces, nobody, (k * frame, (k + 1) * frame), drying)
    assert not wetness.wet.any()


def test_a_thin_plate_is_wet_on_one_side_and_no_metal_or_glass():
    solids = [Solid(shape=PLATE), *(Solid(shape=PLATE, look=SolidLook(material=kind)) for kind in ("metal", "glass"))]
    surfaces = wet_surfaces(solids, DOMAIN)
    assert [surface.solid for surface in surfaces] == [solids[0], None]
    places = layer(0.2, (0.3, 0.22, 0.3), (0.8, 0.22, 0.6))
    wetness = wetted(Wetness.dry(sample_count(surfaces)), surfaces, places, (0.0, 0.04))
    own, normals = wetness.wet[: surfaces[0].last], surfaces[0].mesh.normals
    assert normals is not None
    inner = (np.abs(surfaces[0].mesh.vertices[:, [0, 2]] - [0.55, 0.45]) < [0.2, 0.1]).all(axis=1)
    assert own[inner & (normals[:, 1] > 0.5)].min() > 0.5
    assert own[normals[:, 1] < 0.5].max() == 0


def test_under_liquid_no_film_is_seen():
    surfaces = wet_surfaces((), DOMAIN)
    index = np.stack(np.meshgrid(np.arange(48), np.arange(6), np.arange(36), indexing="ij"), axis=-1).reshape(-1, 3)
    pool = (index + 0.5) * (H / 2)
    wetness = wetted(Wetness.dry(sample_count(surfaces)), surfaces, pool, (0.0, 0.04))
    assert (wetness.wet == 1).all()
    inner = ((surfaces[0].mesh.vertices > H) & (surfaces[0].mesh.vertices < [1.2 - H, 1, 0.9 - H]))[:, [0, 2]].all(
        axis=1
    )
    assert wetness.film[inner].max() == 0
    thin = wetted(Wetness.dry(sample_count(surfaces)), surfaces, layer(0.2), (0.0, 0.04))
    assert thin.film.max() == 1


def test_a_body_carries_its_wetness_along():
    motion = Motion(velocity=(0.3, 0.0, 0.0), spin=3.0, axis=(0, 1, 0), center=(0.6, 0.3, 0.45))
    solid = Solid(shape=Cylinder(base=(0.6, 0.1, 0.45), top=(0.6, 0.3, 0.45), radius=0.25), motion=motion)
    surfaces = wet_surfaces([solid], DOMAIN)
    body = surfaces[0]
    time = 0.8
    matrix, shift = body.pose(time)
    mark = np.array([0.75, 0.3 + 0.05 * H, 0.5])  # on the body, before its motion
    wetness = wetted(Wetness.dry(sample_count(surfaces)), surfaces, (matrix @ mark + shift)[None], (time, time))
    away = np.linalg.norm(body.mesh.vertices - mark, axis=1)
    own = wetness.wet[: body.last]
    assert own[away < 0.4 * H].min() > 0.9
    assert own[away > 0.95 * H].max() == 0
    later = 1.7
    mesh, film = body.wet_part(wetness.film, later)
    matrix, shift = body.pose(later)
    middle = np.average(mesh.vertices, axis=0, weights=film)
    assert middle == pytest.approx(matrix @ mark + shift, abs=0.4 * H)


def test_a_fast_drop_leaves_a_trail_without_gaps():
    surfaces = wet_surfaces((), DOMAIN)
    place, speed = np.array([[0.7, 0.1 * H, 0.45]]), np.array([[2 * H * 24, 0, 0]])
    wetness = wetted(Wetness.dry(sample_count(surfaces)), surfaces, place, (0.0, 1 / 24), velocity=speed)
    vertices = surfaces[0].mesh.vertices
    line = (np.abs(vertices[:, 2] - 0.45) < 0.1 * H) & (vertices[:, 0] < 0.7) & (vertices[:, 0] > 0.7 - 1.4 * H)
    assert wetness.wet[line].min() > 0.5
