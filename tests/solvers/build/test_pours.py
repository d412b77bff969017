"""Sources, pumps and forces of a scene, as a box of fluid sees them."""

import numpy as np
import pytest

import plash
from plash.physics.box.force_fields import BoxForceField
from plash.physics.box.pouring import Push
from plash.solvers.build.box import build_box
from plash.solvers.build.pours import forces_of, pours_of


def scene(text, resolution=40):
    return plash.parse_scene(
        f'version = 1\n[domain]\nsize = [1.6, 1.2]\nresolution = {resolution}\n[solver]\nkind = "stable_fluids"\n{text}'
    )


SPOUT = """
[[source]]
kind = "spout"
shape = { kind = "disc", center = [0.4, 0.9], normal = [0, -2], radius = 0.2 }
flow_rate = "0.6 m^2/s"
start = 0.5
stop = 1.5
ramp = 0.25
"""


def test_a_spout_keeps_two_cells_before_its_opening_full():
    made = scene(SPOUT)
    (pour,) = pours_of(made)
    h = made.domain.h
    assert pour.share.sum() * h**2 == pytest.approx(0.4 * 2 * h, rel=0.02)
    y, x = np.nonzero(pour.share > 0.5)
    assert (y.max() + 1) * h == pytest.approx(0.9, abs=0.6 * h)
    assert (x.mean() + 0.5) * h == pytest.approx(0.4)
    assert pour.velocity == pytest.approx((0.0, -1.5))
    assert [pour.ramp(time) for time in (0.5, 0.625, 1.0)] == [0.0, 0.5, 1.0]
    assert (pour.start, pour.stop) == (0.5, 1.5)


def test_a_blob_and_a_late_fill_appear_once():
    late = '[[fill]]\ntime = 0.1\nshape = { kind = "box", min = [0, 0], max = [0.4, 0.2] }\n'
    blob = '[[source]]\nkind = "blob"\ntime = 0.2\nshape = { kind = "sphere", center = [1, 1], radius = 0.15 }\n'
    solver = build_box(scene(late + blob, 32))
    inflows = []
    for number in range(1, 7):
        while solver.state.time < number * 0.05 - 1e-12:
            solver.advance(number * 0.05)
        inflows.append(solver.ledger.inflow)
    assert inflows[0] == 0.0
    assert inflows[2] == pytest.approx(0.08, rel=0.02)
    assert inflows[5] == pytest.approx(0.08 + np.pi * 0.15**2, rel=0.02)


def test_a_spout_pours_and_stops():
    solver = build_box(scene(SPOUT))
    inflows = []
    for number in range(1, 20):
        while solver.state.time < number * 0.1 - 1e-12:
            solver.advance(number * 0.1)
        inflows.append(solver.ledger.inflow)
    assert inflows[3] == 0.0
    assert inflows[13] > inflows[9] > inflows[6] > 0.0
    assert inflows[18] == inflows[15]


def test_pumps_and_forces_push_what_is_there():
    text = """
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.4, 0.2] }
[[pump]]
shape = { kind = "box", min = [0.8, 0.4], max = [1.2, 0.8] }
velocity = [2, 0]
[[pump]]
shape = { kind = "box", min = [0.8, 0.4], max = [1.2, 0.8] }
acceleration = [0, 3]
stop = 1
[[force]]
kind = "constant"
acceleration = [1, 0]
"""
    made = scene(text)
    (pump,), (wind, push) = pours_of(made), forces_of(made)
    assert isinstance(wind, BoxForceField)
    assert isinstance(push, Push)
    assert pump.velocity == (2.0, 0.0)
    assert pump.rate == 0.0
    assert push.stop == 1.0
    assert push.share.sum() * made.domain.h**2 == pytest.approx(0.16, rel=0.02)
    assert (wind.share == 1.0).all()
    solver = build_box(made)
    solver.advance(0.01)
    assert solver.ledger.inflow == 0.0
    assert solver.state.velocity[0][15, 25] > 0.3
