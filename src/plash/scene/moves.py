"""How a shape is moved, and how far it reaches: rotation, translation, bounding boxes.

A shape is first turned about its centre, then shifted. Boxes are given by two opposite corners; a box
around a turned shape may be larger than it need be, never smaller.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self, Unpack

from pydantic import Field, model_validator

from plash.scene.language.base import Angle, Direction, Point, SceneModel, Vector
from plash.scene.language.words import refusal_at, shown

if TYPE_CHECKING:
    from plash.scene.keys import RotationKeys

Bounds = tuple[Vector, Vector]
Matrix = tuple[Vector, ...]


class Rotation(SceneModel):
    """A turn by an angle: about an axis in 3-D, in the plane in 2-D.

    The centre of a half space is its point, that of a union or difference the middle of the box around it.
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[RotationKeys]) -> None: ...

    angle: Angle = Field(description="How far to turn: counter-clockwise, seen with the axis pointing at you.")
    axis: Direction | None = Field(
        default=None,
        description="Direction of the axis, of any length.",
        json_schema_extra={"default_text": "required in 3-D, not in 2-D"},
    )
    about: Point | None = Field(
        default=None,
        description="The point that stays in place.",
        json_schema_extra={"default_text": "the centre of the shape"},
    )

    @model_validator(mode="after")
    def _axis_has_a_direction(self) -> Self:
        if self.axis is not None and not any(self.axis):
            raise refusal_at("axis", f"{shown(self.axis)} has no direction: an entry must differ from 0")
        return self

    def matrix(self) -> Matrix:
        """Rows of the rotation matrix (Rodrigues' formula); 2 x 2 when there is no axis."""
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        if self.axis is None:
            return ((cos, -sin), (sin, cos))
        x, y, z = unit(self.axis)
        rest = 1 - cos
        return (
            (cos + x * x * rest, x * y * rest - z * sin, x * z * rest + y * sin),
            (y * x * rest + z * sin, cos + y * y * rest, y * z * rest - x * sin),
            (z * x * rest - y * sin, z * y * rest + x * sin, cos + z * z * rest),
        )


class Movable(SceneModel):
    """What every shape can do: be turned and shifted, and say how far it reaches."""

    rotation: Rotation | None = Field(default=None, description="A turn, made first.")
    translation: Point | None = Field(default=None, description="A shift, made after the rotation.")

    def own_bounds(self, dimension: int) -> Bounds:
        """Corners of a box around the shape before it is moved; infinite where it is endless."""
        return (-math.inf,) * dimension, (math.inf,) * dimension

    def own_center(self, dimension: int) -> Vector:
        """The point that rotations turn about unless they say otherwise: the middle of the box around."""
        return tuple((a + b) / 2 for a, b in zip(*self.own_bounds(dimension), strict=True))

    def pivot(self, dimension: int) -> Vector:
        """The point that the shape's rotation leaves in place."""
        about = self.rotation.about if self.rotation is not None else None
        return about or self.own_center(dimension)

    def bounds(self, dimension: int) -> Bounds:
        """Corners of a box around the shape as it stands in the scene; infinite where it is endless.

        >>> from plash.scene import Sphere
        >>> Sphere(center=(0, 0, 0), radius=1, translation=(5, 0, 0)).bounds(3)
        ((4.0, -1.0, -1.0), (6.0, 1.0, 1.0))
        """
        low, high = self.own_bounds(dimension)
        if self.rotation is not None:
            low, high = _turned(low, high, self.rotation.matrix(), self.pivot(dimension))
        shift = self.translation or (0.0,) * dimension
        return added(low, shift), added(high, shift)

    def carried(self, matrix: Matrix, shift: Vector, dimension: int) -> Self:
        """The same shape after one more move: every point x goes to matrix x + shift.

        >>> from plash.scene import Sphere
        >>> Sphere(center=(1, 0), radius=1).carried(((1.0, 0.0), (0.0, 1.0)), (5.0, 0.0), 2).bounds(2)
        ((5.0, -1.0), (7.0, 1.0))
        """
        matrix, shift = tuple(row[:dimension] for row in matrix[:dimension]), shift[:dimension]
        before = self.translation or (0.0,) * dimension
        if matrix == _identity(dimension):
            return self.with_values(translation=added(before, shift)) if any(shift) else self
        if self.rotation is not None:
            pivot, own = self.pivot(dimension), self.rotation.matrix()
            before = added(before, added(pivot, times(own, tuple(-part for part in pivot))))
            shift, matrix = added(times(matrix, before), shift), _product(matrix, own)
        else:
            shift = added(times(matrix, before), shift)
        return self.with_values(rotation=_rotation_of(matrix), translation=shift)

    def may_overlap(self, low: Vector, high: Vector) -> bool:
        """Whether the shape may have a volume in common with a box; False is certain."""
        own_low, own_high = self.bounds(len(low))
        return all(a < d and c < b for a, b, c, d in zip(low, high, own_low, own_high, strict=True))


def unit(vector: Vector) -> Vector:
    """The vector of length 1 in the same direction."""
    # Scaled first, so that tiny and huge vectors keep their direction
    largest = max(map(abs, vector))
    scaled = tuple(part / largest for part in vector)
    length = math.hypot(*scaled)
    return tuple(part / length for part in scaled)


def added(a: Vector, b: Vector) -> Vector:
    """The sum of two vectors."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def times(matrix: Matrix, vector: Vector) -> Vector:
    """A matrix times a vector."""
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def _identity(dimension: int) -> Matrix:
    return tuple(tuple(float(i == j) for j in range(dimension)) for i in range(dimension))


def _product(a: Matrix, b: Matrix) -> Matrix:
    return tuple(zip(*(times(a, column) for column in zip(*b, strict=True)), strict=True))


def _rotation_of(matrix: Matrix) -> Rotation:
    """The turn about the origin that a matrix makes."""
    about = (0.0,) * len(matrix)
    if len(matrix) == 2:
        return Rotation(angle=math.atan2(matrix[1][0], matrix[0][0]), about=about)
    angle, axis = turn_of(matrix)
    return Rotation(angle=angle, axis=axis, about=about)


def turn_of(matrix: Matrix) -> tuple[float, Vector]:
    """The angle and the axis of a rotation matrix in three axes: 0 about x for none."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    sines = ((h - f) / 2, (c - g) / 2, (d - b) / 2)
    sine, cosine = math.hypot(*sines), (a + e + i - 1) / 2
    if sine > 1e-8 or cosine > 0:
        return math.atan2(sine, cosine), sines if sine > 0 else (1.0, 0.0, 0.0)
    # Half a turn: the axis is the direction that is not reversed
    columns = [tuple(row[j] + (i == j) for i, row in enumerate(matrix)) for j in range(3)]
    return math.pi, max(columns, key=lambda column: math.hypot(*column))


def around(points: tuple[Vector, ...], reach: Vector) -> Bounds:
    """The box around points that each reach some way along every axis."""
    columns = list(zip(*points, reach, strict=True))
    return (
        tuple(min(column[:-1]) - column[-1] for column in columns),
        tuple(max(column[:-1]) + column[-1] for column in columns),
    )


def _turned(low: Vector, high: Vector, matrix: Matrix, pivot: Vector) -> Bounds:
    """The box around a turned box: each entry of the matrix takes the end that pushes furthest out."""
    new_low, new_high = list(pivot), list(pivot)
    for i, row in enumerate(matrix):
        for entry, a, b, center in zip(row, low, high, pivot, strict=True):
            if entry:
                ends = sorted((entry * (a - center), entry * (b - center)))
                new_low[i] += ends[0]
                new_high[i] += ends[1]
    return tuple(new_low), tuple(new_high)
