"""What stands in the domain: liquid at the start, and solids.

Both are a shape and a few words about it.
"""

from __future__ import annotations

from pydantic import Field

from plash.scene.base import Number, SceneModel, Text, Velocity
from plash.scene.look import SolidLook
from plash.scene.shapes import Shape


class Fill(SceneModel):
    """Liquid at the start: the part of its shape that is in the domain, unbounded or not, and in no solid.

    >>> from plash.scene import Sphere
    >>> Fill(shape=Sphere(center=("5 cm", 0.1, 0), radius="1 cm")).shape.center
    (0.05, 0.1, 0.0)
    """

    shape: Shape = Field(description="Where the liquid is.")
    velocity: Velocity = Field(
        default=(0.0, 0.0, 0.0),
        description="How fast it moves at the start.",
        json_schema_extra={"default_text": "at rest"},
    )


class Solid(SceneModel):
    """A body that liquid cannot enter. It does not move."""

    name: Text = Field(
        default="",
        description="What messages call it; each name may occur once.",
        json_schema_extra={"default_text": "solid 1, solid 2, ... by position"},
    )
    shape: Shape = Field(description="Where the body is.")
    friction: Number = Field(
        default=0.0,
        ge=0,
        le=1,
        description="How much it holds liquid back: 0 lets it slide freely, 1 stops it at the surface; between, a "
        "share of 1 - friction of the velocity along the surface is left after 1/24 s.",
    )
    look: SolidLook = Field(default=SolidLook(), description="What it looks like.")
