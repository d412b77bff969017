"""Signed distance from any function with the same surface: |∇φ| = 1 in a band round the zero set.

Beside the surface, distances follow from where φ changes sign along the grid lines, and stay. Away from it, every
cell solves the upwind form of |∇φ| = 1 with its face neighbours,

    Σ over axes max(d - d_a, 0)² = h²,    d_a the smaller of the two neighbours along axis a,

which looks at smaller distances only: the solution is unique, in whatever order it is found. Fast marching takes
cells one by one in order of distance. Here whole tiles relax until nothing moves, and a tile is woken when distances
behind one of its faces have become smaller. Reference: Sethian 1996, fast marching.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.compile import chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField
from plash.grid.tiles import Shape
from plash.stages import stage

_CROSS = (
    4,
    10,
    12,
    13,
    14,
    16,
    22,
)  # columns of the neighbour table: -z, -y, -x, the tile itself, +x, +y, +z
_TOLERANCE = np.float32(1e-4)  # smaller changes, in cells, move and wake nobody
_SMALLEST = np.float32(1e-30)  # a negative φ too near zero for its distance to be told from zero keeps its sign


@stage
def redistance(phi: CellField, width: float, h: float) -> CellField:
    """The signed distance to the surface φ = 0, in metres: |∇φ| = 1, first order, within a width of the surface.

    The surface runs between cells of which one is negative and the other is not. Its cells on both sides take
    d = (Σ 1/d_a²)^(-1/2) over the axes a with a crossing, at d_a = h |φ|/(|φ| + |φ_neighbour|): exact for a plane
    crossed along all of its axes, and the zero set moves by less than 0.1 h. Every cell keeps its sign. An absent
    tile is neither a surface nor a way round.

    Args:
        phi: Any float32 field whose sign tells the sides apart; it is left alone.
        width: How far from the surface distances are needed, in metres.
        h: Cell size in metres.

    Returns:
        The distance field on the same tiles, ±width farther than that from the surface, +width where no tile is.
    """
    tiles = phi.tiles
    neighbours = tiles.neighbours
    h32, width32 = np.float32(h), np.float32(width)
    chunks = chunk_count()
    distance = CellField.filled(tiles, width32)

    # Beside the surface
    slots = _surface_tiles(phi.pool.reshape(len(neighbours), -1), neighbours)
    reach = np.zeros((len(slots), len(_CROSS)), np.bool_)
    _measure(tiles.shape)(phi.pool, distance.pool, neighbours, slots, h32, width32, reach, chunks)

    # Away from it: black and white tiles of a chessboard take turns, so that a tile's neighbours rest while it moves
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

    _give_sign(distance.pool.reshape(len(neighbours), -1), phi.pool.reshape(len(neighbours), -1), chunks)
    return distance


def _surface_tiles(phi: NDArray[np.float32], neighbours: NDArray[np.int32]) -> NDArray[np.int32]:
    """Slots of the tiles that see both signs of φ, in themselves or in a neighbour."""
    signs = np.stack([phi.min(axis=1) < 0, phi.max(axis=1) >= 0])
    signs[:, 0] = False
    seen = signs[:, neighbours[:, _CROSS]].any(axis=2)
    return np.flatnonzero(seen.all(axis=0)).astype(np.int32)


def _reached(neighbours: NDArray[np.int32], slots: NDArray[np.int32], reach: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Distinct slots of the present tiles that some tiles reach, `reach[tile, column of _CROSS]`, in order."""
    reached = np.unique(neighbours[slots][:, _CROSS][reach])
    return reached[reached > 0]


@inlined
def _mark_reach(reach, first, some, last, z, y, BZ, BY):  # type: ignore[no-untyped-def]
    """Mark the tiles that have certain cells of a row or see them across a face: its first, its last, or some."""
    reach[0] |= some & (z == 0)
    reach[1] |= some & (y == 0)
    reach[2] |= first
    reach[3] |= some
    reach[4] |= last
    reach[5] |= some & (y == BY - 1)
    reach[6] |= some & (z == BZ - 1)


@inlined
def _fill_face(block, first, rows, row, columns, column, value):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for j in range(columns):
            block[first + i * row + j * column] = value


@inlined
def _forget_absent(block, neighbours, t, HZ, BZ, BY, BX):  # type: ignore[no-untyped-def]
    """Make the halo unknown (NaN) where no tile is: a background value says nothing about the surface."""
    unknown = np.float32(np.nan)
    SY = BX + 2
    SZ = SY * (BY + 2)
    first = HZ * SZ + SY + 1
    if neighbours[t, 12] == 0:
        _fill_face(block, first - 1, BZ, SZ, BY, SY, unknown)
    if neighbours[t, 14] == 0:
        _fill_face(block, first + BX, BZ, SZ, BY, SY, unknown)
    if neighbours[t, 10] == 0:
        _fill_face(block, first - SY, BZ, SZ, BX, 1, unknown)
    if neighbours[t, 16] == 0:
        _fill_face(block, first + BY * SY, BZ, SZ, BX, 1, unknown)
    if HZ > 0 and neighbours[t, 4] == 0:
        _fill_face(block, first - SZ, BY, SY, BX, 1, unknown)
    if HZ > 0 and neighbours[t, 22] == 0:
        _fill_face(block, first + BZ * SZ, BY, SY, BX, 1, unknown)


@inlined
def _steepness(phi, m, n):  # type: ignore[no-untyped-def]
    """h over the distance of cell m from the crossing between m and n; 0 if there is none, or n is unknown."""
    crossing = ((phi[m] < 0) & (phi[n] >= 0)) | ((phi[m] >= 0) & (phi[n] < 0))
    return np.float32(1) - phi[n] / phi[m] if crossing else np.float32(0)


@for_tile_shape
def _measure(shape: Shape):  # type: ignore[no-untyped-def]
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    SY, SZ = PX, PX * PY
    FIRST = HZ * SZ + SY + 1

    @kernel
    def run(pool, distance, neighbours, slots, h, width, reach, chunks):  # type: ignore[no-untyped-def]
        n = len(slots)
        for c in prange(chunks):
            phi = np.zeros(SIZE, np.float32)
            squares = np.zeros(SIZE, np.float32)
            for i in range(c * n // chunks, (c + 1) * n // chunks):
                t = slots[i]
                copy_cross(phi, pool, neighbours, t, BZ, BY, BX)
                _forget_absent(phi, neighbours, t, HZ, BZ, BY, BX)
                for m in range(FIRST, SIZE - FIRST):
                    x = max(_steepness(phi, m, m - 1), _steepness(phi, m, m + 1))
                    y = max(_steepness(phi, m, m - SY), _steepness(phi, m, m + SY))
                    squares[m] = x * x + y * y
                    if HZ > 0:
                        z = max(_steepness(phi, m, m - SZ), _steepness(phi, m, m + SZ))
                        squares[m] += z * z
                # A minus marks the cells that stay as they are
                for z in range(BZ):
                    for y in range(BY):
                        o = ((z + HZ) * PY + y + 1) * PX + 1
                        some = False
                        for x in range(BX):
                            if squares[o + x] > 0:
                                distance[t, z, y, x] = -min(h / np.sqrt(squares[o + x]), width)
                                some = True
                        _mark_reach(reach[i], squares[o] > 0, some, squares[o + BX - 1] > 0, z, y, BZ, BY)

    return run


@inlined
def _upwind(a, b, c, h):  # type: ignore[no-untyped-def]
    """The d of Σ max(d - d_a, 0)² = h², given the smaller neighbour along each axis in any order.

    Of the axes in rising order, one counts if d exceeds its neighbour. With s and r the second's and third's excess
    over the first, the second does if s < h, the third if also r² + (r - s)² < h².
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
def _sweep(new, old, least, h, HZ, SIZE, SY, SZ):  # type: ignore[no-untyped-def]
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
def _relax(shape: Shape):  # type: ignore[no-untyped-def]
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    SY, SZ = PX, PX * PY

    @kernel
    def run(distance, neighbours, slots, h, reach, chunks):  # type: ignore[no-untyped-def]
        n = len(slots)
        tolerance = _TOLERANCE * h
        for c in prange(chunks):
            block = np.zeros(SIZE, np.float32)
            old = np.zeros(SIZE, np.float32)
            new = np.zeros(SIZE, np.float32)
            least = np.zeros(SIZE, np.float32)
            for i in range(c * n // chunks, (c + 1) * n // chunks):
                t = slots[i]
                copy_cross(block, distance, neighbours, t, BZ, BY, BX)
                # The halo stays as it is, and so do marked cells
                for m in range(SIZE):
                    old[m] = new[m] = least[m] = abs(block[m])
                for z in range(BZ):
                    for y in range(BY):
                        o = ((z + HZ) * PY + y + 1) * PX + 1
                        for x in range(BX):
                            least[o + x] = -block[o + x]
                moving = True
                while moving:
                    _sweep(new, old, least, h, HZ, SIZE, SY, SZ)
                    moving = _sweep(old, new, least, h, HZ, SIZE, SY, SZ)
                for z in range(BZ):
                    for y in range(BY):
                        o = ((z + HZ) * PY + y + 1) * PX + 1
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
def _give_sign(distance, phi, chunks):  # type: ignore[no-untyped-def]
    n = len(distance) - 1
    for c in prange(chunks):
        for t in range(1 + c * n // chunks, 1 + (c + 1) * n // chunks):
            for m in range(distance.shape[1]):
                d = abs(distance[t, m])
                distance[t, m] = -max(d, _SMALLEST) if phi[t, m] < 0 else d
