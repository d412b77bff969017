"""Closed components: unknowns that are connected among themselves and to nothing of given value.

Liquid with no air beside it has a pressure only up to a constant: there A is singular, and A x = b has a solution
only if b sums to zero. Components are found exactly, cell by cell through faces of positive weight; those whose
rows of A all sum to zero are closed. A mean that has to be removed from b is reported, for it means that somebody
asks for more liquid to go in than can come out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel, serial_kernel
from plash.grid.loops import CENTRE, chunk_range, row_start, stride, unite
from plash.grid.tiles import Shape, dimension_of
from plash.linear.operators import PoissonOperator, Pool64, copy_all_weights

_CONTACT = 1e-4  # row sum, relative to the diagonal, from which a cell touches a given value


@dataclass(frozen=True, eq=False)
class ClosedComponents:
    """Which active cells belong to which closed component.

    Attributes:
        active: Slots the labels are for.
        label: 1, 2, ... in closed components, in order of their first cell; 0 everywhere else.
        sizes: Number of cells by label, sizes[0] = 0.
    """

    active: NDArray[np.int32]
    label: NDArray[np.int32]
    sizes: NDArray[np.int64]

    @staticmethod
    def none(active: NDArray[np.int32]) -> ClosedComponents:
        """No component is closed."""
        return ClosedComponents(active, np.zeros(0, np.int32), np.zeros(1, np.int64))

    @property
    def count(self) -> int:
        """How many components are closed."""
        return len(self.sizes) - 1

    def means(self, values: Pool64) -> NDArray[np.float64]:
        """Mean of the values in each closed component, by label; zero for label 0."""
        if self.count == 0:
            return np.zeros(1)
        sums = np.bincount(self.label.ravel(), weights=values[self.active].ravel(), minlength=len(self.sizes))
        means = sums / np.maximum(self.sizes, 1)
        means[0] = 0.0
        return means

    def remove_means(self, values: Pool64) -> None:
        """Subtract from the values their mean in each closed component."""
        if self.count:
            values[self.active] -= self.means(values)[self.label]


def closed_components(operator: PoissonOperator) -> ClosedComponents:
    """Find the components of A that no given value reaches."""
    tiles, active = operator.tiles, operator.active
    label = np.zeros((len(active), *tiles.shape), np.int32)
    size = label[0].size if len(active) else 0
    counts = np.zeros(len(active), np.int32)
    touches = np.zeros((len(active), size), np.bool_)
    chunks = chunk_count()
    _label_in_tiles(tiles.shape)(operator.stencil, active, label, counts, touches, chunks)

    # Joined across the faces of tiles, smallest number first
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    root = np.arange(first[-1], dtype=np.int64)
    rank = np.full(tiles.count + 1, -1, np.int64)
    rank[active] = np.arange(len(active))
    _join(tiles.shape)(operator.stencil, active, rank, label, first, root)
    _flatten(root)

    is_open = np.zeros(len(root), np.bool_)
    for_root = np.concatenate([touches[i, : counts[i]] for i in range(len(active))]) if len(active) else is_open
    np.logical_or.at(is_open, root, for_root)
    closed_roots = np.flatnonzero((root == np.arange(len(root))) & ~is_open)
    if len(closed_roots) == 0:
        return ClosedComponents.none(active)

    number = np.zeros(len(root) + 1, np.int32)
    number[closed_roots] = np.arange(1, len(closed_roots) + 1)
    number[:-1] = number[root]
    everywhere = np.where(label > 0, label - 1 + first[:-1, None, None, None], len(root))
    label = number[everywhere]
    sizes = np.bincount(label.ravel(), minlength=len(closed_roots) + 1)
    sizes[0] = 0
    return ClosedComponents(active, label, sizes)


@for_tile_shape
def _label_in_tiles(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(stencil, tiles, label, counts, touches, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            weight_blocks = np.ones((DIM, SIZE), np.float32)
            mark = np.zeros(SIZE, np.int32)
            stack = np.zeros(SIZE, np.int32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, stencil.diagonal, stencil.neighbours, t, BZ, BY, BX)
                copy_all_weights(weight_blocks, stencil, t, BZ, BY, BX)
                # -1: not here; 0: not yet; k: in component k
                mark[:] = -1
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for m in range(o, o + BX):
                            if block[m] > 0:
                                mark[m] = 0
                count = 0
                for seed in range(SIZE):
                    if mark[seed] != 0:
                        continue
                    count += 1
                    mark[seed] = count
                    stack[0] = seed
                    height = 1
                    touch = False
                    while height > 0:
                        height -= 1
                        m = stack[height]
                        row = block[m]
                        for axis in range(DIM):
                            step = stride(axis, PY, PX)
                            for up in range(2):
                                other = m + (2 * up - 1) * step
                                w = weight_blocks[axis, m + up * step]
                                if block[other] > 0 and w > 0:
                                    row -= w
                                    if mark[other] == 0:
                                        mark[other] = count
                                        stack[height] = other
                                        height += 1
                        if row > np.float32(_CONTACT) * block[m]:
                            touch = True
                    touches[i, count - 1] = touch
                counts[i] = count
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for k in range(BX):
                            label[i, z, y, k] = max(mark[o + k], 0)

    return run


@for_tile_shape
def _join(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @serial_kernel
    def run(stencil, tiles, rank, label, first, root):
        _, _, weights, uniform, neighbours = stencil
        for i in range(len(tiles)):
            t = tiles[i]
            for axis in range(DIM):
                s = neighbours[t, CENTRE + stride(axis, 3, 3)]
                j = rank[s]
                if j < 0:
                    continue
                for a in range(BZ if axis != 2 else BY):
                    for b in range(BX if axis != 0 else BY):
                        if axis == 0:
                            zi, yi, xi, zj, yj, xj = a, b, BX - 1, a, b, 0
                        elif axis == 1:
                            zi, yi, xi, zj, yj, xj = a, BY - 1, b, a, 0, b
                        else:
                            zi, yi, xi, zj, yj, xj = BZ - 1, a, b, 0, a, b
                        if label[i, zi, yi, xi] == 0 or label[j, zj, yj, xj] == 0:
                            continue
                        if not uniform[s] and weights[axis, s, zj, yj, xj] <= 0:
                            continue
                        one, two = first[i] + label[i, zi, yi, xi] - 1, first[j] + label[j, zj, yj, xj] - 1
                        unite(root, one, two)

    return run


@serial_kernel
def _flatten(root):
    for a in range(len(root)):
        root[a] = root[root[a]]
