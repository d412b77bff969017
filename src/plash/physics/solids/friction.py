"""Friction between liquid and bodies, or the sides of the domain.

    u_t *= (1 - friction)^(24 dt)        on faces whose centre is within half a cell of the body, or inside it

with u_t the velocity along the body's surface: 0 lets liquid slide freely, 1 stops it, and between, 1 - friction is
what is left after 1/24 s, whatever the step (Kuo's roughness constant). It acts on open faces before the pressure is
found, and on closed ones after the velocity was continued into the body.

Where viscosity itself stops liquid at walls of friction 1 (`physics/viscosity`), this law leaves their open faces
alone, and a closed face at the depth d (in cells) below the surface gets the mirror image of the velocity above it,

    u_t *= -min(1, d/(1 - d))            so that what is interpolated is at rest on the surface itself
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.grid.halos import at_minimal_corners, at_minimal_faces
from plash.grid.tiles import Tiles
from plash.physics.friction_law import share_kept
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.domain_box import DomainBox
from plash.physics.solids.moving import NearGroups
from plash.physics.solids.wall_velocity import along_bodies
from plash.scene.bodies import Solid
from plash.scene.shapes import HalfSpace

_AT_SURFACE = 0.5 + 1e-3  # cells from a body within which its friction acts


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction of the bodies on one set of tiles.

    Attributes:
        tiles: Where the cells are.
        slots: The tiles near bodies.
        solid_phi: Signed distance to the nearest body with friction at minimal corners [slot, z, y, x], in cells.
        friction: Of the body within half a cell of the minimal faces [axis, one for each of `slots`, z, y, x], else 0.
        depth: How deep these faces are inside a body with friction 1, in cells: at most 1/2, and -1 far outside.
        by_viscosity: Whether viscosity stops liquid at bodies with friction 1, and this law does not.
    """

    tiles: Tiles
    slots: NDArray[np.int32]
    solid_phi: NDArray[np.float32]
    friction: NDArray[np.float32]
    depth: NDArray[np.float32]
    by_viscosity: bool = False

    @staticmethod
    def none(tiles: Tiles, by_viscosity: bool = False) -> Friction:
        """No body has any."""
        nowhere, shape = np.zeros(0, np.int32), (tiles.count + 1, *tiles.shape)
        solid_phi = np.broadcast_to(np.float32(FAR), shape)
        nothing = np.zeros((tiles.dimension, 0, *tiles.shape), np.float32)
        return Friction(tiles, nowhere, solid_phi, nothing, nothing, by_viscosity)

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether faces are within half a cell of a body with friction 1, or inside it, as `friction` has them."""
        return np.asarray(self.friction == 1)

    def slow_open_faces(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Friction on faces that liquid can pass through, for dt."""
        kept = self._kept(dt)
        if self.by_viscosity:
            kept[self.holds] = 1.0
        along_bodies(velocity, cells, self.slots, self.solid_phi, kept, closed=False, slide=False)

    def slow_closed_faces(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Friction on closed faces, for dt."""
        kept = self._kept(dt)
        if self.by_viscosity and dt > 0:
            depth = np.maximum(self.depth, np.float32(0))
            np.copyto(kept, -depth / (1 - depth), where=self.holds)
        along_bodies(velocity, cells, self.slots, self.solid_phi, kept, closed=True, slide=False)

    def _kept(self, dt: float) -> NDArray[np.float32]:
        """Share of the velocity that is left after dt; all of it if no time goes by."""
        return share_kept(self.friction.astype(np.float64), dt).astype(np.float32)


@dataclass(eq=False)
class FrictionAtRest:
    """The friction of a scene's bodies on whatever tiles exist; tiles seen before are not evaluated again."""

    bodies: Bodies
    by_viscosity: bool = False
    _last: Friction | None = field(default=None, init=False)

    @staticmethod
    def of(bodies: Sequence[Solid], h: float, dimension: int, by_viscosity: bool = False) -> FrictionAtRest:
        """That of the bodies that have some; h is the cell size in metres."""
        return FrictionAtRest(Bodies([body for body in bodies if body.friction > 0], h, dimension), by_viscosity)

    @staticmethod
    def of_sides(box: DomainBox, h: float, by_viscosity: bool = False) -> FrictionAtRest:
        """That of the closed sides of a domain: each is a half space."""
        sides = []
        for axis, last, outwards in box.closed_sides():
            point, normal = np.zeros((2, len(box.cells)))
            point[axis], normal[axis] = h * (last + 1 if outwards > 0 else 0), -outwards
            shape = HalfSpace(point=tuple(point.tolist()), normal=tuple(normal.tolist()))
            sides.append(Solid(shape=shape, friction=box.friction_of(axis, outwards)))
        return FrictionAtRest.of(sides, h, len(box.cells), by_viscosity)

    def at(self, tiles: Tiles) -> Friction:
        """Friction on these tiles."""
        if not self.bodies.bodies:
            return Friction.none(tiles, self.by_viscosity)
        if self._last is None or self._last.tiles is not tiles:
            self._last = self._evaluate(tiles)
        return self._last

    def _evaluate(self, tiles: Tiles) -> Friction:
        last = self._last
        solid_phi = np.full((tiles.count + 1, *tiles.shape), FAR, np.float32)
        kept, rows = np.zeros(0, np.int32), np.zeros((2, tiles.dimension, 0, *tiles.shape), np.float32)
        new = tiles.slots
        if last is not None:
            old = last.tiles.slots_of(tiles.keys)
            row = np.full(last.tiles.count + 1, -1)
            row[last.slots] = np.arange(len(last.slots))
            kept = (np.flatnonzero((old > 0) & (row[old] >= 0)) + 1).astype(np.int32)
            known = row[old[kept - 1]]
            solid_phi[kept], rows = last.solid_phi[old[kept - 1]], np.stack([last.friction, last.depth])[:, :, known]
            new = (np.flatnonzero(old == 0) + 1).astype(np.int32)
        near = self.bodies.near(tiles, new)
        some = near.any(axis=0)
        new = new[some]
        if len(new):
            solid_phi[new], found = self._at(tiles, new, near[:, some])
            rows = np.concatenate([rows, found], axis=2)
        friction, depth = rows
        return Friction(tiles, np.concatenate([kept, new]), solid_phi, friction, depth, self.by_viscosity)

    def _at(
        self, tiles: Tiles, slots: NDArray[np.int32], near: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Distance at the minimal corners of some tiles, and friction and depth at their minimal faces."""
        nearest = np.full((len(slots), *tiles.shape), FAR)
        found = _no_friction(tiles, len(slots))
        for number, body in enumerate(self.bodies.bodies):
            some = np.flatnonzero(near[number])
            if len(some) == 0:
                continue
            corners = self.bodies.at_corners_of(number, tiles, slots[some])
            nearest[some] = np.minimum(nearest[some], at_minimal_corners(corners))
            _rub(found, some, corners, body.friction)
        return nearest, found


def _no_friction(tiles: Tiles, rows: int) -> NDArray[np.float32]:
    """Friction and depth where there is no body [friction or depth, axis, row, z, y, x]."""
    found = np.zeros((2, tiles.dimension, rows, *tiles.shape), np.float32)
    found[1] = -1.0
    return found


def _rub(found: NDArray[np.float32], rows: NDArray[np.integer], corners: NDArray[np.float64], value: float) -> None:
    """Add the friction of a body, and how deep faces are inside it, to some rows of [friction or depth, axis, ...].

    Args:
        found: What is known of other bodies.
        rows: The tiles that the body is near to.
        corners: Its distance at the corners of the cells of these tiles and of one more cell round them, in cells.
        value: Its friction.
    """
    friction, depth = found
    for axis in range(len(friction)):
        solid_phi = at_minimal_faces(corners, axis)
        rubbed = np.where(solid_phi < _AT_SURFACE, np.float32(value), np.float32(0))
        friction[axis, rows] = np.maximum(friction[axis, rows], rubbed)
        if value == 1:
            inside = np.clip(-solid_phi, -1.0, 0.5).astype(np.float32)
            depth[axis, rows] = np.maximum(depth[axis, rows], inside)


def with_moving(
    standing: Friction, nearby: NearGroups, slots: NDArray[np.int32], corners: Sequence[NDArray[np.float64]]
) -> Friction:
    """The friction of what stands and of bodies that move: known already unless one of these has some.

    Args:
        standing: Of what stands.
        nearby: Those that move.
        slots: The tiles near them.
        corners: Distance to each group at the corners of the cells of these tiles and of one more cell round them.
    """
    rough: list[tuple[float, NDArray[np.float64]]] = []
    for group, corner in zip(nearby.groups, corners, strict=True):
        frictions = {body.friction for body in group.bodies}
        if len(frictions) == 1:
            rough += [(friction, corner) for friction in frictions]
        else:
            each = (group.placed.at_corners_of(i, nearby.tiles, slots) for i in range(len(group.bodies)))
            rough += [(body.friction, solid_phi) for body, solid_phi in zip(group.bodies, each, strict=True)]
    rough = [(friction, solid_phi) for friction, solid_phi in rough if friction > 0]
    return _joined(standing, slots, rough) if rough else standing


def _joined(
    standing: Friction, slots: NDArray[np.int32], bodies: Sequence[tuple[float, NDArray[np.float64]]]
) -> Friction:
    """The friction of what stands, and of bodies that move.

    Args:
        standing: Of what stands.
        slots: The tiles near those that move.
        bodies: Friction of each of these, and its distance at the corners of the cells of these tiles and of one more
            cell round them, in cells.
    """
    tiles, solid_phi = standing.tiles, standing.solid_phi.copy()
    every = np.union1d(standing.slots, slots).astype(np.int32)
    found = _no_friction(tiles, len(every))
    found[:, :, np.searchsorted(every, standing.slots)] = standing.friction, standing.depth
    rows = np.searchsorted(every, slots)
    for value, corners in bodies:
        solid_phi[slots] = np.minimum(solid_phi[slots], at_minimal_corners(corners))
        _rub(found, rows, corners, value)
    friction, depth = found
    return Friction(tiles, every, solid_phi, friction, depth, standing.by_viscosity)
