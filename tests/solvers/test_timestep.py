import math

import pytest

from plash.solvers.timestep import TimeStep


def test_liquid_at_rest_has_a_finite_step_under_gravity():
    limit = TimeStep(h=0.02, gravity=9.81, courant=5.0).limit(0.0)
    assert limit == pytest.approx(0.7 * math.sqrt(0.02 / 9.81))


def test_without_gravity_and_motion_there_is_no_limit():
    step = TimeStep(h=0.02, gravity=0.0, courant=1.0)
    assert math.isinf(step.limit(0.0))
    assert step.divide(0.04, 0.0) == 0.04


def test_the_courant_number_bounds_the_cells_crossed():
    step = TimeStep(h=0.02, gravity=9.81, courant=1.5)
    for speed in (0.5, 3.0, 40.0):
        dt = step.limit(speed)
        assert (speed + math.sqrt(0.02 * 9.81)) * dt <= 1.5 * 0.02 * (1 + 1e-12)


def test_the_users_limits_clamp():
    step = TimeStep(h=0.02, gravity=9.81, courant=1.0, shortest=1e-3, longest=2e-3)
    assert step.limit(0.0) == 2e-3
    assert step.limit(1e6) == 1e-3


def test_a_frame_is_divided_evenly():
    step = TimeStep(h=0.02, gravity=0.0, courant=1.0)
    remaining, taken = 1 / 24, []
    while remaining > 1e-12:
        dt = step.divide(remaining, 3.0)
        taken.append(dt)
        remaining -= dt
    assert max(taken) - min(taken) < 1e-12
    assert max(taken) <= step.limit(3.0)
    assert sum(taken) == pytest.approx(1 / 24)
