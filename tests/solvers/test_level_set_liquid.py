"""A liquid whose surface is a level set: what is still stays still, what swings swings, and volumes add up."""

from __future__ import annotations

import math
from typing import Any, cast

import numba
import numpy as np
import pytest

import plash
from plash.files.arrays import Arrays, read_arrays
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.files.frames import write_frame
from plash.levelset.sampling import sampled
from plash.physics.level_set.volume import shares_inside
from plash.solvers.build import read_snapshot
from plash.solvers.frame_level_set import FrameLevelSet

G = 9.7
ROOM = plash.Box(min=(0.5, 0.8), max=(0.9, 0.9))


def scene(fill, cells=32, frames=25, **keys):
    solver = {"surface": "levelset", **keys.pop("solver", {})}
    domain = {"size": (1.1, 1.0), "cell_size": 1 / cells, "gravity": (0, -G), **keys.pop("domain", {})}
    return plash.Scene(
        domain=cast(Any, domain),
        time={"fps": 24, "frames": frames},
        liquid={"density": 870.0, "kinematic_viscosity": 0},
        solver=plash.Solver(**solver),
        fill=[{"shape": shape} for shape in ([fill] if fill is not None else [])],
        **keys,
    )


def shown(frame) -> Any:
    return frame.snapshot


def built(made) -> Any:
    return plash.build(made)


def column(**keys):
    return scene(plash.Box(min=(0, 0), max=(0.4, 0.5)), **keys)


def heights(frame, h):
    """Where the surface crosses the columns of cells in the domain, in cells."""
    phi = shown(frame).phi
    found = []
    for x in range(round(1.1 / h)):
        y = np.arange(-1, round(1 / h) + 1) + 0.5
        level = sampled(phi, np.stack([np.full(len(y), x + 0.5), y], axis=1))
        at = int(np.flatnonzero((level[:-1] < 0) & (level[1:] >= 0))[-1])
        found.append(y[at] + level[at] / (level[at] - level[at + 1]))
    return np.array(found)


@pytest.mark.parametrize("particles", [True, False])
def test_pool_at_any_height_stays_flat_and_has_the_same_mesh_in_every_frame(particles):
    level = 0.4137
    made = scene(plash.Box(min=(0, 0), max=(1.1, level)), frames=13, solver={"levelset_particles": particles})
    meshes = []
    for frame in plash.simulate(made):
        np.testing.assert_allclose(heights(frame, 1 / 32), 32 * level, atol=1e-3)
        meshes.append(shown(frame).surface(made, frame.time))
    for mesh in meshes[1:]:
        assert np.array_equal(mesh.faces, meshes[0].faces)
        np.testing.assert_allclose(mesh.vertices, meshes[0].vertices, atol=1e-3 / 32)


@pytest.mark.slow
def test_first_mode_of_a_tank_swings_at_its_frequency():
    depth, cells = 0.31, 24
    h, length = depth / cells, 2.5 * depth
    k = math.pi / length
    omega = math.sqrt(G * k * math.tanh(k * depth))
    made = plash.Scene(
        domain={"size": (length, 1.6 * depth), "cell_size": h, "gravity": (0, -G)},
        time={"fps": 60 * omega / (2 * math.pi), "frames": 150},
        liquid={"kinematic_viscosity": 0},
        solver=plash.Solver(surface="levelset"),
        fill=[{"shape": plash.HeightShape(height=lambda x: depth + 2 * h * np.cos(k * x))}],
    )
    times, wave = [], []
    for frame in plash.simulate(made):
        phi = shown(frame).phi
        x = phi.tiles.cell_centres(phi.tiles.slots, h)
        inside = ((x > 0) & (x < (length, 1.6 * depth))).all(axis=1)
        share = np.clip(0.5 - phi.pool[1:].reshape(-1) / h, 0, 1) * inside
        times.append(frame.time)
        wave.append(float(share @ np.cos(k * x[:, 0])))
        assert abs(frame.ledger.volume / frame.ledger.target_volume - 1) < 0.005
    t, a = np.array(times), np.array(wave)
    at = np.flatnonzero(a[:-1] * a[1:] < 0)
    crossings = t[at] + (t[at + 1] - t[at]) * a[at] / (a[at] - a[at + 1])
    found = math.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])
    assert len(crossings) >= 4
    assert found == pytest.approx(omega, rel=0.006)


@pytest.mark.slow
@pytest.mark.parametrize("courant", [1.5, 3.0, 5.0])
def test_dam_break_keeps_its_volume_and_to_half_a_per_cent_if_it_is_shifted(courant):
    for volume, most in (("none", 0.03), ("shift", 0.005)):
        made = column(frames=37, solver={"courant": courant, "levelset_volume": volume})
        frames = list(plash.simulate(made))
        ledgers = [frame.ledger for frame in frames]
        assert max(shown(frame).drops.volume.sum() for frame in frames) > 0.003 * ledgers[0].initial
        errors = [ledger.volume / ledger.target_volume - 1 for ledger in ledgers]
        assert max(map(abs, errors)) < most


@pytest.mark.slow
@pytest.mark.parametrize("courant", [1.0, 3.0])
def test_dam_break_over_a_ball_keeps_its_volume(courant):
    """Straight paths along a curved wall ask for a flow through it; what a step leaves owing allows for it, too."""
    ball = plash.Solid(name="ball", shape=plash.Sphere(center=(0.8, 0.12), radius=0.1))
    made = scene(plash.Box(min=(0, 0), max=(0.5, 0.4)), cells=64, solid=[ball], solver={"courant": courant})
    errors = [frame.ledger.volume / frame.ledger.target_volume - 1 for frame in plash.simulate(made)]
    assert max(map(abs, errors)) < 0.025


def test_drop_in_a_pool_throws_up_the_same_crown_on_both_sides_and_keeps_its_volume():
    drop = plash.Fill(shape=plash.Sphere(center=(0.25, 0.32), radius=0.06), velocity=(0, -2))
    pool = plash.Fill(shape=plash.HalfSpace(point=(0, 0.12), normal=(0, 1)))
    made = plash.Scene(
        domain={"size": (0.5, 0.6), "resolution": 48},
        time={"fps": 60, "frames": 14},
        solver={"surface": "levelset", "levelset_volume": "shift"},
        fill=[pool, drop],
    )
    h = made.domain.h
    columns, rows = round(0.5 / h), round(0.6 / h)
    x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5, indexing="ij")
    centres = np.stack([x.ravel(), y.ravel()], axis=1)
    for frame in plash.simulate(made):
        ledger = frame.ledger
        assert ledger.volume == pytest.approx(ledger.target_volume, rel=0.005)
        filled = np.clip(0.5 - sampled(shown(frame).phi, centres).reshape(columns, rows) / h, 0, 1)
        sides = filled[: columns // 2], filled[columns // 2 :]
        more = abs(sides[0].sum() - sides[1].sum())
        assert more * h**2 < 0.05 * math.pi * 0.06**2
        rims = [np.flatnonzero((side > 0.5).any(axis=0)).max() for side in sides]
        assert abs(rims[0] - rims[1]) <= 4
    assert min(rims) > 0.12 / h + 8


@pytest.mark.slow
@pytest.mark.parametrize(("particles", "cells"), [(False, 36), (True, 24)])
def test_crown_in_space_is_the_same_on_all_sides(particles, cells):
    """A drop falls into a pool; as long as nothing is lost particles change nothing, and their places are random."""
    drop = plash.Fill(shape=plash.Sphere(center=(0.25, 0.32, 0.25), radius=0.06), velocity=(0, -2, 0))
    pool = plash.Fill(shape=plash.HalfSpace(point=(0, 0.12, 0), normal=(0, 1, 0)))
    made = plash.Scene(
        domain={"size": (0.5, 0.6, 0.5), "resolution": cells},
        time={"fps": 60, "frames": 12},
        solver=plash.Solver(surface="levelset", levelset_particles=particles),
        fill=[pool, drop],
    )
    h = made.domain.h
    wide, high = round(0.5 / h), cells
    grid = np.meshgrid(*(np.arange(n) + 0.5 for n in (wide, high, wide)), indexing="ij")
    centres = np.stack([x.ravel() for x in grid], axis=1)
    one = 4 / 3 * math.pi * (0.06 / h) ** 3
    for frame in plash.simulate(made):
        filled = np.clip(0.5 - sampled(shown(frame).phi, centres).reshape(wide, high, wide) / h, 0, 1)
        for other in (filled[::-1], filled[:, :, ::-1], filled.transpose(2, 1, 0)):
            assert np.abs(filled - other).sum() < 0.005 * one
    rim = np.flatnonzero((filled > 0.5).any(axis=(0, 2))).max()
    assert rim > 0.12 / h


@pytest.mark.slow
@pytest.mark.parametrize("depth", [0.0, 0.2])
def test_jet_brings_what_the_spout_gives(depth):
    """A jet of six cells that narrows to three, into a pool and on a dry floor."""
    opening = plash.Disc(center=(0.55, 0.9), radius=0.09, normal=(0, -1))
    fill = plash.Box(min=(0, 0), max=(1.1, depth)) if depth else None
    made = scene(fill, frames=25, source=[plash.Spout(name="tap", shape=opening, speed=0.8)])
    last = list(plash.simulate(made))[-1]
    ledger = last.ledger
    assert ledger.inflow == pytest.approx(0.18 * 0.8 * last.time)
    error = ledger.volume - ledger.target_volume
    assert abs(error) < (0.01 if depth else 0.08) * ledger.inflow


@pytest.mark.parametrize("volume", ["none", "shift"])
@pytest.mark.parametrize("tilt", [-0.5, 0.0, 0.3])
def test_no_film_stands_behind_a_spout_and_its_jet_begins_with_a_plane(volume, tilt):
    """What is traced back came out in front, and no shift moves the surface there."""
    center, normal = np.array([0.55, 0.7]), np.array([tilt, -1.0]) / math.hypot(tilt, 1.0)
    opening = plash.Disc(center=tuple(center), radius=0.1, normal=(tilt, -1))
    jug = plash.Spout(name="jug", shape=opening, speed=0.6, ramp=0.1)
    made = scene(plash.Box(min=(0, 0), max=(1.1, 0.2)), frames=9, source=[jug], solver={"levelset_volume": volume})
    h = made.domain.h
    for frame in list(plash.simulate(made))[2:]:
        phi = shown(frame).phi
        x = phi.tiles.cell_centres(phi.tiles.slots, h) - center
        above = (np.abs(x) < 6 * h).all(axis=1) & (x @ normal < 0)
        assert above.sum() > 30
        assert phi.pool[1:].reshape(-1)[above].min() > 0
        vertices = shown(frame).surface(made, frame.time).vertices[:, :2] - center
        rises = vertices[(np.abs(vertices) < 6 * h).all(axis=1)] @ normal
        assert abs(rises.min()) < 0.5 * h


def test_wave_that_is_stretched_neither_gains_nor_loses_with_short_steps():
    """Beside the surface a kink in φ would gain volume step by step."""
    made = scene(
        plash.HeightShape(height=lambda x: 0.25 + 0.1 * np.cos(np.pi * x / 1.1)), frames=9, solver={"courant": 0.5}
    )
    last = list(plash.simulate(made))[-1]
    assert abs(last.ledger.volume / last.ledger.target_volume - 1) < 0.005


@pytest.mark.slow
def test_water_stands_behind_a_wall_of_one_cell():
    wall = plash.Solid(name="wall", shape=plash.Box(min=(0.5, 0), max=(0.53, 0.8)))
    made = scene(plash.Box(min=(0, 0), max=(0.5, 0.5)), frames=13, solid=[wall])
    last = list(plash.simulate(made))[-1]
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=0.02)
    assert sampled(shown(last).phi, np.array([[0.62, 0.05], [0.8, 0.05]]) * 32).min() > 0


@pytest.mark.slow
def test_frames_show_drops_and_their_volume_is_in_the_ledger(tmp_path):
    made = column(frames=37)
    frames = [frame for frame in plash.simulate(made) if len(shown(frame).drops.volume)]
    assert frames
    frame = max(frames, key=lambda one: len(shown(one).drops.volume))
    drops = shown(frame).drops
    assert np.all(np.isfinite(drops.velocity))
    assert np.all((drops.position > 0) & (drops.position < (1.1, 1.0)))
    write_frame(tmp_path / "frame.npz", frame.snapshot, frame.number, frame.time)
    back = read_snapshot(read_arrays(tmp_path / "frame.npz", None, ""), made)
    assert isinstance(back, FrameLevelSet)
    assert np.array_equal(back.drops.position, drops.position)
    with_drops = shown(frame).surface(made, frame.time).volume
    without = shown(frame).surface(made.model_copy(update={"mesh": plash.Meshing(drops=False)}), frame.time).volume
    assert with_drops > without


def test_ledger_tells_what_the_shift_added():
    solver = built(column(solver={"levelset_volume": "shift"}))
    solver.ledger.inflow += 0.01 * solver.ledger.initial
    before = solver.ledger.volume
    for _ in range(3):
        solver.advance(solver.state.time + 0.004)
    added = solver.ledger.brought["volume correction"]
    assert added == pytest.approx(0.01 * before, rel=0.3)
    assert solver.ledger.volume == pytest.approx(solver.ledger.target_volume, rel=0.003)


def test_each_body_of_liquid_keeps_its_own_volume():
    """A tap fills one of two tanks."""
    wall = plash.Solid(name="wall", shape=plash.Box(min=(0.5, 0), max=(0.6, 1)))
    opening = plash.Disc(center=(0.25, 0.9), radius=0.08, normal=(0, -1))
    tap = plash.Spout(name="tap", shape=opening, speed=0.5)
    made = scene(plash.Box(min=(0, 0), max=(1.1, 0.3)), solver={"levelset_volume": "shift"}, solid=[wall], source=[tap])
    solver = built(made)
    start = volume_right_of(solver, 0.55)
    while solver.state.time < 0.7:
        solver.advance(0.7)
    assert solver.ledger.inflow == pytest.approx(0.16 * 0.5 * 0.7)
    assert volume_right_of(solver, 0.55) == pytest.approx(start, rel=5e-3)


def test_a_small_body_that_lost_volume_gets_it_back_and_the_large_one_nothing():
    shapes = (plash.Sphere(center=(0.3, 0.3), radius=0.2), plash.Sphere(center=(0.8, 0.6), radius=0.09))
    discs = plash.Scene(
        domain={"size": (1.1, 1.0), "cell_size": 1 / 32, "gravity": (0, 0)},
        solver=plash.Solver(surface="levelset", levelset_volume="shift"),
        fill=[{"shape": shape, "velocity": (0, 0.3)} for shape in shapes],
    )
    solver = built(discs)
    start = volume_right_of(solver, 0.6)
    large = solver.ledger.initial - start
    solver.advance(1 / 240)
    phi = solver.state.level_set.phi
    x = phi.tiles.cell_centres(phi.tiles.slots, solver.h)[:, 0].reshape(-1, *phi.tiles.shape)
    phi.pool[1:][x > 0.6] += np.float32(0.15 * solver.h)
    assert volume_right_of(solver, 0.6) < 0.92 * start
    for number in range(1, 11):
        solver.advance(0.02 * number)
    assert volume_right_of(solver, 0.6) == pytest.approx(start, rel=0.01)
    assert solver.ledger.volume - volume_right_of(solver, 0.6) == pytest.approx(large, rel=2e-3)


def volume_right_of(solver: Any, place: float) -> float:
    """Volume of the liquid beyond a place along x, m²."""
    phi = solver.state.level_set.phi
    is_solid = solver.solids.at(phi.tiles, {}, solver.state.time, 0.0).is_solid
    x = phi.tiles.cell_centres(phi.tiles.slots, solver.h)[:, 0].reshape(-1, *phi.tiles.shape)
    shares = shares_inside(phi, solver.h, is_solid)[1:]
    return float(shares[x > place].sum(dtype=np.float64)) * solver.h**2


def test_column_falls_freely_with_the_velocity_it_began_with():
    domain = {"sides": dict.fromkeys(("x_min", "x_max", "y_min", "y_max"), "unbounded")}
    made = plash.Scene(
        domain=cast(Any, {"size": (1, 1), "resolution": 32, "gravity": (0, -G), **domain}),
        time={"fps": 24, "frames": 5},
        solver=plash.Solver(surface="levelset"),
        fill=[{"shape": plash.Sphere(center=(0.5, 0.5), radius=0.2), "velocity": (0.6, 1.0)}],
    )
    last = list(plash.simulate(made))[-1]
    t, phi = last.time, shown(last).phi
    x = phi.tiles.cell_centres(phi.tiles.slots, 1 / 32)
    share = np.clip(0.5 - phi.pool[1:].reshape(-1) * 32, 0, 1)
    np.testing.assert_allclose(share @ x / share.sum(), (0.5 + 0.6 * t, 0.5 + t - G * t * t / 2), atol=0.1 / 32)
    np.testing.assert_allclose(
        last.velocity([[0.5 + 0.6 * t, 0.5 + t - G * t * t / 2]])[0], (0.6, 1 - G * t), atol=0.05
    )


def test_spout_brings_liquid_and_the_ledger_counts_it():
    opening = plash.Disc(center=(0.55, 0.8), radius=0.1, normal=(0, -1))
    made = scene(None, frames=9, source=[plash.Spout(name="tap", shape=opening, speed=0.9)])
    last = list(plash.simulate(made))[-1]
    assert last.ledger.inflow == pytest.approx(0.2 * 0.9 * last.time)
    assert last.ledger.brought == {"tap": pytest.approx(last.ledger.inflow)}
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=0.15)
    assert sampled(shown(last).phi, np.array([[0.55, 0.7]]) * 32)[0] < 0


@pytest.mark.parametrize("depth", [0.2, 0.0])
def test_blob_appears_with_its_velocity_and_falls_from_then_on(depth):
    """Between two frames, above a pool and in an empty box."""
    begun, speed, centre, radius = 0.07, (0.5, 0.8), (0.45, 0.6), 0.15
    blob = plash.Blob(name="drop", shape=plash.Sphere(center=centre, radius=radius), time=begun, velocity=speed)
    fill = plash.Box(min=(0, 0), max=(1.1, depth)) if depth else None
    last = list(plash.simulate(scene(fill, frames=6, source=[blob])))[-1]
    assert last.ledger.brought == {"drop": pytest.approx(np.pi * radius**2, rel=0.01)}
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=0.005)
    t, phi = last.time - begun, shown(last).phi
    x = phi.tiles.cell_centres(phi.tiles.slots, 1 / 32)
    share = np.clip(0.5 - phi.pool[1:].reshape(-1) * 32, 0, 1) * (x[:, 1] > 0.35)
    wanted = np.add(centre, np.multiply(speed, t)) - (0, G * t * t / 2)
    np.testing.assert_allclose(share @ x / share.sum(), wanted, atol=0.15 / 32)
    np.testing.assert_allclose(last.velocity([wanted])[0], (speed[0], speed[1] - G * t), atol=0.05)


def test_drain_takes_its_rate_and_an_open_side_lets_go():
    drain = plash.Sink(name="drain", shape=plash.Box(min=(0.4, 0), max=(0.6, 0.1)), flow_rate=0.2)
    pool = scene(plash.Box(min=(0, 0), max=(1.1, 0.5)), frames=9, sink=[drain])
    last = list(plash.simulate(pool))[-1]
    assert last.ledger.outflow == pytest.approx(0.2 * last.time)
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=0.02)
    last = list(plash.simulate(column(frames=21, domain={"sides": {"x_max": "open"}})))[-1]
    assert last.ledger.removed["left through x_max"] > 0.02
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=0.05)


def test_body_that_moves_lifts_the_pool():
    ball = plash.Solid(
        name="ball",
        shape=plash.Sphere(center=(0.5, 0.75), radius=0.15),
        motion={"keys": [{"time": 0, "offset": (0, 0)}, {"time": 1.0, "offset": (0, -0.5)}]},
    )
    made = scene(plash.Box(min=(0, 0), max=(1.1, 0.4)), frames=26, solid=[ball])
    last = list(plash.simulate(made))[-1]
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=0.03)
    risen = 32 * np.pi * 0.15**2 / 1.1
    assert heights(last, 1 / 32).mean() == pytest.approx(32 * 0.4 + risen, abs=1.0)


def test_stored_run_goes_on_with_the_same_bits(tmp_path):
    opening = plash.Disc(center=(0.8, 0.8), radius=0.1, normal=(0, -1))
    made = column(solver={"levelset_volume": "shift"}, source=[plash.Spout(name="tap", shape=opening, speed=0.9)])
    straight = built(made)
    for number in range(1, 4):
        while straight.state.time < number / 24:
            straight.advance(number / 24)
    write_checkpoint(tmp_path / "stop.npz", straight, Place(1, 1))
    resumed = built(made)
    read_checkpoint(tmp_path / "stop.npz", resumed, made, None, "")
    for solver in (straight, resumed):
        while solver.state.time < 5 / 24:
            solver.advance(5 / 24)
    assert np.array_equal(straight.state.level_set.phi.pool, resumed.state.level_set.phi.pool)
    assert np.array_equal(straight.state.level_set.particles.place, resumed.state.level_set.particles.place)
    assert np.array_equal(straight.state.velocity.pool, resumed.state.velocity.pool, equal_nan=True)
    assert straight.ledger == resumed.ledger


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_a_run_stopped_before_or_after_a_blob_appeared_goes_on_with_the_same_bits(tmp_path, stop):
    """The blob appears between the second frame and the third, and falls on what a wave has thrown up."""
    blob = plash.Blob(
        name="drop", time=2.4 / 24, shape=plash.Sphere(center=(0.8, 0.5), radius=0.12), velocity=(-0.5, 0)
    )
    made = column(source=[blob])
    straight, resumed = built(made), built(made)
    for number in range(1, 6):
        while straight.state.time < number / 24:
            straight.advance(number / 24)
        if number == stop:
            write_checkpoint(tmp_path / "stop.npz", straight, Place(1, 1))
    assert straight.ledger.brought["drop"] == pytest.approx(np.pi * 0.12**2, rel=0.03)
    read_checkpoint(tmp_path / "stop.npz", resumed, made, None, "")
    for number in range(stop + 1, 6):
        while resumed.state.time < number / 24:
            resumed.advance(number / 24)
    assert np.array_equal(straight.state.level_set.phi.pool, resumed.state.level_set.phi.pool)
    assert np.array_equal(straight.state.level_set.particles.place, resumed.state.level_set.particles.place)
    assert np.array_equal(straight.state.velocity.pool, resumed.state.velocity.pool, equal_nan=True)
    assert straight.ledger == resumed.ledger


def test_bits_do_not_depend_on_the_number_of_threads():
    found, threads = [], numba.get_num_threads()
    try:
        for count in (1, threads):
            numba.set_num_threads(count)
            last = list(plash.simulate(column(frames=7)))[-1]
            found.append(shown(last).phi.pool)
    finally:
        numba.set_num_threads(threads)
    assert np.array_equal(found[0], found[1])


def test_frame_file_gives_back_what_was_shown(tmp_path):
    made = column(frames=4)
    last = list(plash.simulate(made))[-1]
    write_frame(tmp_path / "frame.npz", last.snapshot, 4, last.time)
    arrays = read_arrays(tmp_path / "frame.npz", None, "")
    back = read_snapshot(arrays, made)
    assert isinstance(back, FrameLevelSet)
    assert np.array_equal(back.phi.pool, shown(last).phi.pool)
    assert back.energy(870.0, (0, -G)) == shown(last).energy(870.0, (0, -G))
    meshes = [snapshot.surface(made, last.time) for snapshot in (back, last.snapshot)]
    assert np.array_equal(meshes[0].vertices, meshes[1].vertices)
    assert meshes[0].volume == pytest.approx(last.ledger.volume, rel=0.02)
    with pytest.raises(AttributeError, match="has no particles"):
        last.particles  # noqa: B018
    far = {**arrays.by_name, "phi": np.full_like(shown(last).phi.pool, 1e3)}
    with pytest.raises(plash.PlashError, match="phi"):
        read_snapshot(Arrays(arrays.path, "", far), made)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"solver": {"transfer": "apic"}}, "needs particles"),
        ({"solver": {"free_surface": "staircase"}}, "does not see where in a cell"),
        ({"solver": {"separating_walls": True}}, "goes on behind them"),
        ({"solver": {"surface": "particles", "levelset_volume": "shift"}}, 'without surface = "levelset"'),
        ({"look": {"show": "particles"}}, "a level set has no particles"),
        ({"source": [{"kind": "drops", "shape": ROOM, "radius": 0.01, "rate": 5.0}]}, "does not reach a level set"),
    ],
)
def test_what_a_level_set_cannot_do_is_refused(keys, message):
    with pytest.raises(plash.SceneError, match=message):
        column(**keys)


def test_ball_of_liquid_in_space_falls_into_a_pool():
    made = plash.Scene(
        domain={"size": (0.5, 0.4, 0.45), "cell_size": 1 / 32, "gravity": (0, -G, 0)},
        time={"fps": 24, "frames": 4},
        solver=plash.Solver(surface="levelset", levelset_volume="shift"),
        fill=[
            {"shape": plash.Box(min=(0, 0, 0), max=(0.5, 0.12, 0.45))},
            {"shape": plash.Sphere(center=(0.25, 0.26, 0.22), radius=0.09)},
        ],
    )
    frames = list(plash.simulate(made))
    assert frames[-1].ledger.volume == pytest.approx(frames[0].ledger.volume, rel=0.005)
    mesh = shown(frames[-1]).surface(made, frames[-1].time)
    assert mesh.open_edges() == 0
    assert mesh.volume == pytest.approx(frames[-1].ledger.volume, rel=0.03)
