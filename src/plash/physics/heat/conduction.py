"""Conduction of heat (Cline equation 18): an implicit step of ∂T/∂t = κ ∇²T on the cells that hold liquid.

    m_i (T_i' - T_i) = k Σ over neighbours j of c_ij (T_j' - T_i') + k Σ over warm walls of A/d (T_wall - T_i') ,
    k = κ dt/h²

m is the volume of the particles that stand for a cell, so what they carry back is what the cells exchanged. The
conductance c of a face is its open fraction, and beside air the share of liquid of the emptier of its two cells. The
free surface and walls without a temperature let nothing through. No T' is beyond the extremes of T and of the walls,
and without warm walls Σ m T' = Σ m T. The text leaves out 1/h².
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import LIQUID, NEAR_AIR, WALL, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.linear.diffusion import DiffusionOperator
from plash.linear.operators import PoissonOperator
from plash.linear.pcg import Solution
from plash.particles.scalars import CellMeans
from plash.physics.heat.contacts import Contacts
from plash.timing import stage

Array = NDArray[np.float64]

_TOLERANCE = 1e-10  # of the right-hand side
_LEAST_OPEN = 0.1  # share of a cell that is open, below which it counts as so much


@dataclass(frozen=True)
class Conduction:
    """Heat spreads evenly in all directions.

    Attributes:
        diffusivity: Thermal diffusivity κ, m²/s.
        h: Cell size, m.
    """

    diffusivity: float
    h: float

    def share_evened_out(self, dt: float) -> float:
        """Share of the differences inside a cell that dies away in dt: those of two cells' length, the slowest ones.

        >>> round(Conduction(diffusivity=1e-4, h=0.01).share_evened_out(dt=1e-3), 6)
        0.009821
        """
        return -math.expm1(-(math.pi**2) * self.diffusivity * dt / self.h**2)

    @stage
    def change(
        self, temperature: CellMeans, cells: Cells, contacts: Contacts, dt: float
    ) -> tuple[NDArray[np.float64], Solution]:
        """What conduction changes in dt: T' - T in K, zero where nothing is known; also tells how the solve went.

        It is the change that is solved for, and its mean is made exact in the end: then all that liquid gains is what
        walls give it, to the last bits.
        """
        number = self.diffusivity * dt / self.h**2
        value = np.where(temperature.is_known, temperature.value, 0.0)
        share = _liquid_shares(temperature, cells)
        weights = self._weights(share, cells, number)
        total, gain = _sums(weights, value, temperature, cells)
        touched, held = contacts.places, temperature.volume.copy()
        conductance = number * contacts.conductance * share[touched]
        np.add.at(held, touched, conductance)
        np.add.at(gain, touched, conductance * (contacts.temperature - value[touched]))
        exact = np.where(temperature.is_known, held + total, 0.0)
        rounded = PoissonOperator(cells.tiles, exact.astype(np.float32), weights)
        found, solution = DiffusionOperator(rounded, exact).solve(gain, _TOLERANCE)
        if not temperature.is_known.any():
            return found, solution
        found += (gain.sum() - (held * found).sum()) / held.sum()
        # The solve is exact to its tolerance, and no wall that nothing touches has a say
        ends = np.concatenate([temperature.value[temperature.is_known], contacts.temperature[conductance > 0]])
        np.clip(value + found, ends.min(), ends.max(), out=found, where=temperature.is_known)
        return np.where(temperature.is_known, found - value, 0.0), solution

    def _weights(self, share: Array, cells: Cells, number: float) -> NDArray[np.float32]:
        tiles = cells.tiles
        weights = np.zeros((tiles.dimension, *cells.label.shape), np.float32)
        fractions = None if cells.cut_cells is None else cells.cut_cells.face_fractions
        run = _conductances(tiles.shape, fractions is not None)
        openness = cells.faces if fractions is None else fractions
        run(share, openness, tiles.neighbours, tiles.slots, number, weights, chunk_count())
        return weights


def _liquid_shares(temperature: CellMeans, cells: Cells) -> Array:
    """How much of the open part of each cell is liquid: all of it, where no air is near."""
    around, _ = cells.surroundings
    full = (cells.label == LIQUID) & (around & NEAR_AIR == 0)
    open_share = 1.0 if cells.cut_cells is None else np.maximum(cells.cut_cells.volume, _LEAST_OPEN)
    share = np.where(full, 1.0, np.minimum(temperature.volume / open_share, 1.0))
    return np.where(temperature.is_known, share, 0.0)


def _sums(
    weights: NDArray[np.float32], value: Array, temperature: CellMeans, cells: Cells
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Σ w, and Σ w (T_j - T_i), over the faces of cells, in double precision."""
    tiles = cells.tiles
    total, gain = np.zeros(value.shape), np.zeros(value.shape)
    known = (np.flatnonzero(temperature.is_known.any(axis=(1, 2, 3)))).astype(np.int32)
    _sum_faces(tiles.shape)(weights, value, tiles.neighbours, known, total, gain, chunk_count())
    return total, gain


@for_tile_shape
def _conductances(shape: Shape, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    CUT = is_cut

    @kernel
    def run(share, openness, neighbours, tiles, number, weights, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, share, neighbours, t, BZ, BY, BX)
                for axis in range(DIM):
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                face = openness[axis, t, z, y, x]
                                opening = np.float64(face) if CUT else np.float64(face & WALL == 0)
                                least = min(block[o + x], block[o + x - step])
                                weights[axis, t, z, y, x] = np.float32(number * opening * least)

    return run


@for_tile_shape
def _sum_faces(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(weights, value, neighbours, tiles, total, gain, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX)
            faces = np.zeros(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, value, neighbours, t, BZ, BY, BX)
                for axis in range(DIM):
                    copy_cross(faces, weights[axis], neighbours, t, BZ, BY, BX)
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                m = o + x
                                low, high = np.float64(faces[m]), np.float64(faces[m + step])
                                flux = low * (block[m - step] - block[m]) + high * (block[m + step] - block[m])
                                total[t, z, y, x] += low + high
                                gain[t, z, y, x] += flux

    return run
