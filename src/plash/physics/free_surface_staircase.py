"""Free surface along cell faces: atmospheric pressure at the centre of every air cell (Cline equations 13-15).

    (number of non-solid neighbours) p_i - Σ over liquid neighbours p_n = -(ρ h/dt) D_i,    p = 0 in air

with D the undivided divergence; where solids cut cells, every neighbour counts with the open fraction of the face
between, and D is Σ ± f u (Batty et al. 2007). The surface so seen runs half a cell above the outermost liquid faces, in
steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import LIQUID, WALL, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.differences import subtract_gradient
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.linear.operators import PoissonOperator
from plash.physics.free_surface import negative_divergence
from plash.timing import stage


@dataclass(frozen=True)
class Staircase:
    """Pressure zero at the centres of air cells."""

    @stage
    def operator(self, cells: Cells) -> PoissonOperator:
        """Diagonal: sum of the open fractions of a cell's faces; weights: the fractions, one where no solid cuts."""
        tiles = cells.tiles
        diagonal = np.zeros(cells.label.shape, np.float32)
        fractions = None if cells.cut_cells is None else cells.cut_cells.face_fractions
        openness = cells.faces if fractions is None else fractions
        run = _sum_open_faces(tiles.shape, fractions is not None)
        run(cells.label, openness, tiles.neighbours, cells.liquid_tiles, diagonal, chunk_count())
        return PoissonOperator(tiles, diagonal, fractions)

    def right_hand_side(self, velocity: FaceField, cells: Cells) -> NDArray[np.float64]:
        """-h ∇·u: the pressure at the surface is zero everywhere."""
        return negative_divergence(velocity, cells)

    def subtract_gradient(self, velocity: FaceField, potential: NDArray[np.float64], cells: Cells) -> None:
        """Set u -= p_i - p_(i-1) (equation 15)."""
        subtract_gradient(velocity, potential, cells)


@for_tile_shape
def _sum_open_faces(shape: Shape, is_cut: bool) -> Kernel:
    """Sum up how open the faces of liquid cells are: from open fractions, or from the bits of faces."""
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    CUT = is_cut

    @kernel
    def run(label, openness, neighbours, tiles, diagonal, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, openness.dtype)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_cross(block, openness[axis], neighbours, t, BZ, BY, BX)
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                if label[t, z, y, x] == LIQUID:
                                    low, high = block[o + x], block[o + x + step]
                                    if CUT:
                                        diagonal[t, z, y, x] += low + high
                                    else:
                                        walls = (low & WALL) + (high & WALL)
                                        diagonal[t, z, y, x] += np.float32(2 - (walls >> 1))

    return run
