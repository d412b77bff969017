"""Settings of a simulation: how long, how solved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, Unpack

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from plash.scene.domain import Domain, Sides
from plash.scene.functions import Function
from plash.scene.language.base import (
    FURTHEST,
    Number,
    SceneModel,
    Switch,
    Temperature,
    Whole,
    renamed,
)
from plash.scene.language.fields import kind_of
from plash.scene.language.units import Quantity
from plash.scene.language.words import Finding, refusal, refusal_at, shown
from plash.scene.smoke_settings import SmokeSettings
from plash.scene.solver import MOST_FOR_SOLIDS, SOLVER_KINDS, Solver, kind_named_in

if TYPE_CHECKING:
    from plash.scene.keys import TimeKeys


class Time(SceneModel):
    """How many pictures, and how far apart."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[TimeKeys]) -> None: ...

    fps: Number = Field(default=24.0, ge=1e-3, le=1e6, description="Frames per second of simulated time.")
    frames: Whole = Field(
        default=120, ge=1, le=10**6, description="Number of frames; the first is the state at the start."
    )


_MOST_FOR_LIQUID = 10.0
_MOST_OF_ELASTIC_WAVES = 2.0  # cells a step


class LiquidSettings(Solver):
    """A liquid in air, carried by particles."""

    old_keys: ClassVar = {"parting": "separating_walls"}
    start_keys: ClassVar[tuple[str, ...]] = ("particles_per_cell", "seed", "jitter", "surface")
    edition: ClassVar[tuple[int, ...]] = (5,)
    step_stages: ClassVar[tuple[str, ...]] = ("grid", "advect", "forces", "project", "extrapolate", "move")
    has_elasticity: ClassVar[bool] = True
    shows_temperature: ClassVar[bool] = True
    source_kinds: ClassVar[frozenset[str]] = Solver.source_kinds | {"drops"}
    bringing_kinds: ClassVar[frozenset[str]] = Solver.bringing_kinds | {"drops"}

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
    flow: Function | None = Field(
        default=None,
        description="The velocity of a level set, in place of forces and pressure: from points, an array (n, axes) in "
        "metres, and a time in s to (n, axes) in m/s. Walls do not hold it.",
        json_schema_extra={"default_text": "none"},
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
    elasticity: Literal["auto", "explicit"] = Field(
        default="auto",
        description="How elastic stress acts: in steps in which its waves cross less than half a cell (explicit), or, "
        "where a frame takes more than twice 24 of these, in longer ones, 24 a frame, in which waves cross up to 2 "
        "cells, and courant at most, and the shortest are smoothed (auto).",
    )
    strain: Literal["corotated", "paper"] | None = Field(
        default=None,
        description="How elastic strain grows: it turns with the flow (corotated), or not, as Cline has it (paper).",
        json_schema_extra={"default_text": "corotated; with transfer semi_lagrangian, paper"},
    )
    yielding: Literal["tensor", "components"] = Field(
        default="tensor",
        description="How strain on the grid yields, with transfer semi_lagrangian: all of a cell's (tensor), or each "
        "component by the strain at its own place (components).",
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

    @property
    def elastic_courant(self) -> float | None:
        """Cells that elastic waves may cross in a step; None for as many as are stable without smoothing."""
        return None if self.elasticity == "explicit" else min(self.courant, _MOST_OF_ELASTIC_WAVES)

    def faults_in(self, domain: Domain) -> list[Finding]:
        """That particles do not fill the cells of a domain evenly."""
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
            for key in ("levelset_particles", "levelset_scheme", "levelset_volume", "flow"):
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
    def _strain_is_where_velocity_is(self) -> Self:
        on_grid = self.transfer == "semi_lagrangian"
        if on_grid and self.strain == "corotated":
            sentence = '"corotated" needs particles, whose strain is in one place, and transfer = "semi_lagrangian"'
            raise refusal_at("strain", f'{sentence} has it on the grid: use "paper", or another transfer')
        if not on_grid and self.yielding == "components":
            sentence = f'"components" is for strain on the grid, and transfer = {shown(self.transfer)} has it on'
            raise refusal_at("yielding", f'{sentence} particles: use "tensor", or transfer = "semi_lagrangian"')
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
    has_motion: ClassVar[bool] = False
    edition: ClassVar[tuple[int, ...]] = (2,)
    shows: ClassVar[tuple[str, ...]] = ("surface",)
    shows_temperature: ClassVar[bool] = True
    frame_files: ClassVar[str] = "grids"
    step_stages: ClassVar[tuple[str, ...]] = ("force", "advect", "diffuse", "project", "scalars")
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
    isotherm: Temperature | None = Field(
        default=None,
        description="Temperature of stable fluids at which a surface is drawn in place of the liquid's: inside it is "
        "warmer. Something in the scene has to be warmer or colder than the rest.",
    )

    @property
    def courant_of_solids(self) -> float:
        """Cells that a body which moves may cross in one step."""
        return min(self.courant, MOST_FOR_SOLIDS)

    @property
    def surface_keys(self) -> tuple[float, ...]:
        """The density at the surface, and the temperature if that is what makes it."""
        return (self.isovalue,) if self.isotherm is None else (self.isovalue, self.isotherm)

    def faults_in(self, domain: Domain) -> list[Finding]:
        """That the box is not closed."""
        names = list(Sides.model_fields)[: 2 * domain.dimension]
        other = [name for name in names if getattr(domain.sides, name) != "closed"]
        if not other:
            return []
        word = shown(getattr(domain.sides, other[0]))
        sentence = f'"stable_fluids" fills a closed box, but domain.sides.{other[0]} is {word}'
        return [(("kind",), f'{sentence}: close it, or use "liquid"')]


_KINDS: tuple[type[Solver], ...] = (LiquidSettings, StableFluidsSettings, SmokeSettings)
SOLVER_KINDS.update({kind_of(kind): kind for kind in _KINDS})

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
