"""Where the fluid of a frame is, as points: for plots, whatever a solver keeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles


class Samples(NamedTuple):
    """Points in the fluid, one row each.

    Attributes:
        position: In metres.
        amount: What each stands for: volume in m³ (m² in 2-D) of a liquid, kg (kg/m) of smoke.
        velocity: In m/s; NaN where it is not known.
        spacing: How far they are apart, m.
    """

    position: NDArray[np.float64]
    amount: NDArray[np.float64]
    velocity: NDArray[np.float64]
    spacing: float

    @property
    def speed(self) -> NDArray[np.float64]:
        """In m/s."""
        speed: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", self.velocity, self.velocity))
        return speed


def samples_of_tiles(
    tiles: Tiles, amount: NDArray[np.floating], velocity: NDArray[np.floating] | None, h: float
) -> Samples:
    """The centres of cells (of size h, in m) with an amount above 0.

    Args:
        tiles: Where the fluid is.
        amount: What each cell holds [slot, z, y, x].
        velocity: At cell centres [axis, slot, z, y, x], m/s; None if it is not known.
        h: Cell size, m.
    """
    held = amount[1:].reshape(-1).astype(np.float64)
    some = held > 0
    position = tiles.cell_centres(tiles.slots, h)[some]
    speeds = np.full(position.shape, np.nan)
    if velocity is not None:
        speeds = velocity[:, 1:].reshape(tiles.dimension, -1).T[some].astype(np.float64)
    return Samples(position, held[some], speeds, h)
