import math
from typing import Any

import pytest

from plash.errors import SceneError
from plash.scene import (
    Box,
    Capsule,
    Cylinder,
    Difference,
    Domain,
    Fill,
    FunctionShape,
    HalfSpace,
    Rotation,
    Scene,
    Sphere,
    Union,
)
from plash.scene.shapes import DEEPEST

INF = math.inf
QUARTER_TURN: Any = {"angle": "90 deg", "axis": (0, 0, 1)}


@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        (Box(min=(0, 1, 2), max=(3, 4, 5)), (0, 1, 2), (3, 4, 5)),
        (Sphere(center=(1, 2), radius=0.5), (0.5, 1.5), (1.5, 2.5)),
        (Cylinder(base=(0, 0, 0), top=(0, 2, 0), radius=1), (-1, 0, -1), (1, 2, 1)),
        (Cylinder(base=(0, 0), top=(2, 0), radius=1), (0, -1), (2, 1)),
        (Capsule(base=(0, 0, 0), top=(0, 2, 0), radius=1), (-1, -1, -1), (1, 3, 1)),
        (HalfSpace(point=(0, 2, 0), normal=(0, 3, 0)), (-INF, -INF, -INF), (INF, 2, INF)),
        (HalfSpace(point=(0, 2, 0), normal=(0, 0, -1)), (-INF, -INF, 0), (INF, INF, INF)),
        (HalfSpace(point=(0, 0), normal=(1, 1)), (-INF, -INF), (INF, INF)),
        (
            Union(of=[Sphere(center=(0, 0), radius=1), Box(min=(2, 2), max=(3, 3))], translation=(1, 0)),
            (0, -1),
            (4, 3),
        ),
        (Difference(of=[Box(min=(0, 0), max=(1, 1)), Sphere(center=(0, 0), radius=9)]), (0, 0), (1, 1)),
        (FunctionShape(function=len), (-INF, -INF), (INF, INF)),
        (Box(min=(0, 0, 0), max=(2, 4, 6), rotation=QUARTER_TURN), (-1, 1, 0), (3, 3, 6)),
        (
            Box(min=(0, 0, 0), max=(2, 4, 6), rotation=Rotation(**QUARTER_TURN, about=(0, 0, 0))),
            (-4, 0, 0),
            (0, 2, 6),
        ),
        (Box(min=(-1, -1), max=(1, 1), rotation={"angle": "45 deg"}), (-(2**0.5),) * 2, (2**0.5,) * 2),
    ],
)
def test_bounds_are_the_box_around_the_shape(shape, low, high):
    found_low, found_high = shape.bounds(len(low))
    assert found_low == pytest.approx(low, abs=1e-12)
    assert found_high == pytest.approx(high, abs=1e-12)


def test_rotation_is_counter_clockwise_about_its_axis():
    (xx, _), (yx, _) = Rotation(angle="90 deg").matrix()
    assert (xx, yx) == pytest.approx((0, 1))
    matrix = Rotation(angle="90 deg", axis=(0, 0, 7)).matrix()
    assert [row[0] for row in matrix] == pytest.approx((0, 1, 0))


def test_shape_touching_the_domain_from_outside_does_not_overlap_it():
    assert not Box(min=(1, 0), max=(2, 1)).may_overlap((0, 0), (1, 1))
    assert Box(min=(0.999, 0), max=(2, 1)).may_overlap((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("shape", "overlaps"),
    [
        (HalfSpace(point=(0, 0, 0), normal=(0, 1, 0)), False),
        (HalfSpace(point=(0, 1e-9, 0), normal=(0, 1, 0)), True),
        (HalfSpace(point=(0, 0, 0), normal=(1, 1, 1)), False),
        (HalfSpace(point=(0, 0, 0), normal=(1, 1, -1)), True),
        (HalfSpace(point=(0, 0, 0), normal=(1e-300, 1e-300, -1e-300)), True),
        (HalfSpace(point=(1, 1, 1), normal=(-1, -1, -1)), False),
        (HalfSpace(point=(0, 0, 0), normal=(0, 1, 0), translation=(0, 0.1, 0)), True),
        (HalfSpace(point=(0, 0, 0), normal=(0, 1, 0), rotation={"angle": math.pi, "axis": (1, 0, 0)}), True),
    ],
)
def test_half_space_overlaps_when_a_corner_of_the_domain_is_inside(shape, overlaps):
    assert shape.may_overlap((0, 0, 0), (1, 1, 1)) is overlaps


def scene_with(shape, size):
    fill = [Fill(shape=lambda points: points[:, 0])]
    return Scene(domain=Domain(size=size), fill=fill, solid=[{"shape": shape}])


BOX = {"kind": "box", "min": (0, 0, 0), "max": (1, 1, 1)}
FLAT = {"kind": "box", "min": (0, 0), "max": (1, 1)}


@pytest.mark.parametrize(
    ("shape", "size", "key", "words"),
    [
        ({**BOX, "rotation": {"angle": 1}}, (1, 1, 1), "rotation.axis", ["is missing", "3-D"]),
        (
            {**FLAT, "rotation": {"angle": 1, "axis": (0, 0, 1)}},
            (1, 1),
            "rotation.axis",
            ["3 entries", "2-D"],
        ),
        (
            {**FLAT, "rotation": {"angle": 1, "axis": (0, 1)}},
            (1, 1),
            "rotation.axis",
            ["[0.0, 1.0]", "no use"],
        ),
        ({**BOX, "rotation": {"angle": 1, "axis": (0, 0, 0)}}, (1, 1, 1), "rotation.axis", ["no direction"]),
        ({**BOX, "rotation": {"axis": (0, 0, 1)}}, (1, 1, 1), "rotation.angle", ["is missing", "an angle"]),
        ({**BOX, "rotation": {"angle": "1 m", "axis": (0, 0, 1)}}, (1, 1, 1), "rotation.angle", ["a length"]),
        ({**BOX, "rotation": 30}, (1, 1, 1), "rotation", ["30", "a table"]),
        ({**FLAT, "translation": (0, 0, 0)}, (1, 1), "translation", ["3 entries"]),
        (
            {**BOX, "max": (1, 0, 1)},
            (1, 1, 1),
            "max",
            ["[1.0, 0.0, 1.0]", "above min = [0.0, 0.0, 0.0]", "y"],
        ),
        ({**BOX, "max": (1, "1e10 m", 1)}, (1, 1, 1), "max[1]", ['"1e10 m"', "at most 1000000000 m"]),
        ({"kind": "sphere", "center": (0, 0, 0), "radius": 0}, (1, 1, 1), "radius", ["above 0 m"]),
        (
            {"kind": "capsule", "base": (1, 1), "top": (1, 1), "radius": 1},
            (1, 1),
            "top",
            ["same point as base"],
        ),
        ({"kind": "half_space", "point": (1, 1), "normal": (0, 0)}, (1, 1), "normal", ["no direction"]),
        ({"kind": "union", "of": []}, (1, 1), "of", ["[]", "too short", "1"]),
        ({"kind": "union", "of": [{}]}, (1, 1), "of[0]", ["no kind", "half_space"]),
        ({"kind": "union", "of": 3}, (1, 1), "of", ["3", "list"]),
        ({"kind": "function", "function": 3}, (1, 1), "function", ["3", "a function"]),
        (
            {"kind": "function", "function": abs, "rotation": {"angle": 1}},
            (1, 1),
            "rotation.about",
            ["endless"],
        ),
    ],
)
def test_impossible_shape_is_refused_by_key_value_and_limit(shape, size, key, words):
    with pytest.raises(SceneError) as error:
        scene_with(shape, size)
    (problem,) = error.value.problems
    assert problem.key == f"solid[0].shape.{key}"
    assert all(word in problem.message for word in words), problem.message


def nested(depth):
    shape = FLAT
    for _ in range(depth - 1):
        shape = {"kind": "union", "of": [shape]}
    return shape


def test_shapes_may_be_nested_up_to_a_limit():
    scene_with(nested(DEEPEST), (1, 1))
    with pytest.raises(SceneError, match=f"more than {DEEPEST} shapes deep"):
        scene_with(nested(DEEPEST + 1), (1, 1))
    with pytest.raises(SceneError, match=f"more than {DEEPEST} shapes deep"):
        scene_with(nested(5000), (1, 1))


def test_shape_inside_itself_is_refused():
    endless: Any = {"kind": "union"}
    endless["of"] = [endless, endless]
    with pytest.raises(SceneError, match="contains itself"):
        scene_with(endless, (1, 1))


def test_nesting_objects_meets_the_same_limit():
    shape: Box | Union = Box(min=(0, 0), max=(1, 1))
    for _ in range(DEEPEST - 1):
        shape = Union(of=[shape])
    with pytest.raises(SceneError, match="shapes deep"):
        Union(of=[shape])
