"""Small dense blocks: a tile together with its halo, copied out of a pool so that a kernel can run one flat loop on it.

A block is a flat array of (BZ+2HZ)·(BY+2H)·(BX+2H) values, x contiguous, where HZ = H in 3-D and 0 in 2-D: a
thin axis has no halo and costs nothing. Looking neighbours up per sample instead costs six to ten times as much.
"""

from __future__ import annotations

from plash.grid.compile import inlined


def block_sizes(shape: tuple[int, int, int], halo: int) -> tuple[int, int, int, int]:
    """Sizes (PZ, PY, PX) of a block with a halo, and the halo along z."""
    BZ, BY, BX = shape
    halo_z = halo if BZ > 1 else 0
    return BZ + 2 * halo_z, BY + 2 * halo, BX + 2 * halo, halo_z


@inlined
def copy_block(block, pool, neighbours, t, H, BZ, BY, BX):  # type: ignore[no-untyped-def]
    """Fill a block from a tile and its 26 neighbours; absent ones give the pool's background."""
    HZ = H if BZ > 1 else 0
    PY = BY + 2 * H
    PX = BX + 2 * H
    for pz in range(BZ + 2 * HZ):
        z = pz - HZ
        across_z = 1
        if z < 0:
            across_z = 0
            z += BZ
        elif z >= BZ:
            across_z = 2
            z -= BZ
        for py in range(PY):
            y = py - H
            across_y = 1
            if y < 0:
                across_y = 0
                y += BY
            elif y >= BY:
                across_y = 2
                y -= BY
            row = across_z * 9 + across_y * 3
            o = (pz * PY + py) * PX
            source = pool[neighbours[t, row], z, y]
            for x in range(H):
                block[o + x] = source[BX - H + x]
            source = pool[neighbours[t, row + 1], z, y]
            for x in range(BX):
                block[o + H + x] = source[x]
            source = pool[neighbours[t, row + 2], z, y]
            for x in range(H):
                block[o + H + BX + x] = source[x]


@inlined
def copy_cross(block, pool, neighbours, t, BZ, BY, BX):  # type: ignore[no-untyped-def]
    """Fill a block of halo 1 from a tile and the faces of its 6 neighbours; edges and corners are left as they were."""
    HZ = 1 if BZ > 1 else 0
    PY = BY + 2
    PX = BX + 2
    centre = pool[t]
    left = pool[neighbours[t, 12]]
    right = pool[neighbours[t, 14]]
    below = pool[neighbours[t, 10]]
    above = pool[neighbours[t, 16]]
    for z in range(BZ):
        for y in range(BY):
            o = ((z + HZ) * PY + y + 1) * PX + 1
            for x in range(BX):
                block[o + x] = centre[z, y, x]
            block[o - 1] = left[z, y, BX - 1]
            block[o + BX] = right[z, y, 0]
        o = (z + HZ) * PY * PX + 1
        for x in range(BX):
            block[o + x] = below[z, BY - 1, x]
        o += (BY + 1) * PX
        for x in range(BX):
            block[o + x] = above[z, 0, x]
    if BZ > 1:
        front = pool[neighbours[t, 4]]
        back = pool[neighbours[t, 22]]
        for y in range(BY):
            o = (y + 1) * PX + 1
            for x in range(BX):
                block[o + x] = front[BZ - 1, y, x]
            o += (BZ + 1) * PY * PX
            for x in range(BX):
                block[o + x] = back[0, y, x]
