"""The velocity of liquid at solids: none through closed faces, free or rubbed along bodies.

At a face the normal n of a body is the gradient of its distance, and the whole velocity u is the face's own component
and the mean of the other components round it. Then, component by component,

    sliding     u -= (u·n) n           the velocity that liquid has along the true surface
    friction    u_t *= a share         on the tangential part u_t = u - (u·n) n (`physics/solids/friction.py`)

Reference: Cline step 3g.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import BURIED, LEAVES_DOWN, LEAVES_UP, SIDE, WALL, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, chunk_slice, row_start
from plash.grid.tiles import Shape, dimension_of


def enforce_no_flux(velocity: FaceField, cells: Cells) -> None:
    """Set the velocity through every closed face to zero, but for faces with solid cells on both sides."""
    _close(velocity.pool.reshape(-1), cells.faces.reshape(-1), WALL | BURIED, WALL, chunk_count())


def close_sides(velocity: FaceField, cells: Cells) -> None:
    """Set the velocity through every closed side of the domain to zero."""
    _close(velocity.pool.reshape(-1), cells.faces.reshape(-1), SIDE, SIDE, chunk_count())


def along_bodies(
    velocity: FaceField,
    cells: Cells,
    slots: NDArray[np.int32],
    solid_phi: NDArray[np.float32],
    kept: NDArray[np.float32] | None,
    closed: bool,
    slide: bool,
) -> None:
    """Change the velocity of some faces near bodies: no part into or out of the body, and less along it.

    Args:
        velocity: On faces. An unknown one that is to slide is first continued from those beside it, if any is known.
        cells: What faces are.
        slots: The tiles near bodies.
        solid_phi: Signed distance to bodies at the minimal corner of cells, in cells.
        kept: Share of the tangential velocity that is left, [axis, one for each of `slots`, ...]; None for all.
        closed: Whether closed faces are changed, those on sides of the domain excepted; else open wet ones.
        slide: Whether the normal part is taken away.
    """
    if len(slots) == 0:
        return
    tiles = velocity.tiles
    shape = (tiles.dimension, len(slots), *tiles.shape)
    share = np.ones((tiles.dimension, 1, *tiles.shape), np.float32) if kept is None else kept
    result = np.empty(shape, np.float32)
    run = _along_bodies(tiles.shape, kept is not None, closed, slide)
    run(velocity.pool, result, solid_phi, cells.faces, share, tiles.neighbours, slots, chunk_count())
    velocity.pool[:, slots] = result


@kernel
def _close(velocity, faces, mask, wanted, chunks):
    n = len(velocity)
    for c in prange(chunks):
        part = velocity[chunk_slice(c, chunks, n)]
        bits = faces[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            is_closed = bits[m] & mask == wanted and not _leaves(part[m], bits[m])
            part[m] = np.float32(0) if is_closed else part[m]


@inlined
def _leaves(velocity, bits):
    """Whether this is the velocity of liquid that parts from the wall on this face."""
    return (bits & LEAVES_UP > 0 and velocity > 0) or (bits & LEAVES_DOWN > 0 and velocity < 0)


@inlined
def _mean_of_known(block, m, steps, dimension):
    """Mean of the known values beside entry m of a block; unknown if there is none."""
    total, count = np.float32(0), 0
    for axis in range(dimension):
        for side in range(2):
            value = block[m + steps[axis]] if side else block[m - steps[axis]]
            if value == value:
                total += value
                count += 1
    return total / np.float32(count)


@for_tile_shape
def _along_bodies(shape: Shape, rubs: bool, closed: bool, slide: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    DIM = dimension_of(shape)
    CORNERS = 2 if BZ == 1 else 4
    RUBS, SLIDES = rubs, slide
    # Which bits are looked at, and what they must be
    MASK = np.uint8((WALL | SIDE) if closed else (WALL | WET))
    WANTED = np.uint8(WALL if closed else WET)

    @kernel
    def run(velocity, result, solid_phi, faces, kept, neighbours, slots, chunks):
        n = len(slots)
        steps = (1, PX, PX * PY)
        for c in prange(chunks):
            blocks = np.zeros((DIM, SIZE), np.float32)
            solid_phis = np.zeros(SIZE, np.float32)
            normal = np.zeros(3)
            for i in chunk_range(c, chunks, n):
                t = slots[i]
                copy_block(solid_phis, solid_phi, neighbours, t, 1, BZ, BY, BX)
                for axis in range(DIM):
                    copy_block(blocks[axis], velocity[axis], neighbours, t, 1, BZ, BY, BX)
                for axis in range(DIM):
                    along = steps[axis]
                    second, third = (axis + 1) % DIM, (axis + 2) % DIM
                    for face in range(BZ * BY * BX):
                        z, y, x = face // (BY * BX), (face // BX) % BY, face % BX
                        m = row_start(z, y, HZ, PY, PX) + x
                        u = blocks[axis, m]
                        result[axis, i, z, y, x] = u
                        if faces[axis, t, z, y, x] & MASK != WANTED:
                            continue
                        if SLIDES and u != u:
                            u = _mean_of_known(blocks[axis], m, steps, DIM)
                        if u != u or _leaves(u, faces[axis, t, z, y, x]):
                            continue
                        share = np.float64(kept[axis, i, z, y, x]) if RUBS else 1.0
                        if not SLIDES and share == 1.0:
                            continue

                        # Normal: differences across the face, and between its corners
                        normal[:] = 0.0
                        for corner in range(CORNERS):
                            a, b = corner & 1, corner >> 1
                            o = m + a * steps[second] + b * (steps[third] if DIM == 3 else 0)
                            value = np.float64(solid_phis[o])
                            normal[axis] += 0.5 * (
                                np.float64(solid_phis[o + along]) - np.float64(solid_phis[o - along])
                            )
                            normal[second] += 2.0 * (value if a else -value)
                            if DIM == 3:
                                normal[third] += 2.0 * (value if b else -value)
                        length = np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
                        if not length > 1e-3:
                            continue

                        # u·n, with the mean of the known ones of the other components round the face
                        through = np.float64(u) * normal[axis]
                        for other in range(1, DIM):
                            b = (axis + other) % DIM
                            total, count = 0.0, 0
                            for corner in range(4):
                                o = m - (corner & 1) * along + (corner >> 1) * steps[b]
                                value = np.float64(blocks[b, o])
                                if value == value:
                                    total += value
                                    count += 1
                            through += total / max(count, 1) * normal[b]
                        across = through * normal[axis] / (length * length)
                        tangential = np.float64(u) - across
                        if SLIDES:
                            across = 0.0
                        result[axis, i, z, y, x] = np.float32(across + share * tangential)

    return run
