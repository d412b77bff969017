"""The domain: the box of space that is simulated, its cells and its sides.

The box stands at the origin, y is up, and its size is rounded to whole cells.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, get_args

from pydantic import Field, GetJsonSchemaHandler, ValidationInfo, field_validator, model_validator
from pydantic.config import JsonDict
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from plash.scene.language.base import (
    FURTHEST,
    Acceleration,
    Length,
    Number,
    SceneModel,
    Sizes,
    Temperature,
    Whole,
    wrong_dimensions,
)
from plash.scene.language.words import Finding, nearest, refusal, refusals, shown

if TYPE_CHECKING:
    from plash.scene.keys import DomainKeys, SideFrictionKeys, SidesKeys, WarmSidesKeys

MOST_CELLS = 2**31
SMALLEST_CELL = 1e-9

_INSULATING: JsonDict = {"default_text": "insulating"}

SideKind = Literal["closed", "open", "unbounded"]
SideName = Literal["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"]


class Sides(SceneModel):
    """What each side of the domain is; one word instead of the table stands for all of them.

    A closed side is a wall, through an open one liquid leaves and is counted, and where a side is unbounded
    there is none.
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SidesKeys]) -> None: ...

    x_min: SideKind = Field(default="closed", description="The side of smallest x.")
    x_max: SideKind = Field(default="closed", description="The side of largest x.")
    y_min: SideKind = Field(default="closed", description="The floor.")
    y_max: SideKind = Field(default="closed", description="The ceiling.")
    z_min: SideKind = Field(default="closed", description="The side of smallest z; not in 2-D.")
    z_max: SideKind = Field(default="closed", description="The side of largest z; not in 2-D.")

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"enum": list(get_args(SideKind))}, handler(schema)]}


class SideFriction(SceneModel):
    """Friction of each closed side of the domain; one number instead of the table stands for all of them."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SideFrictionKeys]) -> None: ...

    x_min: Number = Field(default=0.0, ge=0, le=1, description="That of the side of smallest x.")
    x_max: Number = Field(default=0.0, ge=0, le=1, description="That of the side of largest x.")
    y_min: Number = Field(default=0.0, ge=0, le=1, description="That of the floor.")
    y_max: Number = Field(default=0.0, ge=0, le=1, description="That of the ceiling.")
    z_min: Number = Field(default=0.0, ge=0, le=1, description="That of the side of smallest z; not in 2-D.")
    z_max: Number = Field(default=0.0, ge=0, le=1, description="That of the side of largest z; not in 2-D.")

    def by_axis(self, dimension: int) -> tuple[tuple[float, float], ...]:
        """(low, high) by axis."""
        pairs = ((self.x_min, self.x_max), (self.y_min, self.y_max), (self.z_min, self.z_max))
        return pairs[:dimension]

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, handler(schema)]}


class WarmSides(SceneModel):
    """How warm closed sides of the domain are, whatever the liquid does; the others are insulating."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[WarmSidesKeys]) -> None: ...

    x_min: Temperature | None = Field(
        default=None, description="The side of smallest x.", json_schema_extra=_INSULATING
    )
    x_max: Temperature | None = Field(default=None, description="The side of largest x.", json_schema_extra=_INSULATING)
    y_min: Temperature | None = Field(default=None, description="The floor.", json_schema_extra=_INSULATING)
    y_max: Temperature | None = Field(default=None, description="The ceiling.", json_schema_extra=_INSULATING)
    z_min: Temperature | None = Field(
        default=None, description="The side of smallest z; not in 2-D.", json_schema_extra=_INSULATING
    )
    z_max: Temperature | None = Field(
        default=None, description="The side of largest z; not in 2-D.", json_schema_extra=_INSULATING
    )

    @property
    def given(self) -> dict[str, float]:
        """Temperatures (K) of the sides that have one, by name."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class Domain(SceneModel):
    """The box of space to simulate, from the origin, and its cells.

    >>> Domain(size=("2 m", "1 m"), cell_size="5 cm").cells
    (40, 20)
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[DomainKeys]) -> None: ...

    size: Sizes = Field(description="Length of the sides along x, y and z; two make a 2-D scene.")
    resolution: Whole | None = Field(
        default=64, ge=1, le=4096, description="Cells along the longest side; not together with cell_size."
    )
    cell_size: Length | None = Field(
        default=None,
        ge=SMALLEST_CELL,
        le=FURTHEST,
        description="Length of the edge of a cell, instead of resolution.",
        json_schema_extra={"default_text": "from resolution"},
    )
    gravity: Acceleration = Field(
        default=(0.0, -9.81, 0.0),
        description="Acceleration of everything that is not held; y is up.",
        json_schema_extra={"default_text": "`[0, -9.81]` in 2-D, `[0, -9.81, 0]` in 3-D"},
    )
    sides: Sides = Field(
        default=Sides(),
        description="One word for all sides, or a table with a word for each.",
        json_schema_extra={"default_text": '`"closed"`', "type_text": "word or table"},
    )
    friction: SideFriction = Field(
        default=SideFriction(),
        description="How much closed sides hold liquid back, as solids do: 0 lets it slide freely, 1 stops it. One "
        "number for all closed sides, or a table with a number for each.",
        json_schema_extra={"default_text": "`0`", "type_text": "number or table"},
    )
    side_temperature: WarmSides = Field(
        default=WarmSides(),
        description="How warm closed sides are; not for stable fluids.",
        json_schema_extra={"default_text": "all are insulating"},
    )

    @field_validator("friction", mode="before")
    @classmethod
    def _one_number_for_all_sides(cls, value: object, info: ValidationInfo) -> object:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if not 0 <= value <= 1:
            raise refusal(f"{shown(value)} must be from 0, which lets liquid slide, to 1, which stops it")
        sides = info.data.get("sides", Sides())
        names = list(SideFriction.model_fields)[: 2 * len(info.data.get("size", "xyz"))]
        return {name: value for name in names if getattr(sides, name) == "closed"}

    @field_validator("sides", mode="before")
    @classmethod
    def _one_word_for_all_sides(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        kinds = get_args(SideKind)
        if value not in kinds:
            raise refusal(f"{shown(value)} is not one of {', '.join(kinds)}.{nearest(value, kinds)}")
        names = list(Sides.model_fields)
        return dict.fromkeys(names[: 2 * len(info.data.get("size", "xyz"))], value)

    @model_validator(mode="after")
    def _depends_on_other_keys(self) -> Self:
        """Defaults that hang together: resolution steps back for cell_size, gravity has an entry per axis."""
        if self.cell_size is not None and "resolution" not in self.model_fields_set:
            self.__dict__["resolution"] = None
        if self.cell_size is None and self.resolution is None:
            self.__dict__["resolution"] = type(self).model_fields["resolution"].default
        if "gravity" not in self.model_fields_set:
            self.__dict__["gravity"] = self.gravity[: self.dimension]
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        found = [
            *wrong_dimensions(self, self.dimension),
            *self._side_problems(),
            *self._friction_problems(),
            *self._cell_problems(),
        ]
        if found:
            raise refusals(found)
        return self

    def _side_problems(self) -> list[Finding]:
        found: list[Finding] = [
            (("sides", side), f"{shown(getattr(self.sides, side))} has no use: a 2-D scene has no such side")
            for side in ("z_min", "z_max")
            if self.dimension == 2 and getattr(self.sides, side) != "closed"
        ]
        for side, warmth in self.side_temperature.given.items():
            kind = getattr(self.sides, side)
            if self.dimension == 2 and side.startswith("z"):
                sentence = f"{warmth:g} K has no use: a 2-D scene has no such side"
                found.append((("side_temperature", side), sentence))
            elif kind != "closed":
                sentence = f"{warmth:g} K has no use: domain.sides.{side} is {shown(kind)}, and only a wall is warm"
                found.append((("side_temperature", side), f"{sentence}: close it, or take the temperature out"))
        return found

    def _friction_problems(self) -> list[Finding]:
        """Friction of sides that are no walls."""
        found: list[Finding] = []
        for number, side in enumerate(SideFriction.model_fields):
            value, kind = getattr(self.friction, side), getattr(self.sides, side)
            if value > 0 and number >= 2 * self.dimension:
                found.append((("friction", side), f"{value:g} has no use: a 2-D scene has no such side"))
            elif value > 0 and kind != "closed":
                remedy = f"take it out, or set domain.sides.{side} = {shown('closed')}"
                found.append((("friction", side), f"{value:g} has no use, as sides.{side} is {shown(kind)}: {remedy}"))
        return found

    def _cell_problems(self) -> list[Finding]:
        key = "resolution" if self.cell_size is None else "cell_size"
        fault = self._cell_fault()
        return [((key,), f"{getattr(self, key)} {fault}")] if fault else []

    def _cell_fault(self) -> str:
        """What is wrong with the cells: said twice, too small, too large for a side, or too many."""
        if self.cell_size is not None and self.resolution is not None:
            return f"is given together with resolution = {self.resolution}: keep one of them"
        if self.h < SMALLEST_CELL:
            return f"makes cells of {self.h:.3g} m: they must have at least {SMALLEST_CELL} m"
        shortest = min(self.size)
        if shortest / self.h < 1 - 1e-9:
            side = f"side {'xyz'[self.size.index(shortest)]} of the domain has only {shortest:.6g} m"
            return f"makes cells of {self.h:.6g} m, but {side}: it must have at least one cell"
        total = math.prod(side / self.h for side in self.size)
        if total > MOST_CELLS:
            remedy = "use larger cells" if self.resolution is None else "lower it"
            return f"makes {total:.4g} cells, but {MOST_CELLS} is the most possible: {remedy}"
        return ""

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.size)

    @property
    def h(self) -> float:
        """Length of the edge of a cell, in metres."""
        if self.cell_size is not None:
            return self.cell_size
        return max(self.size) / (self.resolution or 1)

    @property
    def cells(self) -> tuple[int, ...]:
        """Number of cells along each axis: the size rounded to whole cells."""
        return tuple(max(1, math.floor(side / self.h + 0.5)) for side in self.size)

    def side(self, name: SideName) -> SideKind:
        """What the side of this name is."""
        kinds: dict[str, Any] = self.sides.__dict__
        kind: SideKind = kinds[name]
        return kind
