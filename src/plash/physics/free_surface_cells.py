"""Free surface inside cells: gas pressure in every liquid cell beside air, and Gates's rules for the faces between.

A *surface cell* is a liquid cell with an air neighbour. Its pressure is the gas pressure (Foster & Metaxas 1996), so
only the liquid cells below it are solved for:

    (number of non-solid neighbours) p_i - Σ over liquid neighbours p_n = -(ρ h/dt) D_i,    p = 0 in surface cells

with D the undivided divergence. Nothing is solved in the surface cell itself: the velocities on its faces towards air
are set by rules instead, so that it is divergence free (Gates 2001). The surface so seen runs through the centres of
the surface cells, half a cell below their outer faces. docs/gates.md has all cases by symmetry.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_cross
from plash.grid.cells import AIR, LIQUID, WALL, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.differences import subtract_gradient
from plash.grid.fields import UNKNOWN, FaceField
from plash.grid.loops import ABOVE, BACK, RIGHT, chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.linear.operators import PoissonOperator
from plash.physics.free_surface import negative_divergence
from plash.timing import stage


def _shares_by_mask() -> NDArray[np.float64]:
    """How much of the outflow along x, y and z each face makes up for, [mask, face, axis], by the rules below."""
    shares = np.zeros((64, 6, 3))
    for mask in range(64):
        is_air = np.array([[mask >> 2 * axis & 1, mask >> 2 * axis + 1 & 1] for axis in range(3)])
        lone, paired = is_air.sum(axis=1) == 1, is_air.sum(axis=1) == 2
        if lone.any():
            takers, taken, share = lone, ~lone, 1.0 / lone.sum()
        elif paired.any() and not paired.all():
            takers, taken, share = paired, np.ones(3, np.bool_), 0.5 / paired.sum()
        else:
            continue
        for axis, side in np.argwhere(is_air & takers[:, None]):
            shares[mask, 2 * axis + side, taken] = -share if side else share
    return shares


# The 63 cases. Faces are numbered 2 axis + side, so that a face and the opposite one differ in the last bit, and bit f
# of a mask is set where air lies beyond face f. Gates writes the same bits from left to right: 100000 is air at -x.
#
#                +-------------+
#               /             /|          face  0   1   2   3   4   5
#              /   3 (+y)    / |          side -x  +x  -y  +y  -z  +z
#             +-------------+  |
#             |             |  |          y            4 (-z) is the hidden back,
#   0 (-x) -> |   5 (+z)    | <-- 1 (+x)  |            5 (+z) the front
#             |             |  +          +-- x
#             |             | /          /
#             +-------------+           z
#                2 (-y)
#
# With the net outflow d = u_high - u_low along each axis, before anything is written:
#
#   An axis with one air face   that face starts from the opposite one, as if the liquid moved as a whole. The outflow
#                               along all other axes is then made up for through such faces, the same through each.
#   An axis with two air faces  both keep their velocity (body forces are in it). If no axis has one air face, the whole
#                               outflow is made up for through them, the same through each.
#   Six air faces               a drop of its own: all keep their velocity.
#
# The table holds what is added to the start, as a share of each d: a low face makes up for an outflow with +, a high
# one with -. For example 101000 (air at -x and -y) gives u_0 = u_1 + d_z/2 and u_2 = u_3 + d_z/2.
_SHARES = _shares_by_mask()


@dataclass(frozen=True)
class SurfaceCells:
    """Pressure zero at the centres of liquid cells beside air, whose outer faces follow Gates's rules.

    Reference: Foster & Metaxas 1996; Gates 2001, section 3.
    """

    @stage
    def operator(self, cells: Cells) -> PoissonOperator:
        """Diagonal: number of non-solid neighbours, in liquid cells without air beside them. Every weight is one."""
        tiles = cells.tiles
        diagonal = np.zeros(cells.label.shape, np.float32)
        run = _count_liquid_neighbours(tiles.shape)
        run(cells.label, tiles.neighbours, cells.liquid_tiles, diagonal, chunk_count())
        return PoissonOperator(tiles, diagonal)

    def right_hand_side(self, velocity: FaceField, cells: Cells) -> NDArray[np.float64]:
        """-h ∇·u: the pressure at the surface is zero everywhere."""
        return negative_divergence(velocity, cells)

    @stage
    def subtract_gradient(self, velocity: FaceField, potential: NDArray[np.float64], cells: Cells) -> None:
        """Set u -= p_i - p_(i-1), then the outer faces of surface cells.

        The velocities of solids are inputs of the rules, so they are kept for them and forgotten afterwards.
        """
        is_wall = (cells.faces & (WET | WALL)) == (WET | WALL)
        at_walls = velocity.pool[is_wall]
        subtract_gradient(velocity, potential, cells)
        velocity.pool[is_wall] = at_walls
        set_surface_velocities(velocity, cells)
        velocity.pool[is_wall] = UNKNOWN


@stage
def set_surface_velocities(
    velocity: FaceField, cells: Cells, body_force: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> None:
    """Set the velocity on every face between liquid and air so that surface cells are divergence free.

        Σ over axes of (u_high - u_low) = 0    in every liquid cell beside air, but for a lone one with six air faces

    Only faces between a liquid and an air cell are written, each by the one liquid cell it belongs to, and the other
    faces of that cell are read: they must be known, those of solids included. Cells are cubes, so h cancels. In 2-D
    the two faces across z are closed, which leaves 15 of the 63 cases; all of them end divergence free.

    Args:
        velocity: After the pressure's gradient was subtracted, m/s.
        cells: What each cell holds.
        body_force: g dt (m/s), added to both air faces of an axis; zero where gravity has been added to every face
            that borders liquid, as `Gravity` does.

    Reference: Gates 2001, section 3; his U(i-1, j, k) is u on the minimal x-face of cell (i, j, k) here.
    """
    tiles = cells.tiles
    run = _set_faces(tiles.shape)
    impulse = np.array(body_force, np.float64)
    run(velocity.pool, cells.label, tiles.neighbours, cells.liquid_tiles, _SHARES, impulse, chunk_count())


@inlined
def _air_mask(label, m, PY, PX, DIM):
    """Bits of the faces of cell m of a block of labels that have air beyond them."""
    mask = 0
    for axis in range(DIM):
        step = stride(axis, PY, PX)
        if label[m - step] == AIR:
            mask |= 1 << (2 * axis)
        if label[m + step] == AIR:
            mask |= 2 << (2 * axis)
    return mask


@inlined
def _next_cell(neighbours, t, z, y, x, axis, BZ, BY, BX):
    """Slot and place of the next cell along an axis, whose minimal face is the high face of this one."""
    if axis == 0:
        return (t, z, y, x + 1) if x + 1 < BX else (neighbours[t, RIGHT], z, y, 0)
    if axis == 1:
        return (t, z, y + 1, x) if y + 1 < BY else (neighbours[t, ABOVE], z, 0, x)
    return (t, z + 1, y, x) if z + 1 < BZ else (neighbours[t, BACK], 0, y, x)


@for_tile_shape
def _set_faces(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(velocity, label, neighbours, tiles, shares, body_force, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.int8)
            u = np.zeros(2 * DIM)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, label, neighbours, t, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            if block[o + x] != LIQUID:
                                continue
                            mask = _air_mask(block, o + x, PY, PX, DIM)
                            if mask == 0:
                                continue
                            for axis in range(DIM):
                                slot, z1, y1, x1 = _next_cell(neighbours, t, z, y, x, axis, BZ, BY, BX)
                                u[2 * axis] = velocity[axis, t, z, y, x]
                                u[2 * axis + 1] = velocity[axis, slot, z1, y1, x1]
                            for face in range(2 * DIM):
                                if mask >> face & 1 == 0:
                                    continue
                                axis = face >> 1
                                is_pair = mask >> (face ^ 1) & 1 == 1
                                new = u[face] + body_force[axis] if is_pair else u[face ^ 1]
                                change = 0.0
                                for a in range(DIM):
                                    change += shares[mask, face, a] * (u[2 * a + 1] - u[2 * a])
                                slot, z1, y1, x1 = t, z, y, x
                                if face & 1:
                                    slot, z1, y1, x1 = _next_cell(neighbours, t, z, y, x, axis, BZ, BY, BX)
                                velocity[axis, slot, z1, y1, x1] = np.float32(new + change)

    return run


@for_tile_shape
def _count_liquid_neighbours(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(label, neighbours, tiles, diagonal, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.int8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, label, neighbours, t, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            if block[o + x] != LIQUID or _air_mask(block, o + x, PY, PX, DIM) != 0:
                                continue
                            count = 0
                            for axis in range(DIM):
                                step = stride(axis, PY, PX)
                                # Without air about, labels are 1 liquid and 2 solid
                                count += 4 - block[o + x - step] - block[o + x + step]
                            diagonal[t, z, y, x] = np.float32(count)

    return run
