"""A level set made a signed distance: of a shape at the start, and again after it was carried along (Cline 10.5).

Redistancing solves |∇φ| = 1 to first order, and moves a curved surface inwards by a hundredth of a cell each time. So
with a scheme of higher order it only says about how far the surface is:

* Within three cells of the surface, φ is the distance to the nearest point on it (`levelset/nearest.py`): the surface
  stays. Where there is no such point within half a cell of where redistancing has it, the next rule holds.
* Cells that have a neighbour on the other side of the surface stay as they are, and so do those whose φ is within a
  tenth of a cell of the distance. All others take the distance.

Reference: Cline 10.5 and 10.8.1; Sethian 1996; Chopp 2001.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.dense import tiles_over
from plash.grid.fields import CellField
from plash.grid.tiles import Places
from plash.levelset.nearest import nearest_distances
from plash.levelset.redistance import redistance
from plash.physics.level_set.band import BAND, cells_within, first_corners, in_its_tiles
from plash.physics.level_set.room import Room
from plash.timing import stage

EMPTY = Room()

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SLACK = 0.1  # cells by which a value may differ from the distance and stay
_CLOSE = 3.0  # cells from the surface, within which the nearest point on it is looked for
_DOUBTFUL = 0.5  # cells by which that may be farther or nearer than redistancing says


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
def plain_distance(phi: CellField, h: float, room: Room = EMPTY) -> CellField:
    """The signed distance (m) to the surface of a level set, by redistancing, on the tiles that its band needs now."""
    phi = in_its_tiles(phi, h)
    distance = redistance(phi, BAND * h, h, room.closed(phi.tiles))
    room.complete(distance)
    return distance


@stage
def mended_distance(phi: CellField, h: float, room: Room = EMPTY) -> CellField:
    """The same, with a surface that moves as little as can be.

    Args:
        phi: The level set, m.
        h: Cell size, m.
        room: What is closed to it.
    """
    phi = in_its_tiles(phi, h)
    is_closed = room.closed(phi.tiles)
    distance = redistance(phi, BAND * h, h, is_closed)
    near = cells_within(phi, (BAND - 1) * h)
    if is_closed is not None:
        near = tuple(part[~is_closed[near]] for part in near)
    before, after = phi.pool[near], distance.pool[near]
    stays = _beside_surface(phi, near) | (np.abs(before - after) < np.float32(_SLACK * h))
    mended = np.where(stays, before, after)

    # Beside the surface, where there is a nearest point on it
    close = np.flatnonzero(np.abs(after) < np.float32(_CLOSE * h))
    places = first_corners(phi.tiles, tuple(part[close] for part in near)) + 0.5
    nearest = nearest_distances(phi, places, h, room.unknown(phi.tiles))
    found = np.abs(nearest - np.abs(after[close])) < np.float32(_DOUBTFUL * h)
    mended[close[found]] = np.copysign(nearest[found], before[close[found]])
    distance.pool[near] = mended
    room.complete(distance)
    return distance


def _beside_surface(phi: CellField, cells: Places) -> NDArray[np.bool_]:
    """Which cells have a neighbour on the other side of the surface."""
    inside = phi.pool[cells] < 0
    found = np.zeros(len(inside), np.bool_)
    for axis, step in itertools.product(range(phi.tiles.dimension), (-1, 1)):
        found |= (phi.pool[phi.tiles.beside(cells, axis, step)] < 0) != inside
    return found
