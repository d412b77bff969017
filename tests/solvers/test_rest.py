"""Liquid that should be at rest is: at any height in a cell, however it was seeded, beside any wall."""

from typing import Any

import numpy as np
import pytest
from validation.shores import SHORES, half_sunk_ball

import plash

G, H = 9.3, 0.05
SIZE = (1.2, 0.9, 0.6)
TRANSFERS = ["flip", "apic"]


def pool(dimension, level, solid=(), **solver):
    top = (SIZE[0], level, *SIZE[2:dimension])
    return plash.Scene(
        domain={"size": SIZE[:dimension], "resolution": 24, "gravity": (0, -G, 0)[:dimension]},
        liquid={"density": 730.0},
        solver=plash.Solver(**solver),
        fill=[{"shape": plash.Box(min=(0.0,) * dimension, max=top)}],
        solid=list(solid),
    )


def advance(solver, seconds, fps=24):
    """Run for a while; returns the kinetic energy over m g H at each frame."""
    start, energies = solver.state.time, []
    for frame in range(1, round(seconds * fps) + 1):
        while solver.state.time < start + frame / fps - 1e-9:
            solver.advance(start + frame / fps)
        energies.append(kinetic(solver))
    return energies


def kinetic(solver, depth=0.43):
    particles = solver.state.particles
    volume = particles.volume.astype(np.float64)
    speed_squared = (particles.velocity.astype(np.float64) ** 2).sum(axis=0)
    return float(0.5 * (volume * speed_squared).sum() / (volume.sum() * G * depth))


def level_error(solver, dimension, level):
    """Error of the measured level, in cells."""
    return abs(solver.ledger.volume / np.prod(SIZE[:dimension]) * SIZE[1] - level) / H


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("tenth", range(11))
def test_a_pool_seeded_on_a_lattice_does_not_move_at_any_height(transfer, tenth):
    level = 0.4 + tenth * H / 10
    solver = plash.build(pool(2, level, transfer=transfer, jitter=0.0))
    assert max(advance(solver, 0.5)) < 1e-9
    assert level_error(solver, 2, level) < 0.03


@pytest.mark.parametrize("tenth", [0, 3, 5, 9])
def test_nor_in_three_dimensions(tenth):
    level = 0.4 + tenth * H / 10
    solver = plash.build(pool(3, level, jitter=0.0))
    assert max(advance(solver, 0.2)) < 1e-9
    assert level_error(solver, 3, level) < 0.03


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("tenth", [0, 2, 5, 8])
def test_a_jittered_pool_is_at_rest_after_three_seconds(transfer, tenth):
    level = 0.4 + tenth * H / 10
    solver = plash.build(pool(2, level, transfer=transfer))
    assert advance(solver, 3)[-1] < 1e-6
    assert level_error(solver, 2, level) < 0.05


def slanted_wall(dimension):
    return plash.HalfSpace(point=(0.3, 0.0, 0.0)[:dimension], normal=(1.0, 0.7, 0.0)[:dimension])


@pytest.mark.slow
@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("shape", [half_sunk_ball, slanted_wall])
def test_no_particle_creeps_along_a_solid(transfer, shape):
    solver = plash.build(pool(2, 0.43, [{"name": "solid", "shape": shape(2)}], transfer=transfer))
    name_particles(solver)
    assert advance(solver, 1)[-1] < 1e-5
    settled = places(solver)
    assert max(advance(solver, 9)) < 1e-5
    assert np.linalg.norm(places(solver) - settled, axis=0).max() < 1
    assert solver.ledger.leaks == {"solid": 0}


@pytest.mark.parametrize("shape", [half_sunk_ball, slanted_wall])
def test_liquid_rests_beside_solids_in_three_dimensions(shape):
    solver = plash.build(pool(3, 0.43, [{"name": "solid", "shape": shape(3)}]))
    assert advance(solver, 1)[-1] < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("courant", [1.0, 3.0])
@pytest.mark.parametrize("shore", SHORES)
def test_a_pool_rests_at_any_shore(shore, courant):
    """With cut cells, whose kernel a body and the surface share."""
    solver: Any = plash.build(pool(2, 0.43, [{"name": "solid", "shape": SHORES[shore](2)}], courant=courant))
    assert max(advance(solver, 5)[-24:]) < 5e-7
    assert np.abs(solver.state.particles.velocity).max() < 5e-3 * np.sqrt(G * 0.43)
    assert places(solver)[1].max() < 0.43 / H + 0.3
    assert solver.ledger.leaks == {"solid": 0}


@pytest.mark.slow
@pytest.mark.parametrize("shore", SHORES)
def test_a_pool_rests_at_any_shore_in_three_dimensions(shore):
    solver = plash.build(pool(3, 0.43, [{"name": "solid", "shape": SHORES[shore](3)}]))
    assert max(advance(solver, 1.5)[-12:]) < 5e-7


@pytest.mark.slow
def test_the_tip_of_a_pool_on_a_flat_beach_rests():
    """It is a film of single particles: none slides up the slope and falls back."""
    solver: Any = plash.build(pool(3, 0.43, [{"name": "solid", "shape": SHORES["10 degrees"](3)}]))
    assert max(advance(solver, 5)[-24:]) < 2e-7
    assert np.abs(solver.state.particles.velocity).max() < 5e-3 * np.sqrt(G * 0.43)
    assert places(solver)[1].max() < 0.43 / H + 0.3
    assert not solver.state.particles.ballistic.any()


@pytest.mark.slow
@pytest.mark.parametrize("shore", ["27 degrees", "45 degrees", "63 degrees", "bowl", "half-sunk ball"])
def test_without_jitter_a_pool_at_a_shore_hardly_moves(shore):
    solver = plash.build(pool(2, 0.43, [{"name": "solid", "shape": SHORES[shore](2)}], jitter=0.0))
    assert max(advance(solver, 2)) < 2e-7


@pytest.mark.slow
@pytest.mark.parametrize("shore", ["10 degrees", "bowl"])
def test_ripples_at_a_shore_do_not_grow(shore):
    solver = plash.build(pool(2, 0.43, [{"name": "solid", "shape": SHORES[shore](2)}]))
    energies = advance(solver, 15)
    assert max(energies[-120:]) < 1.1 * max(energies[120:240])


@pytest.mark.slow
def test_on_a_beach_of_ten_degrees_a_pool_is_nearly_at_rest():
    """A shallow one, with a film of a few particles at its tip."""
    solver = plash.build(pool(2, 0.2, [{"name": "solid", "shape": low_beach()}]))
    assert max(advance(solver, 5)[-24:]) < 1e-6


def low_beach():
    slope = np.radians(10)
    return plash.HalfSpace(point=(0.9, 0.2), normal=(-np.sin(slope), np.cos(slope)))


def name_particles(solver):
    """Volumes that differ in their last bits: particles change places when they are sorted."""
    particles = solver.state.particles
    names = 1 + 2.4e-7 * np.arange(particles.count)
    particles.volume = (particles.volume * names).astype(np.float32)
    assert len(np.unique(particles.volume)) == particles.count


def places(solver):
    """Where particles are, in cells and in the order of their names."""
    particles = solver.state.particles
    order = np.argsort(particles.volume)
    return (particles.cell + particles.offset.astype(np.float64))[:, order]


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_jet_at_a_courant_number_of_five_goes_round_a_ball(dimension):
    centre, radius = np.array((0.7, 0.45, 0.3)[:dimension]), 0.15
    scene = plash.Scene(
        domain={"size": SIZE[:dimension], "resolution": 48},
        solver={"transfer": "flip", "courant": 5.0},
        fill=[
            {
                "shape": plash.Box(min=(0.0, 0.35, 0.2)[:dimension], max=(0.5, 0.55, 0.4)[:dimension]),
                "velocity": (6.0, 0.0, 0.0)[:dimension],
            }
        ],
        solid=[{"name": "ball", "shape": plash.Sphere(center=tuple(centre), radius=radius)}],
    )
    solver = plash.build(scene)
    name_particles(solver)
    middle = centre[:, None] / solver.h
    before = places(solver)
    for _ in range(12):
        solver.advance(solver.state.time + 0.02)
        after = places(solver)
        assert np.linalg.norm(after - middle, axis=0).min() >= radius / solver.h - 1e-4
        assert nearest_on_the_way(before, after, middle).min() > radius / solver.h - 1
        before = after
    assert solver.ledger.leaks == {"ball": 0}
    assert solver.report.courant > 1


def nearest_on_the_way(start, end, middle):
    """Least distance of the straight ways from start to end to a place."""
    way = end - start
    share = np.clip(((middle - start) * way).sum(axis=0) / np.maximum((way**2).sum(axis=0), 1e-30), 0, 1)
    return np.linalg.norm(start + share * way - middle, axis=0)
