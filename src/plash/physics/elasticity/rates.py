"""How fast liquid is strained and turned, where stress is known (Cline equation 21).

    T_ab = (∂u_a/∂x_b + ∂u_b/∂x_a)/2 ,    W_ab = (∂u_a/∂x_b - ∂u_b/∂x_a)/2

The diagonal of T by forward differences at cell centres, all else by backward differences on edges. At a wall that
holds liquid a difference spans the share θ of a cell, and is divided by it.

Reference: Cline equation 21.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.physics.elasticity.samples import Pool, StressSamples, edge_entry
from plash.timing import stage


@dataclass(frozen=True, eq=False)
class Rates:
    """Strain rates and spins of a velocity.

    Attributes:
        strain: T [entry, slot, z, y, x], in m/s per cell; zero where there is no sample.
        spin: W_xy in 2-D, W_xy W_xz W_yz in 3-D, [pair, slot, z, y, x], on the edges of T's entries.
    """

    strain: Pool
    spin: Pool


@stage
def rates_of(velocity: Pool, samples: StressSamples) -> Rates:
    """The rates of a velocity [axis, slot, z, y, x] on faces (m/s), which is that of walls on their own."""
    tiles = samples.tiles
    strain = np.zeros_like(samples.share)
    spin = np.zeros_like(samples.share[tiles.dimension :])
    run = _find(tiles.shape)
    run(velocity, samples.share, samples.ratio, tiles.neighbours, samples.busy, strain, spin, chunk_count())
    return Rates(strain, spin)


@for_tile_shape
def _find(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(velocity, share, ratio, neighbours, tiles, strain, spin, chunks):
        n = len(tiles)
        half = np.float32(0.5)
        for c in prange(chunks):
            blocks = np.zeros((DIM, SIZE), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for a in range(DIM):
                    copy_block(blocks[a], velocity[a], neighbours, t, 1, BZ, BY, BX)
                for cell in range(BZ * BY * BX):
                    z, y, x = cell // (BY * BX), cell // BX % BY, cell % BX
                    m = row_start(z, y, HZ, PY, PX) + x
                    for a in range(DIM):
                        across = stride(a, PY, PX)
                        if share[a, t, z, y, x] > 0:
                            slope = blocks[a, m + across] - blocks[a, m]
                            strain[a, t, z, y, x] = ratio[a, t, z, y, x] * slope
                        for b in range(a + 1, DIM):
                            entry = edge_entry(a, b, DIM)
                            if share[entry, t, z, y, x] > 0:
                                one = blocks[a, m] - blocks[a, m - stride(b, PY, PX)]
                                other = blocks[b, m] - blocks[b, m - across]
                                scale = half * ratio[entry, t, z, y, x]
                                strain[entry, t, z, y, x] = scale * (one + other)
                                spin[entry - DIM, t, z, y, x] = scale * (one - other)

    return run
