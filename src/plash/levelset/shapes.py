"""Signed distance to the shapes of a scene: negative inside, in metres, in 2-D and 3-D alike.

Exact for the primitives and meshes. A union takes the smallest of its parts' distances, a difference the largest of the
first's and the others' negated. Both are exact on one side, outside a union and inside a difference; on the
other side the sign is right, and the size a bound: never more than the true distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.errors import Problem, SceneError
from plash.levelset.mesh_load import load_body, mesh_distance
from plash.scene.functions import called
from plash.scene.mesh_shape import MeshShape
from plash.scene.shapes import (
    Box,
    Capsule,
    Cylinder,
    Difference,
    FunctionShape,
    HalfSpace,
    HeightShape,
    Shape,
    Sphere,
    Union,
)

Array = NDArray[np.float64]


def distance(shape: Shape, points: ArrayLike, name: str = "shape") -> Array:
    """The signed distance of points to the surface of a shape, after its rotation and translation.

    Args:
        shape: Any shape of a scene.
        points: (n, axes), in metres.
        name: What messages call the shape, such as ``fill[0].shape``.

    Returns:
        (n,), in metres, negative inside.

    Raises:
        SceneError: A Python function gave something other than one finite number for each point, or a mesh is not
            closed or faces inwards.

    >>> distance(Sphere(center=(0, 0, 0), radius=1), [[0, 0, 0], [3, 4, 0]])
    array([-1.,  4.])
    """
    return _distance(shape, _before_moves(shape, points), name)


def thickened_distance(shape: Shape, points: ArrayLike, least: float, name: str = "shape") -> Array:
    """The signed distance to a shape whose thin walls are thickened on both sides alike, to a least thickness.

    Parts of a union are thickened each by itself. What a difference leaves between its first part and another is a wall
    as thick as their distances differ, here and beside it. Half-spaces and functions stay as they are.
    """
    if isinstance(shape, Union):
        moved = _before_moves(shape, points)
        return _least(thickened_distance(part, moved, least, f"{name}.of[{i}]") for i, part in enumerate(shape.of))
    if isinstance(shape, Difference):
        return _thickened_difference(shape, _before_moves(shape, points), least, name)
    if isinstance(shape, MeshShape):
        return mesh_distance(shape, _before_moves(shape, points), name, least)
    return distance(shape, points, name) - max(0.0, least - thickness(shape)) / 2


def _thickened_difference(shape: Difference, points: Array, least: float, name: str) -> Array:
    to_first, *rest = _parts(shape, points, name)
    first = to_first()
    thickened = first - max(0.0, least - thickness(shape.of[0])) / 2
    for part in rest:
        other = part()
        wall = other - first
        swell = np.where(wall > 0, np.maximum(least - wall, 0.0) / 2, 0.0)
        thickened = np.maximum(thickened, -other) - swell
    return thickened


def thickness(shape: Shape) -> float:
    """How thick a shape is where it is thinnest, in metres; infinity if that is not known."""
    match shape:
        case Box():
            return min(high - low for low, high in zip(shape.min, shape.max, strict=True))
        case Sphere() | Capsule():
            return 2 * shape.radius
        case MeshShape():
            return load_body(shape).least_thickness
        case Cylinder():
            return min(2 * shape.radius, float(_length(np.array([shape.top]) - np.array([shape.base]))[0]))
        case _:
            return float("inf")


def is_exact(shape: Shape) -> bool:
    """Whether the size of a shape's distance can be relied on: never more than the true one."""
    if isinstance(shape, Union | Difference):
        return all(is_exact(part) for part in shape.of)
    return not isinstance(shape, FunctionShape | HeightShape)


def is_steady(shape: Shape) -> bool:
    """Whether a shape's thickened distance changes by no more than the way: not where a difference is thickened."""
    if isinstance(shape, Union):
        return all(is_steady(part) for part in shape.of)
    return is_exact(shape) and not isinstance(shape, Difference)


def _before_moves(shape: Shape, points: ArrayLike) -> Array:
    """Points as they lie to the shape before its rotation and translation."""
    moved = np.asarray(points, dtype=np.float64)
    if shape.translation is not None:
        moved = moved - np.array(shape.translation)
    if shape.rotation is not None:
        # The inverse of the rotation: a row vector times the matrix
        pivot = np.array(shape.pivot(moved.shape[1]))
        moved = (moved - pivot) @ np.array(shape.rotation.matrix()) + pivot
    return moved


@singledispatch
def _distance(shape: Any, points: Array, name: str) -> Array:
    raise TypeError(f"no distance is known for a {type(shape).__name__}")


@_distance.register
def _box(shape: Box, points: Array, name: str) -> Array:
    low, high = np.array(shape.min), np.array(shape.max)
    return _to_block(np.abs(points - (low + high) / 2) - (high - low) / 2)


@_distance.register
def _sphere(shape: Sphere, points: Array, name: str) -> Array:
    return _length(points - np.array(shape.center)) - shape.radius


@_distance.register
def _cylinder(shape: Cylinder, points: Array, name: str) -> Array:
    axis, length, along, away = _about_axis(shape, points)
    radial = _length(away - along[:, None] * axis)
    return _to_block(np.stack([radial - shape.radius, np.abs(along - length / 2) - length / 2], axis=1))


@_distance.register
def _capsule(shape: Capsule, points: Array, name: str) -> Array:
    axis, length, along, away = _about_axis(shape, points)
    return _length(away - np.clip(along, 0, length)[:, None] * axis) - shape.radius


@_distance.register
def _half_space(shape: HalfSpace, points: Array, name: str) -> Array:
    heights: Array = (points - np.array(shape.point)) @ _unit(np.array(shape.normal))
    return heights


@_distance.register
def _mesh(shape: MeshShape, points: Array, name: str) -> Array:
    return mesh_distance(shape, points, name)


@_distance.register
def _union(shape: Union, points: Array, name: str) -> Array:
    return _least(part() for part in _parts(shape, points, name))


@_distance.register
def _difference(shape: Difference, points: Array, name: str) -> Array:
    first, *rest = _parts(shape, points, name)
    furthest = first()
    for part in rest:
        furthest = np.maximum(furthest, -part())
    return furthest


@_distance.register
def _function(shape: FunctionShape, points: Array, name: str) -> Array:
    return _checked(called(shape.function, name, points), shape.function, points, name)


@_distance.register
def _height(shape: HeightShape, points: Array, name: str) -> Array:
    """Measured straight up: the sign is exact, the value an upper bound of the distance on slopes."""
    x, y, *z = points.T
    above: Array = y - _checked(called(shape.height, name, x, *z), shape.height, points, name)
    return above


def _checked(values: object, function: object, points: Array, name: str) -> Array:
    """What a user's function gave, if that is one finite number for each point."""
    title = getattr(function, "__name__", type(function).__name__)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        problem = f"the function {title} gave {type(values).__name__}, not an array of numbers"
    else:
        finite = np.isfinite(numbers)
        if numbers.shape != (len(points),):
            problem = f"the function {title} gave an array of shape {numbers.shape}, not ({len(points)},)"
        elif not finite.all():
            where = int(np.argmin(finite))
            problem = f"the function {title} gave {numbers[where]} at {points[where].tolist()}, not a finite number"
        else:
            return numbers
    raise SceneError([Problem(name, problem)])


def _parts(shape: Union | Difference, points: Array, name: str) -> list[Callable[[], Array]]:
    """The distance to each part of a group, computed when it is asked for: there may be thousands."""
    return [partial(distance, part, points, f"{name}.of[{index}]") for index, part in enumerate(shape.of)]


def _least(distances: Iterator[Array]) -> Array:
    """The smallest distance of each point, with no more than two of them in memory."""
    nearest = next(distances)
    for other in distances:
        nearest = np.minimum(nearest, other)
    return nearest


def _about_axis(shape: Cylinder | Capsule, points: Array) -> tuple[Array, float, Array, Array]:
    """Axis direction and length; how far along it each point lies, and its vector from the base."""
    base = np.array(shape.base)
    span = np.array(shape.top) - base
    axis = _unit(span)
    away = points - base
    return axis, float(span @ axis), away @ axis, away


def _to_block(beyond: Array) -> Array:
    """Distance to a block, from how far each point lies beyond its faces along each axis."""
    # One axis after the other: a reduction over so few entries takes ten times as long
    furthest = np.maximum.reduce(list(beyond.T))
    inside: Array = np.minimum(furthest, 0)
    return _length(np.maximum(beyond, 0)) + inside


def _length(vectors: Array) -> Array:
    lengths: Array = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return lengths


def _unit(vector: Array) -> Array:
    scaled = vector / np.abs(vector).max()
    unit: Array = scaled / np.sqrt(scaled @ scaled)
    return unit
