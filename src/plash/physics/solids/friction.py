"""Friction between liquid and bodies.

    u_t *= (1 - friction)^(24 dt)        on faces whose centre is within half a cell of the body, or inside it

with u_t the velocity along the body's surface: 0 lets liquid slide freely, 1 stops it, and between, 1 - friction is
what is left after 1/24 s, whatever the step (Kuo's roughness constant). It acts on open faces before the pressure is
found, and on closed ones after the velocity was continued into the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.physics.friction_law import share_kept
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.wall_velocity import along_bodies

_AT_SURFACE = 0.5 + 1e-3  # cells from a body within which its friction acts


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction of the bodies on one set of tiles.

    Attributes:
        tiles: Where the cells are.
        slots: The tiles near bodies.
        solid_phi: Signed distance to the nearest body with friction at minimal corners [slot, z, y, x], in cells.
        friction: Of the body within half a cell of the minimal faces [axis, one for each of `slots`, z, y, x], else 0.
    """

    tiles: Tiles
    slots: NDArray[np.int32]
    solid_phi: NDArray[np.float32]
    friction: NDArray[np.float32]

    def slow_open_faces(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Friction on faces that liquid can pass through, for dt."""
        along_bodies(velocity, cells, self.slots, self.solid_phi, self._kept(dt), closed=False, slide=False)

    def slow_closed_faces(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Friction on closed faces, for dt."""
        along_bodies(velocity, cells, self.slots, self.solid_phi, self._kept(dt), closed=True, slide=False)

    def _kept(self, dt: float) -> NDArray[np.float32]:
        """Share of the velocity that is left after dt; all of it if no time goes by."""
        return share_kept(self.friction.astype(np.float64), dt).astype(np.float32)


@dataclass(eq=False)
class FrictionAtRest:
    """The friction of a scene's bodies on whatever tiles exist; tiles seen before are not evaluated again."""

    bodies: Bodies
    _last: Friction | None = field(default=None, init=False)

    def at(self, tiles: Tiles) -> Friction | None:
        """Friction on these tiles; None if no body has any."""
        if not self.bodies.bodies:
            return None
        if self._last is None or self._last.tiles is not tiles:
            self._last = self._evaluate(tiles)
        return self._last

    def _evaluate(self, tiles: Tiles) -> Friction:
        last = self._last
        solid_phi = np.full((tiles.count + 1, *tiles.shape), FAR, np.float32)
        kept, rows = np.zeros(0, np.int32), np.zeros((tiles.dimension, 0, *tiles.shape), np.float32)
        new = tiles.slots
        if last is not None:
            old = last.tiles.slots_of(tiles.keys)
            row = np.full(last.tiles.count + 1, -1)
            row[last.slots] = np.arange(len(last.slots))
            kept = (np.flatnonzero((old > 0) & (row[old] >= 0)) + 1).astype(np.int32)
            solid_phi[kept], rows = last.solid_phi[old[kept - 1]], last.friction[:, row[old[kept - 1]]]
            new = (np.flatnonzero(old == 0) + 1).astype(np.int32)
        near = self.bodies.near(tiles, new)
        some = near.any(axis=0)
        new = new[some]
        if len(new):
            solid_phi[new], friction = self._at(tiles, new, near[:, some])
            rows = np.concatenate([rows, friction], axis=1)
        return Friction(tiles, np.concatenate([kept, new]), solid_phi, rows)

    def _at(
        self, tiles: Tiles, slots: NDArray[np.int32], near: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Distance at the minimal corners and friction at the minimal faces of some tiles."""
        nearest = np.full((len(slots), *tiles.shape), FAR)
        friction = np.zeros((tiles.dimension, len(slots), *tiles.shape), np.float32)
        for number, body in enumerate(self.bodies.bodies):
            some = np.flatnonzero(near[number])
            if len(some) == 0:
                continue
            corners = self.bodies.at_corners_of(number, tiles, slots[some])
            nearest[some] = np.minimum(nearest[some], at_corners(corners))
            for axis in range(tiles.dimension):
                touched = at_faces(corners, axis) < _AT_SURFACE
                rubbed = np.where(touched, np.float32(body.friction), np.float32(0))
                friction[axis, some] = np.maximum(friction[axis, some], rubbed)
        return nearest, friction


def with_moving(
    ground: Friction | None,
    tiles: Tiles,
    slots: NDArray[np.int32],
    bodies: Sequence[tuple[float, NDArray[np.float64]]],
) -> Friction:
    """The friction of what stands, and of bodies that move.

    Args:
        ground: Of what stands.
        tiles: Where the cells are.
        slots: The tiles near those that move.
        bodies: Friction of each of these, and its distance at the corners of the cells of these tiles and of one more
            cell round them, in cells.
    """
    solid_phi = np.full((tiles.count + 1, *tiles.shape), FAR, np.float32) if ground is None else ground.solid_phi.copy()
    before = np.zeros(0, np.int32) if ground is None else ground.slots
    every = np.union1d(before, slots).astype(np.int32)
    friction = np.zeros((tiles.dimension, len(every), *tiles.shape), np.float32)
    if ground is not None:
        friction[:, np.searchsorted(every, before)] = ground.friction
    rows = np.searchsorted(every, slots)
    for value, corners in bodies:
        solid_phi[slots] = np.minimum(solid_phi[slots], at_corners(corners))
        for axis in range(tiles.dimension):
            rubbed = np.where(at_faces(corners, axis) < _AT_SURFACE, np.float32(value), np.float32(0))
            friction[axis, rows] = np.maximum(friction[axis, rows], rubbed)
    return Friction(tiles, every, solid_phi, friction)


def at_corners(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The minimal corners of the cells of a tile, of the corners of its cells and one more round them."""
    return corners[(slice(None), *(slice(1, n - 2) if n > 1 else slice(None) for n in corners.shape[1:]))]


def at_faces(corners: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Mean over the corners of each minimal face of a tile, from the corners of its cells and one more round them."""
    mean = corners
    for along in range(3):
        place = 3 - along
        count = corners.shape[place] - 3
        if count > 0:
            low = np.take(mean, np.arange(1, count + 1), place)
            mean = low if along == axis else 0.5 * (low + np.take(mean, np.arange(2, count + 2), place))
    return mean
