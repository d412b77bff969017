"""The projection of a velocity in a box onto its divergence-free part (Kuo's ConserveMass).

    ∇²q = ∇·w - s,   u = w - ∇q,   p = ρ q/dt

on the staggered grid, where the divergence of a gradient is the five-point (seven-point) Laplacian: the divergence of u
is s to round-off, and no checkerboard is hidden from it, as it is from central differences of velocities at the
centres of cells. Drains ask for the divergence s, which is zero without them. In a box without bodies q is found
directly; round bodies by conjugate gradients, through open faces only, so that nothing has to be reset afterwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import box_divergence, subtract_box_gradient
from plash.linear.transforms import BoxSolver
from plash.physics.box.obstacles import SolidCells
from plash.timing import stage

Array = NDArray[np.float64]

_ROUND_OFF = 1e-15


@dataclass(frozen=True, eq=False)
class BoxPressure:
    """What a projection found: the potential q in m²/s, and how it was found."""

    potential: Array
    iterations: int = 0
    residual: float = 0.0


class DenseProjection(Protocol):
    """A way to make a velocity free of divergence."""

    def project(self, velocity: Array, asked: Array | None = None) -> BoxPressure:
        """Take the gradient of a potential out of a velocity whose closed faces are zero.

        Args:
            velocity: On faces, m/s.
            asked: The divergence to leave in each cell, 1/s, whose sum over any closed space is zero; None for none.
        """


class BoxProjection:
    """Projection in an empty box, to round-off."""

    def __init__(self, box: BoxSolver) -> None:
        self.box = box

    @stage
    def project(self, velocity: Array, asked: Array | None = None) -> BoxPressure:
        """Take out the gradient."""
        potential = self.box.poisson(_to_remove(velocity, self.box.h, asked))
        subtract_box_gradient(velocity, potential, self.box.h)
        return BoxPressure(potential)


class ProjectionRoundSolids:
    """Projection round bodies, until the divergence is below a share of what it was."""

    def __init__(self, box: BoxSolver, solids: SolidCells, tolerance: float) -> None:
        self.box, self.solids, self.tolerance = box, solids, tolerance
        self.system = solids.cells(box)

    @stage
    def project(self, velocity: Array, asked: Array | None = None) -> BoxPressure:
        """Take out the gradient on open faces."""
        divergence = _to_remove(velocity, self.box.h, asked)
        floor = _ROUND_OFF * float(np.abs(velocity).max()) / self.box.h * math.sqrt(divergence.size)
        potential, iterations, residual = self.system.poisson(divergence, self.tolerance, floor)
        subtract_box_gradient(velocity, potential, self.box.h)
        self.solids.close(velocity)
        return BoxPressure(potential, iterations, residual)


def _to_remove(velocity: Array, h: float, asked: Array | None) -> Array:
    """The divergence that must go."""
    divergence = box_divergence(velocity, h)
    return divergence if asked is None else divergence - asked
