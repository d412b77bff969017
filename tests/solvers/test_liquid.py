"""The liquid solver: identities Z1, Z2 and Z18, determinism, and what Cline's step promises."""

import math
from typing import Any, cast

import numpy as np
import pytest

import plash
from plash.grid.differences import divergence
from plash.physics.straight_paths import straight_path_divergence
from plash.solvers.build.liquid import build_liquid

TRANSFERS = ["semi_lagrangian", "pic", "flip", "apic"]
H = 0.05
G = 9.3
SIZES = {2: (1.2, 1.6), 3: (1.2, 1.6, 0.8)}


def scene(dimension, fill, sides="closed", solid=(), **solver):
    return plash.Scene(
        domain={
            "size": SIZES[dimension],
            "cell_size": H,
            "gravity": (0.0, -G, 0.0)[:dimension],
            "sides": sides,
        },
        solver=plash.Solver(**solver),
        liquid={"density": 730.0, "kinematic_viscosity": 0.0},
        fill=[plash.Fill(shape=shape, **extra) for shape, extra in fill],
        solid=list(solid),
    )


def box(low, high, dimension):
    return plash.Box(min=low[:dimension], max=high[:dimension])


def block(dimension, velocity=(0.0, 0.0, 0.0)):
    shape = box((0.3, 0.7, 0.2), (0.75, 1.2, 0.6), dimension)
    return [(shape, {"velocity": velocity[:dimension]})]


def dam(dimension):
    return [(box((0.0, 0.0, 0.0), (0.5, 0.8, 0.8), dimension), {})]


def advance(solver, steps, dt=None):
    for _ in range(steps):
        dt_now = dt or solver.next_step(solver.state.time + 1.0)
        for _ in solver.stages(dt_now):
            pass
    return solver


def order_free(values):
    return values[np.lexsort(values.T)]


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_a_block_in_free_fall_keeps_its_shape_and_falls_with_g(dimension, transfer):
    """Every face velocity is g (n - 1/2) dt after n steps; particles follow y0 - g t²/2."""
    # On a lattice density projection finds nothing to mend
    falling = scene(dimension, block(dimension, (0.4, 1.0, -0.2)), "unbounded", transfer=transfer, jitter=0.0)
    solver = build_liquid(falling)
    before = solver.state.particles.position(H)
    n, dt = 12, 0.007
    advance(solver, n, dt)
    state = solver.state
    assert np.abs(state.pressure.pool).max() < 1e-3 * 730 * G * H
    wet = (state.cells.faces & 1) > 0
    expected = np.array([0.4, 1.0 - G * (n - 0.5) * dt, -0.2])
    for axis in range(dimension):
        assert np.abs(state.velocity.pool[axis][wet[axis]] - expected[axis]).max() < 2e-5
    fallen = np.array([0.4 * n * dt, n * dt - G * (n * dt) ** 2 / 2, -0.2 * n * dt])[:dimension]
    after = state.particles.position(H)
    assert np.abs(after.mean(axis=0) - (before + fallen).mean(axis=0)).max() < 1e-6
    assert np.abs(np.sort(after, axis=0) - np.sort(before + fallen, axis=0)).max() < 1e-4
    assert solver.report.unknown_reads == 0


@pytest.mark.slow
@pytest.mark.parametrize("transfer", TRANSFERS)
def test_a_still_pool_stays_still(dimension, transfer):
    """Z2 with air pressure at cell centres, for a hundred steps, with an obstacle standing in it."""
    pool: Any = [(box((0.0, 0.0, 0.0), (1.2, 0.6, 0.8), dimension), {})]
    solid = [{"name": "step", "shape": box((0.4, 0.0, 0.2), (0.7, 0.3, 0.5), dimension)}]
    staircase = scene(dimension, pool, solid=solid, transfer=transfer, tolerance=1e-6, free_surface="staircase")
    solver = build_liquid(staircase)
    before = order_free(solver.state.particles.position(H))
    dt = 0.01
    advance(solver, 100, dt)
    assert solver.speed < 1e-3 * G * dt
    assert np.abs(order_free(solver.state.particles.position(H)) - before).max() < 1e-3 * H
    depth = 12
    pressure = solver.state.pressure.pool[solver.state.cells.label == 1]
    assert pressure.max() == pytest.approx(730 * G * H * depth, rel=1e-4)
    assert pressure.min() == pytest.approx(730 * G * H, rel=1e-4)


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_a_mirrored_scene_gives_the_mirrored_result(dimension, transfer):
    """Two equal columns falling towards each other, before they meet."""
    columns: Any = [
        (box((0.0, 0.0, 0.0), (0.3, 0.7, 0.8), dimension), {}),
        (box((0.9, 0.0, 0.0), (1.2, 0.7, 0.8), dimension), {}),
    ]
    solver = build_liquid(scene(dimension, columns, transfer=transfer, jitter=0.0, tolerance=1e-7))
    advance(solver, 12, 0.006)
    x = solver.state.particles.position(H)
    mirrored = x.copy()
    mirrored[:, 0] = 1.2 - mirrored[:, 0]
    assert solver.speed > 0.3
    # Matched by nearest neighbour: rounding may order ties differently
    rounded = np.sort(np.round(x[:, 0] + 7 * x[:, 1], 4))
    assert np.abs(rounded - np.sort(np.round(mirrored[:, 0] + 7 * mirrored[:, 1], 4))).max() < 2e-4


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_particles_carry_all_the_volume_and_none_is_lost_or_made(dimension, transfer):
    solver = build_liquid(scene(dimension, dam(dimension), transfer=transfer))
    count, volume = solver.state.particles.count, solver.state.particles.total_volume()
    advance(solver, 60)
    assert solver.state.particles.count == count
    assert solver.state.particles.total_volume() == pytest.approx(volume, rel=1e-12)
    x = solver.state.particles.position(H)
    assert (x > 0).all()
    assert (x < np.array(SIZES[dimension])).all()


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("courant", [1.0, 5.0])
def test_no_unknown_value_is_ever_read(dimension, transfer, courant):
    solver = build_liquid(scene(dimension, dam(dimension), transfer=transfer, courant=courant))
    for frame in range(1, 13):
        while solver.state.time < frame / 24:
            report = solver.advance(frame / 24)
            assert report.unknown_reads == 0
    assert solver.speed > 1.0


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_divergence_is_that_of_straight_paths_after_every_step(dimension, transfer):
    solver = build_liquid(scene(dimension, dam(dimension), transfer=transfer, tolerance=1e-6))
    for _ in range(10):
        dt = solver.next_step(1.0)
        for stage in solver.stages(dt):
            if stage.name == "advect":
                wanted = straight_path_divergence(stage.velocity.copy(), solver.state.cells, dt, H)
            if stage.name == "extrapolate":
                left = divergence(solver.state.velocity, solver.state.cells) - wanted
        assert np.abs(left).max() < 1e-5 * max(solver.speed, G * dt)
    assert np.abs(wanted).max() > 1e-3 * solver.speed


@pytest.mark.slow
def test_one_and_two_threads_give_the_same_bits(dimension, threads):
    for transfer in TRANSFERS:
        results = []
        for n in (1, 2):
            threads(n)
            solver = advance(build_liquid(scene(dimension, dam(dimension), transfer=transfer)), 12)
            particles = solver.state.particles
            results.append((particles.cell.tobytes(), particles.offset.tobytes(), particles.velocity.tobytes()))
        assert results[0] == results[1], transfer


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_ten_thousand_tiles_away_everything_is_the_same_but_the_coordinates(dimension, transfer):
    results = []
    size = 16 if dimension == 2 else 8
    for shift in (0, 10_000, -10_000):
        start = scene(dimension, block(dimension, (2.0, -3.0, 1.0)), "unbounded", transfer=transfer)
        solver = build_liquid(start)
        particles = solver.state.particles
        # A shear, so that pressure and advection have something to do
        particles.velocity[0] += (4.0 * (particles.position(H)[:, 1] - 0.9)).astype(np.float32)
        particles.cell += np.int32(shift * size)
        advance(solver, 10, 0.01)
        particles = solver.state.particles
        moved = particles.cell - np.int32(shift * size)
        results.append((particles.offset.tobytes(), particles.velocity.tobytes(), moved.tobytes()))
    assert results[0] == results[1] == results[2]


def test_the_same_liquid_in_a_larger_domain_is_the_same_to_the_bit(dimension):
    """Tiles follow the liquid: how much empty space there is beyond makes no difference."""
    results = []
    for factor in (1, 10):
        larger = scene(dimension, dam(dimension), sides={"x_max": "unbounded", "y_max": "unbounded"})
        size = [s * (factor if a < 2 else 1) for a, s in enumerate(SIZES[dimension])]
        larger = larger.model_copy(update={"domain": larger.domain.model_copy(update={"size": tuple(size)})})
        solver = advance(build_liquid(larger), 8)
        results.append((solver.state.particles.offset.tobytes(), solver.state.tiles.count))
    assert results[0] == results[1]


def test_steps_may_cross_frames(dimension):
    """Cline 4a: with few frames between steps, particles stop at each frame and the velocity is used up first."""
    crossing = build_liquid(scene(dimension, dam(dimension), steps_cross_frames=True, courant=1.0))
    reports = []
    for frame in range(1, 30):
        while crossing.state.time < frame / 240:
            reports.append(crossing.advance(frame / 240))
        assert crossing.state.time == frame / 240
        assert crossing.state.unspent >= 0
    full_steps = [r for r in reports if r.iterations or r.residual]
    assert crossing.state.steps < 29
    assert len(full_steps) <= crossing.state.steps


def test_crossing_frames_ends_where_even_steps_end(dimension):
    ends = []
    for crossing in (False, True):
        start = scene(dimension, block(dimension), "unbounded", steps_cross_frames=crossing, max_dt=1 / 96)
        solver = build_liquid(start)
        while solver.state.time < 4 / 24:
            solver.advance(min(4 / 24, (math.floor(solver.state.time * 24 + 1e-9) + 1) / 24))
        ends.append(solver.state.particles.position(H)[:, 1].mean())
    assert abs(ends[0] - ends[1]) < G / 96**2 / 8 + 1e-6  # the last of the steps that cross may end beyond


def test_stages_come_in_the_order_of_the_paper(dimension):
    solver = build_liquid(scene(dimension, dam(dimension)))
    names = ["grid", "advect", "forces", "project", "extrapolate", "move"]
    assert [stage.name for stage in solver.stages(0.005)] == names


def test_liquid_leaves_through_open_sides_and_is_counted(dimension):
    start = scene(dimension, dam(dimension), sides={"x_max": "open"})
    solver = build_liquid(start)
    initial = solver.ledger.initial
    for frame in range(1, 25):
        while solver.state.time < frame / 24:
            solver.advance(frame / 24)
    ledger = solver.ledger
    assert ledger.outflow > 0.05 * initial
    assert ledger.removed == {"left through x_max": ledger.outflow}
    assert ledger.particle_volume == pytest.approx(ledger.target_volume, rel=1e-6)
    assert solver.state.particles.position(H)[:, 0].max() <= SIZES[dimension][0]


def test_what_falls_beyond_reach_is_removed_and_counted(dimension):
    solver = build_liquid(scene(dimension, block(dimension), "unbounded"))
    particles = solver.state.particles
    far = (1 << 19) * (16 if dimension == 2 else 8) + 100
    particles.cell[1, ::2] -= np.int32(far)
    solver.advance(1 / 24)
    reason, volume = next(iter(solver.ledger.removed.items()))
    assert reason.startswith("beyond")
    assert volume == pytest.approx(0.5 * solver.ledger.initial, rel=0.01)
    assert solver.ledger.particle_volume == pytest.approx(solver.ledger.target_volume, rel=1e-6)


def test_particles_stay_out_of_solids(dimension):
    ball = {"kind": "sphere", "center": (0.75, 0.3, 0.4)[:dimension], "radius": 0.17}
    solver = build_liquid(scene(dimension, dam(dimension), solid=[{"name": "ball", "shape": ball}], courant=2.0))
    for frame in range(1, 17):
        while solver.state.time < frame / 24:
            solver.advance(frame / 24)
        solid = solver.solids.at(solver.state.tiles)
        left, stuck = solid.collide(solver.state.particles)
        assert left is None
        assert stuck == 0
    inside = np.linalg.norm(solver.state.particles.position(H) - np.array((0.75, 0.3, 0.4))[:dimension], axis=1) < 0.17
    # A cell is solid if its centre is: a particle may be in the cut part of an open cell, not deeper
    depth = 0.17 - np.linalg.norm(
        solver.state.particles.position(H)[inside] - np.array((0.75, 0.3, 0.4))[:dimension], axis=1
    )
    assert inside.sum() == 0 or depth.max() < H * math.sqrt(dimension) / 2
    assert solver.ledger.leaks == {"ball": 0}


def test_a_viscous_liquid_loses_energy_faster(dimension):
    energies = []
    for nu in (0.0, 0.1):
        start = scene(dimension, dam(dimension))
        thick = start.model_copy(update={"liquid": plash.Liquid(density=730.0, kinematic_viscosity=nu)})
        solver = build_liquid(thick)
        while solver.state.time < 0.25:
            solver.advance(0.25)
        energies.append(float((solver.state.particles.velocity.astype(np.float64) ** 2).sum()))
    assert energies[1] < 0.95 * energies[0]


def test_a_velocity_that_is_no_longer_finite_is_an_error_that_says_so(dimension):
    solver = build_liquid(scene(dimension, dam(dimension)))
    advance(solver, 2)
    solver.state.particles.velocity[0] = np.inf
    with pytest.raises(plash.DivergedError):
        solver.advance(1.0)


def test_all_liquid_may_leave_and_the_run_goes_on(dimension):
    solver = build_liquid(scene(dimension, block(dimension, (9.0, 0.0, 0.0)), "open"))
    for frame in range(1, 6):
        while solver.state.time < frame / 24:
            solver.advance(frame / 24)
    assert solver.state.particles.count == 0
    assert solver.ledger.outflow == pytest.approx(solver.ledger.initial, rel=1e-6)
    assert solver.ledger.volume == 0


class Unsteady:
    """A pressure solver that fails for steps longer than it likes."""

    def __init__(self, solver, longest):
        self.solver, self.longest, self.tried = solver, longest, []

    def project(self, velocity, cells, dt, inflow, wanted, known):
        self.tried.append(dt)
        projection = self.solver.project(velocity, cells, dt, inflow, wanted, known)
        if dt > self.longest:
            velocity.pool *= np.float32(1e30)
            raise plash.DivergedError("the velocity along x grew")
        return projection


@pytest.mark.parametrize("transfer", ["flip", "apic", "semi_lagrangian"])
def test_a_step_that_diverges_is_taken_again_with_half_its_length(dimension, transfer):
    def start():
        name = {2: "dam_break_2d", 3: "dam_break"}[dimension]
        solver = build_liquid(plash.load_scene(name, resolution=16, **{"solver.transfer": transfer}))
        solver.advance(1.0)
        return solver

    troubled, smooth = start(), start()
    dt, lag = troubled.next_step(1.0), troubled.state.lag
    assert lag > 0
    troubled.pressure = Unsteady(troubled.pressure, lag + dt / 6)
    report = troubled.advance(1.0)
    assert report.retries == 2
    # Pressure acts from the middle of the step before to that of this one
    assert troubled.pressure.tried == pytest.approx([lag + dt / 2, lag + dt / 4, lag + dt / 8])
    for _ in smooth.stages(dt / 4):
        pass
    assert troubled.state.time == smooth.state.time
    assert np.array_equal(troubled.state.particles.position(1.0), smooth.state.particles.position(1.0))
    assert np.array_equal(troubled.state.particles.velocity, smooth.state.particles.velocity)


def test_a_step_that_cannot_be_saved_ends_the_run_and_harms_nothing():
    solver = build_liquid(plash.load_scene("dam_break_2d", resolution=16))
    solver.advance(1.0)
    before = solver.state.particles.position(1.0)
    steady, unsteady = solver.pressure, Unsteady(solver.pressure, 0.0)
    solver.pressure = cast(Any, unsteady)
    with pytest.raises(
        plash.DivergedError, match=r"step 2 at t = .* and so did 4 shorter ones.* grew.*courant"
    ) as error:
        solver.advance(1.0)
    assert error.value.exit_code == 4
    assert len(unsteady.tried) == 5
    assert np.array_equal(np.sort(before, axis=0), np.sort(solver.state.particles.position(1.0), axis=0))
    solver.pressure = steady
    solver.advance(1.0)


@pytest.mark.parametrize("corrects", [True, False])
def test_a_step_tells_how_its_solves_went(corrects):
    solver = build_liquid(scene(2, dam(2), density_projection=corrects, courant=1.0))
    reports = [solver.advance(0.1) for _ in range(3)]
    for report in reports:
        assert report.iterations > 0
        assert 0 < report.residual <= 1e-5
        assert (report.density_iterations > 0) == corrects
        assert (0 < report.density_residual <= 0.1) == corrects
    pressure, density = solver.solves[0], solver.solves[-1]
    assert pressure.residuals[0] == 1.0
    assert len(density.residuals) == (density.iterations + 1 if corrects else 0)
