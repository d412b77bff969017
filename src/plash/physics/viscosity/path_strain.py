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

from plash.grid.blocks import block_sizes, copy_block, copy_cross
from plash.grid.cells import LIQUID, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
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


@inlined_plainly
def _find_slopes(slopes, values, room, a, b, PY, PX):
    """Undivided ∂u_a/∂x_b at the centres of a block's cells: across, the mean of edges that are known; none: zero."""
    difference, known = room
    size = np.uint64(len(values))
    along_a, along_b = np.uint64(stride(a, PY, PX)), np.uint64(stride(b, PY, PX))
    if a == b:
        for m in range(size - along_a):
            slopes[m] = values[m + along_a] - values[m]
        return
    for m in range(along_b, size):
        change = values[m] - values[m - along_b]
        is_known = change == change
        difference[m] = change if is_known else np.float32(0)
        known[m] = np.float32(1) if is_known else np.float32(0)
    both = along_a + along_b
    for m in range(along_b, size - both):
        total = difference[m] + difference[m + along_a] + difference[m + along_b] + difference[m + both]
        count = known[m] + known[m + along_a] + known[m + along_b] + known[m + both]
        slopes[m] = total / max(count, np.float32(1))


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
            slopes = np.zeros((DIM, DIM, SIZE), np.float32)
            room = (np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32))
            square = np.empty((DIM, DIM))
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_block(blocks[axis], velocity[axis], neighbours, t, 1, BZ, BY, BX)
                for a in range(DIM):
                    for b in range(DIM):
                        _find_slopes(slopes[a, b], blocks[a], room, a, b, PY, PX)
                for cell in range(BZ * BY * BX):
                    z, y, x = cell // (BY * BX), cell // BX % BY, cell % BX
                    o = row_start(z, y, HZ, PY, PX) + x
                    trace = 0.0
                    for a in range(DIM):
                        for b in range(DIM):
                            square[a, b] = 0.0
                            for k in range(DIM):
                                square[a, b] += np.float64(slopes[a, k, o]) * np.float64(slopes[k, b, o])
                        trace += square[a, a]
                    # NaN if a face is not known
                    factor = scale.factor
                    if abs(factor * trace) > scale.largest:
                        factor = scale.largest / abs(trace)
                    for a in range(DIM):
                        for b in range(a, DIM):
                            half = np.float64(0.5) * (square[a, b] + square[b, a])
                            strain[a, b, t, z, y, x] = np.float32(factor * half + 0.0 * trace)
                            strain[b, a, t, z, y, x] = strain[a, b, t, z, y, x]

    return run


@inlined_plainly
def _find_free_stress(stress, weights, values, room, a, b, PY, PX):
    """W_ab s_ab in a block: at the centre of cell m - e_a, or twice the mean over known cells round an edge of m."""
    value, known = room
    size = np.uint64(len(values))
    for m in range(size):
        is_known = values[m] == values[m]
        value[m] = np.float64(values[m]) if is_known else 0.0
        known[m] = 1.0 if is_known else 0.0
    first, second = np.uint64(stride(a, PY, PX)), np.uint64(stride(b, PY, PX))
    if a == b:
        for m in range(first, size):
            stress[m] = np.float64(weights[m]) * value[m - first]
        return
    both = first + second
    for m in range(both, size):
        total = value[m] + value[m - first] + value[m - second] + value[m - both]
        count = known[m] + known[m - first] + known[m - second] + known[m - both]
        stress[m] = 2.0 * np.float64(weights[m]) * (total / max(count, 1.0))


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
            values = np.zeros(SIZE, np.float32)
            weights = np.zeros(SIZE, np.float32)
            stress = np.zeros(SIZE)
            room = (np.zeros(SIZE), np.zeros(SIZE))
            sums = np.zeros((DIM, SIZE))
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                sums[:] = 0.0
                for a in range(DIM):
                    for b in range(a, DIM):
                        copy_block(values, strain[a, b], rows.neighbours, t, 1, BZ, BY, BX)
                        copy_cross(weights, rows.weights[a, b], rows.neighbours, t, BZ, BY, BX)
                        _find_free_stress(stress, weights, values, room, a, b, PY, PX)
                        _add_differences(sums[a], stress, np.uint64(stride(b, PY, PX)))
                        if a != b:
                            _add_differences(sums[b], stress, np.uint64(stride(a, PY, PX)))
                for a in range(DIM):
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                if rows.mass[a, t, z, y, x] > 0:
                                    result[a, t, z, y, x] += sums[a, o + x]

    return run


@inlined_plainly
def _add_differences(sums, stress, ahead):
    """Add to each value's sum what it has more than the one ahead."""
    for m in range(np.uint64(len(stress)) - ahead):
        sums[m] += stress[m] - stress[m + ahead]
