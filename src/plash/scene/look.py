"""How the liquid is meshed and seen, and what a run keeps. Nothing here changes the simulation."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, computed_field, create_model, model_validator
from pydantic.config import JsonDict

from plash.errors import Problem, SceneError
from plash.scene.base import (
    FURTHEST,
    Direction,
    Duration,
    Length,
    Number,
    Point,
    SceneModel,
    Switch,
    Text,
    Vector,
    Whole,
)
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
FieldOfView = Annotated[float, Quantity("angle of view")]


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
    **{  # type: ignore[call-overload]
        "from": (
            Point | None,
            Field(
                default=None,
                description="Where the camera stands.",
                json_schema_extra={"default_text": "far enough to see the whole domain"},
            ),
        )
    },
)
_TO: JsonDict = {"default_text": "the middle of what is seen"}


class CameraKey(_From):  # type: ignore[misc]
    """Where the camera is at a time. What a key does not say is as the camera says.

    >>> CameraKey(**{"time": "500 ms", "from": (2, "150 cm", 3)}).position
    (2.0, 1.5, 3.0)
    """

    time: Duration = Field(ge=0, description="When it is there; the first frame is at 0.")
    to: Point | None = Field(
        default=None, description="What it looks at then.", json_schema_extra={"default_text": "as the camera says"}
    )
    fov: FieldOfView | None = Field(
        default=None,
        ge=1,
        le=150,
        description="Angle of view then.",
        json_schema_extra={"default_text": "as the camera says"},
    )

    @property
    def position(self) -> Vector | None:
        """Where the camera stands then."""
        place: Vector | None = getattr(self, "from")
        return place


class Camera(_From):  # type: ignore[misc]
    """Where the picture is taken from; only in 3-D. It stands still, turns about what it sees, or follows keys.

    >>> Camera(**{"from": (2, "150 cm", 3), "to": (1, 0.3, 0.5)}).position
    (2.0, 1.5, 3.0)
    """

    to: Point | None = Field(
        default=None, description="What it looks at: the middle of the picture.", json_schema_extra=_TO
    )
    up: Direction = Field(default=(0.0, 1.0, 0.0), description="What is up in the picture.")
    fov: FieldOfView | None = Field(
        default=None,
        ge=1,
        le=150,
        description="Angle of view from the top of the picture to its bottom.",
        json_schema_extra={"default_text": "35 deg; 28 deg where plash chooses the place"},
    )
    turn: Annotated[float, Quantity("angular velocity")] = Field(
        default=0.0,
        ge=-1e3,
        le=1e3,
        description="How fast the camera goes round what it looks at, counter-clockwise seen from above.",
    )
    key: tuple[CameraKey, ...] = Field(
        default=(),
        description="Places on the camera's way, in the order of their times; it moves smoothly from one to the next.",
        json_schema_extra={"default_text": "none"},
    )
    aperture: Length = Field(
        default=0.0, ge=0, le=1e3, description="Diameter of the lens: the wider, the less is sharp. Only ray traced."
    )
    focus: Length | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="Distance from the camera to what is sharp.",
        json_schema_extra={"default_text": "that of `to`, or of the middle of the domain's floor"},
    )

    @property
    def position(self) -> Vector | None:
        """Where the camera stands; None if that is left to plash."""
        place: Vector | None = getattr(self, "from")
        return place

    @property
    def moves(self) -> bool:
        """Whether it is not in the same place in every picture."""
        return self.turn != 0 or len(self.key) > 1

    @model_validator(mode="after")
    def _stands_somewhere(self) -> Self:
        if (self.position is None) != (self.to is None):
            missing, given = ("to", "from") if self.to is None else ("from", "to")
            raise refusal_at(missing, f"is missing: a camera with `{given}` needs `{missing}` too")
        if self.position is not None and self.to is not None:
            _refuse_blind(self.position, self.to, self.up)
        return self

    @model_validator(mode="after")
    def _has_one_way_to_move(self) -> Self:
        if self.turn and self.key:
            raise refusal_at("turn", "does not go together with keys: take out one of them")
        for index, key in enumerate(self.key):
            place, to = key.position or self.position, key.to or self.to
            if place is None or to is None:
                raise refusal_at("key", f"number {index + 1} needs from and to, or the camera must have them")
            if index and key.time <= self.key[index - 1].time:
                before = self.key[index - 1].time
                raise refusal_at("key", f"number {index + 1} is at {key.time:g} s, not after the one at {before:g} s")
            _refuse_blind(place, to, self.up)
        return self


def _refuse_blind(place: Vector, to: Vector, up: Vector) -> None:
    """Refuse a camera without a direction to look in, or without an up."""
    if len(place) != len(to):
        return  # the scene says which of them has the wrong number of entries
    view = [b - a for a, b in zip(place, to, strict=True)]
    if not any(view):
        raise refusal_at("to", f"{shown(to)} is where the camera stands: it needs a direction to look in")
    if len(view) == 3 == len(up):
        (x, y, z), (u, v, w) = view, up
        sideways = (y * w - z * v, z * u - x * w, x * v - y * u)
        if max(map(abs, sideways)) <= 1e-9 * max(map(abs, view)) * max(map(abs, up)):
            raise refusal_at("up", f"{shown(up)} points along the view: choose another direction")


def _three(value: object) -> object:
    """A list of three entries, for red, green and blue."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(listed, list | tuple) or len(listed) != 3:
        raise refusal(f"{shown(listed)} must be a list of three numbers: for red, green and blue")
    return listed


_Absorption = Annotated[float, Quantity("absorption"), Field(ge=0, le=1e6)]
Absorption = Annotated[tuple[_Absorption, ...], Field(min_length=3, max_length=3), BeforeValidator(_three)]

LIGHTS = ("studio", "sky")
LIGHT_FILES = (".hdr", ".exr")


def _known_light(value: str) -> str:
    """A light by name, or the whole path of a picture of one."""
    if value in LIGHTS:
        return value
    path = Path(value)
    if path.suffix.lower() not in LIGHT_FILES:
        known = f"{nearest(value, LIGHTS)} Known: {', '.join(LIGHTS)}, or the path of an .hdr or .exr file"
        raise refusal(f"{shown(value)} is no light.{known}")
    if not path.is_file():
        raise refusal(f"{shown(value)}: there is no such file")
    return str(path.absolute())


Light = Annotated[Text, AfterValidator(_known_light)]
_OF_LOOK: JsonDict = {"default_text": "that of the liquid's look"}


class Look(SceneModel):
    """What the pictures show. Some of it is only for ray-traced pictures, as `docs/rendering.md` says."""

    quality: Literal["draft", "preview", "final"] = Field(
        default="draft",
        description="How pictures are made: drawn by the built-in renderer (draft), or ray traced in 3-D with few "
        "samples and a denoiser (preview) or with many (final).",
    )
    samples: Whole | None = Field(
        default=None,
        ge=1,
        le=65536,
        description="Rays through each pixel of a ray-traced picture.",
        json_schema_extra={"default_text": "8 in preview, 192 in final"},
    )
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
    edges: Switch = Field(default=True, description="Whether the edges of the domain are drawn; not ray traced.")
    liquid: Literal["water", "clear", "milk", "honey", "oil", "paint", "lava", "jelly", "mercury"] | None = Field(
        default=None,
        description="What the liquid looks like, ray traced; it flows like its material all the same.",
        json_schema_extra={"default_text": "as the material does"},
    )
    ior: Number | None = Field(
        default=None, ge=1, le=4, description="Index of refraction, ray traced.", json_schema_extra=_OF_LOOK
    )
    absorption: Absorption | None = Field(
        default=None,
        description="How fast red, green and blue light fade in the liquid, ray traced: of light e^(-a x) is left "
        "after x metres.",
        json_schema_extra=_OF_LOOK,
    )
    roughness: Number | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How dull the liquid's surface is, ray traced: 0 is a mirror.",
        json_schema_extra=_OF_LOOK,
    )
    tank: Literal["none", "glass"] = Field(
        default="none", description="Whether closed sides of the domain are panes of glass, ray traced."
    )
    light: Light = Field(
        default="studio",
        description='Light of ray-traced pictures: large soft lamps ("studio"), an open "sky", or the path of an '
        ".hdr or .exr file that shows all directions; a relative one starts at the folder of the scene file.",
    )
    exposure: Number = Field(
        default=0.0, ge=-20, le=20, description="How much brighter a ray-traced picture is, in stops: 1 doubles it."
    )
    tone: Literal["filmic", "plain"] = Field(
        default="filmic",
        description="How light becomes colour, ray traced: with contrast and soft highlights as film does, or as it "
        "is, cut off at white.",
    )
    shutter: Number = Field(
        default=0.0,
        ge=0,
        le=1,
        description="How long the shutter is open, as a share of the time between frames: motion blur, ray traced.",
    )

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def light_sha256(self) -> str:
        """Hash of the file of the light, if there is one; part of `model_dump`, so that its change is noticed."""
        if self.light in LIGHTS:
            return ""
        try:
            return hashlib.sha256(Path(self.light).read_bytes()).hexdigest()
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            raise SceneError([Problem("look.light", f"{shown(self.light)} {message}")]) from None

    @model_validator(mode="after")
    def _video_can_hold_it(self) -> Self:
        for name, pixels in (("width", self.width), ("height", self.height)):
            if pixels is not None and pixels % 2:
                raise refusal_at(name, f"{pixels} is odd: movies need an even number, such as {pixels + 1}")
        return self


class SolidLook(SceneModel):
    """What a solid looks like."""

    color: Color = Field(default="#b9a48c", description='Its colour: "#rrggbb" or a name.')
    material: Literal["matte", "plastic", "metal", "glass"] = Field(
        default="matte", description="What it is made of, in ray-traced pictures."
    )
    roughness: Number = Field(
        default=0.1, ge=0, le=1, description="How dull plastic, metal and glass are: 0 is a mirror. Ray traced."
    )


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
