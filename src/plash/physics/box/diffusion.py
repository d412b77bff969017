"""Diffusion in a box, implicit: stable for any step (Kuo's Diffuse; Stam 1999).

    (1 - ν dt ∇²) u' = u,      the same for a scalar with its own coefficient

Walls are free of drag and let nothing through; so are bodies, whose closed faces hold the velocity across them at zero.
Sides of the box may hold what is beside them: half a cell away, they pull with 2 (0 - u_0).
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """Diffusion round bodies, by conjugate gradients to a residual of 1e-10; the coefficient is in m²/s.

    Sides of the box that hold the velocity along them are given by axis (0 is x) and end (0 is low, -1 is high).
    """

    def __init__(
        self, coefficient: float, box: BoxSolver, solids: SolidCells, holding: Sequence[tuple[int, int]] = ()
    ) -> None:
        self.coefficient, self.box, self.solids, self.holding = coefficient, box, solids, holding

    @stage
    def apply(self, field: Array, dt: float, axis: int | None = None) -> None:
        """Spread a field for dt; what is inside bodies becomes zero."""
        system = self._cells if axis is None else self._faces[axis]
        _replace(field, system.helmholtz(field, self.coefficient * dt, _TOLERANCE)[0], has_rest=axis is not None)

    @cached_property
    def _cells(self) -> Embedded:
        return self.solids.cells(self.box)

    @cached_property
    def _faces(self) -> list[Embedded]:
        made = [self.solids.faces(self.box, axis) for axis in range(self.solids.is_solid.ndim)]
        for axis, system in enumerate(made):
            for across, end in self.holding:
                if across != axis:
                    beside = np.moveaxis(system.held, system.held.ndim - 1 - across, 0)[end]
                    beside += 2.0 * ~np.moveaxis(system.is_known, system.held.ndim - 1 - across, 0)[end]
        return made


def _replace(field: Array, spread: Array, has_rest: bool = False) -> None:
    """Put in what has spread; what round-off has beyond the least and greatest value there was is cut off.

    A velocity may have met walls at rest.
    """
    least, greatest = float(field.min()), float(field.max())
    if has_rest:
        least, greatest = min(least, 0.0), max(greatest, 0.0)
    np.clip(spread, least, greatest, out=field)
