"""Viscosity (Cline step 3c): u += ν dt ∇²u, evaluated explicitly.

    u_0 += (ν dt/h²) Σ over neighbours n of (u_n - u_0)

Only components that border liquid take part, and the centre's coefficient shrinks with the neighbours left out:
otherwise a free surface would be dragged towards zero. Walls slip freely: a wall contributes nothing to tangential
components.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, room_for_sums, sum_known_neighbours
from plash.grid.cells import Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField, FaceField
from plash.grid.loops import chunk_range, row_start
from plash.grid.tiles import Shape, dimension_of
from plash.physics.solids.base import Solids
from plash.physics.varied_viscosity import spread_momentum
from plash.timing import stage


class Viscosity(Protocol):
    """How momentum spreads inside the liquid."""

    def apply(self, velocity: FaceField, cells: Cells, solids: Solids, viscosity: CellField | None, dt: float) -> None:
        """Let viscosity act on every velocity that borders liquid for dt.

        Args:
            velocity: Is changed.
            cells: What each cell holds.
            solids: Of the step.
            viscosity: Kinematic viscosity (m²/s) at cell centres; None if it is the same everywhere.
            dt: s.
        """

    def longest_step(self, h: float, dimension: int) -> float:
        """Longest stable time step, s."""


@dataclass(frozen=True)
class Inviscid:
    """No viscosity at all."""

    def apply(self, velocity: FaceField, cells: Cells, solids: Solids, viscosity: CellField | None, dt: float) -> None:
        """Nothing."""

    def longest_step(self, h: float, dimension: int) -> float:
        """Any step is stable."""
        return float("inf")


@dataclass(frozen=True)
class ExplicitViscosity:
    """Kinematic viscosity, m²/s, with an explicit step: one for all of the liquid, or the greatest that it may have.

    Reference: Cline, equation 7 with the 1/h² it leaves out.
    """

    nu: float
    h: float

    def longest_step(self, h: float, dimension: int) -> float:
        """Limit ν dt/h² ≤ 1/6 in 3-D, 1/4 in 2-D: beyond it the shortest wave grows."""
        return h * h / (2 * dimension * self.nu)

    @stage
    def apply(self, velocity: FaceField, cells: Cells, solids: Solids, viscosity: CellField | None, dt: float) -> None:
        """Set u += ν dt ∇²u on every known face; unknown ones must be the dry ones."""
        if viscosity is not None:
            spread_momentum(velocity, viscosity, cells, dt / self.h**2)
            return
        tiles = velocity.tiles
        smoothed = velocity.pool.copy()
        number = np.float32(self.nu * dt / self.h**2)
        run = _diffuse(tiles.shape)
        run(velocity.pool, smoothed, tiles.neighbours, cells.wet_tiles, number, chunk_count())
        velocity.pool = smoothed


@for_tile_shape
def _diffuse(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(velocity, result, neighbours, tiles, number, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.full(SIZE, np.float32(np.nan))
            found = room_for_sums(SIZE)
            value, _, sums, counts = found
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    sum_known_neighbours(found, block, velocity[axis], neighbours, t, BZ, BY, BX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                spread = sums[o + x] - counts[o + x] * value[o + x]
                                result[axis, t, z, y, x] = block[o + x] + number * spread

    return run
