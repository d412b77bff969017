"""What smoke does where solids move: they push it aside and draw it after them, and take none of it along.

A body that goes on by a step sweeps a part of the cells it touches. The pressure lets just as much air flow out of
them, or in behind the body: Σ ± c ≠ 0, in shares of the cell. So a cell that held C holds C - Σ ± c after the step, and

    φ' = (C φ - Σ ± c φ_face) / (C - Σ ± c)

leaves even smoke even. A cell that the body has left takes the mean of the open cells beside it.

Reference: van Leer 1977, for the fluxes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import LIQUID, NEAR_SOLID, SOLID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.differences import divergence
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Places, Shape, dimension_of
from plash.physics.solids.base import Solids
from plash.timing import stage

Pools = NDArray[np.float32]

_DEEPEST = 3  # cells that a body may leave in a step, one behind the other
_KNOWN, _WANTED = np.int8(1), np.int8(2)


def touched(solids: Solids, cells: Cells, narrowest: Pools | None) -> Places:
    """The cells of air that solids that move touch.

    Args:
        solids: Those of the scene.
        cells: What each cell is.
        narrowest: Open fraction of the narrowest face of cells; None if all are whole.
    """
    places = solids.moving.close_by
    near = cells.surroundings[0][places] & NEAR_SOLID > 0
    if narrowest is not None:
        near |= narrowest[places] < 1
    near &= cells.label[places] == LIQUID
    return tuple(part[near] for part in places)


def net_outflow(crossing: Pools, cells: Cells, places: Places) -> NDArray[np.float64]:
    """Σ ± c of some cells, with the share c of a cell that crosses each face [axis, slot, z, y, x]."""
    net: NDArray[np.float64] = divergence(FaceField(cells.tiles, crossing), replace(cells, cut_cells=None))[places]
    return net


@stage
def take_place(scalars: Pools, before: Cells, cells: Cells) -> None:
    """Clear fields [field, slot, z, y, x] where solids have come, and continue them to where solids have left.

    Args:
        scalars: What the air carries.
        before: What each cell was.
        cells: What it is now, on the same tiles.
    """
    if before is cells:
        return
    scalars[:, cells.label == SOLID] = 0.0
    state = np.where(cells.label == LIQUID, _KNOWN, np.int8(0))
    state[(before.label == SOLID) & (cells.label == LIQUID)] = _WANTED
    tiles = cells.tiles
    for _ in range(_DEEPEST):
        slots = (np.flatnonzero((state[1:] == _WANTED).any(axis=(1, 2, 3))) + 1).astype(np.int32)
        if len(slots) == 0:
            return
        found = state.copy()
        _continue(tiles.shape)(scalars, state, tiles.neighbours, slots, found, chunk_count())
        state = found


@for_tile_shape
def _continue(shape: Shape) -> Kernel:
    """The mean of the known cells beside each cell that is wanted, which is known then."""
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)

    @kernel
    def run(fields, state, neighbours, tiles, found, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block, states = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.int8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(states, state, neighbours, t, BZ, BY, BX)
                for f in range(len(fields)):
                    copy_cross(block, fields[f], neighbours, t, BZ, BY, BX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                if states[o + x] != _WANTED:
                                    continue
                                total, count = np.float32(0), 0
                                for axis in range(DIM):
                                    step = stride(axis, PY, PX)
                                    if states[o + x - step] == _KNOWN:
                                        total, count = total + block[o + x - step], count + 1
                                    if states[o + x + step] == _KNOWN:
                                        total, count = total + block[o + x + step], count + 1
                                if count > 0:
                                    fields[f, t, z, y, x] = total / np.float32(count)
                                    found[t, z, y, x] = _KNOWN

    return run
