"""What leaves a box of stable fluids."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.grid.box import box_divergence
from plash.physics.box.sinks import BoxSink, BoxSinks

H = 0.05


def half_full(size, sink, resolution=24, solids=(), **solver):
    """A box half full of liquid at rest, with a sink at its bottom."""
    d = len(size)
    return plash.build(
        plash.Scene(
            domain={"size": size, "resolution": resolution},
            liquid={"density": 870.0, "kinematic_viscosity": 0.0},
            solver=plash.Solver(kind="stable_fluids", **solver),
            fill=[{"shape": plash.HalfSpace(point=(0, 0.5, 0)[:d], normal=(0, 1, 0)[:d])}],
            sink=[sink],
            solid=solids,
        )
    )


def hole(d, **keys):
    return {"name": "hole", "shape": plash.Box(min=(0.4, 0, 0.1)[:d], max=(0.8, 0.11, 0.4)[:d]), **keys}


@pytest.mark.parametrize("size", [(1.2, 1.0), (1.2, 1.0, 0.5)])
@pytest.mark.parametrize("courant", [1, 4])
def test_a_drain_takes_its_rate_and_the_surface_falls(size, courant):
    d, rate = len(size), 0.1 if len(size) == 2 else 0.05
    drain = hole(d, flow_rate=rate, stop=0.55)
    solver = half_full(size, drain, 24 if d == 2 else 16, courant=courant, advection="semi_lagrangian")
    before = solver.ledger.volume
    for time in (0.4, 0.7):
        while solver.state.time < time:
            solver.advance(time)
    taken = rate * 0.55
    assert solver.ledger.removed["sink hole"] == pytest.approx(taken, rel=0.01)
    assert before - solver.ledger.volume == pytest.approx(taken, rel=0.04)
    # Air came in above, and everywhere alike: the level is even
    columns = solver.state.density.sum(axis=d - 2) * solver.h
    assert np.abs(columns - columns.mean()).max() < 0.4 * solver.h


def test_with_maccormack_the_surface_lags_by_less_than_a_cell():
    """Its limits hold on to a sharp edge that begins to move, once."""
    solver = half_full((1.2, 1.0), hole(2, flow_rate=0.1))
    before, lags = solver.ledger.volume, []
    for time in (0.5, 1.0, 2.0):
        while solver.state.time < time:
            solver.advance(time)
        lags.append((0.1 * time - (before - solver.ledger.volume)) / (1.2 * solver.h))
    assert max(lags) < 0.8


def test_the_velocity_has_the_divergence_of_the_drain_and_nothing_else():
    ball = {"shape": plash.Sphere(center=(0.9, 0.3), radius=0.12)}
    solver = half_full((1.2, 1.0), hole(2, flow_rate=0.1), solids=[ball], tolerance=1e-9)
    asked = solver.sinks.divergence(solver.state.density, 0.0, 0.01)
    for _ in solver.stages(0.01):
        pass
    assert asked.sum() == pytest.approx(0, abs=1e-9 * np.abs(asked).sum())
    assert -asked[asked < 0].sum() * solver.h**2 == pytest.approx(0.1)
    left = box_divergence(solver.state.faces, solver.h) - asked
    assert np.abs(left).max() < 1e-6 * np.abs(asked).max()


def test_a_sink_without_a_rate_takes_all_that_enters():
    """At once what is there, later what flows in from the side."""
    solver = half_full((1.2, 1.0), {"name": "hole", "shape": plash.Box(min=(0, 0), max=(0.6, 0.4))})
    before = solver.ledger.volume
    solver.advance(0.01)
    assert solver.ledger.removed["sink hole"] == pytest.approx(0.24, rel=1e-9)
    assert before - solver.ledger.volume == pytest.approx(0.24, rel=1e-3)
    while solver.state.time < 1.0:
        solver.advance(1.0)
    assert solver.ledger.removed["sink hole"] > 0.5 * before
    assert solver.ledger.volume == pytest.approx(before - solver.ledger.removed["sink hole"], abs=0.05 * before)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "resolution"), [((1.2, 1.0), 24), ((1.2, 1.0, 0.5), 16)])
@pytest.mark.parametrize("courant", [1, 4])
def test_a_sink_that_matches_a_spout_takes_as_much_as_that_brings(size, resolution, courant):
    """Of a spout that pours into the pool, at a rate that grows and falls, and then for some time does not."""
    d = len(size)
    opening: dict[str, Any] = {"center": (0.6, 0.9, 0.25)[:d], "normal": (0, -1, 0)[:d]}
    if d == 2:
        shape = {"kind": "rectangle", "size": [0.2], **opening}
    else:
        shape = {"kind": "disc", "radius": 0.12, **opening}
    tap: Any = {"kind": "spout", "name": "tap", "shape": shape, "speed": 0.8, "start": 0.1, "stop": 0.7, "ramp": 0.1}
    scene = plash.Scene(
        domain={"size": size, "resolution": resolution},
        liquid={"density": 870.0, "kinematic_viscosity": 0.0},
        solver=plash.Solver(kind="stable_fluids", courant=courant),
        fill=[{"shape": plash.HalfSpace(point=(0, 0.5, 0)[:d], normal=(0, 1, 0)[:d])}],
        source=[tap],
        sink=[hole(d, match="tap")],
    )
    solver = plash.build(scene)
    for time in np.arange(1, 13) * 0.1:
        while solver.state.time < time - 1e-9:
            solver.advance(time)
            assert solver.ledger.removed.get("sink hole", 0.0) <= solver.ledger.brought.get("tap", 0.0) * (1 + 1e-9)
    brought = solver.ledger.brought["tap"]
    assert brought > 0.015
    assert solver.ledger.inflow == pytest.approx(brought)
    assert solver.ledger.removed["sink hole"] == pytest.approx(brought, rel=0.01)


def test_a_full_box_lets_nothing_out():
    share = np.zeros((4, 6))
    share[0, 2] = 1.0
    drain = BoxSink("sink hole", share, rate=0.5)
    assert BoxSinks([drain]).divergence(np.ones((4, 6)), 0.0, 0.1) is None
    half = np.ones((4, 6))
    half[2:] = 0.0
    asked = BoxSinks([drain]).divergence(half, 0.0, 0.1)
    assert asked[0, 2] == pytest.approx(-0.5)
    assert asked[half == 1].sum() == pytest.approx(-0.5)
    assert asked[half == 0].sum() == pytest.approx(0.5)


def test_a_drain_draws_air_from_its_own_space_only():
    wall = {"shape": plash.Box(min=(0.85, 0), max=(0.95, 1))}
    solver = half_full((1.2, 1.0), hole(2, flow_rate=0.1), solids=[wall])
    asked = solver.sinks.divergence(solver.state.density, 0.0, 0.01)
    right = int(0.9 / solver.h)
    assert (asked[:, right:] == 0).all()
    assert asked[:, :right].sum() == pytest.approx(0, abs=1e-9)


def test_time_counts_as_far_as_it_acts():
    drain = BoxSink("sink hole", np.ones((2, 2)), rate=0.5, start=0.1, stop=0.3)
    assert drain.lasts(0.0, 0.2) == pytest.approx(0.1)
    assert drain.lasts(0.25, 1.0) == pytest.approx(0.05)
    assert drain.divergence(np.zeros((2, 2)), 0.4, 0.1) is None
