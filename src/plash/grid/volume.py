"""What fills space at one time, in units for people: smoke, its heat and its flames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles

COLORS = ("red", "green", "blue")


@dataclass(frozen=True, eq=False)
class Volume:
    """Fields at the centres of cells, on the tiles where there is something; elsewhere each is its background.

    Attributes:
        tiles: Where there is something.
        pools: Values by name, [slot, z, y, x] in single precision; slot 0 holds the background. `density` (kg/m³) is
            always there, `temperature` (K), `flame` (0 to 1) and the colour of smoke where the scene has them: `red`,
            `green` and `blue`, the share of each light (linear, 0 to 1) that it sends on.
        h: Cell size, m. Cell (i, j, k) spans [i h, (i + 1) h] and so on.
    """

    tiles: Tiles
    pools: Mapping[str, NDArray[np.float32]]
    h: float

    @property
    def density(self) -> NDArray[np.float32]:
        """Mass of smoke in a volume of air, kg/m³."""
        return self.pools["density"]

    def without(self, name: str) -> Volume:
        """The same but for one of its fields."""
        return Volume(self.tiles, {each: pool for each, pool in self.pools.items() if each != name}, self.h)

    @staticmethod
    def empty(dimension: int, h: float) -> Volume:
        """A volume without anything in it."""
        tiles = Tiles.at([], dimension)
        return Volume(tiles, {"density": np.zeros((1, *tiles.shape), np.float32)}, h)
