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

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import FaceField, fastest
from plash.grid.loops import chunk_range
from plash.grid.sample import corner_weight, interpolate_anywhere
from plash.grid.tiles import Shape, dimension_of
from plash.levelset.sampling import NOWHERE, Where, around, cell_of, corner_index, refuse_far

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


@inlined_plainly
def _known_mean(flat, tiles, along, BZ, BY, BX):
    """One component from the corners that are known; zero if none is."""
    SPACE = BZ > 1
    along_x, along_y, along_z = along
    fx, fy, fz = along_x[4], along_y[4], along_z[4]
    total = 0.0
    weight = 0.0
    for corner in range(8 if SPACE else 4):
        value = np.float64(flat[corner_index(tiles, along_x, along_y, along_z, corner, BZ, BY, BX)])
        if value == value:
            w = corner_weight(corner, fx, fy, fz, not SPACE)
            total += w * value
            weight += w
    return total / weight if weight > 1e-6 else 0.0


@inlined_plainly
def _component(flat, tiles, along, BZ, BY, BX):
    """One component, without what is not known; zero if nothing is. It mostly is known at all corners."""
    SPACE = BZ > 1
    along_x, along_y, along_z = along
    fx, fy, fz = along_x[4], along_y[4], along_z[4]
    total = 0.0
    weight = 0.0
    for corner in range(8 if SPACE else 4):
        w = corner_weight(corner, fx, fy, fz, not SPACE)
        total += w * np.float64(flat[corner_index(tiles, along_x, along_y, along_z, corner, BZ, BY, BX)])
        weight += w
    if total != total:
        return _known_mean(flat, tiles, along, BZ, BY, BX)
    return total / weight


@inlined_plainly
def _look(velocity, flat, where, home, place, speed, BZ, BY, BX):
    """The velocity at a place in cells."""
    SPACE = BZ > 1
    DIM = 3 if SPACE else 2
    t, _, _, _ = cell_of(where, home, place[0], place[1], place[2], BZ, BY, BX)
    if t == 0:
        # The tile is absent, those beside it may be there
        for a in range(DIM):
            found = interpolate_anywhere(velocity[a], where.keys, a, place[0], place[1], place[2], BZ, BY, BX)
            speed[a] = found if found == found else 0.0
        return
    # Each component has its lattice on faces along its own axis, and on centres along the others
    none = (0, 0, 0, 0, 0.0)
    faces_x, faces_y = around(place[0], home[0] * BX, BX), around(place[1], home[1] * BY, BY)
    faces_z = around(place[2], home[2] * BZ, BZ) if SPACE else none
    along_x, along_y = around(place[0] - 0.5, home[0] * BX, BX), around(place[1] - 0.5, home[1] * BY, BY)
    along_z = around(place[2] - 0.5, home[2] * BZ, BZ) if SPACE else none
    tiles = where.neighbours[np.uint64(t)]
    speed[0] = _component(flat[0], tiles, (faces_x, along_y, along_z), BZ, BY, BX)
    speed[1] = _component(flat[1], tiles, (along_x, faces_y, along_z), BZ, BY, BX)
    if SPACE:
        speed[2] = _component(flat[2], tiles, (along_x, along_y, faces_z), BZ, BY, BX)


@for_tile_shape
def _follow(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(velocity, where, points, scale, looks, result, chunks):
        per_metre, dt = scale
        flat = velocity.reshape(DIM, -1)
        for c in prange(chunks):
            home, place, speed = np.full(4, NOWHERE), np.zeros(3), np.zeros(3)
            for p in chunk_range(c, chunks, len(points)):
                for a in range(DIM):
                    place[a] = points[p, a] * per_metre
                for _ in range(looks):
                    _look(velocity, flat, where, home, place, speed, BZ, BY, BX)
                    for a in range(DIM):
                        result[p, a] = points[p, a] + dt * speed[a]
                        place[a] = result[p, a] * per_metre

    return run
