"""Spray, foam and bubbles. Nothing here changes the simulation: they are made from its frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Self, Unpack

from pydantic import BeforeValidator, Field, model_validator

from plash.scene.language.base import FURTHEST, Duration, Number, SceneModel, Whole
from plash.scene.language.units import Quantity
from plash.scene.language.words import Finding, refusal, refusals, shown
from plash.scene.solver import Solver

if TYPE_CHECKING:
    from plash.scene.keys import WhitewaterKeys


def _two(value: object) -> object:
    """A list of two entries: where something begins, and where there is no more of it."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(listed, list | tuple) or len(listed) != 2:
        raise refusal(f"{shown(listed)} must be a list of two numbers: none below the first, all from the second on")
    return listed


_Speed = Annotated[float, Quantity("velocity"), Field(ge=0, le=FURTHEST)]
_Energy = Annotated[float, Quantity(), Field(ge=0, le=FURTHEST)]
_pair = Field(min_length=2, max_length=2)
Speeds = Annotated[tuple[_Speed, ...], _pair, BeforeValidator(_two)]
Energies = Annotated[tuple[_Energy, ...], _pair, BeforeValidator(_two)]


class Whitewater(SceneModel):
    """Spray, foam and bubbles, made from the frames of a liquid of particles (`docs/whitewater.md`)."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[WhitewaterKeys]) -> None: ...

    series: ClassVar[frozenset[str]] = frozenset({"trapped_air", "wave_crest", "energy"})

    amount: Number = Field(
        default=0.0, ge=0, le=1000, description="How much of it: 1 is usual, 2 makes twice as many motes, 0 makes none."
    )
    trapped_air: Speeds | None = Field(
        default=None,
        description="Speeds at which neighbouring liquid closes in on air near the surface: below the first none is "
        "trapped, from the second on most.",
        json_schema_extra={
            "type_text": "list of two velocities, m/s",
            "default_text": "0.012 and 0.06 of the speed of a fall through the domain's height",
        },
    )
    wave_crest: Speeds | None = Field(
        default=None,
        description="Speeds at which a crest, an edge or a tip runs ahead of the liquid behind it: below the first no "
        "spray leaves it, from the second on most.",
        json_schema_extra={
            "type_text": "list of two velocities, m/s",
            "default_text": "0.003 and 0.02 of the speed of that fall",
        },
    )
    energy: Energies | None = Field(
        default=None,
        description="Kinetic energies of liquid, J/kg, which is half of its speed squared: below the first it makes "
        "no whitewater, from the second on most.",
        json_schema_extra={
            "type_text": "list of two numbers, J/kg",
            "default_text": "0.02 and 0.12 of the energy of that fall",
        },
    )
    lifetime: Duration | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="How long foam lasts, on average; spray and bubbles last until they are foam.",
        json_schema_extra={"default_text": "three times that of a fall through the domain's height"},
    )
    mote_size: Number = Field(
        default=0.1, gt=0, le=10, description="Radius of the largest motes in pictures and exports, in cells."
    )
    most: Whole = Field(
        default=200_000, ge=1, le=100_000_000, description="Motes that there may be at once; no more are born then."
    )

    @model_validator(mode="after")
    def _ranges_rise(self) -> Self:
        found: list[Finding] = []
        for name in ("trapped_air", "wave_crest", "energy"):
            ends = getattr(self, name)
            if ends is not None and not ends[0] < ends[1]:
                found.append(((name,), f"{shown(list(ends))} does not rise: the second must be above the first"))
        if found:
            raise refusals(found)
        return self


def faults_of_whitewater(whitewater: Whitewater, solver: Solver | None) -> list[Finding]:
    """What is wrong with whitewater for a solver."""
    if solver is None or whitewater.amount == 0 or not solver.has_no_particles:
        return []
    remedy = 'use kind = "liquid" with surface = "particles", or amount = 0'
    return [(("amount",), f"makes whitewater from particles, and {solver.has_no_particles}: {remedy}")]
