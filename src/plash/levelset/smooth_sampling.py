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

SCRATCH = (8, 4)  # numbers that a look writes down
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
def _weigh(weights, slopes, line, s, h):
    """Weights of four samples of a line, and of their slope, at a share s of the way from the second to the third."""
    bend_before = (line[0] - 2 * line[1] + line[2]) / h
    bend_after = (line[1] - 2 * line[2] + line[3]) / h
    before = (2 - s) / (1 + ((bend_before * bend_before * _KINK) ** 2) ** 2)
    after = (1 + s) / (1 + ((bend_after * bend_after * _KINK) ** 2) ** 2)
    before = before / (before + after)
    after = 1 - before
    arch = s * (s - 1) / 2
    tilt = s - 0.5
    weights[0] = arch * before
    weights[1] = 1 - s + arch * (after - 2 * before)
    weights[2] = s + arch * (before - 2 * after)
    weights[3] = arch * after
    slopes[0] = tilt * before
    slopes[1] = tilt * (after - 2 * before) - 1
    slopes[2] = tilt * (before - 2 * after) + 1
    slopes[3] = tilt * after


@inlined
def _sum(weights, line):
    return weights[0] * line[0] + weights[1] * line[1] + weights[2] * line[2] + weights[3] * line[3]


@inlined
def look(pool, where, place, h, scratch, result, BZ, BY, BX):
    """φ at a place in cells, and how much it changes in a cell along x, y and z: four results.

    Slopes are those of the polynomials with their weights held.
    """
    neighbours, keys = where
    weights, slopes, row, line = scratch[0], scratch[1], scratch[2], scratch[3]
    line_x, plane, plane_x, plane_y = scratch[4], scratch[5], scratch[6], scratch[7]
    SPACE = BZ > 1
    x, y = place[0] - 0.5, place[1] - 0.5
    z = place[2] - 0.5 if SPACE else 0.0
    i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    x, y, z = x - i, y - j, z - k
    t = find_slot(keys, pack_one(i // BX, j // BY, k // BZ))
    i = i % BX - 1
    j = j % BY - 1
    k = k % BZ - (1 if SPACE else 0)
    for c in range(4 if SPACE else 1):
        dz, in_z = tile_beside(k + c, BZ)
        for b in range(4):
            dy, in_y = tile_beside(j + b, BY)
            if i >= 0 and i + 3 < BX:
                slot = neighbours[t, neighbour_number(0, dy, dz)]
                for a in range(4):
                    row[a] = pool[slot, in_z, in_y, i + a]
            else:
                for a in range(4):
                    dx, in_x = tile_beside(i + a, BX)
                    row[a] = pool[neighbours[t, neighbour_number(dx, dy, dz)], in_z, in_y, in_x]
            _weigh(weights, slopes, row, x, h)
            line[b] = _sum(weights, row)
            line_x[b] = _sum(slopes, row)
        _weigh(weights, slopes, line, y, h)
        plane[c] = _sum(weights, line)
        plane_x[c] = _sum(weights, line_x)
        plane_y[c] = _sum(slopes, line)
    if SPACE:
        _weigh(weights, slopes, plane, z, h)
        result[0] = _sum(weights, plane)
        result[1] = _sum(weights, plane_x)
        result[2] = _sum(weights, plane_y)
        result[3] = _sum(slopes, plane)
    else:
        result[0], result[1], result[2], result[3] = plane[0], plane_x[0], plane_y[0], 0.0


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
