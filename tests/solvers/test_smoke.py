"""Smoke on tiles: what is known of its motion, and that nothing of it gets lost without a word."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.solvers.smokes import centre_of, puff, smoke_scene
from validation.air import dense, filled
from validation.smoke import internal_wave, largest_divergence, puff_in_wind

from plash.grid.dense import to_dense
from plash.grid.differences import divergence
from plash.solvers.build.smoke import build_smoke


def step_to(solver, time):
    while solver.state.time < time - 1e-12:
        solver.advance(time)


def energy(solver):
    return sum(float((dense(solver, part).astype(np.float64) ** 2).sum()) for part in solver.state.velocity.pool)


@pytest.mark.slow
@pytest.mark.parametrize("conserve", [True, False])
def test_internal_waves_have_the_frequency_of_theory(conserve):
    """ω = N k_x/|k| in air whose warmth grows upwards, N² = k_rise G (VALIDATION 6)."""
    assert abs(internal_wave(64, conserve)) < 0.03


@pytest.mark.parametrize("gravity", [(0.0, -9.81), (3.0, 4.0), (-9.81, 0.0)])
@pytest.mark.parametrize("dense_smoke", [False, True])
def test_hot_smoke_rises_and_dense_smoke_sinks_whatever_way_gravity_points(gravity, dense_smoke):
    keys = {"density": 1.0} if dense_smoke else {"density": 0.2, "temperature": 400.0}
    settings = {"max_dt": 0.02, "fall": 8.0 if dense_smoke else 0.0}
    scene = smoke_scene((2, 2), 0.05, "open", gravity, solver=settings, fill=[puff((1, 1), 0.25, **keys)])
    solver = build_smoke(scene)
    step_to(solver, 0.3)
    way = (centre_of(solver.snapshot().shown, (0, 0), (40, 40)) - 1.0) * (1 if dense_smoke else -1)
    down = np.array(gravity) / np.hypot(*gravity)
    assert way @ down > 0.03
    assert abs(way @ np.array([-down[1], down[0]])) < 0.02 * (way @ down) + 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("dense_smoke", [False, True])
def test_in_space_too_hot_smoke_rises_and_dense_smoke_sinks(axis, sign, dense_smoke):
    """Gravity along x or z, either way, with cells and a box that are no cubes of one metre."""
    gravity = [0.0, 0.0, 0.0]
    gravity[axis] = 4.0 * sign
    keys = {"density": 1.0} if dense_smoke else {"density": 0.2, "temperature": 400.0}
    settings = {"max_dt": 0.02, "fall": 3.0 if dense_smoke else 0.0}
    fill = [puff((0.8, 0.72, 0.8), 0.2, **keys)]
    solver = build_smoke(smoke_scene((1.6, 1.44, 1.6), 0.08, "open", gravity, solver=settings, fill=fill))
    step_to(solver, 0.3)
    way = centre_of(solver.snapshot().shown, (0, 0, 0), (20, 18, 20)) - np.array([0.8, 0.72, 0.8])
    down = sign * way[axis] * (1 if dense_smoke else -1)
    assert down > 0.02
    assert np.abs(np.delete(way, axis)).max() < 0.02 * down + 1e-4


def test_without_gravity_smoke_rises_the_way_the_scene_says():
    settings = {"rise": 0.03, "up": [1, 0], "max_dt": 0.02}
    fill = [puff((1, 1), 0.25, temperature=400.0)]
    solver = build_smoke(smoke_scene((2, 2), 0.05, "open", (0, 0), solver=settings, fill=fill))
    step_to(solver, 0.3)
    way = centre_of(solver.snapshot().shown, (0, 0), (40, 40)) - 1.0
    assert way[0] > 0.03
    assert abs(way[1]) < 1e-3


@pytest.mark.slow
def test_a_vortex_that_fills_its_box_goes_on_turning():
    """Taylor-Green: stationary without viscosity; what is left of its energy after a turn is what advection keeps."""
    k, h = 2 * math.pi, 1 / 64
    left = {}
    for advection in ("semi_lagrangian", "maccormack"):
        solver = filled(
            smoke_scene((1, 1), h, solver={"advection": advection, "courant": 0.5}, fill=[puff((0.5, 0.5), 0.2)]),
            (lambda x, y: np.sin(k * x) * np.cos(k * y), lambda x, y: -np.cos(k * x) * np.sin(k * y)),
            density=lambda x, y: 1.0 + 0 * x,
        )
        before = energy(solver)
        step_to(solver, 1.0)
        left[advection] = energy(solver) / before
    assert 0.94 < left["maccormack"] < 1.001
    assert 0.3 < left["semi_lagrangian"] < left["maccormack"] - 0.02


@pytest.mark.parametrize(
    "scene",
    [
        smoke_scene(fill=[puff((0.7, 0.5), 0.3, temperature=400.0)]),
        smoke_scene(sides="unbounded", solver={"wind": [1, 0]}, fill=[puff((0.7, 0.5), 0.3, temperature=350.0)]),
        smoke_scene(
            (0.8, 0.6, 0.7),
            sides="open",
            solver={"tolerance": 1e-5, "courant": 1},
            fill=[puff((0.3, 0.2, 0.35), 0.15, temperature=400.0)],
            solid=[{"shape": {"kind": "sphere", "center": (0.4, 0.45, 0.3), "radius": 0.12}, "friction": 0.5}],
        ),
    ],
)
def test_no_cell_of_the_envelope_has_a_divergence(scene):
    solver = build_smoke(scene)
    for _ in range(3):
        report = solver.advance(0.3)
        assert report.residual <= scene.solver.tolerance
        assert largest_divergence(solver) < scene.solver.tolerance * solver.speed
    assert solver.cells.liquid_count > 500


def test_the_worst_cell_has_a_limit_of_its_own():
    """Of noise, the mean over cells alone lets single cells be worse than the tolerance."""
    solver = build_smoke(smoke_scene(sides="open", fill=[puff((0.7, 0.5), 0.3, temperature=400.0)]))
    solver.advance(0.3)
    noise = np.random.default_rng(5).uniform(-1, 1, solver.state.velocity.pool.shape).astype(np.float32)
    worst = {}
    for in_every_cell in (True, False):
        solver.state.velocity.pool[:] = noise
        pressure = replace(solver.pressure, tolerance=1e-2, in_every_cell=in_every_cell)
        pressure.project(solver.state.velocity, solver.cells, 0.01)
        worst[in_every_cell] = largest_divergence(solver)
    assert worst[True] < 1e-2 < worst[False]


@pytest.mark.slow
@pytest.mark.parametrize(("conserve", "across", "most"), [(True, 12, 1e-4), (False, 24, 0.02)])
def test_wind_carries_a_puff_unchanged_and_as_far_as_it_blows(conserve, across, most):
    mass, away = puff_in_wind(200, conserve, across)
    assert abs(mass) < most
    assert away < 0.5


def test_wind_blows_on_round_a_puff():
    """The air round it moves as the wind does, and no more of it is followed."""
    wind = (0.8, -0.3)
    fill = [puff((1, 1), 0.3, velocity=wind)]
    solver = build_smoke(smoke_scene((2, 2), 0.05, "unbounded", solver={"wind": wind, "fall": 0}, fill=fill))
    step_to(solver, 1.0)
    assert solver.state.envelope.keys.size <= 25
    np.testing.assert_allclose(solver.speed, math.hypot(*wind), rtol=1e-4)


def with_everything(conserve=True, frames=1):
    return smoke_scene(
        (1.2, 1.6),
        0.05,
        {"x_min": "closed", "x_max": "closed", "y_min": "closed", "y_max": "open"},
        time={"frames": frames, "fps": 24},
        solver={"conserve": conserve, "decay": 0.2, "cooling": 0.1, "confinement": 2.0, "diffusion": 1e-3},
        source=[
            {
                "kind": "smoke",
                "name": "pot",
                "shape": {"kind": "sphere", "center": (0.6, 0.25), "radius": 0.15},
                "mass_rate": 0.05,
                "temperature": 500.0,
                "velocity": (0.0, 0.6),
            }
        ],
        sink=[{"name": "hood", "shape": {"kind": "box", "min": (0.9, 0.6), "max": (1.1, 0.8)}}],
        solid=[
            {
                "name": "ball",
                "shape": {"kind": "sphere", "center": (0.4, 0.75), "radius": 0.12},
                "motion": {"velocity": (0.2, 0.0)},
            }
        ],
    )


@pytest.mark.slow
@pytest.mark.parametrize("conserve", [True, False])
def test_the_ledger_knows_where_all_smoke_is(conserve):
    solver = build_smoke(with_everything(conserve))
    step_to(solver, 1.5)
    ledger = solver.ledger
    assert ledger.brought["pot"] == pytest.approx(0.05 * 1.5, rel=1e-5)
    gone = {"left through y_max", "faded", "covered by solids", "sink hood"}
    assert gone <= ledger.removed.keys()
    assert min(ledger.removed[reason] for reason in ("left through y_max", "faded", "sink hood")) > 0
    there = float(dense(solver, solver.state.scalars[0]).sum()) * 0.05**2
    assert there == pytest.approx(ledger.volume, rel=0.05)  # cells that bodies cut hold less
    total = ledger.initial + ledger.inflow - sum(ledger.removed.values())
    assert ledger.volume == pytest.approx(total, rel=1e-9)
    drift = ledger.removed.get("drift of advection", 0.0)
    assert abs(drift) < (1e-6 if conserve else 0.2) * ledger.inflow
    assert ledger.heat["now"] == pytest.approx(sum(v for name, v in ledger.heat.items() if name != "now"), rel=1e-9)
    assert (solver.state.scalars[0] >= 0).all()


@pytest.mark.parametrize("center", [(0.6, 0.4, 0.5), (0.625, 0.425, 0.525)])
@pytest.mark.parametrize("motion", [None, {"velocity": (0.3, 0.1, 0.0)}])
@pytest.mark.parametrize("keys", [{"mass_rate": 0.02}, {"density_rate": 3000.0}])
def test_a_source_smaller_than_a_cell_gives_what_it_should(center, motion, keys):
    """Whether it lies at the middle of a cell or at its corner, and while it moves from one to the next."""
    radius, time = 0.012, 0.1
    source = {"kind": "smoke", "name": "wick", "shape": puff(center, radius)["shape"], "motion": motion, **keys}
    solver = build_smoke(smoke_scene((1.2, 0.8, 1.0), 0.05, "open", source=[source]))
    step_to(solver, time)
    rate = keys.get("mass_rate", keys.get("density_rate", 0.0) * 4 / 3 * math.pi * radius**3)
    assert solver.ledger.brought["wick"] == pytest.approx(rate * time, rel=0.005)


SOURCES: dict[str, dict[str, Any]] = {
    "hot": {"temperature": 450.0, "density_rate": 1.0},
    "heavy": {"density_rate": 30.0},
    "heavy by mass": {"mass_rate": 2.0},
    "burning": {"temperature": 380.0, "fuel": 1.0},
    "blowing": {"velocity": (3.0, 1.0), "density_rate": 1.0},
    "late": {"temperature": 450.0, "start": 0.05},
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("courant", [0.5, 2.0, 5.0])
def test_no_step_is_too_long_for_what_a_source_is_about_to_give(name, courant):
    """Air at rest, and the end far away: the first steps cross few cells all the same."""
    source = {"kind": "smoke", "name": "pot", "shape": puff((0.8, 0.4), 0.17)["shape"], **SOURCES[name]}
    solver = build_smoke(smoke_scene(sides="open", solver={"courant": courant, "fall": 8.0}, source=[source]))
    for _ in range(4):
        report = solver.advance(1e6)
        assert report.courant < 2 * courant
    assert solver.state.time < 2.0


def test_a_source_that_moves_fast_leaves_a_trail_and_not_dots():
    """Ten cells in a step: each cell on its way gets the same, and all of it what the source gives."""
    h, speed, time = 0.05, 12.0, 0.125
    motion = {"velocity": (speed, 0.0)}
    source = {
        "kind": "smoke",
        "name": "match",
        "shape": puff((0.3, 0.52), 0.07)["shape"],
        "motion": motion,
        "mass_rate": 0.4,
    }
    solver = build_smoke(smoke_scene((2.4, 1.0), h, "unbounded", source=[source]))
    for frame in range(1, 4):
        step_to(solver, frame * time / 3)
    assert solver.state.steps == 3
    assert solver.ledger.brought["match"] == pytest.approx(0.4 * time, rel=1e-5)
    volume = solver.snapshot().shown
    along = to_dense(volume.density, volume.tiles, (0, 0), (48, 20)).sum(axis=1)
    inner = along[10:33]
    np.testing.assert_allclose(inner, 0.4 / speed / h, rtol=0.25)
    assert inner.mean() == pytest.approx(0.4 / speed / h, rel=0.01)


def test_empty_space_costs_nothing():
    """The same tiles and the same bits in a box ten times as large."""
    found = []
    for size in ((2, 2), (20, 20)):
        fill = [puff((1.0, 1.0), 0.3, temperature=400.0)]
        solver = build_smoke(smoke_scene(size, 0.05, "open", fill=fill))
        step_to(solver, 0.25)
        found.append((solver.state.envelope.tiles.keys, solver.state.scalars))
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1].tobytes() == found[1][1].tobytes()


def test_confinement_of_no_strength_is_none_at_all():
    states = []
    for settings in ({}, {"confinement": 0.0}, {"confinement": 3.0}):
        solver = build_smoke(smoke_scene(solver=settings, fill=[puff((0.7, 0.5), 0.3, temperature=400.0)]))
        step_to(solver, 0.2)
        states.append(solver.state.velocity.pool.tobytes())
    assert states[0] == states[1] != states[2]


def test_smoke_goes_round_solids_that_stand_and_that_move():
    body = {"shape": {"kind": "box", "min": (0.5, 0.5), "max": (1.1, 0.65)}, "name": "shelf"}
    for solids in ("cut", "voxel"):
        fill = [puff((0.8, 0.25), 0.2, temperature=450.0)]
        solver = build_smoke(smoke_scene(solver={"solids": solids}, solid=[body], fill=fill))
        mass = solver.ledger.volume
        step_to(solver, 2.5)
        density = dense(solver, solver.state.scalars[0])
        assert density[11:21, 10:13].max() == 0.0
        assert density[:, 14:].sum() > 0.1 * density.sum()
        assert solver.ledger.volume + sum(solver.ledger.removed.values()) == pytest.approx(mass, rel=1e-6)


def test_same_bits_for_any_number_of_threads(threads):
    found = []
    for n in (1, 2):
        threads(n)
        solver = build_smoke(with_everything())
        for _ in range(4):
            solver.advance(1.0)
        found.append((solver.state.velocity.pool.tobytes(), solver.state.scalars.tobytes(), solver.ledger))
    assert found[0] == found[1]


def test_fire_makes_heat_smoke_and_room():
    source = {
        "kind": "smoke",
        "name": "wick",
        "shape": {"kind": "sphere", "center": (0.6, 0.4), "radius": 0.15},
        "temperature": 600.0,
        "fuel": 1.0,
    }
    settings = {"rise": 0.0, "burn_rate": 2.0, "soot": 0.5, "expansion": 2.0, "max_dt": 0.02}
    solver = build_smoke(smoke_scene((1.2, 0.8), 0.05, "open", solver=settings, source=[source]))
    for _ in range(3):
        solver.advance(1.0)
    velocity = solver.state.velocity.copy()
    burnt = 2.0 * 0.02  # of the air, in a step
    found = divergence(velocity, solver.cells) / 0.05
    middle = dense(solver, found)[12, 8]
    assert middle == pytest.approx(2.0 * burnt / 0.02, rel=0.01)
    burning = float((dense(solver, solver.state.scalars[2]) > 0).sum()) * 0.05**2
    assert 0.5 * 0.06 * 2.0 * math.pi * 0.15**2 < solver.ledger.brought["fire"] <= 0.5 * 0.06 * 2.0 * burning * 1.001
    assert solver.snapshot().as_volume().pools["flame"].max() == pytest.approx(1 - burnt, rel=0.01)
