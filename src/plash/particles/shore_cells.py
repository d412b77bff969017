"""What hats see at shores, where the liquid's surface and bodies are near each other, and which cells are there.

With (1, 2, 1)/4 along each axis of what the narrow hat of `particles/surface.py` sees, of half-width 1 cell, the volume
and the open share are those of the wide hat of half-width 2, to the last bit. Cells beyond closed sides are mirrors.

Beside bodies thinner than about two cells, such as the wall of a glass, the wide hat would see the space behind them:
there only the narrow one counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import CENTRE, chunk_range, stride
from plash.grid.openness import Limits
from plash.grid.tiles import Shape, Tiles, dimension_of

WHOLE = 0.999  # open share of the narrow hat below which the distance is found here
_FREE = 0.995  # open share of the wide hat above which it sees no body
_LEAST = 0.002  # open share of the wide hat below which nothing is known
_FAINT = 1e-4  # share of it that is filled, or not, below which there is no surface in it
_STEEP = 0.02  # the same for slopes: near full or empty the distance is the root of a small number
NARROW_STEEP = 0.005  # filled share of a narrow hat, or empty one, below which it tells no height
_AIR = 0.3  # filled share of the narrow hat below which there is air
_SURE = 0.93  # filled share of the wide hat below which that is no unevenness of particles along a wall

_THIN = 3  # cells on both sides of a cell in which thin bodies are looked for
_FURTHEST = 3  # cells from open space before a thin body to that behind it
_OPEN_SIDE, _CLOSED_MIDDLE = np.float32(0.5), np.float32(0.4)  # open shares of hats beside and in a thin body
_NEITHER = np.float32(0.45)

# What cells are to the shore: their wide hat is open; it is not, but the narrow one is; a body cuts that one too, and a
# surface may be near; and one is near for sure; the same beside a thin body
OPEN, NEAR, CUT, SHORE, THIN, THIN_SHORE = (np.uint8(part) for part in range(1, 7))


class Seen(NamedTuple):
    """What hats see.

    Attributes:
        volume: In the narrow one, in cells.
        share: Of the narrow one that is open.
        wide_volume: As of the narrow one; nothing where cells play no part.
        wide_share: The same.
        wide_height: Distance to the surface in cells as the wide one sees it, where it is open; NaN near full or empty.
        part: That each cell plays.
    """

    volume: NDArray[np.float32]
    share: NDArray[np.float32]
    wide_volume: NDArray[np.float32]
    wide_share: NDArray[np.float32]
    wide_height: NDArray[np.float64]
    part: NDArray[np.uint8]


def seen_by_hats(
    tiles: Tiles, slots: NDArray[np.int32], volume: NDArray[np.float32], share: NDArray[np.float32], limits: Limits
) -> Seen:
    """What the hats of some tiles see; cells beyond closed sides play no part."""
    narrow = _with_mirrors(volume, tiles, limits), _with_mirrors(share, tiles, limits)
    _forget_beyond(narrow[1], tiles, limits)
    wide_volume, wide_share = np.empty_like(volume), np.empty_like(share)
    seen = Seen(*narrow, wide_volume, wide_share, np.empty(share.shape, np.float64), np.zeros(share.shape, np.uint8))
    _widen(tiles.shape)(seen, tiles.neighbours, slots, chunk_count())
    cells, kinds = limits
    for axis in range(tiles.dimension):
        cell = tiles.origins[slots, axis, None] + np.arange(tiles.shape[2 - axis])
        is_inside = (cell >= cells[axis, 0]) | (kinds[axis, 0] != 1)
        is_inside &= (cell < cells[axis, 1]) | (kinds[axis, 1] != 1)
        some = np.flatnonzero(~is_inside.all(axis=1))
        shape = [len(some), 1, 1, 1]
        shape[3 - axis] = tiles.shape[2 - axis]
        seen.part[slots[some]] *= is_inside[some].reshape(shape)
    return seen


def _with_mirrors(pool: NDArray[np.float32], tiles: Tiles, limits: Limits) -> NDArray[np.float32]:
    """The same with one layer of cells beyond each closed side, as in a mirror."""
    result = pool.copy()
    cells, kinds = limits
    for axis in range(tiles.dimension):
        size = tiles.shape[2 - axis]
        layers = np.moveaxis(result, 3 - axis, 1)
        for high in range(2):
            if kinds[axis, high] != 1:
                continue
            inside, step = (cells[axis, 1] - 1, 1) if high else (cells[axis, 0], -1)
            slots = np.flatnonzero(tiles.origins[1:, axis] == inside // size * size) + 1
            here, beyond = inside % size, inside % size + step
            behind = slots if 0 <= beyond < size else tiles.neighbours[slots, CENTRE + step * 3**axis]
            layers[behind[behind > 0], beyond % size] = layers[slots[behind > 0], here]
    return result


def _forget_beyond(share: NDArray[np.float32], tiles: Tiles, limits: Limits) -> None:
    """Make cells beyond the mirrors of closed sides neither open nor closed."""
    cells, kinds = limits
    for axis in range(tiles.dimension):
        cell = tiles.origins[1:, axis, None] + np.arange(tiles.shape[2 - axis])
        is_beyond = (cell < cells[axis, 0] - 1) & (kinds[axis, 0] == 1)
        is_beyond |= (cell > cells[axis, 1]) & (kinds[axis, 1] == 1)
        slots, layers = np.nonzero(is_beyond)
        np.moveaxis(share, 3 - axis, 1)[slots + 1, layers] = _NEITHER


@for_tile_shape
def _widen(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    H = _THIN
    PZ, PY, PX, HZ = block_sizes(shape, H)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    DEEP = 1 if DIM == 3 else 0

    @kernel
    def run(seen, neighbours, tiles, chunks):
        volume, share, wide_volume, wide_share, wide_height, part = seen
        n = len(tiles)
        for c in prange(chunks):
            volumes = np.empty(SIZE, np.float32)
            shares = np.empty(SIZE, np.float32)
            row = np.empty(2 * BX, np.float32)
            liquid, air = np.zeros(2 * SIZE, np.uint8), np.zeros(2 * SIZE, np.uint8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(volumes, volume, neighbours, t, H, BZ, BY, BX)
                if not volumes.any():
                    continue
                copy_block(shares, share, neighbours, t, H, BZ, BY, BX)
                for m in range(np.uint64(SIZE)):
                    liquid[m] = volumes[m] > np.float32(0)
                    is_open = shares[m] > np.float32(0.5)
                    air[m] = is_open & (volumes[m] < np.float32(_AIR) * shares[m])
                _spread(liquid, PZ, PY, PX)
                _spread(air, PZ, PY, PX)
                for z in range(BZ):
                    for y in range(BY):
                        first = np.uint64(((z + HZ) * PY + y + H) * PX + H)
                        for x in range(np.uint64(BX)):
                            row[x] = _widened(volumes, first + x, PY, PX, DEEP)
                            row[np.uint64(BX) + x] = _widened(shares, first + x, PY, PX, DEEP)
                        for x in range(BX):
                            o = np.int64(first) + x
                            inside, free = row[x], row[BX + x]
                            wide_volume[t, z, y, x] = inside
                            wide_share[t, z, y, x] = free
                            # Unknown compares as too little
                            if not free >= _LEAST:
                                continue
                            if inside < _FAINT * free or inside > (1 - _FAINT) * free:
                                # A surface may still be beside it
                                is_beside = shares[o] < WHOLE and liquid[o] > 0
                                part[t, z, y, x] = CUT if is_beside else 0
                                continue
                            if free > _FREE:
                                is_steep = inside > _STEEP * free and inside < (1 - _STEEP) * free
                                part[t, z, y, x] = OPEN if is_steep else 0
                                wide_height[t, z, y, x] = _height_seen(np.float64(inside) / np.float64(free))
                                continue
                            if shares[o] >= WHOLE:
                                part[t, z, y, x] = NEAR
                                continue
                            is_sure = inside < _SURE * free or air[o] > 0
                            if _is_thin(shares, o, PY, PX, DIM):
                                part[t, z, y, x] = THIN_SHORE if is_sure else THIN
                            else:
                                part[t, z, y, x] = SHORE if is_sure else CUT

    return run


@inlined_plainly
def _widened(block, m, PY, PX, deep):
    """What a wide hat sees, from what the narrow ones round it see."""
    total = np.float32(0)
    one = np.uint64(1)
    for dz in range(-deep, deep + 1):
        for dy in range(-1, 2):
            weight = np.float32((2 - abs(dy)) * (2 - abs(dz) if deep else 1))
            middle = m + np.uint64(dz * PY * PX + dy * PX)
            total += weight * block[middle - one]
            total += np.float32(2) * weight * block[middle]
            total += weight * block[middle + one]
    return total / np.float32(64 if deep else 16)


@inlined_plainly
def _height_seen(fill):
    """Distance to the surface in cells as a whole wide hat sees it; NaN if it is nearly full or empty."""
    excess = 2 * fill - 1
    if not _STEEP < fill < 1 - _STEEP:
        return np.nan
    height = 2 * (1 - np.sqrt(1 - abs(excess)))
    return -height if excess > 0 else height


@inlined_plainly
def _spread(marks, PZ, PY, PX):
    """Mark all inner cells of a block that are at most two cells from a marked one, along each axis.

    Args:
        marks: By cell, 0 or 1, and as much room again; is changed.
        PZ: Layers of the block.
        PY: Rows of a layer.
        PX: Cells of a row.
    """
    SIZE = PZ * PY * PX
    room = np.uint64(SIZE)
    X, Y, Z = np.uint64(1), np.uint64(PX), np.uint64(PX * PY)
    for m in range(np.uint64(2), np.uint64(SIZE - 2)):
        marks[room + m] = marks[m - X - X] | marks[m - X] | marks[m] | marks[m + X] | marks[m + X + X]
    for m in range(np.uint64(2 * PX), np.uint64(SIZE - 2 * PX)):
        n = room + m
        marks[m] = marks[n - Y - Y] | marks[n - Y] | marks[n] | marks[n + Y] | marks[n + Y + Y]
    if PZ > 1:
        for m in range(np.uint64(2 * PX * PY), np.uint64(SIZE - 2 * PX * PY)):
            marks[room + m] = marks[m - Z - Z] | marks[m - Z] | marks[m] | marks[m + Z] | marks[m + Z + Z]
        for m in range(np.uint64(SIZE)):
            marks[m] = marks[room + m]


@inlined_plainly
def _is_thin(shares, o, PY, PX, dimension):
    """Whether there is open space on both sides of a body near a cell: the wide hat would see through it."""
    for axis in range(dimension):
        along = stride(axis, PY, PX)
        last_open = -_THIN - _FURTHEST - 1
        is_closed = False
        for k in range(-_THIN, _THIN + 1):
            free = shares[o + k * along]
            if free > _OPEN_SIDE:
                if is_closed and k - last_open <= _FURTHEST:
                    return True
                last_open, is_closed = k, False
            elif free < _CLOSED_MIDDLE:
                is_closed = True
    return False
