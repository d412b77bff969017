"""How readily liquid makes whitewater: air that is trapped, crests that run ahead, and the energy for it.

For each particle one sum over its neighbours j within a cell, with weights V_j (1 - r_ij/h), gives means of

    approach    max(0, -(u_i - u_j)·(x_i - x_j)/r_ij)       how fast neighbours close in
    way out     d = x_i - x_j                               from the liquid to the outside
    lead        u_i - u_j                                   how far ahead of its neighbours it runs

and the share of the space round it that is filled. Air is trapped by the approach, near the surface. A crest is where
little is filled and lead·d/|d| is above zero. None of them is above zero in liquid that moves like a rigid body, at
rest, in free fall or turning: then (u_i - u_j)·(x_i - x_j) = 0, and lead = ω × d.

Ihmsen et al. (2012) weigh |u_i - u_j| by one minus the cosine instead, which is above zero where liquid turns, and find
crests by the angles between normals and by u·n, which is above zero where a block falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel, serial_kernel
from plash.grid.loops import chunk_range, corner_step, home_of
from plash.grid.sample import corner_weight
from plash.grid.tiles import Shape, dimension_of
from plash.whitewater.flow import Flow

_FULL = np.pi / 3  # ∫ (1 - r) over a ball of radius 1, in 3-D and over a disc in 2-D alike
_EDGE, _TIP = 0.62, 0.32  # share of the space round a particle that is filled: at a flat surface, and at a tip
_DEEP, _NEAR_AIR = -0.8, -0.4  # cells from the surface: from where on air is near


class Potentials(NamedTuple):
    """Of particles that may make whitewater.

    Attributes:
        number: Of the particle, in the flow's order.
        approach: How fast neighbours close in on it, near the surface, m/s.
        crest: How fast it runs ahead of the liquid behind it, on a crest, m/s.
        energy: Its kinetic energy, J/kg.
    """

    number: NDArray[np.int64]
    approach: NDArray[np.float64]
    crest: NDArray[np.float64]
    energy: NDArray[np.float64]


class Neighbours(NamedTuple):
    """Particles by cell: places in cells (n, d), velocities (n, d), volumes, and those of cell c of a pool."""

    place: NDArray[np.float64]
    velocity: NDArray[np.float32]
    volume: NDArray[np.float32]
    order: NDArray[np.int64]
    firsts: NDArray[np.int64]


def potentials(flow: Flow, least_energy: float) -> Potentials:
    """Of all particles near the surface that have more than a least energy, J/kg."""
    particles, tiles = flow.particles, flow.tiles
    velocity = np.ascontiguousarray(particles.velocity.T)
    energy = 0.5 * np.einsum("ij,ij->i", velocity, velocity, dtype=np.float64)
    slots = np.repeat(np.arange(tiles.count + 1), np.diff(particles.starts))
    fast = np.flatnonzero(energy > least_energy)
    near = np.empty(len(fast))
    place: NDArray[np.float64] = np.ascontiguousarray((particles.cell + particles.offset.astype(np.float64)).T)
    _find_depth(tiles.shape)(fast, place, slots, tiles.origins, tiles.neighbours, flow.phi, near, chunk_count())
    number, near = fast[near > 0], near[near > 0]
    neighbours = Neighbours(place, velocity, particles.volume, *_by_cell(flow, slots))
    sums = np.zeros((len(number), 3))
    _sum_up(tiles.shape)(number, slots, neighbours, tiles.origins, tiles.neighbours, sums, chunk_count())
    approach, lead, filled = sums.T
    convex = np.clip((_EDGE - filled) / (_EDGE - _TIP), 0.0, 1.0)
    return Potentials(number, near * approach, convex * np.maximum(lead, 0.0), energy[number])


def _by_cell(flow: Flow, slots: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of particles in the order of cells, and where those of each cell in a pool begin."""
    tiles, cell = flow.tiles, flow.particles.cell
    BZ, BY, BX = tiles.shape
    within = cell - tiles.origins[slots, : tiles.dimension].T
    home = ((slots * BZ + (within[2] if len(within) == 3 else 0)) * BY + within[1]) * BX + within[0]
    firsts = np.zeros((tiles.count + 1) * BZ * BY * BX + 1, np.int64)
    order = np.empty(len(home), np.int64)
    _sort_by_home(home, firsts, order)
    return order, firsts


@serial_kernel
def _sort_by_home(home, firsts, order):
    n = len(home)
    for p in range(n):
        firsts[home[p] + 1] += 1
    for c in range(1, len(firsts)):
        firsts[c] += firsts[c - 1]
    place = firsts[:-1].copy()
    for p in range(n):
        order[place[home[p]]] = p
        place[home[p]] += 1


@for_tile_shape
def _find_depth(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(numbers, place, slots, origins, neighbours, phi, near, chunks):
        """How near air is to some particles, from 0 to 1."""
        n = len(numbers)
        for c in prange(chunks):
            for m in chunk_range(c, chunks, n):
                p = numbers[m]
                t = slots[p]
                x, y = place[p, 0] - origins[t, 0], place[p, 1] - origins[t, 1]
                z = place[p, 2] - origins[t, 2] if DIM == 3 else 0.0
                i, j, k = int(x), int(y), int(z)
                total = 0.0
                for corner in range(4 if DIM == 2 else 8):
                    a, b, d = corner_step(corner)
                    s, u, v, w = home_of(neighbours, t, i + a, j + b, k + d, BZ, BY, BX)
                    total += corner_weight(corner, x - i, y - j, z - k, DIM == 2) * phi[s, w, v, u]
                near[m] = min(max((total - _DEEP) / (_NEAR_AIR - _DEEP), 0.0), 1.0)

    return run


@for_tile_shape
def _sum_up(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    DEEP = 1 if DIM == 3 else 0

    @kernel
    def run(numbers, slots, parts, origins, neighbours, sums, chunks):
        place, velocity, volume, order, firsts = parts
        n = len(numbers)
        for c in prange(chunks):
            way, lead = np.zeros(3), np.zeros(3)
            for m in chunk_range(c, chunks, n):
                p = numbers[m]
                t = slots[p]
                x, y = int(place[p, 0] - origins[t, 0]), int(place[p, 1] - origins[t, 1])
                z = int(place[p, 2] - origins[t, 2]) if DIM == 3 else 0
                way[:], lead[:] = 0.0, 0.0
                filled, approach = float(volume[p]), 0.0
                for dz in range(-DEEP, DEEP + 1):
                    for dy in range(-1, 2):
                        for dx in range(-1, 2):
                            s, i, j, k = home_of(neighbours, t, x + dx, y + dy, z + dz, BZ, BY, BX)
                            if s == 0:
                                continue
                            home = ((s * BZ + k) * BY + j) * BX + i
                            for number in range(firsts[home], firsts[home + 1]):
                                q = order[number]
                                square, along = _between(place, velocity, p, q, DIM)
                                if q == p or square >= 1.0 or square == 0.0:
                                    continue
                                r = np.sqrt(square)
                                weight = volume[q] * (1 - r)
                                filled += weight
                                approach += weight * max(-along / r, 0.0)
                                for axis in range(DIM):
                                    way[axis] += weight * (place[p, axis] - place[q, axis])
                                    lead[axis] += weight * (velocity[p, axis] - velocity[q, axis])
                length = np.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
                ahead = way[0] * lead[0] + way[1] * lead[1] + way[2] * lead[2]
                sums[m, 0] = approach / filled
                sums[m, 1] = ahead / (length * filled) if length > 1e-9 * filled else 0.0
                sums[m, 2] = filled / _FULL

    return run


@inlined
def _between(place, velocity, p, q, DIM):
    """Square of the distance of two particles, and the product of distance and difference of velocities."""
    square, along = 0.0, 0.0
    for axis in range(DIM):
        away = place[p, axis] - place[q, axis]
        square += away * away
        along += away * (np.float64(velocity[p, axis]) - np.float64(velocity[q, axis]))
    return square, along
