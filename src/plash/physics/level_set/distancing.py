"""A level set made a signed distance: of a shape at the start, and again after it was carried along (Cline 10.5).

Redistancing solves |∇φ| = 1 to first order, and moves a curved surface inwards by a hundredth of a cell each time. So
with a scheme of higher order it only takes back what has gone wrong:

* Where φ is within a tenth of a cell of the distance it stays.
* Beside the surface it becomes φ/|∇φ|, with central differences, which moves a smooth surface not at all. Where that is
  a quarter of a cell off the distance, at edges and in thin sheets, it is not smooth, and takes the distance.

Reference: Cline 10.5 and 10.8.1; Sethian 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.dense import tiles_over
from plash.grid.fields import CellField
from plash.levelset.redistance import redistance
from plash.levelset.sampling import sampled
from plash.physics.level_set.band import BAND, cells_within, first_corners, in_its_tiles
from plash.timing import stage

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SLACK = 0.1  # cells by which a value may differ from the distance and stay
_ROUGH = 0.25  # cells by which φ/|∇φ| may differ from it
_BESIDE = 1.5  # cells from the surface


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
def plain_distance(phi: CellField, h: float) -> CellField:
    """The signed distance (m) to the surface of a level set, by redistancing, on the tiles that its band needs now."""
    return redistance(in_its_tiles(phi, h), BAND * h, h)


@stage
def mended_distance(phi: CellField, h: float) -> CellField:
    """The signed distance (m) to the surface of a level set, which moves as little as can be; on the same tiles."""
    phi = in_its_tiles(phi, h)
    distance = redistance(phi, BAND * h, h)
    near = cells_within(phi, (BAND - 1) * h)
    before, after = phi.pool[near], distance.pool[near]
    beside = np.abs(after) < np.float32(_BESIDE * h)
    scaled = before.copy()
    scaled[beside] /= np.maximum(_slope(phi, first_corners(phi.tiles, near)[beside] + 0.5, h), 1e-3).astype(np.float32)
    mended = np.where(beside & (np.abs(scaled - after) < np.float32(_ROUGH * h)), scaled, after)
    distance.pool[near] = np.where(np.abs(before - after) < np.float32(_SLACK * h), before, mended)
    return distance


def _slope(phi: CellField, places: NDArray[np.float64], h: float) -> NDArray[np.float64]:
    """|∇φ| at places (n, d) in cells, by central differences over two cells."""
    square = np.zeros(len(places))
    for step in np.eye(places.shape[1]):
        square += np.square((sampled(phi, places + step) - sampled(phi, places - step)) / (2 * h))
    return np.sqrt(square)
