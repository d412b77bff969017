"""Shapes: the regions that fills and solids take up.

Signed distances are in ``plash.levelset.shapes``. In 2-D a sphere is a disc, a cylinder a turned rectangle
and a capsule a stadium.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Unpack

from pydantic import BeforeValidator, Field, model_validator

from plash.scene.functions import Function
from plash.scene.language.base import FURTHEST, Direction, Length, Point, Vector
from plash.scene.language.words import Finding, refusal, refusal_at, refusals, shown
from plash.scene.mesh_shape import MeshShape
from plash.scene.moves import Bounds, Movable, Rotation, added, around, times, unit

if TYPE_CHECKING:
    from plash.scene.keys import (
        BoxKeys,
        CapsuleKeys,
        CylinderKeys,
        DifferenceKeys,
        FunctionShapeKeys,
        HalfSpaceKeys,
        HeightShapeKeys,
        SphereKeys,
        UnionKeys,
    )

DEEPEST = 16


class Box(Movable):
    """A box along the axes, from one corner to the opposite one."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[BoxKeys]) -> None: ...

    kind: Literal["box"] = "box"
    min: Point = Field(description="The corner with the smallest coordinates.")
    max: Point = Field(description="The corner with the largest coordinates.")

    @model_validator(mode="after")
    def _min_is_below_max(self) -> Self:
        wrong: list[Finding] = [
            (("max",), f"{shown(self.max)} must be above min = {shown(self.min)} along {axis}")
            for axis, low, high in zip("xyz", self.min, self.max, strict=False)
            if not low < high
        ]
        if wrong:
            raise refusals(wrong)
        return self

    def own_bounds(self, dimension: int) -> Bounds:
        """The box itself."""
        return self.min, self.max


class Sphere(Movable):
    """A ball; in 2-D a disc."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SphereKeys]) -> None: ...

    kind: Literal["sphere"] = "sphere"
    center: Point = Field(description="The middle.")
    radius: Length = Field(gt=0, le=FURTHEST, description="Distance from the middle to the surface.")

    def own_bounds(self, dimension: int) -> Bounds:
        """The box whose faces the sphere touches."""
        return around((self.center,), (self.radius,) * dimension)


class _Rod(Movable):
    base: Point = Field(description="One end of the axis.")
    top: Point = Field(description="The other end of the axis.")
    radius: Length = Field(gt=0, le=FURTHEST, description="Distance from the axis to the surface.")

    @model_validator(mode="after")
    def _has_length(self) -> Self:
        if self.base == self.top:
            raise refusal_at("top", f"{shown(self.top)} is the same point as base: the axis has no length")
        return self


class Cylinder(_Rod):
    """A cylinder with flat ends; in 2-D a turned rectangle, as wide as two radii."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[CylinderKeys]) -> None: ...

    kind: Literal["cylinder"] = "cylinder"

    def own_bounds(self, dimension: int) -> Bounds:
        """The box around both end discs."""
        axis = unit(tuple(b - a for a, b in zip(self.base, self.top, strict=True)))
        return around((self.base, self.top), tuple(self.radius * math.sqrt(max(0, 1 - a * a)) for a in axis))


class Capsule(_Rod):
    """A cylinder with round ends, which reach one radius beyond base and top; in 2-D a stadium."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[CapsuleKeys]) -> None: ...

    kind: Literal["capsule"] = "capsule"

    def own_bounds(self, dimension: int) -> Bounds:
        """The box around both end balls."""
        return around((self.base, self.top), (self.radius,) * dimension)


class HalfSpace(Movable):
    """Everything on one side of a plane, such as a floor or the water of a pool; in 2-D of a line."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[HalfSpaceKeys]) -> None: ...

    kind: Literal["half_space"] = "half_space"
    point: Point = Field(description="Any point of the plane.")
    normal: Direction = Field(description="Direction out of the shape, of any length: the inside is opposite.")

    @model_validator(mode="after")
    def _normal_has_a_direction(self) -> Self:
        if not any(self.normal):
            raise refusal_at("normal", f"{shown(self.normal)} has no direction: an entry must differ from 0")
        return self

    def own_bounds(self, dimension: int) -> Bounds:
        """Infinite, but for one end of the axis that the normal points along, if it does."""
        low, high = [-math.inf] * dimension, [math.inf] * dimension
        along = [axis for axis, part in enumerate(self.normal) if part]
        if len(along) == 1:
            (high if self.normal[along[0]] > 0 else low)[along[0]] = self.point[along[0]]
        return tuple(low), tuple(high)

    def own_center(self, dimension: int) -> Vector:
        """The point given."""
        return self.point

    def may_overlap(self, low: Vector, high: Vector) -> bool:
        """Whether the corner of the box that lies deepest is inside: certain, however the plane is turned."""
        normal, point = unit(self.normal), self.point
        if self.rotation is not None:
            pivot = self.pivot(len(low))
            away = tuple(x - c for x, c in zip(point, pivot, strict=True))
            normal, point = (
                times(self.rotation.matrix(), normal),
                added(times(self.rotation.matrix(), away), pivot),
            )
        point = added(point, self.translation or (0.0,) * len(low))
        deepest = [a if part > 0 else b for a, b, part in zip(low, high, normal, strict=True)]
        return sum((x - p) * part for x, p, part in zip(deepest, point, normal, strict=True)) < 0


class _Group(Movable):
    @model_validator(mode="before")
    @classmethod
    def _is_not_too_deep(cls, data: Any) -> Any:
        level, depth = [data], 0
        while level:
            level, depth = _children(level), depth + 1
            if depth > DEEPEST:
                raise refusal(f"is nested more than {DEEPEST} shapes deep: take some levels out")
        return data


class Union(_Group):
    """Everything that is in any of several shapes."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[UnionKeys]) -> None: ...

    kind: Literal["union"] = "union"
    of: tuple[Shape, ...] = Field(min_length=1, description="The shapes.")

    def own_bounds(self, dimension: int) -> Bounds:
        """The box around the boxes of all parts."""
        lows, highs = zip(*(part.bounds(dimension) for part in self.of), strict=True)
        return tuple(map(min, zip(*lows, strict=True))), tuple(map(max, zip(*highs, strict=True)))


class Difference(_Group):
    """Everything that is in the first of several shapes and in none of the others."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[DifferenceKeys]) -> None: ...

    kind: Literal["difference"] = "difference"
    of: tuple[Shape, ...] = Field(min_length=1, description="The shape to take from, then those to take away.")

    def own_bounds(self, dimension: int) -> Bounds:
        """The box around the first part."""
        return self.of[0].bounds(dimension)


class FunctionShape(Movable):
    """A shape given by a Python function; a bare function in place of a shape, or its name, means the same."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[FunctionShapeKeys]) -> None: ...

    kind: Literal["function"] = "function"
    function: Function = Field(
        description="From points, an array (n, axes) in metres, to signed distances (n,), negative inside."
    )


class HeightShape(Movable):
    """Everything below a height given by a Python function."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[HeightShapeKeys]) -> None: ...

    kind: Literal["height"] = "height"
    height: Function = Field(description="From x, and in 3-D z, arrays (n,) in metres, to the heights (n,) there.")


def _from_callable(value: object) -> object:
    """A bare Python function, or its name, stands for a function shape."""
    if isinstance(value, type):
        raise refusal(f"{value.__name__} is a class, not a shape: call it with its sizes")
    if isinstance(value, str) and ":" in value:
        return {"kind": "function", "function": value}
    return FunctionShape(function=value) if callable(value) else value


Shape = Annotated[
    Annotated[
        Box | Sphere | Cylinder | Capsule | HalfSpace | MeshShape | Union | Difference | FunctionShape | HeightShape,
        Field(discriminator="kind"),
    ],
    BeforeValidator(_from_callable),
]

Union.model_rebuild()
Difference.model_rebuild()


def misfits_of(shape: Movable, dimension: int) -> list[Finding]:
    """Rotations that say too little or too much: the axis, and the point to turn an endless shape about.

    And meshes that cannot be placed, since their centre is not known either.
    """
    found: list[Finding] = []
    if isinstance(shape, MeshShape):
        found += shape.misfits(dimension)
    if isinstance(shape, Union | Difference):
        for index, part in enumerate(shape.of):
            found += [(("of", index, *place), text) for place, text in misfits_of(part, dimension)]
    if shape.rotation is not None and not found:
        found += [(("rotation", *place), text) for place, text in _unclear(shape.rotation, shape, dimension)]
    return found


def _unclear(rotation: Rotation, shape: Movable, dimension: int) -> list[Finding]:
    if dimension == 3 and rotation.axis is None:
        return [(("axis",), "is missing: a turn in 3-D needs an axis, such as [0, 1, 0]")]
    if dimension == 2 and rotation.axis is not None:
        return [(("axis",), f"{shown(rotation.axis)} has no use: a 2-D scene turns in its own plane")]
    if not all(map(math.isfinite, shape.pivot(dimension))):
        return [(("about",), "is missing: the shape is endless and has no centre to turn about")]
    return []


def _children(level: list[Any]) -> list[Any]:
    """The shapes inside the groups of one level of nesting, each object once."""
    found: dict[int, Any] = {}
    for item in level:
        parts = item.get("of") if isinstance(item, dict) else getattr(item, "of", ())
        if isinstance(parts, list | tuple):
            found.update((id(part), part) for part in parts)
    return list(found.values())
