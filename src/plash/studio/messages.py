"""What a page and its simulation tell each other.

A page sends texts, each a JSON object with a `kind`; they are checked here before anything else sees them. A simulation
answers with texts, and with frames: a JSON header that lists arrays, and the arrays themselves.

    bytes 0-3    length n of the header, padding included, little-endian
    bytes 4-     the header: {"kind": "frame", ..., "arrays": [{"name", "type", "shape", "start"}, ...]}
    bytes 4+n-   the arrays, little-endian, each from its `start` on, a multiple of 8
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from plash.carried import COLOR, scalars

LONGEST_TEXT = 256 * 1024  # of a message, in bytes: a scene to open is the longest
LARGEST_PICTURE = 4 * 2**20  # of a recorded picture, in bytes

TEXT, FRAME = b"T", b"F"  # what an answer of a simulation is, by its first byte

VIEWS = (
    *("surface", "particles", "velocity", "pressure", "divergence", "divergence_before", "cells", "tiles"),
    *("density", "temperature", "viscosity", "smoke", "flame", "vorticity", "phi", "band", "signed", COLOR),
    *(name for name in scalars() if name not in ("temperature", "log_viscosity")),
)

_Coordinate = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
_Speed = Annotated[float, Field(ge=-1e3, le=1e3, allow_inf_nan=False)]
_Key = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-z_]+\.[a-z_]+$")]
_Value = (
    bool
    | Annotated[int, Field(ge=-(2**53), le=2**53)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Annotated[str, Field(max_length=80)]
    | Annotated[list[_Coordinate], Field(min_length=2, max_length=2)]
)
_Radius = Annotated[float, Field(ge=1e-30, le=1e9, allow_inf_nan=False)]


class Message(BaseModel):
    """A message of a page: its fields are exactly those named, of exactly those types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Begin(Message):
    """Begin with a scene: the one the studio was started with, or that of a name."""

    kind: Literal["start"]
    preset: Annotated[str, Field(max_length=80)] = ""


class Return(Message):
    """Go on with the simulation that the page had before it was loaded again; begin anew if it is gone."""

    kind: Literal["return"]
    name: Annotated[str, Field(min_length=1, max_length=80)]


class Leave(Message):
    """The page is gone: nothing is computed until it returns."""

    kind: Literal["leave"]


class FrameDrawn(Message):
    """A frame was drawn: another may come."""

    kind: Literal["seen"]
    frame: Annotated[int, Field(ge=0, le=2**53)]


class Play(Message):
    """Run, or pause."""

    kind: Literal["play"]
    running: bool


class Step(Message):
    """Take one step, and pause."""

    kind: Literal["step"]


class Back(Message):
    """Go back to the moment before the last step, and pause."""

    kind: Literal["back"]


class NextStage(Message):
    """Take the next stage of a step, and pause."""

    kind: Literal["stage"]


class Reset(Message):
    """Begin the scene again."""

    kind: Literal["reset"]


class Open(Message):
    """Begin another scene: the text of a file."""

    kind: Literal["open"]
    text: Annotated[str, Field(max_length=LONGEST_TEXT)]


class Save(Message):
    """Ask for the scene as the text of a file; what for is told with the answer."""

    kind: Literal["save"]
    purpose: Literal["file", "keep", "link", "render"] = "file"


class Set(Message):
    """Change a parameter of the scene, named as on the command line."""

    kind: Literal["set"]
    key: _Key
    value: _Value


class Compare(Message):
    """Begin again with a second simulation beside the first, that has other values of some parameters; none ends it."""

    kind: Literal["compare"]
    settings: Annotated[dict[_Key, _Value], Field(max_length=4)]


class Probe(Message):
    """Tell the values at a point, now and with every frame; without a point no more."""

    kind: Literal["probe"]
    x: _Coordinate | None = None
    y: _Coordinate | None = None


class Speed(Message):
    """How fast simulated time goes, at the most: 1 as the clock does."""

    kind: Literal["speed"]
    value: Annotated[float, Field(ge=0.01, le=10, allow_inf_nan=False)]


class ChooseView(Message):
    """What to show."""

    kind: Literal["view"]
    name: Literal[VIEWS]  # type: ignore[valid-type]
    arrows: bool = False


class PushFluid(Message):
    """Carry the fluid round a point along, at a velocity (m/s)."""

    kind: Literal["push"]
    x: _Coordinate
    y: _Coordinate
    u: _Speed
    v: _Speed
    radius: _Radius


class PourFluid(Message):
    """Add fluid round a point where there is none, in a colour or in that of the liquid."""

    kind: Literal["pour"]
    x: _Coordinate
    y: _Coordinate
    radius: _Radius
    color: Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")] | None = None


class Drain(Message):
    """Take fluid round a point away."""

    kind: Literal["drain"]
    x: _Coordinate
    y: _Coordinate
    radius: _Radius


class HeatFluid(Message):
    """Bring the fluid round a point to a temperature: so much warmer than all fluid is at the start, or colder (K)."""

    kind: Literal["heat"]
    x: _Coordinate
    y: _Coordinate
    radius: _Radius
    warmth: Annotated[float, Field(ge=-1e4, le=1e4, allow_inf_nan=False)]


class Draw(Message):
    """Go on with the wall that is being drawn, or begin one, by a stretch from one point to another."""

    kind: Literal["draw"]
    begins: bool
    x0: _Coordinate
    y0: _Coordinate
    x1: _Coordinate
    y1: _Coordinate
    radius: _Radius


class Erase(Message):
    """Take away what was drawn round a point; other solids as a whole."""

    kind: Literal["erase"]
    begins: bool
    x: _Coordinate
    y: _Coordinate
    radius: _Radius


class PlaceShape(Message):
    """Place a box or a disc between two corners, or give one of a name another place and size."""

    kind: Literal["place"]
    begins: bool
    shape: Literal["box", "disc"]
    name: Annotated[str, Field(max_length=80)] = ""
    x0: _Coordinate
    y0: _Coordinate
    x1: _Coordinate
    y1: _Coordinate


class RemoveShape(Message):
    """Take away a box or a disc."""

    kind: Literal["remove"]
    name: Annotated[str, Field(min_length=1, max_length=80)]


class Undo(Message):
    """Take back the last change of the scene."""

    kind: Literal["undo"]


class Redo(Message):
    """Make the change again that was taken back last."""

    kind: Literal["redo"]


class Record(Message):
    """Begin to record: from now on frames are evenly spaced, and each is followed by its picture."""

    kind: Literal["record"]
    fps: Annotated[int, Field(ge=1, le=60)] = 30
    format: Literal["mp4", "gif"] = "mp4"


class StopRecording(Message):
    """End the recording, and make the movie."""

    kind: Literal["stop_recording"]


AnyMessage = Annotated[
    Begin
    | Return
    | Leave
    | FrameDrawn
    | Play
    | Step
    | Back
    | NextStage
    | Reset
    | Open
    | Save
    | Set
    | Compare
    | Probe
    | Speed
    | ChooseView
    | PushFluid
    | PourFluid
    | Drain
    | HeatFluid
    | Draw
    | Erase
    | PlaceShape
    | RemoveShape
    | Undo
    | Redo
    | Record
    | StopRecording,
    Field(discriminator="kind"),
]
_ANY: TypeAdapter[Message] = TypeAdapter(AnyMessage)


def message_of(text: str | bytes) -> Message:
    """The message that a text is.

    Raises:
        ValueError: It is none; says why in a sentence.

    >>> message_of('{"kind": "play", "running": true}')
    Play(kind='play', running=True)
    >>> message_of('{"kind": "fly"}')
    Traceback (most recent call last):
    ValueError: a message of no known kind
    """
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"a message of {len(text)} characters: {LONGEST_TEXT} is the most")
    try:
        return _ANY.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] in ("union_tag_invalid", "union_tag_not_found"):
        raise ValueError("a message of no known kind")
    place = ".".join(str(part) for part in first["loc"])
    raise ValueError(f"a message that makes no sense: {place}: {first['msg']}"[:120])


def frame_bytes(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A frame as it is sent."""
    listed, parts, start = [], [], 0
    for name, array in arrays.items():
        flat = np.ascontiguousarray(array)
        listed.append({"name": name, "type": flat.dtype.name, "shape": list(flat.shape), "start": start})
        data = flat.tobytes()
        padding = -len(data) % 8
        parts += [data, bytes(padding)]
        start += len(data) + padding
    text = json.dumps({"kind": "frame", **header, "arrays": listed}, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return b"".join([struct.pack("<I", len(text)), text, *parts])


def frame_of(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a frame."""
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    arrays = {}
    for item in header["arrays"]:
        count = int(np.prod(item["shape"], dtype=np.int64))
        flat = np.frombuffer(data, item["type"], count, 4 + length + item["start"])
        arrays[item["name"]] = flat.reshape(item["shape"])
    return header, arrays
