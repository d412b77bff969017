"""Straight paths through a velocity on the grid: x + dt u(x), as particles of a liquid move.

All paths are found in one pass, in cells, with one search for a tile wherever the place before was in the same one.
Where no velocity is known nothing moves.

Reference: Cline equation 12, whose paths bend; figure 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField, fastest
from plash.grid.loops import chunk_range, corner_step, home_of
from plash.grid.sample import corner_weight, interpolate_anywhere
from plash.grid.tiles import Shape, dimension_of
from plash.levelset.sampling import NOWHERE, Where, cell_of, refuse_far

Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GridPaths:
    """Straight paths, with the velocity in the middle of a step.

    Attributes:
        velocity: On faces, m/s.
        h: Cell size of the velocity, m.
    """

    velocity: FaceField
    h: float

    def forth(self, points: Points, dt: float) -> Points:
        """x + dt u(x)."""
        return self._followed(points, dt, 1)

    def back(self, points: Points, dt: float) -> Points:
        """X with X + dt u(X) = x, in two looks."""
        return self._followed(points, -dt, 2)

    def farthest(self, points: Points, dt: float) -> float:
        """The highest speed that there is times dt."""
        return self.longest(dt)

    def longest(self, dt: float) -> float:
        """The same."""
        return dt * self._fastest

    @cached_property
    def _fastest(self) -> float:
        return float(np.linalg.norm(fastest(self.velocity.pool)))

    def _followed(self, points: Points, dt: float, looks: int) -> Points:
        """x + dt u(...), where the velocity is looked at first at x, and then at what came of that."""
        tiles = self.velocity.tiles
        refuse_far(points / self.h, tiles)
        result = np.empty(points.shape)
        where, scale = Where(tiles.neighbours, tiles.keys), (1 / self.h, dt)
        _follow(tiles.shape)(
            self.velocity.pool, where, np.ascontiguousarray(points), scale, looks, result, chunk_count()
        )
        return result


@inlined
def _component(pool, where, axis, place, home, BZ, BY, BX):
    """One component at a place in cells, without what is not known; zero if nothing is."""
    SPACE = BZ > 1
    x = place[0] - (0.0 if axis == 0 else 0.5)
    y = place[1] - (0.0 if axis == 1 else 0.5)
    z = place[2] - (0.0 if axis == 2 else 0.5) if SPACE else 0.0
    t, i, j, k = cell_of(where, home, x, y, z, BZ, BY, BX)
    x, y, z = x - np.floor(x), y - np.floor(y), z - np.floor(z)
    total = 0.0
    weight = 0.0
    is_within = i + 1 < BX and j + 1 < BY and (not SPACE or k + 1 < BZ)
    for corner in range(8 if SPACE else 4):
        dx, dy, dz = corner_step(corner)
        if is_within:
            value = np.float64(pool[t, k + dz, j + dy, i + dx])
        else:
            s, sx, sy, sz = home_of(where.neighbours, t, i + dx, j + dy, k + dz, BZ, BY, BX)
            value = np.float64(pool[s, sz, sy, sx])
        if value == value:
            w = corner_weight(corner, x, y, z, not SPACE)
            total += w * value
            weight += w
    if t == 0:
        # The tile of the first corner is absent, those of others may be there
        found = interpolate_anywhere(pool, where.keys, axis, place[0], place[1], place[2], BZ, BY, BX)
        return found if found == found else 0.0
    return total / weight if weight > 1e-6 else 0.0


@for_tile_shape
def _follow(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(velocity, where, points, scale, looks, result, chunks):
        per_metre, dt = scale
        for c in prange(chunks):
            home, place, speed = np.full(4, NOWHERE), np.zeros(3), np.zeros(3)
            for p in chunk_range(c, chunks, len(points)):
                for a in range(DIM):
                    place[a] = points[p, a] * per_metre
                for _ in range(looks):
                    for a in range(DIM):
                        speed[a] = _component(velocity[a], where, a, place, home, BZ, BY, BX)
                    for a in range(DIM):
                        result[p, a] = points[p, a] + dt * speed[a]
                        place[a] = result[p, a] * per_metre

    return run
