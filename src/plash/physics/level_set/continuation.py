"""A level set at walls, inlets and open sides: what is not liquid's to decide.

Into solids φ goes on as the mean of what is known beside them, layer by layer: the surface meets a wall at a right
angle, and no film of air lines it. Beyond an open side all is air.

Reference: Cline 10.8; Enright et al. 2002.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, face_step, home_of, row_start, stride
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.physics.level_set.band import BAND
from plash.physics.solids.domain_box import OPEN, DomainBox
from plash.timing import stage

_LAYERS = 4  # cells that a level set goes on into solids


@dataclass(frozen=True, eq=False)
class Continuation:
    """The way into some solids: which cells of them take the mean of which others.

    Attributes:
        tiles: Where the cells are.
        is_solid: By cell; what this was made for.
        depth: How many cells deep in solids each cell is: 0 in the open, `_LAYERS` + 1 for all that is deeper.
        layers: Cells of each depth from 1 on, as indices into a flat pool.
    """

    tiles: Tiles
    is_solid: NDArray[np.bool_]
    depth: NDArray[np.uint8]
    layers: Sequence[NDArray[np.int64]]

    @staticmethod
    @stage
    def into(is_solid: NDArray[np.bool_], tiles: Tiles) -> Continuation:
        """The way into solids on some tiles."""
        depth = np.where(is_solid, np.uint8(_LAYERS + 1), np.uint8(0))
        slots = np.flatnonzero(is_solid.any(axis=(1, 2, 3)))
        slots = slots[slots > 0]
        depth[0] = _LAYERS + 1
        for layer in range(1, _LAYERS + 1):
            _deepen(tiles.shape)(depth, tiles.neighbours, slots, layer, chunk_count())
        size = depth[0].size
        found = depth[slots]
        layers = []
        for layer in range(1, _LAYERS + 2):
            number, inner = np.nonzero(found.reshape(len(slots), size) == layer)
            layers.append(slots[number] * size + inner)
        return Continuation(tiles, is_solid, depth, layers)

    @stage
    def apply(self, phi: CellField, h: float) -> None:
        """Let a level set (m) on these tiles go on into the solids; deeper in them is air, which nothing reads."""
        flat = phi.pool.reshape(-1)
        *near, deep = self.layers
        for number, cells in enumerate(near):
            _mean_of_known(self.tiles.shape)(flat, self.depth, self.tiles.neighbours, cells, number + 1, chunk_count())
        flat[deep] = np.float32(BAND * h)


def continue_into_solids(phi: CellField, is_solid: NDArray[np.bool_], h: float) -> None:
    """Let a level set (m) go on into solids for a few cells."""
    Continuation.into(is_solid, phi.tiles).apply(phi, h)


def beyond_open_sides(tiles: Tiles, box: DomainBox) -> list[tuple[str, NDArray[np.bool_]]]:
    """The name of each open side, and which cells lie beyond it; broadcasts against a pool."""
    found = []
    for axis, kinds in enumerate(box.sides):
        size = tiles.shape[2 - axis]
        cell = tiles.origins[:, axis, None] + np.arange(size)
        shape = [len(cell), 1, 1, 1]
        shape[3 - axis] = size
        for end, kind in enumerate(kinds):
            if kind == OPEN:
                beyond = (cell >= box.cells[axis]) if end else (cell < 0)
                found.append((f"{'xyz'[axis]}_{('min', 'max')[end]}", beyond.reshape(shape)))
    return found


def filled_cells(phi: NDArray[np.float32], h: float) -> NDArray[np.float64]:
    """How much of each cell is inside, by its φ (m), with a flat surface along the axes."""
    return np.clip(0.5 - phi.astype(np.float64) / h, 0.0, 1.0)


@for_tile_shape
def _deepen(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(depth, neighbours, slots, layer, chunks):
        for c in prange(chunks):
            block = np.full(PZ * PY * PX, np.uint8(_LAYERS + 1))
            for i in chunk_range(c, chunks, len(slots)):
                t = slots[i]
                copy_cross(block, depth, neighbours, t, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for m in range(o, o + BX):
                            if block[m] <= _LAYERS:
                                continue
                            found = False
                            for axis in range(DIM):
                                step = stride(axis, PY, PX)
                                found |= block[m - step] == layer - 1 or block[m + step] == layer - 1
                            if found:
                                depth[t, z, y, m - o] = layer

    return run


@for_tile_shape
def _mean_of_known(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    SIZE = BZ * BY * BX
    WAYS = 4 if BZ == 1 else 6

    @kernel
    def run(flat, depth, neighbours, cells, layer, chunks):
        for c in prange(chunks):
            for p in chunk_range(c, chunks, len(cells)):
                t, inner = cells[p] // SIZE, cells[p] % SIZE
                x, y, z = inner % BX, inner // BX % BY, inner // (BX * BY)
                total, count = np.float32(0), np.float32(0)
                for way in range(WAYS):
                    dx, dy, dz = face_step(way)
                    s, sx, sy, sz = home_of(neighbours, t, x + dx, y + dy, z + dz, BZ, BY, BX)
                    if depth[s, sz, sy, sx] < layer:
                        total += flat[s * SIZE + (sz * BY + sy) * BX + sx]
                        count += np.float32(1)
                flat[cells[p]] = total / count

    return run
