import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plash.errors import SceneError
from plash.levelset.shapes import distance, thickened_distance
from plash.scene import (
    Box,
    Capsule,
    Cylinder,
    Difference,
    FunctionShape,
    HalfSpace,
    HeightShape,
    Sphere,
    Union,
)

BOX = Box(min=(0, 0, 0), max=(2, 4, 6))
SPHERE = Sphere(center=(1, 0, 0), radius=2)
CYLINDER = Cylinder(base=(0, 0, 0), top=(0, 4, 0), radius=1)
CAPSULE = Capsule(base=(0, 0, 0), top=(0, 4, 0), radius=1)
FLOOR = HalfSpace(point=(5, 1, 5), normal=(0, 2, 0))

SQUARE = Box(min=(0, 0), max=(2, 4))
DISC = Sphere(center=(1, 0), radius=2)
BAR = Cylinder(base=(0, 0), top=(4, 4), radius=math.sqrt(2))
STADIUM = Capsule(base=(0, 0), top=(4, 0), radius=1)
SLOPE = HalfSpace(point=(0, 0), normal=(1, 1))


@pytest.mark.parametrize(
    ("shape", "point", "expected"),
    [
        # Box: beyond a face, an edge, a corner; on them; inside, nearest to a face
        (BOX, (3, 2, 3), 1),
        (BOX, (1, -2, 3), 2),
        (BOX, (5, 8, 3), 5),
        (BOX, (3, 6, 8), 3),
        (BOX, (-1, -2, -2), 3),
        (BOX, (2, 4, 6), 0),
        (BOX, (2, 4, 3), 0),
        (BOX, (2, 2, 3), 0),
        (BOX, (1, 2, 3), -1),
        (BOX, (1.75, 2, 3), -0.25),
        (BOX, (1, 3.5, 3), -0.5),
        (BOX, (0.5, 0.5, 0.5), -0.5),
        (SPHERE, (1, 0, 0), -2),
        (SPHERE, (3, 0, 0), 0),
        (SPHERE, (1, 3, 4), 3),
        # Cylinder: beside, above, beyond the rim; on the rim; inside, nearest to side and end
        (CYLINDER, (3, 2, 0), 2),
        (CYLINDER, (0.5, 7, 0), 3),
        (CYLINDER, (4, 8, 0), 5),
        (CYLINDER, (0, -4, -4), 5),
        (CYLINDER, (1, 4, 0), 0),
        (CYLINDER, (0, 2, 0), -1),
        (CYLINDER, (0.75, 2, 0), -0.25),
        (CYLINDER, (0, 3.75, 0), -0.25),
        # Capsule: beside, beyond the round end; inside
        (CAPSULE, (3, 2, 0), 2),
        (CAPSULE, (0, 7, 0), 2),
        (CAPSULE, (3, 8, 0), 4),
        (CAPSULE, (0, 0, 0), -1),
        (CAPSULE, (0, -1, 0), 0),
        (FLOOR, (0, 0, 0), -1),
        (FLOOR, (9, 1, 9), 0),
        (FLOOR, (0, 7, 0), 6),
        # The same in 2-D; the bar is a rectangle turned by 45 degrees with corners at (-1, 1) and (1, -1)
        (SQUARE, (5, 8), 5),
        (SQUARE, (1, 2), -1),
        (SQUARE, (2, 1), 0),
        (DISC, (1, 0), -2),
        (DISC, (4, 4), 3),
        (BAR, (2, 2), -math.sqrt(2)),
        (BAR, (1, -1), 0),
        (BAR, (-1, -1), math.sqrt(2)),
        (BAR, (1, -3), 2),
        (BAR, (4, 0), math.sqrt(2)),
        (STADIUM, (2, 3), 2),
        (STADIUM, (7, 4), 4),
        (STADIUM, (4.5, 0), -0.5),
        (SLOPE, (1, 1), math.sqrt(2)),
        (SLOPE, (1, -1), 0),
        (SLOPE, (-3, -3), -3 * math.sqrt(2)),
    ],
)
def test_distance_is_the_exact_one(shape, point, expected):
    (found,) = distance(shape, [point])
    assert found == pytest.approx(expected, abs=1e-14)


SHAPES: dict[str, Any] = {
    "box": BOX,
    "sphere": SPHERE,
    "cylinder": Cylinder(base=(0, 1, 0), top=(2, 4, 1), radius=0.7),
    "capsule": Capsule(base=(0, 1, 0), top=(2, 4, 1), radius=0.7),
    "half space": HalfSpace(point=(1, 2, 3), normal=(1, -2, 3)),
    "turned box": Box(min=(0, 0, 0), max=(2, 4, 6), rotation={"angle": 0.7, "axis": (1, 2, 3)}, translation=(1, 0, 0)),
    "square": SQUARE,
    "disc": DISC,
    "bar": BAR,
    "stadium": STADIUM,
    "slope": SLOPE,
    "turned square": Box(min=(0, 0), max=(2, 4), rotation={"angle": "30 deg", "about": (3, 3)}, translation=(0, 1)),
}


def dimension_of(shape):
    return len(next(value for name, value in shape if name in ("min", "center", "base", "point")))


def scattered(shape, count=4000, seed=0):
    return np.random.default_rng(seed).uniform(-8, 12, (count, dimension_of(shape)))


def gradient(shape, points, step=1e-5):
    """Central differences, and whether the surface seen from there is smooth."""
    here = distance(shape, points)
    slopes, smooth = np.zeros_like(points), np.ones(len(points), dtype=bool)
    for axis in range(points.shape[1]):
        offset = step * np.eye(points.shape[1])[axis]
        ahead, behind = distance(shape, points + offset), distance(shape, points - offset)
        slopes[:, axis] = (ahead - behind) / (2 * step)
        smooth &= np.abs(ahead + behind - 2 * here) < 1e-7 * step**0.5
    return slopes, smooth


@pytest.mark.parametrize("name", SHAPES)
def test_gradient_has_length_one_away_from_kinks(name):
    points = scattered(SHAPES[name])
    slopes, smooth = gradient(SHAPES[name], points)
    assert smooth.mean() > 0.9
    assert np.linalg.norm(slopes[smooth], axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_surface_lies_one_distance_down_the_gradient(name):
    points = scattered(SHAPES[name])
    slopes, smooth = gradient(SHAPES[name], points)
    feet = points - distance(SHAPES[name], points)[:, None] * slopes
    assert distance(SHAPES[name], feet[smooth]) == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("name", SHAPES)
def test_distance_grows_no_faster_than_the_way_walked(name):
    here, there = scattered(SHAPES[name]), scattered(SHAPES[name], seed=1)
    change = np.abs(distance(SHAPES[name], here) - distance(SHAPES[name], there))
    assert (change <= np.linalg.norm(here - there, axis=1) + 1e-12).all()


@pytest.mark.parametrize("name", SHAPES)
def test_bounds_hold_the_whole_shape(name):
    shape = SHAPES[name]
    points = scattered(shape, 40_000)
    inside = points[distance(shape, points) < 0]
    assert len(inside) > 20
    low, high = shape.bounds(dimension_of(shape))
    assert (inside >= low).all()
    assert (inside <= high).all()


angles = st.floats(-7, 7)
coordinates = st.floats(-3, 3)


@given(angles, st.tuples(coordinates, coordinates, coordinates).filter(any), st.tuples(*[coordinates] * 3))
def test_turned_and_shifted_shape_sees_turned_and_shifted_points_the_same(angle, axis, shift):
    pivot = np.array([0.5, -1, 2])
    moved = Box(
        min=BOX.min,
        max=BOX.max,
        rotation={"angle": angle, "axis": axis, "about": tuple(pivot)},
        translation=shift,
    )
    matrix = np.array(moved.rotation.matrix())
    assert matrix @ matrix.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1)
    points = scattered(BOX, 50)
    new_points = (points - pivot) @ matrix.T + pivot + shift
    assert distance(moved, new_points) == pytest.approx(distance(BOX, points), abs=1e-11)


def test_shape_turns_about_its_own_centre():
    turned = Box(min=(0, 0), max=(4, 2), rotation={"angle": "90 deg"})
    upright = Box(min=(1, -1), max=(3, 3))
    points = scattered(upright, 100)
    assert distance(turned, points) == pytest.approx(distance(upright, points), abs=1e-12)


def test_turn_is_counter_clockwise():
    hand = Capsule(base=(0, 0), top=(2, 0), radius=0.1, rotation={"angle": "90 deg", "about": (0, 0)})
    assert distance(hand, [(0, 2), (0, -2)]) == pytest.approx([-0.1, 1.9])
    hand = Capsule(
        base=(0, 0, 0),
        top=(2, 0, 0),
        radius=0.1,
        rotation={"angle": "90 deg", "axis": (0, 1, 0), "about": (0, 0, 0)},
    )
    assert distance(hand, [(0, 0, -2), (0, 0, 2)]) == pytest.approx([-0.1, 1.9])


def test_shift_comes_after_the_turn():
    box = Box(min=(-2, -1), max=(2, 1), rotation={"angle": "90 deg"}, translation=(10, 0))
    assert distance(box, [(10, 0), (12, 0), (10, 3)]) == pytest.approx([-1, 1, 1])


def test_flat_and_deep_shapes_agree_in_their_plane():
    flat = scattered(SQUARE, 200)
    deep = np.column_stack([flat, np.zeros(len(flat))])
    pairs: list[tuple[Any, Any]] = [
        (SQUARE, Box(min=(0, 0, -99), max=(2, 4, 99))),
        (DISC, Sphere(center=(1, 0, 0), radius=2)),
        (STADIUM, Capsule(base=(0, 0, 0), top=(4, 0, 0), radius=1)),
        (BAR, Cylinder(base=(0, 0, 0), top=(4, 4, 0), radius=math.sqrt(2))),
    ]
    for shape, solid in pairs:
        assert distance(shape, flat) == pytest.approx(distance(solid, deep), abs=1e-12)


def test_union_is_exact_outside_and_a_bound_inside():
    halves = Union(of=[Box(min=(0, 0), max=(1, 2)), Box(min=(1, 0), max=(2, 2))])
    whole = Box(min=(0, 0), max=(2, 2))
    points = scattered(whole)
    found, exact = distance(halves, points), distance(whole, points)
    outside = exact > 0
    assert found[outside] == pytest.approx(exact[outside], abs=1e-12)
    assert (found[~outside] >= exact[~outside] - 1e-12).all()
    assert (found[~outside] <= 0).all()


def test_difference_is_exact_inside_and_a_bound_outside():
    half = Difference(of=[Box(min=(0, 0), max=(4, 2)), Box(min=(2, -1), max=(5, 3))])
    exact = distance(Box(min=(0, 0), max=(2, 2)), points := scattered(SQUARE))
    found = distance(half, points)
    inside = exact < 0
    assert found[inside] == pytest.approx(exact[inside], abs=1e-12)
    assert (found[~inside] <= exact[~inside] + 1e-12).all()
    assert (found[~inside] >= 0).all()


def test_difference_takes_all_later_shapes_away():
    ring = Difference(
        of=[
            Sphere(center=(0, 0), radius=3),
            Sphere(center=(0, 0), radius=1),
            HalfSpace(point=(0, 0), normal=(0, -1)),
        ]
    )
    assert (distance(ring, [(0, -2), (0, 2), (0, -0.5), (0, -4)]) < 0).tolist() == [True, False, False, False]


@pytest.mark.parametrize("kind", [Union, Difference])
@pytest.mark.parametrize("of", [distance, lambda shape, points: thickened_distance(shape, points, 0.01)])
def test_a_group_of_many_parts_takes_the_memory_of_a_few(kind, of):
    spheres = [Sphere(center=(index % 20, index // 20, 0), radius=0.3) for index in range(400)]
    points = np.random.default_rng(1).uniform(0, 20, (5_000, 3))
    tracemalloc.start()
    try:
        of(kind(of=spheres), points)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12 * points.nbytes


def test_group_is_moved_as_a_whole():
    pair = [Sphere(center=(-2, 0), radius=1), Sphere(center=(2, 0), radius=1, translation=(0, 1))]
    moved = Union(of=pair, rotation={"angle": "90 deg", "about": (0, 0)}, translation=(10, 0))
    assert distance(moved, [(10, -2), (9, 2), (10, 2)]) == pytest.approx([-1, -1, 0])


def test_function_is_its_own_distance():
    def wave(points):
        return points[:, 1] - np.sin(points[:, 0])

    points = scattered(SQUARE, 10)
    shape = FunctionShape(function=wave, translation=(1, 2))
    assert distance(shape, points) == pytest.approx(wave(points - [1, 2]))


def test_height_is_measured_straight_up():
    assert distance(HeightShape(height=lambda x: 2 * x), [(1, 1), (1, 3)]).tolist() == [-1, 1]
    assert distance(HeightShape(height=lambda x, z: x + z), [(1, 1, 5), (1, 8, 5)]).tolist() == [-5, 2]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda points: points, ["shape (3, 2)", "not (3,)"]),
        (lambda points: 1.0, ["shape ()", "not (3,)"]),
        (lambda points: None, ["shape ()"]),
        (lambda points: "abc", ["str"]),
        (lambda points: [1, 2, math.nan], ["nan", "[4.0, 5.0]"]),
        (lambda points: np.array([1, math.inf, 2]), ["inf", "[2.0, 3.0]"]),
        (lambda points: [1, 1j, 2], ["list"]),
    ],
)
def test_function_that_gives_no_numbers_is_named(function, words):
    shape = Union(of=[DISC, FunctionShape(function=function)])
    with pytest.raises(SceneError) as error:
        distance(shape, [(0, 1), (2, 3), (4, 5)], name="fill[2].shape")
    (problem,) = error.value.problems
    assert problem.key == "fill[2].shape.of[1]"
    assert all(word in problem.message for word in [*words, "<lambda>"]), problem.message


def test_height_that_gives_no_numbers_is_named():
    with pytest.raises(SceneError, match=r"shape: the function <lambda> gave an array of shape \(\), not \(1,\)"):
        distance(HeightShape(height=lambda x: 1.0), [(0, 1)])


def test_no_points_have_no_distances():
    for shape in SHAPES.values():
        assert distance(shape, np.zeros((0, dimension_of(shape)))).shape == (0,)


@settings(max_examples=50)
@given(st.integers(-9, 8))
def test_distance_keeps_its_precision_at_any_scale(power):
    scale = 10.0**power
    box = Box(min=(0, 0, 0), max=(2 * scale / 3, 4 * scale / 3, 2 * scale))
    points = scattered(BOX, 20) * scale / 3
    assert distance(box, points) == pytest.approx(distance(BOX, points * 3 / scale) * scale / 3, rel=1e-9)
