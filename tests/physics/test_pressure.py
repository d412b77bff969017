"""Z2-Z4: the projection, with h and rho never one, in boxes that are no cubes."""

import numpy as np
import pytest

from plash.grid.cells import LIQUID, WALL, WET
from plash.grid.differences import divergence
from plash.physics.forces import Gravity
from plash.physics.free_surface_staircase import Staircase
from plash.physics.pressure import PressureSolver

RHO, DT, TOLERANCE = 723.0, 0.013, 1e-6


def solver(box, **options):
    return PressureSolver(Staircase(), rho=RHO, h=box.h, tolerance=TOLERANCE, **options)


def random_flow(box, seed=0):
    rng = np.random.default_rng(seed)
    field = box.faces(lambda axis, *x: rng.standard_normal(x[0].shape))
    walls = (box.cells.faces & WALL) > 0
    field.pool[walls] = 0
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    return field


def pools(make_box, dimension):
    """A tilted pool with an obstacle standing in it."""
    return make_box(
        dimension,
        liquid=lambda *i: i[1] < 8 + i[0] // 3,
        solid=lambda *i: (i[0] > 3) & (i[0] < 9) & (i[1] > 1) & (i[1] < 6),
    )


def energy(field):
    return np.nansum(field.pool.astype(np.float64) ** 2)


def test_divergence_is_below_tolerance_in_every_liquid_cell(make_box, dimension):
    box = pools(make_box, dimension)
    field = random_flow(box)
    before = np.linalg.norm(divergence(field, box.cells))
    projection = solver(box).project(field, box.cells, DT)
    left = np.abs(divergence_after(field, box))
    assert left.max() < TOLERANCE * before + 2e-6
    assert projection.residual <= TOLERANCE
    assert projection.iterations <= 12


def divergence_after(field, box):
    walls = ((box.cells.faces & WALL) > 0) & ((box.cells.faces & WET) > 0)
    closed = field.copy()
    closed.pool[walls] = 0
    return divergence(closed, box.cells)


def enforce_no_flux(field, box):
    field.pool[((box.cells.faces & WALL) > 0) & ((box.cells.faces & WET) > 0)] = 0


def test_projecting_twice_changes_nothing(make_box, dimension):
    box = pools(make_box, dimension)
    field = random_flow(box)
    solver(box).project(field, box.cells, DT)
    enforce_no_flux(field, box)
    once = field.copy()
    solver(box).project(field, box.cells, DT)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool - once.pool)) < 1e-4


def test_energy_does_not_grow(make_box, dimension):
    for seed in range(3):
        box = pools(make_box, dimension)
        field = random_flow(box, seed)
        before = energy(field)
        solver(box).project(field, box.cells, DT)
        assert energy(field) < before


def test_a_divergence_free_field_is_left_alone(make_box, dimension):
    box = make_box(dimension)
    width, height = (n * box.h for n in box.cells_along[:2])

    def stream(x, y):
        return np.sin(np.pi * x / width) ** 2 * np.sin(np.pi * y / height) ** 2

    def flow(axis, *x):
        step = box.h / 2
        if axis == 0:
            return (stream(x[0], x[1] + step) - stream(x[0], x[1] - step)) / box.h
        if axis == 1:
            return -(stream(x[0] + step, x[1]) - stream(x[0] - step, x[1])) / box.h
        return np.zeros_like(x[0])

    field = box.faces(flow)
    field.pool[(box.cells.faces & WALL) > 0] = 0
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    before = field.copy()
    solver(box).project(field, box.cells, DT)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool - before.pool)) < 1e-5


@pytest.mark.parametrize("gas_pressure", [0.0, 1.7e3])
def test_pressure_in_a_still_pool_is_hydrostatic(make_box, dimension, gas_pressure):
    """Z2 with air pressure at cell centres: p = rho g h k, counted down from the surface."""
    depth, g = 11, 9.81
    box = make_box(dimension, liquid=lambda *i: i[1] < depth)
    field = box.faces(lambda axis, *x: np.zeros_like(x[0]))
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    Gravity((0.0, -g, 0.0)[:dimension]).add(field, box.cells, 0.0, DT)
    enforce_no_flux(field, box)
    projection = solver(box, gas_pressure=gas_pressure).project(field, box.cells, DT)
    pressure = box.dense(projection.pressure.pool)
    k = depth - np.arange(depth)
    expected = (RHO * g * box.h * k + gas_pressure).reshape((1, -1) + (1,) * (dimension - 2))
    assert np.allclose(pressure[:, :depth], expected, rtol=1e-4)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool)) < 1e-4 * g * DT


def test_in_a_closed_box_a_uniform_force_moves_nothing(make_box, dimension):
    """Filled to the lid, the operator is singular, and gravity changes nothing but the pressure."""
    box = make_box(dimension)
    field = box.faces(lambda axis, *x: np.zeros_like(x[0]))
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    Gravity((1.3, -9.81, 0.4)[:dimension]).add(field, box.cells, 0.0, DT)
    enforce_no_flux(field, box)
    projection = solver(box).project(field, box.cells, DT)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool)) < 1e-4 * 9.81 * DT
    assert projection.excess < 1e-6
    pressure = box.dense(projection.pressure.pool)
    assert abs(pressure.mean()) < 1e-6 * np.abs(pressure).max()
    slopes = np.diff(pressure, axis=1)
    assert np.allclose(slopes, -RHO * 9.81 * box.h, rtol=1e-3)


def test_a_closed_box_with_any_forcing_ends_divergence_free(make_box, dimension):
    box = make_box(dimension)
    field = random_flow(box)
    before = np.linalg.norm(divergence(field, box.cells))
    solver(box).project(field, box.cells, DT)
    assert np.abs(divergence_after(field, box)).max() < TOLERANCE * before + 2e-6


def test_flow_into_a_closed_box_is_reported_and_not_hidden(make_box, dimension):
    box = make_box(dimension)
    field = box.faces(lambda axis, *x: np.zeros_like(x[0]))
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    # A wall that moves in: flux through the x_min faces
    speed = 0.2
    walls = box.dense(box.cells.faces[0])[0]
    assert (walls & WALL).all()
    inflow = box.faces(lambda axis, *x: np.where((axis == 0) & (np.abs(x[0]) < 0.1 * box.h), speed, 0.0))
    mask = ((box.cells.faces & WET) > 0) & (inflow.pool > 0)
    field.pool[mask] = speed
    projection = solver(box).project(field, box.cells, DT)
    volume = np.prod(box.cells_along)
    area = volume / box.cells_along[0]
    assert projection.excess == pytest.approx(speed * area / volume / box.h, rel=1e-5)


def test_free_fall_has_no_pressure(make_box, dimension):
    """A blob that touches nothing falls with g, and needs no iteration to do so."""
    box = make_box(dimension, walls=False, liquid=lambda *i: (i[0] > 3) & (i[0] < 10) & (i[1] > 4) & (i[1] < 12))
    field = box.faces(lambda axis, *x: np.full_like(x[0], -1.7))
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    Gravity((0.0, -9.81, 0.0)[:dimension]).add(field, box.cells, 0.0, DT)
    before = field.copy()
    projection = solver(box).project(field, box.cells, DT)
    assert projection.iterations == 0
    assert (projection.pressure.pool == 0).all()
    known = ~np.isnan(field.pool)
    assert (field.pool[known] == before.pool[known]).all()


def test_pressure_is_the_gradient_of_a_potential_scaled_by_rho_and_h(make_box, dimension):
    """u_new = u - (dt/rho) grad p with p in pascal: no factor of h or rho is lost."""
    box = pools(make_box, dimension)
    field = random_flow(box)
    before = field.copy()
    projection = solver(box).project(field, box.cells, DT)
    p = box.dense(projection.pressure.pool)
    for axis in range(dimension):
        bits = box.dense(box.cells.faces[axis])
        change = box.dense(field.pool[axis] - before.pool[axis]).astype(np.float64)
        gradient = (p - np.roll(p, 1, axis)) / box.h
        inner = (bits & (WET | WALL)) == WET
        inner[(slice(None),) * axis + (0,)] = False
        assert np.allclose(change[inner], -(DT / RHO) * gradient[inner], atol=2e-5)


def test_same_bits_for_any_number_of_threads(make_box, dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        box = pools(make_box, dimension)
        field = random_flow(box)
        projection = solver(box).project(field, box.cells, DT)
        results.append((field.pool.tobytes(), projection.pressure.pool.tobytes()))
    assert results[0] == results[1]


def test_extra_empty_tiles_change_no_bit(make_box, dimension):
    from plash.grid.cells import label_cells
    from plash.grid.tiles import Tiles

    box = pools(make_box, dimension)
    field = random_flow(box)
    solver(box).project(field.copy(), box.cells, DT)
    ring = [[x, y, z] for x in range(-6, 9) for y in range(-6, 9) for z in (range(-3, 5) if dimension == 3 else [0])]
    wider = Tiles.at(np.concatenate([box.tiles.coordinates[1:], ring]), dimension)
    slots = wider.slots_of(box.tiles.keys)
    marked = np.zeros((wider.count + 1, *wider.shape), bool)
    solid = marked.copy()
    marked[slots] = box.cells.label[1:] == LIQUID
    solid[slots] = box.cells.label[1:] == 2
    cells = label_cells(wider, marked, solid)
    moved = field.moved_to(wider)
    one = field.copy()
    solver(box).project(one, box.cells, DT)
    solver(box).project(moved, cells, DT)
    inner = box.cells.liquid_tiles
    assert one.pool[:, inner].tobytes() == moved.pool[:, wider.slots_of(box.tiles.keys[inner - 1])].tobytes()
