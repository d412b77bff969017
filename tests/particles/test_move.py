import numpy as np
import pytest

from plash.particles.move import accelerate, move_particles, stop_accelerating, velocity_after
from plash.particles.sort import sort_particles

H = 0.37
G = 9.3


@pytest.mark.parametrize("courant", [0.4, 2.0, 5.0, 11.0, 300.0])
def test_every_particle_moves_straight_by_its_own_velocity(make_particles, dimension, courant):
    rng = np.random.default_rng(0)
    velocity = rng.uniform(-1, 1, (800, dimension))
    particles = make_particles(rng.uniform(5, 30, (800, dimension)), velocity)
    before = particles.position(H)
    dt = courant * H
    move_particles(particles, dt, H)
    moved = particles.position(H) - before
    assert np.abs(moved - particles.velocity.T.astype(np.float64) * dt).max() < 3e-7 * courant * H + 1e-7
    assert particles.offset.min() >= 0
    assert particles.offset.max() < 1
    assert np.array_equal(particles.velocity, velocity.T.astype(np.float32))


def test_nobody_needs_to_be_sorted_to_move(make_particles, dimension):
    """The grid has no say in a move: particles that are in no tile move as others do."""
    rng = np.random.default_rng(1)
    places, velocity = rng.uniform(-9, 26, (300, dimension)), rng.normal(size=(300, dimension))
    unsorted, in_tiles = make_particles(places, velocity), make_particles(places, velocity)
    sort_particles(in_tiles, 2)
    for particles in (unsorted, in_tiles):
        move_particles(particles, 0.6, H)
    one, other = (each.position(H)[np.lexsort(each.velocity)] for each in (unsorted, in_tiles))
    assert np.array_equal(one, other)


def test_a_particle_that_slips_moves_by_velocity_and_slip(make_particles, dimension):
    rng = np.random.default_rng(2)
    places, own, slip = rng.uniform(3, 20, (200, dimension)), *rng.normal(size=(2, 200, dimension))
    particles, together = make_particles(places, own), make_particles(places, own + slip)
    particles.slip = np.ascontiguousarray(slip.T.astype(np.float32))
    move_particles(particles, 0.45, H)
    move_particles(together, 0.45, H)
    assert np.abs(particles.position(H) - together.position(H)).max() < 1e-6
    assert np.array_equal(particles.velocity, own.T.astype(np.float32))


def test_one_move_for_a_time_is_two_for_half_of_it(make_particles, dimension):
    """A step that crosses a frame stops there, and its rest is a move of its own."""
    rng = np.random.default_rng(3)
    places, velocity = rng.uniform(3, 20, (200, dimension)), rng.normal(size=(200, dimension))
    once, twice = make_particles(places, velocity), make_particles(places, velocity)
    move_particles(once, 0.8, H)
    for part in (0.3, 0.5):
        move_particles(twice, part, H)
    assert np.abs(once.position(H) - twice.position(H)).max() < 1e-6


def test_a_circle_under_a_central_pull_is_second_order_in_time(make_particles):
    """Pulls act from the middle of a step to that of the next; straight moves in between lose no energy."""
    errors = []
    for steps in (50, 100, 200):
        dt = 2 * np.pi / steps
        start = np.array([[8.0, 0.0], [0.0, -6.0], [5.0, 5.0]])
        particles = make_particles(start, H * np.stack([-start[:, 1], start[:, 0]], axis=1))
        kick = dt / 2
        for _ in range(steps):
            particles.velocity -= (kick * particles.position(H)).T.astype(np.float32)
            move_particles(particles, dt, H)
            kick = dt
        errors.append(np.abs(particles.position(1.0) - start).max())
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert 3.5 < errors[1] / errors[2] < 4.5


def test_moving_ten_thousand_tiles_away_changes_no_bit(make_particles, dimension):
    rng = np.random.default_rng(4)
    places, velocity = rng.uniform(12, 26, (500, dimension)), rng.normal(size=(500, dimension))
    ends = []
    for shift in (0, 10_000):
        particles = make_particles(places, velocity)
        particles.cell += np.int32(shift * (16 if dimension == 2 else 8))
        move_particles(particles, 0.2, H)
        ends.append(particles.offset.tobytes())
    assert ends[0] == ends[1]


def test_any_number_of_threads_gives_the_same_bits(make_particles, dimension, threads):
    rng = np.random.default_rng(5)
    places, velocity, slip = rng.uniform(0, 26, (701, dimension)), *rng.normal(size=(2, 701, dimension))
    ends = []
    for count in (1, 2):
        threads(count)
        particles = make_particles(places, velocity)
        particles.slip = np.ascontiguousarray(slip.T.astype(np.float32))
        move_particles(particles, 0.2, H)
        ends.append((particles.cell.tobytes(), particles.offset.tobytes()))
    assert ends[0] == ends[1]


def test_what_a_step_added_goes_on_for_the_time_asked_for(make_particles, dimension):
    rng = np.random.default_rng(6)
    before = rng.normal(size=(100, dimension))
    particles = make_particles(rng.uniform(0, 9, (100, dimension)), before)
    start = particles.velocity.copy()
    particles.velocity[1] -= np.float32(0.02 * G)
    accelerate(particles, start, 0.02)
    assert np.allclose(particles.acceleration[1], -G, rtol=1e-4)
    assert np.abs(np.delete(particles.acceleration, 1, axis=0)).max() < 1e-4
    for time in (0.01, -0.01, 0.0):
        expected = particles.velocity.copy()
        expected[1] -= np.float32(time * G)
        assert np.abs(velocity_after(particles, time, G) - expected).max() < 1e-5


def test_an_impact_does_not_go_on(make_particles, dimension):
    """A particle stopped from 5 m/s within 1 ms does not come back at 5 m/s half a step later."""
    particles = make_particles([(3.2, 4.1, 5.3)[:dimension]], [(0, -5, 0)[:dimension]])
    start = particles.velocity.copy()
    particles.velocity[:] = 0
    accelerate(particles, start, 1e-3)
    later = velocity_after(particles, 5e-4, G)
    assert np.linalg.norm(later) <= 2 * G * 5e-4 * (1 + 1e-6)


def test_what_hit_something_in_any_direction_is_accelerated_no_more(make_particles, dimension):
    velocity = np.random.default_rng(7).normal(size=(40, dimension))
    particles = make_particles(np.full((40, dimension), 3.3), velocity)
    accelerate(particles, np.zeros_like(particles.velocity), 0.01)
    before = particles.acceleration.copy()
    free = particles.velocity.copy()
    particles.velocity[1, 3], particles.velocity[0, 7] = 0, 0
    stop_accelerating(particles, free)
    assert (particles.acceleration[:, [3, 7]] == 0).all()
    others = np.setdiff1d(np.arange(40), [3, 7])
    assert np.array_equal(particles.acceleration[:, others], before[:, others])
