"""What moves liquid besides gravity: pumps, and forces given by a formula or a Python function.

Forces are accelerations, m/s². Attractor and vortex have one profile in the distance r from their point or axis: it
grows in proportion to r up to the radius, where it is the strength, and falls as (radius/r)^falloff beyond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self, Unpack

from pydantic import BeforeValidator, Field, model_validator

from plash.scene.functions import Function
from plash.scene.language.base import FURTHEST, Acceleration, Direction, Length, Name, Number, Point, Velocity
from plash.scene.language.units import Quantity
from plash.scene.language.words import refusal, refusal_at, shown
from plash.scene.shapes import Shape
from plash.scene.timed import Timed

if TYPE_CHECKING:
    from plash.scene.keys import AttractorKeys, ConstantForceKeys, FunctionForceKeys, PumpKeys, VortexKeys

_UNIQUE = "What messages call it; each name may occur once."
Strength = Annotated[float, Quantity("acceleration"), Field(ge=-FURTHEST, le=FURTHEST)]


class Pump(Timed):
    """A place where liquid is given a velocity, or pushed."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[PumpKeys]) -> None: ...

    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "pump 1, pump 2, ..."})
    shape: Shape = Field(description="Where it is.")
    velocity: Velocity | None = Field(
        default=None,
        description="Velocity that liquid gets there; either this or acceleration.",
        json_schema_extra={"default_text": "from acceleration"},
    )
    acceleration: Acceleration | None = Field(
        default=None,
        description="How hard liquid is pushed there.",
        json_schema_extra={"default_text": "from velocity"},
    )

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        if (self.velocity is None) == (self.acceleration is None):
            what = "is missing: give velocity or acceleration"
            if self.velocity is not None:
                what = f"{shown(self.velocity)} is given together with acceleration: keep one of them"
            raise refusal_at("velocity", what)
        return self


class _Force(Timed):
    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "force 1, force 2, ..."})
    shape: Shape | None = Field(
        default=None, description="Where it acts.", json_schema_extra={"default_text": "everywhere"}
    )


class ConstantForce(_Force):
    """The same acceleration everywhere, such as a wind or a second gravity."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[ConstantForceKeys]) -> None: ...

    kind: Literal["constant"] = "constant"
    acceleration: Acceleration = Field(description="How hard and where to.")


class _Central(_Force):
    point: Point = Field(description="Where it acts about; of a vortex, any point of its axis.")
    strength: Strength = Field(description="Acceleration at the radius, where it is largest; it may be negative.")
    radius: Length = Field(gt=0, le=FURTHEST, description="Distance at which it is largest.")


class Attractor(_Central):
    """A pull towards a point; with falloff 2 that of a ball's gravity. With a negative strength it pushes away."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[AttractorKeys]) -> None: ...

    kind: Literal["attractor"] = "attractor"
    falloff: Number = Field(default=2.0, ge=0, le=10, description="How fast it fades beyond the radius: as a power.")


class Vortex(_Central):
    """A push round an axis, counter-clockwise as seen with the axis pointing at you."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[VortexKeys]) -> None: ...

    kind: Literal["vortex"] = "vortex"
    axis: Direction | None = Field(
        default=None,
        description="Direction of the axis, of any length.",
        json_schema_extra={"default_text": "required in 3-D, not in 2-D"},
    )
    falloff: Number = Field(default=1.0, ge=0, le=10, description="How fast it fades beyond the radius: as a power.")

    @model_validator(mode="after")
    def _axis_has_a_direction(self) -> Self:
        if self.axis is not None and not any(self.axis):
            raise refusal_at("axis", f"{shown(self.axis)} has no direction: an entry must differ from 0")
        return self


class FunctionForce(_Force):
    """An acceleration given by a Python function; a bare function in place of a force means the same."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[FunctionForceKeys]) -> None: ...

    kind: Literal["function"] = "function"
    function: Function = Field(
        description="From points, an array (n, axes) in metres, and the time in s to accelerations (n, axes)."
    )


def _from_callable(value: object) -> object:
    """A bare Python function stands for a function force."""
    if isinstance(value, type):
        raise refusal(f"{value.__name__} is a class, not a force: call it with its numbers")
    return FunctionForce(function=value) if callable(value) else value


Force = Annotated[
    Annotated[
        ConstantForce | Attractor | Vortex | FunctionForce,
        Field(discriminator="kind"),
    ],
    BeforeValidator(_from_callable),
]
