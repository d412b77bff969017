"""Buoyancy in a liquid with a free surface (Boussinesq): warm liquid weighs less, and is as heavy to move as before.

    u -= dt β (T - T0) g    on faces that border liquid

with the thermal expansion β in 1/K, and T0 the temperature that the liquid's density was given for. T on a face is the
mean of the cells on both sides, as far as it is known there. Drops that fly on their own fall as they do in vacuum: in
air a warm drop is as heavy as its mass.

Reference: Foster & Metaxas 1997.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start
from plash.grid.tiles import Shape
from plash.particles.scalars import CellMeans
from plash.physics.heat.boussinesq import Boussinesq
from plash.timing import stage


class ThermalLift(Boussinesq):
    """What warmth does to a liquid in air."""

    @stage
    def add(self, velocity: FaceField, temperature: CellMeans, cells: Cells, dt: float) -> None:
        """Add what buoyancy does in dt to every velocity that borders liquid."""
        tiles = cells.tiles
        for axis, lift in enumerate(self.lifts(dt)):
            if lift != 0.0:
                run = _lift(tiles.shape, axis)
                faces, known = cells.faces[axis], (temperature.value, self.ambient)
                run(velocity.pool[axis], faces, *known, lift, tiles.neighbours, cells.wet_tiles, chunk_count())


@for_tile_shape
def _lift(shape: Shape, axis: int) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    STEP = 1 if axis == 0 else (PX if axis == 1 else PX * PY)

    @kernel
    def run(velocity, faces, temperature, ambient, lift, neighbours, tiles, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, temperature, neighbours, t, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            low, high = block[o + x - STEP], block[o + x]
                            low = low if low == low else high
                            high = high if high == high else low
                            if faces[t, z, y, x] & WET and low == low:
                                excess = 0.5 * (low + high) - ambient
                                velocity[t, z, y, x] += np.float32(lift * excess)

    return run
