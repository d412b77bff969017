"""Fire: fuel that burns at a rate, and gives heat, smoke and room.

    Y' = max(0, Y - dt k)      where it is hot enough;      b = Y - Y' is what burns
    T += heat b ,   ρ += soot b ,   ∇·u = expansion b/dt

Y is the share of fuel in the air, 0 to 1. The flame is what burns, as a share of what can burn in a step. Air that
expands pushes outwards: the pressure aims at that divergence.

Reference: Nguyen, Fedkiw & Jensen 2002 in spirit; a rate in place of a thin front.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, Cells
from plash.timing import stage

Pools = NDArray[np.float32]


class Fire(Protocol):
    """What burns."""

    def burn(self, scalars: Pools, cells: Cells, dt: float, h: float) -> NDArray[np.float64] | None:
        """Let fuel burn for dt; gives the h ∇·u (m/s) that it asks for, None if it asks for none."""

    def given(self, largest: NDArray[np.float64]) -> NDArray[np.float64]:
        """How fast each field grows in a second where it burns, if fields are at most so large."""

    def flame(self, scalars: Pools) -> Pools | None:
        """How bright it burns, 0 to 1 [slot, z, y, x]; None if nothing can."""


@dataclass(frozen=True)
class NoFire:
    """Nothing burns."""

    def burn(self, scalars: Pools, cells: Cells, dt: float, h: float) -> NDArray[np.float64] | None:
        """Nothing happens."""
        return None

    def given(self, largest: NDArray[np.float64]) -> NDArray[np.float64]:
        """None grows."""
        return np.zeros(len(largest))

    def flame(self, scalars: Pools) -> Pools | None:
        """There is none."""
        return None


@dataclass(frozen=True)
class BurningFuel:
    """Fuel that burns.

    Attributes:
        density: Number of the field of smoke.
        warmth: Number of the field of heat.
        fuel: Number of the field of fuel.
        rate: k, of which share of the air the fuel burns in a second, 1/s.
        ignition: Warmth above the air's at which it burns, K.
        heat: What burning gives, K for a whole share.
        soot: The same of smoke, kg/m³.
        expansion: By which share of its volume air grows.
    """

    density: int
    warmth: int
    fuel: int
    rate: float
    ignition: float
    heat: float
    soot: float
    expansion: float

    @stage
    def burn(self, scalars: Pools, cells: Cells, dt: float, h: float) -> NDArray[np.float64] | None:
        """Let fuel burn for dt; gives the h ∇·u (m/s) that it asks for."""
        fuel = scalars[self.fuel]
        can_burn = (cells.label == LIQUID) & (scalars[self.warmth] >= self.ignition)
        burnt = np.where(can_burn, np.clip(fuel, 0, np.float32(self.rate * dt)), np.float32(0))
        fuel -= burnt
        scalars[self.warmth] += np.float32(self.heat) * burnt
        scalars[self.density] += np.float32(self.soot) * burnt
        return burnt * (self.expansion * h / dt) if self.expansion > 0 else None

    def given(self, largest: NDArray[np.float64]) -> NDArray[np.float64]:
        """How fast smoke and heat grow in a second where it burns, if fields are at most so large."""
        found = np.zeros(len(largest))
        if largest[self.fuel] > 0 and largest[self.warmth] >= self.ignition:
            found[self.warmth], found[self.density] = self.rate * self.heat, self.rate * self.soot
        return found

    def flame(self, scalars: Pools) -> Pools | None:
        """Fuel that is hot enough to burn, as a share of the air."""
        burns = scalars[self.warmth] >= self.ignition
        shown: Pools = np.where(burns, np.clip(scalars[self.fuel], 0, 1), np.float32(0)).astype(np.float32)
        return shown
