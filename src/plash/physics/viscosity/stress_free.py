"""The velocity right outside a viscous liquid: continued so that the surface has no stress.

    u_a[m] = u_a[m ± e_b] ∓ (u_b - u_b)        ∂u_a/∂x_b + ∂u_b/∂x_a = 0 on the edge between both, b ≠ a
    u_a[m] = u_a[m ± e_a]                      ∂u_a/∂x_a = 0

the mean of all that are known, in the open faces beside those of the liquid. Liquid that turns as a rigid body is
continued exactly: particles at its surface read these faces, and would lose angular momentum in every step. Of the
change of u_a towards the surface no more is taken than it has one cell deeper as well: in waves of a few cells the two
have opposite signs, and the whole change would carry away sideways what lifts the crest. In elastic liquid, whose
stress turns such waves back, the whole change is taken.

Reference: Batty & Bridson 2008, section 3.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import WALL, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import UNKNOWN, FaceField
from plash.grid.loops import chunk_range, stride
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage

_LAYERS = 2  # those that particles inside the surface can read
_HALO = 2


@stage
def continue_stress_free(velocity: FaceField, cells: Cells, is_elastic: bool = False) -> None:
    """Set the velocity on open faces next to the liquid, in two layers, from that of open faces of the liquid."""
    tiles = velocity.tiles
    known = np.where((cells.faces & (WET | WALL)) == WET, velocity.pool, UNKNOWN)
    run = _continue(tiles.shape, is_elastic)
    for _ in range(_LAYERS):
        continued = known.copy()
        run(known, cells.faces, tiles.neighbours, tiles.slots, continued, chunk_count())
        known = continued
    np.copyto(velocity.pool, known, where=~np.isnan(known))


@inlined_plainly
def _candidate(blocks, bits, a, b, m, up, WHOLE, PY, PX):
    """What the face m across axis a would have if the surface towards one neighbour along axis b had no stress."""
    along, across = stride(b, PY, PX), stride(a, PY, PX)
    value = blocks[a, m + along] if up else blocks[a, m - along]
    if a == b or value != value:
        return value
    slope = _smooth_slope(blocks[b], bits[b], m + along if up else m, across)
    change = slope if up else -slope
    deeper = value - (blocks[a, m + 2 * along] if up else blocks[a, m - 2 * along])
    return value + (change if WHOLE or deeper != deeper else _agreed(change, deeper))


@inlined_plainly
def _agreed(one, other):
    """The smaller of two changes, or none if they have not the same sign."""
    if one * other <= 0:
        return np.float32(0)
    return one if abs(one) < abs(other) else other


@inlined_plainly
def _smooth_slope(values, bits, m, step):
    """Difference from the value before, in the mean with those on either side: none for values that alternate.

    Where a side is not known the slope goes on as it is; at a wall it turns round, as nothing goes on behind.
    """
    slope = values[m] - values[m - step]
    ahead, behind = values[m + step] - values[m], values[m - step] - values[m - 2 * step]
    if ahead != ahead:
        ahead = -slope if bits[m + step] & WALL > 0 else slope
    if behind != behind:
        behind = -slope if bits[m - 2 * step] & WALL > 0 else slope
    return np.float32(0.25) * (ahead + slope + slope + behind)


@inlined_plainly
def _is_open(velocity, faces, t, BZ, BY, BX):
    """Whether a tile has a face that is not known and not closed."""
    for a in range(len(velocity)):
        for z in range(BZ):
            for y in range(BY):
                values, bits = velocity[a, t, z, y], faces[a, t, z, y]
                for x in range(BX):
                    if values[x] != values[x] and bits[x] & WALL == 0:
                        return True
    return False


@inlined_plainly
def _find_reached(reached, known, values, PY, PX, DIM):
    """Tell of which places in a block a neighbour along some axis is known; says whether there is any."""
    size = np.uint64(len(values))
    for m in range(size):
        known[m] = values[m] == values[m]
    SY, SZ = np.uint64(PX), np.uint64(PY * PX)
    first = SZ if DIM == 3 else SY
    count = 0
    for m in range(first, size - first):
        near = known[m - np.uint64(1)] | known[m + np.uint64(1)] | known[m - SY] | known[m + SY]
        if DIM == 3:
            near |= known[m - SZ] | known[m + SZ]
        reached[m] = near
        count += near
    return count > 0


@for_tile_shape
def _continue(shape: Shape, is_elastic: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, _HALO)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    WHOLE = is_elastic

    @kernel
    def run(velocity, faces, neighbours, tiles, continued, chunks):
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.full((DIM, SIZE), np.float32(np.nan))
            bits = np.zeros((DIM, SIZE), np.uint8)
            known = np.zeros(SIZE, np.uint8)
            reached = np.zeros((DIM, SIZE), np.uint8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                if not _is_open(velocity, faces, t, BZ, BY, BX):
                    continue
                for a in range(DIM):
                    copy_block(blocks[a], velocity[a], neighbours, t, _HALO, BZ, BY, BX)
                is_any = False
                for a in range(DIM):
                    is_any |= _find_reached(reached[a], known, blocks[a], PY, PX, DIM)
                if not is_any:
                    continue
                for a in range(DIM):
                    copy_block(bits[a], faces[a], neighbours, t, _HALO, BZ, BY, BX)
                for a in range(DIM):
                    for z in range(BZ):
                        for y in range(BY):
                            o = ((z + HZ) * PY + y + _HALO) * PX + _HALO
                            for x in range(BX):
                                u = blocks[a, o + x]
                                if u == u or reached[a, o + x] == 0 or bits[a, o + x] & WALL > 0:
                                    continue
                                total, count = np.float32(0), np.float32(0)
                                for b in range(DIM):
                                    for up in range(2):
                                        value = _candidate(blocks, bits, a, b, o + x, up, WHOLE, PY, PX)
                                        if value == value:
                                            total += value
                                            count += np.float32(1)
                                if count > 0:
                                    continued[a, t, z, y, x] = total / count

    return run
