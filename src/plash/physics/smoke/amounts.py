"""How much smoke and heat there is, and how much of it leaves: sums over the envelope, in the order of tiles.

    M = Σ φ V h^d ,      V the capacity of a cell

Through an open side goes what is in the part of each cell that its path takes beyond the side.

Reference: Cline section 9.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range
from plash.physics.smoke.fluxes import Capacity
from plash.physics.smoke.paths import Paths
from plash.physics.solids.domain_box import OPEN, DomainBox
from plash.timing import stage

Array = NDArray[np.float64]

SIDES = ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")
_FAR = 8  # cells from a side beyond which nothing reaches it in a step


@stage
def amounts(scalars: NDArray[np.float32], cells: Cells, capacity: Capacity, h: float) -> Array:
    """Σ φ V h^d of each field over the cells that are followed."""
    slots = cells.liquid_tiles
    partial = np.zeros((len(scalars), len(slots)))
    _sum(scalars, cells.label, capacity.share, slots, capacity.is_cut, partial, chunk_count())
    total: Array = partial.sum(axis=1) * h**cells.tiles.dimension
    return total


@stage
def leaving(
    scalars: NDArray[np.float32], paths: Paths, cells: Cells, capacity: Capacity, box: DomainBox, h: float
) -> dict[str, Array]:
    """What goes through each open side of the domain in a step, by field."""
    tiles, found = cells.tiles, {}
    for axis, kinds in enumerate(box.sides):
        size = tiles.shape[2 - axis]
        first = tiles.origins[:, axis]
        for high, kind in enumerate(kinds):
            if kind != OPEN:
                continue
            near = first + size > box.cells[axis] - _FAR if high else first < _FAR
            near[0] = False
            slots = np.flatnonzero(near & (first < box.cells[axis]) & (first + size > 0))
            place = [len(slots), 1, 1, 1]
            place[3 - axis] = size
            cell = (first[slots, None] + np.arange(size)).reshape(place)
            goes = cell + paths.forth[axis, slots].astype(np.float64)
            beyond = np.clip(goes + 1 - box.cells[axis] if high else -goes, 0.0, 1.0)
            beyond *= cells.label[slots] == LIQUID
            if capacity.is_cut:
                beyond *= capacity.share[slots]
            shares = (float((field[slots] * beyond).sum()) for field in scalars)
            found[f"left through {SIDES[2 * axis + high]}"] = np.array(list(shares)) * h**tiles.dimension
    return found


@kernel
def _sum(scalars, label, volume, tiles, is_cut, partial, chunks):
    _, _, BZ, BY, BX = scalars.shape
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            t = tiles[i]
            for f in range(len(scalars)):
                total = 0.0
                for z in range(BZ):
                    for y in range(BY):
                        row = 0.0
                        for x in range(BX):
                            if label[t, z, y, x] == LIQUID:
                                share = np.float64(volume[t, z, y, x]) if is_cut else 1.0
                                row += share * np.float64(scalars[f, t, z, y, x])
                        total += row
                partial[f, i] = total
