"""Particles and a solid that moves: their way is traced as the solid sees it.

In the frame of a solid it stands, and only the particle moves: from where it was, seen from where the solid was, to
where it is, seen from where the solid is. That segment is traced like any other (`particles/collide.py`), so nothing
gets through a solid however fast the two pass. Particles that are stopped lose the velocity into the solid, relative
to it: a particle hit by a moving solid gets at least the solid's normal velocity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.loops import chunk_range, chunk_slots, numbers_in
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.collide import Start, collide_particles
from plash.particles.particles import Particles
from plash.particles.positions import split_position
from plash.timing import stage

Array = NDArray[np.float64]

_UNKNOWN = 1e5  # cells: a distance beyond which it was not measured
_CLOSE = 2.0  # cells: no solid is nearer to where its distance was not measured


class RigidMove(NamedTuple):
    """x → matrix x + shift, in cells."""

    matrix: Array
    shift: Array

    @property
    def inverse(self) -> RigidMove:
        """The way back."""
        return RigidMove(self.matrix.T.copy(), -(self.matrix.T @ self.shift))


@stage
def collide_with_moving(
    particles: Particles,
    start: Start,
    tiles: Tiles,
    solid_phi: NDArray[np.float32],
    near: NDArray[np.bool_],
    before: RigidMove,
    after: RigidMove,
    solid_velocity: tuple[Array, Array],
    reach: float,
) -> NDArray[np.int64]:
    """Stop moves where they meet a solid that moves too, and let the rest slide; returns the particles close to it.

    Args:
        particles: After the move; sorted as they were before it.
        start: Before the move.
        tiles: Where the distance is known.
        solid_phi: Signed distance to the solid at the minimal corner of cells, in cells, at some time.
        near: By slot, whether a particle of this tile can meet the solid.
        before: From where the solid was at the start of the move to where `solid_phi` has it.
        after: From where it is now to where `solid_phi` has it.
        solid_velocity: Velocity of the solid: v = drift[0] + drift[1] x, x in cells.
        reach: How far any part of it is, in cells, from where `solid_phi` has it.
    """
    in_reach = np.zeros(particles.count, np.bool_)
    places, in_tiles = particles.places, particles.in_tiles(tiles)
    _find_in_reach(tiles.shape)(places, start, in_tiles, near, solid_phi, reach, in_reach, chunk_count())
    which = np.flatnonzero(in_reach)
    some = Particles(tiles.dimension, len(which))
    some.cell, some.offset = particles.cell[:, which], particles.offset[:, which]
    some.velocity, some.volume = particles.velocity[:, which], particles.volume[which]
    some.tiles, some.starts = tiles, np.concatenate([[0], np.cumsum(in_reach)])[particles.starts]
    began = Start(start.cell[:, which], start.offset[:, which])
    _carry(began.cell, began.offset, before)
    _turn(some, solid_velocity, after.matrix, -1.0)
    _carry(some.cell, some.offset, after)
    seen = some.cell.copy(), some.offset.copy(), some.velocity.copy()
    limits = np.zeros((3, 2), np.int32)
    close = collide_particles(some, began, tiles, solid_phi, near, limits, np.zeros((3, 2), np.int32))

    moved = (some.cell != seen[0]) | (some.offset != seen[1]) | (some.velocity != seen[2])
    held = np.flatnonzero(moved.any(axis=0))
    cell, offset = some.cell[:, held], some.offset[:, held]
    back = after.inverse
    _carry(cell, offset, back)
    stopped = Particles(tiles.dimension, len(held))
    stopped.cell, stopped.offset, stopped.velocity = cell, offset, some.velocity[:, held]
    _turn(stopped, solid_velocity, back.matrix, 1.0)
    particles.cell[:, which[held]] = cell
    particles.offset[:, which[held]] = offset
    particles.velocity[:, which[held]] = stopped.velocity
    found: NDArray[np.int64] = which[close]
    return found


def carry_along(start: Start, which: NDArray[np.int64], move: RigidMove) -> None:
    """Put the start of some moves where a solid takes it."""
    cell, offset = start.cell[:, which], start.offset[:, which]
    _carry(cell, offset, move)
    start.cell[:, which], start.offset[:, which] = cell, offset


def _carry(cell: NDArray[np.int32], offset: NDArray[np.float32], move: RigidMove) -> None:
    """Move places rigidly; those that stay keep their last bit."""
    matrix, shift = move
    if not (shift.any() or (matrix != np.eye(len(matrix))).any()):
        return
    _carry_places(cell, offset, matrix, shift, chunk_count())


def _turn(particles: Particles, solid_velocity: tuple[Array, Array], matrix: Array, sign: float) -> None:
    """Velocities seen from a solid and turned with it (sign -1), or the other way round (sign 1)."""
    places = particles.cell.astype(np.float64) + particles.offset
    own = solid_velocity[0][:, None] + solid_velocity[1] @ places
    velocity = particles.velocity.astype(np.float64)
    seen = matrix @ (velocity - own) if sign < 0 else matrix @ velocity + own
    particles.velocity = np.ascontiguousarray(seen.astype(np.float32))


@for_tile_shape
def _find_in_reach(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(places, start, in_tiles, near, solid_phi, reach, found, chunks):
        cell, offset = places
        start_cell, start_offset = start
        starts, origins, _, _ = in_tiles
        n = len(near) - 1
        for c in prange(chunks):
            for t in chunk_slots(c, chunks, n):
                if not near[t]:
                    continue
                for p in numbers_in(starts, t):
                    square = 0.0
                    for axis in range(DIM):
                        way = np.float64(cell[axis, p] - start_cell[axis, p])
                        way += np.float64(offset[axis, p]) - np.float64(start_offset[axis, p])
                        square += way * way
                    x = start_cell[0, p] - origins[t, 0]
                    y = start_cell[1, p] - origins[t, 1]
                    z = start_cell[2, p] - origins[t, 2] if DIM == 3 else 0
                    # The distance grows by no more than the way: of the particle, of the solid, and to the corner
                    is_inside = 0 <= x < BX and 0 <= y < BY and 0 <= z < BZ
                    length = np.sqrt(square)
                    if is_inside and solid_phi[t, z, y, x] < _UNKNOWN:
                        found[p] = solid_phi[t, z, y, x] < length + 2.0 * reach + 4.0
                    else:
                        found[p] = not is_inside or length > _CLOSE

    return run


@kernel
def _carry_places(cell, offset, matrix, shift, chunks):
    n = cell.shape[1]
    dimension = len(cell)
    for c in prange(chunks):
        place = np.zeros(3)
        for p in chunk_range(c, chunks, n):
            for a in range(dimension):
                place[a] = np.float64(cell[a, p]) + np.float64(offset[a, p])
            for a in range(dimension):
                to = shift[a]
                for b in range(dimension):
                    to += matrix[a, b] * place[b]
                cell[a, p], offset[a, p] = split_position(to)
