"""What walls are to a viscous liquid, by face: which are sides of the domain, which hold it, and how they move.

Reference: Cline section 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.physics.solids.friction import Friction
from plash.physics.solids.moving import MovingSolids

OF_SIDE = np.uint8(1)  # borders a cell beyond a closed side of the domain
NO_SLIP = np.uint8(2)  # of a wall with friction 1

_ON_SIDE = 0.1  # cells: faces are on a side, or half a cell and more away from it


@dataclass(frozen=True, eq=False)
class WallFaces:
    """The walls on one set of tiles.

    Attributes:
        bits: OF_SIDE and NO_SLIP bits of the minimal faces [axis, slot, z, y, x]; NO_SLIP also on open faces within
            half a cell of a body.
        velocity: That of the wall on faces near bodies that move [axis, slot, z, y, x], m/s; zero elsewhere.
        corner_distance: Signed distance to bodies at the minimal corner of cells, in cells; None for whole cells.
    """

    bits: NDArray[np.uint8]
    velocity: NDArray[np.float32]
    corner_distance: NDArray[np.float32] | None

    @staticmethod
    def of(
        tiles: Tiles,
        box: DomainBox,
        frictions: tuple[Friction, Friction],
        moving: MovingSolids,
        corner_distance: NDArray[np.float32] | None,
    ) -> WallFaces:
        """The walls, given the friction of bodies and of sides, and the bodies that move."""
        bits = np.zeros((tiles.dimension, tiles.count + 1, *tiles.shape), np.uint8)
        beside = np.flatnonzero(box.near(tiles, (CLOSED,))).astype(np.int32)
        bits[:, beside] = np.where(box.off_sides(tiles, beside), 0, OF_SIDE)
        of_bodies, of_sides = frictions
        apart = (bits[:, of_bodies.slots] & OF_SIDE) == 0
        bits[:, of_bodies.slots] |= np.where(of_bodies.holds & apart, NO_SLIP, np.uint8(0))
        beyond = of_sides.holds & (of_sides.depth > -_ON_SIDE)
        bits[:, of_sides.slots] |= np.where(beyond, NO_SLIP, np.uint8(0))
        velocity = np.zeros(bits.shape, np.float32)
        near = moving.slots
        velocity[:, near] = np.where(bits[:, near] & OF_SIDE, np.float32(0), moving.solid_velocity)
        return WallFaces(bits, velocity, corner_distance)
