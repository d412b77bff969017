"""A liquid that is meddled with: every drop is accounted for, nothing is in a wall, and the physics goes on."""

import numpy as np
import pytest

import plash
from plash.physics.solids.distance import Bodies
from plash.studio.controls import controls, values_of, with_value
from plash.studio.drawing import drawn
from plash.studio.fields import UNKNOWN
from plash.studio.kinds import live
from plash.studio.live import must_restart, solid_distance
from plash.studio.live_liquid import LiveLiquid

TEXT = """version = 1
[domain]
size = [0.9, 0.6]
resolution = 36
gravity = [0, -3.5]
[liquid]
density = 730
[solver]
courant = 2
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.3, 0.4] }
"""


def tank(text: str = TEXT) -> LiveLiquid:
    made = live(plash.parse_scene(text))
    assert isinstance(made, LiveLiquid)
    return made


def steps(simulation: LiveLiquid, count: int) -> None:
    for _ in range(count):
        simulation.advance(simulation.time + 0.02)


def ledger_gap(simulation: LiveLiquid) -> float:
    """Target - particles - what was removed without leaving: zero when every drop is accounted for."""
    ledger = simulation._solver.ledger
    kept = sum(volume for reason, volume in ledger.removed.items() if reason == "covered by a solid")
    return ledger.target_volume - simulation.facts()["particle_volume"] - kept


def test_a_push_gives_the_brush_its_velocity_and_leaves_the_rest_alone():
    simulation = tank()
    simulation.push(0.15, 0.2, 1.5, -0.5, 0.1)
    particles = simulation._solver.state.particles
    place = particles.position(simulation._solver.h)
    away = np.hypot(place[:, 0] - 0.15, place[:, 1] - 0.2)
    assert np.allclose(particles.velocity[:, away < 0.008], [[1.5], [-0.5]], rtol=0.05)
    assert not particles.velocity[:, away > 0.1].any()


def test_a_push_moves_the_liquid_on_the_grid_too():
    for transfer in ("apic", "flip", "pic", "semi_lagrangian"):
        simulation = tank(TEXT.replace("courant = 2", f'courant = 2\ntransfer = "{transfer}"').replace("-3.5", "0"))
        steps(simulation, 1)
        before = simulation.facts()["center"][0]
        simulation.push(0.15, 0.2, 1.0, 0.0, 0.15)
        steps(simulation, 5)
        assert simulation.facts()["center"][0] > before + 1e-3, transfer


def test_what_is_poured_is_what_the_ledger_counts_and_never_twice():
    simulation = tank()
    before = simulation.facts()["target_volume"]
    simulation.pour(0.6, 0.3, 0.1)
    once = simulation.facts()["target_volume"] - before
    assert once == pytest.approx(np.pi * 0.1**2, rel=0.02)
    simulation.pour(0.6, 0.3, 0.1)
    assert simulation.facts()["target_volume"] - before == pytest.approx(once, rel=0.06)
    simulation.pour(0.15, 0.2, 0.08)
    assert simulation.facts()["target_volume"] - before == pytest.approx(once, rel=0.08)
    steps(simulation, 6)
    assert abs(ledger_gap(simulation)) < 1e-8


def test_what_is_drained_has_left():
    simulation = tank()
    simulation.drain(0.15, 0.2, 0.05)
    facts = simulation.facts()
    assert facts["outflow"] == pytest.approx(np.pi * 0.05**2, rel=0.1)
    assert abs(ledger_gap(simulation)) < 1e-8


def test_a_wall_drawn_into_the_liquid_pushes_it_aside_and_keeps_it_out():
    simulation = tank()
    steps(simulation, 3)
    for k in range(4):
        x, y = 0.05 + 0.05 * k, 0.1 + 0.03 * k
        simulation.change(drawn(simulation.scene, "wall 1", (x, y), (x + 0.05, y + 0.03), 0.02))
        steps(simulation, 2)
    bodies = Bodies(simulation.scene.solid, simulation._solver.h, 2)
    assert (bodies.distance(simulation._solver.state.particles.position(1.0)) >= 0).all()
    assert abs(ledger_gap(simulation)) < 1e-8
    assert simulation._solver.ledger.removed.get("covered by a solid", 0.0) < 0.002


def test_a_wall_across_the_tank_holds_the_liquid_back():
    simulation = tank()
    simulation.change(drawn(simulation.scene, "wall 1", (0.4, -0.02), (0.4, 0.62), 0.015))
    steps(simulation, 30)
    assert simulation._solver.state.particles.position(simulation._solver.h)[:, 0].max() < 0.4


def test_parameters_change_under_way_and_no_particle_is_lost():
    simulation = tank()
    steps(simulation, 2)
    count = simulation.facts()["particles"]
    scene = simulation.scene
    for key, value in {
        "domain.gravity": [0.0, 2.0],
        "solver.transfer": "flip",
        "liquid.kinematic_viscosity": 1e-3,
        "solver.free_surface": "staircase",
        "solver.courant": 1.0,
        "liquid.material": "honey",
    }.items():
        scene = with_value(scene, key, value)
        assert not must_restart(simulation.scene, scene)
        simulation.change(scene)
        steps(simulation, 1)
    assert simulation.facts()["particles"] == count
    assert simulation.facts()["kinetic"] > 0
    assert must_restart(scene, with_value(scene, "domain.resolution", 24))


def test_changed_gravity_is_the_force_that_acts():
    simulation = tank(TEXT.replace("-3.5", "0"))
    simulation.change(with_value(simulation.scene, "domain.gravity", [0.7, 0.0]))
    before = simulation.facts()["center"][0]
    simulation.push(0.15, 0.2, 0.0, 0.0, 0.01)
    steps(simulation, 8)
    fallen = simulation.facts()["center"][0] - before
    assert fallen == pytest.approx(0.7 * simulation.time**2 / 2, rel=0.25)


def test_stages_taken_one_by_one_are_the_same_step():
    whole, parts = tank(), tank()
    for simulation in (whole, parts):
        steps(simulation, 2)
    goal = whole.time + 0.004
    whole.advance(goal)
    names = [parts.next_stage(goal) for _ in range(6)]
    assert names == ["grid", "advect", "forces", "project", "extrapolate", "move"]
    first, second = whole._solver.state.particles, parts._solver.state.particles
    assert np.array_equal(first.offset, second.offset)
    assert np.array_equal(first.velocity, second.velocity)


def test_the_projection_removes_the_divergence_that_is_shown():
    simulation = tank()
    steps(simulation, 3)
    simulation.watch("divergence_before")
    steps(simulation, 1)
    sizes = []
    for view in ("divergence_before", "divergence"):
        arrays, units = simulation.arrays(view, arrows=False)
        known = arrays["value"][arrays["value"] != UNKNOWN]
        sizes.append(float(np.sqrt((known.astype(np.float64) ** 2).mean())) * units["value"])
    assert sizes[1] < 1e-2 * sizes[0]


def test_every_view_has_the_size_of_the_domain():
    simulation = tank()
    steps(simulation, 2)
    for view in simulation.views:
        arrays, units = simulation.arrays(view, arrows=True)
        assert arrays["phi"].shape == (24, 36)
        assert arrays["velocity"].shape == (2, 25, 37)
        assert set(units) <= {"value", "velocity", "shade"}
    points, _ = simulation.arrays("particles", arrows=False)
    assert len(points["points"]) == simulation.facts()["particles"]
    assert (simulation.arrays("surface", arrows=False)[0]["phi"] < 0).mean() == pytest.approx(0.12 / 0.54, rel=0.05)
    assert solid_distance(simulation.scene, 0.0).shape == (49, 73)


def test_residuals_fall_from_one_to_the_tolerance():
    simulation = tank()
    steps(simulation, 3)
    pressure = simulation.facts()["residuals"][0]
    assert pressure[0] == 1.0
    assert pressure[-1] < 2e-5


def test_sliders_are_what_the_scene_says_about_itself():
    offered = {control["key"]: control for control in controls()}
    courant = offered["solver.courant"]
    assert courant["type"] == "number"
    assert courant["sentence"].startswith("Cells that liquid may cross in one step")
    assert offered["domain.gravity"]["unit"] == "m/s^2"
    assert offered["solver.transfer"]["words"] == ["semi_lagrangian", "pic", "flip", "apic"]
    assert set(values_of(plash.load_scene("dam_break_2d"))) <= set(offered)
    with pytest.raises(plash.SceneError, match=r"solver\.flip_ratio"):
        with_value(plash.load_scene("dam_break_2d"), "solver.flip_ratio", 1.5)
    with pytest.raises(plash.SceneError, match="cannot be changed"):
        with_value(plash.load_scene("dam_break_2d"), "output.movies", 1)


@pytest.mark.parametrize("solver", [{}, {"surface": "levelset"}, {"kind": "stable_fluids"}])
def test_a_container_is_filled_as_in_a_run_and_stays_so_when_a_parameter_changes(solver):
    box, room = plash.Box(min=(0.2, 0.1), max=(0.8, 0.6)), plash.Box(min=(0.3, 0.2), max=(0.7, 0.7))
    cup = plash.Solid(name="cup", shape=plash.Difference(of=(box, room)))
    domain = plash.Domain(size=[1, 1], resolution=40)
    fill = plash.Fill(inside="cup", level=0.3)
    scene = plash.Scene(domain=domain, solver=solver, solid=[cup], fill=[fill])
    simulation = live(scene)
    assert simulation.facts()["target_volume"] == pytest.approx(0.4 * 0.3, rel=0.1)
    simulation.change(scene.model_copy(update={"domain.gravity": [0, -5]}))
    assert simulation.scene.fill == scene.fill
