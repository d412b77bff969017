"""Where the liquid's surface is: a signed distance from the volumes that particles carry.

Each particle spreads its volume V over the cell centres round it with W, a product of hats of half-width h. Closed
sides of the domain are mirrors: what would go beyond comes back, and none of it is lost. Divided by S, the share of W
that lies outside solids, that is the filled share of the space round a cell centre,

    f_c = Σ V_p W(x_c - x_p) / S_c ,    q = 2 clamp(f_c, 0, 1) - 1 ,    φ_c = -h sgn(q) (1 - √(1 - |q|))

Without mirrors (S = 7/8 beside a side) particles that lie on the floor count for 4/7 of their volume only: the density
projection would draw more of them there, and in minutes liquid would vanish.

A half-space of liquid with its surface at a height d above c fills 1/2 + d - d|d|/2 of a hat (d in cells): φ inverts
this, so it is exact for a flat surface along the axes, at any height in a cell, beside walls as well. It is
saturated at ±h, which both cells beside the surface stay within. Docs/theory.md has the measured errors, and those
of a union of balls and of Zhu & Bridson's average.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import add_block, block_sizes, copy_block
from plash.grid.cells import NEAR_AIR, NEAR_LIQUID, SOLID, Cells, CutCells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel, serial_kernel
from plash.grid.extrapolate import extrapolate
from plash.grid.fields import CellField, FaceField
from plash.grid.lanes import add_two
from plash.grid.loops import CENTRE, chunk_range, chunk_slice, corner_step, row_start, tile_beside
from plash.grid.sample import corner_weight
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.particles import Particles
from plash.particles.positions import BATCH, corner_of_batch, find_corners, last_place, spread_to_corners
from plash.timing import stage

ClosedSides = Sequence[tuple[int, int, int]]  # axis, the last cell inside, and 1 or -1: the way out

_LAYERS_IN_SOLIDS = 2  # cells deep that the surface is continued into solids: interpolation reads no further
_POOR_SHARE = 0.3  # of the hat kernel in open space, below which too few particles tell how full it is


def fill_fraction(
    particles: Particles, inverse_kernel_weight: NDArray[np.float32], closed: ClosedSides = ()
) -> CellField:
    """Share f of the space round each cell centre that liquid fills: 1 inside, 1/2 on a flat surface, 0 in air.

    Args:
        particles: Sorted.
        inverse_kernel_weight: 1/S by cell; NaN in solids, where f is unknown.
        closed: The closed sides of the domain.
    """
    return filled_share(spread_volume(particles, closed), inverse_kernel_weight)


@stage
def spread_volume(particles: Particles, closed: ClosedSides = ()) -> CellField:
    """Volume Σ V W in cells that sorted particles spread round each cell centre, with closed sides as mirrors."""
    tiles = particles.tiles
    assert tiles is not None, "particles must be sorted"
    volume = CellField.filled(tiles, 0.0)
    deposit = _deposit(tiles.shape)
    for colour in tiles.colours:
        busy = colour[particles.starts[colour + 1] > particles.starts[colour]]
        deposit(particles.places, particles.volume, particles.in_tiles(tiles), busy, volume.pool, chunk_count())
    for axis, inside, outwards in closed:
        reflect(volume.pool, tiles, axis, inside, outwards)
    return volume


@stage
def filled_share(volume: CellField, inverse_kernel_weight: NDArray[np.float32]) -> CellField:
    """Fill fraction f from the volume spread round cell centres and 1/S."""
    fill = CellField(volume.tiles, volume.pool.copy())
    _scale(fill.pool.reshape(-1), inverse_kernel_weight.reshape(-1), chunk_count())
    return fill


def reflect(pool: NDArray[np.floating], tiles: Tiles, axis: int, inside: int, outwards: int) -> None:
    """Add to the cells inside of a closed side what the cells beyond it have."""
    size = tiles.shape[2 - axis]
    slots = np.flatnonzero(tiles.origins[1:, axis] == inside // size * size) + 1
    here, beyond = inside % size, inside % size + outwards
    behind = slots if 0 <= beyond < size else tiles.neighbours[slots, CENTRE + outwards * 3**axis]
    layers = np.moveaxis(pool, 3 - axis, 1)
    layers[slots, here] += layers[behind, beyond % size]


@stage
def liquid_distance(fill: CellField, h: float) -> CellField:
    """Signed distance φ (m) of cell centres to the liquid's surface from the fill fraction; saturated at ±h.

    Unknown in solids, where the fill fraction is.
    """
    phi = CellField.filled(fill.tiles, np.float32(h))
    _invert(fill.pool.reshape(-1), phi.pool.reshape(-1), np.float32(h), chunk_count())
    return phi


@stage
def complete_distance(
    phi: CellField,
    h: float,
    is_solid: NDArray[np.bool_],
    inverse_kernel_weight: NDArray[np.float32],
    cut_cells: CutCells | None,
) -> None:
    """Continue the distance φ to the surface into cells that solids cut, and into solids.

    Cells that a solid leaves little of hold few particles, or none. Where that is too little to know f, φ is that of
    the cells they are open to, by how much they are. Where f is poorly known they are liquid if all of those are: no
    hole in the liquid opens at a wall. Into solids φ goes on as constant along their normal, so that no film of air
    lines a wall; deep in solids it is unknown.

    Args:
        phi: Distance (m), unknown where the fill fraction is; is changed.
        h: Cell size, m.
        is_solid: By cell.
        inverse_kernel_weight: 1/S by cell, NaN where f is unknown.
        cut_cells: How open faces are, if solids cut cells.
    """
    if cut_cells is not None:
        values = phi.pool.reshape(-1)
        unknown, poor = _cells_to_complete(phi, is_solid, inverse_kernel_weight)
        for _ in range(_LAYERS_IN_SOLIDS):
            mean = _seen_through_faces(phi, unknown, is_solid, cut_cells)[0]
            values[unknown] = mean
            unknown = unknown[np.isnan(mean)]
        values[unknown] = np.float32(h)
        mean, highest = _seen_through_faces(phi, poor, is_solid, cut_cells)
        values[poor] = np.where(highest < 0, np.minimum(values[poor], mean), values[poor])
    if is_solid.any():
        extrapolate(FaceField(phi.tiles, phi.pool[None]), _LAYERS_IN_SOLIDS)


def _cells_to_complete(
    phi: CellField, is_solid: NDArray[np.bool_], inverse_kernel_weight: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the open cells where the distance is unknown, and of those where it is poorly known."""
    room = np.empty((2, phi.pool.size), np.int64)
    pools = (pool.reshape(len(pool), -1) for pool in (phi.pool, is_solid, inverse_kernel_weight))
    unknown, poor = _list_to_complete(*pools, np.float32(1 / _POOR_SHARE), room)
    return room[0, :unknown], room[1, :poor]


def _seen_through_faces(
    phi: CellField, numbers: NDArray[np.int64], is_solid: NDArray[np.bool_], cut_cells: CutCells
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and highest of the known values that cells are open to, the mean by how open faces are; if none NaN, 0."""
    tiles = phi.tiles
    seen = np.empty((2, len(numbers)))
    fractions = cut_cells.face_fractions
    _look_through_faces(tiles.shape)(
        numbers,
        phi.pool.reshape(-1),
        is_solid.reshape(-1),
        fractions.reshape(len(fractions), -1),
        tiles.neighbours,
        seen,
    )
    mean, highest = seen
    return mean, highest


@stage
def liquid_volume(phi: CellField, cells: Cells, h: float) -> float:
    """Volume of {φ < 0} outside solids, in cells, with φ linear between cell centres.

    A cell that a solid cuts counts with its open share.
    """
    tiles = phi.tiles
    partial = np.zeros(tiles.count + 1)
    around, together = cells.surroundings
    busy = np.flatnonzero(together & NEAR_LIQUID)
    run = _measure(tiles.shape, cells.cut_cells is not None)
    held = _Held(cells.label, around, cells.cell_fractions)
    run(phi.pool, held, tiles.neighbours, busy, np.float32(1 / h), partial, chunk_count())
    return float(partial.sum())


@for_tile_shape
def _deposit(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, _ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    DEPTH = 1 if BZ == 1 else 2
    LAST = last_place(BX)

    @kernel
    def run(places, volume, in_tiles, tiles, fill, chunks):
        starts, origins, neighbours, _ = in_tiles
        n = len(tiles)
        sides = 1, 1, 1
        for c in prange(chunks):
            block = np.empty(PZ * PY * PX, np.float32)
            corner = np.zeros((2, 3, BATCH), np.int32)
            share = np.zeros((2, 3, BATCH), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                block[:] = np.float32(0)
                for first in range(np.uint64(starts[t]), np.uint64(starts[t + 1]), np.uint64(BATCH)):
                    size = min(np.uint64(BATCH), np.uint64(starts[t + 1]) - first)
                    find_corners(corner, share, places, origins, t, first, size, DIM, LAST)
                    for k in range(size):
                        m, fx, fy, fz = corner_of_batch(corner, share, k, sides, PY, PX, DIM)
                        left, right = spread_to_corners(volume[first + k], fx, fy, fz, DIM)
                        for row in range(2 * DEPTH):
                            place = m + np.uint64((row >> 1) * PY * PX + (row & 1) * PX)
                            add_two(block, place, left[row], right[row])
                add_block(block, 0, 1, fill, neighbours, t, BZ, BY, BX)

    return run


@kernel
def _scale(fill, inverse_kernel_weight, chunks):
    n = len(fill)
    for c in prange(chunks):
        part = fill[chunk_slice(c, chunks, n)]
        factors = inverse_kernel_weight[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            part[m] *= factors[m]


@inlined_plainly
def distance_of_excess(q, h):
    """Distance of a hat of half-width h to a flat surface, from q = 2f - 1, f the share of it that is filled."""
    one = np.float32(1)
    outside = h * (one - np.sqrt(one - abs(q)))
    return -outside if q > 0 else outside


@kernel
def _invert(fill, phi, h, chunks):
    n = len(fill)
    one = np.float32(1)
    for c in prange(chunks):
        part = fill[chunk_slice(c, chunks, n)]
        result = phi[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            f = part[m]
            # Written so that NaN stays NaN
            q = f + f - one
            q = one if q > one else q
            q = -one if q < -one else q
            result[m] = distance_of_excess(q, h)


@serial_kernel
def _list_to_complete(phi, is_solid, inverse_kernel_weight, most, room):
    unknown, poor = 0, 0
    for t in range(1, len(phi)):
        values, solid, inverse = phi[t], is_solid[t], inverse_kernel_weight[t]
        some = 0
        for m in range(np.uint64(len(values))):
            some |= (values[m] != values[m]) | (inverse[m] > most)
        if not some:
            continue
        for m in range(len(values)):
            if values[m] != values[m] and not solid[m]:
                room[0, unknown] = t * len(values) + m
                unknown += 1
            if inverse[m] > most:
                room[1, poor] = t * len(values) + m
                poor += 1
    return unknown, poor


@for_tile_shape
def _look_through_faces(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    SIZE = BZ * BY * BX
    DIM = dimension_of(shape)

    @serial_kernel
    def run(numbers, phi, is_solid, fractions, neighbours, seen):
        for i in range(len(numbers)):
            here = numbers[i]
            t, m = here // SIZE, here % SIZE
            total, weight, highest = 0.0, 0.0, -np.inf
            apart, size, further = 1, BX, 1
            for axis in range(DIM):
                along = m // apart % size
                for step in (-1, 1):
                    beside, place = tile_beside(along + step, size)
                    cell = neighbours[t, CENTRE + beside * further] * SIZE + m + (place - along) * apart
                    fraction = fractions[axis, here if step < 0 else cell]
                    value = phi[cell]
                    if value != value or is_solid[cell] or not fraction > 0:
                        continue
                    total += np.float64(fraction * value)
                    weight += np.float64(fraction)
                    highest = max(highest, np.float64(value))
                apart *= size
                size = BY if axis == 0 else BZ
                further *= 3
            seen[0, i] = total / weight if weight > 0 else np.nan
            seen[1, i] = highest if weight > 0 else 0.0

    return run


@inlined_plainly
def _between_centres(block, o, sx, sy, sz, SY, SZ):
    """Linear interpolation at a place (sx, sy, sz) from the centre of a cell, in cells, each within ±1/2."""
    centre = block[o]
    ox = 1 if sx > 0 else -1
    oy = SY if sy > 0 else -SY
    oz = SZ if sz > 0 else -SZ
    wx, wy, wz = abs(sx), abs(sy), abs(sz)
    total = np.float32(0)
    for corner in range(8 if SZ > 0 else 4):
        a, b, c = corner_step(corner)
        w = corner_weight(corner, wx, wy, wz, SZ == 0)
        value = block[o + a * ox + b * oy + c * oz]
        total += w * (value if value == value else centre)
    return total


class _Held(NamedTuple):
    """What cells hold, the bits of what is near them, and their open share."""

    label: NDArray[np.int8]
    around: NDArray[np.uint8]
    fractions: NDArray[np.float32]


@for_tile_shape
def _measure(shape: Shape, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    PARTS = 4 if DIM == 2 else 2  # samples along each side of a cut cell, each taken as a small plane
    DEEP = PARTS if DIM == 3 else 1
    SZ = PY * PX if DIM == 3 else 0
    CUT = is_cut

    @kernel
    def run(phi, held, neighbours, tiles, per_metre, partial, chunks):
        label, around, fractions = held
        n = len(tiles)
        half = np.float32(0.5)
        step = np.float32(1 / PARTS)
        scale = np.float32(PARTS) * per_metre
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(block, phi, neighbours, t, 1, BZ, BY, BX)
                total = 0.0
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            near = around[t, z, y, x]
                            if label[t, z, y, x] == SOLID or near & NEAR_LIQUID == 0:
                                continue
                            share = np.float64(fractions[t, z, y, x]) if CUT else 1.0
                            if near & NEAR_AIR == 0:
                                total += share
                                continue
                            inside = np.float32(0)
                            for a in range(DEEP):
                                sz = (np.float32(a) + half) * step - half if DIM == 3 else np.float32(0)
                                for b in range(PARTS):
                                    sy = (np.float32(b) + half) * step - half
                                    for k in range(PARTS):
                                        sx = (np.float32(k) + half) * step - half
                                        solid_phi = _between_centres(block, o + x, sx, sy, sz, PX, SZ)
                                        inside += min(max(half - solid_phi * scale, np.float32(0)), np.float32(1))
                            total += share * np.float64(inside) / (DEEP * PARTS * PARTS)
                partial[t] = total

    return run
