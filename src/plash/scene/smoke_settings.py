"""Settings of smoke, heat and fire in air."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from plash.scene.domain import Domain
from plash.scene.language.base import FURTHEST, Direction, Number, Switch, Velocity, renamed
from plash.scene.language.units import Quantity
from plash.scene.language.words import Finding, shown
from plash.scene.solver import Solver

_Rate = Annotated[float, Quantity("rate"), Field(ge=0, le=FURTHEST)]
_MOST_FOR_SMOKE = 5.0  # so that what smoke crosses in a step, and three cells more, are no further than the next tile


class SmokeSettings(Solver):
    """Smoke, heat and fire in air, which is followed near them alone."""

    has_particles: ClassVar[bool] = False
    has_free_surface: ClassVar[bool] = False
    has_varied_viscosity: ClassVar[bool] = False
    has_colors: ClassVar[bool] = False
    has_smoke: ClassVar[bool] = True
    shows_temperature: ClassVar[bool] = True
    has_viscosity: ClassVar[bool] = False
    has_matched_sinks: ClassVar[bool] = False
    source_kinds: ClassVar[frozenset[str]] = frozenset({"smoke", "heat"})
    bringing_kinds: ClassVar[frozenset[str]] = frozenset({"smoke", "heat"})
    fluid: ClassVar[str] = "air"
    has_density: ClassVar[bool] = True
    shows: ClassVar[tuple[str, ...]] = ("volume",)
    frame_files: ClassVar[str] = "volumes"
    step_stages: ClassVar[tuple[str, ...]] = ("grid", "advect", "forces", "project")
    counts: ClassVar[str] = "mass"
    edition: ClassVar[tuple[int, ...]] = (4,)
    seed: ClassVar[int] = 0  # nothing is random

    kind: Literal["smoke"] = Field(description="Smoke in air.")
    courant: Number = Field(default=2.0, gt=0, le=_MOST_FOR_SMOKE, description="Cells that air may cross in one step.")
    tolerance: Number = Field(
        default=1e-4, ge=1e-10, le=1e-1, description="Residual of the pressure equation over its right side."
    )
    advection: Annotated[Literal["semi_lagrangian", "maccormack"], renamed(trace="semi_lagrangian")] = Field(
        default="maccormack",
        description="How the velocity is carried along, and smoke too unless it is conserved: traced back "
        "(semi_lagrangian), or also traced forth and corrected (maccormack), which keeps swirls and edges.",
    )
    conserve: Switch = Field(
        default=True,
        description="Carry smoke and heat by their fluxes through the faces of cells, so that advection neither makes "
        "nor loses any.",
    )
    solids: Literal["cut", "voxel"] = Field(
        default="cut",
        description="How the grid represents solids: at their true place, by the cells they cut (cut), or as whole "
        "cells (voxel).",
    )
    threshold: Annotated[float, Quantity("density")] = Field(
        default=1e-3, gt=0, le=FURTHEST, description="Density of smoke above which air is followed."
    )
    warmth_threshold: Number = Field(
        default=1.0, gt=0, le=FURTHEST, description="Kelvin above or below the air's temperature that do the same."
    )
    rise: Number | None = Field(
        default=None,
        ge=0,
        le=FURTHEST,
        description="How hot smoke rises: m/s^2 for each kelvin above the air's temperature.",
        json_schema_extra={"default_text": "that of a gas: gravity over `liquid.temperature`"},
    )
    fall: Number = Field(
        default=0.0,
        ge=0,
        le=FURTHEST,
        description="How dense smoke sinks: m/s^2 for each kg/m^3. Its own weight in air is 8.1.",
    )
    up: Direction | None = Field(
        default=None,
        description="Which way hot smoke rises.",
        json_schema_extra={"default_text": "against gravity"},
    )
    wind: Velocity = Field(
        default=(0.0, 0.0, 0.0),
        description="Velocity of the air far from smoke.",
        json_schema_extra={"default_text": "still air"},
    )
    wind_rate: _Rate = Field(
        default=0.0, description="How fast air at the border of what is followed is drawn to the wind."
    )
    confinement: _Rate = Field(default=0.0, description="How strongly swirls are spun up again; 0 is not at all.")
    dissipation: Number = Field(
        default=0.0, ge=0, le=FURTHEST, description="Density that smoke loses in a second, in kg/(m^3 s)."
    )
    decay: _Rate = Field(default=0.0, description="Which share of its density smoke loses in a second.")
    cooling: _Rate = Field(default=0.0, description="Which share of its warmth air loses in a second.")
    diffusion: Annotated[float, Quantity("kinematic viscosity")] = Field(
        default=0.0, ge=0, le=FURTHEST, description="How fast smoke spreads by itself."
    )
    burn_rate: _Rate = Field(
        default=4.0, gt=0, description="Of which share of the air the fuel burns in a second; of sources with fuel."
    )
    ignition: Number = Field(
        default=50.0, ge=0, le=FURTHEST, description="Kelvin above the air's temperature at which fuel burns."
    )
    burn_heat: Number = Field(
        default=1500.0, ge=0, le=FURTHEST, description="Kelvin that burning air full of fuel gets warmer by."
    )
    soot: Annotated[float, Quantity("density")] = Field(
        default=0.5, ge=0, le=FURTHEST, description="Density of the smoke that burning air full of fuel gives."
    )
    expansion: Number = Field(
        default=1.0, ge=0, le=100, description="By which share of its volume air full of fuel grows as it burns."
    )

    def faults_in(self, domain: Domain) -> list[Finding]:
        """That directions have other axes than the domain, or that nothing says which way is up."""
        d = domain.dimension
        found: list[Finding] = []
        for key in ("up", "wind"):
            value = getattr(self, key)
            if key in self.model_fields_set and value is not None and len(value) != d:
                found.append(((key,), f"{shown(list(value))} has {len(value)} entries: a {d}-D scene needs {d}"))
        if self.up is not None and not any(self.up):
            found.append((("up",), f"{shown(list(self.up))} has no direction: an entry must differ from 0"))
        if self.up is None and not any(domain.gravity) and (self.fall > 0 or (self.rise or 0.0) > 0):
            key = "fall" if self.fall > 0 else "rise"
            sentence = "has no direction: domain.gravity is 0 and so does not say which way is up"
            found.append(((key,), f"{getattr(self, key):g} {sentence}: give solver.up, such as {[0.0, 1.0, 0.0][:d]}"))
        return found

    def wind_in(self, dimension: int) -> tuple[float, ...]:
        """The wind along as many axes as there are, m/s."""
        return tuple(self.wind[:dimension])
