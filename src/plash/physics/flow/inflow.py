"""Volume that appears in cells, or goes: what the divergence of the velocity has to be there.

Reference: Cline section 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, Cells
from plash.grid.tiles import Places
from plash.linear.operators import Pool64


@dataclass(frozen=True, eq=False)
class Inflow:
    """Sources of volume, positive, and sinks.

    Attributes:
        places: Cells; one may occur several times.
        rate: Volume a second over the area of a face, m/s: h times the divergence wanted.
        fastest: Speed of liquid that comes in, m/s, which no velocity on the grid may have yet.
        held: Cells ahead of openings: liquid goes on behind those, and does not part from them as from a wall.
    """

    places: Places
    rate: NDArray[np.float64]
    fastest: float = 0.0
    held: Places = (np.zeros(0, np.int64),) * 4

    @staticmethod
    def none() -> Inflow:
        """Nothing comes or goes."""
        return Inflow((np.zeros(0, np.int64),) * 4, np.zeros(0))

    def plus(self, other: Inflow) -> Inflow:
        """Both together."""
        places, held = (
            tuple(np.concatenate(parts) for parts in zip(*both, strict=True))
            for both in ((self.places, other.places), (self.held, other.held))
        )
        return Inflow(places, np.concatenate([self.rate, other.rate]), max(self.fastest, other.fastest), held)

    def add_to(self, outflow: Pool64, cells: Cells) -> None:
        """Add the rates of liquid cells to -h ∇·u."""
        wet = cells.label[self.places] == LIQUID
        np.add.at(outflow, tuple(part[wet] for part in self.places), self.rate[wet])
