"""What a free-surface scheme is.

It answers two questions: which operator belongs to the liquid, and how its pressure changes the velocity. Another
scheme is another class with these two methods, and a line in `solvers/build/liquid.py`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.linear.operators import PoissonOperator


class FreeSurface(Protocol):
    """How pressure meets the air."""

    def operator(self, cells: Cells) -> PoissonOperator:
        """A of A p = b with p zero outside the liquid."""

    def apply(self, velocity: FaceField, potential: NDArray[np.float64], cells: Cells) -> None:
        """Subtract the gradient of the potential p dt/(ρ h) from every open wet face; forget every other velocity."""
