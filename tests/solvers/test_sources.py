"""Liquid that comes and goes: rates, the ledger, and the same bits however a run is cut or divided."""

import math

import numpy as np
import pytest

import plash
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.grid.cells import LIQUID
from plash.levelset.inside import places_of
from plash.solvers.build.liquid import build_liquid

SPEED = 0.6
POINTS = [{"temperature": 300, "dynamic_viscosity": 73}, {"temperature": 400, "dynamic_viscosity": 0.73}]


def spout(dimension: int, degrees: float = 0.0, **keys):
    angle = math.radians(degrees)
    normal = (math.cos(angle), math.sin(angle), 0)[:dimension]
    shape = {"kind": "disc", "center": (0.37, 0.33, 0.29)[:dimension], "normal": normal, "radius": 0.11}
    return {"name": "jet", "kind": "spout", "shape": shape, "speed": SPEED, **keys}


def scene(dimension: int, pool: float | None = 0.55, resolution: int = 20, **keys) -> plash.Scene:
    """A closed box, with or without a pool; fps 20."""
    up, size = (0, 1, 0)[:dimension], (0.9, 0.8, 0.6)[:dimension]
    pool_shape = plash.HalfSpace(point=(0, pool or 0, 0)[:dimension], normal=up)
    return plash.Scene(
        domain=plash.Domain(**{"size": size, "resolution": resolution, **keys.pop("domain", {})}),
        time={"fps": 20, "frames": keys.pop("frames", 5)},
        liquid={"density": 730},
        fill=[{"shape": pool_shape}] if pool else [],
        **keys,
    )


def run(solver, time: float):
    while solver.state.time < time - 1e-12:
        assert solver.advance(time).unknown_reads == 0
    return solver


def flux_out_of(solver, low, high) -> float:
    """Volume a second through the sides of a box of cells."""
    velocity, h, d = solver.state.velocity, solver.h, solver.state.particles.dimension
    total = 0.0
    for axis in range(d):
        for end, sign in ((low[axis], -1), (high[axis], 1)):
            ranges = [np.arange(a, b) for a, b in zip(low, high, strict=True)]
            ranges[axis] = np.array([end])
            faces = np.stack([part.ravel() for part in np.meshgrid(*ranges, indexing="ij")], axis=1)
            total += sign * float(velocity.pool[axis][places_of(faces, velocity.tiles)].sum(dtype=np.float64))
    return total * h ** (d - 1)


@pytest.mark.parametrize("degrees", [0, 30, 45])
def test_a_spout_under_water_gives_the_flux_that_was_asked_at_any_angle(dimension, degrees):
    """On top of it comes what the straight paths of the liquid in the box need, and no more."""
    solver = run(build_liquid(scene(dimension, source=[spout(dimension, degrees)])), 0.085)
    asked = SPEED * solver.sources.inlets[0].area
    center = solver.sources.inlets[0].stencil(0.0).center
    low, high = (np.round((center + reach) / solver.h).astype(int) for reach in (-0.17, 0.17))
    for _ in solver.stages(0.015):
        pass
    wanted = solver.path_divergence
    ranges = [np.arange(a, b) for a, b in zip(low, high, strict=True)]
    inside = np.stack([part.ravel() for part in np.meshgrid(*ranges, indexing="ij")], axis=1)
    needed = wanted[places_of(inside, solver.state.cells.tiles)].sum() * solver.h ** (dimension - 1)
    assert flux_out_of(solver, low, high) == pytest.approx(asked + needed, rel=1e-5)
    assert abs(needed) < 0.01 * asked
    ledger = solver.ledger
    assert ledger.inflow == pytest.approx(asked * solver.state.time, rel=1e-6)
    assert ledger.target_volume == pytest.approx(ledger.particle_volume, rel=1e-6)
    assert ledger.volume == pytest.approx(ledger.target_volume, rel=0.02)


@pytest.mark.parametrize("nu", [0.0, 0.5])
@pytest.mark.parametrize("degrees", [0, 30, 45])
def test_a_jet_in_air_leaves_at_its_speed(dimension, degrees, nu):
    """Its rim as fast as its middle, and no wider than the opening, however thick the liquid is."""
    still_air = {"gravity": (0, 0, 0)[:dimension]}
    made = scene(dimension, None, source=[spout(dimension, degrees)], domain=still_air)
    liquid = plash.Liquid(density=730, kinematic_viscosity=nu)
    solver = build_liquid(made.with_values(liquid=liquid))
    for step in range(1, 11):
        run(solver, 0.04 * step)
    stencil, particles = solver.sources.inlets[0].stencil(0.0), solver.state.particles
    away = particles.position(solver.h) - stencil.center
    ahead, speed = away @ stencil.normal, stencil.normal @ particles.velocity
    far = ahead > 2 * solver.h
    assert speed[far].mean() == pytest.approx(SPEED, rel=0.02)
    assert np.abs(speed[far] - SPEED).max() < (0.005 if degrees == 0 else 0.06) * SPEED
    assert np.linalg.norm(away - np.outer(ahead, stencil.normal), axis=1).max() < 1.02 * 0.11
    assert ahead.max() == pytest.approx(0.4 * SPEED, abs=0.6 * solver.h)
    assert ahead.min() > -solver.h
    assert solver.ledger.inflow == pytest.approx(SPEED * solver.sources.inlets[0].area * 0.4, rel=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"transfer": "semi_lagrangian"},
        {"transfer": "pic"},
        {"transfer": "flip"},
        {"free_surface": "staircase"},
        {"free_surface": "cells"},
        {"solids": "voxel"},
        {"steps_cross_frames": True},
    ],
    ids=str,
)
def test_the_ledger_balances_with_every_solver(settings):
    ball = {"name": "ball", "shape": {"kind": "sphere", "center": (0.7, 0.2), "radius": 0.1}}
    drain = {"name": "drain", "shape": {"kind": "box", "min": (0.6, 0.3), "max": (0.9, 0.45)}, "flow_rate": 0.05}
    hole = {"name": "hole", "shape": {"kind": "box", "min": (0, 0), "max": (0.2, 0.1)}}
    solver = build_liquid(scene(2, source=[spout(2, 30)], solid=[ball], sink=[drain, hole], solver=settings))
    for frame in range(1, 4):
        run(solver, frame / 20)
    ledger = solver.ledger
    assert ledger.inflow == pytest.approx(2 * 0.11 * SPEED * 0.15, rel=1e-6)
    assert ledger.removed["sink drain"] == pytest.approx(0.05 * 0.15, rel=1e-6)
    assert ledger.removed["sink hole"] > 0
    assert ledger.outflow == pytest.approx(sum(ledger.removed.values()))
    assert ledger.particle_volume == pytest.approx(ledger.target_volume, rel=1e-9)
    assert ledger.leaks == {"ball": 0}


@pytest.mark.parametrize(
    ("liquid", "keys", "nu"),
    [
        ({"kinematic_viscosity": 0.3}, {}, 0.3),
        ({"kinematic_viscosity": 0.0}, {"temperature": 350.0}, 0.0),
        ({"kinematic_viscosity": 0.3}, {"viscosity": 1.46}, 0.002),
        ({"temperature": 300, "viscosity_at": POINTS}, {"temperature": 350.0}, 0.01),
    ],
)
def test_a_spout_knows_how_thick_its_liquid_is(liquid, keys, nu):
    """All of the liquid's, its own, or that of its temperature."""
    made = scene(2, source=[spout(2, **keys)]).with_values(liquid=plash.Liquid(density=730, **liquid))
    assert build_liquid(made).sources.inlets[0].nu == pytest.approx(nu)


def test_a_spout_runs_from_start_to_stop_and_ramps_in_between():
    source = spout(2, ramp=0.04, start=0.05, stop=0.15)
    solver = build_liquid(scene(2, source=[source]))
    area = solver.sources.inlets[0].area
    run(solver, 0.05)
    assert solver.ledger.inflow == 0.0
    for time, length in ((0.1, 0.05 - 0.02), (0.15, 0.1 - 0.04), (0.2, 0.1 - 0.04)):
        run(solver, time)
        assert solver.ledger.inflow == pytest.approx(area * SPEED * length, rel=1e-6)


def test_a_matching_drain_keeps_the_volume():
    drain = {"name": "end", "shape": {"kind": "box", "min": (0.75, 0), "max": (0.9, 0.5)}, "match": "jet"}
    solver = build_liquid(scene(2, source=[spout(2)], sink=[drain]))
    for frame in range(1, 15):
        run(solver, frame / 20)
        assert solver.ledger.particle_volume == pytest.approx(solver.ledger.initial, rel=1e-6)


def test_liquid_streams_into_a_sink_with_the_speed_of_its_head():
    """Torricelli: through a slit in a wall, √(2 g H)."""
    wall = plash.Box(min=(0.6, -1), max=(0.66, 3))
    slit = plash.Box(min=(0.5, 0.07), max=(0.8, 0.17))
    solid = plash.Solid(name="wall", shape=plash.Difference(of=[wall, slit]))
    sink = plash.Sink(name="hole", shape=plash.Box(min=(0.8, -1), max=(2, 3)))
    fill = plash.Fill(shape=plash.Box(min=(0, 0), max=(0.6, 0.6)))
    box = plash.Scene(domain={"size": (0.9, 0.75), "resolution": 54}, fill=[fill], solid=[solid], sink=[sink])
    solver = build_liquid(box)
    ratios = []
    for frame in range(1, 12):
        run(solver, frame / 20)
        x, u = solver.state.particles.position(solver.h), solver.state.particles.velocity
        level = x[x[:, 0] < 0.2, 1].max()
        jet = (x[:, 0] > 0.72) & (x[:, 0] < 0.8)
        if frame > 6:
            speed = np.hypot(u[0, jet], u[1, jet])
            ratios.append((speed / np.sqrt(2 * 9.81 * (level - x[jet, 1]))).mean())
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.05)
    assert solver.ledger.leaks == {"wall": 0}


def test_a_blob_appears_at_its_time_where_no_liquid_is_yet():
    shape = {"kind": "box", "min": (0.3, 0.45), "max": (0.6, 0.7)}
    drop = {"name": "drop", "kind": "blob", "shape": shape, "time": 0.06, "velocity": (0.2, 0)}
    still = {"gravity": (0, 0)}
    solver = build_liquid(scene(2, 0.54, source=[drop], domain=still))
    run(solver, 0.05)
    assert solver.ledger.inflow == 0.0
    run(solver, 0.1)
    assert solver.ledger.inflow == pytest.approx(0.3 * (0.7 - 0.54), rel=0.15)
    assert solver.ledger.brought == {"drop": solver.ledger.inflow}
    particles = solver.state.particles
    new = particles.position(solver.h)[particles.velocity[0] > 0.1]
    assert new[:, 0].min() == pytest.approx(0.3 + 0.2 * 0.04, abs=solver.h / 2)


def test_a_constant_force_makes_up_for_gravity():
    up = {"kind": "constant", "acceleration": (0, 9.81)}
    drop = {"kind": "blob", "shape": {"kind": "sphere", "center": (0.4, 0.4), "radius": 0.15}, "velocity": (0.3, 0)}
    solver = run(build_liquid(scene(2, None, source=[drop], force=[up])), 0.2)
    assert solver.state.particles.velocity[1] == pytest.approx(0.0, abs=2e-5)
    assert solver.state.particles.velocity[0] == pytest.approx(0.3, abs=1e-4)


def test_a_pump_drives_liquid_round(dimension):
    shape = {"kind": "box", "min": (0.2, 0, 0)[:dimension], "max": (0.7, 0.15, 1)[:dimension]}
    pump = {"shape": shape, "velocity": (0.4, 0, 0)[:dimension]}
    solver = run(build_liquid(scene(dimension, pump=[pump], solver={"transfer": "flip"})), 0.15)
    x, u = solver.state.particles.position(solver.h), solver.state.particles.velocity
    assert u[0, (x[:, 1] < 0.1) & (np.abs(x[:, 0] - 0.45) < 0.1)].mean() == pytest.approx(0.4, abs=0.12)
    assert u[0, x[:, 1] > 0.4].mean() < 0


def _busy(dimension: int) -> plash.Scene:
    drain = {"name": "end", "shape": {"kind": "box", "min": (0.7, 0, 0)[:dimension], "max": (1, 0.4, 1)[:dimension]}}
    late = {"shape": {"kind": "sphere", "center": (0.6, 0.65, 0.3)[:dimension], "radius": 0.1}, "time": 0.07}
    moving = spout(dimension, 30, motion={"velocity": (0.3, 0, 0)[:dimension]})
    ball = {"name": "ball", "shape": {"kind": "sphere", "center": (0.7, 0.2, 0.3)[:dimension], "radius": 0.1}}
    made = scene(dimension, 0.3, 16, source=[moving], sink=[{**drain, "match": "jet"}], solid=[ball])
    return plash.Scene(**{**dict(made), "fill": [*made.fill, late]})


def _bits(solver) -> bytes:
    particles = solver.state.particles
    arrays = (particles.cell, particles.offset, particles.velocity, particles.volume)
    return b"".join(array.tobytes() for array in arrays) + repr(solver.ledger).encode()


def test_one_and_two_threads_give_the_same_bits(dimension, threads):
    found = []
    for count in (1, 2):
        threads(count)
        found.append(_bits(run(run(build_liquid(_busy(dimension)), 0.05), 0.1)))
    assert found[0] == found[1]


@pytest.mark.parametrize("crossing", [False, True])
def test_a_run_that_was_stopped_goes_on_to_the_same_bits(tmp_path, crossing):
    made = _busy(2)
    made = plash.Scene(**{**dict(made), "solver": {"steps_cross_frames": crossing}})
    straight = run(run(build_liquid(made), 0.05), 0.15)
    stopped = run(build_liquid(made), 0.05)
    stopped.advance(0.15)
    halfway = run(build_liquid(made), 0.05)
    halfway.advance(0.15)
    write_checkpoint(tmp_path / "stop.npz", halfway, Place(1, 1))
    resumed = build_liquid(made)
    read_checkpoint(tmp_path / "stop.npz", resumed, made, None, "")
    assert _bits(resumed) == _bits(stopped)
    assert _bits(run(resumed, 0.15)) == _bits(straight)


def test_a_spout_in_a_solid_is_refused_by_name():
    block = {"name": "block", "shape": {"kind": "box", "min": (0.1, 0.1), "max": (0.7, 0.7)}}
    with pytest.raises(plash.SceneError, match="jet: opens inside a solid"):
        build_liquid(scene(2, source=[spout(2)], solid=[block]))


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_a_spout_that_has_filled_a_closed_box_is_refused_by_name(dimension, solids):
    tap = spout(dimension, speed=2.0)
    solver = build_liquid(scene(dimension, pool=0.7, resolution=12, source=[tap], solver={"solids": solids}))
    unit = "m³" if dimension == 3 else "m²"
    with pytest.raises(plash.SealedError, match=rf"the spout 'jet' presses together .* by .* {unit}/s.*source\.stop"):
        run(solver, 3.0)
    box = math.prod((0.9, 0.8, 0.6)[:dimension])
    assert solver.ledger.particle_volume == pytest.approx(box, rel=0.03)


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_a_drain_makes_room_for_a_spout_in_a_full_box(dimension, solids):
    shape = {"kind": "box", "min": (0.7, 0, 0)[:dimension], "max": (0.9, 0.3, 0.6)[:dimension]}
    drain = {"name": "drain", "shape": shape, "match": "jet"}
    whole = scene(
        dimension, pool=0.9, resolution=12, source=[spout(dimension)], sink=[drain], solver={"solids": solids}
    )
    solver = run(build_liquid(whole), 0.3)
    assert solver.ledger.removed["sink drain"] == pytest.approx(solver.ledger.inflow, rel=0.02)


def test_the_plug_of_a_spout_is_no_liquid(dimension):
    solver = build_liquid(scene(dimension, source=[spout(dimension, 30)]))
    run(solver, 0.05)
    cells = solver.state.cells
    inlet_cells = places_of(solver.sources.inlets[0].stencil(0.0).inlet_cells, cells.tiles)
    assert not (cells.label[inlet_cells] == LIQUID).any()


def test_what_comes_into_an_empty_box_in_a_step_that_crosses_a_frame_goes_on_with_the_next_step(dimension):
    """There was no liquid when the velocity of that step was found: none of it is left for what came since."""
    crossing = {"steps_cross_frames": True}
    solver = build_liquid(scene(dimension, pool=None, source=[spout(dimension, -90)], solver=crossing, frames=4))
    for frame in range(1, 4):
        run(solver, frame / 40)
        assert solver.ledger.particle_volume == pytest.approx(solver.ledger.target_volume, rel=1e-6)
    assert solver.ledger.inflow == pytest.approx(solver.sources.inlets[0].area * SPEED * 0.075, rel=0.1)


@pytest.mark.parametrize("degrees", [0, 30])
@pytest.mark.parametrize("pool", [None, 0.55])
def test_a_spout_narrower_than_a_sample_gives_what_was_asked(dimension, degrees, pool):
    """A slit of a hundredth of a cell: its liquid comes out of the nearest faces."""
    jet = spout(dimension, degrees)
    jet["shape"]["radius"] = 2.25e-4
    solver = run(build_liquid(scene(dimension, pool, source=[jet])), 0.25)
    asked = solver.sources.inlets[0].volume(0.25)
    assert 0 < asked < 1e-3
    assert solver.ledger.inflow == pytest.approx(asked, rel=0.02)
    assert solver.ledger.brought["jet"] == pytest.approx(solver.ledger.inflow)
    assert np.isfinite(solver.state.particles.volume).all()
    assert np.isfinite(solver.ledger.volume)
