"""What follows the temperature of a liquid: its values at some temperatures, and those between them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from plash.scene.language.base import OwnViscosity, SceneModel, ShearModulus, Temperature
from plash.scene.language.words import Finding, refusal, refusals

if TYPE_CHECKING:
    from plash.scene.keys import ModulusPointKeys, ViscosityPointKeys


class ViscosityPoint(SceneModel):
    """How thick a liquid is at a temperature."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[ViscosityPointKeys]) -> None: ...

    temperature: Temperature = Field(description="How warm it is.")
    dynamic_viscosity: OwnViscosity = Field(description="Resistance to shear then.")


class ModulusPoint(SceneModel):
    """How firm a liquid is at a temperature."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[ModulusPointKeys]) -> None: ...

    temperature: Temperature = Field(description="How warm it is.")
    shear_modulus: ShearModulus = Field(description="How much it resists being sheared then; 0 flows.")


class Ramp(NamedTuple):
    """Values at temperatures in rising order, constant beyond the ends.

    Attributes:
        temperatures: In K.
        values: At each.
        is_linear: Whether values are linear in the temperature between two points, or their logarithms are.
    """

    temperatures: tuple[float, ...]
    values: tuple[float, ...]
    is_linear: bool

    def at(self, temperature: float) -> float:
        """The value at a temperature (K).

        >>> [round(Ramp((300.0, 320.0), (100.0, 1.0), False).at(t), 9) for t in (290, 300, 310, 320, 330)]
        [100.0, 100.0, 10.0, 1.0, 1.0]
        """
        places = self.temperatures
        place = min(max(temperature, places[0]), places[-1])
        last = next(index for index in range(1, len(places)) if place <= places[index])
        share = (place - places[last - 1]) / (places[last] - places[last - 1])
        a, b = self.values[last - 1], self.values[last]
        return a + share * (b - a) if self.is_linear else math.exp(math.log(a) + share * (math.log(b) - math.log(a)))

    def each(self, temperatures: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values at many temperatures (K)."""
        found: NDArray[np.float64] = (
            np.interp(temperatures, self.temperatures, self.values)
            if self.is_linear
            else np.exp(self.logarithms(temperatures))
        )
        return found

    def logarithms(self, temperatures: NDArray[np.float64]) -> NDArray[np.float64]:
        """The natural logarithms of the values at many temperatures (K)."""
        between = np.interp(temperatures, self.temperatures, self.values if self.is_linear else np.log(self.values))
        found: NDArray[np.float64] = np.log(between) if self.is_linear else between
        return found


class RampWords(NamedTuple):
    """What messages about points call them.

    Attributes:
        key: Of the value in a point, which is also that of a single one.
        name: What it is.
        unit: Of it.
    """

    key: str
    name: str
    unit: str


def refuse_no_ramp(points: Sequence[SceneModel] | None, words: RampWords) -> None:
    """Refuse points that are not in rising order of temperature, or whose values go both ways."""
    if points is None:
        return
    if len(points) < 2:
        raise refusal(f"has {len(points)} points: give two at least, or one {words.name} as {words.key}")
    found: list[Finding] = []
    for index, (before, here) in enumerate(_pairs(points, "temperature")):
        if here <= before:
            sentence = f"{here:g} K is not above the {before:g} K before it: put the points in rising order"
            found.append(((index + 1, "temperature"), sentence))
    pairs = _pairs(points, words.key)
    way = next((here - before for before, here in pairs if here != before), 0.0)
    for index, (before, here) in enumerate(pairs):
        if (here - before) * way < 0:
            first, then = ("falls", "rises") if way < 0 else ("rises", "falls")
            both = f"the {words.name} {first} at first and {then} here, from {before:g} {words.unit}"
            found.append(((index + 1, words.key), f"{here:g} {words.unit}: {both}: let it go one way"))
    if found:
        raise refusals(found)


def _pairs(points: Sequence[SceneModel], key: str) -> list[tuple[float, float]]:
    """Values of points that follow each other."""
    return list(itertools.pairwise(getattr(point, key) for point in points))
