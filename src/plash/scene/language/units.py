"""Numbers with units: ``"12 cm"``, ``"10 Pa*s"``, ``"30 deg"``, ``"20 degC"``; a bare number is SI.

A quantity is written in a model as ``Annotated[float, Quantity("length")]`` and is a float in SI units ever
after. Unit strings are converted in decimal, so that ``"57 cm"`` and ``0.57`` are the same number. Only
products and powers of unit names are read, no arithmetic; pint knows the names, and is imported when the
first string is met that is not in metres, seconds or both.
"""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from numbers import Real
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from plash.scene.language.words import a, nearest, refusal, shown


@dataclass(frozen=True)
class Dimension:
    """A kind of physical quantity: the unit of a bare number (SI, but for lenses), and one amount written both ways."""

    name: str
    unit: str
    example: str


# Those up to the flow rates are what parameters hold; the rest only let an error say what was given instead.
DIMENSIONS = {
    dimension.name: dimension
    for dimension in (
        Dimension("length", "m", '0.12 or "12 cm"'),
        Dimension("time", "s", '0.01 or "10 ms"'),
        Dimension("velocity", "m/s", '0.5 or "50 cm/s"'),
        Dimension("acceleration", "m/s^2", '9.81 or "9.81 m/s^2"'),
        Dimension("density", "kg/m^3", '1000 or "1 g/cm^3"'),
        Dimension("dynamic viscosity", "Pa*s", '10 or "10 Pa*s"'),
        Dimension("kinematic viscosity", "m^2/s", '1e-6 or "1 cSt"'),
        Dimension("pressure", "Pa", '1000 or "1 kPa"'),
        Dimension("temperature", "K", '293.15 or "20 degC"'),
        Dimension("thermal expansion", "K^-1", '2e-4 or "2e-4 K^-1"'),
        Dimension("thermal diffusivity", "m^2/s", '1.4e-7 or "0.14 mm^2/s"'),
        Dimension("diffusivity", "m^2/s", '1e-6 or "1 mm^2/s"'),
        Dimension("angle", "rad", '0.5 or "30 deg"'),
        Dimension("angle of view", "deg", '35 or "0.6 rad"'),
        Dimension("angular velocity", "rad/s", '0.5 or "30 deg/s"'),
        Dimension("frequency", "Hz", '1 or "1 Hz"'),
        Dimension("rate", "s^-1", '2 or "2 s^-1"'),
        Dimension("absorption", "m^-1", '0.3 or "0.3 m^-1"'),
        Dimension("extinction", "m^2/kg", '20 or "20 m^2/kg"'),
        Dimension("mass rate", "kg/s", '0.01 or "10 g/s"'),
        Dimension("flow rate", "m^3/s", '2e-4 or "0.2 L/s"'),
        Dimension("flow rate in 2-D", "m^2/s", '0.01 or "0.01 m^2/s"'),
        Dimension("area", "m^2", '1e-4 or "1 cm^2"'),
        Dimension("volume", "m^3", '0.001 or "1 L"'),
        Dimension("mass", "kg", '1 or "1 kg"'),
        Dimension("force", "N", '1 or "1 N"'),
        Dimension("energy", "J", '1 or "1 J"'),
    )
}

# For "did you mean"
_COMMON = (
    "m cm mm um km meter inch ft mile s ms us second min minute hour kg g mg gram L mL cL liter litre N J Hz K "
    "degC degF Pa kPa MPa pascal bar mbar atm psi P cP poise St cSt stokes rad deg degree turn"
)
COMMON_UNITS = tuple(_COMMON.split())

# Units of most scenes, by kind of quantity, each in SI units: they need no registry, which takes a while to read
_PLAIN = {
    "length": {"m": Decimal(1), "cm": Decimal("0.01"), "mm": Decimal("0.001")},
    "time": {"s": Decimal(1), "ms": Decimal("0.001")},
    "velocity": {"m/s": Decimal(1), "cm/s": Decimal("0.01"), "mm/s": Decimal("0.001")},
}

_NUMBER = r"[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][+-]?\d{1,3})?"
_NAME = r"[A-Za-zµμÅ][A-Za-z0-9_]{0,30}|°[CF]?|%"
_FACTOR = rf"(?:{_NAME})(?:\s?(?:\^|\*\*)\s?-?\d)?"
_QUANTITY = re.compile(rf"\s*({_NUMBER})\s*({_FACTOR}(?:(?:\s*[*/·]\s*|\s+){_FACTOR}){{0,7}})?\s*", re.ASCII)
_SUPERSCRIPTS = {ord("²"): "^2", ord("³"): "^3", ord("·"): "*"}


@dataclass(frozen=True)
class Quantity:
    """Marks a float of a model as a physical quantity, or with no name as a plain number.

    >>> Quantity("length").to_si("12 cm")
    0.12
    >>> Quantity("dynamic viscosity").to_si(10)
    10.0
    """

    name: str = ""

    @property
    def unit(self) -> str:
        """The SI unit; empty for a plain number."""
        return DIMENSIONS[self.name].unit if self.name else ""

    def to_si(self, value: object) -> float:
        """The value as a finite float in SI units; raises the error pydantic collects when it is none."""
        if isinstance(value, str) and self.name:
            number = _convert(value, DIMENSIONS[self.name])
        elif isinstance(value, Real) and not isinstance(value, bool):
            number = _as_float(value)
        else:
            raise refusal(f"{shown(value)} is the wrong type: it must be {self._wanted()}")
        if not math.isfinite(number):
            raise refusal(f"{shown(value)} is not a finite number: it must be {self._wanted()}")
        return number

    def _wanted(self) -> str:
        if not self.name:
            return "a number"
        dimension = DIMENSIONS[self.name]
        return f"{a(dimension.name)} (SI unit {dimension.unit}), such as {dimension.example}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.to_si, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        number = handler(schema)
        if not self.name:
            return number
        return {"anyOf": [number, {"type": "string"}], "unit": self.unit}


@dataclass(frozen=True)
class _FlowRate(Quantity):
    """A flow rate: of volume, or in 2-D of area."""

    name: str = "flow rate"

    def to_si(self, value: object) -> float:
        """The value in m³/s, or in m²/s if that is how it is written."""
        return Quantity("flow rate in 2-D").to_si(value) if flow_axes(value) == 2 else super().to_si(value)


FlowRate = Annotated[float, _FlowRate()]


def flow_axes(value: object) -> int | None:
    """For how many axes a flow rate is written: 2 if as an area a second, 3 if as a volume; None without a unit."""
    match = _QUANTITY.fullmatch(value.translate(_SUPERSCRIPTS)) if isinstance(value, str) else None
    if match is None or match.group(2) is None:
        return None
    try:
        base = _base_of(match.group(2), "")[1]
    except PydanticCustomError:
        return None
    return 2 if base == _base_of("m^2/s", "")[1] else 3


def _as_float(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _convert(text: str, wanted: Dimension) -> float:
    match = _QUANTITY.fullmatch(text.translate(_SUPERSCRIPTS))
    if match is None:
        raise refusal(f"{shown(text)} is not a number with a unit: write {a(wanted.name)} as {wanted.example}")
    number, unit = match.groups()
    if unit is None:
        raise refusal(
            f"{shown(text)} has no unit: write {a(wanted.name)} as {wanted.example} "
            f"(a number without quotes is in {wanted.unit})"
        )
    plain = _PLAIN.get(wanted.name, {}).get(unit)
    if plain is not None:
        return float(Decimal(number) * plain)
    factor, base = _base_of(unit, text)
    wanted_factor, wanted_base = _base_of(wanted.unit, text)
    if base != wanted_base:
        found = next((d.name for d in DIMENSIONS.values() if _base_of(d.unit, text)[1] == base), "")
        what = a(found) if found else f"measured in {base}"
        raise refusal(
            f"{shown(text)} is {what}, not {a(wanted.name)}: "
            f"expected a unit such as {wanted.unit}, as in {wanted.example}"
        )
    return float((Decimal(number) * factor + _zero_of(unit, wanted)) / wanted_factor)


def _zero_of(unit: str, wanted: Dimension) -> Decimal:
    """Where the scale of a unit begins, in SI units: not at zero for degrees of temperature.

    >>> _zero_of("degC", DIMENSIONS["temperature"])
    Decimal('273.15')
    """
    if wanted.name != "temperature":
        return Decimal(0)
    with _one_at_a_time:
        registry = _registry()
        return Decimal(registry.convert(Decimal(0), registry.parse_units(unit), registry.kelvin))


# A registry fills its tables as it is asked, and does not expect two threads to ask
_one_at_a_time = threading.RLock()


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(non_int_type=Decimal)


@lru_cache(maxsize=512)
def _factor_of(unit: str) -> tuple[Decimal, Any]:
    with _one_at_a_time:
        registry = _registry()
        factor, base = registry.get_base_units(registry.parse_units(unit))
    return Decimal(factor), base


def _base_of(unit: str, text: str) -> tuple[Decimal, Any]:
    """How many of its SI base unit a unit is, and that base unit."""
    import pint

    try:
        return _factor_of(unit)
    except pint.UndefinedUnitError as error:
        unknown = str(error.unit_names if isinstance(error.unit_names, str) else error.unit_names[0])
        raise refusal(f"{shown(text)} has an unknown unit, {shown(unknown)}.{nearest(unknown, COMMON_UNITS)}") from None
    except (pint.PintError, ArithmeticError, ValueError, TypeError, KeyError, AttributeError):
        raise refusal(f"{shown(text)} has a unit that cannot be read: {shown(unit)}") from None
