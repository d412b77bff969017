"""Where the liquid's surface meets bodies: its distance there, from the part of space that is open.

The fill fraction f = F/S of `particles/surface.py` is the share of the *open* part of the hat that liquid fills. Its
inverse there is that of a whole hat, which a body has cut: on a beach the distance is wrong by half a cell or more.
Here the surface is a plane, n·x = d from the cell's centre x = 0, as it is a little further out, and

    Σ o_s W_k(x_s) clamp(1/2 + (d_k - n·x_s) N/max|n_i|, 0, 1) = F_k ,    φ = -h (w d_1 + (1 - w) d_2)

for the hats W_1 and W_2 of half-width 1 and 2 (cells): F is what particles spread into a hat, o what bodies leave open.
`particles/shore_cells.py` finds where that is and what hats see there, `particles/shore_normals.py` the normals, and
`particles/shore_offsets.py` the offsets d.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.halos import touching
from plash.grid.openness import Limits, Openness
from plash.grid.tiles import Tiles
from plash.particles.shore_cells import CUT, SHORE, THIN_SHORE, WHOLE, seen_by_hats
from plash.particles.shore_normals import listed_cells
from plash.particles.shore_offsets import offsets
from plash.timing import stage

DRY = 0.01  # cells from the surface, at least, to the centre of a cell that no particle reaches
_NEAR = 1.5  # cells to where the surface would be if it went on as a plane, within which a cell is at the shore


@stage
def correct_shores(
    phi: CellField,
    volume: NDArray[np.float32],
    openness: Openness,
    limits: Limits,
    upward: NDArray[np.float64],
    h: float,
) -> None:
    """Set the distance φ (m) to the surface right where bodies cut it; elsewhere it stays.

    Args:
        phi: Distance as a whole hat sees it; is changed.
        volume: What particles spread over cells, in cells; with mirrors at closed sides.
        openness: What bodies leave open.
        limits: The domain, whose closed sides are mirrors.
        upward: Unit vector against gravity; 0 without any.
        h: Cell size, m.
    """
    tiles = phi.tiles
    slots = _tiles_at_shores(tiles, volume, openness)
    if len(slots) == 0:
        return
    seen = seen_by_hats(tiles, slots, volume, openness.hat_share, limits)
    listed = listed_cells(tiles, slots, seen, upward)
    part = seen.part[tuple(listed.places.T)]
    is_near = (part == SHORE) | (part == THIN_SHORE) | (np.abs(listed.height) < _NEAR)
    shore = np.flatnonzero(is_near & (part >= CUT) & ~np.isnan(listed.normal[:, 0]))
    distance = offsets(tiles, listed, shore, seen, openness, limits)
    places = tuple(listed.places[shore].T)
    # Where no particle is near, nobody would bring liquid a velocity
    distance[volume[places] == 0] = np.maximum(distance[volume[places] == 0], DRY)
    phi.pool[places] = h * distance


def _tiles_at_shores(tiles: Tiles, volume: NDArray[np.float32], openness: Openness) -> NDArray[np.int32]:
    """Slots of the tiles where a body and a surface may be near each other, and of those beside them."""
    near = np.flatnonzero(openness.rows)
    share = openness.hat_share[near]
    is_cut = (share < WHOLE).any(axis=(1, 2, 3)) & (share > 0).any(axis=(1, 2, 3))
    is_wet = volume[near].any(axis=(1, 2, 3))
    around = np.asarray(touching(tiles, near[is_cut & is_wet].astype(np.int32)))
    return np.flatnonzero(around).astype(np.int32)
