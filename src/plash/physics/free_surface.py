"""What a free-surface scheme is.

It answers three questions: which operator belongs to the liquid, what its equations are equal to, and how the pressure
changes the velocity. Another scheme is another class with these three methods, and a line in `solvers/build/liquid.py`.
A gas pressure that is the same everywhere shifts the pressure and nothing else, so it is no part of the right-hand
side: `physics/pressure.py` adds it at the end. What differs from place to place, as surface tension, belongs there.

Reference: Cline step 3d; Gibou et al. 2002.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.differences import divergence
from plash.grid.fields import FaceField
from plash.linear.operators import PoissonOperator


class FreeSurface(Protocol):
    """How pressure meets the air."""

    def operator(self, cells: Cells) -> PoissonOperator:
        """A of A p = b with p zero outside the liquid."""

    def right_hand_side(self, velocity: FaceField, cells: Cells) -> NDArray[np.float64]:
        """b of A q = b for the potential q = p dt/(ρ h), m/s: -h ∇·u, and what the surface adds to it."""

    def subtract_gradient(self, velocity: FaceField, potential: NDArray[np.float64], cells: Cells) -> None:
        """Subtract the gradient of the potential p dt/(ρ h) from every open wet face; forget every other velocity."""


def negative_divergence(velocity: FaceField, cells: Cells) -> NDArray[np.float64]:
    """-h ∇·u by cell, m/s: the whole right-hand side where the surface adds nothing to it."""
    b = divergence(velocity, cells)
    np.negative(b, out=b)
    return b
