"""Which liquid it is: density, viscosity, what warmth does to it, and its colour."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal, Self, Unpack

from pydantic import Field, field_validator, model_validator
from pydantic.config import JsonDict

from plash.scene.colors import Color
from plash.scene.language.base import (
    FURTHEST,
    SceneModel,
    ShearModulus,
    Temperature,
    Text,
    YieldRate,
    YieldStrain,
)
from plash.scene.language.units import Quantity
from plash.scene.language.words import nearest, refusal, refusal_at, refusals, shown
from plash.scene.materials import MATERIALS
from plash.scene.ramps import ModulusPoint, Ramp, RampWords, ViscosityPoint, refuse_no_ramp

if TYPE_CHECKING:
    from plash.scene.keys import LiquidKeys

_ROOM, _ICE = 293.15, 273.15  # K
_WARMEST_ROOM = 30  # °C
HEAT_OF_LIQUID = ("temperature", "thermal_expansion", "thermal_diffusivity")
_OF_MATERIAL: JsonDict = {"default_text": "the material's"}
_VISCOSITY = RampWords("dynamic_viscosity", "viscosity", "Pa*s")
_MODULUS = RampWords("shear_modulus", "modulus", "Pa")


class Liquid(SceneModel):
    """Which liquid it is: a material by name, and what differs from it.

    >>> Liquid(material="honey", dynamic_viscosity="2 Pa*s").nu == 2.0 / 1420.0
    True
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[LiquidKeys]) -> None: ...

    material: Text = Field(default="water", description="Name from the table of materials.")
    density: Annotated[float, Quantity("density")] | None = Field(
        default=None, gt=0, le=1e6, description="Mass per volume.", json_schema_extra=_OF_MATERIAL
    )
    dynamic_viscosity: Annotated[float, Quantity("dynamic viscosity")] | None = Field(
        default=None, ge=0, description="Resistance to shear.", json_schema_extra=_OF_MATERIAL
    )
    kinematic_viscosity: Annotated[float, Quantity("kinematic viscosity")] | None = Field(
        default=None,
        ge=0,
        description="Dynamic viscosity over density; not together with it.",
        json_schema_extra=_OF_MATERIAL,
    )
    shear_modulus: ShearModulus | None = Field(
        default=None,
        description="How much it resists being sheared, as jelly does; 0 flows, as water does.",
        json_schema_extra=_OF_MATERIAL,
    )
    yield_strain: YieldStrain | None = Field(
        default=None,
        description="Size of the elastic strain, the root of the sum of squares of its entries, beyond which it flows.",
        json_schema_extra={"default_text": "the material's, or it never flows"},
    )
    yield_rate: YieldRate | None = Field(
        default=None,
        description="How fast strain beyond `yield_strain` decays, by a factor of e in 1/`yield_rate`.",
        json_schema_extra={"default_text": "the material's, or at once"},
    )
    gas_pressure: Annotated[float, Quantity("pressure")] = Field(
        default=0.0, description="Pressure at the free surface, above that of the surroundings."
    )
    temperature: Temperature = Field(
        default=_ROOM,
        description="That of everything at the start, unless a fill says otherwise; the density is that at this "
        "temperature.",
        json_schema_extra={"default_text": "293.15, or what the material is liquid at"},
    )
    thermal_expansion: Annotated[float, Quantity("thermal expansion")] = Field(
        default=0.0,
        ge=-10,
        le=10,
        description="By which share warmer liquid is lighter, for each kelvin above `temperature`; that of water is "
        "2.1e-4.",
    )
    thermal_diffusivity: Annotated[float, Quantity("thermal diffusivity")] = Field(
        default=MATERIALS["water"].thermal_diffusivity,
        ge=0,
        le=FURTHEST,
        description="How fast differences of temperature even out.",
        json_schema_extra=_OF_MATERIAL,
    )
    viscosity_at: tuple[ViscosityPoint, ...] | None = Field(
        default=None,
        description="The viscosity at two or more temperatures, in rising order, each a table of `temperature` and "
        "`dynamic_viscosity`; it only falls from point to point, or only rises, and is constant beyond the ends.",
        json_schema_extra={"default_text": "the material's, or the same at every temperature"},
    )
    viscosity_between: Literal["exponential", "linear"] = Field(
        default="exponential",
        description="The viscosity between the points of `viscosity_at`: its logarithm is linear in the temperature "
        "(exponential), or it is itself (linear), as in Cline.",
    )
    shear_modulus_at: tuple[ModulusPoint, ...] | None = Field(
        default=None,
        description="The shear modulus at two or more temperatures, in rising order, each a table of `temperature` and "
        "`shear_modulus`; it only falls from point to point, or only rises, and is constant beyond the ends.",
        json_schema_extra={"default_text": "the same at every temperature"},
    )
    shear_modulus_between: Literal["linear", "exponential"] = Field(
        default="linear",
        description="The modulus between the points of `shear_modulus_at`: it is linear in the temperature (linear), "
        "or its logarithm is (exponential), for which no point may be 0.",
    )
    color: Color | None = Field(
        default=None,
        description='Its colour: "#rrggbb" or a name; fills and sources may have their own.',
        json_schema_extra=_OF_MATERIAL,
    )
    colors: Literal["keep", "mix"] = Field(
        default="keep",
        description="What becomes of liquid of several colours: each particle keeps its own (keep), or they spread "
        "into each other at `color_diffusivity` (mix).",
    )
    color_diffusivity: Annotated[float, Quantity("diffusivity")] | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description='How fast differences of colour even out, with `colors = "mix"`; of dyes in still water it is '
        "about 5e-10.",
        json_schema_extra={"default_text": 'required with `colors = "mix"`'},
    )

    @field_validator("material")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value not in MATERIALS:
            known = f"{nearest(value, MATERIALS)} Known: {', '.join(MATERIALS)}"
            raise refusal(f"{shown(value)} is not a known material.{known}")
        return value

    @model_validator(mode="after")
    def _has_one_viscosity(self) -> Self:
        mu, nu = self.dynamic_viscosity, self.kinematic_viscosity
        if mu is not None and nu is not None:
            sentence = f"{nu} is given together with dynamic_viscosity = {mu}: keep one of them"
            raise refusal_at("kinematic_viscosity", sentence)
        return self

    @model_validator(mode="after")
    def _is_as_its_material(self) -> Self:
        """What is not liquid in a room begins as warm as it has to be, and conducts as it does."""
        material = MATERIALS[self.material]
        usual = {"thermal_diffusivity": material.thermal_diffusivity}
        if material.temperature > _WARMEST_ROOM:
            usual["temperature"] = material.temperature + _ICE
        # Not by assignment: what nobody said does not count as said
        self.__dict__.update({key: value for key, value in usual.items() if key not in self.model_fields_set})
        return self

    @field_validator("viscosity_at")
    @classmethod
    def _is_a_ramp(cls, points: tuple[ViscosityPoint, ...] | None) -> tuple[ViscosityPoint, ...] | None:
        refuse_no_ramp(points, _VISCOSITY)
        return points

    @field_validator("shear_modulus_at")
    @classmethod
    def _is_a_ramp_too(cls, points: tuple[ModulusPoint, ...] | None) -> tuple[ModulusPoint, ...] | None:
        refuse_no_ramp(points, _MODULUS)
        return points

    @model_validator(mode="after")
    def _ramp_stands_alone(self) -> Self:
        if self.viscosity_at is None:
            if "viscosity_between" in self.model_fields_set:
                raise refusal_at("viscosity_between", "has no use without viscosity_at: take it out")
            return self
        for key in ("dynamic_viscosity", "kinematic_viscosity"):
            if getattr(self, key) is not None:
                raise refusal_at(key, f"{getattr(self, key):g} is given together with viscosity_at: keep one of them")
        return self

    @model_validator(mode="after")
    def _modulus_is_one_or_a_ramp(self) -> Self:
        if self.shear_modulus_at is None:
            if "shear_modulus_between" in self.model_fields_set:
                raise refusal_at("shear_modulus_between", "has no use without shear_modulus_at: take it out")
            return self
        if self.shear_modulus is not None:
            sentence = f"{self.shear_modulus:g} Pa is given together with shear_modulus_at: keep one of them"
            raise refusal_at("shear_modulus", sentence)
        if self.shear_modulus_between == "exponential":
            found = [index for index, point in enumerate(self.shear_modulus_at) if point.shear_modulus == 0]
            sentence = '0 Pa has no logarithm: give it a value above 0, or write shear_modulus_between = "linear"'
            if found:
                raise refusals([(("shear_modulus_at", index, "shear_modulus"), sentence) for index in found])
        return self

    @model_validator(mode="after")
    def _mixes_at_a_rate(self) -> Self:
        if self.colors == "mix" and self.color_diffusivity is None:
            raise refusal_at("color_diffusivity", 'is missing: colors = "mix" needs one, such as "1 mm^2/s"')
        if self.colors == "keep" and self.color_diffusivity is not None:
            sentence = f'{self.color_diffusivity:g} m^2/s has no use with colors = "keep": write colors = "mix"'
            raise refusal_at("color_diffusivity", f"{sentence}, or take it out")
        return self

    @property
    def elastic(self) -> tuple[float, float, float]:
        """Shear modulus (Pa), yield strain and yield rate (1/s); the largest numbers where it never yields, or at once.

        >>> Liquid(material="water").elastic[0], Liquid(material="jelly", yield_strain=0.5).elastic[1]
        (0.0, 0.5)
        """
        return self.elastic_at(self.temperature)

    def elastic_at(self, temperature: float) -> tuple[float, float, float]:
        """Shear modulus (Pa), yield strain and yield rate (1/s) at a temperature (K)."""
        material, ramp = MATERIALS[self.material], self.modulus_ramp
        modulus = material.shear_modulus if self.shear_modulus is None else self.shear_modulus
        strain = material.yield_strain if self.yield_strain is None else self.yield_strain
        rate = material.yield_rate if self.yield_rate is None else self.yield_rate
        return modulus if ramp is None else ramp.at(temperature), strain, rate

    @cached_property
    def modulus_ramp(self) -> Ramp | None:
        """By which the shear modulus (Pa) follows the temperature; None if it does not."""
        points = self.shear_modulus_at
        if points is None:
            return None
        values = tuple(point.shear_modulus for point in points)
        return Ramp(tuple(point.temperature for point in points), values, self.shear_modulus_between == "linear")

    @property
    def seen_color(self) -> str:
        """Its own colour, or that of its material."""
        return self.color or MATERIALS[self.material].color

    def of_material(self, name: str) -> Liquid:
        """The same of a material, if none was named."""
        if "material" in self.model_fields_set or self.material == name:
            return self
        made, material = self.model_copy(), MATERIALS[name]
        usual = {"material": name, "thermal_diffusivity": material.thermal_diffusivity}
        made.__dict__.update({key: value for key, value in usual.items() if key not in self.model_fields_set})
        return made

    @property
    def rho(self) -> float:
        """Density, in kg/m³."""
        return MATERIALS[self.material].density if self.density is None else self.density

    @property
    def nu(self) -> float:
        """Kinematic viscosity, in m²/s; that at `temperature` if it differs with it."""
        if self.kinematic_viscosity is not None:
            return self.kinematic_viscosity
        if self.dynamic_viscosity is not None:
            return self.dynamic_viscosity / self.rho
        return self.dynamic_viscosity_at(self.temperature) / self.rho

    @cached_property
    def viscosity_points(self) -> tuple[ViscosityPoint, ...]:
        """By which the viscosity follows the temperature: `viscosity_at`, or what is known of the material; or none.

        >>> [Liquid(material=name).viscosity_points != () for name in ("honey", "water")]
        [True, False]
        >>> Liquid(material="honey", dynamic_viscosity=5).viscosity_points
        ()
        """
        if self.viscosity_at is not None:
            return self.viscosity_at
        if self.dynamic_viscosity is not None or self.kinematic_viscosity is not None:
            return ()
        known = MATERIALS[self.material].viscosity_at
        return tuple(ViscosityPoint(temperature=at + _ICE, dynamic_viscosity=mu) for at, mu in known)

    def dynamic_viscosity_at(self, temperature: float) -> float:
        """Dynamic viscosity at a temperature (K), in Pa·s.

        >>> points = [
        ...     {"temperature": 300, "dynamic_viscosity": 100},
        ...     {"temperature": 320, "dynamic_viscosity": 1},
        ... ]
        >>> wax = Liquid(viscosity_at=points)
        >>> [round(wax.dynamic_viscosity_at(t), 9) for t in (290, 300, 310, 320, 330)]
        [100.0, 100.0, 10.0, 1.0, 1.0]
        """
        points, material = self.viscosity_points, MATERIALS[self.material]
        if not points and (self.dynamic_viscosity is not None or self.kinematic_viscosity is not None):
            return self.nu * self.rho
        if not points or (self.viscosity_at is None and temperature == material.temperature + _ICE):
            return material.dynamic_viscosity
        ramp = self.viscosity_ramp
        assert ramp is not None, "there are points"
        return ramp.at(temperature)

    @cached_property
    def viscosity_ramp(self) -> Ramp | None:
        """By which the dynamic viscosity (Pa·s) follows the temperature; None if it does not."""
        points = self.viscosity_points
        if not points:
            return None
        values = tuple(point.dynamic_viscosity for point in points)
        return Ramp(tuple(point.temperature for point in points), values, self.viscosity_between == "linear")
