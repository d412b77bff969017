"""Explicit viscosity: Z6, Z9, and free surfaces that are not dragged."""

import numpy as np
import pytest

from plash.physics.viscosity.base import Inviscid
from plash.physics.viscosity.explicit import ExplicitViscosity

from .liquids import forget_dry, walls_of


def wet_only(field, box):
    return forget_dry(field, box.cells)


def act(viscosity, field, box, dt):
    viscosity.apply(field, box.cells, walls_of(box.tiles, box.cells_along, h=box.h), None, dt)


def test_a_uniform_flow_with_a_free_surface_feels_nothing(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: (i[0] + 2 * i[1]) % 7 < 5)
    field = wet_only(box.faces(lambda axis, *x: np.full(x[0].shape, 1.5 - axis)), box)
    before = field.copy()
    act(ExplicitViscosity(nu=0.02, h=box.h), field, box, 0.1)
    known = ~np.isnan(before.pool)
    assert (field.pool[known] == before.pool[known]).all()
    assert (np.isnan(field.pool) == ~known).all()


def test_momentum_is_kept(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: i[1] < 12)
    rng = np.random.default_rng(0)
    field = wet_only(box.faces(lambda axis, *x: rng.standard_normal(x[0].shape)), box)
    before = np.nansum(field.pool.astype(np.float64), axis=(1, 2, 3, 4))
    act(ExplicitViscosity(nu=0.02, h=box.h), field, box, 0.2)
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
        act(ExplicitViscosity(nu, box.h), field, box, dt)
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
    act(ExplicitViscosity(nu, box.h), after, box, dt)
    inner = (slice(3, -3),) * dimension
    ratio = box.dense(after.pool[0])[inner] / box.dense(checkerboard.pool[0])[inner]
    assert np.allclose(ratio, 1 - 4 * dimension * k, atol=1e-5)
    assert ExplicitViscosity(nu, box.h).longest_step(box.h, dimension) == pytest.approx(box.h**2 / (2 * dimension * nu))


def test_an_inviscid_liquid_has_no_limit_and_no_effect(make_box, dimension):
    box = make_box(dimension)
    field = wet_only(box.faces(lambda axis, *x: np.sin(x[0])), box)
    before = field.pool.copy()
    act(Inviscid(), field, box, 1.0)
    assert field.pool.tobytes() == before.tobytes()
    assert Inviscid().longest_step(box.h, dimension) == float("inf")


def test_a_spike_spreads_to_its_neighbours():
    """With nu dt/h² = 1/12 in 3-D each neighbour gets a twelfth, and half is left (Jet's forward diffusion, Z7)."""
    from plash.grid.cells import label_cells
    from plash.grid.dense import tiles_over, to_dense
    from plash.grid.fields import FaceField

    tiles = tiles_over((0, 0, 0), (16, 16, 16))
    wet = np.ones((tiles.count + 1, *tiles.shape), np.bool_)
    cells = label_cells(tiles, wet, ~wet)
    field = FaceField(tiles, np.zeros(cells.faces.shape, np.float32))
    slot = int(tiles.slots_of_coordinates(np.array([0, 0, 0])))
    field.pool[1, slot, 4, 4, 4] = 1.0
    h, nu = 0.37, 0.2
    walls = walls_of(tiles, (16, 16, 16), closed=False)
    ExplicitViscosity(nu, h).apply(field, cells, walls, None, h * h / (12 * nu))
    v = to_dense(field.pool[1], tiles, (3, 3, 3), (3, 3, 3))
    assert v[1, 1, 1] == pytest.approx(0.5)
    assert [v[0, 1, 1], v[2, 1, 1], v[1, 0, 1], v[1, 2, 1], v[1, 1, 0], v[1, 1, 2]] == pytest.approx([1 / 12] * 6)
    assert v.sum() == pytest.approx(1.0)


def test_walls_that_hold_make_the_longest_step_shorter(dimension):
    """A face in a duct of one cell has the coefficients 1, 1 along it and 2 towards each wall."""
    free, held = (ExplicitViscosity(0.3, 0.1, walls_hold=hold).longest_step(0.1, dimension) for hold in (False, True))
    assert free / held == pytest.approx((4 * dimension - 2) / (2 * dimension))
