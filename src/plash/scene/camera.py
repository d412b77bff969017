"""Where pictures are taken from: a camera that stands, turns, or goes from key to key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self, Unpack

from pydantic import Field, SerializerFunctionWrapHandler, create_model, model_serializer, model_validator
from pydantic.config import JsonDict

from plash.scene.animation import NodeMotion
from plash.scene.language.base import FURTHEST, Direction, Duration, Length, Point, SceneModel, Vector
from plash.scene.language.units import Quantity
from plash.scene.language.words import refusal_at, shown

if TYPE_CHECKING:
    from plash.scene.keys import CameraKeyKeys, CameraKeys

FieldOfView = Annotated[float, Quantity("angle of view")]

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

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[CameraKeyKeys]) -> None: ...

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

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[CameraKeys]) -> None: ...

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
    animation: NodeMotion | None = Field(
        default=None,
        description="Animation of a node of a glTF file, such as a camera: it stands there, and looks along -z of it.",
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
        return self.turn != 0 or len(self.key) > 1 or self.animation is not None

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without an animation that it does not have: pictures made before there were any stay as good as they were."""
        data: dict[str, Any] = handler(self)
        return {name: part for name, part in data.items() if name != "animation" or part is not None}

    @model_validator(mode="after")
    def _follows_one_animation(self) -> Self:
        others = [name for name in ("from", "to", "up", "turn", "key") if name in self.model_fields_set]
        if self.animation is not None and others:
            raise refusal_at(others[0], "has no use with an animation, which says all: take one of them out")
        return self

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
