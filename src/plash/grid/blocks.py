"""Small dense blocks: a tile together with its halo, copied out of a pool so that a kernel can run one flat loop on it.

A block is a flat array of (BZ+2HZ)·(BY+2H)·(BX+2H) values, x contiguous, where HZ = H in 3-D and 0 in 2-D: a
thin axis has no halo and costs nothing. Looking neighbours up per sample instead costs six to ten times as much.
"""

from __future__ import annotations

import numpy as np

from plash.grid.compile import inlined, inlined_plainly
from plash.grid.loops import ABOVE, BACK, BELOW, FRONT, LEFT, RIGHT, neighbour_number, row_start, tile_beside


def block_sizes(shape: tuple[int, int, int], halo: int) -> tuple[int, int, int, int]:
    """Sizes (PZ, PY, PX) of a block with a halo, and the halo along z."""
    BZ, BY, BX = shape
    halo_z = halo if BZ > 1 else 0
    return BZ + 2 * halo_z, BY + 2 * halo, BX + 2 * halo, halo_z


@inlined_plainly
def copy_row(block, o, row, BX):
    """Copy a row of 8 or 16 values into a block, from index o on.

    Eight at a time, all read before any is written: then the compiler need not fear that block and pool overlap, and
    makes one vector of them. Unsigned indices: signed ones could count from the end and would be tested for it.
    """
    for k in range(0, BX, 8):
        i = np.uint64(k)
        j = np.uint64(o) + i
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


@inlined_plainly
def copy_block(block, pool, neighbours, t, H, BZ, BY, BX):
    """Fill a block from a tile and its 26 neighbours; absent ones give the pool's background. No index has a sign."""
    HZ = H if BZ > 1 else 0
    beside = neighbours[t]
    PY = BY + 2 * H
    PX = BX + 2 * H
    for pz in range(BZ + 2 * HZ):
        dz, z = tile_beside(pz - HZ, BZ)
        for py in range(PY):
            dy, y = tile_beside(py - H, BY)
            row = np.uint64(neighbour_number(-1, dy, dz))
            o = np.uint64((pz * PY + py) * PX)
            u, v = np.uint64(z), np.uint64(y)
            source = pool[np.uint64(beside[row]), u, v]
            for x in range(np.uint64(H)):
                block[o + x] = source[np.uint64(BX - H) + x]
            copy_row(block, o + np.uint64(H), pool[np.uint64(beside[row + np.uint64(1)]), u, v], BX)
            source = pool[np.uint64(beside[row + np.uint64(2)]), u, v]
            for x in range(np.uint64(H)):
                block[o + np.uint64(H + BX) + x] = source[x]


@inlined_plainly
def copy_inside(block, values, BZ, BY, BX):
    """Fill a block of halo 1 from the values of a tile; the halo is left as it was."""
    HZ = 1 if BZ > 1 else 0
    for z in range(BZ):
        for y in range(BY):
            copy_row(block, row_start(z, y, HZ, BY + 2, BX + 2), values[z, y], BX)


@inlined_plainly
def copy_out(values, block, BZ, BY, BX):
    """The other way round: set the values of a tile to those inside a block of halo 1."""
    HZ = 1 if BZ > 1 else 0
    for z in range(BZ):
        for y in range(BY):
            copy_row(values[z, y], 0, block[row_start(z, y, HZ, BY + 2, BX + 2) :], BX)


@inlined_plainly
def sum_inside(block, BZ, BY, BX):
    """Sum of the values inside a block of halo 1, each row by itself in its own precision."""
    HZ = 1 if BZ > 1 else 0
    total = 0.0
    for z in range(BZ):
        for y in range(BY):
            o = np.uint64(row_start(z, y, HZ, BY + 2, BX + 2))
            row = block.dtype.type(0)
            for x in range(np.uint64(BX)):
                row += block[o + x]
            total += np.float64(row)
    return total


@inlined_plainly
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


@inlined
def room_for_sums(size):
    """An array for what is known in a block and round its cells: four sections, each as long as the block.

    They are the block with zeros for what is unknown, 1 where it is known and else 0, the sum of the known face
    neighbours of every cell, and how many they are. The last two mean nothing in the halo. As all of it is one array,
    the compiler sees that sections do not overlap, and makes vectors of the loops.
    """
    return np.zeros(4 * size, np.float32)


@inlined_plainly
def known_sums_at(found, m, size):
    """The value of cell m of a block (0 if it is unknown), the sum of its known face neighbours, and their count."""
    m = np.uint64(m)
    return found[m], found[np.uint64(2 * size) + m], found[np.uint64(3 * size) + m]


@inlined_plainly
def sum_known_neighbours(found, block, pool, neighbours, t, BZ, BY, BX):
    """Fill a block from a tile, and find the sums over the known face neighbours of its cells; unknown is NaN."""
    copy_cross(block, pool, neighbours, t, BZ, BY, BX)
    SPACE = BZ > 1
    SIZE = (BZ + 2 if SPACE else 1) * (BY + 2) * (BX + 2)
    FIRST = ((BY + 2 if SPACE else 0) + 1) * (BX + 2) + 1
    known, sums, counts = np.uint64(SIZE), np.uint64(2 * SIZE), np.uint64(3 * SIZE)
    x, y, z = np.uint64(1), np.uint64(BX + 2), np.uint64((BY + 2) * (BX + 2))
    for m in range(np.uint64(SIZE)):
        is_known = block[m] == block[m]
        found[m] = block[m] if is_known else np.float32(0)
        found[known + m] = np.float32(1) if is_known else np.float32(0)
    for m in range(np.uint64(FIRST), np.uint64(SIZE - FIRST)):
        n = known + m
        total = found[m - x] + found[m + x] + found[m - y] + found[m + y]
        count = found[n - x] + found[n + x] + found[n - y] + found[n + y]
        if SPACE:
            total += found[m - z] + found[m + z]
            count += found[n - z] + found[n + z]
        found[sums + m] = total
        found[counts + m] = count


@inlined_plainly
def add_row(row, block, o, stride, BX):
    """Add every stride-th value of a block, from index o on, to a row of 8 or 16; none is read once one is written."""
    step = np.uint64(stride)
    for x in range(0, BX, 8):
        i, j = np.uint64(x), np.uint64(o) + np.uint64(x) * step
        r0, r1, r2, r3 = block[j], block[j + step], block[j + np.uint64(2) * step], block[j + np.uint64(3) * step]
        j += np.uint64(4) * step
        r4, r5, r6, r7 = block[j], block[j + step], block[j + np.uint64(2) * step], block[j + np.uint64(3) * step]
        row[i] += r0
        row[i + np.uint64(1)] += r1
        row[i + np.uint64(2)] += r2
        row[i + np.uint64(3)] += r3
        row[i + np.uint64(4)] += r4
        row[i + np.uint64(5)] += r5
        row[i + np.uint64(6)] += r6
        row[i + np.uint64(7)] += r7


@inlined_plainly
def add_block(block, start, stride, pool, neighbours, t, BZ, BY, BX):
    """Add entries start, start + stride, ... of a block of halo 1 to a tile and its neighbours; none to absent ones."""
    HZ = 1 if BZ > 1 else 0
    PY = BY + 2
    PX = BX + 2
    beside = neighbours[t]
    first, last = np.uint64(0), np.uint64(BX - 1)
    for pz in range(BZ + 2 * HZ):
        dz, z = tile_beside(pz - HZ, BZ)
        for py in range(PY):
            dy, y = tile_beside(py - 1, BY)
            number = np.uint64(neighbour_number(-1, dy, dz))
            o = np.uint64(start + stride * (pz * PY + py) * PX)
            u, v = np.uint64(z), np.uint64(y)
            s = np.uint64(beside[number])
            if s > 0:
                pool[s, u, v, last] += block[o]
            s = np.uint64(beside[number + np.uint64(1)])
            if s > 0:
                add_row(pool[s, u, v], block, o + np.uint64(stride), stride, BX)
            s = np.uint64(beside[number + np.uint64(2)])
            if s > 0:
                pool[s, u, v, first] += block[o + np.uint64(stride * (BX + 1))]
