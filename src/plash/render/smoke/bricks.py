"""Values of cells between which a picture interpolates: tiles with one layer of cells round them.

Between cells values are quadratic splines, smooth across cells and tiles, so that no grid is seen: at a place f of a
cell from its middle, -1/2 to 1/2, the cells before, at and after it count (1/2 - f)²/2, 3/4 - f² and (1/2 + f)²/2. A
spline reaches one cell beyond what it was made from, so that there are bricks beside full tiles too.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import CENTRE, chunk_range, home_of
from plash.grid.tiles import Shape, Tiles, find_slot, pack_one, widened
from plash.grid.volume import Volume

Floats = NDArray[np.float32]

SIDE = 10  # cells of a 3-D brick along an axis


class Bricks(NamedTuple):
    """Where there are bricks, and what is in them; brick 0 is empty.

    Attributes:
        keys: Packed coordinates of the tiles that are bricks, ascending: the first is brick 1.
        full: Whether there is anything in a brick.
        low, high: First tile (x, y, z) of the box of all bricks, and the one after the last.
        values: [brick, z, y, x, 4]: how fast light fades (1/m), and light that is sent out on each metre of a ray.
        h: Cell size, m.
    """

    keys: NDArray[np.int64]
    full: NDArray[np.bool_]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    values: Floats
    h: float


def brick_tiles(volume: Volume) -> Tiles:
    """The tiles of a volume that hold anything, and those beside them."""
    tiles = volume.tiles
    holds = np.zeros(tiles.count + 1, np.bool_)
    for name in ("density", "flame"):
        if name in volume.pools:
            pool = volume.pools[name]
            holds |= pool.reshape(len(pool), -1).max(axis=1) > 0
    slots = np.flatnonzero(holds[1:]) + 1
    found = [tiles.keys[slots - 1]]
    flat = tiles.dimension == 2
    for number in range(27):
        step = np.array([number % 3 - 1, number // 3 % 3 - 1, number // 9 - 1])
        if number != CENTRE and not (flat and step[2]):
            lacking = slots[~holds[tiles.neighbours[slots, number]]]
            found.append(widened(tiles.keys[lacking - 1], step))
    return Tiles.of_keys(np.unique(np.concatenate(found)), tiles.dimension)


def empty_bricks(tiles: Tiles, h: float) -> Bricks:
    """Bricks on some tiles, at least one, with nothing in them."""
    deep, high, wide = (n + 2 if n > 1 else 1 for n in tiles.shape)
    values = np.zeros((tiles.count + 1, deep, high, wide, 4), np.float32)
    places = tiles.coordinates[1:].astype(np.int64)
    full = np.zeros(tiles.count + 1, np.bool_)
    return Bricks(tiles.keys, full, places.min(axis=0), places.max(axis=0) + 1, values, h)


def fill_bricks(bricks: Bricks, tiles: Tiles, cells: Floats, first: int, last: int) -> None:
    """Set some of the four values, from the first to before the last, from those of cells, [slot, z, y, x, 4]."""
    _fill(tiles.shape)(cells, tiles.neighbours, bricks, first, last, chunk_count())


@inlined
def spline_weights(f):
    """How much the cells before, at and after a place count that is f cells from the middle of its cell."""
    half = np.float32(0.5)
    return half * (half - f) * (half - f), np.float32(0.75) - f * f, half * (half + f) * (half + f)


@inlined
def spline(values, brick, x, y, z):
    """The four values at a place in cells from the first corner of a 3-D brick's tile, each from 0 to 8."""
    i, j, k = int(x), int(y), int(z)
    half = np.float32(0.5)
    x0, x1, x2 = spline_weights(np.float32(x - i) - half)
    y0, y1, y2 = spline_weights(np.float32(y - j) - half)
    z0, z1, z2 = spline_weights(np.float32(z - k) - half)
    a = b = c = d = np.float32(0)
    # Unsigned indices: a signed one could count from the end, and would be tested for it at every cell
    corner = np.uint64(4 * (((brick * SIDE + k) * SIDE + j) * SIDE + i))
    for m in range(3):
        wz = z0 if m == 0 else (z1 if m == 1 else z2)
        for n in range(3):
            w = wz * (y0 if n == 0 else (y1 if n == 1 else y2))
            w0, w1, w2 = w * x0, w * x1, w * x2
            at = corner + np.uint64(4 * SIDE * (SIDE * m + n))
            a += w0 * values[at] + w1 * values[at + np.uint64(4)] + w2 * values[at + np.uint64(8)]
            b += w0 * values[at + np.uint64(1)] + w1 * values[at + np.uint64(5)] + w2 * values[at + np.uint64(9)]
            c += w0 * values[at + np.uint64(2)] + w1 * values[at + np.uint64(6)] + w2 * values[at + np.uint64(10)]
            d += w0 * values[at + np.uint64(3)] + w1 * values[at + np.uint64(7)] + w2 * values[at + np.uint64(11)]
    return a, b, c, d


@inlined
def linear_fade(values, brick, x, y, z):
    """How fast light fades at such a place of a 3-D brick, linear between the middles of cells."""
    half, one = np.float32(0.5), np.float32(1)
    x, y, z = np.float32(x) + half, np.float32(y) + half, np.float32(z) + half
    i, j, k = int(x), int(y), int(z)
    fx, fy, fz = x - np.float32(i), y - np.float32(j), z - np.float32(k)
    total = np.float32(0)
    corner = np.uint64(4 * (((brick * SIDE + k) * SIDE + j) * SIDE + i))
    for m in range(2):
        for n in range(2):
            at = corner + np.uint64(4 * SIDE * (SIDE * m + n))
            w = (fz if m else one - fz) * (fy if n else one - fy)
            total += w * (values[at] + fx * (values[at + np.uint64(4)] - values[at]))
    return total


@inlined
def full_brick(keys, full, x, y, z):
    """Number of the brick at tile coordinates, 0 where there is none with anything in it."""
    brick = find_slot(keys, pack_one(x, y, z))
    return brick if full[brick] else 0


@inlined
def through_box(view, x, y, z, low, high, size):
    """Depths at which a ray (x, y, z) of a view enters and leaves the box of all bricks, of tiles of a size (m)."""
    enter, leave = 0.0, np.inf
    for axis in range(3):
        along = x if axis == 0 else (y if axis == 1 else z)
        first, last = low[axis] * size - view[axis], high[axis] * size - view[axis]
        if along == 0:
            if first > 0 or last < 0:
                leave = -1.0
            continue
        a, b = first / along, last / along
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter, leave


@for_tile_shape
def _fill(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    HZ = 1 if BZ > 1 else 0

    @kernel
    def run(cells, neighbours, bricks, first, last, chunks):
        values, full = bricks.values, bricks.full
        for chunk in numba.prange(chunks):
            for slot in chunk_range(chunk, chunks, len(values)):
                if slot == 0:
                    continue
                for z in range(-HZ, BZ + HZ):
                    for y in range(-1, BY + 1):
                        for x in range(-1, BX + 1):
                            home, a, b, c = home_of(neighbours, slot, x, y, z, BZ, BY, BX)
                            for part in range(first, last):
                                values[slot, z + HZ, y + 1, x + 1, part] = cells[home, c, b, a, part]
                                full[slot] |= cells[home, c, b, a, part] != 0

    return run
