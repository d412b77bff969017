"""The pressure of a liquid in a frame: that of its last step, in the cells that it found liquid in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.scene.domain import Domain
from plash.scene.model import Scene
from plash.solvers.limits import cells_of
from plash.solvers.stored import ArraysByName, StoredArrays

_HUGE = 1e18  # Pa


class FramePressure(NamedTuple):
    """Pressure in cells, one row each.

    Attributes:
        cell: Which cells, counted along x, y[, z] from the origin.
        value: Pressure above that of the air, Pa.
    """

    cell: NDArray[np.int32]
    value: NDArray[np.float32]

    @staticmethod
    def none(dimension: int) -> FramePressure:
        """That of a liquid before its first step."""
        return FramePressure(np.zeros((0, dimension), np.int32), np.zeros(0, np.float32))

    @staticmethod
    def of(pressure: CellField, where: NDArray[np.bool_]) -> FramePressure:
        """A copy of the values in some cells [slot, z, y, x]."""
        tiles = pressure.tiles
        slot, z, y, x = np.nonzero(where)
        cell = tiles.origins[slot] + np.stack([x, y, z], axis=1)
        return FramePressure(
            np.ascontiguousarray(cell[:, : tiles.dimension], np.int32), pressure.pool[where].astype(np.float32)
        )

    @staticmethod
    def read(arrays: StoredArrays, scene: Scene) -> FramePressure:
        """The pressure in the file of a frame; none in one that was written before frames had any.

        Raises:
            DamagedError: It cannot be one of this scene.
        """
        if "pressure" not in arrays:
            return FramePressure.none(scene.dimension)
        value = arrays.take("pressure", np.float32, (None,), -_HUGE, _HUGE)
        low, high = cells_of(scene.domain)
        return FramePressure(arrays.take("pressure_cell", np.int32, (len(value), scene.dimension), low, high), value)

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame."""
        return {"pressure_cell": self.cell, "pressure": self.value}

    def dense(self, domain: Domain) -> NDArray[np.float32]:
        """Pressure (Pa) in all cells of the domain [[z,] y, x]; NaN where there is no liquid."""
        result = np.full(domain.cells[::-1], np.nan, np.float32)
        inside = ((self.cell >= 0) & (self.cell < domain.cells)).all(axis=1)
        result[tuple(self.cell[inside].T[::-1])] = self.value[inside]
        return result
