"""The strain rate that straight paths ask for: what a rigid body has that turns in straight moves.

A step moves liquid by x + dt u(x), with the velocity of the middle of the step at the place where it began. In these
places a body that turns with Ω has the velocity Ω x + (dt/2) Ω² x: a chord points a little inwards. It is not strained,
though its velocity has a strain rate. In general that part is

    ε* = (dt/2) sym((∇u)²) ,    tr ε* = (dt/2) tr((∇u)²)

whose trace is the divergence that keeps volume (`physics/straight_paths.py`). Stress belongs to ε - ε*. Without that a
thick liquid resists the inward part, and the pressure makes it again after viscosity has acted, with bumps: those on a
surface of radius R with m waves grow at the rate m ω² dt/2.

Reference: Cline equation 12, whose paths bend instead; Batty & Bridson 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import LIQUID, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import UNKNOWN, FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.linear.operators import Pool, Pool64
from plash.physics.viscosity.stress_operator import StressOperator
from plash.timing import stage

_LARGEST = 0.25  # dt ∇·u, as in physics/straight_paths.py


@dataclass(frozen=True, eq=False)
class StraightPaths:
    """How liquid moves in a step.

    Attributes:
        carried: The velocity that was carried to the grid, before forces, m/s.
        divergence: h ∇·u (m/s) that keeps volume, by cell; zero where bodies or spouts leave it out.
        dt: Length of the move, s.
    """

    carried: FaceField
    divergence: NDArray[np.float64]
    dt: float

    @stage
    def strain(self, cells: Cells, h: float) -> Pool:
        """h ε* (m/s) at the centres of cells with known faces, else unknown [axis a, axis b, slot, z, y, x]."""
        tiles = cells.tiles
        known = np.where((cells.faces & WET) > 0, self.carried.pool, UNKNOWN)
        strain = np.full((tiles.dimension, *known.shape), UNKNOWN, np.float32)
        scale = _Scale(0.5 * self.dt / h, _LARGEST * h / self.dt)
        run = _square_gradient(tiles.shape)
        run(known, tiles.neighbours, cells.wet_tiles, scale, strain, chunk_count())
        strain[:, :, (cells.label == LIQUID) & (self.divergence == 0)] = 0
        return strain


@stage
def add_strain(b: Pool64, operator: StressOperator, strain: Pool) -> None:
    """Add Bᵀ W s to a right-hand side, s the undivided strain (m/s) that needs no stress, by cell."""
    tiles = operator.tiles
    run = _push(tiles.shape)
    run(strain, operator.rows, b.reshape(operator.mass.shape), operator.active_tiles, chunk_count())


class _Scale(NamedTuple):
    """What the square of undivided differences is multiplied by, s/m, and the largest trace of the result, m/s."""

    factor: float
    largest: float


@inlined
def _slope(values, o, a, b, PY, PX):
    """Undivided ∂u_a/∂x_b at the centre of cell o: across, the mean of its edges that are known; none has no slope."""
    along_a, along_b = stride(a, PY, PX), stride(b, PY, PX)
    if a == b:
        return values[o + along_a] - values[o]
    total = np.float32(0)
    known = np.float32(0)
    for corner in range(4):
        m = o + (along_a if corner & 1 else 0) + (along_b if corner & 2 else 0)
        difference = values[m] - values[m - along_b]
        if difference == difference:
            total += difference
            known += np.float32(1)
    return total / known if known > 0 else np.float32(0)


@for_tile_shape
def _square_gradient(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(velocity, neighbours, tiles, scale, strain, chunks):
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            slopes = np.empty((DIM, DIM), np.float32)
            square = np.empty((DIM, DIM))
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_block(blocks[axis], velocity[axis], neighbours, t, 1, BZ, BY, BX)
                for cell in range(BZ * BY * BX):
                    z, y, x = cell // (BY * BX), cell // BX % BY, cell % BX
                    o = row_start(z, y, HZ, PY, PX) + x
                    trace = 0.0
                    for a in range(DIM):
                        for b in range(DIM):
                            slopes[a, b] = _slope(blocks[a], o, a, b, PY, PX)
                    for a in range(DIM):
                        for b in range(DIM):
                            square[a, b] = 0.0
                            for k in range(DIM):
                                square[a, b] += np.float64(slopes[a, k]) * np.float64(slopes[k, b])
                        trace += square[a, a]
                    # NaN if a face is not known
                    factor = scale.factor
                    if abs(factor * trace) > scale.largest:
                        factor = scale.largest / abs(trace)
                    for a in range(DIM):
                        for b in range(DIM):
                            half = np.float64(0.5) * (square[a, b] + square[b, a])
                            strain[a, b, t, z, y, x] = np.float32(factor * half + 0.0 * trace)

    return run


@inlined
def _edge_mean(values, m, first, second):
    """Mean of the values of up to four cells: m, those before it by each of two strides, and by both; 0 if none is."""
    total, count = 0.0, 0.0
    for corner in range(4):
        value = np.float64(values[m - (corner & 1) * first - (corner >> 1) * second])
        if value == value:
            total += value
            count += 1.0
    return total / max(count, 1.0)


@inlined
def _free_stress(values, weights, a, b, m, PY, PX):
    """W_ab s_ab at m: at the centre of cell m - e_a, or twice the mean on an edge of cell m."""
    weight = np.float64(weights[m])
    if not weight > 0:
        return 0.0
    first = stride(a, PY, PX)
    if a == b:
        return weight * _edge_mean(values, m - first, 0, 0)
    return 2.0 * weight * _edge_mean(values, m, first, stride(b, PY, PX))


@for_tile_shape
def _push(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(strain, rows, result, tiles, chunks):
        n = len(tiles)
        for c in prange(chunks):
            values = np.empty(SIZE, np.float32)
            weights = np.empty(SIZE, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for a in range(DIM):
                    for b in range(DIM):
                        copy_block(values, strain[a, b], rows.neighbours, t, 1, BZ, BY, BX)
                        copy_block(weights, rows.weights[a, b], rows.neighbours, t, 1, BZ, BY, BX)
                        ahead = stride(b, PY, PX)
                        for z in range(BZ):
                            for y in range(BY):
                                o = row_start(z, y, HZ, PY, PX)
                                for x in range(BX):
                                    if rows.mass[a, t, z, y, x] > 0:
                                        here = _free_stress(values, weights, a, b, o + x, PY, PX)
                                        there = _free_stress(values, weights, a, b, o + x + ahead, PY, PX)
                                        result[a, t, z, y, x] += here - there

    return run
