"""Forces that differ from place to place."""

import numpy as np
import pytest

from plash.errors import SceneError
from plash.levelset.inside import Inside
from plash.physics.flow.pumps import Pumping
from plash.physics.force_fields import ForceField, acceleration
from plash.scene import Attractor, Box, ConstantForce, FunctionForce, Pump, Vortex


def test_an_attractor_pulls_in_proportion_inside_its_radius_and_falls_as_a_power_beyond():
    force = Attractor(point=(1, 2, 3), strength=6, radius=0.5, falloff=2)
    points = np.array([[1.25, 2, 3], [1, 2.5, 3], [1, 2, 4], [1, 2, 3]], np.float64)
    wanted = [[-3, 0, 0], [0, -6, 0], [0, 0, -1.5], [0, 0, 0]]
    assert acceleration(force, points, 0.0) == pytest.approx(np.array(wanted))


def test_a_vortex_pushes_round_its_axis_counter_clockwise():
    plane = Vortex(point=(1, 1), strength=4, radius=0.5)
    points = np.array([[1.5, 1], [1, 2]], np.float64)
    assert acceleration(plane, points, 0.0) == pytest.approx(np.array([[0, 4], [-2, 0]]))
    space = Vortex(point=(1, 7, 1), axis=(0, 3, 0), strength=4, radius=0.5)
    points = np.array([[1.5, 0, 1], [1, 2, 2]], np.float64)
    assert acceleration(space, points, 0.0) == pytest.approx(np.array([[0, 0, -4], [2, 0, 0]]))


def test_a_function_that_gives_no_vector_for_each_point_is_refused():
    points = np.zeros((3, 2))
    for function, words in (
        (lambda x, t: x[:, 0], "shape"),
        (lambda x, t: x + np.nan, "finite"),
        (lambda x, t: "no", "no array"),
    ):
        with pytest.raises(SceneError, match=words):
            acceleration(FunctionForce(name="mine", function=function), points, 0.0)


def test_a_force_acts_on_wet_faces_inside_its_shape_while_it_lasts(dimension, make_box):
    box = make_box(dimension, liquid=lambda x, y, *z: y < 9)
    shape = Box(min=(0.9, 0.0, 0.0)[:dimension], max=(2.1, 20, 20)[:dimension])
    force = ConstantForce(acceleration=(1.5, 0, 0)[:dimension], shape=shape, start=1, stop=2)
    velocity = box.faces(lambda axis, *x: 0 * x[0] + 0.25)
    field = ForceField(force, box.h, Inside(shape, box.h))
    field.add(velocity, box.cells, 0.5, 0.1)
    field.add(velocity, box.cells, 2.0, 0.1)
    before = box.dense(velocity.pool[0]).copy()
    assert np.nanmax(before) == 0.25
    field.add(velocity, box.cells, 1.5, 0.1)
    after = box.dense(velocity.pool[0])
    x = np.arange(after.shape[0]) * box.h
    changed = np.zeros(after.shape, bool)
    changed[(x > 0.9) & (x < 2.1), :9] = True
    assert after[changed] == pytest.approx(0.4)
    assert np.array_equal(after[~changed], before[~changed], equal_nan=True)


def test_a_pump_sets_the_velocity_of_liquid_inside_it(dimension, make_box):
    box = make_box(dimension, liquid=lambda x, y, *z: y < 9)
    shape = Box(min=(0.9, 0.7, 0.0)[:dimension], max=(2.1, 2.2, 20)[:dimension])
    velocity = box.faces(lambda axis, *x: 0 * x[0])
    pump = Pumping(Pump(shape=shape, velocity=(0.5, -2, 0)[:dimension]), Inside(shape, box.h))
    pump.add(velocity, box.cells, 0.0, 0.1)
    values = [box.dense(velocity.pool[axis]) for axis in range(2)]
    assert set(np.unique(values[0])) == {0.0, 0.5}
    assert set(np.unique(values[1])) == {0.0, -2.0}
    assert pump.speed == pytest.approx(np.hypot(0.5, 2))
