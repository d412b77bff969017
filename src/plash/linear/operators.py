"""Operators A of equations A x = b, and that of a Poisson problem on tiles, applied without a matrix.

    (A x)_i = d_i x_i - sum over neighbours j of w_ij x_j        where the unknowns are the cells with d_i > 0

x is kept zero in every other cell, so a sweep has no branch: what lies outside contributes nothing. Air, solids, cut
faces and ghost-fluid distances are all in the diagonal d and the face weights w.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross, copy_inside, copy_out, sum_inside
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, Tiles, dimension_of

Pool = NDArray[np.float32]
Pool64 = NDArray[np.float64]


class Stencil(NamedTuple):
    """The rows of A, as kernels take them.

    Attributes:
        diagonal: d by cell, zero where there is no unknown.
        inverse: 1/d where there is an unknown, else zero.
        weights: w on the minimal faces [axis, slot, z, y, x]; not read in uniform tiles.
        uniform: By slot, whether every weight that counts is one.
        neighbours: Slots of the neighbours of each tile.
    """

    diagonal: Pool
    inverse: Pool
    weights: Pool
    uniform: NDArray[np.bool_]
    neighbours: NDArray[np.int32]


class Operator(Protocol):
    """A of A x = b, symmetric and positive (semi-)definite: all that conjugate gradients ask of an equation.

    x and b are pools: arrays whose first axis counts rows of values, such as tiles, or the tiles of each component.
    """

    @property
    def diagonal(self) -> Pool:
        """Diagonal of A, positive where there is an unknown and zero elsewhere."""

    @property
    def active(self) -> NDArray[np.int32]:
        """The rows of a pool that hold an unknown; no other row is read or written."""

    @property
    def inverse(self) -> Pool:
        """1 over the diagonal where there is an unknown, else zero."""

    def zeros(self, dtype: type = np.float32) -> NDArray[Any]:
        """A new pool of zeros."""

    def apply(self, x: Pool, result: Pool) -> float:
        """Set result = A x and return x·A x."""

    def residual(self, x: Pool64, b: Pool64, result: Pool64) -> float:
        """Set result = b - A x in double precision and return its 2-norm."""


@dataclass(frozen=True, eq=False)
class PoissonOperator:
    """Diagonal and face weights of A.

    Attributes:
        tiles: Where the cells are.
        diagonal: d by cell, zero where there is no unknown.
        weights: w on the minimal faces, one pool per axis (x, y[, z]); None when every face between two unknowns has
            weight one. Weights of other faces do not matter.
        mass: What of the diagonal belongs to the volume of a cell and not to its faces, by cell; None if nothing does.
            Only the preconditioner reads it.
    """

    tiles: Tiles
    diagonal: Pool
    weights: Pool | None = None
    mass: Pool | None = None

    @cached_property
    def active(self) -> NDArray[np.int32]:
        """Slots of the tiles that hold an unknown."""
        return (np.flatnonzero(self.diagonal[1:].any(axis=(1, 2, 3))) + 1).astype(np.int32)

    @cached_property
    def checkerboard(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Active slots in two sets: no tile shares a face with one of its own set."""
        parity = self.tiles.coordinates[self.active].sum(axis=1) & 1
        return self.active[parity == 0], self.active[parity == 1]

    @cached_property
    def inverse(self) -> Pool:
        """1/d where there is an unknown, else zero."""
        inverse = np.zeros_like(self.diagonal)
        np.divide(np.float32(1), self.diagonal, out=inverse, where=self.diagonal > 0)
        return inverse

    @cached_property
    def face_weights(self) -> Pool:
        """The weights, or a stand-in that no kernel reads where every weight is one."""
        if self.weights is None:
            return np.ones((self.tiles.dimension, 1, *self.tiles.shape), np.float32)
        return self.weights

    @cached_property
    def uniform(self) -> NDArray[np.bool_]:
        """By slot: every face of the tile that lies between two unknowns has weight one."""
        if self.weights is None:
            return np.ones(self.tiles.count + 1, np.bool_)
        uniform = np.zeros(self.tiles.count + 1, np.bool_)
        run = _find_uniform(self.tiles.shape)
        run(self.diagonal, self.weights, self.tiles.neighbours, self.active, uniform, chunk_count())
        return uniform

    @cached_property
    def stencil(self) -> Stencil:
        """What kernels need of A."""
        return Stencil(self.diagonal, self.inverse, self.face_weights, self.uniform, self.tiles.neighbours)

    def zeros(self, dtype: type = np.float32) -> NDArray[Any]:
        """A new pool of zeros."""
        return np.zeros(self.diagonal.shape, dtype)

    def apply(self, x: Pool, result: Pool) -> float:
        """Set result = A x and return x·A x."""
        partial = np.zeros(len(self.active))
        _multiply(self.tiles.shape, False)(x, x, self.stencil, result, partial, self.active, chunk_count())
        return float(partial.sum())

    def residual(self, x: Pool64, b: Pool64, result: Pool64) -> float:
        """Set result = b - A x in double precision and return its 2-norm."""
        partial = np.zeros(len(self.active))
        _multiply(self.tiles.shape, True)(x, b, self.stencil, result, partial, self.active, chunk_count())
        return float(np.sqrt(partial.sum()))


@inlined_plainly
def sum_neighbours(sums, block, weights, is_uniform, BZ, BY, BX):
    """Weighted sum over the face neighbours, for every cell of a block of halo 1; the halo's own sums mean nothing."""
    SY = BX + 2
    SZ = (BY + 2) * SY
    if BZ > 1:
        first = SZ + SY + 1
        last = (BZ + 2) * SZ - first
        if is_uniform:
            for m in range(first, last):
                sums[m] = block[m - SZ] + block[m + SZ] + block[m - SY] + block[m + SY] + block[m - 1] + block[m + 1]
        else:
            wx = weights[0]
            wy = weights[1]
            wz = weights[2]
            for m in range(first, last):
                sums[m] = (
                    wz[m] * block[m - SZ]
                    + wz[m + SZ] * block[m + SZ]
                    + wy[m] * block[m - SY]
                    + wy[m + SY] * block[m + SY]
                    + wx[m] * block[m - 1]
                    + wx[m + 1] * block[m + 1]
                )
    else:
        first = SY + 1
        last = SZ - first
        if is_uniform:
            for m in range(first, last):
                sums[m] = block[m - SY] + block[m + SY] + block[m - 1] + block[m + 1]
        else:
            wx = weights[0]
            wy = weights[1]
            for m in range(first, last):
                sums[m] = (
                    wy[m] * block[m - SY] + wy[m + SY] * block[m + SY] + wx[m] * block[m - 1] + wx[m + 1] * block[m + 1]
                )


@inlined_plainly
def copy_weights(blocks, stencil, t, BZ, BY, BX):
    """Fill the blocks of face weights of a tile, if it needs them."""
    if not stencil.uniform[t]:
        for axis in range(stencil.weights.shape[0]):
            copy_cross(blocks[axis], stencil.weights[axis], stencil.neighbours, t, BZ, BY, BX)


@inlined_plainly
def copy_all_weights(blocks, stencil, t, BZ, BY, BX):
    """Fill the blocks of face weights of a tile, with ones if it is uniform."""
    if stencil.uniform[t]:
        blocks[:] = np.float32(1)
    else:
        copy_weights(blocks, stencil, t, BZ, BY, BX)


@inlined_plainly
def sum_round_tile(sums, block, weight_blocks, x, stencil, t, BZ, BY, BX):
    """Fill a block with x in a tile and round it, and find the weighted sum over the face neighbours of its cells."""
    copy_cross(block, x, stencil.neighbours, t, BZ, BY, BX)
    copy_weights(weight_blocks, stencil, t, BZ, BY, BX)
    sum_neighbours(sums, block, weight_blocks, stencil.uniform[t], BZ, BY, BX)


@for_tile_shape
def _multiply(shape: Shape, residual: bool) -> Kernel:
    """Set result = A x and find x·result by tile; or, in the precision of x as well, b - A x and its square."""
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    RESIDUAL = residual

    @kernel
    def run(x, b, stencil, result, partial, tiles, chunks):
        n = len(tiles)
        nothing = x.dtype.type(0)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, x.dtype)
            sums = np.zeros(PZ * PY * PX, x.dtype)
            diagonal = np.zeros(PZ * PY * PX, np.float32)
            b_block = np.zeros(PZ * PY * PX if RESIDUAL else 1, x.dtype)
            weight_blocks = np.zeros((DIM, PZ * PY * PX), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                sum_round_tile(sums, block, weight_blocks, x, stencil, t, BZ, BY, BX)
                copy_inside(diagonal, stencil.diagonal[t], BZ, BY, BX)
                if RESIDUAL:
                    copy_inside(b_block, b[t], BZ, BY, BX)
                for m in range(np.uint64(PZ * PY * PX)):
                    value = diagonal[m] * block[m] - sums[m]
                    if RESIDUAL:
                        value = b_block[m] - value
                    value = value if diagonal[m] > 0 else nothing
                    sums[m] = value
                    block[m] = value * (value if RESIDUAL else block[m])
                copy_out(result[t], sums, BZ, BY, BX)
                partial[i] = sum_inside(block, BZ, BY, BX)

    return run


@for_tile_shape
def _find_uniform(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(diagonal, weights, neighbours, tiles, uniform, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float32)
            weight_block = np.zeros(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, diagonal, neighbours, t, BZ, BY, BX)
                all_one = True
                for axis in range(DIM):
                    copy_cross(weight_block, weights[axis], neighbours, t, BZ, BY, BX)
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for m in range(o, o + BX):
                                if block[m] > 0:
                                    if block[m - step] > 0 and weight_block[m] != 1:
                                        all_one = False
                                    if block[m + step] > 0 and weight_block[m + step] != 1:
                                        all_one = False
                uniform[t] = all_one

    return run
