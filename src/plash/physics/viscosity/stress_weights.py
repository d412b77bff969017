"""Weights of the viscous matrix (`physics/viscosity/stress_operator.py`): viscosity, shares of liquid, and walls.

Between two faces of one component, one cell apart along some axis, viscosity has the weight

    (dt/h²) ν f ,    f = 1 between free faces, 1/θ between a free and a held face, 0 where one is dry or slides

with θ the share of the way from the free face to the held one that lies before the wall: 1/2 at a flat wall of whole
cells, half a cell from the face, so that the wall pulls with 2 (u_wall - u_0) (Gibou et al. 2002). On a side of the
domain the velocity through it is given, and f = 1 from there to the next face inside.

Coupled, W weighs strain rates, and the volume of liquid V in which they are counts (Batty & Bridson 2008):

    W_aa = 2 (dt/h²) ν V_cell f ,    W_ab = (dt/h²) ν V_edge f ,    M = V_face

A strain rate of which any velocity is not known, beyond the surface, does not count: so the surface feels no drag. V of
a cube of width h round a place is clamp(1/2 - φ/h, 0, 1), φ the mean over the cells round the place that are not solid,
times the share that bodies leave open, clamp(1/2 + solid_phi, 0, 1). It is 1 where there is nothing but liquid round a
cell. M is at least 0.05.

ν on an edge is the harmonic or the geometric mean of the cells round it: in layers across the flow the first is exact.

Reference: Cline equations 17 and 20; Batty & Bridson 2008, section 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import LIQUID, NEAR_LIQUID, SOLID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, inlined_plainly, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, dimension_of
from plash.physics.viscosity.stress_operator import StressOperator
from plash.physics.viscosity.viscous_faces import (
    DRY,
    FREE,
    HELD_AT_WALL,
    HELD_INSIDE,
    SIDE_CLOSED,
    ViscousFaces,
    distance_at_face,
)
from plash.timing import stage

_LEAST_MASS = np.float32(0.05)
FAR = np.float32(2)  # cells from a body beyond which it is not felt


class Scheme(NamedTuple):
    """Which stress it is.

    Attributes:
        h: Cell size, m.
        coupled: Whether the whole stress acts, or that of each component by itself.
        harmonic: Which mean of the viscosity is taken on edges; else the geometric one.
        least_way: Smallest θ.
    """

    h: float
    coupled: bool
    harmonic: bool
    least_way: float = 0.1


class Surroundings(NamedTuple):
    """What is round faces, as kernels take it: pools, of which some are stand-ins, or blocks of them.

    Attributes:
        kinds: What faces are [axis, slot, z, y, x].
        corners: Distance to bodies at the minimal corners of cells, in cells; read where these cut cells.
        level: φ/h by cell, or -1/2 in liquid and 1/2 in air; zero in solids, which no mean counts.
        label: Of cells.
        viscosity: By cell, in units of h²/dt; read if it varies.
        near: What is among each cell and its neighbours, as `Cells.surroundings` has it; no block is made of it.
    """

    kinds: NDArray[np.uint8]
    corners: NDArray[np.float32]
    level: NDArray[np.float32]
    label: NDArray[np.int8]
    viscosity: NDArray[np.float32]
    near: NDArray[np.uint8]


class How(NamedTuple):
    """What kernels have to know beside what is round faces: one kernel serves all schemes, as it has little to do.

    Attributes:
        number: The viscosity in units of h²/dt, if it does not vary.
        is_cut: Whether bodies cut cells.
        varies: Whether the viscosity varies.
        coupled: As `Scheme` has it.
        harmonic: As `Scheme` has it.
        least_way: As `Scheme` has it.
    """

    number: np.float32
    is_cut: bool
    varies: bool
    coupled: bool
    harmonic: bool
    least_way: np.float32


@stage
def stress_operator(
    faces: ViscousFaces, cells: Cells, viscosity: float | CellField, dt: float, scheme: Scheme
) -> StressOperator:
    """The matrix of the viscous stress that acts for dt (s).

    Args:
        faces: What faces are.
        cells: Where the liquid is.
        viscosity: Kinematic viscosity, m²/s: one number, or at cell centres.
        dt: How long it acts, s.
        scheme: Which stress it is.
    """
    tiles = cells.tiles
    around, how = seen_from_faces(faces, cells, viscosity, dt, scheme)
    _, together = cells.surroundings
    is_plain = (together == NEAR_LIQUID) & (faces.all_known and not how.varies)
    if how.is_cut:
        is_plain &= around.corners.reshape(len(around.corners), -1).min(axis=1) > FAR
    others = tiles.slots[~is_plain[1:] & ((together[1:] & NEAR_LIQUID) > 0)]

    mass = np.zeros(faces.kinds.shape, np.float32)
    weights = np.zeros((tiles.dimension, *mass.shape), np.float32)
    made = StressOperator(tiles, mass, weights, scheme.coupled)
    _weigh_plain(made.rows, how.number, scheme.coupled, np.flatnonzero(is_plain).astype(np.int32), chunk_count())
    _weigh(tiles.shape)(around, how, made.rows, others, chunk_count())
    return made


def seen_from_faces(
    faces: ViscousFaces, cells: Cells, viscosity: float | CellField, dt: float, scheme: Scheme
) -> tuple[Surroundings, How]:
    """What kernels have to know of what is round faces, for a stress that acts for dt (s)."""
    tiles, rate = cells.tiles, dt / scheme.h**2
    level = np.where(cells.label == LIQUID, np.float32(-0.5), np.float32(0.5))
    if cells.phi is not None:
        level = (cells.phi.pool * (1.0 / scheme.h)).astype(np.float32)
    level[cells.label == SOLID] = 0
    one = np.ones((1, *tiles.shape), np.float32)
    number, numbers, varies = np.float32(0), one, False
    if isinstance(viscosity, CellField):
        numbers, varies = (viscosity.pool * rate).astype(np.float32), True
    else:
        number = np.float32(viscosity * rate)
    corners, cut = (one, None) if faces.corner_distance is None else (faces.corner_distance, cells.cut_cells)
    around = Surroundings(faces.kinds, corners, level, cells.label, numbers, cells.surroundings[0])
    how = How(number, cut is not None, varies, scheme.coupled, scheme.harmonic, np.float32(scheme.least_way))
    return around, how


@kernel
def _weigh_plain(rows, number, coupled, tiles, chunks):
    """Tiles in the midst of liquid."""
    masses, weights, _ = rows
    n = len(tiles)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            for a in range(len(masses)):
                masses[a, tiles[i]] = np.float32(1)
                for b in range(len(masses)):
                    weights[a, b, tiles[i]] = number + number if coupled and a == b else number


@inlined_plainly
def _share_of_way(around, how, a, b, free, held, PY, PX, DIM):
    """θ: how far it is from a free face to the wall, of the way to a held one."""
    if how.is_cut:
        inside = distance_at_face(around.corners, held, a, PY, PX, DIM)
        if inside <= 0:
            outside = max(distance_at_face(around.corners, free, a, PY, PX, DIM), np.float32(1e-3))
            return max(outside / (outside - inside), how.least_way)
    return np.float32(0.5) if around.kinds[a, held] == HELD_INSIDE and a != b else np.float32(1)


@inlined_plainly
def _factor(around, how, a, b, m, PY, PX, DIM):
    """f between the face m across axis a and the one before it along axis b; 0 if walls have both, -1 if none."""
    before = m - stride(b, PY, PX)
    one, other = around.kinds[a, before], around.kinds[a, m]
    if one == DRY or other == DRY:
        return np.float32(-1)
    if one == FREE and other == FREE:
        return np.float32(1)
    if one >= HELD_AT_WALL and other >= HELD_AT_WALL:
        return np.float32(0)
    if one == FREE or other == FREE:
        free, held = (before, m) if one == FREE else (m, before)
        if around.kinds[a, held] >= HELD_AT_WALL:
            return np.float32(1) / _share_of_way(around, how, a, b, free, held, PY, PX, DIM)
        if around.kinds[a, held] == SIDE_CLOSED and a == b:
            return np.float32(1)
    return np.float32(-1)


@inlined_plainly
def liquid_share(around, m, first, second):
    """V round the middle of up to four cells: m, those before it by each of two strides, and by both."""
    level, label = around.level, around.label
    one, other, both = m - first, m - second, m - first - second
    total = level[m] + level[one] + level[other] + level[both]
    count = (label[m] != SOLID) + (label[one] != SOLID) + (label[other] != SOLID) + (label[both] != SOLID)
    return min(max(np.float32(0.5) - total / np.float32(max(count, 1)), np.float32(0)), np.float32(1))


@inlined_plainly
def _open_share(distance):
    """Share of a cube of width h that bodies leave open, by the distance of its middle, in cells."""
    return min(max(np.float32(0.5) + distance, np.float32(0)), np.float32(1))


@inlined_plainly
def _distance_of_stress(around, a, b, m, PY, PX, DIM):
    """Distance to bodies where the strain rate ab is: at the centre of cell m - e_a, or on an edge of cell m."""
    if a == b:
        before = distance_at_face(around.corners, m - stride(a, PY, PX), a, PY, PX, DIM)
        return np.float32(0.5) * (before + distance_at_face(around.corners, m, a, PY, PX, DIM))
    if DIM == 2:
        return around.corners[m]
    return np.float32(0.5) * (around.corners[m] + around.corners[m + stride(3 - a - b, PY, PX)])


@inlined_plainly
def _mean_viscosity(around, m, first, second, harmonic):
    """Mean of the viscosity of the same cells; 0 if one has none."""
    total = 0.0
    for corner in range(4):
        nu = np.float64(around.viscosity[m - (corner & 1) * first - (corner >> 1) * second])
        if not nu > 0:
            return np.float32(0)
        total += 1.0 / nu if harmonic else np.log(nu)
    return np.float32(4.0 / total if harmonic else np.exp(0.25 * total))


@inlined_plainly
def factor_and_share(around, how, a, b, m, PY, PX, DIM):
    """f of a strain rate, and the volume of liquid in which it is; f is 0 if the strain rate does not count."""
    first, second = stride(a, PY, PX), stride(b, PY, PX)
    are_free = around.kinds[a, m] == FREE and around.kinds[a, m - second] == FREE
    if a != b:
        are_free = are_free and around.kinds[b, m] == FREE and around.kinds[b, m - first] == FREE
    factor = np.float32(1)
    if not are_free:
        factor = _factor(around, how, a, b, m, PY, PX, DIM)
        if a != b and factor >= 0:
            other = _factor(around, how, b, a, m, PY, PX, DIM)
            factor = max(factor, other) if other >= 0 else np.float32(0)
    if factor <= 0:
        return np.float32(0), np.float32(0)
    cell = m
    if a == b:
        cell, first, second = m - first, 0, 0
    share = liquid_share(around, cell, first, second)
    if how.is_cut and are_free:
        share *= _open_share(_distance_of_stress(around, a, b, m, PY, PX, DIM))
    return factor, share


@inlined_plainly
def mass_of_face(around, how, a, m, PY, PX, DIM):
    """M of the free face m across axis a."""
    if not how.coupled:
        return np.float32(1)
    before = stride(a, PY, PX)
    mass = liquid_share(around, m, before, 0)
    if how.is_cut:
        mass *= _open_share(distance_at_face(around.corners, m, a, PY, PX, DIM))
    return max(mass, _LEAST_MASS)


@inlined_plainly
def _weight(around, how, a, b, m, PY, PX, DIM):
    """W_ab at m."""
    if how.coupled:
        factor, share = factor_and_share(around, how, a, b, m, PY, PX, DIM)
        factor *= share
    else:
        factor = _factor(around, how, a, b, m, PY, PX, DIM)
    if factor <= 0:
        return np.float32(0)
    nu = how.number
    if how.varies:
        before = stride(a, PY, PX)
        nu = around.viscosity[m - before]
        if a != b:
            nu = _mean_viscosity(around, m, before, stride(b, PY, PX), how.harmonic)
    return factor * (nu + nu if how.coupled and a == b else nu)


@inlined
def room_for_surroundings(dimension, size):
    """Blocks of some size for what is round faces."""
    return Surroundings(
        np.zeros((dimension, size), np.uint8),
        np.zeros(size, np.float32),
        np.zeros(size, np.float32),
        np.zeros(size, np.int8),
        np.ones(size, np.float32),
        np.zeros(0, np.uint8),
    )


@inlined_plainly
def look_round(around, pools, how, neighbours, t, BZ, BY, BX):
    """Fill the blocks of a tile."""
    for a in range(len(around.kinds)):
        copy_block(around.kinds[a], pools.kinds[a], neighbours, t, 1, BZ, BY, BX)
    copy_block(around.level, pools.level, neighbours, t, 1, BZ, BY, BX)
    copy_block(around.label, pools.label, neighbours, t, 1, BZ, BY, BX)
    if how.is_cut:
        copy_block(around.corners, pools.corners, neighbours, t, 1, BZ, BY, BX)
    if how.varies:
        copy_block(around.viscosity, pools.viscosity, neighbours, t, 1, BZ, BY, BX)


@for_tile_shape
def _weigh(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(pools, how, rows, tiles, chunks):
        masses, weights, neighbours = rows
        n = len(tiles)
        for c in prange(chunks):
            around = room_for_surroundings(DIM, SIZE)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                look_round(around, pools, how, neighbours, t, BZ, BY, BX)
                for cell in range(BZ * BY * BX):
                    z, y, x = cell // (BY * BX), cell // BX % BY, cell % BX
                    near = pools.near[t, z, y, x]
                    if near & NEAR_LIQUID == 0:
                        continue
                    m = row_start(z, y, HZ, PY, PX) + x
                    is_deep = near == NEAR_LIQUID and not how.varies and not (how.is_cut and around.corners[m] <= FAR)
                    for a in range(DIM):
                        if around.kinds[a, m] == FREE:
                            mass = np.float32(1)
                            if not is_deep:
                                mass = mass_of_face(around, how, a, m, PY, PX, DIM)
                            masses[a, t, z, y, x] = mass
                        for b in range(a if how.coupled else 0, DIM):
                            weight = how.number + how.number if how.coupled and a == b else how.number
                            if not is_deep:
                                weight = _weight(around, how, a, b, m, PY, PX, DIM)
                            weights[a, b, t, z, y, x] = weight
                            if how.coupled:
                                weights[b, a, t, z, y, x] = weight

    return run
