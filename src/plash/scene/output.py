"""What a run keeps on disk. Nothing here changes the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Unpack, get_args

from pydantic import AfterValidator, Field

from plash.scene.functions import Function
from plash.scene.language.base import SceneModel, Switch, Whole

if TYPE_CHECKING:
    from plash.scene.keys import OutputKeys

Format = Literal["mp4", "webm", "gif", "webp"]
FORMATS: tuple[str, ...] = get_args(Format)

ExportFormat = Literal["usd", "vdb", "ply", "obj", "glb", "npz", "vtk"]
EXPORT_FORMATS: tuple[str, ...] = get_args(ExportFormat)
_LISTED = ", ".join(f'`"{name}"`' for name in EXPORT_FORMATS)


def _each_once(formats: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(formats))


class Output(SceneModel):
    """What a run keeps on disk."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[OutputKeys]) -> None: ...

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
    export: Annotated[tuple[ExportFormat, ...], AfterValidator(_each_once)] = Field(
        default=(),
        description="Formats in which every frame is written for other programs (`docs/export.md`).",
        json_schema_extra={"type_text": f"list of {_LISTED}", "default_text": "none"},
    )
    measure: Function | None = Field(
        default=None,
        description="What to find out about every frame: from a frame to a dictionary of numbers and arrays by name, "
        "kept in measure/measure.0001.npz and so on.",
        json_schema_extra={"default_text": "nothing"},
    )
    export_up: Literal["y", "z"] = Field(
        default="y",
        description="Which axis points up in exported VDB, PLY, OBJ and VTK files: z as in Blender, or y as here.",
    )
    export_half: Switch = Field(
        default=False, description="Whether VDB files hold numbers of half the length, to three digits or so."
    )
    export_pack: Literal["none", "zip", "blosc"] = Field(
        default="none",
        description="How VDB files are packed: not at all; by zlib, six times as slow; or by Blosc, smaller and nearly "
        'as fast as not at all, which needs `pip install "plash[vdb]"`.',
    )
