"""Where particles are: the cell and the offset in it of each, and who is in which tile.

A coordinate is split in one way everywhere: the whole part is the cell, the rest in single precision is the offset, and
a rest that rounds up to 1 is 0 in the next cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined_plainly
from plash.grid.lanes import minus, times
from plash.grid.sample import cell_and_share

BATCH = 128  # particles that kernels take together: one loop without branches for each thing that is done with them


class Positions(NamedTuple):
    """Cell and offset of particles, as kernels take them; rows x, y[, z]."""

    cell: NDArray[np.int32]
    offset: NDArray[np.float32]


class InTiles(NamedTuple):
    """Which particles are in which tile and where that is, as kernels take it.

    Attributes:
        starts: Particles of the tile in slot t are starts[t] ... starts[t+1]-1.
        origins: First cell (x, y, z) of the tile in each slot.
        neighbours: Slots of the neighbours of each.
        keys: Packed coordinates of the tiles.
    """

    starts: NDArray[np.int64]
    origins: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    keys: NDArray[np.int64]


def split_positions(positions: NDArray[np.float64]) -> Positions:
    """Cells and offsets of coordinates in cells, in an array of any shape.

    Example:
        >>> split_positions(np.array([1.25, -0.5, 3 - 1e-12]))
        Positions(cell=array([ 1, -1,  3], dtype=int32), offset=array([0.25, 0.5 , 0.  ], dtype=float32))
    """
    whole = np.floor(positions)
    rest = (positions - whole).astype(np.float32)
    carry = rest >= 1
    return Positions((whole + carry).astype(np.int32), np.where(carry, np.float32(0), rest))


@inlined_plainly
def split_position(x):
    """Cell and offset of one coordinate in cells."""
    whole = np.floor(x)
    rest = np.float32(x - whole)
    if rest >= np.float32(1):
        return np.int32(whole) + np.int32(1), np.float32(0)
    return np.int32(whole), rest


@inlined_plainly
def place_in_block(cell, offset, origins, t, p, axis, LAST):
    """Coordinate of particle p in the block of tile t with a halo of 1, but not beyond the tile by rounding."""
    n = np.uint64(p)
    return min(np.float32(np.int32(cell[axis, n] - origins[t, axis] + 1)) + offset[axis, n], LAST)


@inlined_plainly
def find_corners(corner, share, places, origins, t, first, size, DIM, LAST):
    """Where a batch of particles is in the block of tile t with a halo of 1, by axis, among faces and cell centres.

    Rows 0 count from the faces across an axis, rows 1 from the centres of cells: which one a particle has behind it,
    and how far beyond it lies. Kernels go on with one row at a time: particles are often a multiple of 1024, then the
    rows of all that they carry share their places in the cache, and it holds no more than a dozen of them at once.
    """
    cell, offset = places
    half = np.float32(0.5)
    for axis in range(DIM):
        for k in range(np.uint64(size)):
            x = place_in_block(cell, offset, origins, t, first + k, axis, LAST)
            corner[0, axis, k], share[0, axis, k] = cell_and_share(x)
            corner[1, axis, k], share[1, axis, k] = cell_and_share(x - half)


@inlined_plainly
def corner_of_batch(corner, share, k, sides, PY, PX, DIM):
    """Index in the block of the minimal corner of particle k of a batch, and how far the particle is beyond it.

    The sides are 0 along axes on which faces count and 1 where centres do.
    """
    a, b, c = sides
    o = corner[b, 1, k] * np.int32(PX) + corner[a, 0, k]
    if DIM == 2:
        return np.uint64(np.uint32(o)), share[a, 0, k], share[b, 1, k], np.float32(0)
    o += corner[c, 2, k] * np.int32(PY * PX)
    return np.uint64(np.uint32(o)), share[a, 0, k], share[b, 1, k], share[c, 2, k]


@inlined_plainly
def spread_to_corners(volume, fx, fy, fz, DIM):
    """What a particle at (fx, fy, fz) beyond the minimal corner brings to the left and the right ends of four rows.

    The rows are those below and above in front, and below and above behind; in 2-D the last two do not count.
    """
    zero, one = np.float32(0), np.float32(1)
    fy0 = one - fy
    if DIM == 2:
        whole = times((fy0, fy, zero, zero), volume)
    else:
        front, behind = volume * (one - fz), volume * fz
        whole = times((front, front, behind, behind), (fy0, fy, fy0, fy))
    right = times(whole, fx)
    return minus(whole, right), right


def last_place(size: int) -> np.float32:
    """Largest coordinate in a block of halo 1 that still lies in the tile: sums may round up to the cell beyond."""
    return np.float32(np.nextafter(np.float32(size + 1), np.float32(0)))
