"""Implicit conduction on the grid: Z6 and Z8, heat that is kept, walls that hold a temperature, no new extremes."""

import numpy as np
import pytest

from plash.grid.cells import LIQUID
from plash.grid.dense import from_dense
from plash.linear.diffusion import DiffusionOperator
from plash.linear.operators import PoissonOperator
from plash.particles.scalars import CellMeans
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.contacts import Contacts


def means(box, value):
    """A temperature by cell indices in the liquid of a box, each cell with a volume of one."""
    index = np.meshgrid(*[np.arange(n) for n in box.cells_along], indexing="ij")
    pool = from_dense(np.broadcast_to(value(*index), box.cells_along).astype(float), box.tiles, (0,) * box.dimension, 0)
    wet = box.cells.label == LIQUID
    return CellMeans(box.tiles, np.where(wet, pool, np.nan), wet.astype(float))


def spread(box, temperature, number, contacts=None):
    """One step with k = κ dt/h²; h is not one."""
    dt = 0.3
    conduction = Conduction(number * box.h**2 / dt, box.h)
    return conduction.change(temperature, box.cells, contacts or Contacts.none(), dt)


def sides(box, low, high):
    """Both ends along x at a temperature."""
    parts = []
    for cell, warmth in ((0, low), (box.cells_along[0] - 1, high)):
        index = np.zeros((*box.cells_along,), bool)
        index[cell] = True
        places = np.nonzero(from_dense(index, box.tiles, (0,) * box.dimension, False))
        parts.append(Contacts(places, np.full(len(places[0]), 2.0), np.full(len(places[0]), warmth)))
    return Contacts.together(parts)


def test_a_spike_spreads_as_in_jet(make_box):
    box = make_box(3, cells=(3, 3, 3))
    spike = means(box, lambda x, y, z: (x == 1) & (y == 1) & (z == 1))
    change, _ = spread(box, spike, 1 / 12)
    after = box.dense(np.nan_to_num(spike.value) + change)
    assert after[0, 0, 0] == pytest.approx(0.001058, abs=1e-6)
    assert after[1, 0, 0] == pytest.approx(0.005291, abs=1e-6)
    assert after[1, 1, 0] == pytest.approx(0.041270, abs=1e-6)
    assert after[1, 1, 1] == pytest.approx(0.680423, abs=1e-6)


@pytest.mark.parametrize("number", [0.15, 1.3])
def test_variance_grows_by_twice_kappa_dt_along_each_axis(make_box, dimension, number):
    box = make_box(dimension, cells=(61, 64) if dimension == 2 else (31, 34, 32))
    spike = means(box, lambda *i: np.all([j == 15 if dimension == 3 else j == 30 for j in i], axis=0))
    value = spike
    for _ in range(2):
        change, _ = spread(box, value, number)
        value = CellMeans(value.tiles, value.value + change, value.volume)
    after = box.dense(np.nan_to_num(value.value))
    assert after.sum() == pytest.approx(1, abs=1e-8)  # what is below zero by round-off is zero
    centre = 15 if dimension == 3 else 30
    for axis, n in enumerate(box.cells_along):
        profile = after.sum(axis=tuple(a for a in range(dimension) if a != axis))
        variance = profile @ (np.arange(n) - centre) ** 2
        assert variance == pytest.approx(2 * 2 * number, rel=1e-4 if dimension == 2 else 5e-4)


@pytest.mark.parametrize("number", [1e-3, 10.0, 1e5])
def test_insulated_liquid_keeps_its_heat_and_makes_no_extreme(make_box, dimension, number):
    """However far it spreads: the mean of 1 + kL is not to be removed."""
    box = make_box(dimension, liquid=lambda *i: (i[0] + 3 * i[1]) % 11 < 8)
    rng = np.random.default_rng(3)
    temperature = means(box, lambda *i: 300 + 50 * rng.random(i[0].shape))
    volume = np.where(temperature.is_known, 0.2 + rng.random(temperature.volume.shape), 0.0)
    temperature = CellMeans(temperature.tiles, temperature.value, volume)
    change, solution = spread(box, temperature, number)
    before = np.nan_to_num(temperature.value)
    assert solution.converged
    assert solution.iterations <= (40 if number < 1e3 else 200)
    assert abs((volume * change).sum()) < 1e-13 * (volume * before).sum()
    known = temperature.is_known
    after = (before + change)[known]
    assert before[known].min() <= after.min() < after.max() <= before[known].max()
    assert np.ptp(after) < np.ptp(before[known])
    assert not change[~known].any()


def test_heat_that_spreads_far_is_the_same_everywhere(make_box):
    box = make_box(2)
    temperature = means(box, lambda x, y: 280.0 + 3 * x + y)
    change, _ = spread(box, temperature, 1e6)
    after = (np.nan_to_num(temperature.value) + change)[temperature.is_known]
    assert np.ptp(after) < 0.02
    assert after.mean() == pytest.approx(temperature.value[temperature.is_known].mean(), rel=1e-12)


def test_between_two_warm_walls_the_profile_is_linear_to_round_off(make_box, dimension):
    box = make_box(dimension)
    n = box.cells_along[0]
    linear = means(box, lambda x, *_: 300 + 60 * (x + 0.5) / n)
    change, _ = spread(box, linear, 7.0, sides(box, 300.0, 360.0))
    assert np.abs(change).max() < 1e-11
    temperature = means(box, lambda x, *_: np.full(x.shape, 310.0))
    for _ in range(3):
        change, _ = spread(box, temperature, 1e7, sides(box, 300.0, 360.0))
        temperature = CellMeans(box.tiles, temperature.value + change, temperature.volume)
    known = temperature.is_known
    assert np.abs(temperature.value[known] - linear.value[known]).max() < 1e-6


def test_random_temperatures_stay_between_those_of_liquid_and_walls(make_box, dimension):
    box = make_box(dimension, liquid=lambda *i: i[1] < 14)
    rng = np.random.default_rng(0)
    temperature = means(box, lambda *i: 300 + 20 * rng.random(i[0].shape))
    change, _ = spread(box, temperature, 2.5, sides(box, 250.0, 305.0))
    after = (np.nan_to_num(temperature.value) + change)[temperature.is_known]
    assert after.min() >= 250.0
    assert after.max() <= temperature.value[temperature.is_known].max()


def test_the_exact_diagonal_counts(make_box):
    """In single precision 1 is lost beside 1e9; the residual is that of the exact equation."""
    box = make_box(2)
    wet = box.cells.label == LIQUID
    exact = np.where(wet, 1e9 + 1.0, 0.0)
    operator = DiffusionOperator(
        PoissonOperator(box.tiles, exact.astype(np.float32), np.zeros((2, *wet.shape), np.float32)), exact
    )
    b = np.where(wet, 1.0, 0.0)
    x, solution = operator.solve(b, 1e-12)
    assert solution.converged
    assert np.abs(x[wet] * (1e9 + 1.0) - 1).max() < 1e-12
