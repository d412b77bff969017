"""Elastic liquid settles on walls: the gap that is left under a body when it first touches the grid's wall closes.

A cell beside a wall is liquid as soon as half of it is, and then lets no more liquid in: a body would come to rest half
a cell above the floor. Water fills that by flowing, jelly does not. So a cell that touches a wall, is less than full
and has no air near may take in liquid, at the rate

    h ∇·u -= share (f_0 - f) h/dt ,    share = min(dt/T, 1/2) ,    T = 1/48 s

with f its fill fraction and f_0 what it aims at: the whole body comes down with a velocity, and its strain knows.

Reference: Kugelstadt et al. 2019, which moves particles instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, NEAR_AIR, NEAR_SOLID, WALL, Cells

_TIME = 1 / 48  # T, s
_MOST = 0.5


def let_settle(divergence: NDArray[np.float64], cells: Cells, target_fill: float, dt: float, h: float) -> None:
    """Add to a divergence h ∇·u (m/s), which a step of dt (s) aims at, what lets liquid settle on walls."""
    if cells.fill is None:
        return
    around, together = cells.surroundings
    near = np.flatnonzero((together & NEAR_SOLID) > 0)
    settles = (cells.label[near] == LIQUID) & ((around[near] & (NEAR_SOLID | NEAR_AIR)) == NEAR_SOLID)
    slots, *rest = np.nonzero(settles)
    places = (near[slots], *rest)
    touches = np.zeros(len(slots), np.bool_)
    for axis in range(cells.tiles.dimension):
        for face in (places, cells.tiles.beside(places, axis, 1)):
            touches |= (cells.faces[axis][face] & WALL) > 0
    missing = np.nan_to_num(np.clip(target_fill - cells.fill.pool[places].astype(np.float64), 0.0, 1.0))
    divergence[places] -= np.where(touches, missing, 0.0) * min(dt / _TIME, _MOST) * h / dt
