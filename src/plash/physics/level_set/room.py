"""The space that a level set moves in: what is closed to it, and how much of it is missing.

Reference: Enright et al. 2002.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import Tiles


class Room:
    """Empty space, in which nobody knows of a volume. A liquid has walls, and a volume that it should have."""

    def closed(self, tiles: Tiles) -> NDArray[np.bool_] | None:
        """Which cells of tiles are closed to the surface; None if none is."""
        return None

    def unknown(self, tiles: Tiles) -> NDArray[np.bool_] | None:
        """In which cells of tiles φ is no distance, though they are beside the liquid; None if in none."""
        return None

    def complete(self, phi: CellField) -> None:
        """Give a level set (m) its values in cells that are closed."""

    def confine(self, places: NDArray[np.float64]) -> None:
        """Put places (n, d) in cells back that are beyond the sides of the space."""

    def missing(self, phi: CellField) -> float:
        """Volume (m³) that is missing inside a level set; negative if there is too much."""
        return math.inf
