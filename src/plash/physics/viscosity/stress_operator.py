"""The matrix of viscous stress, applied without a matrix: A = M + Bᵀ W B.

With u_a on the minimal faces across axis a, and m + e_b the place one further along axis b,

    S_ab[m] = W_ab[m] (u_a[m] - u_a[m - e_b])                                  each component by itself
    S_ab[m] = W_ab[m] (u_a[m] - u_a[m - e_b] + u_b[m] - u_b[m - e_a])          coupled; a ≠ b, W_ab = W_ba
    (A u)_a[m] = M_a[m] u_a[m] + Σ_b (S_ab[m] - S_ab[m + e_b])

S_aa stands at the centre of the cell m - e_a, S_ab on an edge of cells (at a corner in 2-D). Differences come first and
weights afterwards, so that a velocity which strains nothing leaves M u alone, however large the weights are: the mean
of u must not be lost in the round-off of W. Unknowns are the faces with M > 0; u is zero on all others.

Reference: Batty & Bridson 2008, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block, copy_cross
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.linear.component_blocks import stacked_rows
from plash.linear.operators import PoissonOperator, Pool, Pool64


class StressRows(NamedTuple):
    """The rows of A, as kernels take them.

    Attributes:
        mass: M by face [axis, slot, z, y, x], zero where there is no unknown.
        weights: W [axis a, axis b, slot, z, y, x].
        neighbours: Slots of the neighbours of each tile.
    """

    mass: Pool
    weights: Pool
    neighbours: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class StressOperator:
    """Mass and stress of a viscous liquid on its free faces.

    Attributes:
        tiles: Where the faces are.
        mass: M by face [axis, slot, z, y, x], zero where there is no unknown.
        weights: W [axis a, axis b, slot, z, y, x].
        coupled: Whether components act on each other.
    """

    tiles: Tiles
    mass: Pool
    weights: Pool
    coupled: bool

    @cached_property
    def blocks(self) -> list[PoissonOperator]:
        """What couples the faces of each component with each other."""
        diagonal, tiles = np.zeros_like(self.mass), self.tiles
        _sum_weights(tiles.shape)(self.rows, tiles.slots, diagonal, chunk_count())
        parts = zip(diagonal, self.weights, self.mass, strict=True)
        return [PoissonOperator(tiles, *part) for part in parts]

    @property
    def rows(self) -> StressRows:
        """What kernels need of A."""
        return StressRows(self.mass, self.weights, self.tiles.neighbours)

    @cached_property
    def diagonal(self) -> Pool:
        """Diagonal of A, zero where there is no unknown; the rows of one component after those of the other."""
        return np.concatenate([block.diagonal for block in self.blocks])

    @cached_property
    def inverse(self) -> Pool:
        """1 over the diagonal where there is an unknown, else zero."""
        return np.concatenate([block.inverse for block in self.blocks])

    @cached_property
    def active(self) -> NDArray[np.int32]:
        """Rows that hold an unknown."""
        return stacked_rows([block.active for block in self.blocks], self.tiles.count + 1)

    @cached_property
    def active_tiles(self) -> NDArray[np.int32]:
        """Slots of the tiles that hold an unknown of any component."""
        return np.unique(np.concatenate([block.active for block in self.blocks]))

    def zeros(self, dtype: type = np.float32) -> NDArray[Any]:
        """A new pool of zeros."""
        return np.zeros(self.diagonal.shape, dtype)

    def apply(self, x: Pool, result: Pool) -> float:
        """Set result = A x and return x·A x."""
        return self._multiply(x, x, result, is_residual=False)

    def residual(self, x: Pool64, b: Pool64, result: Pool64) -> float:
        """Set result = b - A x in double precision and return its 2-norm."""
        return float(np.sqrt(self._multiply(x, b, result, is_residual=True)))

    def _multiply(self, x: NDArray[Any], b: NDArray[Any], result: NDArray[Any], is_residual: bool) -> float:
        tiles = self.active_tiles
        partial = np.zeros(len(tiles))
        run = _multiply(self.tiles.shape, self.coupled, is_residual)
        faces = self.mass.shape
        run(x.reshape(faces), b.reshape(faces), self.rows, result.reshape(faces), partial, tiles, chunk_count())
        return float(partial.sum())


@inlined_plainly
def _add_stress(sums, stress, blocks, weights, a, b, rows, t, COUPLED, BZ, BY, BX):
    """Add S_ab[m] - S_ab[m + e_b] to the sums of a tile's faces across axis a.

    Coupled, the same with a and b exchanged is added too.
    """
    PY = BY + 2
    PX = BX + 2
    DIM = 2 if BZ == 1 else 3
    along = np.uint64(stride(b, PY, PX))
    copy_cross(weights, rows.weights[a, b], rows.neighbours, t, BZ, BY, BX)
    own = blocks[a]
    first, last = np.uint64(stride(DIM - 1, PY, PX)), np.uint64(len(stress))
    across = np.uint64(stride(a, PY, PX))
    if COUPLED and a != b:
        other = blocks[b]
        for m in range(first, last):
            stress[m] = weights[m] * (own[m] - own[m - along] + (other[m] - other[m - across]))
    else:
        for m in range(first, last):
            stress[m] = weights[m] * (own[m] - own[m - along])
    of_own = sums[a]
    for m in range(first, last - along):
        of_own[m] += stress[m] - stress[m + along]
    if COUPLED and a != b:
        of_other = sums[b]
        for m in range(first, last - across):
            of_other[m] += stress[m] - stress[m + across]


@for_tile_shape
def _multiply(shape: Shape, coupled: bool, residual: bool) -> Kernel:
    """Set result = A x and find x·result by tile; or, in the precision of x as well, b - A x and its square."""
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    COUPLED, RESIDUAL = coupled, residual

    @kernel
    def run(x, b, rows, result, partial, tiles, chunks):
        n = len(tiles)
        nothing = x.dtype.type(0)
        for c in prange(chunks):
            blocks = np.zeros((DIM, SIZE), x.dtype)
            sums = np.zeros((DIM, SIZE), x.dtype)
            stress = np.zeros(SIZE, x.dtype)
            weights = np.zeros(SIZE, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_block(blocks[axis], x[axis], rows.neighbours, t, 1, BZ, BY, BX)
                dot = 0.0
                sums[:] = nothing
                for a in range(DIM):
                    for other in range(a if COUPLED else 0, DIM):
                        _add_stress(sums, stress, blocks, weights, a, other, rows, t, COUPLED, BZ, BY, BX)
                for a in range(DIM):
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            row = nothing
                            for k in range(BX):
                                mass = rows.mass[a, t, z, y, k]
                                value = mass * blocks[a, o + k] + sums[a, o + k]
                                if RESIDUAL:
                                    value = b[a, t, z, y, k] - value
                                value = value if mass > 0 else nothing
                                result[a, t, z, y, k] = value
                                row += value * (value if RESIDUAL else blocks[a, o + k])
                            dot += np.float64(row)
                partial[i] = dot

    return run


@for_tile_shape
def _sum_weights(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(rows, tiles, diagonal, chunks):
        n = len(tiles)
        for c in prange(chunks):
            weights = np.zeros((DIM, SIZE), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for a in range(DIM):
                    for b in range(DIM):
                        copy_cross(weights[b], rows.weights[a, b], rows.neighbours, t, BZ, BY, BX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for m in range(o, o + BX):
                                total = rows.mass[a, t, z, y, m - o]
                                if total > 0:
                                    for b in range(DIM):
                                        total += weights[b, m] + weights[b, m + stride(b, PY, PX)]
                                    diagonal[a, t, z, y, m - o] = total

    return run
