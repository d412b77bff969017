"""Fluids that fill a box: their state, and what a frame of them holds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import at_centres, interpolated_at
from plash.physics.box.heat import TEMPERATURE

Array = NDArray[np.float64]


@dataclass(eq=False)
class BoxState:
    """A fluid in a box at one moment. Arrays are [[z,] y, x]; components come first, x before y.

    Attributes:
        faces: Velocity on the minimal faces of cells, m/s.
        density: Share of liquid in each cell, 0 to 1.
        pressure: In each cell, Pa, of zero mean.
        scalars: What else is carried along, by name, such as the temperature in K.
        time: s.
        steps: How many steps have been taken.
        last_step: Length of the last of them, s.
    """

    faces: Array
    density: Array
    pressure: Array
    scalars: dict[str, Array] = field(default_factory=dict)
    time: float = 0.0
    steps: int = 0
    last_step: float = 0.0

    @staticmethod
    def at_rest(shape: tuple[int, ...]) -> BoxState:
        """A box of cells ([z,] y, x) without liquid."""
        return BoxState(np.zeros((len(shape), *shape)), np.zeros(shape), np.zeros(shape))

    @property
    def velocity(self) -> Array:
        """Velocity at the centres of cells, m/s."""
        return at_centres(self.faces)


@dataclass(frozen=True, eq=False)
class FrameGrids:
    """The fields of a frame, at the centres of cells.

    Attributes:
        density: Share of liquid in each cell [[z,] y, x].
        velocity: In m/s, [axis, [z,] y, x] with x first.
        h: Cell size, m.
        temperature: In K, [[z,] y, x]; None if none is carried along.
    """

    density: NDArray[np.float32]
    velocity: NDArray[np.float32]
    h: float
    temperature: NDArray[np.float32] | None = None

    @staticmethod
    def of(state: BoxState, h: float) -> FrameGrids:
        """A copy of the fields as they are now."""
        warmth = state.scalars.get(TEMPERATURE)
        temperature = None if warmth is None else warmth.astype(np.float32)
        return FrameGrids(state.density.astype(np.float32), state.velocity.astype(np.float32), h, temperature)

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy of the liquid, J (in 2-D J/m): ρ/2 Σ V |u|², and -ρ Σ V g·x, which is zero at the origin."""
        volume = self.density.astype(np.float64) * self.h**self.density.ndim
        speed_squared = (self.velocity.astype(np.float64) ** 2).sum(axis=0)
        potential = 0.0
        for axis, g in enumerate(gravity):
            along = self.density.ndim - 1 - axis
            places = (np.arange(self.density.shape[along]) + 0.5) * self.h
            others = tuple(a for a in range(self.density.ndim) if a != along)
            potential -= rho * g * float((volume.sum(axis=others) * places).sum())
        return {"kinetic": float(rho / 2 * (volume * speed_squared).sum()), "potential": potential}

    def velocity_at(self, points: NDArray[np.float64]) -> Array:
        """Velocity (n, axes) at points (n, axes) in metres, interpolated; NaN outside the box."""
        high = self.h * np.array(self.density.shape[::-1])
        result = interpolated_at(self.velocity, points, self.h)
        result[((points < 0) | (points > high)).any(axis=1)] = np.nan
        return result
