"""Buoyancy: hot smoke rises, dense smoke sinks (Cline equation 27, with its sign put right).

    u += dt ( k_rise (T - T_air) - k_fall ρ ) up,      up = -g/|g|, or as the scene says

found in cells; each open face takes the mean of both sides.

Reference: Fedkiw, Stam & Jensen 2001, equation 8; Cline equation 27.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape
from plash.timing import stage


@dataclass(frozen=True)
class Buoyancy:
    """What smoke and heat do to the weight of air.

    Attributes:
        up: Direction, a unit vector; of no length if there is none.
        lifts: Acceleration along it that each field gives, m/s² per kg/m³ or K.
    """

    up: tuple[float, ...]
    lifts: tuple[float, ...]

    @stage
    def add(self, velocity: FaceField, scalars: NDArray[np.float32], cells: Cells, dt: float) -> None:
        """Set u += dt lift up on open faces."""
        lifts = np.array(self.lifts, np.float32)
        if not lifts.any():
            return
        tiles = cells.tiles
        run = _lift(tiles.shape)
        for axis, part in enumerate(self.up):
            if part != 0.0:
                pools = velocity.pool[axis], cells.faces[axis]
                run(
                    *pools,
                    scalars,
                    np.float32(dt * part) * lifts,
                    tiles.neighbours,
                    cells.wet_tiles,
                    axis,
                    chunk_count(),
                )

    def greatest(self, largest: NDArray[np.float64]) -> float:
        """Greatest acceleration for fields that are at most so large, m/s²."""
        return float(np.abs(np.array(self.lifts) * largest).sum()) if any(self.up) else 0.0


@for_tile_shape
def _lift(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX

    @kernel
    def run(velocity, faces, scalars, lifts, neighbours, tiles, axis, chunks):
        n = len(tiles)
        step = stride(axis, PY, PX)
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for f in range(len(scalars)):
                    if lifts[f] == 0:
                        continue
                    copy_cross(block, scalars[f], neighbours, t, BZ, BY, BX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                if faces[t, z, y, x] & 3 == 1:
                                    mean = np.float32(0.5) * (block[o + x] + block[o + x - step])
                                    velocity[t, z, y, x] += lifts[f] * mean

    return run
