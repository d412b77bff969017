"""What all kinds of solver share: the keys, and what each kind says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, Unpack, cast

from pydantic import Field, field_validator, model_validator

from plash.scene.domain import Domain
from plash.scene.language.base import Duration, Number, SceneModel
from plash.scene.language.fields import kind_of
from plash.scene.language.words import Finding, nearest, refusal, refusal_at, shown

if TYPE_CHECKING:
    from plash.scene.keys import SolverKeys

MOST_FOR_SOLIDS = 2.0  # cells that a body may cross in a step, or it would push too hard


class Solver(SceneModel):
    """How the equations are solved; the `kind` says which other keys there are.

    >>> Solver(kind="stable_fluids", confinement=0.5).advection
    'maccormack'
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SolverKeys]) -> None: ...

    error_source: ClassVar[str] = "Solver"

    # What a kind has, and so what the other tables of a scene may say
    has_particles: ClassVar[bool] = True
    has_free_surface: ClassVar[bool] = True
    has_warm_walls: ClassVar[bool] = True
    has_varied_viscosity: ClassVar[bool] = True
    has_colors: ClassVar[bool] = True
    has_elasticity: ClassVar[bool] = False
    has_motion: ClassVar[bool] = True
    has_smoke: ClassVar[bool] = False  # pictures show a volume, in front of the plain background
    shows_temperature: ClassVar[bool] = False  # whether pictures know it without particles
    has_viscosity: ClassVar[bool] = True
    has_matched_sinks: ClassVar[bool] = True
    source_kinds: ClassVar[frozenset[str]] = frozenset({"blob", "spout", "heat", "dye"})
    bringing_kinds: ClassVar[frozenset[str]] = frozenset({"blob", "spout"})  # that a scene may begin empty with
    step_stages: ClassVar[tuple[str, ...]] = ()  # what a step does, in order; `stages` of the solver pauses after each
    fluid: ClassVar[str] = "water"  # the material, if none is named
    has_density: ClassVar[bool] = False  # of fills
    shows: ClassVar[tuple[str, ...]] = ("surface", "particles", "cells")  # what looks may show, first by default
    frame_files: ClassVar[str] = "particles"  # what the files of its frames are called
    counts: ClassVar[str] = "volume"  # what its ledger counts: volumes, or masses
    start_keys: ClassVar[tuple[str, ...]] = ()  # what decides on the fluid at the start
    edition: ClassVar[tuple[int, ...]] = ()  # raised when the same scene gives another simulation than before

    kind: Literal["liquid", "stable_fluids", "smoke"] = Field(
        default="liquid",
        description="What is simulated: a liquid in air (liquid), a fluid that fills a closed box, with liquid "
        "where it is dense (stable_fluids), or smoke, heat and fire in air (smoke).",
    )
    min_dt: Duration = Field(default=0.0, ge=0, description="Shortest step, whatever accuracy asks for.")
    max_dt: Duration | None = Field(
        default=None, gt=0, description="Longest step.", json_schema_extra={"default_text": "no limit"}
    )
    courant: Number = Field(
        default=3.0,
        gt=0,
        le=100,
        description="Cells that liquid may cross in one step; at most 10, but for stable fluids, where it is 1 if not "
        "given.",
    )
    tolerance: Number = Field(
        default=1e-5, ge=1e-10, le=1e-1, description="Residual of the pressure equation over its right side."
    )
    max_volume_error: Number | None = Field(
        default=None,
        gt=0,
        description="Largest difference between measured and target volume, as a share of the target; a run that "
        "exceeds it fails.",
        json_schema_extra={"default_text": "no limit"},
    )

    def __new__(cls, /, **keys: Any) -> Self:
        """The settings of the kind that the keys name."""
        chosen: Any = SOLVER_KINDS[kind_named_in(keys)] if cls is Solver else cls
        made: Self = super().__new__(chosen)
        return made

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """The settings of the kind that plain data names."""
        if cls is Solver:
            made: Any = SOLVER_KINDS[kind_named_in(obj)].model_validate(obj, **options)
            return cast(Self, made)
        return super().model_validate(obj, **options)

    def __repr_name__(self) -> str:
        return "Solver"

    @classmethod
    def why_unknown(cls, key: str) -> str:
        """That a key is of another kind; empty if it is of none."""
        others = [other for other in SOLVER_KINDS.values() if key in other.model_fields or key in other.old_keys]
        return f'has no meaning with kind = "{kind_of(cls)}": take it out' if others else ""

    @property
    def courant_of_solids(self) -> float:
        """Cells that a body which moves may cross in one step."""
        return min(self.courant, MOST_FOR_SOLIDS)

    @property
    def has_no_particles(self) -> str:
        """Why nothing of its particles can be shown; empty if it can."""
        return "" if self.has_particles else f"{self.kind.replace('_', ' ')} have no particles"

    @property
    def viscosity_shortens_steps(self) -> bool:
        """Whether steps have to be short enough for the viscosity."""
        return False

    @property
    def elastic_courant(self) -> float | None:
        """Cells that elastic waves may cross in a step; None for as many as are stable without smoothing."""
        return None

    @property
    def surface_keys(self) -> tuple[float, ...]:
        """What the surface of the liquid depends on, beside the mesh settings and the frame."""
        return ()

    def faults_in(self, domain: Domain) -> list[Finding]:
        """What is wrong with these settings in a domain."""
        return []

    def count_per_cell(self, dimension: int) -> int:
        """Particles that a full cell starts with, or that would fill it if there were any."""
        return int(2**dimension)

    @field_validator("kind", mode="before")
    @classmethod
    def _is_a_kind(cls, value: object) -> object:
        if value not in list(SOLVER_KINDS):
            words = ", ".join(SOLVER_KINDS)
            raise refusal(f"{shown(value)} is not one of {words}.{nearest(value, SOLVER_KINDS)}")
        return value

    @model_validator(mode="after")
    def _shortest_is_below_longest(self) -> Self:
        if self.max_dt is not None and self.min_dt > self.max_dt:
            raise refusal_at("min_dt", f"{self.min_dt} s is above max_dt = {self.max_dt} s")
        return self


SOLVER_KINDS: dict[str, type[Solver]] = {}  # by word; `scene/settings.py` enters them


def kind_named_in(value: object) -> str:
    """The kind that settings name, in a table or as an object; a liquid if they name none that there is."""
    kind = value.get("kind") if isinstance(value, Mapping) else getattr(value, "kind", None)
    return kind if isinstance(kind, str) and kind in SOLVER_KINDS else "liquid"
