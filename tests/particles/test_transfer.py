"""Transfers keep momentum, affine motion, and what they should of everything else."""

import numpy as np
import pytest

from plash.grid.fields import FaceField
from plash.grid.sample import velocity_at
from plash.particles.from_grid import grid_to_affine_particles, grid_to_particles
from plash.particles.sort import sort_particles
from plash.particles.to_grid import particles_to_grid

SHIFT = {2: (-5.0, 9.0), 3: (-5.0, 9.0, 3.0)}


def cloud(make_particles, dimension, affine=False, n=4000, seed=0):
    rng = np.random.default_rng(seed)
    places = rng.uniform(0, 24, (n, dimension)) + SHIFT[dimension]
    velocity = rng.standard_normal((n, dimension))
    particles = make_particles(places, velocity, affine)
    particles.volume = rng.uniform(0.05, 0.3, n).astype(np.float32)
    if affine:
        particles.affine = (0.3 * rng.standard_normal(particles.affine.shape)).astype(np.float32)
    sort_particles(particles, 2)
    return particles


def face_places(tiles, axis):
    """Positions of the faces of every slot, in cells, shape (slots, z, y, x, d)."""
    BZ, BY, BX = tiles.shape
    z, y, x = np.meshgrid(np.arange(BZ), np.arange(BY), np.arange(BX), indexing="ij")
    local = np.stack([x, y, z], axis=-1)[..., : tiles.dimension]
    places = tiles.origins[:, None, None, None, : tiles.dimension] + local + 0.5
    places[..., axis] -= 0.5
    return places


def face_masses(particles, axis):
    """Σ w V on every face of an axis, straight from the definition."""
    tiles = particles.tiles
    mass = np.zeros((tiles.count + 1, *tiles.shape))
    shift = np.full(particles.dimension, 0.5)
    shift[axis] = 0.0
    lattice = particles.position(1.0) - shift
    base = np.floor(lattice).astype(int)
    part = lattice - base
    for corner in np.ndindex(*(2,) * particles.dimension):
        weight = np.prod(np.where(corner, part, 1 - part), axis=1) * particles.volume
        face = base + corner
        index = np.zeros((len(face), 3), np.int64)
        index[:, : particles.dimension] = face
        size = np.array(tiles.shape[::-1])
        slot = tiles.slots_of_coordinates(index // size)
        place = index % size
        np.add.at(mass, (slot, place[:, 2], place[:, 1], place[:, 0]), weight)
    return mass


@pytest.mark.parametrize("affine", [False, True], ids=["plain", "affine"])
def test_linear_momentum_goes_to_the_grid_whole(make_particles, dimension, affine):
    particles = cloud(make_particles, dimension, affine)
    grid = particles_to_grid(particles)
    for axis in range(dimension):
        momentum = np.nansum(face_masses(particles, axis) * grid.pool[axis])
        expected = (particles.volume.astype(np.float64) * particles.velocity[axis]).sum()
        scale = (particles.volume * np.abs(particles.velocity[axis])).sum()
        assert abs(momentum - expected) < 1e-5 * scale


def spin(places, velocity, mass):
    """Angular momentum about the origin: the x-y part in 2-D, all three in 3-D."""
    x, u = places, velocity
    if x.shape[1] == 2:
        return (mass * (x[:, 0] * u[:, 1] - x[:, 1] * u[:, 0])).sum()
    return (mass[:, None] * np.cross(x, u)).sum(axis=0)


def test_apic_keeps_angular_momentum_to_the_grid(make_particles, dimension):
    """Particle spin includes the affine part: Σ V (x × u + moment of the weights' affine motion)."""
    particles = cloud(make_particles, dimension, affine=True)
    grid = particles_to_grid(particles)
    total = 0.0
    for axis in range(dimension):
        mass = face_masses(particles, axis)
        places = face_places(particles.tiles, axis).reshape(-1, dimension)
        flow = np.zeros_like(places)
        flow[:, axis] = np.nan_to_num(grid.pool[axis]).ravel()
        total = total + spin(places, flow, mass.ravel())
    # The same sum taken particle by particle, corner by corner, without any grid
    expected = 0.0
    x = particles.position(1.0)
    for axis in range(dimension):
        shift = np.full(dimension, 0.5)
        shift[axis] = 0.0
        base = np.floor(x - shift)
        part = x - shift - base
        for corner in np.ndindex(*(2,) * dimension):
            face = base + corner + shift
            weight = np.prod(np.where(corner, part, 1 - part), axis=1) * particles.volume
            rows = particles.affine[axis * dimension : (axis + 1) * dimension]
            flow = np.zeros_like(x)
            flow[:, axis] = particles.velocity[axis] + (rows.T * (face - x)).sum(axis=1)
            expected = expected + spin(face, flow, weight)
    assert np.allclose(total, expected, rtol=1e-4, atol=1e-3 * np.abs(expected).max())


def test_apic_keeps_angular_momentum_back_from_the_grid(make_particles, dimension):
    """A round trip without forces leaves Σ V x × u, with the particles' own spin, as it was on the grid."""
    particles = cloud(make_particles, dimension, affine=True)
    grid = particles_to_grid(particles)
    before = 0.0
    for axis in range(dimension):
        places = face_places(particles.tiles, axis).reshape(-1, dimension)
        flow = np.zeros_like(places)
        flow[:, axis] = np.nan_to_num(grid.pool[axis]).ravel()
        before = before + spin(places, flow, face_masses(particles, axis).ravel())
    assert grid_to_affine_particles(particles, grid) == 0
    again = particles_to_grid(particles)
    after = 0.0
    for axis in range(dimension):
        places = face_places(particles.tiles, axis).reshape(-1, dimension)
        flow = np.zeros_like(places)
        flow[:, axis] = np.nan_to_num(again.pool[axis]).ravel()
        after = after + spin(places, flow, face_masses(particles, axis).ravel())
    assert np.allclose(after, before, rtol=1e-4, atol=1e-3 * np.abs(before).max())


def affine_flow(x):
    matrix = np.array([[0.2, -0.5, 0.3], [0.4, 0.1, -0.2], [-0.3, 0.6, -0.3]])[: x.shape[1], : x.shape[1]]
    return x @ matrix.T + np.array([1.0, -2.0, 0.5])[: x.shape[1]], matrix


def test_apic_reproduces_an_affine_field_exactly(make_particles, dimension):
    particles = cloud(make_particles, dimension, affine=True, n=4000 if dimension == 2 else 60_000)
    flow, matrix = affine_flow(particles.position(1.0))
    particles.velocity = np.ascontiguousarray(flow.T.astype(np.float32))
    particles.affine[:] = matrix.reshape(-1, 1)
    for _ in range(5):
        grid = particles_to_grid(particles)
        assert grid_to_affine_particles(particles, grid) == 0
    # Particles at the rim of the cloud see unknown faces, and the next ones see theirs: a cell further each time
    x = particles.position(1.0) - SHIFT[dimension]
    deep = ((x > 6) & (x < 18)).all(axis=1)
    assert np.abs(particles.velocity.T - flow)[deep].max() < 1e-4
    assert np.abs(particles.affine.T - matrix.ravel())[deep].max() < 1e-4


def test_flip_without_change_keeps_every_velocity(make_particles, dimension):
    particles = cloud(make_particles, dimension)
    before = particles.velocity.copy()
    grid = particles_to_grid(particles)
    still = FaceField(grid.tiles, np.zeros_like(grid.pool))
    grid_to_particles(particles, grid, still, 1.0)
    assert (particles.velocity == before).all()


def test_pic_takes_the_interpolated_velocity(make_particles, dimension):
    particles = cloud(make_particles, dimension)
    grid = particles_to_grid(particles)
    expected = velocity_at(grid, particles.position(1.0), 1.0)
    assert grid_to_particles(particles, grid, None, 0.0) == 0
    assert np.abs(particles.velocity.T - expected).max() < 1e-5


def test_the_blend_lies_between_pic_and_flip(make_particles, dimension):
    results = {}
    for ratio in (0.0, 0.3, 1.0):
        particles = cloud(make_particles, dimension)
        grid = particles_to_grid(particles)
        change = FaceField(grid.tiles, (0.1 * grid.pool).astype(np.float32))
        grid_to_particles(particles, grid, change, ratio)
        results[ratio] = particles.velocity
    assert np.abs(results[0.3] - (0.3 * results[1.0] + 0.7 * results[0.0])).max() < 1e-5


def test_a_face_that_no_particle_reaches_is_unknown(make_particles, dimension):
    particles = make_particles([(4.5, 4.25, 4.75)[:dimension]], [(1.0, 2.0, 3.0)[:dimension]])
    sort_particles(particles, 2)
    grid = particles_to_grid(particles)
    known = grid.pool[~np.isnan(grid.pool)]
    # Two faces along its own axis; along others two unless it sits at the middle of the cell
    assert set(known.tolist()) == set((1.0, 2.0, 3.0)[:dimension])
    assert 2 * dimension <= len(known) < grid.pool.size / 10


@pytest.mark.parametrize("affine", [False, True], ids=["plain", "affine"])
def test_same_bits_for_any_number_of_threads(make_particles, dimension, affine, threads):
    results = []
    for n in (1, 2):
        threads(n)
        particles = cloud(make_particles, dimension, affine)
        grid = particles_to_grid(particles)
        results.append(grid.pool.tobytes())
    assert results[0] == results[1]


def test_a_particle_a_hair_before_the_next_tile_stays_in_its_own(make_particles, dimension):
    """Its coordinate in the tile rounds up to the next one: weights and samples must not leave the block for it."""
    size = 16 if dimension == 2 else 8
    hair = np.nextafter(np.float32(1), np.float32(0))
    particles = make_particles(np.full((1, dimension), size - 0.5), np.full((1, dimension), 3.0), affine=True)
    particles.offset[:] = hair
    sort_particles(particles, 2)
    grid = particles_to_grid(particles)
    assert set(grid.pool[~np.isnan(grid.pool)].tolist()) == {3.0}
    assert grid_to_affine_particles(particles, grid) == 0
    assert (particles.velocity == 3.0).all()
