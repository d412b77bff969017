"""Particles outside the surface: which of them fly by themselves, and how much films and spray hold.

The surface is where half of the space round a cell's centre is filled. A film or a sheet thinner than about half a cell
fills too little of it: its particles are there, and slide or fly by themselves, but {φ < 0} does not hold them. So the
measured volume, what is in films and what is in spray are together about what all particles carry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import NEAR_AIR, NEAR_LIQUID, NEAR_SOLID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_slots, numbers_in
from plash.grid.sample import interpolate
from plash.grid.tiles import Shape, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import last_place, place_in_block
from plash.timing import stage

FLYING = 0.3  # cells above the surface from which a particle is on its own


class Unseen(NamedTuple):
    """Volumes that particles carry outside the surface, in cells: beside solids and closed sides, and elsewhere."""

    films: float = 0.0
    spray: float = 0.0


@stage
def find_ballistic(particles: Particles, phi: CellField, cells: Cells, h: float, flying: float = FLYING) -> Unseen:
    """Mark the particles that are on their own, and tell what is carried where φ > 0.

    On its own is who is `flying` cells outside the surface or more, or has no liquid cell near. The liquid's velocity,
    extrapolated, is not theirs: spray above a pool at rest would hover. They keep their velocity, and forces act on
    them one by one.
    """
    tiles = phi.tiles
    particles.ballistic = np.zeros(particles.count, np.bool_)
    outside = np.zeros((2, tiles.count + 1))
    surface = _Surface(phi.pool, *cells.surroundings, np.float32(flying * h))
    run = _find_outside(tiles.shape)
    places, in_tiles = particles.places, particles.in_tiles(tiles)
    run(places, particles.volume, in_tiles, surface, particles.ballistic, outside, chunk_count())
    films, spray = outside.sum(axis=1)
    return Unseen(float(films), float(spray))


class _Surface(NamedTuple):
    """Distance to the surface, bits of what is near each cell and each tile, and from where on a particle flies (m)."""

    phi: NDArray[np.float32]
    around: NDArray[np.uint8]
    together: NDArray[np.uint8]
    limit: np.float32


@for_tile_shape
def _find_outside(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    THIN = BZ == 1
    LAST = last_place(BX)

    @kernel
    def run(places, volume, in_tiles, surface, ballistic, outside, chunks):
        cell, offset = places
        starts, origins, neighbours, _ = in_tiles
        phi, around, together, limit = surface
        n = len(origins) - 1
        half = np.float32(0.5)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float32)
            for t in chunk_slots(c, chunks, n):
                if starts[t + 1] == starts[t] or together[t] & NEAR_AIR == 0:
                    continue
                copy_block(block, phi, neighbours, t, 1, BZ, BY, BX)
                for p in numbers_in(starts, t):
                    x = cell[0, p] - origins[t, 0]
                    y = cell[1, p] - origins[t, 1]
                    z = cell[2, p] - origins[t, 2] if DIM == 3 else 0
                    near = around[t, z, y, x]
                    if near & NEAR_AIR == 0:
                        ballistic[p] = near & NEAR_LIQUID == 0
                        continue
                    height = np.float32(np.inf)
                    if near & NEAR_LIQUID:
                        px = place_in_block(cell, offset, origins, t, p, 0, LAST) - half
                        py = place_in_block(cell, offset, origins, t, p, 1, LAST) - half
                        pz = np.float32(0)
                        if DIM == 3:
                            pz = place_in_block(cell, offset, origins, t, p, 2, LAST) - half
                        height = interpolate(block, px, py, pz, PY, PX, THIN)
                    # Unknown, in solids, compares as inside
                    ballistic[p] = height > limit
                    if height > np.float32(0):
                        outside[0 if near & NEAR_SOLID else 1, t] += volume[p]

    return run
