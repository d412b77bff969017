"""Density projection: what is too dense spreads, what is even stays, and nothing is lost."""

import numpy as np
import pytest

from plash.grid.cells import label_cells
from plash.linear.system import PoissonSystem
from plash.particles.density import density_error, displace_particles
from plash.particles.films import find_ballistic
from plash.particles.particles import Particles
from plash.particles.sort import sort_particles
from plash.particles.surface import fill_fraction, liquid_distance
from plash.physics.density_projection import DensityProjection
from plash.physics.free_surface_ghost import Ghost
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.physics.solids.voxel import Voxel

H = 0.37
CELLS = {2: (14, 20), 3: (9, 14, 11)}


def lattice(level, dimension):
    """Two particles along each side of a cell, up to a level in cells, filling a closed box."""
    ends = [2 * (level if axis == 1 else n) for axis, n in enumerate(CELLS[dimension])]
    axes = np.meshgrid(*[(np.arange(n) + 0.5) / 2 for n in ends], indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def looked_at(particles: Particles):
    """Solids and labelled cells for sorted particles in the closed box."""
    dimension = particles.dimension
    sort_particles(particles, 3)
    solids = SceneSolids(Voxel([], DomainBox(CELLS[dimension], ((CLOSED, CLOSED),) * dimension), H)).at(particles.tiles)
    fill = fill_fraction(particles, solids.inverse_kernel_weight, solids.box.closed_sides())
    phi = liquid_distance(fill, H)
    cells = label_cells(phi.tiles, phi.pool < 0, solids.is_solid, phi, fill)
    find_ballistic(particles, phi, cells, H)
    return solids, cells


def correct(particles, tolerance=1e-6):
    solids, cells = looked_at(particles)
    before = np.linalg.norm(density_error(cells))
    system = PoissonSystem(Ghost().operator(cells))
    velocity = particles.velocity.copy()
    DensityProjection(Ghost(), tolerance).correct(particles, cells, solids, system, 1.0, dt=0.01)
    assert np.array_equal(particles.velocity, velocity)
    solids.collide(particles)
    return before, cells


def test_an_even_pool_is_left_alone(dimension, make_particles):
    particles = make_particles(lattice(12, dimension))
    places = particles.position(1.0)
    before, _ = correct(particles)
    assert before < 1e-4
    moved = particles.position(1.0)
    assert np.abs(np.sort(moved, axis=0) - np.sort(places, axis=0)).max() < 1e-4


def test_the_error_shrinks_several_times_in_a_few_steps_and_volume_stays(dimension, make_particles):
    rng = np.random.default_rng(2)
    places = lattice(12, dimension)
    places += rng.uniform(-0.6, 0.6, places.shape)
    places = np.clip(places, 1e-3, np.array(CELLS[dimension]) - 1e-3)
    particles = make_particles(places)
    volume = particles.total_volume()
    particles.velocity = rng.standard_normal(particles.velocity.shape).astype(np.float32)
    errors = [correct(particles)[0] for _ in range(8)]
    assert errors[1] < 0.75 * errors[0]
    assert errors[-1] < 0.25 * errors[0]
    assert particles.total_volume() == volume
    where = particles.position(1.0)
    assert (where > 0).all()
    assert (where < np.array(CELLS[dimension])).all()


def test_under_density_counts_inside_and_not_at_the_surface(dimension, make_particles):
    places = lattice(12, dimension)
    centre = np.array((7.0, 6.0, 5.0))[:dimension]
    particles = make_particles(places[np.abs(places - centre).max(axis=1) > 0.6])
    _, cells = looked_at(particles)
    error = density_error(cells)
    assert error.min() < -0.1
    around, _ = cells.surroundings
    assert (error[(around & 1) > 0] >= 0).all()
    assert (error[cells.label != 1] == 0).all()


def test_a_displacement_is_never_longer_than_half_a_cell(dimension, make_particles):
    particles = make_particles(lattice(12, dimension))
    particles.volume *= np.float32(2)  # far too dense: everything wants to go up
    solids, cells = looked_at(particles)
    before = particles.position(1.0)
    system = PoissonSystem(Ghost().operator(cells))
    DensityProjection(Ghost(), 1e-4).correct(particles, cells, solids, system, 1.0, dt=0.01)
    step = np.linalg.norm(particles.position(1.0) - before, axis=1)
    assert step.max() <= 0.5 + 1e-5
    assert step.max() > 0.49


def test_flying_particles_are_not_displaced(dimension, make_particles):
    from plash.grid.fields import FaceField

    particles = make_particles(lattice(6, dimension))
    sort_particles(particles, 3)
    particles.ballistic[::2] = True
    before = particles.position(1.0)
    displace_particles(particles, FaceField.filled(particles.tiles, 0.2))
    moved = particles.position(1.0) - before
    assert (moved[::2] == 0).all()
    assert moved[1::2] == pytest.approx(0.2, abs=1e-5)


def test_same_bits_for_any_number_of_threads(dimension, make_particles, threads):
    results = []
    for n in (1, 2):
        threads(n)
        rng = np.random.default_rng(2)
        places = np.clip(lattice(12, dimension) + 0.0, 1e-3, None)
        places += rng.uniform(-0.2, 0.2, places.shape)
        places = np.clip(places, 1e-3, np.array(CELLS[dimension]) - 1e-3)
        particles = make_particles(places)
        correct(particles, 0.1)
        results.append((particles.cell.tobytes(), particles.offset.tobytes()))
    assert results[0] == results[1]


def test_the_target_fill_follows_the_volume_that_is_seen_and_not_far(dimension, make_particles):
    particles = make_particles(lattice(12, dimension))
    looked_at(particles)
    carried = particles.total_volume()
    projection = DensityProjection(Ghost())
    assert projection.target_fill(1.001, particles, carried, 0.01) == pytest.approx(1.001)
    assert projection.target_fill(1.0, particles, 1.01 * carried, 0.5) == pytest.approx(1.0005)
    assert projection.target_fill(1.0, particles, 0.5 * carried, 100.0) > 0.99
    particles.ballistic[: particles.count // 2] = True
    assert projection.target_fill(1.0, particles, carried / 2, 0.5) == pytest.approx(1.0, abs=1e-3)
