"""Strain on the grid: the tensors of Cline's figure 11."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.physics.elasticity.samples import Pool, entry_count


@dataclass(eq=False)
class StrainField:
    """One tensor for each cell, with its entries where samples of stress are.

    Attributes:
        tiles: Where the cells are.
        pool: Entries [entry, slot, z, y, x], as in `samples.py`; NaN where there is no liquid.
        modulus: Shear modulus (Pa) at the entries in this step; None if it is the same everywhere.
    """

    tiles: Tiles
    pool: Pool
    modulus: Pool | None = None

    @staticmethod
    def unknown(tiles: Tiles) -> StrainField:
        """A field that is known nowhere."""
        shape = (entry_count(tiles.dimension), tiles.count + 1, *tiles.shape)
        return StrainField(tiles, np.full(shape, np.nan, np.float32))

    def moved_to(self, tiles: Tiles) -> StrainField:
        """The same field on another set of tiles, unknown where it was not."""
        parts = [CellField(self.tiles, pool).moved_to(tiles).pool for pool in self.pool]
        return StrainField(tiles, np.stack(parts))
