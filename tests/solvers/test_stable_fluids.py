"""Stable fluids: vortices, rest, bodies, bounds, bits."""

import math

import numpy as np
import pytest

import plash
from plash.grid.box import box_divergence
from plash.physics.box.obstacles import SolidCells
from plash.physics.box.pouring import BoxSource
from plash.solvers.build.box import build_box


def scene(size=(1.5, 1.0), fills=None, solids=(), resolution=24, **solver):
    """A box of fluid; h and rho are not one."""
    d = len(size)
    block = plash.Box(min=(0.1, 0.1, 0.1)[:d], max=(0.6, 0.7, 0.5)[:d])
    return plash.Scene(
        domain={"size": size, "resolution": resolution},
        liquid={"density": 870.0, "kinematic_viscosity": solver.pop("nu", 0.0)},
        solver=plash.Solver(kind="stable_fluids", **solver),
        fill=[{"shape": block}] if fills is None else fills,
        solid=solids,
    )


def vortex_solver(n, nu, **solver):
    """u = sin x cos y, v = -cos x sin y in a free-slip box of side π, with nothing in it that has a weight."""
    built = build_box(
        plash.Scene(
            domain={"size": (math.pi, math.pi), "resolution": n, "gravity": (0, 0)},
            liquid={"density": 870.0, "kinematic_viscosity": nu},
            solver=plash.Solver(kind="stable_fluids", **solver),
            fill=[{"shape": plash.Sphere(center=(1, 1), radius=0.5)}],
        )
    )
    faces = np.arange(n) * built.h
    centres = faces + built.h / 2
    built.state.faces[:] = [np.outer(np.cos(centres), np.sin(faces)), -np.outer(np.sin(faces), np.cos(centres))]
    return built


def amplitude_left(solver, end):
    start = solver.state.faces.copy()
    while solver.state.time < end:
        solver.advance(end)
    return (solver.state.faces * start).sum() / (start**2).sum()


@pytest.mark.parametrize("nu", [0.0, 0.01, 0.1])
def test_a_vortex_decays_as_viscosity_says(nu):
    left = amplitude_left(vortex_solver(48, nu), 1.0)
    assert left == pytest.approx(math.exp(-2 * nu), rel=0.002)


def test_the_plain_trace_loses_more_and_less_of_it_on_finer_grids():
    losses = [1 - amplitude_left(vortex_solver(n, 0.0, advection="semi_lagrangian"), 1.0) for n in (24, 48)]
    corrected = 1 - amplitude_left(vortex_solver(24, 0.0), 1.0)
    assert losses[0] > losses[1] > 0.01
    assert abs(corrected) < losses[0] / 10


def test_the_loss_is_of_second_order_in_the_step():
    """A pressure that comes only at the end of a step takes (dt/2)² from this vortex in each."""
    losses = [1 - amplitude_left(vortex_solver(48, 0.0, max_dt=dt, courant=10), 1.0) for dt in (0.2, 0.1)]
    assert losses[0] < 0.2 / 4
    assert losses[0] / losses[1] > 2.5


@pytest.mark.parametrize("advection", ["semi_lagrangian", "maccormack"])
def test_courant_20_is_stable_and_density_keeps_its_bounds(advection):
    solver = build_box(scene(advection=advection, courant=20, nu=1e-6, resolution=32))
    s = solver.state
    s.faces[:] = np.random.default_rng(0).standard_normal(s.faces.shape)
    solver.obstacles.close(s.faces)
    solver.projection.project(s.faces)
    largest, energy = 0.0, (s.faces**2).sum()
    for _ in range(60):
        largest = max(largest, solver.advance(1e6).courant)
        assert s.density.min() >= 0.0
        assert s.density.max() <= 1.0
    assert largest > 10
    assert (s.faces**2).sum() < energy


def test_density_keeps_its_bounds_while_it_falls_and_spreads(dimension):
    size = [(1.5, 1.0), (0.9, 1.0, 0.7)][dimension - 2]
    solid = {"shape": plash.Sphere(center=(0.5, 0.1, 0.3)[:dimension], radius=0.15)}
    solver = build_box(scene(size, solids=[solid], resolution=16, courant=4, diffusion=1e-4, confinement=0.5))
    for number in range(1, 12):
        while solver.state.time < number / 24:
            solver.advance(number / 24)
        assert solver.state.density.min() >= 0.0
        assert solver.state.density.max() <= 1.0
    assert solver.speed > 0.5


def test_a_flat_pool_stays_still(dimension):
    size = [(1.5, 1.0), (0.9, 1.0, 0.7)][dimension - 2]
    pool = {"shape": plash.HalfSpace(point=(0, 0.43, 0)[:dimension], normal=(0, 1, 0)[:dimension])}
    solver = build_box(scene(size, [pool], resolution=16))
    before = solver.state.density.copy()
    for _ in range(10):
        solver.advance(1.0)
    assert solver.speed < 1e-12
    assert np.abs(solver.state.density - before).max() < 1e-12
    layers = np.moveaxis(solver.state.pressure, -2, 0)
    assert (layers[0] - layers[3]) / (3 * solver.h) == pytest.approx(870 * 9.81, rel=1e-9)
    assert np.ptp(layers.reshape(len(layers), -1), axis=1).max() < 1e-6


def test_without_obstacles_the_divergence_is_round_off_after_every_step():
    solver = build_box(scene((0.9, 1.0, 0.7), resolution=16, courant=3, nu=1e-3))
    for _ in range(5):
        solver.advance(1.0)
        assert np.abs(box_divergence(solver.state.faces, solver.h)).max() < 1e-12 * solver.speed / solver.h


def test_nothing_goes_through_bodies_after_any_sub_step(dimension, monkeypatch):
    """The rule of Kuo's first lesson: the velocity is looked at after every sub-step."""
    size = [(1.5, 1.0), (0.9, 1.0, 0.7)][dimension - 2]
    ball = {"shape": plash.Sphere(center=(0.7, 0.2, 0.3)[:dimension], radius=0.17), "friction": 0.5}
    solver = build_box(scene(size, solids=[ball], resolution=20, courant=3, nu=1e-4, confinement=0.3))
    seen = []
    obstacles, reset = solver.obstacles, type(solver)._reset
    assert isinstance(obstacles, SolidCells)

    def watched(self, velocity, dt):
        reset(self, velocity, dt)
        seen.append(np.abs(velocity[self.obstacles.is_closed]).max())

    monkeypatch.setattr(type(solver), "_reset", watched)
    for _ in range(6):
        for _ in solver.stages(0.02):
            assert (solver.state.faces[obstacles.is_closed] == 0.0).all()
            assert (solver.state.density[obstacles.is_solid] == 0.0).all()
    assert seen == [0.0] * 18
    assert solver.speed > 0.2
    divergence = np.abs(box_divergence(solver.state.faces, solver.h)).max()
    assert divergence < 1e-3 * solver.speed / solver.h


def test_mirror_images_stay_mirror_images():
    block = {"shape": plash.Box(min=(0.45, 0.3), max=(1.05, 0.8))}
    solver = build_box(scene(fills=[block], resolution=30, courant=2))
    for _ in range(12):
        solver.advance(1.0)
    density, u = solver.state.density, solver.state.velocity[0]
    assert np.abs(density - density[:, ::-1]).max() < 1e-9
    assert np.abs(u + u[:, ::-1]).max() < 1e-9
    assert solver.speed > 0.3


def test_friction_holds_liquid_back():
    """Liquid that falls along a rough wall is slower than along a smooth one."""
    speeds = []
    for friction in (0.0, 1.0):
        wall = {"shape": plash.Box(min=(0, 0), max=(0.3, 1.0)), "friction": friction}
        column = {"shape": plash.Box(min=(0.3, 0.4), max=(0.5, 0.9))}
        solver = build_box(scene(fills=[column], solids=[wall], resolution=30, max_dt=0.01))
        for _ in range(10):
            solver.advance(0.1)
        first = round(0.3 / solver.h)
        speeds.append(-solver.state.faces[1][10:26, first].mean())
    assert speeds[0] > 0.1
    assert speeds[1] < 0.25 * speeds[0]


def test_what_pours_in_is_in_the_ledger():
    solver = build_box(scene(resolution=24))
    share = np.zeros_like(solver.state.density)
    share[12:14, 18:20] = 1.0
    solver.pours = [BoxSource(share, velocity=(0.0, -1.0), stop=0.2)]
    for number in range(1, 9):
        while solver.state.time < number / 24:
            solver.advance(number / 24)
    ledger = solver.ledger
    assert ledger.inflow > 4 * solver.h**2
    assert ledger.volume == pytest.approx(ledger.target_volume, rel=0.1)
    assert ledger.volume == pytest.approx(solver.state.density.sum() * solver.h**2)


def test_other_scalars_are_carried_along_as_the_density_is():
    solver = build_box(scene(resolution=24, diffusion=1e-4))
    solver.state.scalars["temperature"] = 20.0 + 50.0 * solver.state.density
    for _ in range(5):
        solver.advance(1.0)
    s = solver.state
    assert np.allclose(s.scalars["temperature"], 20.0 + 50.0 * s.density, atol=1e-9)


def test_same_bits_for_any_number_of_threads(dimension, threads):
    size = [(1.5, 1.0), (0.9, 1.0, 0.7)][dimension - 2]
    ball = {"shape": plash.Sphere(center=(0.7, 0.2, 0.3)[:dimension], radius=0.17), "friction": 0.5}
    found = []
    for n in (1, 2):
        threads(n)
        options = {"nu": 1e-4, "diffusion": 1e-5, "confinement": 0.3, "courant": 3}
        solver = build_box(scene(size, solids=[ball], resolution=16, **options))
        for _ in range(4):
            solver.advance(1.0)
        s = solver.state
        found.append((s.faces.tobytes(), s.density.tobytes(), s.pressure.tobytes()))
    assert found[0] == found[1]


def test_no_confinement_is_bit_for_bit_none():
    runs = []
    for options in ({}, {"confinement": 0.0}):
        solver = build_box(scene(resolution=20, **options))
        for _ in range(4):
            solver.advance(1.0)
        runs.append(solver.state.faces.tobytes())
    assert runs[0] == runs[1]


def test_a_velocity_that_is_not_finite_ends_the_run():
    solver = build_box(scene(resolution=16))
    solver.advance(1.0)
    solver.state.pressure[3, 3] = np.inf
    with np.errstate(all="ignore"), pytest.raises(plash.DivergedError, match="not finite"):
        solver.advance(1.0)


def test_a_moving_fill_moves():
    ball = {"shape": plash.Sphere(center=(0.75, 0.5), radius=0.2), "velocity": (1.0, 0.0)}
    solver = build_box(scene(fills=[ball], resolution=30))
    assert 0.4 < solver.state.velocity[0].max() < 0.6
    assert np.abs(box_divergence(solver.state.faces, solver.h)).max() < 1e-12 / solver.h


def test_a_short_step_does_not_throw_a_long_one():
    """The pressure of a sudden push grows as 1/dt, and must not pull for longer than it was found for."""
    solver = build_box(scene(resolution=24))
    share = np.zeros_like(solver.state.density)
    share[10:13, 8:11] = 1.0
    solver.pours = [BoxSource(share, velocity=(0.0, 1.0))]
    for dt in (1e-7, 0.03, 1e-6, 0.05):
        for _ in solver.stages(dt):
            pass
        assert solver.speed < 3.0


def test_a_thin_wall_holds():
    """A wall much thinner than a cell, aslant: nothing gets to the other side."""
    wall = plash.Box(min=(0.74, -0.5), max=(0.745, 1.5), rotation={"angle": "20 deg", "about": (0.75, 0.5)})
    column = {"shape": plash.Box(min=(0, 0), max=(0.4, 1.0))}
    solver = build_box(scene(fills=[column], solids=[{"shape": wall}], resolution=30))
    for _ in range(20):
        solver.advance(1.0)
    beyond = (np.indices(solver.state.density.shape)[1] + 0.5) * solver.h > 1.2
    assert solver.state.density[beyond].max() == 0.0
    assert np.abs(solver.state.velocity[:, beyond]).max() < 1e-3 * solver.speed
