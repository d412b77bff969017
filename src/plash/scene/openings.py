"""Openings: flat shapes that liquid comes out of, on the side that their normal points to.

In 2-D both are segments across the normal. A rectangle in 3-D has its first side level, or along x if it faces straight
up or down; turn it about its normal for another.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self, Unpack

from pydantic import BeforeValidator, Field, model_validator

from plash.scene.language.base import FURTHEST, Direction, Length, Point, Vector
from plash.scene.language.units import Quantity
from plash.scene.language.words import refusal, refusal_at, shown
from plash.scene.moves import Bounds, Movable, added, around, times, unit

if TYPE_CHECKING:
    from plash.scene.keys import DiscKeys, RectangleKeys


class Opening(Movable):
    """A flat shape: a middle and a direction."""

    center: Point = Field(description="The middle.")
    normal: Direction = Field(description="Where the liquid goes, a vector of any length.")

    @model_validator(mode="after")
    def _normal_has_a_direction(self) -> Self:
        if not any(self.normal):
            raise refusal_at("normal", f"{shown(self.normal)} has no direction: an entry must differ from 0")
        return self

    @property
    def place(self) -> tuple[Vector, tuple[Vector, ...]]:
        """The middle, and unit vectors after all moves: the normal, then one or two across it."""
        axes = own_axes(self.normal)
        center = self.center
        if self.rotation is not None:
            matrix, pivot = self.rotation.matrix(), self.pivot(len(center))
            away = tuple(x - p for x, p in zip(center, pivot, strict=True))
            center = added(times(matrix, away), pivot)
            axes = tuple(times(matrix, axis) for axis in axes)
        return added(center, self.translation or (0.0,) * len(center)), axes

    @abstractmethod
    def half_sides(self, dimension: int) -> Vector:
        """Half the sides of the smallest rectangle around it, along the axes across the normal."""

    def area(self, dimension: int) -> float:
        """Its size, m²; in 2-D its length, m."""
        return math.prod(2 * half for half in self.half_sides(dimension))

    def own_bounds(self, dimension: int) -> Bounds:
        """A box around the opening before it is moved."""
        _, *across = own_axes(self.normal)
        halves = self.half_sides(dimension)
        reach = tuple(sum(h * abs(axis[k]) for h, axis in zip(halves, across, strict=False)) for k in range(dimension))
        return around((self.center,), reach)


class Disc(Opening):
    """A flat round opening; in 2-D a segment as long as two radii."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[DiscKeys]) -> None: ...

    kind: Literal["disc"] = "disc"
    radius: Length = Field(gt=0, le=FURTHEST, description="Distance from the middle to the rim.")

    def half_sides(self, dimension: int) -> Vector:
        """The radius, both ways."""
        return (self.radius,) * (dimension - 1)

    def area(self, dimension: int) -> float:
        """Of the disc, m²; in 2-D the length of the segment, m."""
        return math.pi * self.radius**2 if dimension == 3 else 2 * self.radius


def _flat_entries(value: object) -> object:
    """One or two lengths, from a list or a bare length."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    listed = listed if isinstance(listed, list | tuple) else [listed]
    if not 1 <= len(listed) <= 2:
        raise refusal(f"{shown(listed)} has length {len(listed)}: it must be 1 (in 2-D) or 2 (in 3-D)")
    return listed


_FlatSide = Annotated[float, Quantity("length"), Field(gt=0, le=FURTHEST)]


class Rectangle(Opening):
    """A flat rectangular opening; in 2-D a segment."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[RectangleKeys]) -> None: ...

    flat: ClassVar[frozenset[str]] = frozenset({"size"})

    kind: Literal["rectangle"] = "rectangle"
    size: Annotated[tuple[_FlatSide, ...], Field(min_length=1, max_length=2), BeforeValidator(_flat_entries)] = Field(
        description="Its two sides, the level one first; in 2-D its length."
    )

    def half_sides(self, dimension: int) -> Vector:
        """Half of each side."""
        return tuple(side / 2 for side in self.size)


OpeningShape = Annotated[Disc | Rectangle, Field(discriminator="kind")]


def own_axes(normal: Vector) -> tuple[Vector, ...]:
    """The unit normal, and unit vectors across it: in 3-D first a level one, or along x where all of them are level.

    >>> own_axes((0, 2))
    ((0.0, 1.0), (1.0, -0.0))
    >>> own_axes((0, 0, 2))[0]
    (0.0, 0.0, 1.0)
    """
    n = unit(tuple(map(float, normal)))
    if len(n) == 2:
        return n, (n[1], -n[0])
    x, y, z = n
    level = math.hypot(x, z)
    first = (z / level, 0.0, -x / level) if level > 1e-9 else (1.0, 0.0, 0.0)
    second = (y * first[2] - z * first[1], z * first[0] - x * first[2], x * first[1] - y * first[0])
    return n, first, second
