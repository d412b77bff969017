import numpy as np
import pytest

from plash.grid.dense import tiles_over
from plash.grid.fields import FaceField
from plash.particles.move import move_particles
from plash.particles.sort import sort_particles

H = 0.37


def field_of(tiles, flow):
    """flow(axis, *places in metres) on every face."""
    field = FaceField.filled(tiles)
    BZ, BY, BX = tiles.shape
    z, y, x = np.meshgrid(np.arange(BZ), np.arange(BY), np.arange(BX), indexing="ij")
    for axis in range(tiles.dimension):
        local = np.stack([x, y, z], axis=-1)[..., : tiles.dimension] + 0.5
        local[..., axis] -= 0.5
        places = (tiles.origins[1:, None, None, None, : tiles.dimension] + local) * H
        field.pool[axis, 1:] = flow(axis, *np.moveaxis(places, -1, 0))
    return field


def on_all_tiles(particles, first, size):
    sort_particles(particles, 2)
    tiles = tiles_over(first, size)
    slots = tiles.slots_of(particles.tiles.keys)
    starts = np.zeros(tiles.count + 2, np.int64)
    starts[slots + 1] = np.diff(particles.starts)[1:]
    particles.starts = np.cumsum(starts)
    particles.tiles = tiles
    return tiles


@pytest.mark.parametrize("courant", [0.4, 2.0, 5.0, 11.0])
def test_a_uniform_flow_carries_everything_by_u_dt(make_particles, dimension, courant):
    rng = np.random.default_rng(0)
    particles = make_particles(rng.uniform(5, 30, (800, dimension)))
    tiles = on_all_tiles(particles, (-20,) * dimension, (80,) * dimension)
    u = np.array((1.0, -0.6, 0.3))[:dimension]
    field = field_of(tiles, lambda axis, *x: u[axis])
    before = particles.position(H)
    dt = courant * H
    assert move_particles(particles, field, dt, H) == 0
    assert np.abs(particles.position(H) - before - u * dt).max() < 1e-5
    assert particles.offset.min() >= 0
    assert particles.offset.max() < 1


def rotation(axis, *x):
    centre = 20.0 * H
    return -(x[1] - centre) if axis == 0 else (x[0] - centre if axis == 1 else np.zeros_like(x[0]))


def test_a_turn_is_second_order_in_time(make_particles, dimension):
    errors = []
    for steps in (50, 100, 200):
        start = np.array([[28.0, 20.0, 9.3], [20.0, 14.0, 9.3], [25.0, 25.0, 9.3]])[:, :dimension]
        particles = make_particles(start)
        tiles = on_all_tiles(particles, (0,) * dimension, (40,) * dimension)
        field = field_of(tiles, rotation)
        for _ in range(steps):
            move_particles(particles, field, 2 * np.pi / steps, H)
            on_all_tiles(particles, (0,) * dimension, (40,) * dimension)
        radius = np.linalg.norm(particles.position(1.0)[:, :2] - 20.0, axis=1)
        errors.append(np.abs(np.sort(radius) - np.sort([8.0, 6.0, np.hypot(5, 5)])).max())
    assert errors[0] / errors[1] > 3.5 or errors[1] < 1e-4
    assert errors[2] < errors[0] / 8


def test_far_samples_agree_with_near_ones(make_particles, dimension):
    """A long step goes through the slow path; many short ones stay in the block."""
    rng = np.random.default_rng(1)
    places = rng.uniform(12, 26, (200, dimension))
    ends = []
    for pieces in (1, 40):
        particles = make_particles(places)
        tiles = on_all_tiles(particles, (-20,) * dimension, (90,) * dimension)
        shear = field_of(tiles, lambda axis, *x: 2.0 + 0.5 * x[1] if axis == 0 else np.zeros_like(x[0]))
        for _ in range(pieces):
            assert move_particles(particles, shear, 1.2 / pieces, H) == 0
        order = np.lexsort(particles.position(H).T)
        ends.append(particles.position(H)[order])
    assert np.abs(ends[0] - ends[1]).max() < 1e-4


def test_a_particle_with_nothing_known_round_it_flies_on(make_particles, dimension):
    velocity = np.array([(0.3, -0.2, 0.1)[:dimension]])
    particles = make_particles([(4.5, 4.5, 4.5)[:dimension]], velocity)
    sort_particles(particles, 2)
    before = particles.position(H)
    unknown = move_particles(particles, FaceField.filled(particles.tiles), 0.1, H)
    assert unknown == 2 * dimension
    assert np.allclose(particles.position(H) - before, velocity * 0.1, atol=1e-6)


def test_moving_ten_thousand_tiles_away_changes_no_bit(make_particles, dimension):
    rng = np.random.default_rng(2)
    places = rng.uniform(12, 26, (500, dimension))
    ends = []
    for shift in (0, 10_000):
        particles = make_particles(places)
        particles.cell += np.int32(shift * (16 if dimension == 2 else 8))
        sort_particles(particles, 4)
        local = np.random.default_rng(3).standard_normal((dimension, particles.tiles.count, *particles.tiles.shape))
        field = FaceField.filled(particles.tiles)
        field.pool[:, 1:] = local
        move_particles(particles, field, 0.2, H)
        ends.append(particles.offset.tobytes())
    assert ends[0] == ends[1]
