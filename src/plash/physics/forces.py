"""External forces (Cline step 3b)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import prange

from plash.grid.cells import WET, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import FaceField
from plash.stages import stage


class Force(Protocol):
    """An acceleration field that acts on the liquid."""

    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Add dt times the acceleration to every velocity that borders liquid."""


@dataclass(frozen=True)
class Gravity:
    """The same acceleration everywhere, m/s²."""

    acceleration: tuple[float, ...]

    @stage
    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Set u += dt g on every face that borders liquid."""
        for axis, g in enumerate(self.acceleration):
            if g != 0.0:
                pool, faces = velocity.pool[axis].reshape(-1), cells.faces[axis].reshape(-1)
                _add_constant(pool, faces, np.float32(g * dt), chunk_count())


@dataclass(frozen=True)
class Forces:
    """Several forces, one after the other."""

    forces: Sequence[Force]

    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Add every force once."""
        for force in self.forces:
            force.add(velocity, cells, time, dt)


@kernel
def _add_constant(velocity, faces, increment, chunks):  # type: ignore[no-untyped-def]
    n = len(velocity)
    for c in prange(chunks):
        part = velocity[c * n // chunks : (c + 1) * n // chunks]
        bits = faces[c * n // chunks : (c + 1) * n // chunks]
        for m in range(len(part)):
            part[m] = part[m] + increment if bits[m] & WET else part[m]
