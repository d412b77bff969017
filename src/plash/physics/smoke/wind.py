"""Wind: the velocity of air far from smoke, which the border of the envelope is drawn to (Cline equation 26).

    u = w + (u - w) e^(-k_wind dt)      on the open faces of cells that have a neighbour outside the envelope

The exponential keeps its weight positive for any step. Air that comes into the envelope has the wind's velocity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import NEAR_AIR, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage


@dataclass(frozen=True)
class Wind:
    """The wind of a scene.

    Attributes:
        velocity: w, m/s.
        rate: k_wind, 1/s.
    """

    velocity: tuple[float, ...]
    rate: float = 0.0

    @stage
    def draw(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Draw the border of the envelope to the wind for dt."""
        if self.rate == 0:
            return
        tiles = cells.tiles
        around, together = cells.surroundings
        border = np.flatnonzero((together & NEAR_AIR) > 0).astype(np.int32)
        border = border[border > 0]
        kept, wind = np.float32(math.exp(-self.rate * dt)), np.array(self.velocity, np.float32)
        run = _draw(tiles.shape)
        run(velocity.pool, around, cells.faces, tiles.neighbours, border, (kept, wind), chunk_count())


@for_tile_shape
def _draw(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(velocity, around, faces, neighbours, tiles, numbers, chunks):
        kept, wind = numbers
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.uint8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, around, neighbours, t, BZ, BY, BX)
                for axis in range(DIM):
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                near = (block[o + x] | block[o + x - step]) & NEAR_AIR
                                if near > 0 and faces[axis, t, z, y, x] & 3 == 1:
                                    u = velocity[axis, t, z, y, x]
                                    velocity[axis, t, z, y, x] = wind[axis] + kept * (u - wind[axis])

    return run
