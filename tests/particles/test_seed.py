import numpy as np
import pytest

from plash.grid.dense import to_dense
from plash.particles.seed import seed
from plash.particles.sort import sort_particles
from plash.particles.surface import spread_volume

H = 0.37


def box_distance(low, high):
    low, high = np.array(low), np.array(high)
    return lambda p: np.max(np.maximum(low - p, p - high), axis=1)


def seeded(distance, box, per_cell=None, jitter=0.5, number=0):
    per_cell = per_cell or 2 ** len(box)
    return seed(distance, box, H, per_cell, jitter, np.random.default_rng(number), (1.0, 2.0, 3.0))


@pytest.mark.parametrize("size", [4.0, 4.3, 4.5, 4.77, 0.2])
def test_the_volume_of_a_box_is_right_at_any_sub_cell_size(size, dimension):
    high = (size, 3.6, 5.1)[:dimension]
    particles = seeded(box_distance((0.0,) * dimension, np.array(high) * H), (9, 10, 11)[:dimension])
    # Faces are exact; edges and corners are sampled
    assert particles.total_volume() == pytest.approx(np.prod(high), rel=2e-3 if size > 1 else 2e-2)


def test_the_volume_of_a_ball_converges(dimension):
    radius = 6.3
    centre = np.array((9.1, 8.4, 9.9))[:dimension] * H
    particles = seeded(lambda p: np.linalg.norm(p - centre, axis=1) - radius * H, (20,) * dimension)
    exact = np.pi * radius**2 if dimension == 2 else 4 / 3 * np.pi * radius**3
    assert particles.total_volume() == pytest.approx(exact, rel=3e-3)


def test_a_full_cell_holds_its_lattice(dimension):
    particles = seeded(box_distance((0.0,) * dimension, (99.0,) * dimension), (5, 6, 7)[:dimension], jitter=0.0)
    assert particles.count == np.prod((5, 6, 7)[:dimension]) * 2**dimension
    assert set(np.unique(particles.offset)) == {0.25, 0.75}
    assert (particles.volume == 1 / 2**dimension).all()


def test_jitter_keeps_every_particle_in_its_own_part_of_the_cell(dimension):
    box = (5, 6, 7)[:dimension]
    particles = seeded(box_distance((0.0,) * dimension, (99.0,) * dimension), box, jitter=1.0)
    halves = (particles.cell * 2 + (particles.offset >= 0.5)).T
    assert len(np.unique(halves, axis=0)) == particles.count
    assert particles.offset.min() >= 0
    assert particles.offset.max() < 1


@pytest.mark.parametrize("jitter", [0.25, 1.0])
def test_jitter_leaves_the_fill_fraction_as_it_is(jitter, dimension):
    """Shifts come in opposite pairs: what is left is of second order."""
    box = (8, 7, 9)[:dimension]
    top = np.array((99.0, 3.4, 99.0)[:dimension]) * H
    sides = [(axis, cell, way) for axis, n in enumerate(box) for cell, way in ((0, -1), (n - 1, 1))]
    spread = []
    for size in (0.0, jitter):
        particles = seeded(box_distance((-1.0,) * dimension, top), box, jitter=size)
        sort_particles(particles, 2)
        volume = spread_volume(particles, sides)
        spread.append(to_dense(volume.pool, volume.tiles, (0,) * dimension, box))
    change = np.abs(spread[1] - spread[0]).max()
    assert 0 < change < 2 * (jitter / 4) ** 2


def test_a_wedge_has_its_centre_of_mass(dimension):
    """The tip of a pool on a beach is thinner than the lattice, and lies between two surfaces."""
    bottom, level, slope = 2.3, 4.1, 0.2

    def wedge(p):
        x, y = p[:, 0] / H, p[:, 1] / H
        return np.maximum(y - level, (bottom + slope * x - y) / np.hypot(1, slope)) * H

    particles = seeded(wedge, (14, 8, 3)[:dimension], jitter=0.25)
    depth = level - bottom
    reach = depth / slope
    places = particles.cell + particles.offset.astype(np.float64)
    mean = places @ particles.volume.astype(np.float64) / particles.total_volume()
    assert particles.total_volume() == pytest.approx(reach * depth / 2 * (3 if dimension == 3 else 1), rel=2e-3)
    assert mean[0] == pytest.approx(reach / 3, rel=5e-3)
    assert mean[1] == pytest.approx(level - depth / 3, abs=5e-3)
    assert (wedge(places.T * H) < 0).all()
    assert places[0].max() > reach - 1


def test_the_same_number_gives_the_same_particles_and_another_does_not(dimension):
    shape = box_distance((0.0,) * dimension, (2.0,) * dimension)
    one, two, other = (seeded(shape, (8,) * dimension, number=n) for n in (5, 5, 6))
    assert one.offset.tobytes() == two.offset.tobytes()
    assert one.offset.tobytes() != other.offset.tobytes()


def test_nothing_is_seeded_outside_the_domain(dimension):
    box = (5, 6, 7)[:dimension]
    particles = seeded(lambda p: np.full(len(p), -1.0), box)
    assert (particles.cell.min(axis=1) == 0).all()
    assert (particles.cell.max(axis=1) == np.array(box) - 1).all()


def test_a_film_thinner_than_the_lattice_still_carries_its_volume(dimension):
    high = np.array((8.0, 0.1, 8.0))[:dimension]
    particles = seeded(box_distance((-1.0,) * dimension, [99.0, 0.1 * H, 99.0][:dimension]), (8,) * dimension)
    assert particles.total_volume() == pytest.approx(np.prod(high), rel=1e-5)
    assert particles.count >= 8 ** (dimension - 1)


def test_velocity_is_given_to_every_particle(dimension):
    particles = seeded(box_distance((0.0,) * dimension, (2.0,) * dimension), (8,) * dimension)
    given = np.array((1.0, 2.0, 3.0))[:dimension]
    assert np.array_equal(particles.velocity.T, np.tile(given, (particles.count, 1)))


def test_round_off_makes_no_liquid(dimension):
    """A face that lies on a cell border but for the last bit must not mark the cells beyond."""
    hair = 1e-13
    high = np.array((4.0, 3.0, 5.0))[:dimension]
    particles = seeded(box_distance((-1.0,) * dimension, high * H + hair), (9, 10, 11)[:dimension])
    assert (particles.cell.max(axis=1) == high - 1).all()
    assert particles.total_volume() == pytest.approx(np.prod(high), rel=1e-6)


def test_rows_under_the_top_of_a_box_are_level_up_to_its_edges(dimension):
    """Near an edge the distance is that of another face: where the surface crosses a row is looked for."""
    high = np.array((7.0, 3.4, 6.0)[:dimension]) * H
    particles = seeded(box_distance((0.0,) * dimension, high), (9, 10, 11)[:dimension], jitter=0.0)
    top = particles.cell[1] == 3
    assert np.unique(np.round(particles.offset[1, top], 6)) == pytest.approx([0.2])
