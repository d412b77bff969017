"""Liquid lets go of walls that would have to pull on it, and of no others."""

import numpy as np
import pytest

import plash

G = 9.3
SIZE = (1.2, 0.9, 0.6)


def under_a_ceiling(dimension, low, high, sides="closed", solid=(), **solver):
    """Liquid between two corners in a box that is no cube."""
    return plash.Scene(
        domain={"size": SIZE[:dimension], "resolution": 24, "gravity": (0, -G, 0)[:dimension], "sides": sides},
        liquid={"density": 730.0},
        solver=plash.Solver(**{"transfer": "flip", "jitter": 0.0, **solver}),
        fill=[{"shape": plash.Box(min=low[:dimension], max=high[:dimension])}],
        solid=list(solid),
    )


def after(scene, seconds):
    """The solver, and the fall of the liquid's centre over that of a free body, g t²/2."""
    solver = plash.build(scene)
    start = heights(solver).mean()
    while solver.state.time < seconds:
        solver.advance(seconds)
    return solver, (start - heights(solver).mean()) / (G * seconds**2 / 2)


def heights(solver):
    particles = solver.state.particles
    return (particles.cell[1] + particles.offset[1].astype(np.float64)) * solver.h


@pytest.mark.parametrize("transfer", ["apic", "flip"])
@pytest.mark.parametrize("free_surface", ["ghost", "staircase"])
def test_a_block_under_the_ceiling_falls_like_a_stone(dimension, transfer, free_surface):
    block = (0.3, 0.6, 0.2), (0.9, 0.9, 0.4)
    scene = under_a_ceiling(dimension, *block, transfer=transfer, free_surface=free_surface)
    solver, share = after(scene, 0.15)
    assert share == pytest.approx(1, abs=0.01)
    while solver.state.time < 0.17:
        solver.advance(0.17)
    assert heights(solver).max() < 0.9 - 2 * solver.h


def test_so_does_a_layer_that_covers_the_whole_ceiling(dimension):
    layer = (0.0, 0.6, 0.0), SIZE
    _, falls = after(under_a_ceiling(dimension, *layer), 0.15)
    _, hangs = after(under_a_ceiling(dimension, *layer, separating_walls=False), 0.15)
    assert falls == pytest.approx(1, abs=0.01)
    assert abs(hangs) < 0.05


@pytest.mark.parametrize("courant", [0.25, 0.5, 1.0])
def test_nothing_draws_it_back_when_steps_are_short(dimension, courant):
    """The gap above it is thinner than a cell for many steps, and is no liquid that is spread too thin."""
    layer = (0.0, 0.6, 0.0), SIZE
    _, falls = after(under_a_ceiling(dimension, *layer, courant=courant), 0.15)
    assert falls == pytest.approx(1, abs=0.015)


def test_and_liquid_under_a_body_that_cuts_cells(dimension):
    shelf = plash.Box(min=(0.1, 0.617, 0.1)[:dimension], max=(1.1, 0.74, 0.5)[:dimension])
    low, high = (0.2, 0.4, 0.15), (1.0, 0.617, 0.45)
    scene = under_a_ceiling(dimension, low, high, solid=[{"name": "shelf", "shape": shelf}])
    _, falls = after(scene, 0.12)
    stuck = scene.model_copy(update={"solver": scene.solver.model_copy(update={"separating_walls": False})})
    _, hangs = after(stuck, 0.12)
    assert falls > 0.97
    assert hangs < 0.9


def test_a_full_box_keeps_together(dimension):
    solver, share = after(under_a_ceiling(dimension, (0, 0, 0), SIZE), 0.2)
    assert abs(share) < 1e-3
    assert solver.speed < 1e-4


def test_a_pool_stays_as_it_is_without_parting(dimension):
    pool = (0, 0, 0), (1.2, 0.47, 0.6)
    loose, held = (
        after(under_a_ceiling(dimension, *pool, separating_walls=separating_walls), 0.2)[0]
        for separating_walls in (True, False)
    )
    for one, other in zip(positions(loose), positions(held), strict=True):
        np.testing.assert_array_equal(one, other)


def positions(solver):
    return solver.state.particles.cell, solver.state.particles.offset


def test_a_stream_along_a_wall_is_not_drawn_through_it(dimension):
    scene = under_a_ceiling(dimension, (0.0, 0.0, 0.0), (0.4, 0.8, 0.6))
    solver, _ = after(scene, 0.6)
    cell, offset = positions(solver)
    places = (cell + offset.astype(np.float64)) * solver.h
    for along, size in zip(places, SIZE, strict=False):
        assert along.min() >= 0
        assert along.max() <= size * (1 + 1e-6)
    assert places[0].max() > 0.9 * SIZE[0]  # it has reached the far wall, and could have gone through
    assert solver.ledger.particle_volume == pytest.approx(solver.ledger.initial, rel=1e-6)
    assert solver.ledger.volume == pytest.approx(solver.ledger.initial, rel=0.06)
