"""What becomes of smoke and heat by themselves: smoke settles and thins out, air cools, both spread.

    ρ' = max(0, ρ - k_diss dt)                   dissipation (Cline equation 25)
    φ' = φ e^(-k dt)                             decay of smoke, and cooling of what is warmer than the air
    ∂φ/∂t = κ ∇²φ                                diffusion, an implicit step that keeps Σ V φ

Nothing diffuses out of the envelope, whose border is some cells away from all that matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, Cells
from plash.particles.scalars import CellMeans
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.contacts import Contacts
from plash.physics.smoke.fluxes import Capacity
from plash.timing import stage

Pool = NDArray[np.float32]


@dataclass(frozen=True)
class Fading:
    """How a field fades.

    Attributes:
        loss: What is lost in a second, whatever there is, in units of the field.
        rate: Which share is lost, 1/s.
    """

    loss: float = 0.0
    rate: float = 0.0

    @stage
    def apply(self, pool: Pool, dt: float) -> None:
        """Let a field [slot, z, y, x] fade towards zero for dt."""
        if self.rate > 0:
            pool *= np.float32(math.exp(-self.rate * dt))
        if self.loss > 0:
            pool[:] = np.sign(pool) * np.maximum(np.abs(pool) - np.float32(self.loss * dt), np.float32(0))


@dataclass(frozen=True)
class Spreading:
    """Diffusion of a field.

    Attributes:
        diffusivity: κ, m²/s.
        h: Cell size, m.
    """

    diffusivity: float
    h: float

    @stage
    def apply(self, pool: Pool, cells: Cells, capacity: Capacity, contacts: Contacts, dt: float) -> None:
        """Let a field [slot, z, y, x] spread for dt, and take on the values of what it touches."""
        if self.diffusivity == 0:
            return
        share = capacity.share.astype(np.float64) if capacity.is_cut else 1.0
        means = CellMeans(cells.tiles, pool.astype(np.float64), np.where(cells.label == LIQUID, share, 0.0))
        change, _ = Conduction(self.diffusivity, self.h).change(means, cells, contacts, dt)
        pool += change.astype(np.float32)
