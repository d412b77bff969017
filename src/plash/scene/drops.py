"""Rain: drops that fall at random moments, from random places."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, Self, Unpack

from pydantic import Field, model_validator

from plash.scene.colors import Color
from plash.scene.firmness import OwnElasticity
from plash.scene.language.base import FURTHEST, Length, Name, OwnViscosity, Temperature, Velocity
from plash.scene.language.units import Quantity
from plash.scene.language.words import refusal_at
from plash.scene.shapes import Shape
from plash.scene.timed import Timed

if TYPE_CHECKING:
    from plash.scene.keys import DropsKeys


class Drops(Timed, OwnElasticity):
    """Drops that appear at random, such as rain: one in each 1/rate seconds, at a random moment of them.

    When and where each appears follows from `solver.seed` alone. Where there is liquid already, or a solid, none does.

    >>> from plash.scene import Box
    >>> rain = Drops(shape=Box(min=(0, 0.9), max=(1, 1)), rate="40 s^-1", radius="1 cm", largest="2 cm")
    >>> round(rain.mean_volume(2), 6)
    0.000733
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[DropsKeys]) -> None: ...

    name: Name = Field(
        default="",
        description="What messages call it; each name may occur once.",
        json_schema_extra={"default_text": "source 1, source 2, ..."},
    )
    kind: Literal["drops"] = Field(default="drops", description="Drops at random.")
    shape: Shape = Field(description="Where drops appear: their middles are in it, and in the domain.")
    rate: Annotated[float, Quantity("rate")] = Field(gt=0, le=1e6, description="How many drops appear in a second.")
    radius: Length = Field(gt=0, le=FURTHEST, description="Radius of a drop; with largest, of the smallest ones.")
    largest: Length | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="Radius of the largest drops: all between the two are as common.",
        json_schema_extra={"default_text": "`radius`: all are alike"},
    )
    velocity: Velocity = Field(
        default=(0.0, 0.0, 0.0),
        description="How fast they move when they appear.",
        json_schema_extra={"default_text": "at rest"},
    )
    temperature: Temperature | None = Field(
        default=None,
        description="How warm they are then.",
        json_schema_extra={"default_text": "`liquid.temperature`"},
    )
    viscosity: OwnViscosity | None = Field(
        default=None,
        description="How thick they are: a dynamic viscosity.",
        json_schema_extra={"default_text": "the liquid's"},
    )
    color: Color | None = Field(
        default=None,
        description='Their colour: "#rrggbb" or a name.',
        json_schema_extra={"default_text": "the liquid's"},
    )

    @model_validator(mode="after")
    def _grows_upwards(self) -> Self:
        if self.largest is not None and self.largest < self.radius:
            raise refusal_at("largest", f"{self.largest:g} m is below radius = {self.radius:g} m: exchange them")
        return self

    @property
    def radii(self) -> tuple[float, float]:
        """Of the smallest and the largest drop, m."""
        return self.radius, self.radius if self.largest is None else self.largest

    def mean_volume(self, dimension: int) -> float:
        """Of a drop on average, m³ (m² in 2-D)."""
        low, high = self.radii
        power = dimension + 1
        mean = low**dimension if high == low else (high**power - low**power) / (power * (high - low))
        return mean * (math.pi if dimension == 2 else 4 / 3 * math.pi)
