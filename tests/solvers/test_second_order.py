"""Second order in time: free fall is exact, waves and eddies keep what they have, frames show their own time."""

import numpy as np
import pytest
from validation.sloshing import exact_omega
from validation.steps import turning
from validation.steps.runs import framed_steps, free_steps, kinetic, moment, potential, settings
from validation.steps.waves import _PERIOD, _envelope, _frequency, _signal, _tank

import plash
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.solvers.build.liquid import build_liquid

TRANSFERS = ["semi_lagrangian", "pic", "flip", "apic"]
H, G, RHO = 0.05, 9.3, 730.0
SIZES = {2: (1.2, 1.6), 3: (1.2, 1.6, 0.8)}
THROWN = np.array([0.4, 1.0, -0.2])
DOWN = np.array([0.0, -G, 0.0])
END = 0.3


def scene(dimension, fill, sides="unbounded", **keys):
    return plash.Scene(
        domain={"size": SIZES[dimension], "cell_size": H, "gravity": tuple(DOWN[:dimension]), "sides": sides},
        solver=plash.Solver(**keys.pop("solver", {})),
        liquid={"density": RHO, "kinematic_viscosity": 0.0},
        fill=fill,
        **keys,
    )


def box(low, high, dimension):
    return plash.Box(min=low[:dimension], max=high[:dimension])


def thrown_block(dimension, **keys):
    """A block whose particles nothing but its flight moves."""
    block = {"shape": box((0.3, 0.7, 0.2), (0.75, 1.2, 0.6), dimension), "velocity": tuple(THROWN[:dimension])}
    return scene(dimension, [block], solver={"jitter": 0.0, "density_projection": False, **keys})


def to(solver, time):
    """Take the steps that the solver chooses; the longest of them, s."""
    longest = 0.0
    while solver.state.time < time:
        longest = max(longest, solver.advance(time).dt)
    return longest


def furthest_from_a_throw(solver, start, time):
    """How far the liquid is from where it would be if it flew freely since the start, in m and in m/s."""
    d = start.shape[1]
    shown = solver.snapshot()
    place = start + (THROWN * time + DOWN * time**2 / 2)[:d]
    # Sorting may change the order of particles: all of them fly alike, so columns can be compared in order
    apart = np.abs(np.sort(shown.position, axis=0) - np.sort(place, axis=0)).max()
    return apart, np.abs(shown.velocity - (THROWN + DOWN * time)[:d]).max()


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("courant", [0.5, 1, 3])
def test_free_fall_is_exact_with_the_steps_that_the_solver_chooses(dimension, transfer, courant):
    solver = build_liquid(thrown_block(dimension, transfer=transfer, courant=courant))
    start = solver.snapshot().position
    to(solver, END)
    assert solver.state.steps > 3
    place, speed = furthest_from_a_throw(solver, start, END)
    assert place < 1e-5
    assert speed < 2e-5


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_a_drop_whose_particles_are_spread_falls_exactly_as_a_whole(dimension, transfer):
    drop = {"shape": plash.Sphere(center=(0.55, 1.1, 0.4)[:dimension], radius=0.23)}
    solver = build_liquid(scene(dimension, [drop], solver={"transfer": transfer, "courant": 3}))
    start = solver.snapshot()
    to(solver, END)
    end = solver.snapshot()
    before, after = (each.volume / each.volume.sum() @ each.position for each in (start, end))
    fallen = after - before
    assert fallen[1] == pytest.approx(-G * END**2 / 2, abs=1e-5)
    # Particles at random places are spread at first, which moves their middle a little
    assert np.abs(np.delete(fallen, 1)).max() < 1e-3 * H
    assert np.abs(end.velocity - (DOWN * END)[:dimension]).max() < 5e-5


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_free_fall_is_exact_with_steps_of_any_lengths(dimension, transfer):
    solver = build_liquid(thrown_block(dimension, transfer=transfer, courant=3))
    start = solver.snapshot().position
    for dt in (0.004, 0.019, 0.002, 0.002, 0.023, 0.011):
        before = solver.state.time
        for _ in solver.stages(dt):
            pass
        assert solver.state.time == pytest.approx(before + dt, rel=1e-12)
        assert solver.state.lag == pytest.approx(dt / 2, rel=1e-9)
        place, speed = furthest_from_a_throw(solver, start, solver.state.time)
        assert place < 2e-6
        assert speed < 2e-5  # that of the smallest particle, at the surface


def test_carried_velocities_are_those_of_the_middle_of_the_step(dimension):
    """g (n - 1/2) dt after n steps, on particles and on faces."""
    solver = build_liquid(thrown_block(dimension))
    n, dt = 9, 0.007
    for _ in range(n):
        for _ in solver.stages(dt):
            pass
    s = solver.state
    assert s.velocity_time == pytest.approx((n - 0.5) * dt)
    assert s.kick == pytest.approx(dt)
    expected = (THROWN + DOWN * (n - 0.5) * dt)[:dimension, None]
    assert np.abs(s.particles.velocity - expected).max() < 2e-6
    wet = (s.cells.faces & 1) > 0
    for axis in range(dimension):
        assert np.abs(s.velocity.pool[axis][wet[axis]] - expected[axis]).max() < 5e-6
        now = (THROWN + DOWN * n * dt)[axis]
        assert np.abs(s.velocity_now().pool[axis][wet[axis]] - now).max() < 1e-5


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("courant", [0.5, 3])
def test_free_fall_is_exact_when_steps_cross_frames(dimension, transfer, courant):
    """Velocities are exact at every frame. Places are where a step ends; within a step of dt they are on its chord."""
    crossing = thrown_block(dimension, transfer=transfer, courant=courant, steps_cross_frames=True)
    solver = build_liquid(crossing)
    start = solver.snapshot().position
    inside_steps = 0
    for frame in range(1, 25):
        to(solver, frame / 80)
        rest = solver.state.unspent
        below = 0.5 * G * rest * (solver.state.length - rest) * np.array([0, 1, 0])[:dimension]
        place, speed = furthest_from_a_throw(solver, start - below, frame / 80)
        inside_steps += rest > 1e-12
        assert place < 1e-5
        assert speed < 2e-5
    assert inside_steps > 5


@pytest.mark.parametrize("crossing", [False, True])
@pytest.mark.parametrize("transfer", TRANSFERS)
def test_free_fall_goes_on_exactly_after_a_stop(tmp_path, dimension, transfer, crossing):
    made = thrown_block(dimension, transfer=transfer, courant=2, steps_cross_frames=crossing)
    straight = build_liquid(made)
    start = straight.snapshot().position
    to(straight, 0.11)
    write_checkpoint(tmp_path / "stop.npz", straight, Place(1, 1))
    resumed = build_liquid(made)
    read_checkpoint(tmp_path / "stop.npz", resumed, made, None, "")
    assert resumed.state.lag == straight.state.lag
    for solver in (straight, resumed):
        to(solver, 0.2)
        while solver.state.unspent > 1e-12:
            solver.advance(1.0)
    for name in ("cell", "offset", "velocity"):
        assert getattr(straight.state.particles, name).tobytes() == getattr(resumed.state.particles, name).tobytes()
    place, speed = furthest_from_a_throw(resumed, start, resumed.state.time)
    assert place < 1e-5
    assert speed < 2e-5


@pytest.mark.parametrize("has_pool", [False, True])
def test_liquid_that_appears_in_the_middle_of_a_step_falls_exactly(dimension, has_pool):
    appears = 0.0437
    drop = box((0.3, 0.9, 0.2), (0.6, 1.2, 0.5), dimension)
    pool = {"shape": box((0.0, 0.0, 0.0), (1.2, 0.2, 0.8), dimension)}
    late = {"shape": drop, "time": appears, "velocity": tuple(THROWN[:dimension])}
    made = scene(dimension, [*([pool] if has_pool else []), late], "closed", solver={"jitter": 0.0, "courant": 2})
    solver = build_liquid(made)
    to(solver, 0.25)
    shown = solver.snapshot()
    is_drop = shown.position[:, 1] > 0.5
    fallen = 0.25 - appears
    middle = np.array([0.45, 1.05, 0.35]) + THROWN * fallen + DOWN * fallen**2 / 2
    assert is_drop.sum() == 36 * 4 if dimension == 2 else 36 * 6 * 8
    assert np.abs(shown.position[is_drop].mean(axis=0) - middle[:dimension]).max() < 2e-5
    assert np.abs(shown.velocity[is_drop] - (THROWN + DOWN * fallen)[:dimension]).max() < 5e-5


def test_the_first_frame_of_liquid_that_appears_shows_the_velocity_of_its_own_time(dimension):
    late = {"shape": box((0.3, 0.9, 0.2), (0.6, 1.2, 0.5), dimension), "time": 0.0437}
    solver = build_liquid(scene(dimension, [late], "closed", solver={"courant": 2}))
    to(solver, 0.05)
    assert solver.state.lag > 0
    expected = DOWN[:dimension] * (0.05 - 0.0437)
    assert np.abs(solver.snapshot().velocity - expected).max() < 1e-4


@pytest.mark.parametrize("courant", [0.5, 1, 3])
def test_a_level_jet_falls_as_it_flies(dimension, courant):
    """Liquid that left the spout at one speed is g t²/2 lower after the time t = x/speed, and v²/2 + g y is kept."""
    speed, at = 1.5, (0.2, 1.2, 0.4)
    shape = {"kind": "disc", "center": at[:dimension], "normal": (1, 0, 0)[:dimension], "radius": 0.11}
    jet = {"name": "jet", "kind": "spout", "shape": shape, "speed": speed}
    solver = build_liquid(scene(dimension, [], "closed", solver={"courant": courant}, source=[jet]))
    to(solver, END)
    shown = solver.snapshot()
    x, y = (shown.position - np.array(at)[:dimension]).T[:2]
    far = (x > 2 * H) & (x < 0.35)
    assert far.sum() > 50
    weight = shown.volume[far] / shown.volume[far].sum()
    head = 0.5 * (shown.velocity[far].astype(np.float64) ** 2).sum(axis=1) + G * y[far]
    assert weight @ head == pytest.approx(0.5 * speed**2, abs=0.1 * H * G)
    assert weight @ (y[far] + 0.5 * G * (x[far] / speed) ** 2) == pytest.approx(0, abs=0.15 * H)


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_frames_of_a_pool_at_rest_show_no_motion(dimension, transfer):
    depth = 0.52
    pool = {"shape": box((0.0, 0.0, 0.0), (1.2, depth, 0.8), dimension)}
    solver = build_liquid(scene(dimension, [pool], "closed", solver={"transfer": transfer, "jitter": 0.0}))
    for frame in range(1, 7):
        to(solver, frame / 24)
        assert np.abs(solver.snapshot().velocity).max() < 1e-3 * np.sqrt(G * depth)


@pytest.mark.slow
@pytest.mark.parametrize("transfer", ["flip", "apic"])
@pytest.mark.parametrize("courant", [1, 2])
def test_frame_velocities_after_an_impact_do_not_overshoot(transfer, courant):
    """A block falls on the floor: what frames show never has more energy than there was, and little is made at once."""
    block = {"shape": plash.Box(min=(0.3, 0.55), max=(0.8, 0.95))}
    solver = build_liquid(scene(2, [block], "closed", solver={"transfer": transfer, "courant": courant}))
    shown = [when.particles for when in free_steps(solver, 0.6)]
    energy = np.array([kinetic(each) + potential(each, G) for each in shown])
    available = energy[0] - G * 0.5 * shown[0].volume.sum() ** 2 / 1.2
    impact = 0.55
    assert min(each.position[:, 1].min() for each in shown) < 0.1 * impact
    assert energy.max() < energy[0] + 0.01 * available
    assert np.diff(energy).max() < 0.01 * available


def frequency(transfer, steps_a_period):
    """Of the first mode of a tank, 12 cells deep and one cell high, over the exact one, with steps of one length."""
    tank = _tank(settings(5.0, transfer, {}), 12, 1)
    moments = [moment(tank)]
    while tank.state.time < 3.3 * _PERIOD:
        for _ in tank.stages(_PERIOD / steps_a_period):
            pass
        moments.append(moment(tank))
    return _frequency(*_signal(moments)) / exact_omega()


@pytest.mark.slow
@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_a_standing_wave_is_second_order_in_dt(transfer):
    """Too fast by (omega dt)²/24, as every centred method of one evaluation a step is."""
    steps = np.array([24, 48, 96, 192])
    found = np.array([frequency(transfer, each) for each in steps])
    errors, expected = found - found[-1], (2 * np.pi / steps) ** 2 / 24
    assert np.log2(errors[0] / errors[1]) > 1.8
    # A ten thousandth is what the particles' noise makes of it
    assert np.abs(errors - (expected - expected[-1])).max() < 2e-4


@pytest.mark.slow
@pytest.mark.parametrize("courant", [1.0, 2.0])
def test_a_wave_keeps_its_amplitude_with_dt_left_free(courant):
    time, wave = _signal(free_steps(_tank(settings(courant, "apic", {}), 24, 2), 6.3 * _PERIOD))
    assert _envelope(time, wave, 5 * _PERIOD) > 0.96
    assert wave.max() <= 1.0 + 1e-6
    assert abs(_frequency(time, wave) / exact_omega() - 1) < 0.002


@pytest.mark.slow
def test_frames_change_little_of_a_wave():
    """Steps that end at frames are of another length: amplitude and phase are the same after three periods."""
    ends = []
    for steps in (free_steps, framed_steps):
        tank = _tank(settings(2.0, "apic", {}), 12, 2)
        moments = steps(tank, 3 * _PERIOD) if steps is free_steps else framed_steps(tank, 3 * _PERIOD, 30 / _PERIOD)
        _, wave = _signal(moments)
        ends.append(wave[-1])
    assert ends[0] == pytest.approx(ends[1], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["vortex", "round tank"])
def test_liquid_that_turns_keeps_its_energy(case):
    if case == "vortex":
        figures = turning.vortex(2.0, "apic", cells=32)
    else:
        figures = turning._round(settings(2.0, "apic", {}), 32, 2.0, has_hub=False)
    assert figures["energy left"] > 0.85
    assert figures["most energy"] < 1.02
    assert abs(figures["lowest volume"]) < 0.005
