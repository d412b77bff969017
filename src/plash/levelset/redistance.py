"""Signed distance from any function with the same surface: |∇φ| = 1 in a band round the zero set.

Beside the surface, distances follow from where φ changes sign along the grid lines, and stay. Away from it, every
cell solves the upwind form of |∇φ| = 1 with its face neighbours,

    Σ over axes max(d - d_a, 0)² = h²,    d_a the smaller of the two neighbours along axis a,

which looks at smaller distances only: the solution is unique, in whatever order it is found. Fast marching takes
cells one by one in order of distance. Here whole tiles relax until nothing moves, and a tile is woken when
distances behind one of its faces have become smaller. Reference: Sethian 1996, fast marching.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField
from plash.grid.loops import ABOVE, BACK, BELOW, CENTRE, FRONT, LEFT, RIGHT, chunk_range, chunk_slots, row_start
from plash.grid.tiles import Shape, dimension_of
from plash.timing import stage

# Columns of the neighbour table: a tile's neighbours at -z, -y, -x, itself, and those at +x, +y, +z
_CROSS = (FRONT, BELOW, LEFT, CENTRE, RIGHT, ABOVE, BACK)

_TOLERANCE = np.float32(1e-4)  # of a cell: smaller moves wake nobody
_SMALLEST = np.float32(1e-30)  # distance, in metres, of a negative cell on the surface: the sign must not get lost


@stage
def redistance(phi: CellField, width: float, h: float, is_closed: NDArray[np.bool_] | None = None) -> CellField:
    """The signed distance (m) to the surface φ = 0, to first order, within a width of it: |∇φ| = 1.

    The surface runs between cells of which one is negative and the other is not. These take
    d = (Σ over axes 1/d_a²)^(-1/2), where φ vanishes along axis a at d_a = h |φ|/|φ - φ_neighbour|, on the nearer
    side. That is between the cells, or beyond a neighbour if |φ| falls towards it: without the latter a slanted
    plane would move. Every cell keeps its sign. The zero set moves by less than 0.1 h, a plane not at all. An absent
    tile tells nothing: it is no surface, and no distance is measured through it.

    Args:
        phi: Any function (float32) whose sign tells the two sides apart.
        width: How far from the surface distances are wanted, in metres.
        h: Size of a cell, in metres.
        is_closed: Cells that tell nothing, as absent tiles do: no surface is in them, and distances go round them.

    Returns:
        The distance on the same tiles; ±width where the surface is farther than that, +width where no tile is, and in
        closed cells.
    """
    tiles = phi.tiles
    pool = phi.pool if is_closed is None else np.where(is_closed, np.float32(np.nan), phi.pool)
    neighbours = tiles.neighbours
    h32, width32 = np.float32(h), np.float32(width)
    chunks = chunk_count()
    distance = CellField.filled(tiles, width32)

    # Beside the surface
    slots = _surface_tiles(pool.reshape(len(neighbours), -1), neighbours)
    reach = np.zeros((len(slots), len(_CROSS)), np.bool_)
    if is_closed is not None:
        distance.pool[is_closed] = -width32
    _measure(tiles.shape)(pool, distance.pool, neighbours, slots, h32, width32, reach, chunks)

    # Away from it: tiles take turns by the colours of a chessboard, so that neighbours rest while a tile changes
    awake = _reached(neighbours, slots, reach)
    colour = tiles.coordinates.sum(axis=1) & 1
    turn = 0
    while len(awake):
        mine = colour[awake] == turn
        slots = awake[mine]
        reach = np.zeros((len(slots), len(_CROSS)), np.bool_)
        _relax(tiles.shape)(distance.pool, neighbours, slots, h32, reach, chunks)
        awake = np.union1d(awake[~mine], _reached(neighbours, slots, reach))
        turn = 1 - turn

    _give_sign(distance.pool.reshape(len(neighbours), -1), pool.reshape(len(neighbours), -1), chunks)
    return distance


def _surface_tiles(phi: NDArray[np.float32], neighbours: NDArray[np.int32]) -> NDArray[np.int32]:
    """Slots of the tiles that see both signs of φ, in themselves or in a neighbour."""
    signs = np.stack([np.fmin.reduce(phi, axis=1) < 0, np.fmax.reduce(phi, axis=1) >= 0])
    signs[:, 0] = False
    seen = np.logical_or.reduce([signs[:, neighbours[:, column]] for column in _CROSS])
    return np.flatnonzero(seen.all(axis=0)).astype(np.int32)


def _reached(neighbours: NDArray[np.int32], slots: NDArray[np.int32], reach: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Slots, each once and in order, of the tiles that exist where reach[i, column of _CROSS] says so."""
    reached = np.unique(neighbours[slots][:, _CROSS][reach])
    return reached[reached > 0]


@inlined
def _mark_reach(reach, first, some, last, z, y, BZ, BY):
    """Mark the tiles that have certain cells of a row or see them across a face: its first, its last, or some."""
    reach[0] |= some & (z == 0)
    reach[1] |= some & (y == 0)
    reach[2] |= first
    reach[3] |= some
    reach[4] |= last
    reach[5] |= some & (y == BY - 1)
    reach[6] |= some & (z == BZ - 1)


@inlined
def _fill_face(block, first, rows, row, columns, column, value):
    for i in range(rows):
        for j in range(columns):
            block[first + i * row + j * column] = value


@inlined
def _forget_absent(block, neighbours, t, HZ, BZ, BY, BX):
    """Make the halo unknown (NaN) where no tile is: a background value says nothing about the surface."""
    unknown = np.float32(np.nan)
    SY = BX + 2
    SZ = SY * (BY + 2)
    first = HZ * SZ + SY + 1
    if neighbours[t, LEFT] == 0:
        _fill_face(block, first - 1, BZ, SZ, BY, SY, unknown)
    if neighbours[t, RIGHT] == 0:
        _fill_face(block, first + BX, BZ, SZ, BY, SY, unknown)
    if neighbours[t, BELOW] == 0:
        _fill_face(block, first - SY, BZ, SZ, BX, 1, unknown)
    if neighbours[t, ABOVE] == 0:
        _fill_face(block, first + BY * SY, BZ, SZ, BX, 1, unknown)
    if HZ > 0 and neighbours[t, FRONT] == 0:
        _fill_face(block, first - SZ, BY, SY, BX, 1, unknown)
    if HZ > 0 and neighbours[t, BACK] == 0:
        _fill_face(block, first + BZ * SZ, BY, SY, BX, 1, unknown)


@inlined
def _opposite(a, b):
    """Whether the surface runs between two values of φ; never beside an unknown one."""
    return ((a < 0) & (b >= 0)) | ((a >= 0) & (b < 0))


@inlined
def _steepness(phi, m, n):
    """h over the distance from cell m to where φ vanishes on the line through m and n; not positive if behind m."""
    ratio = abs(phi[n]) / abs(phi[m])
    return np.float32(1) + (ratio if _opposite(phi[m], phi[n]) else -ratio)


@inlined
def _squared_steepness(phi, m, step):
    """(h/d_a)² with d_a the distance of the surface along an axis, on the nearer side; 0 if it is on neither."""
    before = _steepness(phi, m, m - step)
    after = _steepness(phi, m, m + step)
    # Where no tile is, the line goes straight on
    before = before if before == before else -after
    after = after if after == after else -before
    steepest = before if before > after else after
    return steepest * steepest if steepest > 0 else np.float32(0)


@for_tile_shape
def _measure(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    SY, SZ = PX, PX * PY
    FIRST = HZ * SZ + SY + 1
    DIM = dimension_of(shape)

    @kernel
    def run(pool, distance, neighbours, slots, h, width, reach, chunks):
        n = len(slots)
        for c in prange(chunks):
            phi = np.zeros(SIZE, np.float32)
            squares = np.zeros(SIZE, np.float32)
            beside = np.zeros(SIZE, np.bool_)
            for i in chunk_range(c, chunks, n):
                t = slots[i]
                copy_cross(phi, pool, neighbours, t, BZ, BY, BX)
                _forget_absent(phi, neighbours, t, HZ, BZ, BY, BX)
                for m in range(SIZE):
                    squares[m] = 0
                    beside[m] = False
                for axis in range(DIM):
                    step = 1 if axis == 0 else (SY if axis == 1 else SZ)
                    for m in range(FIRST, SIZE - FIRST):
                        squares[m] += _squared_steepness(phi, m, step)
                        beside[m] |= _opposite(phi[m], phi[m - step]) | _opposite(phi[m], phi[m + step])
                # A minus marks the cells that stay as they are
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        some = False
                        for x in range(BX):
                            if beside[o + x]:
                                distance[t, z, y, x] = -min(h / np.sqrt(squares[o + x]), width)
                                some = True
                        _mark_reach(reach[i], beside[o], some, beside[o + BX - 1], z, y, BZ, BY)

    return run


@inlined
def _upwind(a, b, c, h):
    """The d of Σ max(d - d_a, 0)² = h², given the smaller neighbour along each axis in any order.

    An axis counts if d exceeds its d_a. With s and r by how much the second and third smallest exceed the smallest,
    the second counts if s < h, the third if also r² + (r - s)² < h².
    """
    zero = np.float32(0)
    one = np.float32(1)
    low = min(a, b, c)
    s = max(min(a, b), min(max(a, b), c)) - low
    r = max(a, b, c) - low
    two = s < h
    three = two & (r * r + (r - s) * (r - s) < h * h)
    s = s if two else zero
    r = r if three else zero
    axes = np.float32(3) if three else (np.float32(2) if two else one)
    share = np.float32(1 / 3) if three else (np.float32(1 / 2) if two else one)
    return low + share * (s + r + np.sqrt(axes * (h * h - s * s - r * r) + (s + r) * (s + r)))


@inlined
def _sweep(new, old, least, h, HZ, SIZE, SY, SZ):
    """Update every cell from the old values, down to its least value; tell whether any has moved."""
    FIRST = HZ * SZ + SY + 1
    moved = False
    for m in range(FIRST, SIZE - FIRST):
        a = min(old[m - 1], old[m + 1])
        b = min(old[m - SY], old[m + SY])
        c = min(old[m - SZ], old[m + SZ]) if HZ > 0 else np.float32(np.inf)
        d = max(min(_upwind(a, b, c, h), old[m]), least[m])
        moved |= old[m] - d > _TOLERANCE * h
        new[m] = d
    return moved


@for_tile_shape
def _relax(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    SY, SZ = PX, PX * PY

    @kernel
    def run(distance, neighbours, slots, h, reach, chunks):
        n = len(slots)
        tolerance = _TOLERANCE * h
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            old = np.zeros(SIZE, np.float32)
            new = np.zeros(SIZE, np.float32)
            least = np.zeros(SIZE, np.float32)
            for i in chunk_range(c, chunks, n):
                t = slots[i]
                copy_cross(block, distance, neighbours, t, BZ, BY, BX)
                # The halo stays as it is, and so do marked cells
                for m in range(SIZE):
                    old[m] = new[m] = least[m] = abs(block[m])
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            least[o + x] = -block[o + x]
                moving = True
                while moving:
                    _sweep(new, old, least, h, HZ, SIZE, SY, SZ)
                    moving = _sweep(old, new, least, h, HZ, SIZE, SY, SZ)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        some = False
                        for x in range(BX):
                            distance[t, z, y, x] = old[o + x] if block[o + x] >= 0 else block[o + x]
                            some |= block[o + x] - old[o + x] > tolerance
                        first = block[o] - old[o] > tolerance
                        last = block[o + BX - 1] - old[o + BX - 1] > tolerance
                        _mark_reach(reach[i], first, some, last, z, y, BZ, BY)
                reach[i, 3] = False  # it has nothing to tell itself

    return run


@kernel
def _give_sign(distance, phi, chunks):
    n = len(distance) - 1
    for c in prange(chunks):
        for t in chunk_slots(c, chunks, n):
            for m in range(distance.shape[1]):
                d = abs(distance[t, m])
                distance[t, m] = -max(d, _SMALLEST) if phi[t, m] < 0 else d
