"""The space that a level set moves in: what is closed to it, and how much of it is missing.

Reference: Enright et al. 2002.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_numbers
from plash.grid.tiles import Places, Tiles

Points = NDArray[np.float64]


class Room:
    """Empty space, in which nobody knows of a volume. A liquid has walls, and a volume that it should have."""

    def closed(self, tiles: Tiles) -> NDArray[np.bool_] | None:
        """Which cells of tiles are closed to the surface; None if none is."""
        return None

    def unknown(self, tiles: Tiles) -> NDArray[np.bool_] | None:
        """In which cells of tiles φ is no distance, though they are beside the liquid; None if in none."""
        return None

    def shielded(self, phi: CellField, back: Callable[[Points], Points]) -> tuple[Places, NDArray[np.float32]] | None:
        """Cells that liquid does not get to on straight ways, and what a level set (m) is there after a move.

        Args:
            phi: The level set before it.
            back: Where what is at points (n, d) in metres was before it.
        """
        return None

    def complete(self, phi: CellField) -> None:
        """Give a level set (m) its values in cells that are closed."""

    def confine(self, places: NDArray[np.float64]) -> None:
        """Put places (n, d) in cells back that are beyond the sides of the space."""

    def missing(self, phi: CellField) -> float:
        """Volume (m³) that is missing inside a level set; negative if there is too much."""
        return math.inf


def hold_between(places: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
    """Put places (n, d) that are beyond a lowest or a highest coordinate, by axis, back to it."""
    _hold(places, low, high, chunk_count())


@kernel
def _hold(places, low, high, chunks):
    n, dimension = places.shape
    for c in prange(chunks):
        for p in chunk_numbers(c, chunks, n):
            for axis in range(np.uint64(dimension)):
                places[p, axis] = max(min(places[p, axis], high[axis]), low[axis])
