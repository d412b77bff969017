"""The scene: a domain, how long, how solved, which liquid, where it comes from and what stands in its way.

Here the parts are checked against each other: every vector has one entry per axis of the domain, liquid
starts inside it, names differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, Unpack

from pydantic import (
    AfterValidator,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from plash.carried import CARRIED
from plash.errors import Problem, SceneError
from plash.scene.bodies import Fill, Solid
from plash.scene.coloring import (
    colors_of,
    faults_of_coloring,
    faults_of_colors,
    faults_of_look,
    has_colors,
    smoke_colors,
)
from plash.scene.domain import Domain
from plash.scene.driven import faults_of_flow
from plash.scene.drops import Drops
from plash.scene.elastic import faults_of_elastic_bodies, faults_of_elastic_liquid
from plash.scene.forces import Force, Pump
from plash.scene.language.base import SceneModel, Text, Whole
from plash.scene.language.problems import findings
from plash.scene.language.words import Finding, key_of, refusal, refusal_at, refusals, shown
from plash.scene.level_set import faults_of_level_set
from plash.scene.liquid import Liquid
from plash.scene.look import Look
from plash.scene.meshing import Meshing
from plash.scene.naming import clashes, faults_of_matches, name_in, named
from plash.scene.output import Output
from plash.scene.own_stage import OwnStage, faults_of_stages
from plash.scene.placing import faults_of_containers, placed, placed_fill, placed_force, placed_solid, placed_source
from plash.scene.poses import Pose
from plash.scene.settings import LiquidSettings, SolverSettings, Time
from plash.scene.showing import faults_of_camera, faults_of_showing, fit_to_show
from plash.scene.solver import Solver
from plash.scene.sources import Blob, DyeSource, Sink, Source, Spout
from plash.scene.warmth import (
    faults_of_isotherm,
    faults_of_kinds,
    faults_of_liquid,
    faults_of_viscosities,
    faults_of_warm_sides,
    faults_of_warm_solids,
    no_meaning,
)
from plash.scene.whitewater import Whitewater, faults_of_whitewater

if TYPE_CHECKING:
    from plash.scene.keys import SceneKeys

VERSION = 1


class Scene(SceneModel):
    """Everything the user asks for: what a scene file says, checked.

    >>> from plash.scene import Box
    >>> scene = Scene(
    ...     domain=Domain(size=(1, 1), resolution=32),
    ...     fill=[Fill(shape=Box(min=(0, 0), max=(0.5, "40 cm")))],
    ... )
    >>> scene.dimension, scene.liquid.rho, scene.fill[0].velocity
    (2, 998.2, (0.0, 0.0))
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[SceneKeys]) -> None: ...

    error_source: ClassVar[str] = "scene"

    version: Whole = Field(
        default=VERSION,
        description="Version of the scene language: 1.",
        json_schema_extra={"default_text": "required in a file"},
    )
    title: Text = Field(default="", description="What the scene is called.")
    domain: Domain = Field(description="The box of space to simulate.")
    time: Time = Field(default=Time(), description="How many pictures, and how far apart.")
    solver: SolverSettings = Field(default=LiquidSettings(), description="How the equations are solved.")
    liquid: Liquid = Field(
        default=Liquid(), validate_default=True, description="Which liquid it is; with smoke, the air."
    )
    source: tuple[Annotated[Source, AfterValidator(placed_source)], ...] = Field(
        default=(),
        description="Where liquid, heat or dye comes from later.",
        json_schema_extra={"default_text": "none"},
    )
    fill: tuple[Annotated[Fill, AfterValidator(placed_fill)], ...] = Field(
        default=(),
        validate_default=True,
        description="Liquid at the start.",
        json_schema_extra={"default_text": "one at least is required, unless there is a source"},
    )
    solid: tuple[Annotated[Solid, AfterValidator(placed_solid)], ...] = Field(
        default=(), description="Bodies that liquid cannot enter.", json_schema_extra={"default_text": "none"}
    )
    sink: tuple[Annotated[Sink, AfterValidator(placed)], ...] = Field(
        default=(), description="Where liquid goes.", json_schema_extra={"default_text": "none"}
    )
    pump: tuple[Annotated[Pump, AfterValidator(placed)], ...] = Field(
        default=(),
        description="What gives liquid a velocity, or pushes it.",
        json_schema_extra={"default_text": "none"},
    )
    force: tuple[Annotated[Force, AfterValidator(placed_force)], ...] = Field(
        default=(), description="What moves liquid besides gravity.", json_schema_extra={"default_text": "none"}
    )
    stage: tuple[OwnStage, ...] = Field(
        default=(),
        description="Your own code between the stages of a step.",
        json_schema_extra={"default_text": "none"},
    )
    mesh: Meshing = Field(default=Meshing(), description="How the liquid's surface is made.")
    whitewater: Whitewater = Field(default=Whitewater(), description="Spray, foam and bubbles.")
    look: Look = Field(default=Look(), validate_default=True, description="What the pictures show.")
    output: Output = Field(default=Output(), description="What a run keeps on disk.")

    @field_validator("version")
    @classmethod
    def _is_this_version(cls, value: int) -> int:
        if value != VERSION:
            raise refusal(f"{shown(value)} is not a version this plash reads: it must be {VERSION}")
        return value

    @field_validator("solver")
    @classmethod
    def _fits_the_domain(cls, solver: Solver, info: ValidationInfo) -> Solver:
        domain: Domain | None = info.data.get("domain")
        _refuse_all([*solver.faults_in(domain), *faults_of_warm_sides(domain, solver)] if domain is not None else [])
        return solver

    @field_validator("liquid")
    @classmethod
    def _has_a_surface(cls, liquid: Liquid, info: ValidationInfo) -> Liquid:
        solver: Solver | None = info.data.get("solver")
        if solver is not None and not solver.has_free_surface and "gas_pressure" in liquid.model_fields_set:
            raise refusal_at("gas_pressure", no_meaning(solver))
        return liquid

    @field_validator("liquid")
    @classmethod
    def _is_the_usual_fluid(cls, liquid: Liquid, info: ValidationInfo) -> Liquid:
        solver: Solver | None = info.data.get("solver")
        if solver is None:
            return liquid
        if not solver.has_viscosity:
            keys = ("dynamic_viscosity", "kinematic_viscosity", "thermal_expansion")
            _refuse_all([((key,), no_meaning(solver)) for key in keys if key in liquid.model_fields_set])
        return liquid.of_material(solver.fluid)

    @field_validator("liquid")
    @classmethod
    def _conducts_and_flows(cls, liquid: Liquid, info: ValidationInfo) -> Liquid:
        domain, solver = info.data.get("domain"), info.data.get("solver")
        _refuse_all([*faults_of_liquid(liquid, domain, solver), *faults_of_coloring(liquid, solver)])
        _refuse_all(faults_of_elastic_liquid(liquid, solver))
        return liquid

    @field_validator("source", "fill")
    @classmethod
    def _have_a_viscosity_each(cls, bodies: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        liquid, solver = info.data.get("liquid"), info.data.get("solver")
        _refuse_all([*faults_of_viscosities(bodies, liquid, solver), *faults_of_colors(bodies, solver)])
        _refuse_all(faults_of_elastic_bodies(bodies, liquid, solver))
        return bodies

    @field_validator("source", "fill")
    @classmethod
    def _are_of_the_solver(cls, bodies: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        _refuse_all(faults_of_kinds(bodies, info.data.get("solver")))
        return bodies

    @field_validator("solid")
    @classmethod
    def _warm_solids_meet_a_conductor(cls, solids: tuple[Solid, ...], info: ValidationInfo) -> tuple[Solid, ...]:
        _refuse_all(faults_of_warm_solids(solids, info.data.get("liquid"), info.data.get("solver")))
        return solids

    @field_validator("fill")
    @classmethod
    def _there_is_liquid(cls, fill: tuple[Fill, ...], info: ValidationInfo) -> tuple[Fill, ...]:
        sources, solver = info.data.get("source"), info.data.get("solver")
        bring = [source for source in sources or () if solver is None or source.kind in solver.bringing_kinds]
        if not fill and sources is not None and not bring:
            what = "smoke" if solver is not None and solver.has_smoke else "liquid"
            raise refusal(f"the scene holds no {what}: add at least one [[fill]] or [[source]] with a shape")
        return fill

    @field_validator("solid", mode="wrap")
    @classmethod
    def _names_differ(
        cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> tuple[Solid, ...]:
        """Solids that have a name each, all different; clashes are found even if a solid has other faults."""
        names = [name_in(item, "solid", i) for i, item in enumerate(value)] if isinstance(value, list | tuple) else []
        others = {"source": info.data.get("source", ())}
        try:
            solids: tuple[Solid, ...] = handler(value)
        except ValidationError as error:
            found = findings(Solid, error, value, keep_tags=True)
            raise refusals([*clashes("solid", names, others), *found]) from None
        return named("solid", solids, others)

    @field_validator("source", "sink", "pump", "force")
    @classmethod
    def _named(cls, bodies: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        """Bodies that have a name each, which no other body has."""
        tables = ("source", "solid", "sink", "pump", "force")
        return named(str(info.field_name), bodies, {table: info.data.get(table, ()) for table in tables})

    @field_validator("sink")
    @classmethod
    def _matches_are_known(cls, sinks: tuple[Sink, ...], info: ValidationInfo) -> tuple[Sink, ...]:
        _refuse_all(faults_of_matches(sinks, info.data.get("source"), info.data.get("solver")))
        return sinks

    @field_validator("stage")
    @classmethod
    def _solver_has_such_stages(cls, stages: tuple[OwnStage, ...], info: ValidationInfo) -> tuple[OwnStage, ...]:
        _refuse_all(faults_of_stages(stages, info.data.get("solver")))
        return stages

    @field_validator("source", "solid")
    @classmethod
    def _solver_has_motion(cls, bodies: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        solver: Solver | None = info.data.get("solver")
        if solver is not None and not solver.has_motion:
            moving = [index for index, body in enumerate(bodies) if getattr(body, "motion", None) is not None]
            sentence = no_meaning(solver, ", where only the fluid moves")
            _refuse_all([((index, "motion"), sentence) for index in moving])
        return bodies

    @field_validator("fill", "source", "solid")
    @classmethod
    def _level_set_has_such_liquid(cls, liquids: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        _refuse_all(faults_of_level_set(liquids, info.data.get("solver")))
        return liquids

    @field_validator("whitewater")
    @classmethod
    def _is_made_from_particles(cls, whitewater: Whitewater, info: ValidationInfo) -> Whitewater:
        _refuse_all(faults_of_whitewater(whitewater, info.data.get("solver")))
        return whitewater

    @model_validator(mode="after")
    def _containers_are_known(self) -> Self:
        _refuse_all(faults_of_containers(self.fill, self.solid))
        return self

    @model_validator(mode="after")
    def _has_an_isotherm(self) -> Self:
        _refuse_all(faults_of_isotherm(self.solver, self.has_heat))
        return self

    @model_validator(mode="after")
    def _is_driven_alone(self) -> Self:
        others = {key: getattr(self, key) for key in ("source", "sink", "solid", "force", "stage")}
        _refuse_all(faults_of_flow(self.solver, others))
        return self

    @field_validator("look")
    @classmethod
    def _sees_the_domain(cls, look: Look, info: ValidationInfo) -> Look:
        domain: Domain | None = info.data.get("domain")
        solver: Solver | None = info.data.get("solver")
        if solver is not None:
            look = fit_to_show(look, solver)
            _refuse_all(faults_of_showing(look, solver))
        _refuse_all(faults_of_camera(look, domain) if domain is not None else [])
        return look

    @field_validator("look")
    @classmethod
    def _has_one_say_on_colors(cls, look: Look, info: ValidationInfo) -> Look:
        bodies = (*info.data.get("fill", ()), *info.data.get("source", ()))
        _refuse_all(faults_of_look(look, info.data.get("liquid"), bodies, info.data.get("solver")))
        return look

    def _repr_html_(self) -> str:
        from plash.scene.language.html import scene_html

        return scene_html(self)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some values replaced, checked like any other.

        Args:
            update: New values of tables, or of parameters by their name or place as for ``load_scene``. A table given
                as a dictionary replaces only the keys in it.
            deep: Whether the tables of a copy without an update are copies too.

        Raises:
            SceneError: Lists everything that is wrong.

        >>> from plash.scene import load_scene
        >>> scene = load_scene("dam_break").model_copy(update={"domain": {"resolution": 32}, "frames": 10})
        >>> scene.domain.cells, scene.time.frames
        ((32, 16, 16), 10)
        """
        from plash.scene.language.overrides import updated

        if not update:
            return super().model_copy(deep=deep)
        data, found = updated(self, update)
        if found:
            raise SceneError([Problem(key_of(place), sentence) for place, sentence in found], self.error_source)
        return type(self)(**data)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.domain.dimension

    @property
    def has_heat(self) -> bool:
        """Whether anything is, or will be, at another temperature than the liquid at the start."""
        differ = any(temperature != self.liquid.temperature for temperature in self.temperatures)
        return differ or any(source.gives_heat for source in self.source)

    @property
    def temperatures(self) -> tuple[float, ...]:
        """All temperatures (K) that something has or is held at, that of the liquid first."""
        sources = (source for source in self.source if not isinstance(source, DyeSource))
        given = [body.temperature for body in (*self.fill, *sources, *self.solid) if body.temperature is not None]
        return (self.liquid.temperature, *given, *self.domain.side_temperature.given.values())

    @property
    def has_own_viscosities(self) -> bool:
        """Whether any liquid is, or will be, of another viscosity than all of it."""
        return any(body.viscosity is not None for body in self._liquids)

    @property
    def dynamic_viscosities(self) -> tuple[float, float]:
        """The least and the greatest dynamic viscosity (Pa·s) that any liquid may have."""
        liquid = self.liquid
        found = [liquid.nu * liquid.rho, *(body.viscosity for body in self._liquids if body.viscosity is not None)]
        if liquid.viscosity_points and self.has_heat:
            found += [liquid.dynamic_viscosity_at(temperature) for temperature in self.temperatures]
        return min(found), max(found)

    @property
    def elastic_constants(self) -> tuple[tuple[float, float, float], ...]:
        """Shear modulus (Pa), yield strain and yield rate (1/s) of all liquid, that of the liquid itself first."""
        usual = self.liquid.elastic if self.solver.has_elasticity else (0.0, 0.0, 0.0)
        return (usual, *(body.elastic(self.liquid) for body in self._liquids if self.solver.has_elasticity))

    @property
    def shear_modulus(self) -> float:
        """The greatest shear modulus (Pa) of any liquid at any temperature of the scene; 0 if all of it flows."""
        found = [modulus for modulus, _, _ in self.elastic_constants]
        if self.melts:
            found += [self.liquid.elastic_at(temperature)[0] for temperature in self.temperatures]
        return max(found)

    @property
    def least_shear_modulus(self) -> float:
        """The least shear modulus (Pa) of any liquid at the temperature it begins with; 0 if any of it flows."""
        return min((modulus for modulus, _, _ in self.elastic_constants[1:]), default=0.0)

    @property
    def melts(self) -> bool:
        """Whether the shear modulus follows temperatures that differ."""
        return self.solver.has_elasticity and self.liquid.modulus_ramp is not None and self.has_heat

    @property
    def has_colors(self) -> bool:
        """Whether any liquid is, or will be, of another colour than the rest."""
        return self.solver.has_particles and has_colors(self.liquid, (*self.fill, *self.source))

    @property
    def smoke_colors(self) -> list[str]:
        """The colours of smoke, if there are several; that of what has none of its own first. Else none."""
        found = smoke_colors(self.liquid, (*self.fill, *self.source)) if self.solver.has_smoke else []
        return found if len(found) > 1 else []

    @property
    def smoke_color(self) -> str:
        """The colour of all smoke that has none of its own."""
        if "smoke_color" in self.look.model_fields_set or not self.solver.has_smoke:
            return self.look.smoke_color
        return smoke_colors(self.liquid, (*self.fill, *self.source))[0]

    @property
    def liquid_color(self) -> str:
        """The colour of the liquid; if there are several, that of what has none of its own."""
        if self.has_colors:
            return self.liquid.seen_color
        return self.look.color or next(iter(colors_of(self.liquid, self._liquids)), self.liquid.seen_color)

    @property
    def carries(self) -> dict[str, int]:
        """How many numbers particles carry of what a scene has to ask for, by name."""
        wanted = {
            "temperature": int(self.has_heat),
            "log_viscosity": int(self.has_own_viscosities),
            "color": 3 * self.has_colors,
        }
        if self.shear_modulus > 0:
            if getattr(self.solver, "transfer", "") != "semi_lagrangian":
                wanted["strain_tensor"] = 3 if self.dimension == 2 else 6
                wanted["strain"] = 1
            wanted["elastic"] = 3 * (self.melts or len(set(self.elastic_constants)) > 1)
        return {name: rows for name, rows in wanted.items() if rows}

    def color_scale(self, name: str) -> tuple[float, float] | None:
        """The values of the first and the last colour for what particles carry if a scene asks; else None.

        >>> from plash.scene import load_scene
        >>> load_scene("dam_break").color_scale("age") is None
        True
        """
        if name not in self.carries or name == "color":
            return None
        if name == "strain":
            points = [point for _, point, _ in self.elastic_constants if 0 < point <= 1]
            return 0.0, max(points, default=CARRIED[name].top)
        ends = self.temperatures if name == "temperature" else [math.log10(mu) for mu in self.dynamic_viscosities]
        low, high = min(ends), max(ends)
        return (low, high) if high > low else (low, low + 1.0)

    @property
    def _liquids(self) -> tuple[Fill | Blob | Drops | Spout, ...]:
        """All that puts liquid somewhere."""
        return *self.fill, *(source for source in self.source if isinstance(source, Blob | Drops | Spout))

    @property
    def obstacles(self) -> tuple[Solid, ...]:
        """The solids that the liquid meets; the others are props of pictures."""
        return tuple(solid for solid in self.solid if solid.collide)

    def solids_at(self, time: float) -> tuple[Solid, ...]:
        """The solids that the liquid meets, where they are at a time, s."""
        return tuple(solid.at(time, self.dimension) for solid in self.obstacles)

    def seen_at(self, time: float) -> tuple[Solid, ...]:
        """All solids, props as well, where they are at a time, s."""
        return tuple(solid.at(time, self.dimension) for solid in self.solid)

    def poses_at(self, time: float) -> dict[str, Pose]:
        """Where the solids that move are at a time, s, by name."""
        return {
            solid.name: solid.motion.pose(time) for solid in self.obstacles if solid.moves and solid.motion is not None
        }

    @property
    def particles_per_cell(self) -> int:
        """Particles that a full cell starts with."""
        return self.solver.count_per_cell(self.dimension)


def _refuse_all(found: list[Finding]) -> None:
    if found:
        raise refusals(found)
