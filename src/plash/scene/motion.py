"""How a body moves: at a velocity, spinning, swinging, from key to key, along a path; and where it is at a time.

A body is turned about its axle and then shifted. What turns it adds up, and so does what shifts it:

    x(t) = R(t) (x - c) + c + s(t)        c the centre, R a turn by the sum of all angles, s the sum of all shifts

Rates are exact derivatives. Everything is counted in three axes; a plane scene turns about z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, Unpack

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from plash.scene.animation import NodeMotion
from plash.scene.curves import Way, through, without_overshoot
from plash.scene.language.base import FURTHEST, Angle, Direction, Duration, Point, SceneModel, Switch, Vector, Velocity
from plash.scene.language.units import Quantity
from plash.scene.language.words import Finding, refusal_at, shown
from plash.scene.moves import added, times, unit
from plash.scene.poses import Pose, Rate, after, cross, identity, in_space, turned_about
from plash.scene.turns import turn_at

if TYPE_CHECKING:
    from plash.scene.keys import MotionKeyKeys, MotionKeys, MotionPathKeys, OscillationKeys

_AngularVelocity = Annotated[float, Quantity("angular velocity"), Field(ge=-1e6, le=1e6)]
_Frequency = Annotated[float, Quantity("frequency"), Field(gt=0, le=1e6)]
_NOUGHT = (0.0, 0.0, 0.0)
_UP = (0.0, 1.0, 0.0)


class Oscillation(SceneModel):
    """A swing to both sides of where the body stands: sin(2π t/period + phase) times a shift, an angle, or both."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[OscillationKeys]) -> None: ...

    amplitude: Point | None = Field(default=None, description="Shift at the far end of the swing.")
    angle: Angle = Field(default=0.0, ge=-1e3, le=1e3, description="Turn at the far end of the swing.")
    frequency: _Frequency | None = Field(
        default=None, description="Swings per second.", json_schema_extra={"default_text": "1/period"}
    )
    period: Duration | None = Field(
        default=None,
        ge=1e-6,
        le=FURTHEST,
        description="How long a swing takes, there and back.",
        json_schema_extra={"default_text": "1/frequency; one of the two is required"},
    )
    phase: Angle = Field(
        default=0.0, ge=-1e3, le=1e3, description="Where it starts: 0 in the middle, -90 deg at the low end, at rest."
    )

    @model_validator(mode="after")
    def _swings_at_one_rate(self) -> Self:
        if (self.frequency is None) == (self.period is None):
            what = "is given together with period" if self.period is not None else "is missing"
            raise refusal_at("frequency", f"{what}: give either frequency or period")
        if self.amplitude is None and self.angle == 0:
            raise refusal_at("amplitude", "is missing: a swing needs an amplitude, an angle, or both")
        return self

    def swing(self, time: float) -> tuple[float, float]:
        """sin of the present phase, and its rate in 1/s."""
        around = 2 * math.pi * (self.frequency if self.frequency is not None else 1 / (self.period or 1.0))
        return math.sin(around * time + self.phase), around * math.cos(around * time + self.phase)


class MotionKey(SceneModel):
    """Where the body is at a time, counted from where its shape puts it."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[MotionKeyKeys]) -> None: ...

    time: Duration = Field(ge=0, le=FURTHEST, description="When it is there, counted from start.")
    offset: Point | None = Field(
        default=None, description="How far it is shifted then.", json_schema_extra={"default_text": "not at all"}
    )
    angle: Angle = Field(default=0.0, ge=-1e6, le=1e6, description="How far it is turned then.")
    axis: Direction | None = Field(
        default=None,
        description="Axis of that turn, through center: keys may have any, and it goes the short way between them.",
        json_schema_extra={"default_text": "that of the motion"},
    )

    @model_validator(mode="after")
    def _axis_has_a_direction(self) -> Self:
        if self.axis is not None and not any(self.axis):
            raise refusal_at("axis", f"{shown(self.axis)} has no direction: an entry must differ from 0")
        return self

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without an axis that it does not have: runs made before there were any stay as good as they were."""
        data: dict[str, Any] = handler(self)
        return {name: part for name, part in data.items() if name != "axis" or part is not None}


class MotionPath(SceneModel):
    """Points that the body runs through, as if it stood at the first of them where its shape puts it."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[MotionPathKeys]) -> None: ...

    series: ClassVar[frozenset[str]] = frozenset({"times"})

    points: tuple[Point, ...] = Field(
        min_length=2,
        description="Points on the way, two or more.",
        json_schema_extra={"type_text": "list of vectors of length"},
    )
    speed: Annotated[float, Quantity("velocity")] | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="How fast it goes from point to point, measured straight.",
        json_schema_extra={"default_text": "as times say; one of the two is required"},
    )
    times: tuple[Duration, ...] | None = Field(
        default=None,
        description="When it is at each point, counted from start; in a loop also when it is back at the first.",
        json_schema_extra={"default_text": "as speed says", "type_text": "list of time"},
    )
    loop: Switch = Field(default=False, description="Go back to the first point, and round again without end.")
    oriented: Switch = Field(
        default=False,
        description="Turn with the way, about the vertical in 3-D, so that the body faces along it as at the start.",
    )

    @model_validator(mode="after")
    def _is_run_in_order(self) -> Self:
        if (self.speed is None) == (self.times is None):
            what = "is given together with times" if self.times is not None else "is missing"
            raise refusal_at("speed", f"{what}: give either speed or times")
        if len({len(point) for point in self.points}) == 1:
            for index, (one, other) in enumerate(pairwise(self._stops)):
                if one == other and self.times is None:
                    raise refusal_at("points", f"number {index + 1} and the next are the same: with speed they differ")
        if self.times is not None:
            wanted = len(self._stops)
            if len(self.times) != wanted:
                back = ", one of them for the way back" if self.loop else ""
                raise refusal_at("times", f"has {len(self.times)} entries: the path needs {wanted}{back}")
            _refuse_disorder("times", self.times)
        return self

    @property
    def _stops(self) -> tuple[Vector, ...]:
        return (*self.points, self.points[0]) if self.loop else self.points

    def way(self, is_smooth: bool) -> Way:
        """The path as a shift in time."""
        stops = [in_space(tuple(b - a for a, b in zip(self.points[0], point, strict=True))) for point in self._stops]
        if self.times is not None:
            moments = list(self.times)
        else:
            assert self.speed is not None
            lengths = [math.dist(a, b) / self.speed for a, b in pairwise(stops)]
            moments = [0.0]
            for length in lengths:
                moments.append(moments[-1] + length)
        slopes = through(moments, stops, self.loop) if is_smooth else None
        return Way(moments, stops, slopes, moments[-1] - moments[0] if self.loop else 0.0)


class Motion(SceneModel):
    """How a body moves. All that is given adds up; turns are about one axis through one centre, which is shifted too.

    >>> motion = Motion(velocity=(0.5, 0), spin="90 deg/s", center=(1, 1), start=1)
    >>> motion.pose(3).shift, motion.rate(3).spin[2] == math.radians(90)
    ((3.0, 2.0, 0.0), True)
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[MotionKeys]) -> None: ...

    velocity: Velocity | None = Field(
        default=None, description="A constant velocity.", json_schema_extra={"default_text": "none"}
    )
    spin: _AngularVelocity = Field(
        default=0.0, description="How fast it turns: counter-clockwise, seen with the axis pointing at you."
    )
    axis: Direction | None = Field(
        default=None,
        description="Direction of the axis that it turns about, of any length.",
        json_schema_extra={"default_text": "required in 3-D where the body turns, not in 2-D"},
    )
    center: Point | None = Field(
        default=None,
        description="A point on that axis.",
        json_schema_extra={"default_text": "required where the body turns"},
    )
    oscillation: Oscillation | None = Field(default=None, description="A swing to and fro.")
    keys: tuple[MotionKey, ...] = Field(
        default=(),
        description="Where it is at certain times, in their order; before the first and after the last it stands.",
        json_schema_extra={"default_text": "none"},
    )
    path: MotionPath | None = Field(default=None, description="Points to run through.")
    animation: NodeMotion | None = Field(
        default=None,
        description="Animation of a node of a glTF file; together with start and stop alone.",
        json_schema_extra={"default_text": "none"},
    )
    between: Literal["smooth", "linear"] = Field(
        default="smooth",
        description="How it goes between keys and between the points of a path: in curves, or straight with kinks.",
    )
    start: Duration = Field(default=0.0, ge=0, le=FURTHEST, description="When it starts to move.")
    stop: Duration | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="When it stops where it is.",
        json_schema_extra={"default_text": "never"},
    )

    @model_validator(mode="after")
    def _goes_forward(self) -> Self:
        if self.stop is not None and self.stop <= self.start:
            raise refusal_at("stop", f"{self.stop:g} s must be after start = {self.start:g} s")
        if self.axis is not None and not any(self.axis):
            raise refusal_at("axis", f"{shown(self.axis)} has no direction: an entry must differ from 0")
        _refuse_disorder("keys", [key.time for key in self.keys])
        if self.path is not None and self.path.oriented and self.between == "linear":
            raise refusal_at(
                "between", '"linear" has corners, at which an oriented body would turn at once: use "smooth"'
            )
        return self

    @model_validator(mode="after")
    def _follows_one_animation(self) -> Self:
        if self.animation is not None:
            alone = {"animation", "start", "stop"}
            others = [name for name in type(self).model_fields if name in self.model_fields_set - alone]
            if others:
                raise refusal_at(others[0], "has no use with an animation, which says all: take one of them out")
            if self.animation.fault:
                raise refusal_at("animation", self.animation.fault)
        return self

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without an animation that it does not have: runs made before there were any stay as good as they were."""
        data: dict[str, Any] = handler(self)
        return {name: part for name, part in data.items() if name != "animation" or part is not None}

    def misfits(self, dimension: int) -> list[Finding]:
        """What a turn in this many axes lacks, or has no use for."""
        own: list[tuple[tuple[int | str, ...], Vector | None]] = [(("axis",), self.axis)]
        own += [(("keys", index, "axis"), key.axis) for index, key in enumerate(self.keys)]
        flat = [(at, f"{shown(axis)} has no use: a 2-D scene turns in its own plane") for at, axis in own if axis]
        if dimension == 2 and self.animation is not None:
            flat.append((("animation",), "has no use: a node of a file moves in 3-D"))
        if dimension == 2 and flat:
            return flat[:1]
        if not self._turns:
            return []
        found: list[Finding] = []
        swings = self.oscillation is not None and self.oscillation.angle != 0
        has_own = all(key.axis is not None for key in self.keys if key.angle)
        if dimension == 3 and self.axis is None and (self.spin != 0 or swings or not has_own):
            found.append((("axis",), "is missing: a turn in 3-D needs an axis, such as [0, 1, 0]"))
        if self.center is None:
            found.append((("center",), "is missing: a turn needs a point that the axis goes through"))
        return found

    @property
    def _turns(self) -> bool:
        swings = self.oscillation is not None and self.oscillation.angle != 0
        return self.spin != 0 or swings or any(key.angle for key in self.keys)

    @property
    def is_still(self) -> bool:
        """Whether the body is at all times where its shape puts it."""
        shifts = any(self.velocity or ()) or any(any(key.offset or ()) for key in self.keys) or self.path is not None
        swings = self.oscillation is not None and any(self.oscillation.amplitude or ())
        return not (self._turns or shifts or swings or self.animation is not None)

    def pose(self, time: float) -> Pose:
        """Where the body is at a time, s."""
        return self._at(time)[0]

    def rate(self, time: float) -> Rate:
        """How fast the body moves at a time, s: the exact derivative of the pose, zero before start and after stop.

        Where the velocity jumps it is the one after the jump.
        """
        moves = self.start <= time and (self.stop is None or time < self.stop)
        return self._at(time)[1] if moves else Rate(_NOUGHT, _NOUGHT)

    def _at(self, time: float) -> tuple[Pose, Rate]:
        end = math.inf if self.stop is None else self.stop
        since = max(min(time, end) - self.start, 0.0)
        if self.animation is not None:
            matrix, place, speed, spin = self.animation.at(since)
            return Pose(matrix, place), Rate(speed, spin)
        angle, turning = self._turn(since)
        shift, velocity = self._shift(since)
        pivot, axle = in_space(self.center or ()), unit(self.axis) if self.axis is not None else (0.0, 0.0, 1.0)
        pose, rate = turned_about(pivot, axle, angle, turning)
        if self._has_own_axes:
            pose, rate = after(self._turned_by_keys(since, pivot, axle), (pose, rate))
        if self.path is not None:
            way = self.path.way(self.between == "smooth")
            if self.path.oriented:
                flat = len(self.path.points[0]) == 2
                first = in_space(self.path.points[0])
                heading = turned_about(first, (0.0, 0.0, 1.0) if flat else _UP, *way.heading(since, flat))
                pose, rate = after(heading, (pose, rate))
            along, speed, _ = way.at(since)
            shift, velocity = added(shift, along), added(velocity, speed)
        return after((Pose(identity(), shift), Rate(velocity, _NOUGHT)), (pose, rate))

    @property
    def _has_own_axes(self) -> bool:
        """Whether keys turn about axes of their own."""
        return any(key.axis is not None for key in self.keys)

    def _turned_by_keys(self, since: float, pivot: Vector, axle: Vector) -> tuple[Pose, Rate]:
        """The turn of keys with axes of their own about the centre, and its rate."""
        turns = [tuple(key.angle * part for part in (unit(key.axis) if key.axis else axle)) for key in self.keys]
        matrix, spin = turn_at([key.time for key in self.keys], turns, self.between == "smooth", since)
        shift = added(pivot, tuple(-part for part in times(matrix, pivot)))
        return Pose(matrix, shift), Rate(cross(pivot, spin), spin)

    def _turn(self, since: float) -> tuple[float, float]:
        """Angle and its rate."""
        angle, rate = self.spin * since, self.spin
        if self.oscillation is not None:
            swing, swinging = self.oscillation.swing(since)
            angle, rate = angle + self.oscillation.angle * swing, rate + self.oscillation.angle * swinging
        if self.keys and not self._has_own_axes:
            turn, turning, _ = self._way([(key.angle, 0.0, 0.0) for key in self.keys]).at(since)
            angle, rate = angle + turn[0], rate + turning[0]
        return angle, rate

    def _shift(self, since: float) -> tuple[Vector, Vector]:
        """Shift and its rate, but for the path's."""
        velocity = in_space(self.velocity or ())
        shift = tuple(part * since for part in velocity)
        if self.oscillation is not None and self.oscillation.amplitude is not None:
            swing, swinging = self.oscillation.swing(since)
            amplitude = in_space(self.oscillation.amplitude)
            shift = added(shift, tuple(part * swing for part in amplitude))
            velocity = added(velocity, tuple(part * swinging for part in amplitude))
        if self.keys:
            place, speed, _ = self._way([in_space(key.offset or ()) for key in self.keys]).at(since)
            shift, velocity = added(shift, place), added(velocity, speed)
        return shift, velocity

    def _way(self, stops: list[Vector]) -> Way:
        moments = [key.time for key in self.keys]
        return Way(moments, stops, without_overshoot(moments, stops) if self.between == "smooth" else None, 0.0)


def _refuse_disorder(key: str, moments: Sequence[float]) -> None:
    for index, (one, other) in enumerate(pairwise(moments)):
        if other <= one:
            raise refusal_at(key, f"number {index + 2} is at {other:g} s, not after the one before, at {one:g} s")
    if moments and moments[0] < 0:
        raise refusal_at(key, f"start at {moments[0]:g} s: they must not be negative")
