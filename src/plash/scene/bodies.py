"""What stands in the domain: liquid at the start, and solids.

Both are a shape and a few words about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self, Unpack

from pydantic import Field, model_validator

from plash.scene.colors import Color
from plash.scene.firmness import OwnElasticity
from plash.scene.functions import Function
from plash.scene.language.base import (
    FURTHEST,
    Duration,
    Length,
    Name,
    Number,
    OwnViscosity,
    SceneModel,
    Switch,
    Temperature,
    Text,
    Velocity,
)
from plash.scene.language.units import Quantity
from plash.scene.language.words import refusal_at, shown
from plash.scene.look import SolidLook
from plash.scene.motion import Motion
from plash.scene.poses import Pose
from plash.scene.shapes import Shape

# None only until the container is filled (`solvers/build/containers.py`), which is before anybody asks for it
if TYPE_CHECKING:
    from plash.scene.keys import FillKeys, SolidKeys

    _FillShape = Shape
else:
    _FillShape = Shape | None


class Fill(OwnElasticity):
    """Liquid at the start or at a later time: the part of its shape that is in the domain, or the room in a container.

    Solids stay empty, and liquid that appears later takes only space that has none yet.

    >>> from plash.scene import Sphere
    >>> Fill(shape=Sphere(center=("5 cm", 0.1, 0), radius="1 cm")).shape.center
    (0.05, 0.1, 0.0)
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[FillKeys]) -> None: ...

    shape: _FillShape = Field(  # type: ignore[assignment]
        default=None,
        description="Where the liquid is.",
        json_schema_extra={"default_text": "required, unless inside is given"},
    )
    inside: Text = Field(
        default="",
        description="Name of a solid that the liquid is in, instead of a shape: the room in it, up to level.",
        json_schema_extra={"default_text": "none"},
    )
    level: Length | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="How high the liquid stands above the lowest point of the room inside; only with inside.",
        json_schema_extra={"default_text": "required with inside"},
    )
    velocity: Velocity = Field(
        default=(0.0, 0.0, 0.0),
        description="How fast it moves at the start.",
        json_schema_extra={"default_text": "at rest"},
    )
    velocity_at: Function | None = Field(
        default=None,
        description="Velocities that are added to it: from points, an array (n, axes) in metres, to (n, axes) in m/s.",
        json_schema_extra={"default_text": "none"},
    )
    time: Duration = Field(default=0.0, ge=0, description="When it appears.")
    temperature: Temperature | None = Field(
        default=None,
        description="How warm it is then.",
        json_schema_extra={"default_text": "`liquid.temperature`"},
    )
    viscosity: OwnViscosity | None = Field(
        default=None,
        description="How thick it is: a dynamic viscosity; not for stable fluids.",
        json_schema_extra={"default_text": "the liquid's"},
    )
    color: Color | None = Field(
        default=None,
        description='Its colour: "#rrggbb" or a name; not for stable fluids.',
        json_schema_extra={"default_text": "the liquid's"},
    )
    density: Annotated[float, Quantity("density")] | None = Field(
        default=None,
        ge=0,
        le=FURTHEST,
        description="Of smoke that fills it; only for smoke.",
        json_schema_extra={"default_text": "1 for smoke"},
    )

    @model_validator(mode="after")
    def _has_one_place(self) -> Self:
        if self.inside and self.shape is not None:
            raise refusal_at("inside", f"{shown(self.inside)} is given together with shape: keep one of them")
        if not self.inside and self.level is not None:
            raise refusal_at("level", f"{self.level:g} m has no use without inside, the name of a solid")
        if self.inside and self.level is None:
            raise refusal_at("level", 'is missing: say how high the liquid stands, such as level = "4 cm"')
        if not self.inside and self.shape is None:
            raise refusal_at("shape", "is missing: give a shape, or inside and level")
        return self


class Solid(SceneModel):
    """A body that liquid cannot enter. It stands, or moves as its motion says whatever the liquid does."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SolidKeys]) -> None: ...

    name: Name = Field(
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
    motion: Motion | None = Field(
        default=None, description="How it moves.", json_schema_extra={"default_text": "it stands"}
    )
    temperature: Temperature | None = Field(
        default=None,
        description="How warm it is, whatever the liquid does; not for stable fluids.",
        json_schema_extra={"default_text": "insulating"},
    )
    look: SolidLook = Field(default=SolidLook(), description="What it looks like.")
    collide: Switch = Field(
        default=True, description="Whether it meets the liquid. If not it is a prop: seen, and nothing else."
    )

    @model_validator(mode="after")
    def _props_do_not_act(self) -> Self:
        if not self.collide:
            for key, value in (("friction", self.friction or None), ("temperature", self.temperature)):
                if value is not None:
                    sentence = "has no use on a prop, which meets no liquid: take it out, or collide = false"
                    raise refusal_at(key, f"{value:g} {sentence}")
        return self

    @property
    def moves(self) -> bool:
        """Whether it is not always in the same place."""
        return self.motion is not None and not self.motion.is_still

    def at(self, time: float, dimension: int) -> Solid:
        """The body as it stands at a time, s, in a scene of so many axes; without its motion."""
        return self if self.motion is None else self.placed(self.motion.pose(time), dimension)

    def placed(self, pose: Pose, dimension: int) -> Solid:
        """The body as it stands in a pose, in a scene of so many axes; without its motion."""
        return self.with_values(shape=self.shape.carried(*pose, dimension), motion=None)
