"""How the liquid is seen: colours, light, camera. Nothing here changes the simulation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self, Unpack

from pydantic import AfterValidator, BeforeValidator, Field, computed_field, model_validator
from pydantic.config import JsonDict

from plash.carried import scalars
from plash.scene.camera import Camera
from plash.scene.colors import Color
from plash.scene.language.base import FURTHEST, Duration, Length, Number, SceneModel, Switch, Text, Whole
from plash.scene.language.units import Quantity
from plash.scene.language.words import nearest, refusal, refusal_at, shown
from plash.scene.light_file import LIGHT_FILES, light_fault
from plash.scene.sets import LIGHTS, SETS
from plash.scene.texture_file import file_sha256, texture_fault

if TYPE_CHECKING:
    from plash.scene.keys import LookKeys, SolidLookKeys


def _three(value: object) -> object:
    """A list of three entries, for red, green and blue."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(listed, list | tuple) or len(listed) != 3:
        raise refusal(f"{shown(listed)} must be a list of three numbers: for red, green and blue")
    return listed


_Absorption = Annotated[float, Quantity("absorption"), Field(ge=0, le=1e6)]
Absorption = Annotated[tuple[_Absorption, ...], Field(min_length=3, max_length=3), BeforeValidator(_three)]

SHUTTER = 0.5  # share of the time between ray-traced frames that the shutter is open for
SMOKE_COLOR = "#b8bbbf"  # of smoke that nobody gave one
SMOKE_KEYS = ("smoke", "smoke_color", "smoke_opacity", "fire_brightness")


def _known_light(value: str) -> str:
    """A light by name, or the whole path of a picture of one."""
    if value in LIGHTS:
        return value
    path = Path(value)
    if path.suffix.lower() not in LIGHT_FILES:
        known = f"{nearest(value, LIGHTS)} Known: {', '.join(LIGHTS)}, or the path of an .hdr or .exr file"
        raise refusal(f"{shown(value)} is no light.{known}")
    fault = light_fault(value)
    if fault:
        raise refusal(fault)
    return str(path.absolute())


def _known_texture(value: str) -> str:
    """The whole path of a picture."""
    fault = texture_fault(value)
    if fault:
        raise refusal(fault)
    return str(Path(value).absolute())


Light = Annotated[Text, AfterValidator(_known_light)]
Texture = Annotated[Text, AfterValidator(_known_texture)]
_OF_SET: JsonDict = {"default_text": "that of the set"}
_OF_LOOK: JsonDict = {"default_text": "that of the liquid's look"}


# Words that the table of what particles carry gives too; to a type checker they are text
if TYPE_CHECKING:
    ColorBy = str
else:
    ColorBy = Literal[("material", "speed", *scalars())]


class Look(SceneModel):
    """What the pictures show. Some of it is only for ray-traced pictures, as `docs/rendering.md` says."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[LookKeys]) -> None: ...

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
        json_schema_extra={"default_text": "8 in preview, 192 in final; with smoke 6 and 144"},
    )
    show: Literal["surface", "particles", "cells", "volume"] = Field(
        default="surface",
        description="The liquid's surface, its particles as balls, or the cells that hold liquid as boxes; smoke is "
        "shown as a volume.",
        json_schema_extra={"default_text": '`"surface"`; of smoke, `"volume"`'},
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
        json_schema_extra={"default_text": "far enough to see all places that the liquid may reach"},
    )
    set: Literal["studio", "pool", "lab", "table", "outdoors", "dark"] = Field(
        default="studio",
        description="What is round the domain: an empty studio, tiles (pool), a bench by a window (lab), a wooden "
        "table and a lens with little depth of field (table), stone in the sun (outdoors), or a dark room (dark).",
    )
    color: Color | None = Field(
        default=None,
        description='Colour of the liquid: "#rrggbb" or a name.',
        json_schema_extra={"default_text": "the material's"},
    )
    color_by: ColorBy | None = Field(
        default=None,
        description="Whether the liquid has its own colour (material), or shows how fast it is (speed), or what else "
        "its particles carry: " + "; ".join(f"{quantity.about} ({name})" for name, quantity in scalars().items()) + ".",
        json_schema_extra={"default_text": '`"speed"` in 2-D and for particles, else `"material"`'},
    )
    top_speed: Annotated[float, Quantity("velocity")] | None = Field(
        default=None,
        gt=0,
        description="Speed that has the last colour of the scale.",
        json_schema_extra={"default_text": "that of a fall through the domain's height"},
    )
    smoke: Literal["volume", "billboards"] = Field(
        default="volume",
        description="How smoke is drawn: light is followed through it (volume), or every cell is a blurry dot, drawn "
        "from back to front (billboards). Pictures in 2-D and ray-traced ones show it as a volume.",
    )
    smoke_color: Color = Field(
        default=SMOKE_COLOR,
        description='Colour of smoke in white light, "#rrggbb" or a name: black is soot, white is steam. Instead, '
        "fills and sources may have their own.",
    )
    smoke_opacity: Annotated[float, Quantity("extinction")] | None = Field(
        default=None,
        ge=0,
        le=1e9,
        description="How much smoke dims what is behind it, an area for each kilogram: of light e^(-opacity density x) "
        "is left after x metres.",
        json_schema_extra={"default_text": "so that 1 kg/m³ is dense: 24 over the domain's size"},
    )
    fire_brightness: Number = Field(
        default=1.0, ge=0, le=1e6, description="How bright flames are: 2 doubles their light, 0 shows none of it."
    )
    background: Color | None = Field(
        default=None, description="Colour of the floor, and behind everything.", json_schema_extra=_OF_SET
    )
    drying_time: Duration = Field(
        default=20.0,
        ge=0,
        le=FURTHEST,
        description="After which 1/e is left of the film that liquid leaves on solids and on the floor. It makes them "
        "darker and gives them a gloss. 0 leaves them dry. Only in 3-D, with a closed surface.",
    )
    floor: Switch = Field(default=True, description="Whether there is a floor under the domain; only in 3-D.")
    edges: Switch = Field(default=True, description="Whether the edges of the domain are drawn; not ray traced.")
    liquid: Literal["water", "clear", "milk", "honey", "oil", "paint", "lava", "jelly", "mercury"] | None = Field(
        default=None,
        description="What the liquid looks like; it flows like its material all the same.",
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
    tank: Literal["none", "glass"] | None = Field(
        default=None,
        description="Whether closed sides of the domain are panes of glass, ray traced.",
        json_schema_extra={"default_text": '`"glass"`; with smoke, `"none"`'},
    )
    tank_color: Color = Field(
        default="white", description="Colour of the panes: light that passed through one has it. Ray traced."
    )
    light: Light | None = Field(
        default=None,
        description='Light of pictures: large soft lamps ("studio"), an open "sky", a "window", the "sun" in a clear '
        'sky, lamps behind the scene in a "dark" room, or, ray traced, the path of an .hdr or .exr file that shows '
        "all directions; a relative one starts at the folder of the scene file.",
        json_schema_extra=_OF_SET,
    )
    exposure: Number = Field(
        default=0.0,
        ge=-20,
        le=20,
        description="How much brighter a picture in 3-D is, in stops: 1 doubles the light. Not in drafts of a studio.",
    )
    tone: Literal["filmic", "plain"] = Field(
        default="filmic",
        description="How light becomes colour, ray traced: with contrast and soft highlights as film does, or as it "
        "is, cut off at white.",
    )
    shutter: Number | None = Field(
        default=None,
        ge=0,
        le=1,
        description="How long the shutter is open, as a share of the time between frames: motion blur, ray traced.",
        json_schema_extra={"default_text": "0.5; 0 in drafts"},
    )

    @property
    def seen_background(self) -> str:
        """The colour of floor and background: its own, or that of the set."""
        return self.background or SETS[self.set].background

    @property
    def seen_light(self) -> str:
        """The light: its own, or that of the set."""
        return self.light or SETS[self.set].light

    @property
    def open_shutter(self) -> float:
        """The share of the time between frames that the shutter is open for."""
        if self.shutter is not None:
            return self.shutter
        return 0.0 if self.quality == "draft" else SHUTTER

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def light_sha256(self) -> str:
        """Hash of the file of the light, if there is one; part of `model_dump`, so that its change is noticed."""
        return "" if self.light is None or self.light in LIGHTS else file_sha256(self.light, "look.light")

    def showing(self, what: str) -> Look:
        """The same that shows something else, which nobody asked for."""
        made = self.model_copy()
        made.__dict__["show"] = what
        return made

    @model_validator(mode="after")
    def _video_can_hold_it(self) -> Self:
        for name, pixels in (("width", self.width), ("height", self.height)):
            if pixels is not None and pixels % 2:
                raise refusal_at(name, f"{pixels} is odd: movies need an even number, such as {pixels + 1}")
        return self


class SolidLook(SceneModel):
    """What a solid looks like."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SolidLookKeys]) -> None: ...

    color: Color | None = Field(
        default=None,
        description='Its colour: "#rrggbb" or a name. Glass is tinted: light that passed through has this colour.',
        json_schema_extra={"default_text": '`"#b9a48c"`; glass is clear'},
    )
    material: Literal["matte", "plastic", "metal", "glass"] = Field(
        default="matte", description="What it is made of, in ray-traced pictures."
    )
    roughness: Number = Field(
        default=0.1, ge=0, le=1, description="How dull plastic, metal and glass are: 0 is a mirror. Ray traced."
    )
    texture: Texture | None = Field(
        default=None,
        description="Path of a .png or .jpg picture that covers it, from all sides, again and again; a relative one "
        "starts at the folder of the scene file. Only in 3-D; its colours are multiplied by `color`, if that is given.",
        json_schema_extra={"default_text": "none"},
    )
    texture_size: Length | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="How wide the picture is on the solid.",
        json_schema_extra={"default_text": "the longest side of the domain"},
    )

    @computed_field(repr=False)  # type: ignore[prop-decorator]
    @property
    def texture_sha256(self) -> str:
        """Hash of the file of the texture, if there is one; part of `model_dump`, so that its change is noticed."""
        return "" if self.texture is None else file_sha256(self.texture, "look.texture")

    @model_validator(mode="after")
    def _texture_has_a_use(self) -> Self:
        if self.texture is None and self.texture_size is not None:
            raise refusal_at("texture_size", "has no use without texture: give a picture, or take it out")
        if self.texture is not None and self.material in ("glass", "metal"):
            raise refusal_at("texture", f"does not go together with {self.material}: use matte or plastic")
        return self

    @property
    def seen_color(self) -> str:
        """The colour that is seen: its own, or that of its material."""
        plain = "white" if self.material == "glass" or self.texture is not None else "#b9a48c"
        return self.color or plain
