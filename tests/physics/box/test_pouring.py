"""What is put into a box from outside."""

import numpy as np
import pytest

from plash.physics.box.pouring import BoxSource, Push, Weight


def place(shape):
    share = np.zeros(shape)
    share[2:4, 3:6] = 1.0
    return share


def test_a_pour_fills_its_place_and_no_more():
    density = np.full((6, 9), 0.25)
    added = BoxSource(place(density.shape)).add(density, time=0.0, dt=0.1)
    assert (density == np.where(place(density.shape) > 0, 1.0, 0.25)).all()
    assert added == pytest.approx(6 * 0.75)
    assert BoxSource(place(density.shape)).add(density, time=0.1, dt=0.1) == 0.0


def test_a_pour_with_a_rate_adds_it_for_as_long_as_it_lasts():
    density = np.zeros((6, 9))
    pour = BoxSource(place(density.shape), rate=2.0, start=0.3, stop=0.5)
    total = sum(pour.add(density, time, 0.1) for time in np.arange(10) * 0.1)
    assert total == pytest.approx(6 * 2.0 * 0.2)
    assert density.max() == pytest.approx(0.4)


def test_before_and_after_nothing_happens():
    density, velocity = np.zeros((6, 9)), np.zeros((2, 6, 9))
    pour = BoxSource(place(density.shape), velocity=(1.0, -2.0), start=1.0, stop=2.0)
    for time in (0.0, 0.9, 2.0, 5.0):
        assert pour.add(density, time, 0.1) == 0.0
        pour.drive(velocity, time, 0.1)
    assert not density.any()
    assert not velocity.any()


def test_it_is_as_fast_as_its_velocity_while_it_pours():
    pour = BoxSource(place((6, 9)), velocity=(3.0, -4.0), start=1.0, stop=2.0)
    assert [pour.fastest(time, time + 0.1) for time in (0.5, 0.95, 1.0, 1.9, 2.0)] == [0.0, 5.0, 5.0, 5.0, 0.0]
    assert BoxSource(place((6, 9))).fastest(0.0, 1.0) == 0.0


def test_what_pours_has_its_velocity():
    velocity = np.random.default_rng(0).standard_normal((2, 6, 9))
    BoxSource(place((6, 9)), velocity=(1.0, -2.0)).drive(velocity, 0.0, 0.1)
    assert np.allclose(velocity[0, 2:4, 4:6], 1.0)
    assert np.allclose(velocity[1, 3, 3:6], -2.0)


def test_weight_acts_where_there_is_liquid():
    """Between full and empty cells half of it: in all, the mass times g dt, but for the layer at a wall."""
    density = np.zeros((6, 7, 9))
    density[2:4, 3:5, 2:6] = 0.8
    velocity = np.zeros((3, *density.shape))
    Weight((0.0, -9.81, 0.5)).add(velocity, density, 0.0, 0.1)
    assert velocity[1].sum() == pytest.approx(-9.81 * 0.1 * density.sum())
    assert velocity[2].sum() == pytest.approx(0.5 * 0.1 * density.sum())
    assert not velocity[0].any()


def test_a_push_lasts_as_long_as_it_says():
    velocity, density = np.zeros((2, 6, 9)), np.zeros((6, 9))
    push = Push(place((6, 9)), (3.0, 0.0), start=0.15, stop=0.2)
    for time in (0.0, 0.1, 0.2):
        push.add(velocity, density, time, 0.1)
    assert velocity.max() == pytest.approx(3.0 * 0.05)


def test_a_ramp_scales_the_velocity():
    velocity = np.zeros((2, 6, 9))
    BoxSource(place((6, 9)), velocity=(1.0, -2.0), ramp=lambda time: time).drive(velocity, 0.25, 0.1)
    assert velocity[0].max() == pytest.approx(0.25)
