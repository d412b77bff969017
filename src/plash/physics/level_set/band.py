"""Where a level set lives: tiles inside the liquid, and in a band round its surface (Cline 10.6).

Within seven cells of the surface φ is the signed distance, negative inside; farther away it is ± the width of the band,
and + where no tile is. Tiles appear and vanish as the surface moves. What is done in a step is done in the band: the
inside costs memory only, and stands for itself in the solver.

Reference: Cline 10.6 and 10.8.1; Enright et al. 2005.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_slots
from plash.grid.tiles import Places, Shape, Tiles
from plash.particles.sort import with_buffer

BAND = 7  # cells on either side of the surface


def in_its_tiles(phi: CellField, h: float, buffer: int = BAND) -> CellField:
    """The same level set on the tiles that hold some inside, and on those within a buffer of so many cells."""
    extent = np.zeros((phi.tiles.count, 3, 2), np.int32)
    _find_extents(phi.tiles.shape)(phi.pool, extent, chunk_count())
    slots = np.flatnonzero(extent[:, 0, 1] >= 0) + 1
    extent = extent[slots - 1]
    keys = with_buffer(phi.tiles.keys[slots - 1], extent, buffer, phi.tiles.shape)
    if np.array_equal(keys, phi.tiles.keys):
        return phi
    moved = phi.moved_to(Tiles.of_keys(keys, phi.tiles.dimension))
    moved.pool[0] = np.float32(BAND * h)
    return moved


def cells_within(phi: CellField, width: float) -> Places:
    """The cells of which |φ| is below a width (m), in order of their tiles."""
    near = np.abs(phi.pool) < np.float32(width)
    near[0] = False
    return np.nonzero(near)


def first_corners(tiles: Tiles, cells: Places) -> NDArray[np.float64]:
    """Places (n, d) of the minimal corners of cells, in cells."""
    slot, z, y, x = cells
    return (tiles.origins[slot] + np.stack([x, y, z], axis=1))[:, : tiles.dimension].astype(np.float64)


def centres(tiles: Tiles, cells: Places, h: float) -> NDArray[np.float64]:
    """Places (n, d) of the centres of cells, m."""
    return np.asarray((first_corners(tiles, cells) + 0.5) * h, np.float64)


@for_tile_shape
def _find_extents(shape: Shape) -> Kernel:
    """The first and the last place of what is inside, along x, y and z of each tile; -1 for the last if nothing is."""
    BZ, BY, BX = shape
    LONGEST = max(shape)

    @kernel
    def run(pool, extent, chunks):
        n = len(extent)
        for c in prange(chunks):
            for t in chunk_slots(c, chunks, n):
                # A bit for each place along an axis
                along_x, along_y, along_z = np.int64(0), np.int64(0), np.int64(0)
                for z in range(BZ):
                    for y in range(BY):
                        row, found = pool[t, z, y], np.int64(0)
                        for x in range(np.uint64(BX)):
                            found |= np.int64(row[x] < 0) << np.int64(x)
                        along_x |= found
                        along_y |= np.int64(found != 0) << y
                        along_z |= np.int64(found != 0) << z
                for axis in range(3):
                    marks = along_x if axis == 0 else (along_y if axis == 1 else along_z)
                    first, last = LONGEST, -1
                    for place in range(LONGEST):
                        if marks >> place & 1:
                            first, last = min(first, place), place
                    extent[t - 1, axis, 0], extent[t - 1, axis, 1] = first, last

    return run
