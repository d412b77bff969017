"""A level set made a signed distance: of a shape at the start, and again after it was carried along (Cline 10.5).

Redistancing solves |∇φ| = 1 to first order, and moves a curved surface inwards by a hundredth of a cell each time. So
with a scheme of higher order it only takes back what has gone wrong:

* Where φ is within a tenth of a cell of the distance it stays.
* The surface runs between cells that have a neighbour on the other side. These are multiplied by a factor that they
  have in common with those beside them, the mean of distance over φ: their slope becomes one, and the surface stays. A
  motion that stretches φ would else leave a kink beside the surface, and gain volume there step by step. Up to a
  factor that is near enough to one they stay as they are: each multiplication blurs edges a little.

Reference: Cline 10.5 and 10.8.1; Sethian 1996.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.dense import tiles_over
from plash.grid.fields import CellField
from plash.grid.tiles import Places
from plash.levelset.redistance import redistance
from plash.physics.level_set.band import BAND, cells_within, in_its_tiles
from plash.physics.level_set.room import Room
from plash.timing import stage

EMPTY = Room()

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SLACK = 0.1  # cells by which a value may differ from the distance and stay
_LARGEST = 2.0  # factor by which a value beside the surface is changed at most
_PASSES = 2  # over cells and their neighbours, in which factors become common
_ON_SURFACE = 0.05  # cells: one that is nearer to the surface tells little of the slope


def level_set_of(distance: Distance, low: Sequence[float], high: Sequence[float], h: float) -> CellField:
    """The level set of all that lies in a box.

    Args:
        distance: Any function of points (n, d) in metres that is negative inside, as `levelset.shapes.distance`.
        low: Corner of the box in which the surface is looked for, m.
        high: The corner opposite to it, m.
        h: Cell size, m.
    """
    first = np.floor(np.asarray(low) / h).astype(int) - BAND
    cells = np.ceil(np.asarray(high) / h).astype(int) + BAND - first
    tiles = tiles_over(tuple(first.tolist()), tuple(cells.tolist()))
    phi = CellField.filled(tiles, np.float32(BAND * h))
    phi.pool[1:] = distance(tiles.cell_centres(tiles.slots, h)).reshape(-1, *tiles.shape)
    return mended_distance(phi, h)


@stage
def plain_distance(phi: CellField, h: float, room: Room = EMPTY, slack: float = 0.0) -> CellField:
    """The signed distance (m) to the surface of a level set, by redistancing, on the tiles that its band needs now."""
    phi = in_its_tiles(phi, h)
    distance = redistance(phi, BAND * h, h, room.closed(phi.tiles))
    room.complete(distance)
    return distance


@stage
def mended_distance(phi: CellField, h: float, room: Room = EMPTY, slack: float = 0.0) -> CellField:
    """The same, with a surface that moves as little as can be.

    Args:
        phi: The level set, m.
        h: Cell size, m.
        room: What is closed to it.
        slack: How far from zero the logarithm of the slope at the surface may be.
    """
    phi = in_its_tiles(phi, h)
    is_closed = room.closed(phi.tiles)
    distance = redistance(phi, BAND * h, h, is_closed)
    near = cells_within(phi, (BAND - 1) * h)
    if is_closed is not None:
        near = tuple(part[~is_closed[near]] for part in near)
    before, after = phi.pool[near], distance.pool[near]
    mended = np.where(np.abs(before - after) < np.float32(_SLACK * h), before, after)
    beside = _beside_surface(phi, near)
    factors = _common_factors(phi, tuple(part[beside] for part in near), after[beside], h, slack)
    mended[beside] = before[beside] * factors
    distance.pool[near] = mended
    room.complete(distance)
    return distance


def _common_factors(
    phi: CellField, cells: Places, distance: NDArray[np.float32], h: float, slack: float
) -> NDArray[np.float32]:
    """Factors that make φ the distance in cells beside the surface, nearly the same in cells that are neighbours."""
    tiles, size = phi.tiles, np.abs(phi.pool[cells])
    least = np.float32(1e-3 * h)
    growth = np.log((np.abs(distance) + least) / (size + least))
    weights, weighted = np.zeros_like(phi.pool), np.zeros_like(phi.pool)
    weights[cells] = np.minimum(size / np.float32(h), np.float32(0.5)) + np.float32(_ON_SURFACE)
    for _ in range(_PASSES):
        weighted[cells] = growth * weights[cells]
        total, weight = weighted[cells], weights[cells]
        for axis, step in itertools.product(range(tiles.dimension), (-1, 1)):
            beside = tiles.beside(cells, axis, step)
            total, weight = total + weighted[beside], weight + weights[beside]
        growth = total / weight
    growth = np.sign(growth) * np.maximum(np.abs(growth) - np.float32(slack), 0)
    factors: NDArray[np.float32] = np.clip(np.exp(growth), 1 / np.float32(_LARGEST), np.float32(_LARGEST))
    return factors


def _beside_surface(phi: CellField, cells: Places) -> NDArray[np.bool_]:
    """Which cells have a neighbour on the other side of the surface."""
    inside = phi.pool[cells] < 0
    found = np.zeros(len(inside), np.bool_)
    for axis in range(phi.tiles.dimension):
        for step in (-1, 1):
            found |= (phi.pool[phi.tiles.beside(cells, axis, step)] < 0) != inside
    return found
