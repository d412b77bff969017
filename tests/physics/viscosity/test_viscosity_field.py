"""Viscosity that differs: the ramp of Cline's equation 19 with its sign put right, and its field on the grid."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.grid.cells import LIQUID, WET
from plash.grid.dense import from_dense
from plash.grid.fields import CellField
from plash.physics.viscosity.explicit import ExplicitViscosity
from plash.physics.viscosity.viscosity_field import ByParticle, ByTemperature, log_viscosity_at
from plash.solvers.build.liquid import build_liquid

from .liquids import walls_of

RAMP: list[Any] = [
    {"temperature": 300, "dynamic_viscosity": 50.0},
    {"temperature": 320, "dynamic_viscosity": 50.0},
    {"temperature": 340, "dynamic_viscosity": 0.5},
]


@pytest.mark.parametrize("between", ["exponential", "linear"])
def test_the_ramp_hits_its_ends_and_goes_one_way(between):
    liquid = plash.Liquid(density=900, viscosity_at=RAMP, viscosity_between=between)
    temperature = np.linspace(250, 400, 301)
    mu = np.exp(log_viscosity_at(liquid, temperature))
    assert mu[temperature <= 320] == pytest.approx(50)
    assert mu[temperature >= 340] == pytest.approx(0.5)
    assert (np.diff(mu) <= 1e-12).all()
    middle = float(np.exp(log_viscosity_at(liquid, np.array([330.0])))[0])
    assert middle == pytest.approx(5 if between == "exponential" else 25.25)
    assert mu == pytest.approx([liquid.dynamic_viscosity_at(t) for t in temperature])
    assert liquid.nu == pytest.approx(50 / 900)


def test_what_gets_thicker_when_warm_is_a_ramp_too():
    turned: list[Any] = [{**point, "temperature": 640 - point["temperature"]} for point in RAMP[::-1]]
    liquid = plash.Liquid(viscosity_at=turned)
    assert [liquid.dynamic_viscosity_at(t) for t in (290, 345)] == pytest.approx([0.5, 50])


def blob(**keys):
    tables: dict[str, Any] = {
        "domain": {"size": (0.6, 0.4), "resolution": 24},
        "liquid": {"density": 900, **keys.pop("liquid", {})},
        "fill": [{"shape": {"kind": "box", "min": (0.1, 0.1), "max": (0.5, 0.25)}, **keys}],
        "solid": [{"shape": {"kind": "sphere", "center": (0.3, 0.18), "radius": 0.05}}],
    }
    scene = plash.Scene(**tables)
    solver = build_liquid(scene)
    solver.label()
    return solver.state, scene


def test_the_field_is_known_two_cells_round_the_liquid():
    state, scene = blob(liquid={"viscosity_at": RAMP}, temperature=330)
    field = ByTemperature(scene.liquid).at(state.particles, state.cells)
    near = state.cells.label == LIQUID
    for _ in range(2):
        grown = near.copy()
        for axis in range(2):
            for step in (-1, 1):
                beside = state.tiles.beside(np.nonzero(near), axis, step)
                grown[beside] = True
        near = grown
    near[0] = False
    assert np.isfinite(field.pool[near]).all()
    assert field.pool[near] == pytest.approx(5 / 900, rel=1e-5)


def test_the_mean_of_thick_and_thin_is_geometric():
    state, scene = blob(viscosity=1.0)
    particles = state.particles
    particles.log_viscosity[0] = np.where(np.arange(particles.count) % 2, 2.0, -2.0)
    logs = np.log(ByParticle(scene.liquid.rho).at(particles, state.cells).pool)
    wet = state.cells.label == LIQUID
    assert np.nanmean(logs[wet]) == pytest.approx(-math.log(900), abs=0.15)
    assert np.nanmax(logs[wet]) < math.log(100 / 900) + 1e-6


@pytest.fixture
def shear(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: i[1] < 12)
    rng = np.random.default_rng(0)
    field = box.faces(lambda axis, *x: rng.standard_normal(x[0].shape))
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    return box, field


def test_where_it_is_the_same_everywhere_it_is_that_of_one_viscosity(shear):
    box, field = shear
    one, varied = field.copy(), field.copy()
    explicit = ExplicitViscosity(0.02, box.h)
    walls = walls_of(box.tiles, box.cells_along, closed=False)
    explicit.apply(one, box.cells, walls, None, 0.2)
    explicit.apply(varied, box.cells, walls, CellField.filled(box.tiles, 0.02), 0.2)
    known = ~np.isnan(one.pool)
    assert (np.isnan(varied.pool) == ~known).all()
    assert np.abs(one.pool[known] - varied.pool[known]).max() < 1e-5


def test_momentum_is_kept_whatever_the_viscosities(shear):
    box, field = shear
    rng = np.random.default_rng(1)
    thick = CellField(box.tiles, (10 ** rng.uniform(-3, -1, box.cells.label.shape)).astype(np.float32))
    before = np.nansum(field.pool.astype(np.float64), axis=(1, 2, 3, 4))
    walls = walls_of(box.tiles, box.cells_along, closed=False)
    ExplicitViscosity(0.1, box.h, harmonic=False).apply(field, box.cells, walls, thick, 0.2)
    after = np.nansum(field.pool.astype(np.float64), axis=(1, 2, 3, 4))
    assert np.allclose(after, before, atol=1e-3)


def test_across_a_jump_momentum_flows_by_the_geometric_mean(make_box):
    """Two layers sheared against each other: between them sqrt(nu1 nu2), inside each its own."""
    box = make_box(2)
    field = box.faces(lambda axis, *x: np.where((axis == 0) & (x[1] > 10 * box.h), 1.0, 0.0))
    y = np.meshgrid(*[np.arange(n) for n in box.cells_along], indexing="ij")[1]
    thick = from_dense(np.where(y < 10, 0.04, 0.0001), box.tiles, (0, 0), np.nan).astype(np.float32)
    walls = walls_of(box.tiles, box.cells_along)
    explicit = ExplicitViscosity(0.04, box.h, harmonic=False)
    explicit.apply(field, box.cells, walls, CellField(box.tiles, thick), 0.1 * box.h**2)
    u = box.dense(field.pool[0])[8]
    assert u[9] == pytest.approx(0.1 * 0.002, rel=1e-4)
    assert u[10] == pytest.approx(1 - 0.1 * 0.002, rel=1e-4)
