"""The coarse levels of the multigrid: lists of aggregates, each with its few neighbours.

Level 1 joins 2×2×2 cells on even global coordinates, level 2 joins 2×2×2 of those, and so on until a handful is left.
Prolongation P is constant injection, restriction its transpose, and the coarse operator

    A_c = 1/2 Pᵀ A P

is again a diagonal with face weights. An aggregate's diagonal is the sum of its weights and of its children's contact
with given values (their row sums): in a closed component it must not differ from the weights by round-off. The half
makes up for injection being only a first-order interpolation. Air, solids and cut faces need no rule of their own on
any level. A mass, as of m + K, is summed as it is: it belongs to volumes, and nothing of it is interpolated.

All levels stand in one set of arrays, finest first; in each, aggregates of even parity come before odd ones, so
that a red-black sweep is two contiguous loops. The last entry of every array is nobody: value zero, weight zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel, serial_kernel
from plash.grid.loops import CENTRE, chunk_range, corner_step, row_start, stride
from plash.grid.tiles import Shape, dimension_of, pack, unpack
from plash.linear.operators import PoissonOperator, copy_all_weights

_ROUND_OFF = 1e-5  # of a diagonal: a smaller row sum is none
_FEW = 12  # aggregates that are no longer worth joining


class Aggregates(NamedTuple):
    """Every coarse level, as kernels take it.

    Attributes:
        starts: First aggregate of each level, and one past the last.
        reds: By level, how many aggregates have even parity.
        of_blocks: For each active tile and 2×2×2 block of its cells, the level-1 aggregate (or nobody).
        neighbours: Neighbouring aggregates along -x, +x, -y, +y[, -z, +z].
        weights: Their weights.
        diagonal: Diagonal of A_c.
        inverse: Its inverse.
        parent: The aggregate of the next level that this one is part of.
    """

    starts: NDArray[np.int64]
    reds: NDArray[np.int64]
    of_blocks: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    weights: NDArray[np.float32]
    diagonal: NDArray[np.float32]
    inverse: NDArray[np.float32]
    parent: NDArray[np.int32]

    @property
    def total(self) -> int:
        """Aggregates of all levels."""
        return int(self.starts[-1])


def aggregate(operator: PoissonOperator) -> Aggregates:
    """Build every coarse level of an operator."""
    tiles, active = operator.tiles, operator.active
    shape, dimension = tiles.shape, tiles.dimension
    rank = np.zeros(tiles.count + 1, np.int32)  # 1, 2, ... for active tiles, 0 for the others
    rank[active] = np.arange(1, len(active) + 1, dtype=np.int32)

    # Number the aggregates inside tiles, then join tiles
    levels_in_tile = int(np.log2(shape[2]))
    counts = np.zeros((len(active), levels_in_tile, 2), np.int32)
    origins = tiles.coordinates[active]
    _count_in_tiles(shape)(operator.diagonal, origins, active, counts, chunk_count())
    starts, reds, firsts = _number(counts)
    parents_of_tiles, starts, reds = _join_tiles(origins, counts[:, -1], firsts[:, -1], starts, reds)
    total = starts[-1]

    size = shape[0] * shape[1] * shape[2]
    index = np.full((len(active) + 1, size // 2**dimension), total, np.int32)
    parent = np.full(total + 1, total, np.int32)
    _assign_in_tiles(shape)(operator.diagonal, origins, active, firsts, index, parent, total, chunk_count())
    parent[parents_of_tiles[0]] = parents_of_tiles[1]

    # The operator of level 1 from the cells, of each further level from the one before
    neighbours = np.full((total + 1, 2 * dimension), total, np.int32)
    weights = np.zeros((total + 1, 2 * dimension), np.float32)
    diagonal, mass = np.zeros(total + 1, np.float32), np.zeros(total + 1, np.float32)
    rows = _Rows(neighbours, weights, diagonal, mass)
    of_cells = np.zeros((0, *shape), np.float32) if operator.mass is None else operator.mass
    _level_1_operator(shape)(operator.stencil, of_cells, active, rank, index, rows, chunk_count())
    _coarser_operators(starts, parent, rows)

    # An aggregate that lost its diagonal to rounding has only closed faces: it is left out
    inverse = np.zeros_like(diagonal)
    np.divide(np.float32(1), diagonal, out=inverse, where=diagonal > 0)
    return Aggregates(starts, reds, index, neighbours, weights, diagonal, inverse, parent)


def _number(counts: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Starts and red counts of the levels inside tiles, and each tile's first number by level and parity."""
    levels = counts.shape[1]
    of_level = counts.sum(axis=0, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(of_level.sum(axis=1))])
    before = np.cumsum(counts, axis=0, dtype=np.int64) - counts
    firsts = before + starts[:levels, None]
    firsts[:, :, 1] += of_level[:, 0]
    return starts, of_level[:, 0], firsts


def _join_tiles(
    coordinates: NDArray[np.int32],
    counts: NDArray[np.int32],
    firsts: NDArray[np.int64],
    starts: NDArray[np.int64],
    reds: NDArray[np.int64],
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64], NDArray[np.int64]]:
    """Levels that join whole tiles, by their coordinates; gives (children, parents), starts and reds."""
    numbers = np.where(counts[:, 0] > 0, firsts[:, 0], firsts[:, 1])
    joined = coordinates.astype(np.int64)
    children, parents = [], []
    all_starts, all_reds = list(starts), list(reds)
    while len(numbers) > _FEW:
        keys, which = np.unique(pack(joined >> 1), return_inverse=True)
        if len(keys) == len(numbers):
            break
        joined = unpack(keys)
        is_black = joined.sum(axis=1) & 1
        red_count = len(keys) - int(is_black.sum())
        place = np.where(is_black, red_count + np.cumsum(is_black) - 1, np.cumsum(1 - is_black) - 1)
        new_numbers = place + all_starts[-1]
        children.append(numbers)
        parents.append(new_numbers[which])
        all_starts.append(all_starts[-1] + len(keys))
        all_reds.append(red_count)
        numbers = new_numbers
    none = np.zeros(0, np.int64)
    joins = (np.concatenate([none, *children]), np.concatenate([none, *parents]))
    return joins, np.array(all_starts, np.int64), np.array(all_reds, np.int64)


@inlined_plainly
def _mark_occupied(marks, diagonal_tile, BZ, BY, BX):
    """Mark the aggregates of every level inside a tile that hold an unknown; levels stand one after the other."""
    size = 1
    while size < BX:
        size *= 2
    for m in range(len(marks)):
        marks[m] = False
    ny = BY // 2
    nx = BX // 2
    for z in range(BZ):
        for y in range(BY):
            for x in range(BX):
                if diagonal_tile[z, y, x] > 0:
                    marks[((z >> 1) * ny + (y >> 1)) * nx + (x >> 1)] = True
    start = 0
    nz = max(BZ // 2, 1)
    while nx > 1:
        above = start + nz * ny * nx
        for z in range(nz):
            for y in range(ny):
                for x in range(nx):
                    if marks[start + (z * ny + y) * nx + x]:
                        marks[above + ((z >> 1) * (ny // 2) + (y >> 1)) * (nx // 2) + (x >> 1)] = True
        start = above
        nz = max(nz // 2, 1)
        ny //= 2
        nx //= 2


@inlined_plainly
def _counts_of_level(level, BZ, BY, BX):
    """How many aggregates of a level a tile has along each axis."""
    return max(BZ >> (level + 1), 1), BY >> (level + 1), BX >> (level + 1)


@inlined_plainly
def _is_odd(coordinates):
    """Parity of a tile, which is that of the one aggregate of its last level."""
    return (coordinates[0] + coordinates[1] + coordinates[2]) & 1


def _sizes_in_tile(shape: Shape) -> tuple[int, int]:
    """Levels inside a tile, and aggregates of all of them together."""
    levels = int(np.log2(shape[2]))
    total = sum(max(shape[0] >> k, 1) * (shape[1] >> k) * (shape[2] >> k) for k in range(1, levels + 1))
    return levels, total


@for_tile_shape
def _count_in_tiles(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    LEVELS, MARKS = _sizes_in_tile(shape)

    @kernel
    def run(diagonal, coordinates, tiles, counts, chunks):
        n = len(tiles)
        for c in prange(chunks):
            marks = np.zeros(MARKS, np.bool_)
            for i in chunk_range(c, chunks, n):
                _mark_occupied(marks, diagonal[tiles[i]], BZ, BY, BX)
                start = 0
                for level in range(LEVELS):
                    nz, ny, nx = _counts_of_level(level, BZ, BY, BX)
                    odd = _is_odd(coordinates[i]) if nx == 1 else 0
                    for z in range(nz):
                        for y in range(ny):
                            for x in range(nx):
                                if marks[start + (z * ny + y) * nx + x]:
                                    counts[i, level, (x + y + z + odd) & 1] += 1
                    start += nz * ny * nx

    return run


@for_tile_shape
def _assign_in_tiles(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    LEVELS, MARKS = _sizes_in_tile(shape)

    @kernel
    def run(diagonal, coordinates, tiles, firsts, index, parent, nobody, chunks):
        n = len(tiles)
        for c in prange(chunks):
            marks = np.zeros(MARKS, np.bool_)
            numbers = np.zeros(MARKS, np.int32)
            for i in chunk_range(c, chunks, n):
                _mark_occupied(marks, diagonal[tiles[i]], BZ, BY, BX)
                start = 0
                for level in range(LEVELS):
                    nz, ny, nx = _counts_of_level(level, BZ, BY, BX)
                    odd = _is_odd(coordinates[i]) if nx == 1 else 0
                    red = firsts[i, level, 0]
                    black = firsts[i, level, 1]
                    for z in range(nz):
                        for y in range(ny):
                            for x in range(nx):
                                m = start + (z * ny + y) * nx + x
                                number = nobody
                                if marks[m]:
                                    if (x + y + z + odd) & 1:
                                        number = black
                                        black += 1
                                    else:
                                        number = red
                                        red += 1
                                numbers[m] = number
                                if level == 0:
                                    index[i + 1, m] = number
                    start += nz * ny * nx
                # Parents, now that every level has its numbers
                start = 0
                for level in range(LEVELS - 1):
                    nz, ny, nx = _counts_of_level(level, BZ, BY, BX)
                    above = start + nz * ny * nx
                    for z in range(nz):
                        for y in range(ny):
                            for x in range(nx):
                                number = numbers[start + (z * ny + y) * nx + x]
                                if number != nobody:
                                    up = ((z >> 1) * (ny // 2) + (y >> 1)) * (nx // 2) + (x >> 1)
                                    parent[number] = numbers[above + up]
                    start = above

    return run


class _Rows(NamedTuple):
    """The rows of coarse operators: neighbouring aggregates, their weights, the diagonal, and what of it is mass."""

    neighbours: NDArray[np.int32]
    weights: NDArray[np.float32]
    diagonal: NDArray[np.float32]
    mass: NDArray[np.float32]


@for_tile_shape
def _level_1_operator(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    NZ, NY, NX = max(BZ // 2, 1), BY // 2, BX // 2
    DEPTH = min(BZ, 2)

    @kernel
    def run(stencil, mass, tiles, rank, index, rows, chunks):
        neighbours, coarse_weights, coarse_diagonal, coarse_mass = rows
        adjacent = stencil.neighbours
        n = len(tiles)
        nobody = len(coarse_diagonal) - 1
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float32)
            weight_blocks = np.ones((DIM, PZ * PY * PX), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, stencil.diagonal, adjacent, t, BZ, BY, BX)
                copy_all_weights(weight_blocks, stencil, t, BZ, BY, BX)
                for z in range(NZ):
                    for y in range(NY):
                        for x in range(NX):
                            m = (z * NY + y) * NX + x
                            me = index[i + 1, m]
                            if me == nobody:
                                continue
                            contact = np.float32(0)
                            for child in range(4 * DEPTH):
                                lx, ly, lz = corner_step(child)
                                o = row_start(2 * z + lz, 2 * y + ly, HZ, PY, PX) + 2 * x + lx
                                if block[o] <= 0:
                                    continue
                                row = block[o]
                                if len(mass) > 0:
                                    own = mass[t, 2 * z + lz, 2 * y + ly, 2 * x + lx]
                                    row -= own
                                    coarse_mass[me] += own
                                for axis in range(DIM):
                                    step = stride(axis, PY, PX)
                                    side = lx if axis == 0 else (ly if axis == 1 else lz)
                                    for up in range(2):
                                        if block[o + (2 * up - 1) * step] > 0:
                                            w = weight_blocks[axis, o + up * step]
                                            row -= w
                                            if side == up:
                                                coarse_weights[me, 2 * axis + up] += np.float32(0.5) * w
                                if row > np.float32(_ROUND_OFF) * block[o]:
                                    contact += row
                            coarse_diagonal[me] = np.float32(0.5) * contact
                            # Neighbours: in this tile, or in the next one
                            for axis in range(DIM):
                                length = NX if axis == 0 else (NY if axis == 1 else NZ)
                                step = stride(axis, NY, NX)
                                place = x if axis == 0 else (y if axis == 1 else z)
                                for up in range(2):
                                    if coarse_weights[me, 2 * axis + up] > 0:
                                        to = place + 2 * up - 1
                                        if 0 <= to < length:
                                            other = index[i + 1, m + (2 * up - 1) * step]
                                        else:
                                            next_tile = rank[adjacent[t, CENTRE + (2 * up - 1) * stride(axis, 3, 3)]]
                                            other = index[next_tile, m - (2 * up - 1) * (length - 1) * step]
                                        neighbours[me, 2 * axis + up] = other

    return run


@serial_kernel
def _coarser_operators(starts, parent, rows):
    """Sum all up the levels; then the diagonal, contact plus weights plus mass, without any cancellation."""
    neighbours, weights, diagonal, mass = rows
    for level in range(len(starts) - 2):
        for i in range(starts[level], starts[level + 1]):
            me = parent[i]
            for k in range(weights.shape[1]):
                w = weights[i, k]
                if w > 0:
                    other = parent[neighbours[i, k]]
                    if other != me:
                        weights[me, k] += np.float32(0.5) * w
                        neighbours[me, k] = other
            diagonal[me] += np.float32(0.5) * diagonal[i]
            mass[me] += mass[i]
    for i in range(len(diagonal)):
        for k in range(weights.shape[1]):
            diagonal[i] += weights[i, k]
        diagonal[i] += mass[i]
