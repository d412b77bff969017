"""One multigrid V-cycle as preconditioner: red-black Gauss-Seidel on tiles, aggregates below.

On the cells the smoother works tile by tile. Tiles form a checkerboard of two sets; the tiles of one set share no
face, so they are smoothed in parallel, each with two red-black sweeps in a block that stays in the first-level
cache while its halo is fixed, then the other set follows with the new halos. On the way up everything happens in
reverse order, which makes the cycle symmetric, as conjugate gradients require.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_cross, copy_inside, copy_out, sum_inside
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import chunk_range, row_start
from plash.grid.tiles import Shape, dimension_of
from plash.linear.aggregates import aggregate
from plash.linear.coarse_cycle import (
    add_to_parents,
    cycle_serial,
    prolong_level,
    relax_parallel,
    residuals_parallel,
)
from plash.linear.operators import PoissonOperator, Pool, copy_weights, sum_neighbours, sum_round_tile

_SWEEPS = 2
_COARSE_SWEEPS = 5  # and two more on each coarser level, where they cost next to nothing
_LAST_SWEEPS = 8
_WORTH_THREADS = 4096  # aggregates of level 1 from which its sweeps are divided among threads


class MultigridPreconditioner:
    """A V-cycle for one operator; building it costs about a tenth of a solve."""

    longest_run = 60

    def __init__(self, operator: PoissonOperator, coarse_sweeps: int = _COARSE_SWEEPS) -> None:
        self.operator = operator
        self.coarse_sweeps = coarse_sweeps
        self.coarse = aggregate(operator)
        self.x = np.zeros(self.coarse.total + 1, np.float32)
        self.b = np.zeros(self.coarse.total + 1, np.float32)
        self.residuals = np.zeros(int(self.coarse.starts[1]), np.float32)

    def solve(self, r: Pool, z: Pool) -> float:
        """Set z to one V-cycle's approximation of A⁻¹ r and return r·z."""
        shape, chunks = self.operator.tiles.shape, chunk_count()
        red, black = self.operator.checkerboard
        stencil, smooth = self.operator.stencil, _smooth(shape)
        index, active = self.coarse.of_blocks, self.operator.active
        partial = np.zeros(len(active))

        _clear(z, active, chunks)
        smooth(z, r, stencil, red, _SWEEPS, True, partial, chunks)
        smooth(z, r, stencil, black, _SWEEPS, True, partial, chunks)
        _restrict(shape)(z, r, stencil, active, index, self.b, chunks)
        self._cycle_coarse()
        _prolong(shape)(z, stencil.inverse, active, index, self.x, chunks)
        smooth(z, r, stencil, black, _SWEEPS, False, partial, chunks)
        dot = float(partial[: len(black)].sum())
        smooth(z, r, stencil, red, _SWEEPS, False, partial, chunks)
        return dot + float(partial[: len(red)].sum())

    def _cycle_coarse(self) -> None:
        a, x, b, sweeps = self.coarse, self.x, self.b, self.coarse_sweeps
        first, middle, last = 0, int(a.reds[0]), int(a.starts[1])
        if last < _WORTH_THREADS or len(a.starts) < 3:
            cycle_serial(0, a, x, b, sweeps, _LAST_SWEEPS)
            return
        chunks = chunk_count()
        x[first:last] = 0
        for _ in range(sweeps):
            relax_parallel(x, b, a.inverse, a.neighbours, a.weights, first, middle, chunks)
            relax_parallel(x, b, a.inverse, a.neighbours, a.weights, middle, last, chunks)
        residuals_parallel(x, b, a.diagonal, a.neighbours, a.weights, self.residuals, chunks)
        add_to_parents(self.residuals, b, a.inverse, a.parent, last, int(a.starts[2]))
        cycle_serial(1, a, x, b, sweeps, _LAST_SWEEPS)
        prolong_level(x, a.inverse, a.parent, first, last)
        for _ in range(sweeps):
            relax_parallel(x, b, a.inverse, a.neighbours, a.weights, middle, last, chunks)
            relax_parallel(x, b, a.inverse, a.neighbours, a.weights, first, middle, chunks)


@kernel
def _clear(x, tiles, chunks):
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            x[tiles[i]] = np.float32(0)


@inlined_plainly
def _sweep_colour(block, sums, b, keep, inverse, weights, is_uniform, BZ, BY, BX):
    """Relax the cells of one colour in a block: keep is 0 and inverse 1/d on them, 1 and 0 elsewhere."""
    sum_neighbours(sums, block, weights, is_uniform, BZ, BY, BX)
    for m in range(len(block)):
        block[m] = keep[m] * block[m] + inverse[m] * (b[m] + sums[m])


@for_tile_shape
def _smooth(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(x, b, stencil, tiles, sweeps, forward, partial, chunks):
        n = len(tiles)
        inverse, uniform = stencil.inverse, stencil.uniform
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            sums = np.zeros(SIZE, np.float32)
            b_block = np.zeros(SIZE, np.float32)
            inverse_block = np.zeros(SIZE, np.float32)
            red = np.zeros(SIZE, np.float32)
            black = np.zeros(SIZE, np.float32)
            keep_red = np.ones(SIZE, np.float32)
            keep_black = np.ones(SIZE, np.float32)
            weight_blocks = np.zeros((DIM, SIZE), np.float32)
            for z in range(BZ):
                for y in range(BY):
                    for k in range(BX):
                        o = row_start(z, y, HZ, PY, PX) + k
                        if (z + y + k) & 1:
                            keep_black[o] = np.float32(0)
                        else:
                            keep_red[o] = np.float32(0)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                is_uniform = uniform[t]
                copy_cross(block, x, stencil.neighbours, t, BZ, BY, BX)
                copy_weights(weight_blocks, stencil, t, BZ, BY, BX)
                copy_inside(b_block, b[t], BZ, BY, BX)
                copy_inside(inverse_block, inverse[t], BZ, BY, BX)
                for m in range(np.uint64(SIZE)):
                    red[m] = inverse_block[m] * keep_black[m]
                    black[m] = inverse_block[m] * keep_red[m]
                for _ in range(sweeps):
                    if forward:
                        _sweep_colour(block, sums, b_block, keep_red, red, weight_blocks, is_uniform, BZ, BY, BX)
                        _sweep_colour(block, sums, b_block, keep_black, black, weight_blocks, is_uniform, BZ, BY, BX)
                    else:
                        _sweep_colour(block, sums, b_block, keep_black, black, weight_blocks, is_uniform, BZ, BY, BX)
                        _sweep_colour(block, sums, b_block, keep_red, red, weight_blocks, is_uniform, BZ, BY, BX)
                copy_out(x[t], block, BZ, BY, BX)
                if not forward:
                    for m in range(np.uint64(SIZE)):
                        sums[m] = block[m] * b_block[m]
                    partial[i] = sum_inside(sums, BZ, BY, BX)

    return run


@for_tile_shape
def _restrict(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    NY, NX = BY // 2, BX // 2
    SIZE = PZ * PY * PX

    @kernel
    def run(x, b, stencil, tiles, index, coarse_b, chunks):
        n = len(tiles)
        nobody = len(coarse_b) - 1
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            sums = np.zeros(SIZE, np.float32)
            diagonal = np.zeros(SIZE, np.float32)
            b_block = np.zeros(SIZE, np.float32)
            weight_blocks = np.zeros((DIM, SIZE), np.float32)
            coarse = np.zeros(index.shape[1], np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                sum_round_tile(sums, block, weight_blocks, x, stencil, t, BZ, BY, BX)
                copy_inside(diagonal, stencil.diagonal[t], BZ, BY, BX)
                copy_inside(b_block, b[t], BZ, BY, BX)
                for m in range(np.uint64(SIZE)):
                    r = b_block[m] - diagonal[m] * block[m] + sums[m]
                    sums[m] = r if diagonal[m] > 0 else np.float32(0)
                coarse[:] = np.float32(0)
                for z in range(BZ):
                    for y in range(BY):
                        o = np.uint64(row_start(z, y, HZ, PY, PX))
                        first = np.uint64(((z >> 1) * NY + (y >> 1)) * NX)
                        for k in range(np.uint64(NX)):
                            pair = o + np.uint64(2) * k
                            coarse[first + k] += sums[pair] + sums[pair + np.uint64(1)]
                for m in range(index.shape[1]):
                    if index[i + 1, m] != nobody:
                        coarse_b[index[i + 1, m]] = coarse[m]

    return run


@for_tile_shape
def _prolong(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    NY, NX = BY // 2, BX // 2

    @kernel
    def run(x, inverse, tiles, index, coarse_x, chunks):
        n = len(tiles)
        for c in prange(chunks):
            correction = np.zeros(index.shape[1], np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for m in range(index.shape[1]):
                    correction[m] = coarse_x[index[i + 1, m]]
                for z in range(BZ):
                    for y in range(BY):
                        m = ((z >> 1) * NY + (y >> 1)) * NX
                        for k in range(BX):
                            if inverse[t, z, y, k] > 0:
                                x[t, z, y, k] += correction[m + (k >> 1)]

    return run
