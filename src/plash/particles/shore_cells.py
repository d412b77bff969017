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
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import CENTRE, chunk_range, stride
from plash.grid.openness import Limits
from plash.grid.tiles import Shape, Tiles, dimension_of

WHOLE = 0.999  # open share of the narrow hat below which the distance is found here
_FREE = 0.995  # open share of the wide hat above which it sees no body
_LEAST = 0.002  # open share of the wide hat below which nothing is known
_FAINT = 1e-4  # share of it that is filled, or not, below which there is no surface in it
STEEP = 0.02  # the same for slopes: near full or empty the distance is the root of a small number
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
    """What hats see: volume in the narrow one and the wide one, their open shares, and the part that a cell plays."""

    volume: NDArray[np.float32]
    share: NDArray[np.float32]
    wide_volume: NDArray[np.float32]
    wide_share: NDArray[np.float32]
    part: NDArray[np.uint8]


def seen_by_hats(
    tiles: Tiles, slots: NDArray[np.int32], volume: NDArray[np.float32], share: NDArray[np.float32], limits: Limits
) -> Seen:
    """What the hats of some tiles see; cells beyond closed sides play no part."""
    narrow = _with_mirrors(volume, tiles, limits), _with_mirrors(share, tiles, limits)
    _forget_beyond(narrow[1], tiles, limits)
    seen = Seen(*narrow, np.zeros_like(volume), np.zeros_like(share), np.zeros(share.shape, np.uint8))
    _widen(tiles.shape)(seen, tiles.neighbours, slots, chunk_count())
    cells, kinds = limits
    for axis in range(tiles.dimension):
        cell = tiles.origins[slots, axis, None] + np.arange(tiles.shape[2 - axis])
        is_inside = (cell >= cells[axis, 0]) | (kinds[axis, 0] != 1)
        is_inside &= (cell < cells[axis, 1]) | (kinds[axis, 1] != 1)
        shape = [len(slots), 1, 1, 1]
        shape[3 - axis] = -1
        seen.part[slots] *= is_inside.reshape(shape)
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
    DIM = dimension_of(shape)
    DEEP = 1 if DIM == 3 else 0

    @kernel
    def run(seen, neighbours, tiles, chunks):
        volume, share, wide_volume, wide_share, part = seen
        n = len(tiles)
        for c in prange(chunks):
            volumes = np.empty(PZ * PY * PX, np.float32)
            shares = np.empty(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(volumes, volume, neighbours, t, H, BZ, BY, BX)
                copy_block(shares, share, neighbours, t, H, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        for x in range(BX):
                            o = ((z + HZ) * PY + y + H) * PX + x + H
                            inside = np.float32(0)
                            free = np.float32(0)
                            for dz in range(-DEEP, DEEP + 1):
                                for dy in range(-1, 2):
                                    for dx in range(-1, 2):
                                        weight = np.float32(
                                            (2 - abs(dx)) * (2 - abs(dy)) * (2 - abs(dz) if DIM == 3 else 1)
                                        )
                                        m = o + (dz * PY + dy) * PX + dx
                                        inside += weight * volumes[m]
                                        free += weight * shares[m]
                            inside /= np.float32(4**DIM)
                            free /= np.float32(4**DIM)
                            wide_volume[t, z, y, x] = inside
                            wide_share[t, z, y, x] = free
                            # Unknown compares as too little
                            if not free >= _LEAST:
                                continue
                            if inside < _FAINT * free or inside > (1 - _FAINT) * free:
                                # A surface may still be beside it
                                is_beside = shares[o] < WHOLE and _is_liquid_near(volumes, o, PY, PX, 2 * DEEP)
                                part[t, z, y, x] = CUT if is_beside else 0
                                continue
                            if free > _FREE:
                                is_steep = inside > STEEP * free and inside < (1 - STEEP) * free
                                part[t, z, y, x] = OPEN if is_steep else 0
                                continue
                            if shares[o] >= WHOLE:
                                part[t, z, y, x] = NEAR
                                continue
                            is_sure = inside < _SURE * free or _is_air_near(volumes, shares, o, PY, PX, 2 * DEEP)
                            if _is_thin(shares, o, PY, PX, DIM):
                                part[t, z, y, x] = THIN_SHORE if is_sure else THIN
                            else:
                                part[t, z, y, x] = SHORE if is_sure else CUT

    return run


@inlined
def _is_liquid_near(volumes, o, PY, PX, deep):
    """Whether a cell at most two cells away sees liquid."""
    for dz in range(-deep, deep + 1):
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                if volumes[o + (dz * PY + dy) * PX + dx] > np.float32(0):
                    return True
    return False


@inlined
def _is_air_near(volumes, shares, o, PY, PX, deep):
    """Whether a cell at most two cells away, most of whose hat is open, has air in it."""
    for dz in range(-deep, deep + 1):
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                m = o + (dz * PY + dy) * PX + dx
                if shares[m] > np.float32(0.5) and volumes[m] < np.float32(_AIR) * shares[m]:
                    return True
    return False


@inlined
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
