"""Where liquid, heat and dye come from and where liquid goes: blobs, spouts, heat, dye and sinks.

Drops have a file of their own. In 2-D volumes are per metre of depth, and a flow rate is one in m²/s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Unpack

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator
from pydantic.config import JsonDict

from plash.scene.colors import Color
from plash.scene.drops import Drops
from plash.scene.firmness import OwnElasticity
from plash.scene.language.base import (
    FURTHEST,
    Duration,
    Name,
    Number,
    OwnViscosity,
    SceneModel,
    Temperature,
    Text,
    Velocity,
)
from plash.scene.language.units import FlowRate, Quantity, flow_axes
from plash.scene.language.words import Finding, refusal_at, shown
from plash.scene.motion import Motion
from plash.scene.openings import OpeningShape
from plash.scene.shapes import Shape
from plash.scene.timed import Timed

if TYPE_CHECKING:
    from plash.scene.keys import BlobKeys, DyeSourceKeys, HeatSourceKeys, SinkKeys, SmokeSourceKeys, SpoutKeys

Speed = Annotated[float, Quantity("velocity")]
_UNIQUE = "What messages call it; each name may occur once."
_OF_LIQUID: JsonDict = {"default_text": "`liquid.temperature`"}


class Flowing(SceneModel):
    """What has a flow rate, given for as many axes as the scene has."""

    flow_rate: FlowRate | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="Volume in a second; in 2-D per metre of depth, so in m^2/s.",
    )
    _axes: int | None = PrivateAttr(default=None)

    @model_validator(mode="wrap")
    @classmethod
    def _remember_unit(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        made = handler(data)
        if isinstance(data, Mapping):
            made._axes = flow_axes(data.get("flow_rate"))
        return made

    def wrong_unit(self, dimension: int) -> list[Finding]:
        """Whether the unit of the flow rate is one of a scene with this many axes; forgets it."""
        axes, self._axes = self._axes, None
        if axes is None or axes == dimension:
            return []
        wanted = {2: 'per metre of depth, such as "0.01 m^2/s"', 3: 'such as "0.2 L/s"'}[dimension]
        return [(("flow_rate",), f"is a flow rate of a {axes}-D scene: this one is {dimension}-D, write one {wanted}")]


class Blob(OwnElasticity):
    """Liquid that appears at a time, where there is none yet."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[BlobKeys]) -> None: ...

    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "source 1, source 2, ..."})
    kind: Literal["blob"] = Field(default="blob", description="A blob.")
    shape: Shape = Field(description="Where the liquid appears.")
    time: Duration = Field(default=0.0, ge=0, description="When it appears.")
    velocity: Velocity = Field(
        default=(0.0, 0.0, 0.0),
        description="How fast it moves then.",
        json_schema_extra={"default_text": "at rest"},
    )
    temperature: Temperature | None = Field(
        default=None, description="How warm it is then.", json_schema_extra=_OF_LIQUID
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

    @property
    def gives_heat(self) -> bool:
        """Whether it warms what is there, beside by what it brings."""
        return False


class Spout(Flowing, Timed, OwnElasticity):
    """An opening that liquid comes out of, on the side its normal points to.

    While it runs it stands in the way of other liquid, like the end of a pipe one cell long.

    >>> from plash.scene import Disc
    >>> tap = Spout(shape=Disc(center=(0, 1, 0), normal=(0, -1, 0), radius="1 cm"), flow_rate="0.1 L/s")
    >>> round(tap.peak(3), 4)
    0.3183
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SpoutKeys]) -> None: ...

    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "source 1, source 2, ..."})
    kind: Literal["spout"] = Field(default="spout", description="A spout.")
    shape: OpeningShape = Field(description="The opening.")
    speed: Speed | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="How fast the liquid comes out; either this or flow_rate.",
        json_schema_extra={"default_text": "from flow_rate"},
    )
    ramp: Duration = Field(
        default=0.0, ge=0, description="Time in which the speed grows at the start, and falls before the stop."
    )
    motion: Motion | None = Field(
        default=None, description="How it moves.", json_schema_extra={"default_text": "it stands"}
    )
    inherit: Number = Field(
        default=1.0, ge=0, le=1, description="Share of its own velocity that it hands on to the liquid."
    )
    temperature: Temperature | None = Field(
        default=None,
        description="How warm the liquid is that comes out.",
        json_schema_extra=_OF_LIQUID,
    )
    viscosity: OwnViscosity | None = Field(
        default=None,
        description="How thick the liquid is that comes out: a dynamic viscosity; not for stable fluids.",
        json_schema_extra={"default_text": "the liquid's"},
    )
    color: Color | None = Field(
        default=None,
        description='Colour of the liquid that comes out: "#rrggbb" or a name; not for stable fluids.',
        json_schema_extra={"default_text": "the liquid's"},
    )

    @model_validator(mode="after")
    def _has_one_speed(self) -> Self:
        if (self.speed is None) == (self.flow_rate is None):
            what = "is missing: give speed or flow_rate"
            if self.speed is not None:
                what = f"{self.speed} is given together with flow_rate = {self.flow_rate}: keep one of them"
            raise refusal_at("speed", what)
        return self

    @model_validator(mode="after")
    def _ramps_fit(self) -> Self:
        if 2 * self.ramp > self.end - self.start:
            sentence = f"{self.ramp} s, once up and once down, takes longer than the {self.end - self.start:.6g} s"
            raise refusal_at("ramp", f"{sentence} from start to stop")
        return self

    @property
    def moves(self) -> bool:
        """Whether it is not always in the same place."""
        return self.motion is not None and not self.motion.is_still

    def peak(self, dimension: int) -> float:
        """The speed after the ramp, m/s."""
        if self.speed is not None:
            return self.speed
        assert self.flow_rate is not None
        return self.flow_rate / self.shape.area(dimension)

    def share(self, time: float) -> float:
        """The speed at a time, as a share of the peak."""
        if not self.acts(time):
            return 0.0
        since, left = time - self.start, self.end - time
        return min(1.0, since / self.ramp, left / self.ramp) if self.ramp > 0 else 1.0

    def run_time(self, time: float) -> float:
        """Seconds at the peak speed that give what has come out up to a time: the integral of the share."""
        since = min(max(time - self.start, 0.0), self.end - self.start)
        risen = min(since, self.ramp)
        lost = risen - risen**2 / (2 * self.ramp) if self.ramp > 0 else 0.0
        falling = max(0.0, since - (self.end - self.start - self.ramp)) if math.isfinite(self.end) else 0.0
        lost += falling**2 / (2 * self.ramp) if self.ramp > 0 else 0.0
        return since - lost


class HeatSource(Timed):
    """A place where everything is held at a temperature, warm or cold. It brings no liquid.

    >>> from plash.scene import Box
    >>> HeatSource(shape=Box(min=(0, 0), max=(1, 0.1)), temperature="60 degC").temperature
    333.15
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[HeatSourceKeys]) -> None: ...

    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "source 1, source 2, ..."})
    kind: Literal["heat"] = Field(default="heat", description="A source of heat.")
    shape: Shape = Field(description="Where it is.")
    temperature: Temperature = Field(description="How warm everything there is while it acts.")

    @property
    def gives_heat(self) -> bool:
        """Whether it does, even if it is as warm as what is there."""
        return True


class DyeSource(Timed):
    """A place where liquid that passes takes on a colour. It brings no liquid.

    >>> from plash.scene import Box
    >>> DyeSource(shape=Box(min=(0, 0), max=(1, 0.1)), color="red", rate="2 s^-1").rate
    2.0
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[DyeSourceKeys]) -> None: ...

    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "source 1, source 2, ..."})
    kind: Literal["dye"] = Field(default="dye", description="A source of dye.")
    shape: Shape = Field(description="Where it is.")
    color: Color = Field(description='Colour that liquid takes on there: "#rrggbb" or a name.')
    rate: Annotated[float, Quantity("rate")] | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="How fast: after t seconds there a share of e^(-rate t) of its own colour is left.",
        json_schema_extra={"default_text": "at once"},
    )


class SmokeSource(Timed):
    """A place that smoke, heat or fuel comes from, in air.

    >>> from plash.scene import Sphere
    >>> SmokeSource(shape=Sphere(center=(0, 0, 0), radius=1), mass_rate="3 g/s").mass_rate
    0.003
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SmokeSourceKeys]) -> None: ...

    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "source 1, source 2, ..."})
    kind: Literal["smoke"] = Field(default="smoke", description="A source of smoke.")
    shape: Shape = Field(description="Where it is.")
    mass_rate: Annotated[float, Quantity("mass rate")] | None = Field(
        default=None,
        ge=0,
        le=FURTHEST,
        description="Smoke in a second, in kg/s; in 2-D per metre of depth.",
        json_schema_extra={"default_text": "from density_rate"},
    )
    density_rate: Number | None = Field(
        default=None,
        ge=0,
        le=FURTHEST,
        description="Smoke in a second for each m^3 of the shape, in kg/(m^3 s); not together with mass_rate.",
        json_schema_extra={"default_text": "none"},
    )
    temperature: Temperature | None = Field(
        default=None,
        description="How warm the air in it is held.",
        json_schema_extra={"default_text": "as the air is"},
    )
    color: Color | None = Field(
        default=None,
        description='Colour of its smoke: "#rrggbb" or a name.',
        json_schema_extra={"default_text": "`liquid.color`; if all smoke has one colour, `look.smoke_color`"},
    )
    fuel: Number = Field(
        default=0.0, ge=0, le=1, description="Share of fuel that the air in it is held at: what burns."
    )
    velocity: Velocity | None = Field(
        default=None,
        description="How fast it blows, beside its own motion.",
        json_schema_extra={"default_text": "it does not blow"},
    )
    motion: Motion | None = Field(
        default=None, description="How it moves.", json_schema_extra={"default_text": "it stands"}
    )

    @model_validator(mode="after")
    def _has_one_rate(self) -> Self:
        if self.mass_rate is not None and self.density_rate is not None:
            sentence = f"{self.density_rate:g} is given together with mass_rate = {self.mass_rate:g}: keep one of them"
            raise refusal_at("density_rate", sentence)
        return self

    @property
    def moves(self) -> bool:
        """Whether it is not always in the same place."""
        return self.motion is not None and not self.motion.is_still

    @property
    def gives_heat(self) -> bool:
        """Whether fuel of it may burn."""
        return self.fuel > 0


Source = Annotated[Blob | Spout | Drops | HeatSource | DyeSource | SmokeSource, Field(discriminator="kind")]


class Sink(Flowing, Timed):
    """A place where liquid goes: all that enters it, or as much as its flow rate, or as a source brings in."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SinkKeys]) -> None: ...

    name: Name = Field(default="", description=_UNIQUE, json_schema_extra={"default_text": "sink 1, sink 2, ..."})
    shape: Shape = Field(description="Where it is.")
    match: Text = Field(
        default="",
        description="Name of a spout: as much goes as that has brought in; not together with flow_rate.",
        json_schema_extra={"default_text": "none"},
    )

    @model_validator(mode="after")
    def _has_one_rate(self) -> Self:
        if self.match and self.flow_rate is not None:
            sentence = f"{shown(self.match)} is given together with flow_rate = {self.flow_rate}: keep one of them"
            raise refusal_at("match", sentence)
        return self
