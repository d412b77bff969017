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

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, neighbour_number, tile_beside
from plash.grid.tiles import Shape, dimension_of, find_slot, pack_one
from plash.levelset.sampling import Where, refuse_far

SCRATCH = (5, 4)  # numbers that a look writes down
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
    _sample(tiles.shape)(phi.pool, where, np.ascontiguousarray(places), h, result, chunk_count())
    return result


@inlined
def _weights(a, b, c, d, s, per_h):
    """Weights of four samples of a line at a share s of the way from the second to the third."""
    bend_before = (a - 2 * b + c) * per_h
    bend_after = (b - 2 * c + d) * per_h
    # How little each parabola counts, and the shares of both: of one division
    doubt_before = 1 + ((bend_before * bend_before * _KINK) ** 2) ** 2
    doubt_after = 1 + ((bend_after * bend_after * _KINK) ** 2) ** 2
    near_before, near_after = (2 - s) * doubt_after, (1 + s) * doubt_before
    before = near_before / (near_before + near_after)
    after = 1 - before
    arch = s * (s - 1) / 2
    return arch * before, 1 - s + arch * (after - 2 * before), s + arch * (before - 2 * after), arch * after, before


@inlined
def _slope(a, b, c, d, s, before):
    """How much four samples change in a cell there, with the share of the first parabola."""
    tilt = s - 0.5
    after = 1 - before
    return tilt * (before * (a - 2 * b + c) + after * (b - 2 * c + d)) + c - b


@inlined
def look(pool, where, place, h, scratch, result, BZ, BY, BX):
    """φ at a place in cells, and how much it changes in a cell along x, y and z: four results.

    Slopes are those of the polynomials with their weights held.
    """
    neighbours, keys = where
    line, line_x, plane, plane_x, plane_y = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    SPACE = BZ > 1
    per_h = 1 / h
    x, y = place[0] - 0.5, place[1] - 0.5
    z = place[2] - 0.5 if SPACE else 0.0
    i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    x, y, z = x - i, y - j, z - k
    t = find_slot(keys, pack_one(i // BX, j // BY, k // BZ))
    i = i % BX - 1
    j = j % BY - 1
    k = k % BZ - (1 if SPACE else 0)
    in_one_tile = i >= 0 and i + 3 < BX
    for c in range(4 if SPACE else 1):
        dz, in_z = tile_beside(k + c, BZ)
        for b in range(4):
            dy, in_y = tile_beside(j + b, BY)
            if in_one_tile:
                row = pool[neighbours[t, neighbour_number(0, dy, dz)], in_z, in_y]
                p, q, r, u = row[i], row[i + 1], row[i + 2], row[i + 3]
            else:
                p = _sample_beside(pool, neighbours, t, i, dy, dz, in_z, in_y, BX)
                q = _sample_beside(pool, neighbours, t, i + 1, dy, dz, in_z, in_y, BX)
                r = _sample_beside(pool, neighbours, t, i + 2, dy, dz, in_z, in_y, BX)
                u = _sample_beside(pool, neighbours, t, i + 3, dy, dz, in_z, in_y, BX)
            p, q, r, u = np.float64(p), np.float64(q), np.float64(r), np.float64(u)
            wp, wq, wr, wu, before = _weights(p, q, r, u, x, per_h)
            line[b] = wp * p + wq * q + wr * r + wu * u
            line_x[b] = _slope(p, q, r, u, x, before)
        p, q, r, u = line[0], line[1], line[2], line[3]
        wp, wq, wr, wu, before = _weights(p, q, r, u, y, per_h)
        plane[c] = wp * p + wq * q + wr * r + wu * u
        plane_x[c] = wp * line_x[0] + wq * line_x[1] + wr * line_x[2] + wu * line_x[3]
        plane_y[c] = _slope(p, q, r, u, y, before)
    if SPACE:
        p, q, r, u = plane[0], plane[1], plane[2], plane[3]
        wp, wq, wr, wu, before = _weights(p, q, r, u, z, per_h)
        result[0] = wp * p + wq * q + wr * r + wu * u
        result[1] = wp * plane_x[0] + wq * plane_x[1] + wr * plane_x[2] + wu * plane_x[3]
        result[2] = wp * plane_y[0] + wq * plane_y[1] + wr * plane_y[2] + wu * plane_y[3]
        result[3] = _slope(p, q, r, u, z, before)
    else:
        result[0], result[1], result[2], result[3] = plane[0], plane_x[0], plane_y[0], 0.0


@inlined
def _sample_beside(pool, neighbours, t, i, dy, dz, in_z, in_y, BX):
    """The sample at a place along x, counted from a tile, in a row of it or of a tile beside it."""
    dx, in_x = tile_beside(i, BX)
    return pool[neighbours[t, neighbour_number(dx, dy, dz)], in_z, in_y, in_x]


@for_tile_shape
def _sample(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(pool, where, places, h, result, chunks):
        for c in prange(chunks):
            scratch, found, place = np.zeros(SCRATCH), np.zeros(4), np.zeros(3)
            for p in chunk_range(c, chunks, len(places)):
                for a in range(DIM):
                    place[a] = places[p, a]
                look(pool, where, place, h, scratch, found, BZ, BY, BX)
                result[p] = found[0]

    return run
