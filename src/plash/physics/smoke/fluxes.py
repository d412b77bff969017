"""What the air carries through the faces of cells: an advection that keeps mass to round-off.

    C φ' = C φ - Σ ± c φ_face ,      c = f u dt/(n h) ,   in n steps, in each of which q = Σ outflow c / C < 1
    φ_face = φ_up ± s/2 - Σ over axes c s/2 ,  s the harmonic mean of the slopes on both sides, none at an extreme

all of the cell upwind: its value at the face half a step later, of second order where φ is smooth. What is added to
φ_up is no more than φ_up, nor φ_up (1 - q)/q, so that no cell gives more than it has, and none becomes negative.

What leaves one cell enters the next, so that all there is changes by what goes out of the envelope alone. The
capacity C of a cell is 1, and in a cell that a solid cuts the open fraction of its widest face: a step empties it no
faster than a whole one.

Reference: van Leer 1974, 1977.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block, copy_cross
from plash.grid.cells import AIR, LIQUID, NEAR_LIQUID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, chunk_slice, row_start, stride
from plash.grid.tiles import Places, Shape, dimension_of
from plash.physics.smoke.swept import net_outflow
from plash.timing import stage

Pools = NDArray[np.float32]

_MOST = 0.8  # share of a cell that may flow out of it at once
_MOST_STEPS = 1000
_TINY = np.float32(1e-30)
_NOWHERE: Places = (np.zeros(0, np.int64),) * 4
_WITHIN = np.float32(0.999)  # of what a cell may give, so that round-off takes no more


class _Where(NamedTuple):
    """Where values are: neighbours of tiles, tiles that are followed, labels, and what is near each tile, as bits."""

    neighbours: NDArray[np.int32]
    tiles: NDArray[np.int32]
    label: NDArray[np.int8]
    together: NDArray[np.uint8]


class Outflow(NamedTuple):
    """What went out of the envelope, in cells: [field, tile, low and high by axis], of these tiles.

    `swept` is what is left by field, in cells, of that which solids that move will cover in time.
    """

    tiles: NDArray[np.int32]
    amount: NDArray[np.float64]
    swept: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Capacity:
    """How much of the air cells hold: all of a cell, or less where solids cut it.

    Attributes:
        share: C by cell [slot, z, y, x]; a stand-in that no kernel reads where no solid cuts any.
        is_cut: Whether a solid cuts any.
        narrowest: Open fraction of the narrowest face of cells; a stand-in like the first.
    """

    share: Pools
    is_cut: bool
    narrowest: Pools

    @staticmethod
    def of(cells: Cells) -> Capacity:
        """That of cells that are followed, zero elsewhere."""
        tiles = cells.tiles
        if cells.cut_cells is None:
            whole = np.ones((1, *tiles.shape), np.float32)
            return Capacity(whole, False, whole)
        share, narrowest = np.zeros(cells.label.shape, np.float32), np.ones(cells.label.shape, np.float32)
        run = _measure_faces(tiles.shape)
        run(cells.face_fractions, cells.label, tiles.neighbours, cells.liquid_tiles, share, narrowest, chunk_count())
        return Capacity(share, True, narrowest)

    def at(self, places: Places) -> NDArray[np.float64]:
        """C of some cells."""
        return self.share[places].astype(np.float64) if self.is_cut else np.ones(len(places[0]))


@stage
def carried_by_fluxes(
    scalars: Pools, velocity: FaceField, cells: Cells, capacity: Capacity, scaled: float, beside: Places = _NOWHERE
) -> tuple[Pools, Outflow]:
    """Fields [field, slot, z, y, x] after a step, and what left the envelope.

    Args:
        scalars: Before the step.
        velocity: On faces, m/s.
        cells: What is followed.
        capacity: How much cells hold.
        scaled: dt/h, s/m.
        beside: Cells that solids that move touch.
    """
    tiles, slots = cells.tiles, cells.wet_tiles
    crossing, worst = np.empty_like(velocity.pool), np.zeros(max(1, len(slots)))
    emptied = np.empty(cells.label.shape, np.float32)
    crossing[:, ~cells.wet], emptied[~cells.wet] = 0.0, 0.0
    run = _find_crossing(tiles.shape, capacity.is_cut)
    parts = velocity.pool, cells.faces, cells.face_fractions
    given = (capacity.share, tiles.neighbours, slots)
    run(parts, np.float32(scaled), given, crossing, emptied, worst, chunk_count())
    steps = max(1, math.ceil(float(worst.max()) / _MOST)) if worst.max() < _MOST * _MOST_STEPS else _MOST_STEPS
    crossing *= np.float32(1 / steps)
    _find_room(emptied.reshape(-1), np.float32(1 / steps), chunk_count())
    now, after = scalars, np.zeros_like(scalars)
    inside = cells.liquid_tiles
    amount, swept = np.zeros((len(scalars), len(inside), 6)), np.zeros(len(scalars))
    holds = capacity.at(beside)
    shrunk = holds - net_outflow(crossing, cells, beside) if len(holds) else holds
    run = _flow(tiles.shape, capacity.is_cut)
    where = _Where(tiles.neighbours, inside, cells.label, cells.surroundings[1])
    for number in range(steps):
        run(now, crossing, emptied, where, capacity.share, after, amount, chunk_count())
        if len(holds):
            for field, pool in enumerate(after):
                kept = pool[beside]
                pool[beside] = kept * (holds / shrunk)
                swept[field] += float(((pool[beside].astype(np.float64) - kept) * holds).sum())
        now, after = after, (np.zeros_like(scalars) if number == 0 and steps > 1 else now)
    return now, Outflow(inside, amount, swept)


@for_tile_shape
def _measure_faces(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(fractions, label, neighbours, tiles, widest, narrowest, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    copy_cross(block, fractions[axis], neighbours, t, BZ, BY, BX)
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                if label[t, z, y, x] == LIQUID:
                                    low, high = block[o + x], block[o + x + step]
                                    widest[t, z, y, x] = max(widest[t, z, y, x], low, high)
                                    narrowest[t, z, y, x] = min(narrowest[t, z, y, x], low, high)

    return run


@for_tile_shape
def _find_crossing(shape: Shape, is_cut: bool) -> Kernel:
    """Share of a cell that crosses each face, which share of its capacity leaves each cell, and the most of a tile."""
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    CUT = is_cut

    @kernel
    def run(parts, scaled, given, crossing, emptied, worst, chunks):
        velocity, faces, fractions = parts
        capacity, neighbours, tiles = given
        n = len(tiles)
        zero = np.float32(0)
        for c in prange(chunks):
            block, share, total = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32)
            bits = np.zeros(SIZE, np.uint8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                total[:] = 0
                for axis in range(DIM):
                    copy_cross(block, velocity[axis], neighbours, t, BZ, BY, BX)
                    copy_cross(bits, faces[axis], neighbours, t, BZ, BY, BX)
                    if CUT:
                        copy_cross(share, fractions[axis], neighbours, t, BZ, BY, BX)
                    for m in range(SIZE):
                        passed = block[m] * scaled * share[m] if CUT else block[m] * scaled
                        block[m] = passed if bits[m] & 3 == 1 else zero
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                crossing[axis, t, z, y, x] = block[o + x]
                                total[o + x] += max(block[o + x + step], zero) + max(-block[o + x], zero)
                highest = zero
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            share_out = total[o + x]
                            if CUT:
                                room = capacity[t, z, y, x]
                                share_out = share_out / room if room > 0 else zero
                            emptied[t, z, y, x] = share_out
                            highest = max(highest, share_out)
                worst[i] = highest

    return run


@kernel
def _find_room(emptied, scale, chunks):
    """Make (1 - q)/q of q, which is given for all steps together: what a face may have above φ_up, over φ_up."""
    n = len(emptied)
    one = np.float32(1)
    for c in prange(chunks):
        part = emptied[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            q = max(part[m] * scale, np.float32(1e-3))
            part[m] = min(_WITHIN * (one - q) / q, _WITHIN)


@inlined
def _find_slopes(slope, later, block, crossing, STEP, FIRST, LAST):
    """Limited slopes along the axis of a STEP, and what they take away in half a step, in a block of halo 2."""
    zero, two, quarter = np.float32(0), np.float32(2), np.float32(0.25)
    step = np.uint64(STEP)
    for m in range(np.uint64(FIRST), np.uint64(LAST)):
        before, behind = block[m] - block[m - step], block[m + step] - block[m]
        # 2ab/(a + b) where a and b have the same sign, written without a branch
        both = before + behind
        slope[m] = two * max(before * behind, zero) * both / (both * both + _TINY)
        later[m] -= quarter * (crossing[m] + crossing[m + step]) * slope[m]


@inlined
def _find_fluxes(flux, slope, later, block, room, crossing, STEP, FIRST, LAST):
    """c φ_face on the minimal faces from FIRST to LAST across the axis of a STEP."""
    half, zero = np.float32(0.5), np.float32(0)
    step = np.uint64(STEP)
    for m in range(np.uint64(FIRST), np.uint64(LAST)):
        c = crossing[m]
        most = abs(block[m - step]) * room[m - step]
        from_below = block[m - step] + min(max(later[m - step] + half * slope[m - step], -most), most)
        most = abs(block[m]) * room[m]
        from_above = block[m] + min(max(later[m] - half * slope[m], -most), most)
        flux[m] = max(c, zero) * from_below + min(c, zero) * from_above


@inlined
def _count_outflow(outflow, flux, labels, o, q, DIM, PY, PX, QY, QX):
    """Add what flows from one cell into neighbours that are not followed."""
    for axis in range(DIM):
        step, ahead = stride(axis, QY, QX), stride(axis, PY, PX)
        if labels[q - step] == AIR:
            outflow[2 * axis] -= np.float64(flux[axis, o])
        if labels[q + step] == AIR:
            outflow[2 * axis + 1] += np.float64(flux[axis, o + ahead])


@for_tile_shape
def _flow(shape: Shape, is_cut: bool) -> Kernel:
    """One step of all fields; counts what flows into cells that are not followed."""
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 2)
    _, QY, QX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    LABELS = (BZ + 2 if DIM == 3 else 1) * QY * QX
    LAYER = 1 if DIM == 3 else 0
    FIRST = (PX * PY if DIM == 3 else 0) + PX + 1
    LAST = SIZE - FIRST
    START, STOP = HZ * PX * PY + 2 * PX, SIZE - HZ * PX * PY - PX
    CUT = is_cut

    @kernel
    def run(fields, crossing, room, where, capacity, result, outflow, chunks):
        neighbours, tiles, label, together = where
        n = len(tiles)
        for c in prange(chunks):
            shares, flux = np.empty((DIM, SIZE), np.float32), np.zeros((DIM, SIZE), np.float32)
            block, later, rooms = np.empty(SIZE, np.float32), np.zeros(SIZE, np.float32), np.empty(SIZE, np.float32)
            flux_x, flux_y, flux_z = flux[0], flux[1], flux[DIM - 1]
            slope = np.zeros((DIM, SIZE), np.float32)
            labels = np.zeros(LABELS, np.int8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                is_whole = together[t] == NEAR_LIQUID and not CUT
                for axis in range(DIM):
                    copy_block(shares[axis], crossing[axis], neighbours, t, 2, BZ, BY, BX)
                copy_block(rooms, room, neighbours, t, 2, BZ, BY, BX)
                if not is_whole:
                    copy_cross(labels, label, neighbours, t, BZ, BY, BX)
                for f in range(len(fields)):
                    copy_block(block, fields[f], neighbours, t, 2, BZ, BY, BX)
                    later[:] = 0
                    _find_slopes(slope[0], later, block, shares[0], 1, FIRST, LAST)
                    _find_slopes(slope[1], later, block, shares[1], PX, FIRST, LAST)
                    if DIM == 3:
                        _find_slopes(slope[2], later, block, shares[2], PX * PY, FIRST, LAST)
                    _find_fluxes(flux[0], slope[0], later, block, rooms, shares[0], 1, START, STOP)
                    _find_fluxes(flux[1], slope[1], later, block, rooms, shares[1], PX, START, STOP)
                    if DIM == 3:
                        _find_fluxes(flux[2], slope[2], later, block, rooms, shares[2], PX * PY, START, LAST)
                    for z in range(BZ):
                        for y in range(BY):
                            o = ((z + HZ) * PY + y + 2) * PX + 2
                            q = row_start(z, y, LAYER, QY, QX)
                            row = result[f, t, z, y]
                            for x in range(np.uint64(BX)):
                                m = np.uint64(o) + x
                                net = flux_x[m] - flux_x[m + np.uint64(1)] + flux_y[m] - flux_y[m + np.uint64(PX)]
                                if DIM == 3:
                                    net += flux_z[m] - flux_z[m + np.uint64(PX * PY)]
                                if CUT:
                                    share = capacity[t, z, y, x]
                                    net = net / share if share > 0 else np.float32(0)
                                row[x] = block[m] + net
                            if is_whole:
                                continue
                            for x in range(BX):
                                if labels[q + x] != LIQUID:
                                    row[x] = np.float32(0)
                                else:
                                    _count_outflow(outflow[f, i], flux, labels, o + x, q + x, DIM, PY, PX, QY, QX)

    return run
