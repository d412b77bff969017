"""How kernels walk over tiles, blocks and rows: written once, and inlined wherever they are used.

The work of a kernel is divided into chunks of whole tiles (or of equal parts of a flat array), one after another, so
that results do not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from plash.grid.compile import inlined_plainly

# Numbers of the six neighbours that share a face with a tile, and of the tile itself, in `Tiles.neighbours`
CENTRE = 13
LEFT, RIGHT = CENTRE - 1, CENTRE + 1  # along x
BELOW, ABOVE = CENTRE - 3, CENTRE + 3  # along y
FRONT, BACK = CENTRE - 9, CENTRE + 9  # along z


@inlined_plainly
def neighbour_number(dx, dy, dz):
    """Number in `Tiles.neighbours` of the tile that lies so many tiles further, each -1, 0 or 1."""
    return CENTRE + 9 * dz + 3 * dy + dx


@inlined_plainly
def tile_beside(place, size):
    """Which tile holds a cell counted from another one along an axis (-1, 0 or 1 further), and its place there."""
    further = -1 if place < 0 else (1 if place >= size else 0)
    return further, place - further * size


@inlined_plainly
def home_of(neighbours, t, x, y, z, BZ, BY, BX):
    """Slot of the tile that holds a cell counted from tile t, at most one tile away, and the cell's place there."""
    dx, x = tile_beside(x, BX)
    dy, y = tile_beside(y, BY)
    dz, z = tile_beside(z, BZ)
    return neighbours[t, neighbour_number(dx, dy, dz)], x, y, z


@inlined_plainly
def corner_step(corner):
    """How far corner 0, 1, ... of a cell is from its minimal one along x, y and z: 0 or 1 each."""
    return corner & 1, (corner >> 1) & 1, corner >> 2


@inlined_plainly
def face_step(way):
    """How far the cell beyond face 0, 1, ... of a cell is along x, y and z; of a flat cell the first four count."""
    step = 1 - 2 * (way & 1)
    return step if way < 2 else 0, step if way == 2 or way == 3 else 0, step if way > 3 else 0


@inlined_plainly
def chunk_range(c, chunks, n):
    """Which of n things belong to chunk c."""
    return range(c * n // chunks, (c + 1) * n // chunks)


@inlined_plainly
def chunk_numbers(c, chunks, n):
    """The same without a sign: an index that might count from the end is tested for it, and loops get no vectors."""
    return range(np.uint64(c * n // chunks), np.uint64((c + 1) * n // chunks))


@inlined_plainly
def numbers_in(starts, t):
    """Numbers, without a sign, of what belongs to t: those from starts[t] up to where the next one's start."""
    return range(np.uint64(starts[t]), np.uint64(starts[t + 1]))


@inlined_plainly
def chunk_slots(c, chunks, n):
    """Which of the tiles in slots 1 to n belong to chunk c."""
    return range(1 + c * n // chunks, 1 + (c + 1) * n // chunks)


@inlined_plainly
def chunk_slice(c, chunks, n):
    """The part of a flat array of n values that belongs to chunk c."""
    return slice(c * n // chunks, (c + 1) * n // chunks)


@inlined_plainly
def row_start(z, y, HZ, PY, PX):
    """Where the values of a tile's row (z, y) begin in a block of halo 1."""
    return ((z + HZ) * PY + y + 1) * PX + 1


@inlined_plainly
def stride(axis, PY, PX):
    """Distance in a block of rows PX long, PY of them a layer, from a value to the next one along an axis."""
    return 1 if axis == 0 else (PX if axis == 1 else PX * PY)


@inlined_plainly
def root_of(root, a):
    """The member that stands for all that a is joined with, where each names another or itself; ways get shorter."""
    while root[a] != a:
        root[a] = root[root[a]]
        a = root[a]
    return a


@inlined_plainly
def unite(root, a, b):
    """Join what a and b are joined with, and let the lowest number stand for all."""
    one, two = root_of(root, a), root_of(root, b)
    root[max(one, two)] = min(one, two)
