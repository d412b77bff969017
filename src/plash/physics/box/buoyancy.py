"""Buoyancy (Boussinesq): warm liquid weighs less, and is as heavy to move as before.

    weight = density (1 - β (T - T0)) g,    of which - density β (T - T0) g is added here to `Weight`

with the thermal expansion β in 1/K and T0 the temperature that the liquid's density was given for. In a box full of
liquid the weight at T0 is the gradient of a pressure, and all that moves it is buoyancy.

Reference: Foster & Metaxas 1997.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import inner_faces
from plash.timing import stage

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Buoyancy:
    """What warmth takes from the weight of a liquid.

    Attributes:
        gravity: m/s².
        expansion: Thermal expansion β, 1/K.
        ambient: The temperature T0 at which a liquid has its whole weight, K.
    """

    gravity: tuple[float, ...]
    expansion: float
    ambient: float

    @stage
    def add(self, velocity: Array, density: Array, temperature: Array, dt: float) -> None:
        """Add what buoyancy does in dt to the velocity on faces."""
        excess = density * (temperature - self.ambient)
        for axis, g in enumerate(self.gravity):
            lift = self.expansion * g
            if lift != 0.0:
                inner, before = inner_faces(axis, density.ndim), inner_faces(axis, density.ndim, last=-1)
                velocity[axis][inner] -= (0.5 * dt * lift) * (excess[inner] + excess[before])

    def pull(self, temperatures: Iterable[float]) -> float:
        """The greatest weight, up or down, of a kilogram at some temperatures (K), or at T0: N/kg.

        >>> Buoyancy((0.0, -10.0), expansion=0.05, ambient=300.0).pull([290.0, 360.0])
        20.0
        """
        shares = [1.0, *(abs(1.0 - self.expansion * (t - self.ambient)) for t in temperatures)]
        return math.hypot(*self.gravity) * max(shares)
