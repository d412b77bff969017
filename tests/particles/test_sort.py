import numpy as np
import pytest

from plash.grid.tiles import TILE_SHAPES
from plash.particles.sort import sort_particles


def tile_of(particles):
    size = TILE_SHAPES[particles.dimension][2]
    return particles.cell // size


def check_sorted(particles):
    tiles = particles.tiles
    for slot in tiles.slots:
        mine = slice(particles.starts[slot], particles.starts[slot + 1])
        expected = tiles.coordinates[slot, : particles.dimension]
        assert not np.any(tile_of(particles)[:, mine].T - expected)
    assert particles.starts[-1] == particles.count


def test_particles_stand_in_the_order_of_their_tiles(make_particles, dimension):
    rng = np.random.default_rng(0)
    particles = make_particles(rng.uniform(-30, 50, (4000, dimension)))
    sort_particles(particles, 2)
    check_sorted(particles)
    # And again after some of them moved: by one tile, and by many
    particles.cell += rng.integers(-9, 10, particles.cell.shape).astype(np.int32)
    particles.cell[:, ::97] += 200
    sort_particles(particles, 2)
    check_sorted(particles)


def test_sorting_moves_whole_particles(make_particles, dimension):
    rng = np.random.default_rng(1)
    places = rng.uniform(-30, 50, (3000, dimension))
    particles = make_particles(places, velocity=places)
    particles.volume = rng.random(3000).astype(np.float32)
    before = sorted(zip(particles.velocity[0].tolist(), particles.volume.tolist(), strict=True))
    sort_particles(particles, 2)
    assert np.abs(particles.position(1.0) - particles.velocity.T).max() < 1e-5
    assert sorted(zip(particles.velocity[0].tolist(), particles.volume.tolist(), strict=True)) == before


@pytest.mark.parametrize("buffer", [2, 3, 7, 12])
def test_every_cell_within_the_buffer_has_a_tile_and_no_tile_is_further(make_particles, dimension, buffer):
    """Cline figure 4, with the buffer measured along each axis."""
    rng = np.random.default_rng(2)
    particles = make_particles(rng.uniform(-40, 60, (25, dimension)))
    sort_particles(particles, buffer)
    tiles = particles.tiles
    size = tiles.shape[2]
    reach = np.arange(-buffer, buffer + 1)
    offsets = np.stack(np.meshgrid(*[reach] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    near = np.unique((particles.cell.T[:, None, :] + offsets).reshape(-1, dimension) // size, axis=0)
    needed = np.zeros((len(near), 3), np.int64)
    needed[:, :dimension] = near
    assert (tiles.slots_of_coordinates(needed) > 0).all()
    if dimension == 2 or buffer < 12:
        # Extents are taken per tile, so a corner tile may be there without need; never further than one
        assert tiles.count <= 2 * len(near)


def test_a_lone_droplet_does_not_allocate_its_whole_neighbourhood(make_particles):
    particles = make_particles([[4.5, 4.5, 4.5]])
    sort_particles(particles, 3)
    assert particles.tiles.count == 1


def test_marked_cells_are_those_with_a_particle(make_particles, dimension):
    particles = make_particles(np.array([[3.2, 4.9, 1.1], [3.7, 4.1, 1.9], [17.5, -2.5, 0.5]])[:, :dimension])
    marked = sort_particles(particles, 2)
    assert marked.sum() == 2
    for p in range(3):
        slot = np.searchsorted(particles.starts, p, side="right") - 1
        x, y, z = [*(particles.cell[:, p] - particles.tiles.origins[slot, :dimension]), 0][:3]
        assert marked[slot, z, y, x]


def test_tiles_that_did_not_change_are_the_same_object(make_particles, dimension):
    particles = make_particles(np.random.default_rng(3).uniform(0, 20, (500, dimension)))
    sort_particles(particles, 2)
    tiles = particles.tiles
    sort_particles(particles, 2)
    assert particles.tiles is tiles


def test_the_order_does_not_depend_on_threads(make_particles, dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        particles = make_particles(np.random.default_rng(4).uniform(-30, 50, (5000, dimension)))
        for _ in range(3):
            sort_particles(particles, 3)
            particles.cell += np.int32(3)
        results.append(particles)
    assert results[0].cell.tobytes() == results[1].cell.tobytes()
    assert results[0].offset.tobytes() == results[1].offset.tobytes()


def test_dropped_particles_leave_the_others_sorted(make_particles, dimension):
    particles = make_particles(np.random.default_rng(5).uniform(-30, 50, (2000, dimension)))
    sort_particles(particles, 2)
    particles.keep(np.random.default_rng(6).random(2000) < 0.6)
    check_sorted(particles)
