"""Diffusion in a box, implicit: stable for any step (Kuo's Diffuse; Stam 1999).

    (1 - ν dt ∇²) u' = u,      the same for a scalar with its own coefficient

Walls are free of drag and let nothing through; so are bodies, whose closed faces hold the velocity across them at zero.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.linear.embedded import Embedded
from plash.linear.transforms import BoxSolver
from plash.physics.box.obstacles import SolidCells
from plash.timing import stage

Array = NDArray[np.float64]

_TOLERANCE = 1e-10


class Diffusion(Protocol):
    """A way that differences even out."""

    def apply(self, field: Array, dt: float, axis: int | None = None) -> None:
        """Spread a field in cells, or on the minimal faces across an axis (0 is x), for dt."""


class NoDiffusion:
    """Nothing spreads."""

    def apply(self, field: Array, dt: float, axis: int | None = None) -> None:
        """Leave the field as it is."""


class BoxDiffusion:
    """Diffusion in an empty box, solved directly; the coefficient is in m²/s."""

    def __init__(self, coefficient: float, box: BoxSolver) -> None:
        self.coefficient, self.box = coefficient, box

    @stage
    def apply(self, field: Array, dt: float, axis: int | None = None) -> None:
        """Spread a field for dt."""
        across = None if axis is None else field.ndim - 1 - axis
        _replace(field, self.box.helmholtz(field, self.coefficient * dt, across))


class DiffusionRoundSolids:
    """Diffusion round bodies, by conjugate gradients to a residual of 1e-10; the coefficient is in m²/s."""

    def __init__(self, coefficient: float, box: BoxSolver, solids: SolidCells) -> None:
        self.coefficient, self.box, self.solids = coefficient, box, solids

    @stage
    def apply(self, field: Array, dt: float, axis: int | None = None) -> None:
        """Spread a field for dt; what is inside bodies becomes zero."""
        system = self._cells if axis is None else self._faces[axis]
        _replace(field, system.helmholtz(field, self.coefficient * dt, _TOLERANCE)[0])

    @cached_property
    def _cells(self) -> Embedded:
        return self.solids.cells(self.box)

    @cached_property
    def _faces(self) -> list[Embedded]:
        return [self.solids.faces(self.box, axis) for axis in range(self.solids.is_solid.ndim)]


def _replace(field: Array, spread: Array) -> None:
    """Put in what has spread; what round-off has beyond the least and greatest value there was is cut off."""
    np.clip(spread, field.min(), field.max(), out=field)
