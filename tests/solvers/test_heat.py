"""Heat in stable fluids: waves of a stratified liquid, conduction, what rises, bounds, bodies, bits."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.physics.box.obstacles import SolidCells
from plash.physics.box.pouring import BoxSource
from plash.solvers.build.box import build_box

T0 = 300.0


def scene(size=(1.5, 1.0), fills=None, sources=(), solids=(), resolution=24, gravity=None, **options):
    """A box full of liquid, a little warmer than T0, unless there are other fills; h and rho are not one."""
    d = len(size)
    full = plash.Fill(shape=plash.Box(min=(-1,) * d, max=(9,) * d), temperature=T0 + 1)
    heat: Any = {key: options.pop(key) for key in ("thermal_expansion", "thermal_diffusivity") if key in options}
    return plash.Scene(
        domain={"size": size, "resolution": resolution, "gravity": gravity or (0, -9.81, 0)[:d]},
        liquid=plash.Liquid(density=870.0, kinematic_viscosity=options.pop("nu", 0.0), temperature=T0, **heat),
        solver=plash.Solver(kind="stable_fluids", **options),
        fill=[full] if fills is None else fills,
        source=sources,
        solid=solids,
    )


def temperature(solver):
    return solver.state.scalars["temperature"]


def set_temperature(solver, values):
    solver.state.scalars["temperature"] = np.broadcast_to(values, solver.state.density.shape).copy()


def heights(solver):
    return ((np.arange(solver.state.density.shape[-2]) + 0.5) * solver.h)[:, None]


def internal_wave(n):
    """Frequency over that of theory, and height left after half a period, of a standing wave in a layered liquid.

    ψ = sin(kx x) sin(ky y), and a temperature that grows with height; ω = N kx/|k| with N² = g β dT/dy.
    """
    growth, expansion, kx, ky = 50.0, 0.008, math.pi / 1.6, math.pi / 1.2
    omega = math.sqrt(9.81 * expansion * growth) * kx / math.hypot(kx, ky)
    full = scene((1.6, 1.2), resolution=n, thermal_expansion=expansion, thermal_diffusivity=0, max_dt=1.5 / n)
    solver = build_box(full)
    set_temperature(solver, T0 + growth * (heights(solver) - 0.5))
    x, y, half = np.arange(n) * solver.h, np.arange(len(heights(solver))) * solver.h, solver.h / 2
    u = ky * np.outer(np.cos(ky * (y + half)), np.sin(kx * x))
    v = -kx * np.outer(np.sin(ky * y), np.cos(kx * (x + half)))
    solver.state.faces[:] = start = 1e-4 * np.stack([u, v])
    times, left = [0.0], [1.0]
    while times[-1] < 0.8 * 2 * math.pi / omega:
        solver.advance(100.0)
        times.append(solver.state.time)
        left.append((solver.state.faces * start).sum() / (start**2).sum())
    before = np.flatnonzero(np.diff(np.sign(left)))
    zeros = [np.interp(0.0, sorted(left[i : i + 2]), times[i : i + 2][:: -1 if left[i] > 0 else 1]) for i in before]
    return math.pi / (zeros[1] - zeros[0]) / omega, -min(left)


def test_internal_waves_have_the_frequency_of_theory_and_last():
    (coarse, coarse_left), (fine, fine_left) = internal_wave(32), internal_wave(64)
    assert coarse == pytest.approx(1.0, abs=0.005)
    assert abs(fine - 1) < abs(coarse - 1) / 3
    assert [coarse_left, fine_left] == pytest.approx([1.0, 1.0], abs=0.002)


def test_a_layered_liquid_stays_still():
    """Warm above cold: the weight is the gradient of a pressure."""
    solver = build_box(scene(thermal_expansion=0.01, thermal_diffusivity=0))
    set_temperature(solver, T0 + 30 * heights(solver))
    for _ in range(10):
        solver.advance(1.0)
    assert solver.speed < 1e-11


def test_conduction_evens_out_by_the_factor_of_the_implicit_step(dimension):
    size = [(1.5, 1.0), (1.5, 1.0, 0.7)][dimension - 2]
    kappa, dt, steps = 0.02, 0.1, 7
    solver = build_box(scene(size, thermal_diffusivity=kappa, resolution=24, max_dt=dt, courant=100))
    n, h = solver.state.density.shape[-1], solver.h
    wave = np.cos(math.pi * (np.arange(n) + 0.5) / n)
    set_temperature(solver, T0 + 5 * wave)
    total = temperature(solver).sum()
    for _ in range(steps):
        for _ in solver.stages(dt):
            pass
    eigenvalue = (2 / h * math.sin(math.pi / (2 * n))) ** 2
    factor = (1 + kappa * dt * eigenvalue) ** -steps
    assert np.allclose(temperature(solver), T0 + 5 * factor * wave, rtol=0, atol=1e-11)
    assert factor == pytest.approx(math.exp(-kappa * (math.pi / 1.5) ** 2 * dt * steps), rel=0.01)
    assert temperature(solver).sum() == pytest.approx(total, rel=1e-14)


def test_round_a_body_heat_is_conserved_too():
    ball = {"shape": plash.Sphere(center=(0.7, 0.4), radius=0.2)}
    solver = build_box(scene(solids=[ball], thermal_diffusivity=0.01, gravity=(0, 0), resolution=30))
    set_temperature(solver, T0 + 40 * heights(solver))
    assert isinstance(solver.obstacles, SolidCells)
    is_open = ~solver.obstacles.is_solid
    total, spread = temperature(solver)[is_open].sum(), np.ptp(temperature(solver)[is_open])
    for _ in range(10):
        for _ in solver.stages(1.0):
            pass
    assert temperature(solver)[is_open].sum() == pytest.approx(total, rel=1e-11)
    assert np.ptp(temperature(solver)[is_open]) < 0.7 * spread


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("warmer", [-20.0, 20.0])
def test_warm_liquid_rises_and_cold_sinks_along_any_axis(axis, sign, warmer):
    size = (0.9, 1.1, 0.7)
    gravity = tuple(sign * 5.0 * (a == axis) for a in range(3))
    middle = tuple(side / 2 for side in size)
    fills = [
        {"shape": plash.Sphere(center=middle, radius=0.2), "temperature": T0 + warmer},
        {"shape": plash.Box(min=(-1, -1, -1), max=(9, 9, 9))},
    ]
    solver = build_box(scene(size, fills, gravity=gravity, resolution=14, thermal_expansion=0.02))

    def height():
        """Where along the axis the middle of what is warmer, or colder, is."""
        excess = np.moveaxis(temperature(solver) - T0, 2 - axis, 0)
        profile = excess.reshape(len(excess), -1).sum(axis=1)
        return (profile * np.arange(len(profile))).sum() / profile.sum() * solver.h

    start = height()
    while solver.state.time < 0.3:
        solver.advance(0.3)
    upwards = -sign * (height() - start)
    assert upwards * warmer > 0.02 * abs(warmer)


def test_liquid_that_weighs_less_than_nothing_leaves_its_pool():
    """At 1 - β (T - T0) = -1 it rises out of its surface; with half of its weight it stays below."""
    levels = []
    for warmth in (100.0, 25.0):
        pool = {"shape": plash.Box(min=(0, 0), max=(0.6, 0.5)), "temperature": T0 + warmth}
        solver = build_box(scene(fills=[pool], thermal_expansion=0.02, thermal_diffusivity=0))
        while solver.state.time < 0.6:
            solver.advance(0.6)
        density = solver.state.density
        levels.append((density * heights(solver)).sum() / density.sum())
    assert levels[0] > 0.4
    assert levels[1] < 0.25


def test_without_expansion_heat_changes_no_bit_of_the_flow():
    block = plash.Box(min=(0.1, 0.1), max=(0.6, 0.7))
    ball = {"shape": plash.Sphere(center=(0.9, 0.2), radius=0.15)}
    runs = []
    for warmth in (None, T0 + 40):
        fill = {"shape": block} if warmth is None else {"shape": block, "temperature": warmth}
        solver = build_box(scene(fills=[fill], solids=[ball], courant=3, nu=1e-4))
        for _ in range(6):
            solver.advance(1.0)
        runs.append(solver)
    cold, warm = (run.state for run in runs)
    assert cold.scalars == {}
    assert cold.faces.tobytes() == warm.faces.tobytes()
    assert cold.density.tobytes() == warm.density.tobytes()
    assert np.ptp(warm.scalars["temperature"]) > 30


def test_a_uniform_temperature_stays_uniform_round_bodies(dimension):
    size = [(1.5, 1.0), (0.9, 1.0, 0.7)][dimension - 2]
    ball = {"shape": plash.Sphere(center=(0.5, 0.4, 0.3)[:dimension], radius=0.25)}
    block = {"shape": plash.Box(min=(0.1, 0.3, 0.1)[:dimension], max=(0.4, 0.9, 0.6)[:dimension]), "temperature": 310.0}
    options = {"thermal_expansion": 0.02, "thermal_diffusivity": 1e-3, "courant": 8, "resolution": 20}
    solver = build_box(scene(size, [block], solids=[ball], **options))
    set_temperature(solver, 417.3)
    assert isinstance(solver.obstacles, SolidCells)
    temperature(solver)[solver.obstacles.is_solid] = T0  # what is inside bodies must not get out
    for _ in range(12):
        solver.advance(100.0)
        assert np.abs(temperature(solver) - 417.3).max() < 1e-10
    assert solver.speed > 0.5


SPOUT = {
    "kind": "spout",
    "shape": {"kind": "disc", "center": (0.3, 0.9), "normal": (1, -1), "radius": 0.1},
    "speed": 2.0,
    "temperature": 350.0,
}
COOLER = {"kind": "heat", "shape": {"kind": "box", "min": (0.9, 0.6), "max": (1.4, 0.95)}, "temperature": 280.0}
BLOB = {"kind": "blob", "shape": {"kind": "sphere", "center": (1.1, 0.5), "radius": 0.12}, "time": 0.1}


@pytest.mark.parametrize("advection", ["semi_lagrangian", "maccormack"])
def test_temperature_keeps_its_bounds_and_courant_20_is_stable(advection):
    ball = {"shape": plash.Sphere(center=(0.7, 0.35), radius=0.17)}
    pool = {"shape": plash.Box(min=(0, 0), max=(1.5, 0.3)), "temperature": 320.0}
    options = {"thermal_expansion": 0.03, "thermal_diffusivity": 1e-4, "courant": 20, "resolution": 32}
    warm = {**BLOB, "temperature": 349.0}
    solver = build_box(scene((1.5, 1.0), [pool], [SPOUT, COOLER, warm], [ball], advection=advection, **options))
    largest = 0.0
    for _ in range(60):
        largest = max(largest, solver.advance(1e6).courant)
        found = temperature(solver)
        assert found.min() >= 280.0
        assert found.max() <= 350.0
        assert solver.speed < 3 * math.sqrt(2 * 9.81 * 1.5)
    assert largest > 10
    assert found.min() < 285.0
    assert found.max() > 345.0


def test_a_source_of_heat_holds_what_is_in_it_while_it_acts():
    cooler = {**COOLER, "start": 0.1, "stop": 0.3}
    solver = build_box(scene(sources=[cooler], thermal_expansion=0.02, thermal_diffusivity=1e-3))
    inside = (slice(11, 14), slice(16, 21))
    seen = []
    for number in range(1, 9):
        while solver.state.time < number * 0.05 - 1e-12:
            solver.advance(number * 0.05)
        seen.append(float(np.abs(temperature(solver)[inside] - 280.0).max()))
    assert seen[0] == seen[1] == pytest.approx(21.0)
    assert seen[2:6] == [0.0] * 4
    assert seen[6] > 0.01


def test_liquid_that_appears_is_as_warm_as_it_says():
    late = {"shape": plash.Box(min=(0, 0), max=(0.4, 0.3)), "time": 0.05, "temperature": 330.0}
    solver = build_box(scene(fills=[late], sources=[BLOB], resolution=30, gravity=(0, 0)))
    while solver.state.time < 0.2:
        solver.advance(0.2)
    found, full = temperature(solver), solver.state.density > 0.9
    assert full[3, 3]
    assert found[3, 3] == pytest.approx(330.0)
    assert found[10, 22] == pytest.approx(T0)
    assert full[10, 22]


def test_liquid_that_appears_mixes_with_what_is_there():
    """Heat content of the liquid: cells half full at 310 K, filled up with 340 K."""
    half = {"shape": plash.Box(min=(-1, -1), max=(9, 9)), "temperature": 310.0}
    solver = build_box(scene(fills=[half], gravity=(0, 0), thermal_diffusivity=0))
    s = solver.state
    s.density[:] = 0.5
    solver.pours = [BoxSource(np.ones_like(s.density), temperature=340.0)]
    solver.advance(0.01)
    assert np.allclose(temperature(solver), 325.0)


def test_a_spout_brings_its_temperature():
    solver = build_box(scene(fills=[{"shape": plash.Box(min=(0, 0), max=(1.5, 0.2))}], sources=[SPOUT]))
    while solver.state.time < 0.2:
        solver.advance(0.2)
    share = solver.pours[0].share
    assert (share == 1.0).any()
    assert (temperature(solver)[share == 1.0] == 350.0).all()
    assert temperature(solver)[2, 2] == T0


def test_steps_are_shorter_where_heat_weighs_more_than_gravity():
    fill = {"shape": plash.Box(min=(-1, -1), max=(9, 9)), "temperature": T0 + 50}
    speeds = [build_box(scene(fills=[fill], thermal_expansion=beta)).weight_speed for beta in (0.0, 0.03, 0.1, -0.1)]
    plain = math.sqrt(9.81 * 1.5 / 24)
    assert speeds == pytest.approx([plain, plain, 2 * plain, math.sqrt(6) * plain])


def test_same_bits_for_any_number_of_threads(dimension, threads):
    size = [(1.5, 1.0), (0.9, 1.0, 0.7)][dimension - 2]
    ball = {"shape": plash.Sphere(center=(0.6, 0.3, 0.3)[:dimension], radius=0.17)}
    heater = {"kind": "heat", "shape": plash.Sphere(center=(0.3,) * dimension, radius=0.2), "temperature": 350.0}
    found = []
    for n in (1, 2):
        threads(n)
        options = {"thermal_expansion": 0.02, "thermal_diffusivity": 1e-4, "courant": 3, "resolution": 16}
        solver = build_box(scene(size, sources=[heater], solids=[ball], **options))
        for _ in range(4):
            solver.advance(1.0)
        found.append((solver.state.faces.tobytes(), temperature(solver).tobytes()))
    assert found[0] == found[1]
    assert solver.speed > 0.1


def test_a_scene_without_temperatures_carries_none():
    made = scene(fills=[{"shape": plash.Box(min=(0, 0), max=(0.5, 0.5)), "temperature": T0}], thermal_expansion=0.1)
    solver = build_box(made)
    solver.advance(0.1)
    assert solver.state.scalars == {}
    assert solver.snapshot().temperature is None
    assert not made.has_heat
