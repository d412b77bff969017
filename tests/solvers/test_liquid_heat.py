"""Heat in a liquid: what is known exactly, kept exactly, and never made."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.grid.dense import to_dense
from plash.solvers.build.liquid import build_liquid, liquid_solver

SIZE = (0.6, 0.4)


def scene(fill=(), liquid=None, resolution=24, gravity=(0.0, 0.0), **parts):
    """A box of 24 by 16 cells; full, if not said otherwise."""
    size = parts.pop("size", SIZE)
    domain = {"size": size, "resolution": resolution, "gravity": gravity, **parts.pop("domain", {})}
    whole = {"shape": {"kind": "box", "min": (0,) * len(size), "max": size}}
    tables: dict[str, Any] = {
        "domain": domain,
        "liquid": {"density": 870, "dynamic_viscosity": 0, "thermal_diffusivity": 2e-4, **(liquid or {})},
        "fill": list(fill) or [whole],
        "time": {"fps": 10, **parts.pop("time", {})},
        **parts,
    }
    return plash.Scene(**tables)


def box(low, high, **keys):
    return {"shape": {"kind": "box", "min": low, "max": high}, **keys}


def temperatures(solver):
    return solver.state.particles.temperature[0]


def heat(solver):
    particles = solver.state.particles
    return float((particles.volume * particles.temperature[0]).sum()) * solver.h**particles.dimension


def on_grid(solver):
    """Temperatures at the cell centres of the domain."""
    means = solver.heat.at(solver.state.particles, solver.state.cells).temperature
    cells = solver.state.cells.tiles.dimension * (0,)
    return to_dense(means.value, means.tiles, cells, tuple(round(side / solver.h) for side in SIZE[: len(cells)]))


def run_to(solver, time):
    while solver.state.time < time - 1e-9:
        solver.advance(time)


def randomly_warm(solver, seed=0):
    values = temperatures(solver)
    values[:] = 290 + 60 * np.random.default_rng(seed).random(len(values))


def accounted(ledger):
    """What the ledger says there should be."""
    return sum(value for why, value in ledger.heat.items() if why != "now")


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_gaussian_spreads_as_it_should(dimension):
    """VALIDATION 8: within 1 % of the peak where sigma is 4 cells and more."""
    size, resolution = ((0.6, 0.5), 36) if dimension == 2 else ((0.42, 0.4032, 0.42), 25)
    h = size[0] / resolution
    solver = build_liquid(
        scene(
            size=size,
            resolution=resolution,
            gravity=(0,) * dimension,
            solver={"max_dt": 0.05},
            fill=[box((0,) * dimension, size, temperature=300.0001)],
        )
    )
    middle, kappa, sigma = np.array(size) / 2, 2e-4, 4.0 * h

    def exact(time):
        square = sigma**2 + 2 * kappa * time
        distance = ((solver.state.particles.position(h) - middle) ** 2).sum(axis=1)
        return 300 + 50 * (sigma**2 / square) ** (dimension / 2) * np.exp(-distance / (2 * square))

    temperatures(solver)[:] = exact(0.0)
    run_to(solver, 1.0)
    change = np.abs(exact(1.0) - exact(0.0)).max()
    assert change > 3
    error = np.abs(temperatures(solver) - exact(solver.state.time))
    near = np.linalg.norm(solver.state.particles.position(h) - middle, axis=1) < 1.7 * sigma  # and far from walls
    assert error[near].max() < 0.01 * 50


def test_between_a_hot_and_a_cold_wall_the_profile_becomes_linear():
    solver = build_liquid(
        scene(
            domain={"side_temperature": {"x_min": 350.0, "x_max": 300.0}},
            liquid={"thermal_diffusivity": 0.05},
            solver={"jitter": 0.0},
        )
    )
    for step in range(1, 121):
        solver.advance(step * 2.0)
    centres = (np.arange(24) + 0.5) / 24
    assert np.abs(on_grid(solver) - (350 - 50 * centres)[:, None]).max() < 1e-9
    x = solver.state.particles.position(solver.h)[:, 0]
    assert np.abs(temperatures(solver) - (350 - 50 * x / 0.6)).max() < 0.5 * 50 / 24
    assert solver.ledger.heat["walls"] == pytest.approx(0.24 * (325 - 293.15), rel=1e-3)


@pytest.mark.parametrize("free_surface", ["ghost", "staircase"])
def test_a_splash_keeps_its_heat_and_makes_no_extreme(free_surface):
    """Insulated liquid with a temperature at random for each particle, a body in the way and a pool to fall into."""
    solver = build_liquid(
        scene(
            [box((0, 0), (0.2, 0.3), temperature=340.0), box((0.2, 0), (0.6, 0.08))],
            gravity=(0.0, -9.81),
            solver={"free_surface": free_surface},
            liquid={"thermal_diffusivity": 1e-3},
            solid=[{"shape": {"kind": "sphere", "center": (0.38, 0.1), "radius": 0.05}}],
        )
    )
    randomly_warm(solver)
    before, spread = heat(solver), temperatures(solver).std()
    low, high = temperatures(solver).min(), temperatures(solver).max()
    for frame in range(1, 9):
        run_to(solver, frame * 0.05)
        assert low <= temperatures(solver).min()
        assert temperatures(solver).max() <= high
    assert solver.state.steps > 12
    assert heat(solver) == pytest.approx(before, rel=1e-11)
    assert temperatures(solver).std() < 0.5 * spread


def test_what_is_still_keeps_its_heat_to_round_off_and_mixes():
    """A hot half beside a cold one: in the end all is the same, at the old border too."""
    solver = build_liquid(
        scene(
            [box((0, 0), (0.31, 0.4), temperature=350.0), box((0.31, 0), (0.6, 0.4), temperature=300.0)],
            liquid={"thermal_diffusivity": 0.02},
        )
    )
    before = heat(solver)
    for step in range(1, 31):
        solver.advance(step * 1.0)
    assert heat(solver) == pytest.approx(before, rel=1e-13)
    mean = before / (0.6 * 0.4)
    assert np.abs(temperatures(solver) - mean).max() < 0.05


def test_a_spout_brings_its_heat_and_a_sink_takes_it():
    tap = {
        "kind": "spout",
        "speed": 0.5,
        "temperature": 350.0,
        "shape": {"kind": "rectangle", "center": (0.3, 0.35), "normal": (0, -1), "size": 0.1},
    }
    made = scene(
        [box((0, 0), (0.6, 0.1))],
        gravity=(0.0, -9.81),
        source=[tap],
        liquid={"thermal_diffusivity": 1e-6},
        sink=[{"shape": {"kind": "box", "min": (0, 0), "max": (0.1, 0.05)}, "flow_rate": 0.02}],
        time={"frames": 6},
    )
    *_, last = plash.simulate(made)
    ledger = last.ledger
    assert ledger.inflow > 0.02
    assert ledger.heat["inflow"] == pytest.approx(350 * ledger.inflow, rel=1e-5)
    assert ledger.heat["outflow"] == pytest.approx(-293.15 * ledger.outflow, rel=0.02)
    assert ledger.heat["walls"] == pytest.approx(0, abs=1e-9)
    assert ledger.heat["now"] == pytest.approx(accounted(ledger), rel=1e-12)
    assert last.particles.temperature.max() == 350


def test_blobs_have_their_own_and_heaters_hold():
    made = scene(
        [box((0, 0), (0.6, 0.1))],
        gravity=(0.0, -9.81),
        time={"frames": 4},
        source=[
            {
                "kind": "blob",
                "time": 0.05,
                "temperature": 280.0,
                "shape": {"kind": "sphere", "center": (0.3, 0.3), "radius": 0.05},
            },
            {
                "kind": "heat",
                "temperature": 330.0,
                "start": 0.1,
                "stop": 0.2,
                "shape": {"kind": "box", "min": (0.5, 0), "max": (0.6, 0.1)},
            },
        ],
    )
    frames = list(plash.simulate(made))
    assert [round(float(frame.particles.temperature.min()), 2) for frame in frames[:2]] == [293.15, 280.0]
    assert frames[1].particles.temperature.max() == pytest.approx(293.15)
    ledger = frames[-1].ledger
    assert ledger.heat["heaters"] > 0
    assert ledger.heat["inflow"] == pytest.approx(280 * ledger.inflow, rel=1e-6)
    assert frames[2].particles.temperature.max() == 330
    inside = frames[2].particles.position[:, 0] > 0.52
    assert frames[2].particles.temperature[inside].mean() > 325
    # Once it stops, what it gave stays
    assert frames[3].ledger.heat["now"] == pytest.approx(accounted(frames[3].ledger), rel=1e-12)


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_a_hot_body_that_moves_warms_what_it_meets(solids):
    made = scene(
        [box((0, 0), (0.6, 0.25))],
        gravity=(0.0, -9.81),
        solver={"solids": solids},
        time={"frames": 5},
        solid=[
            {
                "shape": {"kind": "sphere", "center": (0.15, 0.12), "radius": 0.05},
                "temperature": 360.0,
                "motion": {"velocity": (0.5, 0.0)},
            }
        ],
    )
    *_, last = plash.simulate(made)
    warm = last.particles.temperature
    assert 293.15 <= warm.min() < warm.max() <= 360
    assert warm.max() > 300
    assert last.ledger.heat["walls"] > 0
    assert last.ledger.heat["now"] == pytest.approx(accounted(last.ledger), rel=1e-12)


@pytest.mark.parametrize("gravity", [(0.0, -5.0), (5.0, 0.0)])
def test_warm_liquid_rises_and_cold_sinks(gravity):
    """Whatever way down is: after a moment the hot blob moves up with beta dT g/2, as half of it is borne along."""
    pool = [
        {"shape": {"kind": "sphere", "center": (0.3, 0.2), "radius": 0.06}, "temperature": 343.15},
        box((0, 0), SIZE),
    ]
    up = -np.array(gravity) / 5
    rises = {}
    for expansion in (0.0, 2e-3, -2e-3):
        solver = build_liquid(scene(pool, gravity=gravity, liquid={"thermal_expansion": expansion}))
        solver.advance(0.02)
        particles = solver.state.particles
        hot = temperatures(solver) > 342
        rises[expansion] = float((particles.velocity[:, hot].T @ up).mean()) / solver.state.velocity_time
    assert abs(rises[0.0]) < 1e-4
    assert rises[2e-3] == pytest.approx(2e-3 * 50 * 5 / 2, rel=0.25)
    assert rises[-2e-3] == pytest.approx(-rises[2e-3], rel=1e-3)


def test_a_pool_that_is_warm_throughout_stays_still():
    made = scene(
        [box((0, 0), (0.6, 0.21), temperature=313.15)],
        gravity=(0, -9.81),
        liquid={"thermal_expansion": 1e-2},
        solver={"jitter": 0.0},
    )
    solver = build_liquid(made)
    run_to(solver, 0.25)
    assert solver.speed < 1e-4
    assert temperatures(solver) == pytest.approx(313.15)


def test_the_bits_do_not_depend_on_threads(threads):
    made = scene(
        [box((0, 0), (0.2, 0.3), temperature=340.0), box((0.2, 0), (0.6, 0.08))],
        gravity=(0.0, -9.81),
        liquid={
            "thermal_expansion": 1e-3,
            "dynamic_viscosity": None,
            "viscosity_at": [
                {"temperature": 290, "dynamic_viscosity": 2},
                {"temperature": 340, "dynamic_viscosity": 0.1},
            ],
        },
        domain={"side_temperature": {"y_min": 300.0}},
        time={"frames": 3},
    )
    found = []
    for count in (1, 2):
        threads(count)
        *_, last = plash.simulate(made)
        found.append([last.particles.temperature.tobytes(), last.particles.position.tobytes(), last.ledger.heat])
    assert found[0] == found[1]


def test_what_needs_no_temperature_carries_none():
    plain = build_liquid(scene([box((0, 0), (0.2, 0.3))], gravity=(0, -9.81)))
    assert plain.state.particles.temperature.shape == (0, plain.state.particles.count)
    assert plain.state.particles.log_viscosity.size == 0
    plain.advance(0.05)
    assert plain.state.viscosity is None
    assert plain.ledger.heat == {}
    assert "temperature" not in plain.snapshot().carried
    assert not {"temperature", "log_viscosity"} & plain.stored()[0].keys()


WAX = [{"temperature": 300, "dynamic_viscosity": 3.0}, {"temperature": 330, "dynamic_viscosity": 0.03}]


def test_wax_melts_and_freezes_again():
    """A column on a floor that is hot and then cold: thin, then as thick as it was, with its volume and its heat."""

    def floor(warmth):
        return scene(
            [box((0.2, 0), (0.4, 0.2), temperature=300.0)],
            gravity=(0.0, -9.81),
            resolution=18,
            domain={"side_temperature": {"y_min": warmth}},
            time={"frames": 12},
            liquid={"dynamic_viscosity": None, "viscosity_at": WAX, "thermal_diffusivity": 4e-3},
        )

    solver = build_liquid(floor(335.0))
    thickness = []
    for warmth, seconds in ((335.0, 1.5), (295.0, 1.5)):
        state, ledger, end = solver.state, solver.ledger, solver.state.time + seconds
        solver = liquid_solver(floor(warmth))
        solver.state, solver.ledger = state, ledger
        run_to(solver, end)
        solver.label()
        field = solver.state.viscosity.pool[solver.state.viscosity.pool > 0] * 870
        thickness.append((float(field.min()), float(field.max())))
    (thin, _), (_, thick) = thickness
    assert thin < 0.06
    assert thick > 2.0
    assert solver.ledger.particle_volume == pytest.approx(0.04, rel=1e-6)
    assert solver.ledger.heat["now"] == pytest.approx(accounted(solver.ledger), rel=1e-9)


def test_every_liquid_keeps_the_viscosity_it_came_with():
    tap = {"kind": "spout", "speed": 0.5, "viscosity": 1.0, "name": "tap"}
    tap["shape"] = {"kind": "rectangle", "center": (0.3, 0.35), "normal": (0, -1), "size": 0.1}
    made = scene(
        [box((0.05, 0), (0.15, 0.2), viscosity=10.0), box((0.45, 0), (0.55, 0.2))],
        gravity=(0.0, -2.0),
        liquid={"dynamic_viscosity": 0.1},
        source=[tap],
    )
    solver = build_liquid(made)
    run_to(solver, 0.06)
    particles, field = solver.state.particles, solver.state.viscosity
    assert set(np.unique(particles.log_viscosity.round(4))) == {-1.0, 0.0, 1.0}
    thick = to_dense(field.pool, field.tiles, (0, 0), (24, 16)) * 870
    assert thick[4, 2] == pytest.approx(10, rel=1e-4)
    assert thick[20, 2] == pytest.approx(0.1, rel=1e-4)
    assert "temperature" not in solver.snapshot().carried


def test_the_greatest_viscosity_limits_the_explicit_step():
    fill, liquid = [box((0, 0), (0.2, 0.2), viscosity=40.0)], {"dynamic_viscosity": 0.1}
    made = scene(fill, liquid, solver={"viscosity": "explicit"})
    assert list(made.dynamic_viscosities) == pytest.approx([0.1, 40.0])
    assert build_liquid(made).time_step.own_limit == pytest.approx(0.025**2 / (4 * 40 / 870))
    assert build_liquid(scene(fill, liquid)).time_step.own_limit == math.inf
    warm = scene(liquid={"dynamic_viscosity": None, "viscosity_at": WAX}, domain={"side_temperature": {"y_min": 315.0}})
    low, high = warm.dynamic_viscosities
    assert high == pytest.approx(3.0)
    assert low == pytest.approx(math.sqrt(0.09))
