"""Free surface where the distance field puts it, inside cells: the ghost-fluid method.

Between a liquid cell i (φ_i < 0) and an air cell j (φ_j ≥ 0) the surface lies a fraction of h from i,

    θ = φ_i/(φ_i - φ_j) ,    gradient on their face: (p_gas - p_i)/(θ h)

The diagonal gets 1/θ for that face instead of 1, the right-hand side p_gas/θ, and the velocity is changed by the same
gradient. The matrix stays symmetric, and a pool at any height in a cell has exactly linear pressure. As the gas
pressure is the same everywhere, its part of the right-hand side shifts p by it and nothing else
(`physics/pressure.py`). Reference: Gibou et al. 2002; Enright et al. 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import LIQUID, NEAR_AIR, SOLID, WALL, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.linear.operators import PoissonOperator
from plash.physics.free_surface import negative_divergence
from plash.timing import stage

_SMALLEST = np.float32(1e-6)  # θ: with 1e-4 a level at the height of cell centres drifts at 1e-4 g


@dataclass(frozen=True)
class Ghost:
    """Gas pressure on the surface φ = 0. Cells must have been labelled by the sign of their φ."""

    @stage
    def operator(self, cells: Cells) -> PoissonOperator:
        """Diagonal: f for each liquid neighbour, f/θ for each air neighbour; weights: f, the open fraction of a face.

        Where no solid cuts a cell, f is one towards neighbours that are not solid.
        """
        assert cells.phi is not None, "the ghost surface needs a distance field"
        tiles = cells.tiles
        diagonal = np.zeros(cells.label.shape, np.float32)
        run = _sum_conductances(tiles.shape, cells.cut_cells is not None)
        label, phi, fractions = cells.label, cells.phi.pool, cells.face_fractions
        run(label, phi, fractions, tiles.neighbours, cells.liquid_tiles, diagonal, chunk_count())
        return PoissonOperator(tiles, diagonal, None if cells.cut_cells is None else cells.cut_cells.face_fractions)

    def right_hand_side(self, velocity: FaceField, cells: Cells) -> NDArray[np.float64]:
        """-h ∇·u: the pressure at the surface is zero everywhere."""
        return negative_divergence(velocity, cells)

    @stage
    def subtract_gradient(self, velocity: FaceField, potential: NDArray[np.float64], cells: Cells) -> None:
        """Set u -= p_i - p_(i-1) between liquid cells, and that over θ between liquid and air."""
        assert cells.phi is not None
        tiles = cells.tiles
        _, together = cells.surroundings
        at_surface = (together & NEAR_AIR) > 0
        run = _subtract_gradient(tiles.shape)
        phi, faces = cells.phi.pool, cells.faces
        run(velocity.pool, potential, phi, faces, tiles.neighbours, tiles.slots, at_surface, chunk_count())


@inlined_plainly
def _conductance(one, other):
    """1/θ on the face between two cells of which one at least is liquid, by their φ; 1 if both are."""
    if (one < 0) == (other < 0):
        return np.float32(1)
    inside = one if one < 0 else other
    outside = other if one < 0 else one
    return np.float32(1) / max(inside / (inside - outside), _SMALLEST)


@for_tile_shape
def _sum_conductances(shape: Shape, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    CUT = is_cut

    @kernel
    def run(label, phi, face_fractions, neighbours, tiles, diagonal, chunks):
        n = len(tiles)
        for c in prange(chunks):
            labels = np.zeros(PZ * PY * PX, np.int8)
            block = np.zeros(PZ * PY * PX, np.float32)
            shares = np.ones((DIM, PZ * PY * PX), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(labels, label, neighbours, t, BZ, BY, BX)
                copy_cross(block, phi, neighbours, t, BZ, BY, BX)
                if CUT:
                    for axis in range(DIM):
                        copy_cross(shares[axis], face_fractions[axis], neighbours, t, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            m = o + x
                            if labels[m] != LIQUID:
                                continue
                            total = np.float32(0)
                            for axis in range(DIM):
                                step = stride(axis, PY, PX)
                                if labels[m - step] != SOLID:
                                    value = _conductance(block[m], block[m - step])
                                    total += shares[axis, m] * value if CUT else value
                                if labels[m + step] != SOLID:
                                    value = _conductance(block[m], block[m + step])
                                    total += shares[axis, m + step] * value if CUT else value
                            diagonal[t, z, y, x] = total

    return run


@for_tile_shape
def _subtract_gradient(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(velocity, potential, phi, faces, neighbours, tiles, at_surface, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float64)
            levels = np.zeros(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, potential, neighbours, t, BZ, BY, BX)
                if at_surface[t]:
                    copy_cross(levels, phi, neighbours, t, BZ, BY, BX)
                for axis in range(DIM):
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                m = o + x
                                if faces[axis, t, z, y, x] & (WET | WALL) == WET:
                                    slope = block[m] - block[m - step]
                                    if at_surface[t]:
                                        slope *= _conductance(levels[m], levels[m - step])
                                    velocity[axis, t, z, y, x] = np.float32(velocity[axis, t, z, y, x] - slope)
                                else:
                                    velocity[axis, t, z, y, x] = np.float32(np.nan)

    return run
