"""How the liquid is meshed and seen, and what a run keeps. Nothing here changes the simulation."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, Field, create_model, model_validator

from plash.scene.base import FURTHEST, Direction, Number, Point, SceneModel, Switch, Text, Vector, Whole
from plash.scene.units import Quantity
from plash.scene.words import nearest, refusal, refusal_at, shown

COLORS = {
    "white": "#ffffff",
    "light_gray": "#d5d8dc",
    "gray": "#8f959c",
    "black": "#14171a",
    "red": "#c8453b",
    "orange": "#e08a3c",
    "yellow": "#e6c34a",
    "green": "#4f9d69",
    "teal": "#3f9ea3",
    "blue": "#2f6fb7",
    "purple": "#7a5aa6",
    "brown": "#8a6f5a",
}


def _known_color(value: str) -> str:
    if value in COLORS or re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        return value
    known = f"{nearest(value, COLORS)} Known: {', '.join(COLORS)}"
    raise refusal(f'{shown(value)} is no colour: write "#rrggbb" or a name.{known}')


Color = Annotated[Text, AfterValidator(_known_color)]


def rgb(color: str) -> tuple[float, float, float]:
    """Red, green and blue of a colour as on a screen (sRGB), from 0 to 1.

    >>> rgb("#ff8000")
    (1.0, 0.5019607843137255, 0.0)
    """
    code = COLORS.get(color, color)
    red, green, blue = (int(code[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


class Meshing(SceneModel):
    """How the liquid's surface is made."""

    detail: Whole = Field(default=2, ge=1, le=4, description="Samples of the surface along the edge of a cell.")
    placement: Literal["interpolated", "midpoint"] = Field(
        default="interpolated",
        description="Where vertices lie on the edges between samples: where the surface crosses, or half-way.",
    )
    smoothing: Whole | None = Field(
        default=None,
        ge=0,
        le=50,
        description="Rounds of smoothing; each takes out bumps and keeps the volume.",
        json_schema_extra={"default_text": '4; 0 with `placement = "midpoint"`'},
    )
    subdivide: Whole = Field(
        default=0,
        ge=0,
        le=2,
        description="Rounds of Loop subdivision; each makes four triangles of one and keeps edges at walls sharp.",
    )
    drops: Switch = Field(
        default=True, description="Whether particles that the surface does not cover are shown as drops."
    )
    smallest: Number = Field(
        default=0.0,
        ge=0,
        le=FURTHEST,
        description="Volume, in cells, below which separate pieces and cavities are left out.",
    )
    walls: Literal["closed", "open"] = Field(
        default="closed",
        description="Whether the surface goes on along walls and solids, or ends where it meets them.",
    )
    normals: Literal["faces", "field"] = Field(
        default="faces",
        description="Normals at vertices, in 3-D: the mean of the faces round them, or up the field that was cut.",
    )

    @property
    def sweeps(self) -> int:
        """Rounds of smoothing: those asked for, or the default of the placement."""
        if self.smoothing is not None:
            return self.smoothing
        return 4 if self.placement == "interpolated" else 0


# `from` is the word of the scene language, and no name that Python allows in a class body
_From: Any = create_model(
    "_From",
    __base__=SceneModel,
    **{"from": (Point, Field(description="Where the camera stands."))},  # type: ignore[call-overload]
)


class Camera(_From):  # type: ignore[misc]
    """Where the picture is taken from; only in 3-D.

    >>> Camera(**{"from": (2, "150 cm", 3), "to": (1, 0.3, 0.5)}).position
    (2.0, 1.5, 3.0)
    """

    to: Point = Field(description="What it looks at: the middle of the picture.")
    up: Direction = Field(default=(0.0, 1.0, 0.0), description="What is up in the picture.")
    fov: Annotated[float, Quantity("angle of view")] = Field(
        default=35.0, ge=1, le=150, description="Angle of view from the top of the picture to its bottom."
    )

    @property
    def position(self) -> Vector:
        """Where the camera stands."""
        place: Vector = getattr(self, "from")
        return place

    @model_validator(mode="after")
    def _sees_something(self) -> Self:
        if len(self.position) != len(self.to):
            return self  # the scene says which of them has the wrong number of entries
        view = [b - a for a, b in zip(self.position, self.to, strict=True)]
        if not any(view):
            raise refusal_at("to", f"{shown(self.to)} is where the camera stands: it needs a direction to look in")
        if len(view) == 3 == len(self.up):
            (x, y, z), (u, v, w) = view, self.up
            sideways = (y * w - z * v, z * u - x * w, x * v - y * u)
            if max(map(abs, sideways)) <= 1e-9 * max(map(abs, view)) * max(map(abs, self.up)):
                raise refusal_at("up", f"{shown(self.up)} points along the view: choose another direction")
        return self


class Look(SceneModel):
    """What the pictures show."""

    show: Literal["surface", "particles", "cells"] = Field(
        default="surface",
        description="The liquid's surface, its particles as balls, or the cells that hold liquid as boxes.",
    )
    shading: Literal["smooth", "flat"] = Field(
        default="smooth", description="Normals of the surface: at every vertex, or one for each triangle."
    )
    width: Whole = Field(default=960, ge=16, le=8192, description="Pixels across the picture; an even number.")
    height: Whole | None = Field(
        default=None,
        ge=16,
        le=8192,
        description="Pixels from top to bottom; an even number.",
        json_schema_extra={"default_text": "9/16 of the width; in 2-D as the domain asks"},
    )
    camera: Camera | None = Field(
        default=None,
        description="Where the picture is taken from.",
        json_schema_extra={"default_text": "far enough to see the whole domain"},
    )
    color: Color | None = Field(
        default=None,
        description='Colour of the liquid: "#rrggbb" or a name.',
        json_schema_extra={"default_text": "the material's"},
    )
    color_by: Literal["material", "speed"] | None = Field(
        default=None,
        description="Whether the liquid has its own colour or shows how fast it is.",
        json_schema_extra={"default_text": '`"speed"` in 2-D and for particles, else `"material"`'},
    )
    top_speed: Annotated[float, Quantity("velocity")] | None = Field(
        default=None,
        gt=0,
        description="Speed that has the last colour of the scale.",
        json_schema_extra={"default_text": "that of a fall through the domain's height"},
    )
    background: Color = Field(default="#e9edf1", description="Colour behind everything.")
    floor: Switch = Field(default=True, description="Whether there is a floor under the domain; only in 3-D.")
    edges: Switch = Field(default=True, description="Whether the edges of the domain are drawn.")

    @model_validator(mode="after")
    def _video_can_hold_it(self) -> Self:
        for name, pixels in (("width", self.width), ("height", self.height)):
            if pixels is not None and pixels % 2:
                raise refusal_at(name, f"{pixels} is odd: movies need an even number, such as {pixels + 1}")
        return self


class SolidLook(SceneModel):
    """What a solid looks like."""

    color: Color = Field(default="#b9a48c", description='Its colour: "#rrggbb" or a name.')


Format = Literal["mp4", "webm", "gif", "webp"]
FORMATS: tuple[str, ...] = get_args(Format)


def _each_once(formats: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(formats))


class Output(SceneModel):
    """What a run keeps on disk."""

    checkpoint_every: Whole = Field(
        default=1,
        ge=1,
        le=10**6,
        description="Frames between two checkpoints: what a run can lose when it is killed.",
    )
    movies: Annotated[tuple[Format, ...], AfterValidator(_each_once)] = Field(
        default=("mp4",),
        min_length=1,
        description="Formats the movie is made in; the first one is shown in the report.",
        json_schema_extra={"type_text": 'list of `"mp4"`, `"webm"`, `"gif"`, `"webp"`'},
    )
    video_quality: Whole = Field(
        default=18,
        ge=0,
        le=51,
        description="H.264 rate factor of the movie: 0 keeps every bit, 51 is the smallest; other formats follow it.",
    )
    clip_width: Whole = Field(
        default=480, ge=16, le=8192, description="Pixels across a GIF or WebP, at the most; wider pictures are reduced."
    )
