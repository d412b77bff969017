"""Where a level set lives: tiles inside the liquid, and in a band round its surface (Cline 10.6).

Within seven cells of the surface φ is the signed distance, negative inside; farther away it is ± the width of the band,
and + where no tile is. Tiles appear and vanish as the surface moves. What is done in a step is done in the band: the
inside costs memory only, and stands for itself in the solver.

Reference: Cline 10.6 and 10.8.1; Enright et al. 2005.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import Places, Tiles
from plash.particles.sort import with_buffer

BAND = 7  # cells on either side of the surface


def in_its_tiles(phi: CellField, h: float, buffer: int = BAND) -> CellField:
    """The same level set on the tiles that hold some inside, and on those within a buffer of so many cells."""
    inside = np.less(phi.pool, 0)
    inside[0] = False
    slots = np.flatnonzero(inside.any(axis=(1, 2, 3)))
    extent = np.zeros((len(slots), 3, 2), np.int32)
    for axis in range(3):
        others = tuple(a for a in (1, 2, 3) if a != 3 - axis)
        along = inside[slots].any(axis=others)
        extent[:, axis, 0] = along.argmax(axis=1)
        extent[:, axis, 1] = along.shape[1] - 1 - along[:, ::-1].argmax(axis=1)
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
