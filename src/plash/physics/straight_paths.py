"""The divergence that keeps volume when particles move on straight paths.

A step moves liquid by x + dt u(x). That keeps every volume if det(I + dt ∇u) = 1, and not if ∇·u = 0: liquid that
turns moves outwards along tangents. To second order in dt the velocity has to have the divergence

    ∇·u = (dt/2) tr((∇u)²)

instead, negative where the flow turns and positive where it is stretched. ∇u is that of the velocity that was carried
to the grid, before forces and walls. On the staggered grid its diagonal is known in cells; for the other entries
∂u/∂y and ∂v/∂x are known at the same edges, and the mean over the edges of a cell is taken.

Reference: Cline equation 12, whose paths bend instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import LIQUID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage

_LARGEST = 0.25  # dt ∇·u: a step changes no volume by more than this


@stage
def straight_path_divergence(velocity: FaceField, cells: Cells, dt: float, h: float) -> NDArray[np.float64]:
    """h ∇·u (m/s) that the velocity should have in liquid cells, so that a straight move for dt keeps volume.

    Args:
        velocity: On wet faces, before forces, m/s.
        cells: What cells hold; one that a solid cuts counts with its open share.
        dt: Length of the move, s.
        h: Cell size, m.
    """
    tiles = cells.tiles
    result = np.zeros(cells.label.shape)
    scale = _Scale(0.5 * dt / h, _LARGEST * h / dt)
    run = _second_invariant(tiles.shape)
    run(velocity.pool, cells.label, tiles.neighbours, cells.liquid_tiles, scale, result, chunk_count())
    if cells.cut_cells is not None:
        result[cells.liquid_tiles] *= cells.cut_cells.volume[cells.liquid_tiles]
    return result


class _Scale(NamedTuple):
    """What tr(D²) of the undivided differences is multiplied by, s/m, and the largest result, m/s."""

    factor: float
    largest: float


@for_tile_shape
def _second_invariant(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(velocity, label, neighbours, tiles, scale, result, chunks):
        factor, largest = scale
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_block(blocks[axis], velocity[axis], neighbours, t, 1, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            if label[t, z, y, x] != LIQUID:
                                continue
                            total = np.float32(0)
                            for axis in range(DIM):
                                along = blocks[axis][o + x + stride(axis, PY, PX)] - blocks[axis][o + x]
                                if along == along:
                                    total += along * along
                                for other in range(axis + 1, DIM):
                                    total += np.float32(2) * _across(blocks, o + x, axis, other, PY, PX)
                            result[t, z, y, x] = min(max(factor * np.float64(total), -largest), largest)

    return run


@inlined_plainly
def _across(blocks, o, a, b, PY, PX):
    """Mean of ∂u_a/∂x_b ∂u_b/∂x_a over the four edges of a cell, as far as they are known."""
    along_a, along_b = stride(a, PY, PX), stride(b, PY, PX)
    first, second = blocks[a], blocks[b]
    total = np.float32(0)
    known = np.float32(0)
    for corner in range(4):
        m = o + (along_a if corner & 1 else 0) + (along_b if corner & 2 else 0)
        product = (first[m] - first[m - along_b]) * (second[m] - second[m - along_a])
        if product == product:
            total += product
            known += np.float32(1)
    return total / known if known > 0 else np.float32(0)
