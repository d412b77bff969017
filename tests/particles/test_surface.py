"""The liquid's distance field: exact for flat surfaces along the axes, also beside walls and solids."""

import numpy as np
import pytest

from plash.grid.cells import label_cells
from plash.grid.dense import to_dense
from plash.particles.films import find_ballistic
from plash.particles.seed import seed
from plash.particles.sort import sort_particles
from plash.particles.surface import complete_distance, fill_fraction, liquid_distance, liquid_volume
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.physics.solids.voxel import Voxel
from plash.scene.bodies import Solid

H = 0.37
CELLS = {2: (21, 34), 3: (13, 22, 10)}


def pool(level, dimension, jitter=0.0, number=0, axis=1, solids=(), shift=0):
    """Fill, distance and cells of a pool filled up to a level (in cells) along an axis, in a closed box."""
    box = CELLS[dimension]
    per_cell = 2**dimension

    def gap(points):
        return points[:, axis] - level * H

    particles = seed(gap, box, H, per_cell, jitter, np.random.default_rng(number), (0.0, 0.0, 0.0))
    bodies = SceneSolids(Voxel(solids, DomainBox(tuple(n + shift for n in box), ((CLOSED, CLOSED),) * dimension), H))
    if solids:
        centres = (particles.cell.T + 0.5) * H
        from plash.levelset.shapes import distance

        for solid in solids:
            particles.ballistic = np.zeros(particles.count, np.bool_)
            particles.keep(distance(solid.shape, centres, solid.name) >= 0)
    sort_particles(particles, 3)
    here = bodies.at(particles.tiles)
    fill = fill_fraction(particles, here.inverse_kernel_weight, here.box.closed_sides())
    phi = liquid_distance(fill, H)
    complete_distance(phi, H, here.is_solid, here.inverse_kernel_weight, here.cut_cells)
    return particles, fill, phi, here


def dense(field, dimension):
    return to_dense(field.pool, field.tiles, (0,) * dimension, CELLS[dimension]).astype(np.float64)


def heights(dimension, axis=1):
    """Centres of the cells along an axis, in cells, shaped to go with a dense box."""
    centres = np.arange(CELLS[dimension][axis]) + 0.5
    return centres.reshape([-1 if a == axis else 1 for a in range(dimension)])


@pytest.mark.parametrize("level", [7.0, 7.06, 7.25, 7.3, 7.5, 7.77, 7.999])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_flat_surface_at_any_height_is_exact_up_to_the_walls(dimension, level, axis):
    _, fill, phi, _ = pool(level, dimension, axis=axis)
    # A lattice part filled to less than a fiftieth has no particle of its own
    expected = np.clip(heights(dimension, axis) - level, -1, 1) * H
    beside = np.abs(expected) < H
    difference = np.where(beside, dense(phi, dimension) - expected, 0)
    assert np.abs(difference).max() < (2e-5 if level != 7.999 else 3e-3) * H
    inside = np.broadcast_to(heights(dimension, axis) < level - 1, CELLS[dimension])
    assert np.abs(dense(fill, dimension)[inside] - 1).max() < 1e-3


@pytest.mark.parametrize("level", [7.0, 7.2, 7.5, 7.8])
def test_a_flat_surface_of_jittered_particles_is_within_a_twentieth_of_a_cell(dimension, level):
    """The largest jitter: anywhere in its part of the cell."""
    errors = []
    for number in range(4):
        _, _, phi, _ = pool(level, dimension, jitter=1.0, number=number)
        values = dense(phi, dimension)
        below = (values < 0).sum(axis=1) - 1
        columns = np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
        low = below.reshape(-1)
        rows = np.arange(len(low))
        a, b = columns[rows, low], columns[rows, low + 1]
        errors.append(low + 0.5 + a / (a - b) - level)
    every = np.concatenate([e.ravel() for e in errors])
    assert abs(every.mean()) < 0.05
    assert every.std() < 0.15


@pytest.mark.parametrize("level", [8.0, 8.3, 8.6])
def test_a_flat_surface_stays_flat_beside_a_ball(dimension, level):
    """Particles fill the open cells round a ball; divided by the open share of the kernel, f does not see it."""
    centre = tuple(np.array((9.2, 8.1, 5.3))[:dimension] * H)
    ball = Solid(name="ball", shape={"kind": "sphere", "center": centre, "radius": 3.4 * H})
    _, _, phi, here = pool(level, dimension, solids=[ball])
    solid = to_dense(here.is_solid, here.tiles, (0,) * dimension, CELLS[dimension])
    assert solid.any()
    expected = np.broadcast_to(np.clip(heights(dimension) - level, -1, 1) * H, solid.shape)
    looked_at = ~solid & (np.abs(expected) < H)
    difference = (dense(phi, dimension) - expected)[looked_at]
    # A voxel corner in the way of a kernel is not a product of half-lines: exact beside flat faces only
    assert abs(difference.mean()) < 0.02 * H
    assert np.abs(difference).max() < 0.3 * H


def test_the_surface_goes_on_into_solids(dimension):
    _, _, phi, _ = pool(7.3, dimension)
    first, size = (-2,) * dimension, tuple(n + 4 for n in CELLS[dimension])
    values = to_dense(phi.pool, phi.tiles, first, size).astype(np.float64)
    beside = [2] * dimension
    for height in range(6, 12):
        beside[1] = height
        inside, beyond, further = values[tuple(beside)], *(values[(d, *beside[1:])] for d in (1, 0))
        assert beyond == pytest.approx(inside, abs=1e-6)
        assert further == pytest.approx(inside, abs=1e-6)


@pytest.mark.parametrize("level", [7.0, 7.3, 7.5, 7.8])
def test_measured_volume_is_that_of_the_pool(dimension, level):
    particles, _, phi, here = pool(level, dimension)
    cells = label_cells(phi.tiles, phi.pool < 0, here.is_solid, phi)
    expected = level * np.prod(CELLS[dimension]) / CELLS[dimension][1]
    assert liquid_volume(phi, cells, H) == pytest.approx(expected, rel=1e-4)
    assert particles.total_volume() == pytest.approx(expected, rel=1e-5)


def test_measured_volume_of_a_ball_converges(dimension):
    errors = []
    for radius in (4.3, 8.6):
        centre = np.array((11.2, 11.7, 11.4))[:dimension] * H

        def gap(points, centre=centre, radius=radius):
            return np.linalg.norm(points - centre, axis=1) - radius * H

        particles = seed(
            gap,
            (24,) * dimension,
            H,
            2**dimension,
            0.0,
            np.random.default_rng(0),
            (0.0, 0.0, 0.0),
        )
        sort_particles(particles, 3)
        phi = liquid_distance(
            fill_fraction(particles, np.ones((particles.tiles.count + 1, *particles.tiles.shape), np.float32)), H
        )
        cells = label_cells(phi.tiles, phi.pool < 0, np.zeros(phi.pool.shape, bool), phi)
        exact = np.pi * radius**2 if dimension == 2 else 4 / 3 * np.pi * radius**3
        errors.append(abs(liquid_volume(phi, cells, H) / exact - 1))
    # A kernel of this width sees a strongly curved surface too far inside
    assert errors[0] < 0.06
    assert errors[1] < 0.4 * errors[0]


def test_lone_particles_fly_and_those_in_the_liquid_do_not(dimension, make_particles):
    rng = np.random.default_rng(3)
    places = [[9.25 + 0.5 * i, 4.25 + 0.5 * j, 7.25 + 0.5 * k] for i in range(8) for j in range(8) for k in range(8)]
    inside = np.unique(np.array(places)[:, :dimension], axis=0)
    alone = np.array([[2.1, 3.3, 4.4], [11.3, 15.2, 9.1], [11.3, 11.9, 9.1]])[:, :dimension]
    particles = make_particles(np.concatenate([inside, alone + 0.01 * rng.random(alone.shape)]))
    particles.volume[:] = 1 / 2**dimension
    sort_particles(particles, 3)
    fill = fill_fraction(particles, np.ones((particles.tiles.count + 1, *particles.tiles.shape), np.float32))
    phi = liquid_distance(fill, H)
    cells = label_cells(phi.tiles, phi.pool < 0, np.zeros(phi.pool.shape, bool), phi)
    find_ballistic(particles, phi, cells, H)
    ballistic = particles.position(1.0)[particles.ballistic]
    assert len(ballistic) == 3
    assert np.abs(np.sort(ballistic[:, 1]) - np.sort(alone[:, 1])).max() < 0.011


def test_far_from_the_origin_nothing_changes(dimension):
    """Ten thousand tiles away, to the bit."""
    results = []
    for shift in (0, 10_000):
        particles, *_ = pool(7.3, dimension, jitter=0.5)
        particles.cell = particles.cell + np.int32(shift * (16 if dimension == 2 else 8))
        particles.tiles = None
        sort_particles(particles, 3)
        fill = fill_fraction(particles, np.ones((particles.tiles.count + 1, *particles.tiles.shape), np.float32))
        results.append((fill.pool.tobytes(), liquid_distance(fill, H).pool.tobytes()))
    assert results[0] == results[1]


def test_same_bits_for_any_number_of_threads(dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        particles, fill, phi, here = pool(7.3, dimension, jitter=1.0)
        cells = label_cells(phi.tiles, phi.pool < 0, here.is_solid, phi)
        find_ballistic(particles, phi, cells, H)
        volume = liquid_volume(phi, cells, H)
        results.append((fill.pool.tobytes(), phi.pool.tobytes(), volume, particles.ballistic.tobytes()))
    assert results[0] == results[1]


def test_closed_sides_are_mirrors_that_lose_no_volume(dimension, make_particles):
    """Particles on a floor or in a corner count in full: Σ f over the cells inside is the volume that they carry."""
    rng = np.random.default_rng(8)
    size = np.array(CELLS[dimension], np.float64)
    places = rng.uniform(0.0, 1.0, (400, dimension)) * size
    stuck = rng.integers(0, dimension, 400)
    places[np.arange(400), stuck] = rng.choice([0.0, 1e-3, 0.2], 400)
    places[::2, 0] = size[0] - 1e-3
    particles = make_particles(places)
    sort_particles(particles, 3)
    here = SceneSolids(Voxel([], DomainBox(CELLS[dimension], ((CLOSED, CLOSED),) * dimension), H)).at(particles.tiles)
    fill = fill_fraction(particles, here.inverse_kernel_weight, here.box.closed_sides())
    assert np.nansum(dense(fill, dimension)) == pytest.approx(particles.total_volume(), rel=1e-6)
