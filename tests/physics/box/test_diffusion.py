"""Implicit diffusion in a box: Z6, and bodies that let nothing through."""

import numpy as np
import pytest

from plash.linear.transforms import BoxSolver
from plash.physics.box.diffusion import BoxDiffusion, DiffusionRoundSolids, NoDiffusion
from plash.physics.box.obstacles import SolidCells

SHAPES = {2: (40, 51), 3: (24, 27, 30)}
H = 0.37


def test_variance_grows_by_2_kappa_dt(dimension):
    """A spike spreads by exactly 2 κ dt per axis and step, and none of it is lost."""
    kappa, dt, steps = 0.02, 0.3, 4
    field = np.zeros(SHAPES[dimension])
    centre = tuple(n // 2 for n in field.shape)
    field[centre] = 1.0
    for _ in range(steps):
        BoxDiffusion(kappa, BoxSolver(field.shape, H)).apply(field, dt)
    assert field.sum() == pytest.approx(1.0, rel=1e-12)
    for axis in range(dimension):
        profile = field.sum(axis=tuple(a for a in range(dimension) if a != axis))
        place = (np.arange(len(profile)) - centre[axis]) * H
        assert (profile * place**2).sum() == pytest.approx(steps * 2 * kappa * dt, rel=1e-6)


def test_a_density_keeps_its_bounds(dimension):
    field = (np.random.default_rng(0).random(SHAPES[dimension]) > 0.5).astype(float)
    for spread in (1e-4, 1.0, 1e4):
        BoxDiffusion(spread, BoxSolver(field.shape, H)).apply(field, 0.1)
        assert field.min() >= 0.0
        assert field.max() <= 1.0


def test_a_vortex_decays_by_its_discrete_factor():
    """Z14 on the staggered grid: 1/(1 + 8 ν dt/h² sin²(kh/2)) per step, for both components."""
    n, nu, dt = 24, 0.1, 0.05
    h = np.pi / n
    faces, centres = np.arange(n) * h, (np.arange(n) + 0.5) * h
    velocity = np.stack([np.outer(np.cos(centres), np.sin(faces)), -np.outer(np.sin(faces), np.cos(centres))])
    spread = velocity.copy()
    for axis, component in enumerate(spread):
        BoxDiffusion(nu, BoxSolver((n, n), h)).apply(component, dt, axis)
    assert np.allclose(spread, velocity / (1 + 8 * nu * dt / h**2 * np.sin(h / 2) ** 2), atol=1e-14)


def body(dimension):
    solid = np.zeros(SHAPES[dimension], bool)
    solid[(slice(8, 14),) * dimension] = True
    return SolidCells(solid, np.zeros(solid.shape))


def test_flow_between_walls_that_hold_decays_by_its_discrete_factor(dimension):
    """Flow along x: sines between two walls across y that hold it, each half a cell from the next velocity."""
    shape, spread = SHAPES[dimension], 0.3 * 0.7
    nothing = SolidCells(np.zeros(shape, bool), np.zeros(shape))
    diffusion = DiffusionRoundSolids(0.3, BoxSolver(shape, H), nothing, [(1, 0), (1, -1)])
    along, up = np.pi / shape[-1], np.pi / shape[-2]
    wave = np.outer(np.sin(up * (np.arange(shape[-2]) + 0.5)), np.sin(along * np.arange(shape[-1])))
    field = np.broadcast_to(wave, shape).copy()
    diffusion.apply(field, 0.7, axis=0)
    rate = (4 / H**2) * (np.sin(along / 2) ** 2 + np.sin(up / 2) ** 2)
    assert np.allclose(field, wave / (1 + spread * rate), atol=1e-9)


def test_walls_that_hold_do_not_hold_what_comes_at_them(dimension):
    """The velocity across a wall that holds is that of a smooth one, and so is that along the other walls."""
    shape = SHAPES[dimension]
    nothing = SolidCells(np.zeros(shape, bool), np.zeros(shape))
    rough, smooth = (DiffusionRoundSolids(0.3, BoxSolver(shape, H), nothing, held) for held in ([(1, 0)], []))
    one = np.random.default_rng(2).random(shape)
    other, ones = one.copy(), np.ones(shape)
    rough.apply(one, 0.2, axis=1)
    smooth.apply(other, 0.2, axis=1)
    assert np.array_equal(one, other)
    rough.apply(ones, 0.2, axis=0)
    middle = shape[-1] // 2
    assert ones[..., 0, middle].max() < 0.8
    assert ones[..., -1, middle].min() > 0.99


def test_nothing_spreads_into_bodies(dimension):
    solids = body(dimension)
    field = np.random.default_rng(1).random(SHAPES[dimension])
    solids.clear(field)
    before = field.sum()
    DiffusionRoundSolids(0.5, BoxSolver(field.shape, H), solids).apply(field, 0.3)
    assert field.sum() == pytest.approx(before, rel=1e-9)
    assert not field[solids.is_solid].any()


def test_flow_along_a_body_is_not_held_back_and_flow_at_it_is(dimension):
    """Uniform flow beside a slab: along it nothing changes, across it the wall is felt."""
    shape = SHAPES[dimension]
    solid = np.zeros(shape, bool)
    solid[..., :6] = True
    solids = SolidCells(solid, np.zeros(shape))
    diffusion = DiffusionRoundSolids(0.5, BoxSolver(shape, H), solids)
    along, across = np.ones(shape), np.ones(shape)
    along[solids.is_closed[1]] = 0.0
    across[solids.is_closed[0]] = 0.0
    before = along.copy()
    diffusion.apply(along, 0.1, axis=1)
    diffusion.apply(across, 0.1, axis=0)
    inner = np.take(along, shape[-2] // 2, along.ndim - 2)
    assert np.abs(inner - np.take(before, shape[-2] // 2, along.ndim - 2)).max() < 1e-2
    assert across[..., 7].max() < across[..., 12].max() - 0.1


def test_no_diffusion_is_none():
    field = np.random.default_rng(2).random((4, 5))
    before = field.copy()
    NoDiffusion().apply(field, 1.0)
    assert (field == before).all()
