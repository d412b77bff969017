"""Forces by place and time on stable fluids: the same numbers as on tiles, on the liquid alone."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.physics.box.force_fields import BoxForceField
from plash.physics.force_fields import acceleration
from plash.solvers.build.box import build_box

H = 0.05


def field(force, density, shape=(8, 12)):
    velocity = np.zeros((len(shape), *shape))
    BoxForceField(force, H, np.ones(shape)).add(velocity, density, 0.0, 0.1)
    return velocity


@pytest.mark.parametrize("shape", [(8, 12), (6, 8, 12)])
@pytest.mark.parametrize("kind", ["attractor", "vortex", "constant", "function"])
def test_faces_between_full_cells_get_the_whole_acceleration(shape, kind):
    d = len(shape)
    turning = (1.0, 2.0, -1.0) if d == 3 else None
    forces: dict[str, Any] = {
        "attractor": plash.Attractor(point=(0.2, 0.1, 0.3)[:d], strength=3, radius=0.1),
        "vortex": plash.Vortex(point=(0.2, 0.1, 0.3)[:d], strength=2, radius=0.15, axis=turning),
        "constant": plash.ConstantForce(acceleration=(1, -2, 0.5)[:d]),
        "function": plash.FunctionForce(function=lambda x, t: np.sin(3 * x)),
    }
    force = forces[kind]
    velocity = field(force, np.ones(shape), shape)
    for axis in range(d):
        place = (3,) * d
        point = (np.array(place) + 0.5) * H
        point[axis] -= H / 2
        wanted = 0.1 * acceleration(force, point[None], 0.0)[0, axis]
        assert velocity[(axis, *place)] == pytest.approx(wanted)
        walls = np.moveaxis(velocity[axis], d - 1 - axis, 0)[0]
        assert (walls == 0).all()


def test_it_acts_on_liquid_alone_in_proportion_to_its_density():
    density = np.zeros((8, 12))
    density[:, 6:] = 0.5
    u = field(plash.ConstantForce(acceleration=(2.0, 0.0)), density)[0]
    assert (u[:, :6] == 0).all()
    np.testing.assert_allclose(u[:, 6], 0.1 * 2 * 0.25)
    np.testing.assert_allclose(u[:, 7:], 0.1 * 2 * 0.5)


def test_an_attractor_gathers_liquid_that_has_no_weight():
    """And a force on all of a box, which is a gradient, would have moved nothing."""
    scene = plash.Scene(
        domain={"size": (1.2, 1.0), "resolution": 36, "gravity": (0, 0)},
        solver=plash.Solver(kind="stable_fluids"),
        fill=[{"shape": plash.Box(min=(0, 0), max=(0.4, 0.5))}],
        force=[plash.Attractor(point=(0.8, 0.5), strength=4, radius=0.3, falloff=1)],
    )
    solver = build_box(scene)
    x = (np.arange(36) + 0.5) * solver.h

    def centre():
        return float((solver.state.density * x).sum() / solver.state.density.sum())

    before = centre()
    while solver.state.time < 0.8:
        solver.advance(0.8)
    assert centre() - before > 2 * solver.h


def test_a_vortex_turns_liquid_the_right_way():
    scene = plash.Scene(
        domain={"size": (1.2, 1.0), "resolution": 36, "gravity": (0, 0)},
        solver=plash.Solver(kind="stable_fluids"),
        fill=[{"shape": plash.Box(min=(0, 0), max=(1.2, 1.0))}],
        force=[plash.Vortex(point=(0.6, 0.5), strength=4, radius=0.2, stop=0.1)],
    )
    solver = build_box(scene)
    solver.advance(0.1)
    u = solver.snapshot().velocity_at(np.array([[0.8, 0.5], [0.6, 0.7], [0.4, 0.5]]))
    assert u[0, 1] > 0.1
    assert u[1, 0] < -0.1
    assert u[2, 1] < -0.1


def test_a_function_is_asked_at_every_time_and_named_when_it_fails():
    asked = []

    def wind(points, time):
        asked.append(time)
        return np.zeros_like(points) if time < 0.05 else np.full(points.shape, np.nan)

    scene = plash.Scene(
        domain={"size": (1.2, 1.0), "resolution": 12},
        solver=plash.Solver(kind="stable_fluids", max_dt=0.02),
        fill=[{"shape": plash.Box(min=(0, 0), max=(0.4, 1.0))}],
        force=[plash.FunctionForce(function=wind)],
    )
    solver = build_box(scene)
    while solver.state.time < 0.05:
        solver.advance(1.0)
    with pytest.raises(plash.SceneError, match="the function wind gave"):
        solver.advance(1.0)
    assert max(asked) >= 0.05


def test_forces_limit_the_step_as_weight_does():
    def first(strength):
        scene = plash.Scene(
            domain={"size": (1.2, 1.0), "resolution": 24, "gravity": (0, 0)},
            solver=plash.Solver(kind="stable_fluids"),
            fill=[{"shape": plash.Box(min=(0, 0), max=(0.4, 1.0))}],
            force=[plash.Attractor(point=(0.8, 0.5), strength=strength, radius=0.3)],
        )
        return build_box(scene).next_step(1.0)

    assert first(400.0) == pytest.approx(first(4.0) / 10, rel=0.2)


LATE = {
    "spout": {
        "source": [
            {"kind": "spout", "shape": plash.Rectangle(center=(0.6, 0.9), normal=(0, -1), size=(0.2,)), "speed": 2}
        ]
    },
    "pump": {"pump": [{"shape": plash.Sphere(center=(0.2, 0.5), radius=0.15), "velocity": (2.0, 0.0)}]},
    "drain": {"sink": [{"shape": plash.Box(min=(0.1, 0.0), max=(0.3, 0.2)), "flow_rate": 0.4}]},
}


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize("courant", [0.5, 1, 4, 20])
def test_no_step_jumps_over_what_comes_later(name, courant):
    """Without weight, the end far away: what begins at 0.3 s is seen before."""
    parts: Any = {key: [{**body, "start": 0.3} for body in bodies] for key, bodies in LATE[name].items()}
    scene = plash.Scene(
        domain={"size": (1.2, 1.0), "resolution": 24, "gravity": (0, 0)},
        solver=plash.Solver(kind="stable_fluids", courant=courant),
        fill=[{"shape": plash.Box(min=(0, 0), max=(0.4, 1.0))}],
        **parts,
    )
    solver = build_box(scene)
    for _ in range(6):
        assert solver.advance(1e6).courant < 3 * courant
    assert solver.state.time < 100


@pytest.mark.parametrize("courant", [0.5, 1, 4, 20])
def test_liquid_at_rest_falls_by_few_cells_in_the_first_step(courant):
    scene = plash.Scene(
        domain={"size": (1.2, 1.0), "resolution": 24},
        solver=plash.Solver(kind="stable_fluids", courant=courant),
        fill=[{"shape": plash.Box(min=(0, 0), max=(0.4, 1.0))}],
    )
    assert build_box(scene).advance(1e6).courant < 1.5 * courant
