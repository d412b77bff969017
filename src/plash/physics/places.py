"""Where the places that a tile's values come from lie in a block: found for a whole tile in one flat loop.

A *list* is one flat array of sections, each as long as a block of halo 1 has values (COUNT): three for the vectors that
places are found from, the index of the cell before each place in the block that is sampled, how far the place lies
beyond that along x, y and z, and the place of each value itself. As all of it is one array, the compiler knows that
sections do not overlap, and makes vectors of the loop. Indices are whole numbers in single precision, and have no sign
where they are used. The share along x of a place outside the block is NaN, and so is what is interpolated there.

Reference: Cline figure 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined
from plash.grid.loops import corner_step
from plash.grid.sample import interpolate_from
from plash.grid.tiles import Tiles

HALO = 3  # of the blocks that are sampled
SECTIONS = 10
_INDEX, _SHARES, _OWN = 3, 4, 7


class Where(NamedTuple):
    """Where tiles are: first cell (x, y, z) and neighbours of each slot, and packed coordinates."""

    origins: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    keys: NDArray[np.int64]

    @staticmethod
    def of(tiles: Tiles) -> Where:
        """That of a set of tiles."""
        return Where(tiles.origins, tiles.neighbours, tiles.keys)


@inlined
def begin_list(listed, COUNT, QY, QX, H, HZ):
    """Write down where the values of a block of halo 1 are in one of halo H (HZ along z)."""
    for m in range(COUNT):
        listed[_OWN * COUNT + m] = np.float32(m % QX + H - 1)
        listed[(_OWN + 1) * COUNT + m] = np.float32(m // QX % QY + H - 1)
        listed[(_OWN + 2) * COUNT + m] = np.float32(m // (QX * QY) + (HZ - 1 if HZ > 0 else 0))


@inlined
def own_place(listed, m, COUNT):
    """Where value m itself is in the block."""
    x, y, z = np.uint64(_OWN * COUNT), np.uint64((_OWN + 1) * COUNT), np.uint64((_OWN + 2) * COUNT)
    return listed[x + m], listed[y + m], listed[z + m]


@inlined
def is_within(place, further, PZ, PY, PX):
    """Whether a place can be interpolated in a block, and so can one that lies further along all axes."""
    x, y, z = place
    zero = np.float32(0)
    within = (x >= zero) & (x + further < np.float32(PX - 1)) & (y >= zero) & (y + further < np.float32(PY - 1))
    if PZ > 1:
        within = within & (z >= zero) & (z + further < np.float32(PZ - 1))
    return within


@inlined
def put_place(listed, m, place, within, COUNT, PY, PX, THIN):
    """Write down the place that value m comes from, if it is within the block."""
    x, y, z = place
    zero = np.float32(0)
    x, y = (x if within else zero), (y if within else zero)
    i, j = np.float32(np.int32(x)), np.float32(np.int32(y))
    index = j * np.float32(PX) + i
    if not THIN:
        z = z if within else zero
        k = np.float32(np.int32(z))
        index += k * np.float32(PY * PX)
        listed[np.uint64((_SHARES + 2) * COUNT) + m] = z - k
    listed[np.uint64(_INDEX * COUNT) + m] = index
    listed[np.uint64(_SHARES * COUNT) + m] = x - i if within else np.float32(np.nan)
    listed[np.uint64((_SHARES + 1) * COUNT) + m] = y - j


@inlined
def _index(listed, m, COUNT):
    return np.uint64(np.uint32(np.int32(listed[np.uint64(_INDEX * COUNT) + m])))


@inlined
def value_at(block, listed, m, COUNT, PY, PX, THIN):
    """What stands in a block at the place that value m comes from; NaN outside, or if a corner is unknown."""
    x, y, z = np.uint64(_SHARES * COUNT), np.uint64((_SHARES + 1) * COUNT), np.uint64((_SHARES + 2) * COUNT)
    start = _index(listed, m, COUNT)
    return interpolate_from(block, start, listed[x + m], listed[y + m], listed[z + m], PY, PX, THIN)


@inlined
def extremes_at(block, listed, m, COUNT, PY, PX, THIN):
    """Least and greatest of the known values that an interpolation there uses."""
    start = _index(listed, m, COUNT)
    least, greatest = np.float32(np.inf), np.float32(-np.inf)
    for corner in range(4 if THIN else 8):
        a, b, c = corner_step(corner)
        value = block[start + np.uint64((c * PY + b) * PX + a)]
        least = value if value < least else least
        greatest = value if value > greatest else greatest
    return least, greatest
