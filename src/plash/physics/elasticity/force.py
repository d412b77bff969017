"""The elastic force (Cline equation 23): the divergence of the stress, as the transpose of the strain rate.

    u_a += (dt/h) [ S_aa - S_aa(before along a) + Σ_b S_ab(next along b) - S_ab ] / M ,    S = share · stress/ρ

in reverse order of the differences of `rates.py`, so that Σ M u · force = -Σ share stress : T. The text leaves out 1/h
and 1/ρ.

Reference: Cline equation 23.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.physics.elasticity.samples import Pool, StressSamples, edge_entry
from plash.timing import stage


@stage
def add_elastic_force(velocity: FaceField, load: Pool, samples: StressSamples, scale: float) -> None:
    """Let a stress act on free faces.

    Args:
        velocity: On faces, m/s; is changed.
        load: Stress over density, times the liquid that has it in cells, [entry, slot, z, y, x], m²/s².
        samples: Where it is.
        scale: For how long it acts over the size of a cell, s/m.
    """
    tiles = velocity.tiles
    run = _add(tiles.shape)
    run(velocity.pool, load, samples.mass, tiles.neighbours, samples.busy, np.float32(scale), chunk_count())


@for_tile_shape
def _add(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    ENTRIES = DIM * (DIM + 1) // 2

    @kernel
    def run(velocity, load, mass, neighbours, tiles, scale, chunks):
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.zeros((ENTRIES, SIZE), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for entry in range(ENTRIES):
                    copy_block(blocks[entry], load[entry], neighbours, t, 1, BZ, BY, BX)
                for a in range(DIM):
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                inertia = mass[a, t, z, y, x]
                                if inertia > 0:
                                    m = o + x
                                    total = blocks[a, m] - blocks[a, m - stride(a, PY, PX)]
                                    for b in range(DIM):
                                        if b != a:
                                            edge = edge_entry(a, b, DIM)
                                            total += blocks[edge, m + stride(b, PY, PX)] - blocks[edge, m]
                                    velocity[a, t, z, y, x] += scale * total / inertia

    return run
