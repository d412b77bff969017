"""Films on solids that are too thin to be shown as liquid: those who draw the solids show them wet instead.

A film of less than a quarter of a cell is a layer of single particles, further apart than the lattice can tell. Balls
for them would be chips that come and go from frame to frame. So a particle close to a solid or to the floor has no
ball where the liquid round it is that thin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.loops import chunk_range, numbers_in
from plash.grid.sample import smooth_step
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.mesh.drops import between, place_between
from plash.mesh.lattice import Lattice, SolidDistance, solid_phi_everywhere
from plash.particles.particles import Particles

# Cells: how far from a solid a particle is in a film for sure, and not any more
_CLOSE, _AWAY = 0.35, 0.7
# Distance to the surface at a particle, in cells: in films that are shown, and in those that are not
_THICK, _THIN = 0.14, 0.20


def shown_of_films(
    phi: NDArray[np.float32], particles: Particles, tiles: Tiles, lattice: Lattice, solid: SolidDistance
) -> NDArray[np.float32]:
    """How much is shown of each particle that the surface does not cover: 1, and less in thin films, down to 0.

    Args:
        phi: Distance of samples to the surface without drops, in lattice spacings.
        particles: On the same tiles.
        tiles: Where samples are.
        lattice: Its lowest samples along y are the floor, if it ends there.
        solid: Distance to solids.
    """
    shown = np.ones(particles.count, np.float32)
    floor = -np.inf if lattice.low[1] is None else float(lattice.low[1])
    limits = lattice.detail * np.array([_CLOSE, _AWAY, _THICK, _THIN])
    walls = solid_phi_everywhere(tiles, solid)
    is_near = tiles.origins[:, 1] <= floor + limits[1]
    is_near[solid[0]] = True
    slots = np.flatnonzero(is_near[1:]) + 1
    samples = _Samples(phi, walls, tiles.neighbours, slots)
    _find_films(tiles.shape)(
        samples, particles.places, particles.starts, tiles.origins, floor, limits, shown, chunk_count()
    )
    return shown


class _Samples(NamedTuple):
    """Distance of samples to surface and solids; neighbours of tiles, and slots of those near solids or the floor."""

    phi: NDArray[np.float32]
    walls: NDArray[np.float32]
    neighbours: NDArray[np.int32]
    slots: NDArray[np.int64]


@for_tile_shape
def _find_films(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(samples, places, starts, origins, floor, limits, shown, chunks):
        phi, walls, neighbours, slots = samples
        n = len(slots)
        for c in prange(chunks):
            for number in chunk_range(c, chunks, n):
                t = slots[number]
                for p in numbers_in(starts, t):
                    i, j, k, fx, fy, fz = place_between(places, origins, t, p, DIM)
                    away = between(walls, neighbours, t, (i, j, k), (fx, fy, fz), BZ, BY, BX)
                    away = min(away, origins[t, 1] + j + fy - floor)
                    if away >= limits[1]:
                        continue
                    here = between(phi, neighbours, t, (i, j, k), (fx, fy, fz), BZ, BY, BX)
                    thin = smooth_step(here, limits[2], limits[3])
                    shown[p] = 1 - thin * (1 - smooth_step(away, limits[0], limits[1]))

    return run
