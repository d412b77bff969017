"""The liquid with its default surface: rest at any height, waves, spray, and volume over time."""

import math

import numpy as np
import pytest

import plash

H = 0.05
G = 9.3
RHO = 730.0


def tank(size, fill, sides="closed", h=H, solid=(), **solver):
    dimension = len(size)
    return plash.build(
        plash.Scene(
            domain={"size": size, "cell_size": h, "gravity": (0.0, -G, 0.0)[:dimension], "sides": sides},
            solver=plash.Solver(**solver),
            liquid={"density": RHO, "kinematic_viscosity": 0.0},
            fill=fill,
            solid=list(solid),
        )
    )


def box(low, high, dimension):
    return {"shape": {"kind": "box", "min": low[:dimension], "max": high[:dimension]}}


def steps(solver, count, dt):
    for _ in range(count):
        for _ in solver.stages(dt):
            pass


@pytest.mark.slow
@pytest.mark.parametrize("transfer", ["semi_lagrangian", "pic", "flip", "apic"])
@pytest.mark.parametrize("level", [0.6, 0.613, 0.637])
def test_a_still_pool_stays_still_at_any_height(dimension, transfer, level):
    """On a lattice the distance is exact, so the pressure is linear and nothing moves; a solid stands in it."""
    step = {"name": "step", **box((0.4, 0.0, 0.2), (0.7, 0.3, 0.5), dimension)}
    size = (1.2, 1.0, 0.8)[:dimension]
    pool = [box((0.0, 0.0, 0.0), (1.2, level, 0.8), dimension)]
    solver = tank(size, pool, solid=[step], transfer=transfer, tolerance=1e-6, jitter=0.0)
    before = solver.state.particles.position(H)
    steps(solver, 100, 0.01)
    assert solver.speed < 1e-3 * G * 0.01
    moved = solver.state.particles.position(H)
    assert np.abs(np.sort(moved, axis=0) - np.sort(before, axis=0)).max() < 2e-3 * H
    cells, pressure = solver.state.cells, solver.state.pressure.pool
    centres = cells.tiles.cell_centres(cells.tiles.slots, H)[:, 1].reshape(pressure[1:].shape)
    liquid = cells.label[1:] == 1
    expected = RHO * G * (level - centres[liquid])
    assert np.abs(pressure[1:][liquid] - expected).max() < 1e-3 * RHO * G * H
    particle_volume = solver.state.particles.total_volume()
    assert solver.surface_tracker.volume(cells) == pytest.approx(particle_volume, rel=1e-4)


@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_a_pool_seeded_at_random_comes_to_rest(transfer):
    """A lattice as the only test of rest would prove nothing."""
    solver = tank((1.2, 1.0), [box((0.0, 0.0), (1.2, 0.613), 2)], transfer=transfer, jitter=1.0)
    while solver.state.time < 1.0:
        report = solver.advance(1.0)
        assert report.unknown_reads == 0
    speed = np.sqrt((solver.state.particles.velocity.astype(np.float64) ** 2).sum(axis=0))
    assert np.sqrt((speed**2).mean()) < 0.05 * math.sqrt(G * 0.613)
    assert solver.ledger.volume == pytest.approx(solver.ledger.initial, rel=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_sloshing_has_the_frequency_of_linear_waves(transfer):
    """24 cells of depth, amplitude two cells: within half a per cent over five periods."""
    across, depth, h = 64, 24, 1 / 64
    k = math.pi
    omega = math.sqrt(G * k * math.tanh(k * depth * h))
    fill = [{"shape": plash.HeightShape(height=lambda x: depth * h + 2 * h * np.cos(k * x))}]
    solver = tank((1.0, 40 * h), fill, h=h, transfer=transfer)
    times, means = [0.0], []
    end = 5.35 * 2 * math.pi / omega
    while solver.state.time < end:
        particles = solver.state.particles
        weight = particles.volume.astype(np.float64)
        means.append(float((particles.position(1.0)[:, 0] * weight).sum() / weight.sum() - across / 2))
        solver.advance(min(end, (math.floor(solver.state.time * 24 + 1e-9) + 1) / 24))
        times.append(solver.state.time)
    crossings = [
        times[i] - means[i] * (times[i + 1] - times[i]) / (means[i + 1] - means[i])
        for i in range(len(means) - 1)
        if means[i] * means[i + 1] < 0
    ]
    assert len(crossings) >= 10
    assert math.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0]) == pytest.approx(omega, rel=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_volume_is_kept_over_a_dam_break(dimension, transfer):
    resolution, end = ((64, 2.0), (32, 1.0))[dimension - 2]
    low, high = ((-4.0, 1.0), (-5.0, 2.0))[dimension - 2]
    solver = tank(
        (1.0, 1.0, 1.0)[:dimension],
        [box((0.0, 0.0, 0.0), (0.4, 0.5, 1.0), dimension)],
        h=1 / resolution,
        transfer=transfer,
    )
    count = solver.state.particles.count
    for frame in range(1, round(24 * end) + 1):
        while solver.state.time < frame / 24:
            report = solver.advance(frame / 24)
            assert report.unknown_reads == 0
        change = 100 * (solver.ledger.volume / solver.ledger.initial - 1)
        assert low < change < high
    assert solver.state.particles.count == count
    assert solver.ledger.particle_volume == pytest.approx(solver.ledger.initial, rel=1e-6)


@pytest.mark.slow
def test_without_density_projection_volume_is_lost():
    """What the projection is for."""
    fill = [box((0.0, 0.0), (0.4, 0.5), 2)]
    solver = tank((1.0, 1.0), fill, h=1 / 48, transfer="flip", density_projection=False)
    for frame in range(1, 49):
        while solver.state.time < frame / 24:
            solver.advance(frame / 24)
    assert solver.ledger.volume < 0.95 * solver.ledger.initial


@pytest.mark.parametrize("transfer", ["semi_lagrangian", "pic", "flip", "apic"])
def test_a_lone_drop_flies_like_a_stone(dimension, transfer):
    """Spray is outside the liquid: neither its velocity nor its pressure is the drop's."""
    size = (1.2, 1.6, 0.8)[:dimension]
    pool = box((0.0, 0.0, 0.0), (1.2, 0.3, 0.8), dimension)
    solver = tank(size, [pool], transfer=transfer, jitter=0.0)
    particles = solver.state.particles
    highest = int(np.argmax(particles.position(H)[:, 1]))
    tag = particles.volume[highest] = np.float32(0.77 * particles.volume[highest])
    particles.cell[:, highest] = np.array((9, 24, 7))[:dimension]
    particles.velocity[:, highest] = np.array((1.1, 0.5, -0.4))[:dimension]
    start = particles.position(H)[highest]
    n, dt = 20, 0.008
    steps(solver, n, dt)
    mine = int(np.flatnonzero(solver.state.particles.volume == tag)[0])
    t = n * dt
    expected = start + np.array((1.1 * t, 0.5 * t - G * t**2 / 2, -0.4 * t))[:dimension]
    assert np.abs(solver.state.particles.position(H)[mine] - expected).max() < 1e-6
    assert np.abs(solver.snapshot().velocity[mine] - np.array((1.1, 0.5 - G * t, -0.4))[:dimension]).max() < 1e-5
    assert solver.state.particles.ballistic[mine]


@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_a_courant_number_of_five_stays_stable(transfer):
    solver = tank((1.0, 1.0), [box((0.0, 0.0), (0.4, 0.5), 2)], h=1 / 48, transfer=transfer, courant=5.0)
    fastest = 0.0
    for frame in range(1, 49):
        while solver.state.time < frame / 24:
            solver.advance(frame / 24)
        fastest = max(fastest, solver.speed)
        assert -5 < 100 * (solver.ledger.volume / solver.ledger.initial - 1) < 2
    assert fastest < 4 * math.sqrt(2 * G * 1.0)
