"""Liquid that appears at a time: a blob, or a fill that comes later.

The level set becomes the lower of its own φ and that of the body, and faces in the body that held no liquid get the
velocity that it appears with.

Reference: Cline section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles
from plash.levelset.sampling import sampled
from plash.physics.level_set.distancing import level_set_of

Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Appearing:
    """A body of liquid that appears.

    Attributes:
        name: What the ledger calls it.
        time: When, s.
        distance: Of points (n, d) in metres, negative inside, m.
        low: Corner of a box that holds it, m.
        high: The corner opposite to it, m.
        velocity: With which it appears, m/s.
        temperature: Of its own, K; None for that of all liquid.
    """

    name: str
    time: float
    distance: Callable[[Points], Points]
    low: Points
    high: Points
    velocity: Points
    temperature: float | None = None

    @property
    def middle(self) -> Points:
        """The middle of its box, m."""
        return 0.5 * (self.low + self.high)

    def level_set(self, way: Points, h: float) -> CellField:
        """Its level set (m) after it has gone a way (m)."""
        low, high = (self.low + way).tolist(), (self.high + way).tolist()
        return level_set_of(lambda points: self.distance(points - way), low, high, h)


def joined(phi: CellField, other: CellField) -> tuple[CellField, CellField]:
    """The level set of what is inside one of two, and the other one on the same tiles."""
    tiles = Tiles.of_keys(np.union1d(phi.tiles.keys, other.tiles.keys), phi.tiles.dimension)
    other = other.moved_to(tiles)
    both = phi.moved_to(tiles)
    both.pool = np.minimum(both.pool, other.pool)
    return both, other


def give_velocity(field: FaceField, body: CellField, before: CellField, velocity: Points, h: float) -> FaceField:
    """A velocity (m/s) that is given on faces in a body, where no liquid was before; on the tiles of the body."""
    tiles = body.tiles
    field = field.moved_to(tiles)
    centres = tiles.cell_centres(tiles.slots, 1.0)
    for axis in range(tiles.dimension):
        faces = centres - 0.5 * np.eye(tiles.dimension)[axis]
        is_new = (sampled(body, faces) < 0.5 * h) & (sampled(before, faces) > 0)
        values = field.pool[axis, 1:].reshape(-1)
        values[is_new] = velocity[axis]
        field.pool[axis, 1:] = values.reshape(-1, *tiles.shape)
    return field
