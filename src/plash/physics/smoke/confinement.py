"""Vorticity confinement on tiles: swirls that interpolation wore away are spun up again (Cline equations 28 and 29).

    ω = ∇ × u,   N = ∇|ω| ‖∇|ω|‖ / (‖∇|ω|‖² + ε²),   u += dt k h (N × ω)

Differences are central, of velocities at the centres of cells. The cell size h is part of the force, so that its effect
vanishes under refinement, and ε = 1e-3 |ω|_max/h: an even rotation, whose |ω| differs by round-off, is left alone.
The force is found in cells, and each face takes half of both sides.

Reference: Fedkiw, Stam & Jensen 2001; Cline equations 28 and 29, with h, the halves and ε put right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, stride
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage

_EVEN = 1e-3  # change of |ω| over a cell, as a share of its greatest value, that counts as none


class Confinement(Protocol):
    """A way to keep swirls."""

    def add(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Add what the force does in dt."""


class NoConfinement:
    """Swirls fade as they do."""

    def add(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Leave the velocity as it is."""


@dataclass(frozen=True)
class VorticityConfinement:
    """Confinement on tiles.

    Attributes:
        strength: k, 1/s.
        h: Cell size, m.
    """

    strength: float
    h: float

    @stage
    def add(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Set u += dt k h (N × ω) on open faces of the envelope."""
        tiles, slots = cells.tiles, cells.wet_tiles
        curl = np.zeros((3 if tiles.dimension == 3 else 1, *cells.label.shape), np.float32)
        greatest = np.zeros(max(1, len(slots)))
        _rotation(tiles.shape)(velocity.pool, cells.label, tiles.neighbours, slots, curl, greatest, chunk_count())
        # ω is found times h, and so are its differences: k h (N × ω) is strength times that
        even = max(_EVEN * float(greatest.max()), 1e-15)
        factor = np.float32(self.strength * dt)
        run = _confine(tiles.shape)
        run(velocity.pool, curl, cells.faces, tiles.neighbours, slots, (factor, np.float32(even**2)), chunk_count())


@inlined
def _across(block, o, along, step):
    """2 h times the central difference of a component, at the centre of a cell, along an axis by its stride.

    The component stands on the faces across the stride `step`; its value in a cell is the mean of both of them.
    """
    half = np.float32(0.5)
    return half * (block[o + along] + block[o + along + step] - block[o - along] - block[o - along + step])


@for_tile_shape
def _rotation(shape: Shape) -> Kernel:
    """h ω in the cells of the envelope, and its greatest size in each tile; nothing elsewhere."""
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    # One more plane of z faces than a halo of 1 has is never needed: the far faces of the last cells are in the halo
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    SX, SY, SZ = np.uint64(1), np.uint64(PX), np.uint64(PY * PX)

    @kernel
    def run(velocity, label, neighbours, tiles, curl, greatest, chunks):
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.empty((DIM, SIZE), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_block(blocks[axis], velocity[axis], neighbours, t, 1, BZ, BY, BX)
                half = np.float32(0.5)
                highest = np.float32(0)
                for k in range(BZ):
                    for j in range(BY):
                        start, labels = np.uint64(((k + HZ) * PY + j + 1) * PX + 1), label[t, k, j]
                        for m in range(np.uint64(BX)):
                            if labels[m] != 1:
                                continue
                            o = start + m
                            z = half * (_across(blocks[1], o, SX, SY) - _across(blocks[0], o, SY, SX))
                            if DIM == 2:
                                curl[0, t, k, j, m] = z
                                highest = max(highest, abs(z))
                                continue
                            x = half * (_across(blocks[2], o, SY, SZ) - _across(blocks[1], o, SZ, SY))
                            y = half * (_across(blocks[0], o, SZ, SX) - _across(blocks[2], o, SX, SZ))
                            curl[0, t, k, j, m] = x
                            curl[1, t, k, j, m] = y
                            curl[2, t, k, j, m] = z
                            highest = max(highest, np.sqrt(x * x + y * y + z * z))
                greatest[i] = highest

    return run


@for_tile_shape
def _confine(shape: Shape) -> Kernel:
    """Add k dt N × (h ω), half of both sides, to open faces."""
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 2)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    ROTATIONS = 3 if DIM == 3 else 1
    MARGIN = 1 + PX + (PX * PY if DIM == 3 else 0)

    @kernel
    def run(velocity, curl, faces, neighbours, tiles, numbers, chunks):
        factor, even = numbers
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.empty((ROTATIONS, SIZE), np.float32)
            size = np.empty(SIZE, np.float32)
            force = np.zeros((DIM, SIZE), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(ROTATIONS):
                    copy_block(blocks[axis], curl[axis], neighbours, t, 2, BZ, BY, BX)
                if DIM == 3:
                    for m in range(SIZE):
                        a, b, e = blocks[0, m], blocks[1, m], blocks[2, m]
                        size[m] = np.sqrt(a * a + b * b + e * e)
                else:
                    for m in range(SIZE):
                        size[m] = abs(blocks[0, m])
                _find_force(force, blocks, size, (factor, even), MARGIN, SIZE, PX, PX * PY, DIM)
                for axis in range(DIM):
                    step, given = np.uint64(stride(axis, PY, PX)), force[axis]
                    for k in range(BZ):
                        for j in range(BY):
                            o = np.uint64(((k + HZ) * PY + j + 2) * PX + 2)
                            bits, row = faces[axis, t, k, j], velocity[axis, t, k, j]
                            for m in range(np.uint64(BX)):
                                if bits[m] & 3 == 1:
                                    row[m] += np.float32(0.5) * (given[o + m] + given[o + m - step])

    return run


@inlined
def _find_force(force, curl, size, numbers, MARGIN, SIZE, SY, SZ, DIM):
    """Fill in the force in a block, but for its outermost layer."""
    factor, even = numbers
    half = np.float32(0.5)
    by_x, by_y, by_z = np.uint64(1), np.uint64(SY), np.uint64(SZ)
    for m in range(np.uint64(MARGIN), np.uint64(SIZE - MARGIN)):
        x = half * (size[m + by_x] - size[m - by_x])
        y = half * (size[m + by_y] - size[m - by_y])
        z = half * (size[m + by_z] - size[m - by_z]) if DIM == 3 else np.float32(0)
        squared = x * x + y * y + z * z
        share = factor * np.sqrt(squared) / (squared + even)
        if DIM == 3:
            a, b, e = curl[0, m], curl[1, m], curl[2, m]
            force[0, m] = share * (y * e - z * b)
            force[1, m] = share * (z * a - x * e)
            force[2, m] = share * (x * b - y * a)
        else:
            e = curl[0, m]
            force[0, m] = share * y * e
            force[1, m] = -share * x * e
