"""The weight of a warm liquid (Boussinesq): it weighs less, and is as heavy to move as before.

    weight of a kilogram = (1 - β (T - T0)) g

with the thermal expansion β in 1/K, and T0 the temperature that the liquid's density was given for.

Reference: Foster & Metaxas 1997.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Boussinesq:
    """What warmth takes from the weight of a liquid.

    Attributes:
        gravity: m/s².
        expansion: Thermal expansion β, 1/K.
        ambient: The temperature T0 at which a liquid has its whole weight, K.
    """

    gravity: tuple[float, ...]
    expansion: float
    ambient: float

    def lifts(self, dt: float) -> list[float]:
        """By axis, the velocity (m/s) that each kelvin above T0 gives in dt."""
        return [-dt * self.expansion * g for g in self.gravity]

    def pull(self, temperatures: Iterable[float]) -> float:
        """The greatest weight, up or down, of a kilogram at some temperatures (K), or at T0: N/kg.

        >>> Boussinesq((0.0, -10.0), expansion=0.05, ambient=300.0).pull([290.0, 360.0])
        20.0
        """
        shares = [1.0, *(abs(1.0 - self.expansion * (t - self.ambient)) for t in temperatures)]
        return math.hypot(*self.gravity) * max(shares)
