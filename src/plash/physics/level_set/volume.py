"""The volume inside a level set, found near its surface only.

With φ linear between cell centres, a cell that the surface may cut is divided into small ones, in each of which the
surface counts as a plane. What is farther from it than that is inside or not as a whole, and so is what has only such
neighbours. That is the volume which `particles/surface.py` finds from labels, without labels.

Reference: Enright et al. 2002, who measure so what a level set has lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_slots, corner_step, row_start
from plash.grid.sample import corner_weight
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage

_FAR = 1.5  # cells from the surface at which it cuts no cell, though φ be no distance yet


class _Open(NamedTuple):
    """What is closed, and the open share of cells; stand-ins that no kernel reads where all is open."""

    is_closed: NDArray[np.bool_]
    fractions: NDArray[np.float32]


@stage
def volume_inside(
    phi: CellField,
    h: float,
    is_closed: NDArray[np.bool_] | None = None,
    fractions: NDArray[np.float32] | None = None,
) -> float:
    """Volume of {φ < 0}, in cells.

    Args:
        phi: Level set, m.
        h: Cell size, m.
        is_closed: Cells that count nothing.
        fractions: Open share of cells; all of them, if not given.
    """
    return float(_measured(phi, h, is_closed, fractions, np.zeros((1, *phi.tiles.shape), np.float32)).sum())


@stage
def shares_inside(
    phi: CellField,
    h: float,
    is_closed: NDArray[np.bool_] | None = None,
    fractions: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """How much of each cell is in {φ < 0}, 0 to 1, as `volume_inside` counts it."""
    shares = np.zeros(phi.pool.shape, np.float32)
    _measured(phi, h, is_closed, fractions, shares)
    return shares


def _measured(
    phi: CellField,
    h: float,
    is_closed: NDArray[np.bool_] | None,
    fractions: NDArray[np.float32] | None,
    shares: NDArray[np.float32],
) -> NDArray[np.float64]:
    """Volume by tile, in cells; that of cells is written down, if there is room for more than slot 0."""
    tiles = phi.tiles
    partial = np.zeros(tiles.count + 1)
    held = _Open(
        np.zeros((1, *tiles.shape), np.bool_) if is_closed is None else is_closed,
        np.ones((1, *tiles.shape), np.float32) if fractions is None else fractions,
    )
    run = _measure(tiles.shape, is_closed is not None, fractions is not None)
    run(phi.pool, held, tiles.neighbours, np.float32(1 / h), shares, partial, chunk_count())
    return partial


@inlined
def _between_centres(block, o, sx, sy, sz, SY, SZ):
    """Linear interpolation at a place (sx, sy, sz) from the centre of a cell, in cells, each within ±1/2."""
    ox = 1 if sx > 0 else -1
    oy = SY if sy > 0 else -SY
    oz = SZ if sz > 0 else -SZ
    wx, wy, wz = abs(sx), abs(sy), abs(sz)
    total = np.float32(0)
    for corner in range(8 if SZ > 0 else 4):
        a, b, c = corner_step(corner)
        total += corner_weight(corner, wx, wy, wz, SZ == 0) * block[o + a * ox + b * oy + c * oz]
    return total


@inlined
def _look_round(block, closed, o, SY, SZ):
    """Whether the centre of any cell round one, or its own, is inside, and whether any is outside; of open cells."""
    is_wet, is_dry = False, False
    for c in range(3 if SZ > 0 else 1):
        for b in range(3):
            for a in range(3):
                m = o + (a - 1) + (b - 1) * SY + ((c - 1) * SZ if SZ > 0 else 0)
                if not closed[m]:
                    is_wet |= block[m] < 0
                    is_dry |= block[m] >= 0
    return is_wet, is_dry


@inlined
def _share_inside(block, o, PARTS, SY, SZ):
    """How much of a cell is inside, 0 to 1, by φ in cells."""
    DEEP = PARTS if SZ > 0 else 1
    half = np.float32(0.5)
    step = np.float32(1 / PARTS)
    inside = np.float32(0)
    for a in range(DEEP):
        sz = (np.float32(a) + half) * step - half if SZ > 0 else np.float32(0)
        for b in range(PARTS):
            sy = (np.float32(b) + half) * step - half
            for c in range(PARTS):
                sx = (np.float32(c) + half) * step - half
                phi = _between_centres(block, o, sx, sy, sz, SY, SZ)
                inside += min(max(half - phi * np.float32(PARTS), np.float32(0)), np.float32(1))
    return np.float64(inside) / (DEEP * PARTS * PARTS)


@for_tile_shape
def _measure(shape: Shape, has_closed: bool, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    PARTS = 4 if DIM == 2 else 2
    SZ = PY * PX if DIM == 3 else 0
    CLOSED = has_closed
    CUT = is_cut

    @kernel
    def run(pool, held, neighbours, per_metre, shares, partial, chunks):
        is_closed, fractions = held
        is_told = len(shares) > 1
        n = len(partial) - 1
        far = np.float32(_FAR)
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            closed = np.zeros(SIZE, np.bool_)
            for t in chunk_slots(c, chunks, n):
                low, high = np.float32(np.inf), np.float32(-np.inf)
                for z in range(BZ):
                    for y in range(BY):
                        row = pool[t, z, y]
                        for x in range(np.uint64(BX)):
                            low = row[x] if row[x] < low else low
                            high = row[x] if row[x] > high else high
                if low * per_metre > far:
                    continue
                if high * per_metre <= -far and not CUT:
                    # Deep inside, all that is open counts
                    count = 0
                    for z in range(BZ):
                        for y in range(BY):
                            for x in range(np.uint64(BX)):
                                is_open = not is_closed[t, z, y, x] if CLOSED else True
                                count += is_open
                                if is_told:
                                    shares[t, z, y, x] = np.float32(is_open)
                    partial[t] = count
                    continue
                copy_block(block, pool, neighbours, t, 1, BZ, BY, BX)
                if CLOSED:
                    copy_block(closed, is_closed, neighbours, t, 1, BZ, BY, BX)
                for m in range(SIZE):
                    block[m] *= per_metre
                total = 0.0
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            phi = block[o + x]
                            if phi > far or closed[o + x]:
                                continue
                            share = np.float64(fractions[t, z, y, x]) if CUT else 1.0
                            if phi > -far:
                                is_wet, is_dry = _look_round(block, closed, o + x, PX, SZ)
                                if not is_wet:
                                    continue
                                if is_dry:
                                    share *= _share_inside(block, o + x, PARTS, PX, SZ)
                            total += share
                            if is_told:
                                shares[t, z, y, x] = share
                partial[t] = total

    return run
