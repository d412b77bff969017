"""Solids that move: what they push away, what they drag along, and particles that never get in or through."""

import numpy as np
import pytest

import plash
from plash.grid.cells import BURIED, LIQUID, SIDE, WALL, WET
from plash.grid.differences import divergence
from plash.levelset.shapes import distance
from plash.physics.solids.rigid_motion import Prescribed, RigidGroup, steady_rate
from plash.scene import Motion
from plash.scene.poses import Pose
from plash.solvers.build.liquid import build_liquid

RHO, G = 730.0, 9.3
BOTH = ["cut", "voxel"]


def scene(size, solid, fill, h, gravity=G, **options):
    dimension = len(size)
    sides = options.pop("sides", "closed")
    return plash.Scene(
        domain={"size": size, "cell_size": h, "gravity": (0.0, -gravity, 0.0)[:dimension], "sides": sides},
        solver=plash.Solver(**options),
        liquid={"density": RHO, "kinematic_viscosity": 0.0},
        fill=[fill],
        solid=solid,
    )


def box(low, high):
    return {"kind": "box", "min": low, "max": high}


def steps(solver, until, frames=1):
    """Advance to a time, one step after the other."""
    for frame in range(1, frames + 1):
        target = until * frame / frames
        while solver.state.time < target:
            yield solver.advance(target)


def depth_in_solids(solver, scene):
    """How deep any particle is in a solid, in cells."""
    places = solver.state.particles.position(solver.h)
    solid_phis = [distance(solid.shape, places).min() for solid in scene.solids_at(solver.state.time)]
    return -min(solid_phis) / solver.h


def test_a_steady_rate_takes_one_pose_to_the_other():
    motion = Motion(
        velocity=(0.5, 0.1, 0.2),
        spin=1.3,
        axis=(1, 2, 0.5),
        center=(1, 1, 0.3),
        oscillation={"angle": 0.3, "period": 1},
    )
    before, after, dt = motion.pose(0.2), motion.pose(0.9), 0.7
    rate = steady_rate(before, after, dt)
    point = np.array([0.3, 0.7, 0.2])
    place = np.array(before.matrix) @ point + np.array(before.shift)
    for _ in range(2000):
        middle = place + dt / 4000 * np.array(rate.at(tuple(place)))
        place = place + dt / 2000 * np.array(rate.at(tuple(middle)))
    assert place == pytest.approx(np.array(after.matrix) @ point + np.array(after.shift), abs=1e-7)
    assert steady_rate(before, before, dt) == ((0, 0, 0), (0, 0, 0))
    straight = steady_rate(Pose(before.matrix, (0.0, 0.0, 0.0)), Pose(before.matrix, (0.7, 0.0, 1.4)), dt)
    assert straight == ((1.0, 0.0, 2.0), (0, 0, 0))


@pytest.mark.parametrize("solids", BOTH)
def test_a_motion_of_zero_changes_no_bit(solids):
    ball = {"name": "ball", "shape": {"kind": "sphere", "center": (0.9, 0.3), "radius": 0.17}, "friction": 0.3}
    fill = {"shape": box((0, 0), (0.5, 0.8))}
    runs = []
    for motion in (None, {"velocity": (0, 0), "spin": 0, "center": (0.9, 0.3)}):
        solver = build_liquid(scene((1.4, 1.0), [{**ball, "motion": motion}], fill, 0.05, solids=solids))
        list(steps(solver, 0.4))
        runs.append(solver.state.particles)
    assert np.array_equal(runs[0].cell, runs[1].cell)
    assert np.array_equal(runs[0].offset, runs[1].offset)
    assert np.array_equal(runs[0].velocity, runs[1].velocity)


@pytest.mark.parametrize("solids", BOTH)
def test_a_piston_raises_the_level_by_what_it_displaces(solids):
    length, level, speed, h = 1.1, 0.4, 0.15, 0.0375
    piston = {"name": "piston", "shape": box((-0.5, -0.5), (0.1, 1.5)), "motion": {"velocity": (speed, 0)}}
    solver = build_liquid(scene((1.2, 0.825), [piston], {"shape": box((0.1, 0), (1.2, level))}, h, solids=solids))
    for _ in steps(solver, 0.9, frames=9):
        particles = solver.state.particles
        places = particles.position(h)
        assert places[:, 0].min() > 0.1 + speed * solver.state.time - 0.5 * h
    mean_height = 2 * (places[:, 1] @ particles.volume) / particles.volume.sum(dtype=np.float64)
    assert mean_height == pytest.approx(level * length / (length - 0.9 * speed), rel=0.01)
    assert solver.ledger.leaks == {"piston": 0}
    assert solver.ledger.particle_volume == pytest.approx(level * length, rel=0.003)


def after_projection(dimension, shape, solids="cut", **motion):
    """A solver with a body that moves under the surface of a pool, in its first step, when the velocity is known."""
    block = {"name": "block", "shape": shape, "motion": motion}
    fill = {"shape": box((0,) * dimension, (1.3, 0.75, 0.85)[:dimension])}
    pool = scene((1.3, 0.9, 0.85)[:dimension], [block], fill, 0.05, solids=solids, separating_walls=False)
    solver = build_liquid(pool)
    for stage in solver.stages(0.01):
        if stage.name == "extrapolate":
            break
    return solver


LOW, HIGH = (0.5, 0.2, 0.3), (0.85, 0.5, 0.6)


@pytest.mark.parametrize("dimension", [2, 3])
def test_nothing_flows_in_sum_out_of_cells_round_a_body_and_none_is_compressed(dimension):
    turn = {"axis": (1, 2, 0)} if dimension == 3 else {}
    velocity, center = (0.3, -0.1, 0.2)[:dimension], (0.6, 0.3, 0.4)[:dimension]
    shape = {**box(LOW[:dimension], HIGH[:dimension]), "rotation": {"angle": 0.3, **turn}}
    solver = after_projection(dimension, shape, velocity=velocity, spin=1.7, center=center, **turn)
    cells = solver.state.cells
    solid_flux = cells.cut_cells.solid_flux
    wet = cells.label[solid_flux.slots] == LIQUID
    pushed = np.where(wet, solid_flux.outflow, 0.0)
    assert np.abs(pushed).sum() > 1.0
    assert abs(pushed.sum()) < 1e-13 * np.abs(pushed).sum()
    left = divergence(solver.state.velocity, cells)
    assert np.abs(left).max() < 1e-4 * np.abs(pushed).max()


@pytest.mark.parametrize("solids", BOTH)
@pytest.mark.parametrize("dimension", [2, 3])
def test_closed_faces_along_the_axes_move_with_their_body(dimension, solids):
    """(u - u_solid)·n = 0 to the last bit, where the normal is along an axis."""
    velocity, low, high = (0.31, -0.17, 0.23)[:dimension], LOW[:dimension], HIGH[:dimension]
    solver = after_projection(dimension, box(low, high), solids, velocity=velocity)
    cells, field = solver.state.cells, solver.state.velocity
    for axis in range(dimension):
        faces = (cells.faces[axis] & (WET | WALL | BURIED | SIDE)) == WET | WALL
        slots, z, y, x = np.nonzero(faces)
        place = (cells.tiles.origins[slots] + np.stack([x, y, z], axis=1) + 0.5)[:, :dimension] * 0.05
        place[:, axis] -= 0.025
        inner = np.ones(len(slots), np.bool_)
        for other in range(dimension):
            margin = 0.06 if other != axis else -0.06
            inner &= (place[:, other] > low[other] + margin) & (place[:, other] < high[other] - margin)
        assert inner.sum() >= 2 * 4
        assert (field.pool[axis][faces][inner] == np.float32(velocity[axis])).all()


@pytest.mark.parametrize("solids", BOTH)
@pytest.mark.parametrize("full", [True, False])
def test_liquid_in_a_box_that_moves_stays_still_in_it(solids, full):
    """Without gravity nothing happens at all; a pool moves with its box."""
    solid_velocity, level = np.array([0.7, 0.3]), 0.7 if full else 0.5
    walls = {"kind": "difference", "of": [box((0.2, 0.2), (0.9, 0.8)), box((0.3, 0.3), (0.8, 0.7))]}
    moving = scene(
        (1.6, 1.2),
        [{"name": "box", "shape": walls, "motion": {"velocity": solid_velocity}}],
        {"shape": box((0.3, 0.3), (0.8, level)), "velocity": solid_velocity},
        0.043,
        gravity=0.0 if full else G,
        sides="open",
        solids=solids,
        jitter=0.0,
    )
    solver = build_liquid(moving)
    for report in steps(solver, 0.3, frames=2):
        relative = solver.state.particles.velocity - solid_velocity[:, None]
        pressure = np.abs(solver.state.pressure.pool).max()
        if full:
            assert np.abs(relative).max() < 1e-5
            assert pressure < 1e-4 * RHO * (solid_velocity @ solid_velocity)
            assert report.excess < 1e-6
        assert np.abs(relative.mean(axis=1)).max() < 0.02 * np.sqrt(G * 0.2)
    assert solver.ledger.leaks == {"box": 0}
    assert solver.ledger.outflow == 0.0


@pytest.mark.parametrize("solids", BOTH)
def test_compression_without_a_way_out_is_refused(solids):
    piston = {"name": "ram", "shape": box((-0.5, -0.5), (0.13, 1.5)), "motion": {"velocity": (0.1, 0)}}
    sealed = scene((1.2, 0.8), [piston], {"shape": box((0.13, 0), (1.2, 0.8))}, 0.05, gravity=0.0, solids=solids)
    with pytest.raises(plash.SealedError, match=r"'ram' presses together .* by 0\.08 m²/s") as refused:
        list(steps(build_liquid(sealed), 0.2))
    assert refused.value.exit_code == 4


@pytest.mark.parametrize("solids", BOTH)
def test_a_ball_that_swims_in_a_full_box_is_not(solids):
    ball = {"name": "ball", "shape": {"kind": "sphere", "center": (0.35, 0.4), "radius": 0.13}}
    motion = {"velocity": (0.7, 0.2), "spin": 3.0, "center": (0.3, 0.4)}
    full = scene(
        (1.2, 0.8), [{**ball, "motion": motion}], {"shape": box((0, 0), (1.2, 0.8))}, 0.04, gravity=0.0, solids=solids
    )
    solver = build_liquid(full)
    excess = [report.excess for report in steps(solver, 0.5)]
    assert max(excess) < 1e-6
    assert depth_in_solids(solver, full) < 0.5


@pytest.mark.parametrize("solids", BOTH)
def test_no_particle_gets_through_a_plate_that_outruns_it(solids):
    """In steps in which a plate of half a cell crosses more than three cells, longer than a solver would choose."""
    h, speed, dt = 0.04, 5.0, 0.25 / 9
    solver = build_liquid(sheet_and_plate(h, speed, solids))
    assert dt * speed / h > 3.4
    for _ in range(9):
        for _ in solver.stages(dt):
            pass
        assert solver.state.particles.position(h)[:, 0].min() > 0.2 + speed * solver.state.time
        assert depth_in_solids(solver, sheet_and_plate(h, speed, solids)) < 0.5
    assert solver.ledger.leaks == {"plate": 0}


@pytest.mark.parametrize("solids", BOTH)
def test_no_body_crosses_more_than_two_cells_in_a_step(solids):
    h, speed = 0.04, 5.0
    solver = build_liquid(sheet_and_plate(h, speed, solids))
    crossed = [report.dt * speed / h for report in steps(solver, 0.25, frames=2)]
    assert 1.5 < max(crossed) <= 2 * (1 + 1e-9)
    assert solver.state.particles.position(h)[:, 0].min() > 0.2 + speed * solver.state.time
    assert solver.ledger.leaks == {"plate": 0}


def sheet_and_plate(h, speed, solids):
    """A plate of half a cell that runs into a sheet of liquid that fills the box from floor to ceiling."""
    plate = {"name": "plate", "shape": box((0.2, -1), (0.22, 2)), "motion": {"velocity": (speed, 0)}}
    fill = {"shape": box((0.4, 0), (0.8, 0.4))}
    return scene((2.4, 0.4), [plate], fill, h, gravity=0.0, solids=solids, courant=5.0)


def test_a_blade_that_spins_fast_lets_nothing_through():
    blade = {
        "name": "blade",
        "shape": box((0.2, 0.48), (0.8, 0.52)),
        "motion": {"spin": 25.0, "center": (0.5, 0.5)},
    }
    tank = scene((1.0, 1.0), [blade], {"shape": box((0, 0), (1, 0.6))}, 0.04, courant=5.0)
    solver = build_liquid(tank)
    for _ in steps(solver, 0.2, frames=2):
        assert depth_in_solids(solver, tank) < 0.5
    assert solver.ledger.leaks == {"blade": 0}
    assert solver.ledger.particle_volume == pytest.approx(solver.ledger.initial)


def test_only_a_rough_roller_drags_liquid_along():
    def swirl(friction):
        roller = {
            "name": "roller",
            "shape": {"kind": "sphere", "center": (0.5, 0.5), "radius": 0.2},
            "friction": friction,
            "motion": {"spin": 2.0, "center": (0.5, 0.5)},
        }
        solver = build_liquid(scene((1.0, 1.0), [roller], {"shape": box((0, 0), (1, 1))}, 0.045, gravity=0.0))
        list(steps(solver, 0.5))
        away = solver.state.particles.position(solver.h) - 0.5
        velocity = solver.state.particles.velocity.T
        radius = np.hypot(*away.T)
        return float(((away[:, 0] * velocity[:, 1] - away[:, 1] * velocity[:, 0]) / radius)[radius < 0.25].mean())

    assert abs(swirl(0.0)) < 0.01
    assert 0.1 < swirl(1.0) < 0.4


def test_liquid_parts_from_a_lid_that_is_lifted_off():
    """Without parting it would be sucked up with the lid."""
    lid = {"name": "lid", "shape": box((-1, 0.5), (2, 0.7)), "motion": {"velocity": (0, 1.0)}}
    fill = {"shape": box((0.0, 0.0), (0.8, 0.5))}
    heights = {}
    for separating_walls in (True, False):
        solver = build_liquid(scene((1.0, 1.2), [lid], fill, 0.05, separating_walls=separating_walls))
        list(steps(solver, 0.25, frames=2))
        heights[separating_walls] = np.percentile(solver.state.particles.position(solver.h)[:, 1], 99)
    assert heights[True] < 0.52
    assert heights[False] > heights[True]


def test_bodies_move_as_one_only_with_the_same_motion():
    ball = plash.Sphere(center=(0.5, 0.5), radius=0.1)
    bodies = [
        plash.Solid(name="a", shape=ball, motion=Motion(velocity=(1, 0))),
        plash.Solid(name="b", shape=ball, motion=Motion(velocity=(0, 1))),
        plash.Solid(name="c", shape=ball, motion=Motion(velocity=(1, 0))),
        plash.Solid(name="d", shape=ball),
    ]
    moving = Prescribed(bodies, 0.1, (1.0, 1.0))
    groups = moving.groups(moving.poses(0.0), 0.0, 0.1)
    assert [[body.name for body in group.bodies] for group in groups] == [["a", "c"], ["b"]]
    assert list(moving.names) == ["a", "b", "c"]
    assert moving.fastest(0.0, 0.2) == 1.0
    assert moving.fastest(5.0, 6.0) == 0.0  # all have left the domain
    apart = {**moving.poses(0.0), "c": moving.poses(0.3)["c"]}
    assert len(moving.groups(apart, 0.0, 0.1)) == 3
    group = RigidGroup(bodies[:1], 0.1, 2, 0.0, 0.1, bodies[0].motion.pose(0.0), bodies[0].motion)
    assert group.move(0.0, 0.1).shift == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize("solids", BOTH)
def test_same_bits_for_any_number_of_threads(dimension, threads, solids):
    turn = {"axis": (0.2, 1, 0)} if dimension == 3 else {}
    low, high = (0.3, 0.15, 0.2)[:dimension], (0.6, 0.35, 0.3)[:dimension]
    motion = {"spin": 4.0, "center": (0.45, 0.3, 0.25)[:dimension], **turn}
    stirrer = {"name": "stirrer", "shape": box(low, high), "friction": 0.5, "motion": motion}
    fill = {"shape": box((0,) * dimension, (0.9, 0.4, 0.5)[:dimension])}
    results = []
    for n in (1, 2):
        threads(n)
        solver = build_liquid(scene((0.9, 0.6, 0.5)[:dimension], [stirrer], fill, 0.05, solids=solids))
        list(steps(solver, 0.06))
        particles = solver.state.particles
        results.append((particles.cell.tobytes(), particles.offset.tobytes(), particles.velocity.tobytes()))
    assert results[0] == results[1]
