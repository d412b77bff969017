"""The ghost-fluid surface: Z2 at any height in a cell, with h and rho never one, in boxes that are no cubes."""

from dataclasses import replace

import numpy as np
import pytest

from plash.grid.cells import WALL, WET, label_cells
from plash.grid.dense import from_dense
from plash.grid.differences import divergence
from plash.grid.fields import CellField
from plash.physics.forces import Gravity
from plash.physics.free_surface_ghost import Ghost
from plash.physics.pressure import PressureSolver

RHO, DT, TOLERANCE, G = 723.0, 0.013, 1e-7, 9.81


def solver(box, **options):
    return PressureSolver(Ghost(), rho=RHO, h=box.h, tolerance=TOLERANCE, **options)


def with_surface(box, distance):
    """The box with liquid where a function of cell centres (in cells) is negative."""
    first, size = (-3,) * box.dimension, tuple(n + 6 for n in box.cells_along)
    index = np.meshgrid(*[np.arange(f, f + n) + 0.5 for f, n in zip(first, size, strict=True)], indexing="ij")
    values = np.clip(distance(*index), -1, 1).astype(np.float32) * np.float32(box.h)
    phi = CellField(box.tiles, from_dense(values, box.tiles, first, np.float32(box.h)))
    return replace(box, cells=label_cells(box.tiles, phi.pool < 0, box.cells.label == 2, phi))


def enforce_no_flux(field, box):
    field.pool[((box.cells.faces & WALL) > 0) & ((box.cells.faces & WET) > 0)] = 0


def at_rest(box, gravity=(0.0, -G, 0.0)):
    field = box.faces(lambda axis, *x: np.zeros_like(x[0]))
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    Gravity(gravity[: box.dimension]).add(field, box.cells, 0.0, DT)
    enforce_no_flux(field, box)
    return field


@pytest.mark.parametrize("level", [9.5001, 9.51, 9.73, 10.0, 10.25, 10.4999])
@pytest.mark.parametrize("gas_pressure", [0.0, 1.7e3])
def test_pressure_in_a_still_pool_is_linear_at_any_height(make_box, dimension, level, gas_pressure):
    """P = rho g (level - y) + gas pressure, and nothing moves."""
    box = with_surface(make_box(dimension), lambda *x: x[1] - level)
    field = at_rest(box)
    projection = solver(box, gas_pressure=gas_pressure).project(field, box.cells, DT)
    pressure = box.dense(projection.pressure.pool)
    y = np.arange(10) + 0.5
    expected = (RHO * G * box.h * (level - y) + gas_pressure).reshape((1, -1) + (1,) * (dimension - 2))
    assert np.allclose(pressure[:, :10], expected, atol=1e-4 * RHO * G * box.h * level)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool)) < 1e-4 * G * DT


def test_pressure_is_linear_along_a_slanted_gravity_too(make_box, dimension):
    """A surface across gravity that is not along an axis is straight between cells: linear pressure is the solution."""
    slope = 0.31
    box = with_surface(make_box(dimension), lambda *x: (x[1] - 11.2 - slope * x[0]) / np.hypot(1, slope))
    field = at_rest(box, (G * slope, -G, 0.0))
    projection = solver(box).project(field, box.cells, DT)
    pressure = box.dense(projection.pressure.pool)
    index = np.meshgrid(*[np.arange(n) + 0.5 for n in box.cells_along], indexing="ij")
    depth = 11.2 + slope * index[0] - index[1]
    liquid = box.dense(box.cells.label) == 1
    assert np.allclose(pressure[liquid], RHO * G * box.h * depth[liquid], atol=2e-4 * RHO * G * box.h * 15)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool)) < 2e-4 * G * DT


def test_divergence_is_below_tolerance_and_energy_does_not_grow(make_box, dimension):
    box = with_surface(make_box(dimension), lambda *x: x[1] - 8.3 - 0.3 * x[0] + np.sin(x[0]))
    rng = np.random.default_rng(0)
    field = box.faces(lambda axis, *x: rng.standard_normal(x[0].shape))
    field.pool[(box.cells.faces & WALL) > 0] = 0
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    before = np.linalg.norm(divergence(field, box.cells))
    projection = solver(box).project(field, box.cells, DT)
    enforce_no_flux(field, box)
    assert np.linalg.norm(divergence(field, box.cells)) < 1e-5 * before
    assert projection.iterations <= 20
    once = field.copy()
    solver(box).project(field, box.cells, DT)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool - once.pool)) < 1e-3


def test_free_fall_has_no_pressure(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: i[0] < -5)
    centre = (6.3, 9.1, 8.2)[:dimension]
    box = with_surface(box, lambda *x: np.sqrt(sum((a - b) ** 2 for a, b in zip(x, centre, strict=True))) - 4.4)
    field = box.faces(lambda axis, *x: np.full_like(x[0], -1.7))
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    projection = solver(box).project(field, box.cells, DT)
    assert projection.iterations == 0
    assert (projection.pressure.pool == 0).all()


def test_same_bits_for_any_number_of_threads(make_box, dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        box = with_surface(make_box(dimension), lambda *x: x[1] - 8.3 - 0.3 * x[0])
        field = at_rest(box, (1.0, -G, 0.5))
        projection = solver(box).project(field, box.cells, DT)
        results.append((field.pool.tobytes(), projection.pressure.pool.tobytes()))
    assert results[0] == results[1]
