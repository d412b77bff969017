"""Particles on both sides of a surface that know how far it was: the memory of a particle level set.

A particle has the sign of its side and touches the surface with its radius, as far as that is between limits:

    r = clamp(s φ(x), 0.1 h, 0.5 h)                                                          (Cline equation 31)

They are put at random into the cells near the surface, and then drawn along the normal N to a distance that is random
too: x += λ (φ_goal - φ(x)) N, with λ halved from 1 while that leads out of the band. Reference: Enright et al. 2002.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.levelset.sampling import NOWHERE, Where, between_centres, cell_of, marked_at, normals, refuse_far, sampled
from plash.physics.level_set.band import cells_within, first_corners
from plash.physics.level_set.transport import Paths
from plash.timing import stage

SMALLEST, LARGEST = 0.1, 0.5  # radii, in cells
REACH = 3.0  # cells from the surface within which particles are
BOTH_SIDES = (-1, 1)
_ATTRACTIONS = 15
IN_NO_DOUBT = 1.5  # cells


@dataclass(eq=False)
class SignedParticles:
    """Particles of both sides.

    Attributes:
        place: In cells, (n, d).
        sign: -1 in the liquid, 1 outside.
        radius: In cells.
    """

    place: NDArray[np.float64]
    sign: NDArray[np.int8]
    radius: NDArray[np.float32]

    @staticmethod
    def none(dimension: int) -> SignedParticles:
        """No particles."""
        return SignedParticles(np.zeros((0, dimension)), np.zeros(0, np.int8), np.zeros(0, np.float32))

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.sign)

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Drop the particles that are not marked."""
        if which.all():
            return
        self.place, self.sign, self.radius = self.place[which], self.sign[which], self.radius[which]

    def some(self, which: NDArray[np.int64]) -> SignedParticles:
        """Some of them, by themselves."""
        return SignedParticles(self.place[which], self.sign[which], self.radius[which])

    def add(self, other: SignedParticles) -> None:
        """Append other particles."""
        self.place = np.concatenate([self.place, other.place])
        self.sign = np.concatenate([self.sign, other.sign])
        self.radius = np.concatenate([self.radius, other.radius])

    @stage
    def move(self, paths: Paths, dt: float, h: float) -> None:
        """Move along with the liquid for dt (s), in cells of h (m)."""
        if self.count:
            self.place = paths.forth(self.place * h, dt) / h

    def leave(self, tiles: Tiles, is_closed: NDArray[np.bool_] | None) -> None:
        """Drop those that got into closed cells of tiles: they tell nothing of the liquid."""
        if is_closed is not None and self.count:
            self.keep(~marked_at(is_closed, tiles, self.place))

    @stage
    def depth(self, phi: CellField, h: float) -> NDArray[np.float64]:
        """How deep each is on its own side, s φ in cells: negative on the wrong one.

        Where the centre of its cell is farther on its side than 1.5 cells, that stands for it: it is in no doubt.
        """
        tiles = phi.tiles
        refuse_far(self.place, tiles)
        result = np.empty(self.count)
        where, place = Where(tiles.neighbours, tiles.keys), np.ascontiguousarray(self.place)
        _depths(tiles.shape)(phi.pool.reshape(-1), where, place, self.sign, 1 / h, result, chunk_count())
        return result

    def adjust_radii(self, depth: NDArray[np.float64]) -> None:
        """Touch the surface again, as far as radii may, by how deep each is on its own side, in cells.

        One that is still on the wrong side gets the smallest.
        """
        self.radius = np.clip(depth, SMALLEST, LARGEST).astype(np.float32)


def seeded(
    phi: CellField, h: float, per_cell: int, random: np.random.Generator, sides: Sequence[int] = BOTH_SIDES
) -> SignedParticles:
    """New particles of each sign in all cells near the surface.

    Args:
        phi: Signed distance, m.
        h: Cell size, m.
        per_cell: Particles of each sign.
        random: Where they are.
        sides: Signs of those that are wanted.
    """
    corners = first_corners(phi.tiles, cells_within(phi, REACH * h))
    wanted = [np.repeat(corners, per_cell, axis=0)] * len(sides)
    signs = np.repeat(np.array(sides, np.int8), len(wanted[0]))
    return attracted(phi, h, np.concatenate(wanted) + random.random((len(signs), corners.shape[1])), signs, random)


def attracted(
    phi: CellField, h: float, place: NDArray[np.float64], sign: NDArray[np.int8], random: np.random.Generator
) -> SignedParticles:
    """Particles at places, drawn to their side of the surface; those that do not get there are left out."""
    goal = sign * random.uniform(SMALLEST, REACH, len(sign))
    share = np.ones(len(sign))
    level = sampled(phi, place) / h
    waiting = np.arange(len(sign))
    for _ in range(_ATTRACTIONS):
        here = place[waiting]
        step = (share[waiting] * (goal[waiting] - level[waiting]))[:, None] * normals(phi, here, h)
        there = sampled(phi, here + step) / h
        arrived = (sign[waiting] * there >= SMALLEST) & (sign[waiting] * there <= REACH)
        place[waiting[arrived]], level[waiting[arrived]] = (here + step)[arrived], there[arrived]
        waiting = waiting[~arrived]
        share[waiting] *= 0.5
    is_there = np.ones(len(sign), np.bool_)
    is_there[waiting] = False
    particles = SignedParticles(place[is_there], sign[is_there], np.zeros(int(is_there.sum()), np.float32))
    particles.adjust_radii(particles.depth(phi, h))
    return particles


@for_tile_shape
def _depths(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(flat, where, places, sign, per_metre, result, chunks):
        for c in prange(chunks):
            home, place = np.full(4, NOWHERE), np.zeros(3)
            for p in chunk_range(c, chunks, len(places)):
                for a in range(DIM):
                    place[a] = places[p, a]
                t, i, j, k = cell_of(where, home, place[0], place[1], place[2], BZ, BY, BX)
                scale = sign[p] * per_metre
                result[p] = scale * np.float64(flat[np.uint64(((t * BZ + k) * BY + j) * BX + i)])
                if result[p] < IN_NO_DOUBT:
                    result[p] = scale * between_centres(flat, where, home, place, BZ, BY, BX)

    return run
