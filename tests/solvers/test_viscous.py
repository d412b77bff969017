"""Thick liquids in whole steps: they fall, turn and spread as they should, in steps of any length."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

import plash
from plash.errors import SceneError
from plash.physics.viscosity.auto import AutoViscosity
from plash.scene.language.write import scene_text
from plash.solvers.build.liquid import build_liquid


def scene(fill, size=(1.0, 0.7), nu=0.3, resolution=24, friction=0.0, domain=None, solid=(), **solver):
    parts = {
        "domain": {"size": size, "resolution": resolution, "friction": friction} | (domain or {}),
        "liquid": {"kinematic_viscosity": nu},
        "fill": [{"shape": fill}],
        "solid": solid,
        "solver": solver,
        "time": {"fps": 24, "frames": 13},
    }
    return plash.Scene(**parts)


def simulated(scene, frames):
    """The solver after some frames, and the reports of its steps."""
    solver, reports = build_liquid(scene), []
    for frame in range(1, frames + 1):
        while solver.state.time < frame / 24 - 1e-9:
            reports.append(solver.advance(frame / 24))
    return solver, reports


def box(low, high):
    return {"kind": "box", "min": low, "max": high}


@pytest.mark.parametrize("viscosity", ["implicit", "coupled", "auto"])
def test_a_blob_in_free_fall_falls_as_if_inviscid(dimension, viscosity):
    """To the last bit, in as many steps: viscosity shortens none of them."""
    size, centre = (0.8, 0.9, 0.7)[:dimension], (0.4, 0.6, 0.33)[:dimension]
    ball = {"kind": "sphere", "center": centre, "radius": 0.2}
    solvers = {}
    for nu in (0.0, 40.0):
        solvers[nu], reports = simulated(scene(ball, size, nu=nu, resolution=20, viscosity=viscosity), 4)
        solvers[nu].steps = len(reports)
    one, other = solvers.values()
    assert one.steps == other.steps
    assert np.allclose(one.state.particles.position(1.0), other.state.particles.position(1.0), atol=1e-6)
    assert np.allclose(one.state.particles.velocity, other.state.particles.velocity, atol=2e-6)


def spun(viscosity, turns, resolution=32, rate=2.0):
    """Angular momentum of a free ball that spins, at nu dt/h² = 100, over what it had at the start."""
    h, radius, dt = 1 / resolution, 0.25, 1 / 72
    made = plash.Scene(
        domain={"size": (1.0, 1.0), "resolution": resolution, "gravity": (0, 0), "sides": "unbounded"},
        liquid={"kinematic_viscosity": 100 * h * h / dt},
        fill=[{"shape": {"kind": "sphere", "center": (0.5, 0.5), "radius": radius}}],
        solver={"viscosity": viscosity, "courant": 10, "max_dt": dt},
        time={"fps": 24, "frames": 2},
    )
    solver = build_liquid(made)
    particles = solver.state.particles
    away = particles.position(h) - 0.5
    particles.velocity[:] = rate * np.stack([-away[:, 1], away[:, 0]]).astype(np.float32)
    particles.affine[1], particles.affine[2] = -rate * h, rate * h

    def momentum():
        now = solver.state.particles
        place, mass, velocity = now.position(h) - 0.5, now.volume.astype(np.float64), now.velocity.astype(np.float64)
        return (mass * (place[:, 0] * velocity[1] - place[:, 1] * velocity[0])).sum()

    before, frame = momentum(), 0
    while solver.state.time < turns * 2 * np.pi / rate:
        frame += 1
        while solver.state.time < frame / 24 - 1e-9:
            report = solver.advance(frame / 24)
            assert report.viscosity_residual <= 1e-4
    return momentum() / before


@pytest.mark.slow
def test_a_free_ball_keeps_spinning():
    """A turn costs less than a per cent of angular momentum; by components almost all is gone in a tenth of one."""
    assert spun("coupled", 1.0) == pytest.approx(1.0, abs=0.01)
    assert spun("implicit", 0.1) < 0.05


@pytest.mark.slow
def test_a_column_spreads_the_same_in_short_and_in_long_steps():
    """On a floor that holds it; and without friction it spreads further."""
    column = box((0, 0), (0.25, 0.45))
    heights = {}
    for courant, friction in ((1.0, 1.0), (3.0, 1.0), (3.0, 0.0)):
        made = scene(column, (1.0, 0.6), nu=0.03, resolution=32, friction={"y_min": friction}, courant=courant)
        solver, reports = simulated(made, 10)
        assert max(report.viscosity_iterations for report in reports) <= 12
        heights[courant, friction] = float(solver.state.particles.position(solver.h)[:, 1].mean())
    assert heights[3.0, 1.0] == pytest.approx(heights[1.0, 1.0], rel=0.02)
    assert heights[3.0, 0.0] < 0.93 * heights[3.0, 1.0]


@pytest.mark.parametrize("viscosity", ["implicit", "coupled"])
def test_thick_liquid_at_rest_stays_at_rest(dimension, viscosity):
    size = (0.8, 0.5, 0.6)[:dimension]
    pool = box((0,) * dimension, (0.8, 0.27, 0.6)[:dimension])
    solver, reports = simulated(
        scene(pool, size, nu=5.0, resolution=16, friction=1.0, jitter=0.0, viscosity=viscosity), 3
    )
    assert solver.speed < 1e-5
    assert all(report.unknown_reads == 0 for report in reports)


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_a_drum_takes_thick_liquid_along(solids):
    """A full drum of friction 1 that turns: all turns with it, and nothing is left of the difference."""
    full = {"kind": "sphere", "center": (0.5, 0.5), "radius": 0.4}
    ring = {"kind": "difference", "of": [box((-1, -1), (2, 2)), full]}
    turning = {"name": "drum", "shape": ring, "friction": 1, "motion": {"spin": "60 deg/s", "center": (0.5, 0.5)}}
    made = scene(full, (1.0, 1.0), nu=2.0, resolution=24, solid=[turning], domain={"gravity": (0, 0)}, solids=solids)
    solver, _ = simulated(made, 4)
    particles = solver.state.particles
    away, rate = particles.position(solver.h) - 0.5, np.radians(60)
    near = np.hypot(*away.T) < 0.3
    wanted = rate * np.stack([-away[:, 1], away[:, 0]])[:, near]
    assert np.abs(particles.velocity[:, near] - wanted).max() < 0.06 * rate * 0.4


def test_rough_sides_slow_thin_liquid_as_solids_do():
    """The law of friction on faces beside the floor, and nowhere else."""
    kept = []
    for friction in (0.0, 0.5):
        block = box((0.2, 0), (0.8, 0.3))
        made = scene(block, nu=0.0, friction={"y_min": friction}, domain={"gravity": (0, 0)}, density_projection=False)
        solver = build_liquid(made.with_values(fill=[made.fill[0].with_values(velocity=(0.3, 0.0))]))
        solver.advance(1 / 24)
        place, velocity = solver.state.particles.position(solver.h), solver.state.particles.velocity[0]
        kept.append([velocity[place[:, 1] < 0.02].mean(), velocity[place[:, 1] > 0.2].mean()])
    assert kept[0][0] == pytest.approx(0.3, rel=1e-3)
    assert kept[1][0] < 0.9 * kept[0][0]
    assert kept[1][1] > 0.95 * kept[0][1]


def test_one_and_two_threads_give_the_same_bits(threads):
    bits = set()
    for count in (1, 2):
        threads(count)
        solver, _ = simulated(scene(box((0, 0), (0.4, 0.5)), friction=1.0), 2)
        bits.add(solver.state.particles.velocity.tobytes() + solver.state.particles.offset.tobytes())
    assert len(bits) == 1


def test_auto_is_the_default():
    solver = build_liquid(scene(box((0, 0), (0.4, 0.5))))
    assert isinstance(solver.viscosity, AutoViscosity)
    assert solver.time_step.own_limit == float("inf")


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        ({"solver": {"viscosity": "thick"}}, "solver.viscosity", "thick"),
        ({"solver": {"viscosity_mean": "mean"}}, "solver.viscosity_mean", "mean"),
        ({"domain": {"size": (1, 1), "friction": 1.5}}, "domain.friction", "1.5 must be from 0"),
        ({"domain": {"size": (1, 1), "friction": {"y_min": -0.1}}}, "domain.friction.y_min", "0"),
        ({"domain": {"size": (1, 1), "friction": {"z_min": 0.1}}}, "domain.friction.z_min", "no such side"),
        (
            {"domain": {"size": (1, 1), "sides": {"x_max": "open"}, "friction": {"x_max": 0.1}}},
            "domain.friction.x_max",
            'set domain.sides.x_max = "closed"',
        ),
    ],
)
def test_what_makes_no_sense_is_refused(keys, place, words):
    parts = {"domain": {"size": (1, 1)}, "fill": [{"shape": box((0, 0), (0.4, 0.5))}]} | keys
    with pytest.raises(SceneError) as refused:
        plash.Scene(**parts)
    assert place in str(refused.value)
    assert words in str(refused.value)


def test_one_number_stands_for_all_closed_sides():
    domain = plash.Domain(size=(1, 1), sides={"x_max": "open"}, friction=1)
    assert domain.friction.by_axis(2) == ((1.0, 0.0), (1.0, 1.0))
    made = plash.Scene(domain=domain, fill=[{"shape": box((0, 0), (0.4, 0.5))}])
    text = scene_text(made)
    assert "friction = 1.0\n" in text
    table = plash.Domain(size=(1, 1), friction={"y_min": 0.5})
    assert "friction = { y_min = 0.5 }\n" in scene_text(made.with_values(domain=table))


SPACE = pytest.param(3, "apic", False, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("d", "transfer", "beside_a_body"), [(2, "apic", False), (2, "flip", False), (2, "apic", True), SPACE]
)
def test_a_strand_hangs_on_its_nozzle(d, transfer, beside_a_body):
    """Tension holds it: it leaves the spout as it comes, rim and middle, and hangs together.

    In the first diameter below the nozzle it is faster by what its weight stretches it, 0.7 % by its Trouton viscosity.
    A body that it does not touch changes nothing, though fluxes of spouts are then kept beside the divergence.
    """
    speed, radius, h = 0.3, 0.004, 0.001
    body = plash.Solid(shape=plash.Sphere(center=(0.009, 0.04), radius=0.0051))
    disc = plash.Disc(center=(0.0203, 0.05, 0.0099)[:d], normal=(0, -1, 0)[:d], radius=radius)
    scene = plash.Scene(
        domain={"size": (0.04, 0.06, 0.02)[:d], "cell_size": h, "friction": 1},
        liquid={"density": 1420, "dynamic_viscosity": 500.0},
        solver={"transfer": transfer},
        source=[plash.Spout(shape=disc, speed=speed)],
        solid=[body] if beside_a_body else [],
    )
    solver: Any = plash.build(scene)
    for step in range(1, 8):
        while solver.state.time < step / 48 - 1e-9:
            solver.advance(step / 48)
    particles = solver.state.particles
    away = particles.position(solver.h) - np.array(disc.center)
    first = away[:, 1] > -2 * radius
    assert np.abs(particles.velocity[1][first] / -speed - 1).max() < 0.02
    across = np.linalg.norm(np.delete(away, 1, axis=1), axis=1)
    assert 0.9 * radius < across[first].max() < 1.02 * radius
    assert across.max() < 1.05 * radius
    assert particles.ballistic.mean() < 0.001
    near = cKDTree(away).sparse_distance_matrix(cKDTree(away), 1.2 * h)
    assert connected_components(near)[0] == 1
    assert solver.ledger.inflow == pytest.approx(speed * disc.area(d) * solver.state.time, rel=1e-6)
    assert abs(solver.ledger.volume / solver.ledger.target_volume - 1) < 0.03


@pytest.mark.parametrize("d", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_strand_does_not_slide_along_its_nozzle(d):
    """Weight across it bends it, as it bends a beam that is clamped; it does not fall.

    The end of a clamped beam of a viscous liquid, l long and 2 a thick, goes at g l⁴ 3/(32 ν a²) in 2-D, a round one at
    g l⁴/(6 ν a²), and by shear at about g l² 0.6/ν more.
    """
    speed, radius, nu, seconds = 0.3, 0.004, 0.35, 0.05
    disc = plash.Disc(center=(0.0203, 0.05, 0.0199)[:d], normal=(0, -1, 0)[:d], radius=radius)
    scene = plash.Scene(
        domain={"size": (0.04, 0.06, 0.04)[:d], "cell_size": 0.001, "gravity": (9.81, 0, 0)[:d]},
        liquid={"density": 1420, "kinematic_viscosity": nu},
        source=[plash.Spout(shape=disc, speed=speed)],
    )
    solver: Any = plash.build(scene)
    while solver.state.time < seconds:
        solver.advance(seconds)
    particles = solver.state.particles
    below = disc.center[1] - particles.position(solver.h)[:, 1]
    long = speed * seconds
    end = 9.81 * long**2 / nu * ((long / radius) ** 2 * (3 / 32 if d == 2 else 1 / 6) + 0.6)
    assert particles.velocity[0][below > long - solver.h].mean() == pytest.approx(end, rel=0.2)
    assert end < 0.05 * 9.81 * seconds
    assert np.abs(particles.velocity[0][below < solver.h]).max() < 0.01 * end


@pytest.mark.slow
def test_honey_comes_to_rest():
    """Its motion dies down, second by second, as the surface levels; in 3-D too, where single cells may feed it."""
    made = plash.Scene(
        domain={"size": (0.12, 0.09, 0.07), "resolution": 16, "friction": 1},
        liquid={"material": "honey"},
        fill=[{"shape": plash.Box(min=(0, 0, 0), max=(0.12, 0.052, 0.07))}],
    )
    solver, _ = simulated(made, 24)
    after_one_second = np.abs(solver.state.particles.velocity).mean()
    for frame in range(25, 73):
        while solver.state.time < frame / 24 - 1e-9:
            solver.advance(frame / 24)
    assert np.abs(solver.state.particles.velocity).mean() < 0.25 * after_one_second


@pytest.mark.slow
def test_honey_that_is_level_becomes_still():
    """What jitter leaves uneven levels, and nothing lifts one column while it thins out the next."""
    h = 0.0075
    made = plash.Scene(
        domain={"size": (16 * h, 0.09, 8 * h), "resolution": 16, "friction": 1},
        liquid={"material": "honey"},
        fill=[{"shape": plash.Box(min=(0, 0, 0), max=(16 * h, 6.3 * h, 8 * h))}],
    )
    solver, _ = simulated(made, 144)
    after_six_seconds = np.abs(solver.state.particles.velocity).max()
    for frame in range(145, 241):
        while solver.state.time < frame / 24 - 1e-9:
            solver.advance(frame / 24)
    fastest = np.abs(solver.state.particles.velocity).max()
    assert fastest < 0.7 * after_six_seconds
    assert fastest < 1.2e-6
