"""Known values carried outwards, layer by layer (Cline figure 7).

Layer by layer, every unknown value with a known face neighbour becomes the mean of its known neighbours. A layer is
computed whole before it is written, so that the order of cells does not matter.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, known_sums_at, room_for_sums, sum_known_neighbours
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import ABOVE, BACK, BELOW, FRONT, LEFT, RIGHT, chunk_range, chunk_slots, row_start
from plash.grid.tiles import Shape
from plash.timing import stage


@stage
def extrapolate(field: FaceField, layers: int, wanted: NDArray[np.bool_] | None = None) -> None:
    """Make unknown (NaN) values known up to the given number of layers round the known ones.

    Args:
        field: Is changed.
        layers: How many.
        wanted: By axis and slot, where the result is asked for; elsewhere fewer layers become known. None: everywhere.
    """
    tiles = field.tiles
    reached = [] if wanted is None else _reached(wanted, tiles.neighbours, layers)
    known = np.zeros(field.pool.shape[:2], np.int32)
    chunks = chunk_count()
    _count_known(field.pool.reshape(*known.shape, -1), known, chunks)
    for layer_number in range(layers):
        near = _frontier(known, tiles.neighbours, field.pool[0, 0].size)
        if wanted is not None:
            near &= reached[layer_number]
        axes, slots = (found.astype(np.int32) for found in np.nonzero(near))
        if len(slots) == 0:
            return
        layer = np.empty((len(slots), *tiles.shape), np.float32)
        _next_layer(tiles.shape)(field.pool, tiles.neighbours, axes, slots, layer, chunks)
        _commit(field.pool.reshape(*known.shape, -1), axes, slots, layer.reshape(len(slots), -1), known, chunks)


def _frontier(known: NDArray[np.int32], neighbours: NDArray[np.int32], size: int) -> NDArray[np.bool_]:
    """By axis and slot, the tiles where something may become known: not full, and not alone."""
    near = _and_beside(known > 0, neighbours)
    near &= known < size
    near[:, 0] = False
    return near


def _reached(wanted: NDArray[np.bool_], neighbours: NDArray[np.int32], layers: int) -> list[NDArray[np.bool_]]:
    """By axis and slot, the tiles that matter to the wanted ones in each layer: a value depends on those beside it."""
    reached = [wanted]
    for _ in range(layers - 1):
        reached.insert(0, _and_beside(reached[0], neighbours))
    return reached


def _and_beside(marked: NDArray[np.bool_], neighbours: NDArray[np.int32]) -> NDArray[np.bool_]:
    """The marked tiles, and those that share a face with one."""
    near = marked.copy()
    for face in (FRONT, BELOW, LEFT, RIGHT, ABOVE, BACK):
        near |= marked[:, neighbours[:, face]]
    return near


@kernel
def _count_known(pool, known, chunks):
    n = known.shape[1] - 1
    for c in prange(chunks):
        for axis in range(len(known)):
            for t in chunk_slots(c, chunks, n):
                tile = pool[axis, t]
                count = np.int32(0)
                for m in range(np.uint64(len(tile))):
                    count += np.int32(tile[m] == tile[m])
                known[axis, t] = count


@for_tile_shape
def _next_layer(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX

    @kernel
    def run(pool, neighbours, axes, slots, layer, chunks):
        n = len(slots)
        for c in prange(chunks):
            block = np.full(SIZE, np.float32(np.nan))
            found = room_for_sums(SIZE)
            for i in chunk_range(c, chunks, n):
                sum_known_neighbours(found, block, pool[axes[i]], neighbours, slots[i], BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        o, row = np.uint64(row_start(z, y, HZ, PY, PX)), layer[i, z, y]
                        for x in range(np.uint64(BX)):
                            _, total, count = known_sums_at(found, o + x, SIZE)
                            row[x] = total / count  # 0/0 is NaN: still unknown

    return run


@kernel
def _commit(pool, axes, slots, layer, known, chunks):
    n = len(slots)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            tile = pool[axes[i], slots[i]]
            new = layer[i]
            count = np.int32(0)
            for m in range(np.uint64(len(new))):
                value = tile[m] if tile[m] == tile[m] else new[m]
                tile[m] = value
                count += np.int32(value == value)
            known[axes[i], slots[i]] = count
