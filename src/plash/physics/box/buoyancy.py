"""Buoyancy in a box: what warmth takes from the weight of the liquid.

    u -= dt ρ β (T - T0) g    on faces, ρ the density there, beside what `Weight` does

In a box full of liquid the weight at T0 is the gradient of a pressure, and all that moves it is buoyancy.

Reference: Foster & Metaxas 1997.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import inner_faces
from plash.physics.heat.boussinesq import Boussinesq
from plash.timing import stage

Array = NDArray[np.float64]


class Buoyancy(Boussinesq):
    """What warmth does to the liquid in a box."""

    @stage
    def add(self, velocity: Array, density: Array, temperature: Array, dt: float) -> None:
        """Add what buoyancy does in dt to the velocity on faces."""
        excess = density * (temperature - self.ambient)
        for axis, lift in enumerate(self.lifts(0.5 * dt)):
            if lift != 0.0:
                inner, before = inner_faces(axis, density.ndim), inner_faces(axis, density.ndim, last=-1)
                velocity[axis][inner] += lift * (excess[inner] + excess[before])
