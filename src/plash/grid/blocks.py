"""Small dense blocks: a tile together with its halo, copied out of a pool so that a kernel can run one flat loop on it.

A block is a flat array of (BZ+2HZ)·(BY+2H)·(BX+2H) values, x contiguous, where HZ = H in 3-D and 0 in 2-D: a
thin axis has no halo and costs nothing. Looking neighbours up per sample instead costs six to ten times as much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined
from plash.grid.loops import ABOVE, BACK, BELOW, FRONT, LEFT, RIGHT, neighbour_number, row_start, tile_beside


def block_sizes(shape: tuple[int, int, int], halo: int) -> tuple[int, int, int, int]:
    """Sizes (PZ, PY, PX) of a block with a halo, and the halo along z."""
    BZ, BY, BX = shape
    halo_z = halo if BZ > 1 else 0
    return BZ + 2 * halo_z, BY + 2 * halo, BX + 2 * halo, halo_z


@inlined
def copy_row(block, o, row, BX):
    """Copy a row of 8 or 16 values into a block, from index o on.

    Eight at a time, all read before any is written: then the compiler need not fear that block and pool overlap, and
    makes one vector of them. Unsigned indices: signed ones could count from the end and would be tested for it.
    """
    for k in range(0, BX, 8):
        i = np.uint64(k)
        j = np.uint64(o + k)
        r0, r1, r2, r3 = row[i], row[i + np.uint64(1)], row[i + np.uint64(2)], row[i + np.uint64(3)]
        i += np.uint64(4)
        r4, r5, r6, r7 = row[i], row[i + np.uint64(1)], row[i + np.uint64(2)], row[i + np.uint64(3)]
        block[j] = r0
        block[j + np.uint64(1)] = r1
        block[j + np.uint64(2)] = r2
        block[j + np.uint64(3)] = r3
        block[j + np.uint64(4)] = r4
        block[j + np.uint64(5)] = r5
        block[j + np.uint64(6)] = r6
        block[j + np.uint64(7)] = r7


@inlined
def copy_block(block, pool, neighbours, t, H, BZ, BY, BX):
    """Fill a block from a tile and its 26 neighbours; absent ones give the pool's background."""
    HZ = H if BZ > 1 else 0
    PY = BY + 2 * H
    PX = BX + 2 * H
    for pz in range(BZ + 2 * HZ):
        dz, z = tile_beside(pz - HZ, BZ)
        for py in range(PY):
            dy, y = tile_beside(py - H, BY)
            row = neighbour_number(-1, dy, dz)
            o = (pz * PY + py) * PX
            source = pool[neighbours[t, row], z, y]
            for x in range(H):
                block[o + x] = source[BX - H + x]
            copy_row(block, o + H, pool[neighbours[t, row + 1], z, y], BX)
            source = pool[neighbours[t, row + 2], z, y]
            for x in range(H):
                block[o + H + BX + x] = source[x]


@inlined
def copy_cross(block, pool, neighbours, t, BZ, BY, BX):
    """Fill a block of halo 1 from a tile and the faces of its 6 neighbours; edges and corners are left as they were."""
    HZ = 1 if BZ > 1 else 0
    PY = BY + 2
    PX = BX + 2
    centre = pool[t]
    left = pool[neighbours[t, LEFT]]
    right = pool[neighbours[t, RIGHT]]
    below = pool[neighbours[t, BELOW]]
    above = pool[neighbours[t, ABOVE]]
    for z in range(BZ):
        for y in range(BY):
            o = row_start(z, y, HZ, PY, PX)
            copy_row(block, o, centre[z, y], BX)
            block[np.uint64(o - 1)] = left[z, y, BX - 1]
            block[np.uint64(o + BX)] = right[z, y, 0]
        o = (z + HZ) * PY * PX + 1
        copy_row(block, o, below[z, BY - 1], BX)
        copy_row(block, o + (BY + 1) * PX, above[z, 0], BX)
    if BZ > 1:
        front = pool[neighbours[t, FRONT]]
        back = pool[neighbours[t, BACK]]
        for y in range(BY):
            o = (y + 1) * PX + 1
            copy_row(block, o, front[BZ - 1, y], BX)
            copy_row(block, o + (BZ + 1) * PY * PX, back[0, y], BX)


class KnownSums(NamedTuple):
    """What is known in a block of halo 1 and round its cells.

    Attributes:
        value: The block with zeros for what is unknown.
        known: 1 where it is known, else 0.
        sums: Sum of the known face neighbours of every cell; in the halo it means nothing.
        counts: How many they are.
    """

    value: NDArray[np.float32]
    known: NDArray[np.float32]
    sums: NDArray[np.float32]
    counts: NDArray[np.float32]


@inlined
def room_for_sums(size):
    """Arrays for the sums of a block of some size."""
    return KnownSums(
        np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros(size, np.float32), np.zeros(size, np.float32)
    )


@inlined
def sum_known_neighbours(found, block, pool, neighbours, t, BZ, BY, BX):
    """Fill a block from a tile, and find the sums over the known face neighbours of its cells; unknown is NaN."""
    copy_cross(block, pool, neighbours, t, BZ, BY, BX)
    value, known, sums, counts = found
    HZ = 1 if BZ > 1 else 0
    SY = BX + 2
    SZ = (BY + 2) * SY
    first = HZ * SZ + SY + 1
    for m in range(len(block)):
        is_known = block[m] == block[m]
        value[m] = block[m] if is_known else np.float32(0)
        known[m] = np.float32(1) if is_known else np.float32(0)
    for m in range(first, (BZ + 2 * HZ) * SZ - first):
        total = value[m - 1] + value[m + 1] + value[m - SY] + value[m + SY]
        count = known[m - 1] + known[m + 1] + known[m - SY] + known[m + SY]
        if HZ > 0:
            total += value[m - SZ] + value[m + SZ]
            count += known[m - SZ] + known[m + SZ]
        sums[m] = total
        counts[m] = count


@inlined
def add_block(block, start, stride, pool, neighbours, t, BZ, BY, BX):
    """Add entries start, start + stride, ... of a block of halo 1 to a tile and its neighbours; none to absent ones."""
    HZ = 1 if BZ > 1 else 0
    PY = BY + 2
    PX = BX + 2
    for pz in range(BZ + 2 * HZ):
        dz, z = tile_beside(pz - HZ, BZ)
        for py in range(PY):
            dy, y = tile_beside(py - 1, BY)
            row = neighbour_number(-1, dy, dz)
            o = start + stride * (pz * PY + py) * PX
            s = neighbours[t, row]
            if s > 0:
                pool[s, z, y, BX - 1] += block[o]
            s = neighbours[t, row + 1]
            if s > 0:
                target = pool[s, z, y]
                for x in range(BX):
                    target[x] += block[o + stride * (x + 1)]
            s = neighbours[t, row + 2]
            if s > 0:
                pool[s, z, y, 0] += block[o + stride * (BX + 1)]
