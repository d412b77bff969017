"""Surfaces of particles whose shape is known: pools, balls, drops. h is never one, no box is a cube."""

import numpy as np
import pytest

from plash.mesh.reconstruct import liquid_surface
from plash.scene import Box, Domain, Meshing, Solid, Sphere

H = 0.05
SIDES = {2: (0.9, 0.6), 3: (0.9, 0.6, 0.7)}
LEVEL = 0.375


def lattice(first, last, jitter=0.0, spacing=H / 2):
    """Particles with two along the edge of a cell, shifted at random; positions and volumes."""
    count = [round((b - a) / spacing) for a, b in zip(first, last, strict=True)]
    index = np.stack(np.meshgrid(*[np.arange(n) for n in count], indexing="ij"), axis=-1).reshape(-1, len(count))
    shift = np.random.default_rng(3).uniform(-0.5, 0.5, index.shape) * jitter
    return np.array(first) + (index + 0.5 + shift) * spacing


def surface(position, meshing=None, domain=None, solids=(), velocity=None, volume=None):
    dimension = position.shape[1]
    domain = domain or Domain(size=SIDES[dimension], cell_size=H)
    velocity = np.zeros(position.shape, np.float32) if velocity is None else velocity
    volume = np.full(len(position), (H / 2) ** dimension) if volume is None else volume
    return liquid_surface(position, velocity, volume, H, meshing or Meshing(), domain, solids)


def pool(dimension, jitter=0.5):
    return lattice((0.0,) * dimension, (SIDES[dimension][0], LEVEL, *SIDES[dimension][2:]), jitter)


@pytest.mark.parametrize("detail", [1, 2, 3, 4])
def test_pool_is_flat_closed_and_flush_with_the_walls(dimension, detail):
    places = pool(dimension)
    mesh = surface(places, Meshing(detail=detail))
    assert mesh.open_edges() == 0
    assert abs(mesh.volume / (len(places) * (H / 2) ** dimension) - 1) < 0.01
    rim = mesh.vertices[np.unique(mesh.edges)] if dimension == 2 else mesh.vertices
    away_from_walls = np.minimum(rim, np.array([*SIDES[dimension], 0.7][:3]) - rim)[:, [0, 2][: dimension - 1]].min(
        axis=1
    )
    top = (rim[:, 1] > LEVEL - 0.4 * H) & (away_from_walls > 0.1 * H)
    inner = top & (away_from_walls > H)
    assert np.abs(rim[inner, 1] - LEVEL).max() < (0.05 if detail == 2 else 0.08) * H
    assert np.sqrt(((rim[top, 1] - LEVEL) ** 2).mean()) < 0.05 * H
    for axis in range(dimension):
        assert abs(mesh.vertices[:, axis].min()) < 1e-3 * H
        if axis != 1:
            assert abs(mesh.vertices[:, axis].max() - SIDES[dimension][axis]) < 1e-3 * H


def test_pool_has_no_rounded_edge_at_the_walls():
    mesh = surface(pool(3, jitter=0.0))
    low_at_the_wall = mesh.vertices[(np.abs(mesh.vertices[:, 0]) < 1e-3 * H) & (mesh.normals[:, 1] > 0.3)]
    assert np.abs(low_at_the_wall[:, 1] - LEVEL).max() < 0.02 * H


def test_sphere_of_particles_is_round():
    centre, radius = np.array([0.45, 0.31, 0.36]), 0.2
    places = lattice((0.2, 0.05, 0.1), (0.7, 0.55, 0.6))
    mesh = surface(places[np.linalg.norm(places - centre, axis=1) < radius])
    away = np.linalg.norm(mesh.vertices - centre, axis=1)
    assert mesh.euler_number == 2
    assert abs(away.mean() - radius) <= 0.5 * H / 2
    assert away.std() <= 0.1 * H / 2
    outwards = (mesh.vertices - centre) / away[:, None]
    assert (mesh.normals * outwards).sum(axis=1).min() > 0.95


@pytest.mark.parametrize("detail", [2, 3])
def test_one_drop_has_about_its_volume_wherever_it_is(dimension, detail):
    volumes = []
    for at in np.random.default_rng(1).uniform(0.2, 0.4, (20, dimension)):
        mesh = surface(at[None], Meshing(detail=detail))
        assert mesh.open_edges() == 0
        volumes.append(mesh.volume / (H / 2) ** dimension)
    assert 0.85 < np.mean(volumes) < 1.15
    assert min(volumes) > 0.7
    assert max(volumes) < 1.35


def test_without_drops_a_lone_particle_shows_nothing(dimension):
    lone = np.full((1, dimension), 0.3)
    assert len(surface(lone, Meshing(drops=False)).faces) == 0


def test_no_particles_have_no_surface(dimension):
    assert len(surface(np.zeros((0, dimension))).faces) == 0


def test_a_sheet_of_one_particle_holds_together():
    places = lattice((0.2, 0.3, 0.2), (0.6, 0.3 + H / 2, 0.5), jitter=0.3)
    mesh = surface(places)
    assert mesh.open_edges() == 0
    assert mesh.euler_number == 2
    assert abs(mesh.volume / (len(places) * (H / 2) ** 3) - 1) < 0.35


def test_balls_grow_without_a_jump():
    """A particle that leaves a pool pulls a bump along, which changes by little from place to place."""
    places = pool(3, jitter=0.0)
    drop = (H / 2) ** 3
    heights = LEVEL + np.linspace(-0.5, 2.0, 41) * H
    seen = [surface(np.concatenate([places, [[0.431, y, 0.337]]])).volume for y in heights]
    assert np.abs(np.diff(seen)).max() < 2.0 * drop
    assert np.ptp(seen) < 5.0 * drop


def test_unbounded_and_far_away(dimension):
    near = lattice((0.1,) * dimension, (0.35,) * dimension, jitter=0.5)
    unbounded = Domain(size=SIDES[dimension], cell_size=H, sides="unbounded")
    at = np.array([-4096.0, 2048.0, 8192.0])[:dimension] * H
    one, two = surface(near, domain=unbounded), surface(near + at, domain=unbounded)
    assert two.open_edges() == 0
    assert np.allclose(one.vertices[:, :dimension], two.vertices[:, :dimension] - at, atol=1e-4)
    assert two.vertices[:, 0].max() < -100


def test_liquid_reaches_into_solids_but_not_far(dimension):
    places = pool(dimension)
    centre = (0.45, 0.2, 0.35)[:dimension]
    solid = Solid(shape=Sphere(center=centre, radius=0.15))
    wet = np.linalg.norm(places - centre, axis=1) > 0.15
    mesh = surface(places[wet], solids=(solid,))
    assert mesh.open_edges() == 0
    depth = 0.15 - np.linalg.norm(mesh.vertices[:, :dimension] - centre, axis=1)
    assert 0.3 * H < depth.max() < 0.7 * H


def test_level_is_the_same_beside_a_solid():
    places = pool(3, jitter=0.3)
    solid = Solid(shape=Box(min=(0.4, 0.0, 0.0), max=(0.9, 0.6, 0.7)))
    mesh = surface(places[places[:, 0] < 0.4], solids=(solid,))
    top = mesh.vertices[(mesh.normals[:, 1] > 0.7) & (mesh.vertices[:, 0] < 0.4)]
    assert len(top) > 100
    assert np.abs(top[:, 1] - LEVEL).max() < 0.1 * H


def test_velocity_is_that_of_the_particles(dimension):
    places = pool(dimension)
    wind = np.array([2.0, -0.5, 1.0], np.float32)[:dimension]
    mesh = surface(places, velocity=np.tile(wind, (len(places), 1)))
    assert np.allclose(mesh.velocity[:, :dimension], wind, atol=1e-5)
    shear = np.zeros(places.shape, np.float32)
    shear[:, 0] = 3 * places[:, 1]
    mesh = surface(places, velocity=shear)
    inner = (mesh.vertices[:, 1] > 2 * H) & (mesh.vertices[:, 1] < LEVEL - 1.5 * H)
    assert np.abs(mesh.velocity[inner, 0] - 3 * mesh.vertices[inner, 1]).max() < 3 * 0.3 * H


def test_any_number_of_threads_gives_the_same_bits(dimension, threads):
    places = pool(dimension, jitter=1.0) + np.array([0.0, 0.1, 0.0])[:dimension]
    speed = np.random.default_rng(4).normal(size=places.shape).astype(np.float32)
    meshes = []
    for n in (1, 2):
        threads(n)
        meshes.append(surface(places, velocity=speed))
    for name in ("vertices", "faces", "velocity"):
        assert getattr(meshes[0], name).tobytes() == getattr(meshes[1], name).tobytes()
