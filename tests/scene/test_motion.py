"""How bodies move: poses, exact rates, what is refused."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.levelset.shapes import distance
from plash.scene import Motion, Oscillation

POINT = (0.3, 0.7, 0.2)
EVERYTHING: Any = {
    "velocity": (0.5, 0.1, "20 cm/s"),
    "spin": "90 deg/s",
    "axis": (1, 2, 0.5),
    "center": (1, 1, 0.3),
    "oscillation": {"amplitude": (0, 0.1, 0), "angle": "30 deg", "period": "0.7 s", "phase": 0.3},
    "keys": [
        {"time": 0},
        {"time": 1, "offset": (0.2, 0, 1), "angle": 1.0},
        {"time": 2.5, "offset": (0.1, 0.2, 0)},
    ],
    "path": {"points": [(0, 0, 0), (1, 0.2, 0), (1, 0.3, 1), (0, 0.4, 1)], "speed": 0.7},
}


def place(motion, time, point=POINT):
    matrix, shift = motion.pose(time)
    return np.array(matrix) @ np.array(point) + np.array(shift)


def moved_by(**motion):
    return Motion(**motion).pose(1.0).shift


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"between": "linear"},
        {"start": 0.25, "stop": 3.1},
        {"path": {**EVERYTHING["path"], "loop": True, "oriented": True}},
        {"path": {"points": [(0, 0, 0), (1, 0, 0), (0, 0, 1)], "times": [0.1, 0.9, 4.0], "oriented": True}},
    ],
)
def test_the_rate_is_the_derivative_of_the_pose(changes):
    motion, step = Motion(**EVERYTHING | changes), 1e-6
    for time in np.linspace(0.007, 3.9, 41):
        difference = (place(motion, time + step) - place(motion, time - step)) / (2 * step)
        assert motion.rate(time).at(tuple(place(motion, time))) == pytest.approx(difference, abs=1e-6)


def test_poses_are_rigid():
    motion = Motion(**EVERYTHING)
    for time in (0.0, 0.4, 1.7, 9.0):
        matrix = np.array(motion.pose(time).matrix)
        assert np.abs(matrix @ matrix.T - np.eye(3)).max() < 1e-14
        assert np.linalg.det(matrix) == pytest.approx(1.0)


def test_a_velocity_carries_from_start_to_stop():
    motion = Motion(velocity=(2, -1), start=0.5, stop=2.0)
    assert motion.pose(0.3).shift == (0, 0, 0)
    assert motion.pose(1.0).shift == (1, -0.5, 0)
    assert motion.pose(7.0).shift == motion.pose(2.0).shift == (3, -1.5, 0)
    assert motion.rate(0.3).velocity == motion.rate(2.0).velocity == (0, 0, 0)


def test_a_spin_turns_counter_clockwise_about_its_centre():
    motion = Motion(spin="90 deg/s", center=(1, 1))
    assert place(motion, 1.0, (2, 1, 0)) == pytest.approx((1, 2, 0))
    assert place(motion, 5.0, (1, 1, 0)) == pytest.approx((1, 1, 0))


def test_a_swing_goes_to_both_sides_and_starts_where_its_phase_says():
    swing: Any = {"amplitude": (0.4, 0.0), "period": 4.0}
    assert moved_by(oscillation=swing)[0] == pytest.approx(0.4)
    assert Motion(oscillation=swing).pose(3.0).shift[0] == pytest.approx(-0.4)
    late = Motion(oscillation=Oscillation(**swing, phase="-90 deg"))
    assert late.pose(0.0).shift[0] == pytest.approx(-0.4)
    assert late.rate(0.0).velocity[0] == pytest.approx(0.0, abs=1e-15)
    assert moved_by(oscillation={"amplitude": (0.4, 0.0), "frequency": "0.25 Hz"}) == moved_by(oscillation=swing)


def test_smooth_keys_start_and_end_at_rest_and_overshoot_nothing():
    keys: Any = [{"time": t, "offset": (x, 0.0)} for t, x in ((0.0, 0.0), (0.5, 1.0), (1.5, 1.0), (2.0, 0.4))]
    motion = Motion(keys=keys)
    shifts = np.array([motion.pose(t).shift[0] for t in np.linspace(0, 2, 201)])
    assert shifts.min() == 0.0
    assert shifts.max() == 1.0
    assert (shifts[50:151] == 1.0).all()
    for time in (0.0, 0.5, 1.0, 1.5, 1.9999999999):
        assert motion.rate(time).velocity[0] == pytest.approx(0.0, abs=1e-8)
    straight = Motion(keys=keys, between="linear")
    assert straight.pose(0.25).shift[0] == 0.5
    assert straight.rate(0.25).velocity[0] == 2.0


def test_a_path_is_run_at_its_speed_and_round_again():
    corner: Any = {"points": [(1, 1), (2, 1), (2, 3)], "speed": 0.5}
    motion = Motion(path=corner, between="linear")
    assert motion.pose(1.0).shift == (0.5, 0.0, 0.0)
    assert motion.pose(4.0).shift == (1.0, 1.0, 0.0)
    assert motion.pose(99.0).shift == (1.0, 2.0, 0.0)
    loop = Motion(path={"points": [(0, 0), (1, 0), (1, 1), (0, 1)], "times": [0, 1, 2, 3, 4], "loop": True})
    for time in (0.3, 1.1, 3.7):
        assert loop.pose(time + 8.0).shift == pytest.approx(loop.pose(time).shift)
        assert loop.rate(time + 4.0).velocity == pytest.approx(loop.rate(time).velocity)


def test_an_oriented_body_faces_along_its_way():
    circle = [(math.cos(a), 0.0, -math.sin(a)) for a in np.linspace(0, 2 * np.pi, 25)[:-1]]
    motion = Motion(path={"points": circle, "speed": 1.0, "loop": True, "oriented": True})
    first = np.array(motion.rate(0.0).at(circle[0]))
    for time in (0.7, 2.2, 5.0):
        along = np.array(motion.rate(time).at(tuple(place(motion, time, circle[0]))))
        turned = np.array(motion.pose(time).matrix) @ first
        assert turned @ along / np.linalg.norm(turned) / np.linalg.norm(along) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("time", [0.0, 0.8, 2.3])
def test_a_body_is_its_shape_at_the_inverse_pose(time):
    shape = plash.Box(
        min=(0, 0, 0), max=(1, 0.2, 0.4), rotation={"angle": 0.4, "axis": (0, 1, 1)}, translation=(0.1, 0.2, 0.3)
    )
    motion = Motion(**EVERYTHING)
    points = np.random.default_rng(1).uniform(-2, 3, (60, 3))
    matrix, shift = motion.pose(time)
    before = (points - np.array(shift)) @ np.array(matrix)
    placed = plash.Solid(shape=shape, motion=motion).at(time, 3)
    assert distance(placed.shape, points) == pytest.approx(distance(shape, before), abs=1e-12)
    assert placed.motion is None


def test_half_a_turn_is_one():
    body = plash.Solid(
        shape=plash.Sphere(center=(2, 0, 0), radius=0.5),
        motion=Motion(spin=math.pi, axis=(0, 0, 1), center=(0, 0, 0)),
    )
    assert body.at(1.0, 3).shape.bounds(3)[0] == pytest.approx((-2.5, -0.5, -0.5), abs=1e-6)


def test_a_motion_of_nothing_is_still():
    assert Motion().is_still
    assert Motion(velocity=(0, 0), spin=0, keys=[{"time": 0}, {"time": 1}]).is_still
    assert not Motion(spin=0.1, center=(0, 0)).is_still
    body = plash.Solid(shape=plash.Sphere(center=(1, 2), radius=0.5), motion=Motion())
    assert body.at(3.0, 2).shape is body.shape


@pytest.mark.parametrize(
    ("motion", "key", "words"),
    [
        ({"spin": 1}, "center", "is missing"),
        ({"spin": "1 Hz", "center": (0, 0)}, "spin", "a frequency, not an angular velocity"),
        ({"spin": 1, "center": (0, 0), "axis": (0, 1)}, "axis", "2-D scene turns in its own plane"),
        ({"velocity": (1, 0, 0)}, "velocity", "needs 2"),
        ({"oscillation": {"amplitude": (1, 0)}}, "oscillation.frequency", "is missing"),
        ({"oscillation": {"frequency": 1}}, "oscillation.amplitude", "is missing"),
        ({"keys": [{"time": 1}, {"time": 1}]}, "keys", "number 2 is at 1 s, not after"),
        ({"path": {"points": [(0, 0), (1, 0)]}}, "path.speed", "give either speed or times"),
        ({"path": {"points": [(0, 0), (1, 0)], "times": [0, 1, 2]}}, "path.times", "needs 2"),
        ({"path": {"points": [(0, 0), (1, 0, 0)], "speed": 1}}, "path.points[1]", "needs 2"),
        (
            {"path": {"points": [(0, 0), (1, 0)], "speed": 1, "oriented": True}, "between": "linear"},
            "between",
            "smooth",
        ),
        ({"velocity": (1, 0), "start": 2, "stop": 1}, "stop", "must be after start = 2 s"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_key(motion, key, words):
    with pytest.raises(plash.SceneError) as refused:
        plash.Scene(
            domain={"size": (1, 1), "resolution": 8},
            fill=[{"shape": {"kind": "box", "min": (0, 0), "max": (0.5, 0.5)}}],
            solid=[{"shape": {"kind": "sphere", "center": (0.7, 0.7), "radius": 0.1}, "motion": motion}],
        )
    (problem,) = refused.value.problems
    assert problem.key == f"solid[0].motion.{key}"
    assert words in problem.message


def test_a_moving_solid_is_written_and_read_again():
    scene = plash.Scene(
        domain={"size": (1, 1, 1), "resolution": 8},
        fill=[{"shape": {"kind": "box", "min": (0, 0, 0), "max": (0.5, 0.5, 1)}}],
        solid=[{"shape": {"kind": "sphere", "center": (0.7, 0.7, 0.5), "radius": 0.1}, "motion": EVERYTHING}],
    )
    again = plash.parse_scene(plash.scene_text(scene))
    assert again == scene
    faster = plash.parse_scene(plash.scene_text(scene), **{"solid[0].motion.spin": "2 rad/s"})
    assert faster.solid[0].motion.spin == 2.0
