"""A level set at walls, inlets and open sides: what is not liquid's to decide.

Into solids φ goes on as the mean of what is known beside them, layer by layer: the surface meets a wall at a right
angle, and no film of air lines it. Beyond an open side all is air.

Reference: Cline 10.8; Enright et al. 2002.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.extrapolate import extrapolate
from plash.grid.fields import UNKNOWN, CellField, FaceField
from plash.grid.tiles import Tiles
from plash.physics.level_set.band import BAND
from plash.physics.solids.domain_box import OPEN, DomainBox
from plash.timing import stage

_LAYERS = 4  # cells that a level set goes on into solids


@stage
def continue_into_solids(phi: CellField, is_solid: NDArray[np.bool_], h: float) -> None:
    """Let a level set (m) go on into solids for a few cells; deeper in them is air, which nothing reads."""
    if not is_solid.any():
        return
    pool = np.where(is_solid, UNKNOWN, phi.pool)
    extrapolate(FaceField(phi.tiles, pool[None]), _LAYERS)
    phi.pool = np.where(np.isnan(pool), np.float32(BAND * h), pool)


def beyond_open_sides(tiles: Tiles, box: DomainBox) -> list[tuple[str, NDArray[np.bool_]]]:
    """The name of each open side, and which cells lie beyond it; broadcasts against a pool."""
    found = []
    for axis, kinds in enumerate(box.sides):
        size = tiles.shape[2 - axis]
        cell = tiles.origins[:, axis, None] + np.arange(size)
        shape = [len(cell), 1, 1, 1]
        shape[3 - axis] = size
        for end, kind in enumerate(kinds):
            if kind == OPEN:
                beyond = (cell >= box.cells[axis]) if end else (cell < 0)
                found.append((f"{'xyz'[axis]}_{('min', 'max')[end]}", beyond.reshape(shape)))
    return found


def filled_cells(phi: NDArray[np.float32], h: float) -> NDArray[np.float64]:
    """How much of each cell is inside, by its φ (m), with a flat surface along the axes."""
    return np.clip(0.5 - phi.astype(np.float64) / h, 0.0, 1.0)
