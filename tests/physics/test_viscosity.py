"""Explicit viscosity: Z6, Z9, and free surfaces that are not dragged."""

import numpy as np
import pytest

from plash.grid.cells import WET
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.physics.solids.voxel import Voxel
from plash.physics.viscosity import ExplicitViscosity, Inviscid


def solids_of(box):
    """The walls of a box, and no bodies."""
    sides = ((CLOSED, CLOSED),) * box.dimension
    return SceneSolids(Voxel([], DomainBox(box.cells_along, sides), box.h)).at(box.tiles)


def wet_only(field, box):
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    return field


def test_a_uniform_flow_with_a_free_surface_feels_nothing(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: (i[0] + 2 * i[1]) % 7 < 5)
    field = wet_only(box.faces(lambda axis, *x: np.full(x[0].shape, 1.5 - axis)), box)
    before = field.copy()
    ExplicitViscosity(nu=0.02, h=box.h).apply(field, box.cells, solids_of(box), None, 0.1)
    known = ~np.isnan(before.pool)
    assert (field.pool[known] == before.pool[known]).all()
    assert (np.isnan(field.pool) == ~known).all()


def test_momentum_is_kept(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: i[1] < 12)
    rng = np.random.default_rng(0)
    field = wet_only(box.faces(lambda axis, *x: rng.standard_normal(x[0].shape)), box)
    before = np.nansum(field.pool.astype(np.float64), axis=(1, 2, 3, 4))
    ExplicitViscosity(nu=0.02, h=box.h).apply(field, box.cells, solids_of(box), None, 0.2)
    after = np.nansum(field.pool.astype(np.float64), axis=(1, 2, 3, 4))
    assert np.allclose(after, before, atol=1e-3)


def test_variance_grows_by_2_nu_dt(make_box, dimension):
    """A spike spreads by exactly 2 nu dt per axis and step."""
    box = make_box(dimension, cells=(40, 40) if dimension == 2 else (24, 24, 24))
    centre = box.cells_along[0] // 2
    nu, dt = 0.15, 0.05

    def spike(axis, *x):
        cells = [p / box.h - (0 if a == axis else 0.5) for a, p in enumerate(x)]
        return np.where(np.all([np.abs(c - centre) < 0.25 for c in cells], axis=0) & (axis == 0), 1.0, 0.0)

    field = wet_only(box.faces(spike), box)
    for _ in range(6):
        ExplicitViscosity(nu, box.h).apply(field, box.cells, solids_of(box), None, dt)
    u = box.dense(field.pool[0])
    u = np.nan_to_num(u).astype(np.float64)
    assert u.sum() == pytest.approx(1.0, rel=1e-5)
    for axis in range(dimension):
        profile = u.sum(axis=tuple(a for a in range(dimension) if a != axis))
        place = (np.arange(len(profile)) - centre) * box.h
        assert (profile * place**2).sum() == pytest.approx(6 * 2 * nu * dt, rel=1e-4)


def test_the_explicit_limit_is_where_the_shortest_wave_turns(make_box, dimension):
    """The checkerboard is multiplied by 1 - 4 d k per step, so it is stable up to k = 1/(2 d)."""
    box = make_box(dimension)
    checkerboard = box.faces(lambda axis, *x: 1.0 - 2.0 * (np.rint(sum(p / box.h for p in x) - 0.5 * (len(x) - 1)) % 2))
    wet_only(checkerboard, box)
    k = 0.4 / (2 * dimension)
    nu = 0.3
    dt = k * box.h**2 / nu
    after = checkerboard.copy()
    ExplicitViscosity(nu, box.h).apply(after, box.cells, solids_of(box), None, dt)
    inner = (slice(3, -3),) * dimension
    ratio = box.dense(after.pool[0])[inner] / box.dense(checkerboard.pool[0])[inner]
    assert np.allclose(ratio, 1 - 4 * dimension * k, atol=1e-5)
    assert ExplicitViscosity(nu, box.h).longest_step(box.h, dimension) == pytest.approx(box.h**2 / (2 * dimension * nu))


def test_an_inviscid_liquid_has_no_limit_and_no_effect(make_box, dimension):
    box = make_box(dimension)
    field = wet_only(box.faces(lambda axis, *x: np.sin(x[0])), box)
    before = field.pool.copy()
    Inviscid().apply(field, box.cells, solids_of(box), None, 1.0)
    assert field.pool.tobytes() == before.tobytes()
    assert Inviscid().longest_step(box.h, dimension) == float("inf")
