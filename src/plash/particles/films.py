"""Liquid that is not seen: what particles carry outside the surface, in films on walls and in spray.

The surface is where half of the space round a cell's centre is filled. A film or a sheet thinner than about half a cell
fills too little of it: its particles are there, and slide or fly by themselves, but {φ < 0} does not hold them. So the
measured volume, what is in films and what is in spray are together about what all particles carry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import NEAR_AIR, NEAR_LIQUID, NEAR_SOLID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField
from plash.grid.sample import interpolate
from plash.grid.tiles import Shape
from plash.particles.particles import Particles
from plash.particles.transfer import last_place
from plash.stages import stage


class Unseen(NamedTuple):
    """Volumes that particles carry outside the surface, in cells: beside solids and closed sides, and elsewhere."""

    films: float = 0.0
    spray: float = 0.0


@stage
def unseen_volume(particles: Particles, phi: CellField, cells: Cells) -> Unseen:
    """What sorted particles carry where φ > 0."""
    tiles = phi.tiles
    found = np.zeros((2, tiles.count + 1))
    _sum_outside(tiles.shape)(
        particles.cell,
        particles.offset,
        particles.volume,
        particles.starts,
        tiles.origins,
        tiles.neighbours,
        phi.pool,
        *cells.surroundings,
        found,
        chunk_count(),
    )
    films, spray = found.sum(axis=1)
    return Unseen(float(films), float(spray))


@for_tile_shape
def _sum_outside(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = 2 if BZ == 1 else 3
    THIN = BZ == 1
    LAST = last_place(BX)

    @kernel
    def run(  # type: ignore[no-untyped-def]
        cell, offset, volume, starts, origins, neighbours, phi, around, together, found, chunks
    ):
        n = len(origins) - 1
        half = np.float32(0.5)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float32)
            for t in range(1 + c * n // chunks, 1 + (c + 1) * n // chunks):
                if starts[t + 1] == starts[t] or together[t] & NEAR_AIR == 0:
                    continue
                copy_block(block, phi, neighbours, t, 1, BZ, BY, BX)
                for p in range(starts[t], starts[t + 1]):
                    x = cell[0, p] - origins[t, 0]
                    y = cell[1, p] - origins[t, 1]
                    z = cell[2, p] - origins[t, 2] if DIM == 3 else 0
                    near = around[t, z, y, x]
                    if near & NEAR_AIR == 0:
                        continue
                    is_outside = near & NEAR_LIQUID == 0
                    if not is_outside:
                        px = min(np.float32(x + 1) + offset[0, p], LAST) - half
                        py = min(np.float32(y + 1) + offset[1, p], LAST) - half
                        pz = np.float32(0)
                        if DIM == 3:
                            pz = min(np.float32(z + 1) + offset[2, p], LAST) - half
                        # Unknown, in solids, compares as inside
                        is_outside = interpolate(block, px, py, pz, PY, PX, THIN) > np.float32(0)
                    if is_outside:
                        found[0 if near & NEAR_SOLID else 1, t] += volume[p]

    return run
