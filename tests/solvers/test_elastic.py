"""Elastic liquid in whole steps: it waves, falls, rests and goes on as it should."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import j1, jn_zeros
from validation.elastic import step_on

import plash
from plash.errors import SceneError
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.grid.fields import CellField
from plash.physics.elasticity.base import NoElasticity
from plash.physics.elasticity.elasticity import Elastic, LongSteps, longest_elastic_step
from plash.solvers.build.liquid import build_liquid

RHO = 1300.0


def scene(fill, size, resolution, modulus, gravity=True, **keys):
    domain = {"size": size, "resolution": resolution} | keys.pop("domain", {})
    if not gravity:
        domain["gravity"] = (0,) * len(size)
    liquid = {"density": RHO, "dynamic_viscosity": keys.pop("viscosity", 0.0), "shear_modulus": modulus}
    liquid |= keys.pop("liquid", {})
    time = {"fps": keys.pop("fps", 24), "frames": 100}
    parts = {"domain": domain, "liquid": liquid, "fill": fill, "time": time, **keys}
    return plash.Scene(**parts)


def box(low, high, **keys):
    return {"shape": {"kind": "box", "min": low, "max": high}} | keys


def advanced(solver, time, fps=24):
    frame = round(solver.state.time * fps)
    while solver.state.time < time - 1e-9:
        frame += 1
        while solver.state.time < frame / fps - 1e-9:
            solver.advance(frame / fps)


def built(made, courant):
    """The solver of a scene, in steps in which waves cross so many cells and are smoothed; None for short ones."""
    solver = build_liquid(made)
    assert isinstance(solver.elasticity, Elastic)
    limit = None if courant is None else LongSteps(courant, float("inf"))
    solver.elasticity = replace(solver.elasticity, limit=limit)
    longest = solver.elasticity.longest_step(solver.h, made.dimension)
    solver.time_step = replace(solver.time_step, own_limit=longest)
    return solver


def energy(solver, modulus, gravity=0.0):
    """Kinetic, potential and elastic energy together, J (per metre in 2-D)."""
    p, d = solver.state.particles, solver.state.particles.dimension
    volume = p.volume.astype(np.float64) * solver.h**d
    kinetic = 0.5 * RHO * (volume * (p.velocity.astype(np.float64) ** 2).sum(axis=0)).sum()
    size = (p.strain_tensor[:d] ** 2).sum(axis=0) + 2 * (p.strain_tensor[d:] ** 2).sum(axis=0)
    return kinetic + RHO * gravity * (volume * p.position(solver.h)[:, 1]).sum() + modulus * (volume * size).sum()


@pytest.mark.slow
@pytest.mark.parametrize(("d", "fps"), [(2, 200), (2, 20), (3, 130)])
def test_a_standing_wave_in_a_full_box_has_its_frequency(d, fps):
    """Strain on particles, between walls that liquid slides along: within 1 % of omega = c |k|.

    In steps four times as long as explicit ones it is that of the smoothed stiffness F K F:
    sin(omega dt/2) = F c |k| dt/2, F = (1 + 2 y)/(1 + y)^2, y = 0.31 (c |k| dt)^2.
    """
    size, resolution, modulus = (1.0, 0.75, 0.25)[:d], 20 if d == 2 else 24, 4e3
    made = scene([box((0,) * d, size)], size, resolution, modulus, gravity=False, fps=fps)
    solver = built(made, 2.0)
    p = solver.state.particles
    wave = np.pi / np.array(size[:2])

    def mode():
        x, y = (wave * p_now().position(solver.h)[:, :2]).T
        return np.stack([wave[1] * np.sin(x) * np.cos(y), -wave[0] * np.cos(x) * np.sin(y), 0 * x])[:d]

    def p_now():
        return solver.state.particles

    p.velocity[:] = 1e-3 * mode()
    seen: list[tuple[float, float]] = []
    while solver.state.time < (1.2 if d == 2 else 1.05):
        solver.advance((len(seen) + 1) / fps)
        seen.append((solver.state.velocity_time, float((p_now().velocity * mode()).sum())))
    times, amounts = np.array(seen).T
    omega = np.pi / mean_gap(times, amounts)
    exact = np.sqrt(modulus / RHO) * np.linalg.norm(wave)
    turn = exact / fps
    assert (longest_elastic_step(modulus / RHO, solver.h, d) > 1 / fps) == (fps > 20)
    part = 0.31 * turn**2
    expected = exact if fps > 20 else 2 * fps * np.arcsin(turn / 2 * (1 + 2 * part) / (1 + part) ** 2)
    assert omega == pytest.approx(expected, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("resolution", "within"), [(16, 0.05), (32, 0.025)])
def test_jelly_in_a_round_tank_turns_to_and_fro_at_its_frequency(resolution, within):
    """Tank walls that cut cells hold it: u = J_1(k r), omega = c k, with the first zero of J_1 at the wall."""
    middle, radius, modulus = 0.5, 0.4, 4e3
    around = [
        {"kind": "box", "min": (-1, -1), "max": (2, 2)},
        {"kind": "sphere", "center": (0.5, 0.5), "radius": radius},
    ]
    tank = {"name": "tank", "shape": {"kind": "difference", "of": around}, "friction": 1.0}
    solver = build_liquid(scene([{"shape": around[1]}], (1, 1), resolution, modulus, gravity=False, solid=[tank]))
    wave = jn_zeros(1, 1)[0] / radius
    exact = wave * np.sqrt(modulus / RHO)

    def mode():
        x, y = (solver.state.particles.position(solver.h) - middle).T
        distance = np.hypot(x, y)
        return np.stack([-y, x]) / distance * j1(wave * distance)

    solver.state.particles.velocity[:] = 3e-3 * mode()
    seen: list[tuple[float, float]] = []
    while solver.state.time < 3 * 2 * np.pi / exact:
        solver.advance(100.0)
        particles = solver.state.particles
        seen.append((solver.state.velocity_time, float((particles.volume * particles.velocity * mode()).sum())))
    times, amounts = np.array(seen).T
    assert np.pi / mean_gap(times, amounts) == pytest.approx(exact, rel=within)
    assert np.abs(amounts[-len(amounts) // 5 :]).max() > 0.97 * np.abs(amounts).max()


def mean_gap(times, amounts):
    """Mean time between passes through zero."""
    changes = np.flatnonzero(np.sign(amounts[1:]) != np.sign(amounts[:-1]))
    assert len(changes) >= 3
    passes = [times[i] - amounts[i] * (times[i + 1] - times[i]) / (amounts[i + 1] - amounts[i]) for i in changes]
    return (passes[-1] - passes[0]) / (len(passes) - 1)


@pytest.mark.slow
def test_a_standing_wave_of_a_viscous_jelly_dies_out_as_it_should():
    """A Kelvin-Voigt body: viscosity adds ν |k|²/2 to the damping, within 3 %; omega² = c² |k|² - damping²."""
    modulus, nu, square = 4e3, 0.1, np.pi**2 * (1 + 1 / 0.75**2)
    alone, _ = swings(modulus, 0.0, "explicit")
    for scheme in ("explicit", "coupled"):
        damping, omega = swings(modulus, nu, scheme)
        assert damping - alone == pytest.approx(nu * square / 2, rel=0.03)
        assert omega == pytest.approx(np.sqrt(modulus / RHO * square - damping**2), rel=0.02)


def swings(modulus, nu, scheme, fps=200):
    """Damping and frequency (1/s) of the first standing wave in a full box that liquid slides in."""
    size = (1.0, 0.75)
    keys = {"gravity": False, "fps": fps, "viscosity": nu * RHO, "solver": {"viscosity": scheme}}
    solver = built(scene([box((0, 0), size)], size, 20, modulus, **keys), 2.0)
    wave = np.pi / np.array(size)

    def mode():
        x, y = (wave * solver.state.particles.position(solver.h)).T
        return np.stack([wave[1] * np.sin(x) * np.cos(y), -wave[0] * np.cos(x) * np.sin(y)])

    solver.state.particles.velocity[:] = 1e-3 * mode()
    seen: list[float] = []
    while len(seen) < 60:
        solver.advance((len(seen) + 1) / fps)
        seen.append(float((solver.state.particles.velocity * mode()).sum()))
    # a(n+1) = 2 e^(-γ dt) cos(ω dt) a(n) - e^(-2γ dt) a(n-1)
    a = np.array(seen)
    (turn, kept), *_ = np.linalg.lstsq(np.stack([a[1:-1], -a[:-2]], axis=1), a[2:], rcond=None)
    return -np.log(kept) / 2 * fps, np.arccos(turn / 2 / np.sqrt(kept)) * fps


def test_a_body_in_free_fall_is_not_strained(dimension):
    """It falls as if it were water, in as many steps as elastic waves allow."""
    size = (0.8, 0.9, 0.7)[:dimension]
    ball = {"shape": {"kind": "sphere", "center": (0.4, 0.6, 0.33)[:dimension], "radius": 0.2}}
    solver = build_liquid(scene([ball], size, 16, 1e3))
    start = solver.state.particles.position(solver.h)[:, 1].mean()
    advanced(solver, 4 / 24)
    fallen = start - solver.state.particles.position(solver.h)[:, 1].mean()
    assert fallen == pytest.approx(9.81 / 2 * (4 / 24) ** 2, rel=1e-3)
    assert np.abs(solver.state.particles.strain_tensor).max() < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("courant", [None, 2.0])
def test_a_stretched_body_swings_and_gains_no_energy(courant):
    modulus, size = 4e3, (0.3, 0.3)
    keys = {"gravity": False, "domain": {"sides": "unbounded"}}
    solver = built(scene([box((0.1, 0.1), (0.2, 0.2))], size, 30, modulus, **keys), courant)
    p = solver.state.particles
    x = p.position(solver.h) - 0.15
    p.velocity[0], p.velocity[1] = 0.5 * x[:, 0], -0.5 * x[:, 1]
    p.affine[0], p.affine[3] = 0.5 * solver.h, -0.5 * solver.h
    start, energies, widths = energy(solver, modulus), [], []
    for frame in range(1, 25):
        advanced(solver, frame / 96, fps=96)
        energies.append(energy(solver, modulus) / start)
        widths.append(np.ptp(solver.state.particles.position(solver.h)[:, 0]))
    # Velocity is half a step behind strain, so that the sum swings in long steps; it must not grow
    assert max(energies) < (1.1 if courant is None else 1.7)
    assert max(energies[12:]) < max(energies[:12])
    assert max(widths) > widths[-1] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("d", "resolution"), [(2, 24), (2, 40), (3, 18)])
def test_a_block_on_a_floor_that_holds_it_sways_and_gains_no_energy(d, resolution):
    """What the stress at the floor takes from the velocity is what strain gains, in liquid without viscosity too."""
    fill = box((0.1, 0.0, 0.1)[:d], (0.2, 0.1, 0.2)[:d])
    keys = {"gravity": False, "domain": {"friction": {"y_min": 1.0}}}
    made = scene([fill], (0.3, 0.15, 0.3)[:d], resolution, 5e3, **keys)
    solver = build_liquid(made)
    solver.state.particles.velocity[0] = 0.2 * np.sin(np.pi * solver.state.particles.position(solver.h)[:, 1] / 0.2)
    energies, ways = [], []
    while solver.state.time < 0.5:
        energies.append(step_on(solver, made, 0.5))
        ways.append(float(solver.state.particles.position(solver.h)[:, 0].mean()))
    assert max(energies) < 1.08 * energies[0]
    assert energies[-1] < energies[0]
    swings = np.flatnonzero(np.diff(np.sign(np.array(ways) - ways[0])))
    assert len(swings) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("courant", [None, 2.0])
def test_a_block_that_falls_stays_a_block(courant):
    """It rests on the floor as high as theory has it within half a cell, keeps its volume, and no particle leaves."""
    modulus, gravity = 5e3, 9.81
    keys = {"viscosity": 8.0, "domain": {"friction": {"y_min": 1.0}}}
    made = scene([box((0.1, 0.03), (0.2, 0.13))], (0.3, 0.2), 24, modulus, **keys)
    solver = built(made, courant)
    start = energy(solver, modulus, gravity)
    advanced(solver, 1.0)
    assert energy(solver, modulus, gravity) < start
    p = solver.state.particles
    place = p.position(solver.h)
    assert (solver.state.steps < 150) == (courant == 2)
    assert not p.ballistic.any()
    assert solver.ledger.volume == pytest.approx(solver.ledger.initial, rel=0.02)
    sag = RHO * gravity * 0.1**2 / (8 * modulus)
    assert place[:, 1].max() + solver.h / 4 == pytest.approx(0.1 - sag, abs=solver.h / 2)
    low, high = np.quantile(place[:, 0], (0.01, 0.99))  # steps of two cells bend the lower corners out by a cell
    assert high - low == pytest.approx(0.1, abs=solver.h)


def test_without_a_modulus_the_bits_are_those_of_water():
    pool = [box((0, 0), (0.3, 0.4))]
    plain, flowing = (build_liquid(scene(pool, (0.6, 0.5), 12, modulus)) for modulus in (None, 0.0))
    yielding = build_liquid(scene(pool, (0.6, 0.5), 12, 1e-3, liquid={"yield_strain": 0.0}))
    assert isinstance(flowing.elasticity, NoElasticity)
    for solver in (plain, flowing, yielding):
        advanced(solver, 3 / 24)
    assert np.array_equal(plain.state.particles.position(1.0), flowing.state.particles.position(1.0))
    assert not yielding.state.particles.strain_tensor.any()


@pytest.mark.parametrize("courant", [None, 2.0])
def test_threads_and_a_stop_do_not_change_a_bit_of_strained_liquid(tmp_path, threads, courant):
    """Strain on particles, in steps that are smoothed and in those that are not."""
    fills = [box((0, 0), (0.2, 0.3), yield_strain=0.2), box((0.2, 0), (0.3, 0.2), shear_modulus=0.0)]
    made = scene(fills, (0.5, 0.4), 12, 2e3)
    found = []
    for count in (1, 2):
        threads(count)
        solver = built(made, courant)
        if count == 2:
            advanced(solver, 2 / 24)
            write_checkpoint(tmp_path / "stop.npz", solver, Place(1, 1))
            solver = built(made, courant)
            read_checkpoint(tmp_path / "stop.npz", solver, made, None, "")
        advanced(solver, 4 / 24)
        found.append(solver.state.particles)
    assert np.abs(found[0].strain_tensor).max() > 0.01
    for name in ("cell", "offset", "velocity", "strain_tensor", "strain"):
        assert np.array_equal(getattr(found[0], name), getattr(found[1], name))


def test_steps_are_smoothed_only_where_that_makes_them_much_longer():
    """Jelly takes explicit steps; a hundred times as stiff it takes 24 a frame, or those of two cells."""
    fill, size, h = [box((0.1, 0), (0.2, 0.1))], (0.3, 0.2), 0.3 / 24
    soft, firm, stiff = (build_liquid(scene(fill, size, 24, modulus)) for modulus in (2e3, 1e5, 1e7))
    for solver, longest in (
        (soft, longest_elastic_step(2e3 / RHO, h, 2)),
        (firm, 1 / (24 * 24)),
        (stiff, 2 * h / np.sqrt(1e7 / RHO)),
    ):
        assert solver.time_step.own_limit == pytest.approx(longest)
    explicit = build_liquid(scene(fill, size, 24, 1e7, solver={"elasticity": "explicit"}))
    assert explicit.time_step.own_limit == pytest.approx(longest_elastic_step(1e7 / RHO, h, 2))


def test_the_corners_of_a_block_belong_to_it(dimension):
    """They lie outside the rounded surface, by half a cell in 3-D, and are strained and carried like the rest."""
    size = (0.3, 0.2, 0.3)[:dimension]
    low, high = (0.10625, 0.05625, 0.10625), (0.20625, 0.15625, 0.20625)  # half-way through cells
    made = scene([box(low[:dimension], high[:dimension])], size, 24, 3e3)
    solver = build_liquid(made)
    solver.label()
    assert not solver.state.particles.ballistic.any()
    water = build_liquid(scene(made.fill, size, 24, 0.0))
    water.label()
    assert water.state.particles.ballistic.any() == (dimension == 3)


def test_strain_on_the_grid_goes_on_from_a_state_that_was_stored():
    """The semi-Lagrangian form: the same bits, and it resists."""
    made = scene([box((0, 0), (0.2, 0.3))], (0.5, 0.4), 12, 2e3, solver={"transfer": "semi_lagrangian"})
    solver = build_liquid(made)
    advanced(solver, 1 / 24)
    arrays, numbers = solver.stored()
    assert "grid_strain" in arrays
    assert np.nanmax(np.abs(arrays["grid_strain"])) > 1e-3
    assert numbers["steps"] == solver.state.steps


def test_fills_of_their_own_firmness(dimension):
    size, half = (0.6, 0.4, 0.3)[:dimension], (0.3, 0.2, 0.3)[:dimension]
    low = (0.0,) * dimension
    right = (0.3, 0.0, 0.0)[:dimension]
    fills = [box(low, half, shear_modulus="2 kPa", yield_strain=0.1), box(right, (0.6, 0.2, 0.3)[:dimension])]
    solver = build_liquid(scene(fills, size, 12, 0.0))
    p = solver.state.particles
    firm = p.elastic[0] == 2e3
    assert 0 < firm.sum() < p.count
    assert (p.position(solver.h)[firm, 0] < 0.3 + 1e-6).all()
    advanced(solver, 1 / 24)
    assert np.isfinite(solver.state.particles.strain_tensor).all()


@pytest.mark.slow
@pytest.mark.parametrize("yield_strain", [0.8, 50.0])
def test_weak_liquid_that_runs_apart_on_a_holding_floor_stays_round(yield_strain):
    """Half a ball lands: its rim has neither lobes nor notches. By Jaumann's rate it differed by 4 and 6 %."""
    ball = {"shape": {"kind": "sphere", "center": (0.06, 0, 0.06), "radius": 0.026}, "velocity": (0, -0.5, 0)}
    keys = {"viscosity": 0.6, "liquid": {"yield_strain": yield_strain, "yield_rate": 3.0}}
    keys["domain"] = {"friction": {"y_min": 1.0}}
    solver = build_liquid(scene([ball], (0.12, 0.045, 0.12), 40, 25.0, **keys))
    advanced(solver, 0.75)
    x, _, z = (solver.state.particles.position(solver.h) - (0.06, 0, 0.06)).T
    sector = ((np.arctan2(z, x) + np.pi) / (2 * np.pi) * 40).astype(int) % 40
    rim = np.array([np.sort(np.hypot(x, z)[sector == k])[-8:].mean() for k in range(40)])
    assert rim.mean() > 0.032
    assert rim.std() < 0.012 * rim.mean()


@pytest.mark.slow
def test_jelly_gives_way_to_a_lid_that_comes_down_and_goes_up_again():
    """It keeps its volume and hangs together, and is as high afterwards as it was."""
    block = box((0.1, 0), (0.2, 0.1))
    lid = {"shape": {"kind": "box", "min": (0.06, 0.1125), "max": (0.24, 0.15)}}
    lid["motion"] = {"keys": [{"time": t, "offset": (0, y)} for t, y in ((0, 0), (0.2, -0.03), (0.4, 0))]}
    keys = {"viscosity": 8.0, "domain": {"friction": {"y_min": 1.0}}, "solid": [lid]}
    solver = build_liquid(scene([block], (0.3, 0.2), 24, 5e3, **keys))
    heights = []
    for end in (0.02, 0.2, 0.7):
        advanced(solver, end, fps=50)
        heights.append(solver.state.particles.position(solver.h)[:, 1].max())
        assert not solver.state.particles.ballistic.any()
        assert solver.ledger.volume == pytest.approx(solver.ledger.initial, rel=0.03)
    assert heights[1] < 0.0825
    assert heights[2] == pytest.approx(heights[0], abs=solver.h / 3)


@pytest.mark.slow
def test_jelly_that_falls_on_a_ball_stays_out_of_it():
    """A body that cuts cells holds it up: no particle is in the ball or leaves the jelly, and no energy is made."""
    ball = {"name": "ball", "shape": {"kind": "sphere", "center": (0.15, 0.03), "radius": 0.03}, "friction": 1.0}
    keys = {"viscosity": 8.0, "domain": {"friction": {"y_min": 1.0}}, "solid": [ball]}
    solver = build_liquid(scene([box((0.1, 0.07), (0.2, 0.15))], (0.3, 0.2), 24, 5e3, **keys))
    start = energy(solver, 5e3, 9.81)
    advanced(solver, 0.4)
    p = solver.state.particles
    away = np.linalg.norm(p.position(solver.h) - (0.15, 0.03), axis=1)
    assert 0.03 - 1e-6 < away.min() < 0.03 + solver.h / 2
    assert solver.ledger.leaks == {"ball": 0}
    assert not p.ballistic.any()
    assert solver.ledger.volume == pytest.approx(solver.ledger.initial, rel=0.03)
    assert energy(solver, 5e3, 9.81) < start


@pytest.mark.slow
def test_a_body_that_cuts_cells_holds_what_yields_as_whole_cells_do():
    """A block that gives way under its weight spreads as far, and no film is pushed out from under it."""
    widths = []
    for top in (6.8, 7.0):
        h, low, high = 0.002, (0.023, top * 0.002), (0.037, top * 0.002 + 0.016)
        table = {"shape": {"kind": "box", "min": (0.012, 0), "max": (0.048, top * h)}, "friction": 1.0}
        made = scene([box(low, high)], (0.06, 0.03), 30, 700.0, solid=[table], liquid={"yield_strain": 0.05})
        solver = build_liquid(made)
        advanced(solver, 6 / 24)
        p = solver.state.particles
        assert not p.ballistic.any()
        widths.append(np.ptp(p.position(solver.h)[:, 0]))
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


def test_elastic_liquid_clings_as_thick_as_its_viscosity_and_its_modulus_make_it():
    """A Kelvin-Voigt body: ν + G dt/ρ, one number or by cell."""
    solver = build_liquid(scene([box((0.1, 0.1), (0.2, 0.2))], (0.3, 0.3), 12, 4e3, viscosity=2.6))
    dt, elastic = 1e-3, solver.elasticity
    solids, _, cells, _ = solver.label(dt)
    motion = elastic.at(solver.state, cells, solids, dt)
    velocity, _ = solver.transfer.to_grid(solver.state, cells)
    expected = 2.6 / RHO + 4e3 / RHO * dt
    assert motion.apply(solver.viscosity, velocity, dt).nu == pytest.approx(expected)
    solver.state.viscosity = CellField.filled(cells.tiles, 5.2 / RHO)
    by_cell = elastic.at(solver.state, cells, solids, dt).apply(solver.viscosity, velocity, dt).nu
    assert by_cell.pool == pytest.approx(expected + 2.6 / RHO, rel=1e-6)


def test_jelly_out_of_a_spout_hangs_on_it():
    """It comes as fast as it was asked, but for swings of the strand and its edges, as wide as that, and strained."""
    speed, radius, modulus = 0.2, 0.02, 5e3
    shape = {"kind": "disc", "center": (0.101, 0.18), "normal": (0, -1), "radius": radius}
    spout = {"name": "jet", "kind": "spout", "shape": shape, "speed": speed}
    made = scene([], (0.2, 0.2), 40, modulus, viscosity=1.0, source=[spout])
    solver = build_liquid(made)
    advanced(solver, 0.4, fps=40)
    p = solver.state.particles
    across, depth = np.abs(p.position(solver.h) - (0.101, 0.18)).T
    first = depth < 2 * radius
    assert p.velocity[1][first].mean() == pytest.approx(-speed, rel=0.1)
    assert np.quantile(np.abs(p.velocity[1][first] / -speed - 1), 0.97) < 0.25
    assert 0.9 * radius < across[first].max() < 1.02 * radius
    assert not p.ballistic.any()
    assert 0.01 < np.abs(p.strain_tensor).max() < 0.25
    assert solver.ledger.inflow == pytest.approx(2 * radius * speed * 0.4, rel=1e-6)
    assert solver.ledger.volume == pytest.approx(solver.ledger.target_volume, rel=0.05)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"solver": {"kind": "stable_fluids"}}, "liquid.shear_modulus: has no meaning with solver.kind"),
        ({"solver": {"surface": "levelset"}}, "carries no strain"),
        ({"solver": {"transfer": "semi_lagrangian", "strain": "corotated"}}, "needs particles"),
        ({"solver": {"yielding": "components"}}, "is for strain on the grid"),
    ],
)
def test_what_cannot_be_elastic_is_refused(keys, sentence):
    with pytest.raises(SceneError, match=sentence):
        scene([box((0, 0), (0.2, 0.2))], (0.5, 0.4), 12, 1e3, **keys)
