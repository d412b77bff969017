"""Settings of a simulation: how long, how solved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, Unpack, cast

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from plash.scene.domain import Domain, Sides
from plash.scene.language.base import (
    FURTHEST,
    Direction,
    Duration,
    Number,
    SceneModel,
    Switch,
    Velocity,
    Whole,
    renamed,
)
from plash.scene.language.fields import kind_of
from plash.scene.language.units import Quantity
from plash.scene.language.words import Finding, nearest, refusal, refusal_at, shown

if TYPE_CHECKING:
    from plash.scene.keys import SolverKeys, TimeKeys


class Time(SceneModel):
    """How many pictures, and how far apart."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[TimeKeys]) -> None: ...

    fps: Number = Field(default=24.0, ge=1e-3, le=1e6, description="Frames per second of simulated time.")
    frames: Whole = Field(
        default=120, ge=1, le=10**6, description="Number of frames; the first is the state at the start."
    )


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
    has_sinks: ClassVar[bool] = True
    has_motion: ClassVar[bool] = True
    has_smoke: ClassVar[bool] = False  # pictures show a volume, in front of the plain background
    has_viscosity: ClassVar[bool] = True
    has_matched_sinks: ClassVar[bool] = True
    source_kinds: ClassVar[frozenset[str]] = frozenset({"blob", "spout", "heat", "dye"})
    bringing_kinds: ClassVar[frozenset[str]] = frozenset({"blob", "spout"})  # that a scene may begin empty with
    fluid: ClassVar[str] = "water"  # the material, if none is named
    has_density: ClassVar[bool] = False  # of fills
    shows: ClassVar[tuple[str, ...]] = ("surface", "particles", "cells")  # what looks may show, first by default
    force_kinds: ClassVar[frozenset[str] | None] = None  # all, if not said
    frame_files: ClassVar[str] = "particles"  # what the files of its frames are called
    counts: ClassVar[str] = "volume"  # what its ledger counts: volumes, or masses
    is_live: ClassVar[bool] = True  # whether the studio can show it
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


MOST_FOR_SOLIDS = 2.0  # cells that a body may cross in a step, or it would push too hard
_MOST_FOR_LIQUID = 10.0


class LiquidSettings(Solver):
    """A liquid in air, carried by particles."""

    old_keys: ClassVar = {"parting": "separating_walls"}
    start_keys: ClassVar[tuple[str, ...]] = ("particles_per_cell", "seed", "jitter")
    edition: ClassVar[tuple[int, ...]] = (3,)

    kind: Literal["liquid"] = Field(default="liquid", description="A liquid in air.")
    transfer: Annotated[Literal["semi_lagrangian", "pic", "flip", "apic"], renamed(trace="semi_lagrangian")] = Field(
        default="apic",
        description="What carries velocity: the grid, traced back (semi_lagrangian), or particles, which take the "
        "grid's velocity (pic), its change (flip), or its velocity and gradient (apic).",
    )
    flip_ratio: Number = Field(
        default=0.97, ge=0, le=1, description="Share of FLIP in transfer flip; the rest is PIC, which damps."
    )
    seed: Whole = Field(default=0, ge=0, le=2**63 - 1, description="Random seed.")
    steps_cross_frames: Switch = Field(
        default=False,
        description="Let a step end after the frame's time, instead of dividing each frame evenly.",
    )
    free_surface: Literal["ghost", "staircase", "cells"] = Field(
        default="ghost",
        description="Model of the surface: inside cells, by ghost fluid (ghost), at the faces of cells that hold a "
        "particle (staircase), or in those cells, by Gates's rules for their faces (cells).",
    )
    surface: Literal["particles", "levelset"] = Field(
        default="particles",
        description="What knows where the liquid is: the particles that carry it (particles), or a signed distance on "
        "the grid, which is carried along (levelset) and has transfer semi_lagrangian and free_surface ghost.",
    )
    levelset_particles: Switch = Field(
        default=True,
        description="Let particles on both sides of a level set correct it: particles_per_cell of each sign.",
    )
    levelset_scheme: Literal["cubic", "linear"] = Field(
        default="cubic",
        description="How a level set is found between cell centres: by cubic interpolation (cubic), or by linear "
        "interpolation, as Cline has it (linear).",
    )
    levelset_volume: Literal["none", "shift"] = Field(
        default="none",
        description="Correction of the volume of a level set: none, or in each step the whole surface is shifted a "
        "little towards the volume that there should be (shift).",
    )
    density_projection: Switch = Field(
        default=True,
        description="Keep particles evenly spread in every step, so that no volume is lost; with free_surface ghost.",
    )
    solids: Literal["cut", "voxel"] = Field(
        default="cut",
        description="How the grid represents solids: at their true place, by the cells they cut (cut), or as whole "
        "cells (voxel). With free_surface cells it is always voxel.",
    )
    viscosity: Literal["auto", "explicit", "implicit", "coupled"] = Field(
        default="auto",
        description="How viscosity acts: in short steps (explicit), in steps of any length on each component of the "
        "velocity by itself (implicit), which resists rotation at free surfaces, or with the whole stress (coupled); "
        "auto is explicit where that needs no shorter steps, else coupled.",
    )
    viscosity_mean: Literal["harmonic", "geometric"] = Field(
        default="harmonic",
        description="Mean of a viscosity that varies, between cells: the harmonic one is exact in layers, the "
        "geometric one is Cline's.",
    )
    separating_walls: Switch = Field(
        default=True,
        description="Let liquid separate from walls that would have to pull on it; with free_surface cells and with "
        "surface levelset it never does.",
    )
    particles_per_cell: Whole | None = Field(
        default=None,
        ge=1,
        le=512,
        description="Particles in a full cell: a square in 2-D (1, 4, 9, 16), a cube in 3-D (1, 8, 27, 64).",
        json_schema_extra={"default_text": "4 in 2-D, 8 in 3-D"},
    )
    jitter: Number = Field(
        default=0.25,
        ge=0,
        le=1,
        description="Random displacement of particles at the start, as a share of half their spacing.",
    )

    @property
    def viscosity_shortens_steps(self) -> bool:
        """Whether steps have to be short enough for the viscosity."""
        return self.viscosity == "explicit"

    def faults_in(self, domain: Domain) -> list[Finding]:
        """That particles do not fill the cells of a domain evenly."""
        if self.surface == "levelset" and domain.side_temperature.given:
            sentence = '"levelset" carries no heat, but domain.side_temperature is given'
            return [(("surface",), f'{sentence}: take that out, or use "particles"')]
        d, count = domain.dimension, self.particles_per_cell
        if count is None or round(count ** (1 / d)) ** d == count:
            return []
        wanted = {2: "a square in 2-D: 1, 4, 9, 16 ...", 3: "a cube in 3-D: 1, 8, 27, 64 ..."}
        return [(("particles_per_cell",), f"{count} must be {wanted[d]}")]

    def count_per_cell(self, dimension: int) -> int:
        """Particles that a full cell starts with."""
        return self.particles_per_cell or 2**dimension

    @field_validator("courant")
    @classmethod
    def _liquid_crosses_few_cells(cls, value: float) -> float:
        if value > _MOST_FOR_LIQUID:
            raise refusal(f"{value:g} is too large: it must be at most {_MOST_FOR_LIQUID:g}, but for stable fluids")
        return value

    @property
    def lets_liquid_separate(self) -> bool:
        """Whether liquid may leave walls."""
        return self.separating_walls and self.free_surface != "cells" and self.surface == "particles"

    @property
    def has_no_particles(self) -> str:
        """That a level set has none."""
        return "a level set has no particles" if self.surface == "levelset" else ""

    @model_validator(mode="after")
    def _level_set_lives_on_the_grid(self) -> Self:
        given = self.model_fields_set
        if self.surface != "levelset":
            for key in ("levelset_particles", "levelset_scheme", "levelset_volume"):
                if key in given and getattr(self, key) != type(self).model_fields[key].default:
                    raise refusal_at(key, 'has no meaning without surface = "levelset": take it out')
            return self
        if "transfer" in given and self.transfer != "semi_lagrangian":
            sentence = f'{shown(self.transfer)} needs particles, and surface = "levelset" has none'
            raise refusal_at("transfer", f'{sentence}: use "semi_lagrangian", or take it out')
        if "separating_walls" in given and self.separating_walls:
            sentence = "true asks liquid to leave walls, and a level set goes on behind them"
            raise refusal_at("separating_walls", f'{sentence}: use false, take it out, or use surface = "particles"')
        if self.free_surface != "ghost":
            sentence = f'{shown(self.free_surface)} does not see where in a cell surface = "levelset" is'
            raise refusal_at("free_surface", f'{sentence}: use "ghost", or take it out')
        return self

    @model_validator(mode="after")
    def _surface_cells_are_whole(self) -> Self:
        if self.free_surface == "cells" and self.solids == "cut" and "solids" in self.model_fields_set:
            sentence = '"cut" does not go together with free_surface = "cells", whose rules are for whole cells'
            raise refusal_at("solids", f'{sentence}: use "voxel", or another free_surface')
        return self


class StableFluidsSettings(Solver):
    """A fluid that fills a closed box, with liquid where it is dense."""

    has_particles: ClassVar[bool] = False
    has_free_surface: ClassVar[bool] = False
    has_warm_walls: ClassVar[bool] = False
    has_varied_viscosity: ClassVar[bool] = False
    has_colors: ClassVar[bool] = False
    has_sinks: ClassVar[bool] = False
    has_motion: ClassVar[bool] = False
    shows: ClassVar[tuple[str, ...]] = ("surface",)
    force_kinds: ClassVar[frozenset[str] | None] = frozenset({"constant"})
    frame_files: ClassVar[str] = "grids"
    seed: ClassVar[int] = 0  # nothing is random

    kind: Literal["stable_fluids"] = Field(description="A fluid that fills a closed box.")
    courant: Number = Field(default=1.0, gt=0, le=100, description="Cells that fluid may cross in one step.")
    advection: Annotated[Literal["semi_lagrangian", "maccormack"], renamed(trace="semi_lagrangian")] = Field(
        default="maccormack",
        description="How stable fluids are advected: traced back (semi_lagrangian), or also traced forth and corrected "
        "(maccormack), which keeps swirls and edges.",
    )
    diffusion: Annotated[float, Quantity("kinematic viscosity")] = Field(
        default=0.0, ge=0, le=FURTHEST, description="How fast the density of stable fluids spreads."
    )
    confinement: Number = Field(
        default=0.0, ge=0, le=10, description="How strongly swirls of stable fluids are spun up again; 0 is not at all."
    )
    isovalue: Number = Field(
        default=0.5, gt=0, lt=1, description="Density of stable fluids at which the surface of the liquid is drawn."
    )

    @property
    def courant_of_solids(self) -> float:
        """Cells that a body which moves may cross in one step."""
        return min(self.courant, MOST_FOR_SOLIDS)

    @property
    def surface_keys(self) -> tuple[float, ...]:
        """The density at the surface."""
        return (self.isovalue,)

    def faults_in(self, domain: Domain) -> list[Finding]:
        """That the box is not closed."""
        names = list(Sides.model_fields)[: 2 * domain.dimension]
        other = [name for name in names if getattr(domain.sides, name) != "closed"]
        if not other:
            return []
        word = shown(getattr(domain.sides, other[0]))
        sentence = f'"stable_fluids" fills a closed box, but domain.sides.{other[0]} is {word}'
        return [(("kind",), f'{sentence}: close it, or use "liquid"')]


_Rate = Annotated[float, Quantity("rate"), Field(ge=0, le=FURTHEST)]
_MOST_FOR_SMOKE = 5.0  # so that what smoke crosses in a step, and three cells more, are no further than the next tile


class SmokeSettings(Solver):
    """Smoke, heat and fire in air, which is followed near them alone."""

    has_particles: ClassVar[bool] = False
    has_free_surface: ClassVar[bool] = False
    has_varied_viscosity: ClassVar[bool] = False
    has_colors: ClassVar[bool] = False
    has_smoke: ClassVar[bool] = True
    has_viscosity: ClassVar[bool] = False
    has_matched_sinks: ClassVar[bool] = False
    source_kinds: ClassVar[frozenset[str]] = frozenset({"smoke", "heat"})
    bringing_kinds: ClassVar[frozenset[str]] = frozenset({"smoke", "heat"})
    fluid: ClassVar[str] = "air"
    has_density: ClassVar[bool] = True
    shows: ClassVar[tuple[str, ...]] = ("volume",)
    frame_files: ClassVar[str] = "volumes"
    counts: ClassVar[str] = "mass"
    is_live: ClassVar[bool] = False
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
        if self.up is None and not any(domain.gravity) and (self.fall > 0 or (self.rise or 0.0) > 0):
            key = "fall" if self.fall > 0 else "rise"
            sentence = "has no direction: domain.gravity is 0 and so does not say which way is up"
            found.append(((key,), f"{getattr(self, key):g} {sentence}: give solver.up, such as {[0.0, 1.0, 0.0][:d]}"))
        return found

    def wind_in(self, dimension: int) -> tuple[float, ...]:
        """The wind along as many axes as there are, m/s."""
        return tuple(self.wind[:dimension])


_KINDS: tuple[type[Solver], ...] = (LiquidSettings, StableFluidsSettings, SmokeSettings)
SOLVER_KINDS: dict[str, type[Solver]] = {kind_of(kind): kind for kind in _KINDS}


def kind_named_in(value: object) -> str:
    """The kind that settings name, in a table or as an object; a liquid if they name none that there is."""
    kind = value.get("kind") if isinstance(value, Mapping) else getattr(value, "kind", None)
    return kind if isinstance(kind, str) and kind in SOLVER_KINDS else "liquid"


SolverSettings = Annotated[
    Annotated[LiquidSettings, Tag("liquid")]
    | Annotated[StableFluidsSettings, Tag("stable_fluids")]
    | Annotated[SmokeSettings, Tag("smoke")],
    Discriminator(kind_named_in),
]


def keys_of_all_kinds(solver: Solver) -> dict[str, Any]:
    """What settings say, with the defaults of keys that only liquids or stable fluids have.

    Kinds that came later add nothing to the others: runs made before stay as good as they were.
    """
    first = (LiquidSettings, StableFluidsSettings)
    defaults = {name: field.default for kind in first for name, field in kind.model_fields.items()}
    return defaults | solver.model_dump()
