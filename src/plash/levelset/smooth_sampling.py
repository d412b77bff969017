"""A level set between the centres of cells, smooth where it is smooth and sharp where it has a kink.

Along each axis two parabolas go through three of the four samples round a point each. Their mean, by how near they are,
is the cubic through all four. A distance has a kink halfway between two surfaces, as in the middle of a thin sheet:
there the cubic rounds, and a sheet would get thicker in every step. So a parabola that bends more than a smooth
distance can within a cell counts little:

    weight = nearness / (1 + (bend / 0.4)^8) ,    bend the second difference over h .

A ball with a radius of four cells bends by 0.25, and is seen by the whole cubic; the kink of a sheet bends by one.

Reference: Liu, Osher & Chan 1994, whose weights these follow.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, neighbour_number, tile_beside
from plash.grid.tiles import Shape, dimension_of
from plash.levelset.sampling import NOWHERE, Where, cell_of, refuse_far

SCRATCH = 108  # numbers that a look writes down
_KINK = 1 / 0.4**2  # over the square of a bend that is as good as a kink


def sampled_smoothly(phi: CellField, places: NDArray[np.float64], h: float) -> NDArray[np.float64]:
    """The values of a level set at places (n, d) in cells; the background where no tile is near.

    Args:
        phi: Of cell centres, m; its slope is about one.
        places: In cells: the centre of the first cell is at 1/2.
        h: Cell size, m.

    Raises:
        DivergedError: A place is not finite, or farther away than tiles can be.
    """
    tiles = phi.tiles
    refuse_far(places, tiles)
    result = np.empty(len(places))
    where = Where(tiles.neighbours, tiles.keys)
    _sample(tiles.shape)(phi.pool.reshape(-1), where, np.ascontiguousarray(places), h, result, chunk_count())
    return result


@inlined_plainly
def _kinks(scratch, first, STEP, per_h):
    """Squares of the bends before and after the middle of a line of four samples."""
    p, q = scratch[first], scratch[first + STEP]
    r, u = scratch[first + STEP + STEP], scratch[first + STEP + STEP + STEP]
    before, after = (p - 2 * q + r) * per_h, (q - 2 * r + u) * per_h
    return before * before, after * after


@inlined_plainly
def _share_before(scratch, STEP, ONE, OTHER, s, across, per_h, SPACE):
    """How much the first parabola of each line along an axis counts, a share s of the way from the second sample on.

    It is the same for all lines: their bends are the mean of those of the lines that the place lies between.
    """
    one, other = across
    before, after = _kinks(scratch, ONE + OTHER, STEP, per_h)
    low, high = (1 - one) * before, (1 - one) * after
    before, after = _kinks(scratch, ONE + ONE + OTHER, STEP, per_h)
    low, high = low + one * before, high + one * after
    if SPACE:
        far = OTHER + OTHER
        before, after = _kinks(scratch, ONE + far, STEP, per_h)
        low, high = (1 - other) * low + other * (1 - one) * before, (1 - other) * high + other * (1 - one) * after
        before, after = _kinks(scratch, ONE + ONE + far, STEP, per_h)
        low, high = low + other * one * before, high + other * one * after
    # How little each parabola counts, and the shares of both: of one division
    doubt_before, doubt_after = 1 + ((low * _KINK) ** 2) ** 2, 1 + ((high * _KINK) ** 2) ** 2
    near_before, near_after = (2 - s) * doubt_after, (1 + s) * doubt_before
    slope_before, slope_after = (1 - s) * doubt_after, s * doubt_before
    return near_before / (near_before + near_after), slope_before / (slope_before + slope_after)


@inlined_plainly
def _weights(s, before):
    """Weights of four samples of a line at a share s of the way from the second to the third."""
    after, arch = 1 - before, s * (s - 1) / 2
    return arch * before, 1 - s + arch * (after - 2 * before), s + arch * (before - 2 * after), arch * after


@inlined_plainly
def _slopes(s, before):
    """The same of how much they change in a cell there."""
    after, tilt = 1 - before, s - 0.5
    return tilt * before, tilt * (after - 2 * before) - 1, tilt * (before - 2 * after) + 1, tilt * after


@inlined_plainly
def _gather(flat, where, home, place, scratch, BZ, BY, BX):
    """Write down the 4^d samples round a place in cells, and return how far it is beyond the second of each line.

    Lines along x lie beside one another: the first samples of all of them, then the second ones, and so on; lines that
    differ in z follow one another.
    """
    SPACE = BZ > 1
    LANES = 4 if SPACE else 1
    ROWS = 4 * LANES
    x, y = place[0] - 0.5, place[1] - 0.5
    z = place[2] - 0.5 if SPACE else 0.0
    t, _, _, _ = cell_of(where, home, place[0], place[1], place[2], BZ, BY, BX)
    if t == 0:
        # Tiles beside it may be there
        t, _, _, _ = cell_of(where, home, x, y, z, BZ, BY, BX)
    i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    x, y, z = x - i, y - j, z - k
    i -= home[0] * BX + 1
    j -= home[1] * BY + 1
    k -= home[2] * BZ + (1 if SPACE else 0)
    tiles = where.neighbours[np.uint64(t)]
    dx, x0 = tile_beside(i, BX)
    d1, x1 = tile_beside(i + 1, BX)
    d2, x2 = tile_beside(i + 2, BX)
    d3, x3 = tile_beside(i + 3, BX)
    for b in range(4):
        dy, in_y = tile_beside(j + b, BY)
        for c in range(LANES):
            dz, in_z = tile_beside(k + c, BZ)
            # A line of four runs through two tiles at most
            row = (in_z * BY + in_y) * BX
            low = np.int64(tiles[np.uint64(neighbour_number(dx, dy, dz))]) * (BZ * BY * BX) + row
            high = np.int64(tiles[np.uint64(neighbour_number(d3, dy, dz))]) * (BZ * BY * BX) + row
            m = np.uint64(b * LANES + c)
            scratch[m] = flat[np.uint64(low + x0)]
            scratch[np.uint64(ROWS) + m] = flat[np.uint64((low if d1 == dx else high) + x1)]
            scratch[np.uint64(2 * ROWS) + m] = flat[np.uint64((low if d2 == dx else high) + x2)]
            scratch[np.uint64(3 * ROWS) + m] = flat[np.uint64(high + x3)]
    return x, y, z


@inlined_plainly
def look(flat, where, home, place, h, room, SLOPES, BZ, BY, BX):
    """φ at a place in cells, and how much it changes in a cell along x, y and z, if that is wanted: four results.

    Slopes are those of the polynomials with their weights held. All of the numbers in between stand in one array, so
    that the compiler sees that they do not overlap, and makes vectors of lines that lie beside one another.
    """
    scratch, result = room
    SPACE = BZ > 1
    per_h = 1 / h
    x, y, z = _gather(flat, where, home, place, scratch, BZ, BY, BX)
    LANES = np.uint64(4 if SPACE else 1)
    ROWS = np.uint64(4) * LANES
    LINE = np.uint64(4) * ROWS
    LINE_X = LINE + ROWS
    PLANE = LINE_X + ROWS
    PLANE_X, PLANE_Y = PLANE + LANES, PLANE + LANES + LANES
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    none = np.uint64(0)
    before_x, tilt_x = _share_before(scratch, ROWS, LANES, one if SPACE else none, x, (y, z), per_h, SPACE)
    before_y, tilt_y = _share_before(scratch, LANES, ROWS, one if SPACE else none, y, (x, z), per_h, SPACE)
    xp, xq, xr, xu = _weights(x, before_x)
    yp, yq, yr, yu = _weights(y, before_y)
    sp, sq, sr, su = _slopes(x, tilt_x)
    tp, tq, tr, tu = _slopes(y, tilt_y)
    if SPACE:
        before_z, tilt_z = _share_before(scratch, one, ROWS, LANES, z, (x, y), per_h, SPACE)
    for m in range(ROWS):
        p, q, r, u = scratch[m], scratch[ROWS + m], scratch[two * ROWS + m], scratch[three * ROWS + m]
        scratch[LINE + m] = xp * p + xq * q + xr * r + xu * u
        if SLOPES:
            scratch[LINE_X + m] = sp * p + sq * q + sr * r + su * u
    for m in range(LANES):
        a, b, c, d = LINE + m, LINE + LANES + m, LINE + two * LANES + m, LINE + three * LANES + m
        p, q, r, u = scratch[a], scratch[b], scratch[c], scratch[d]
        scratch[PLANE + m] = yp * p + yq * q + yr * r + yu * u
        if SLOPES:
            scratch[PLANE_Y + m] = tp * p + tq * q + tr * r + tu * u
            a, b, c, d = a + ROWS, b + ROWS, c + ROWS, d + ROWS
            scratch[PLANE_X + m] = yp * scratch[a] + yq * scratch[b] + yr * scratch[c] + yu * scratch[d]
    if not SPACE:
        result[0], result[1], result[2], result[3] = scratch[PLANE], scratch[PLANE_X], scratch[PLANE_Y], 0.0
        return
    zp, zq, zr, zu = _weights(z, before_z)
    p, q, r, u = scratch[PLANE], scratch[PLANE + one], scratch[PLANE + two], scratch[PLANE + three]
    result[0] = zp * p + zq * q + zr * r + zu * u
    if SLOPES:
        a, b, c, d = PLANE_X, PLANE_X + one, PLANE_X + two, PLANE_X + three
        result[1] = zp * scratch[a] + zq * scratch[b] + zr * scratch[c] + zu * scratch[d]
        a, b, c, d = PLANE_Y, PLANE_Y + one, PLANE_Y + two, PLANE_Y + three
        result[2] = zp * scratch[a] + zq * scratch[b] + zr * scratch[c] + zu * scratch[d]
        vp, vq, vr, vu = _slopes(z, tilt_z)
        result[3] = vp * p + vq * q + vr * r + vu * u


@for_tile_shape
def _sample(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(flat, where, places, h, result, chunks):
        for c in prange(chunks):
            scratch, found, place = np.zeros(SCRATCH), np.zeros(4), np.zeros(3)
            room, home = (scratch, found), np.full(4, NOWHERE)
            for p in chunk_range(c, chunks, len(places)):
                for a in range(DIM):
                    place[a] = places[p, a]
                look(flat, where, home, place, h, room, False, BZ, BY, BX)
                result[p] = found[0]

    return run
