"""Bodies that move, on the tiles of one step: where they are near, how fast, and which particles meet them.

Reference: Batty et al. 2007, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SolidFlux
from plash.grid.fields import FaceField
from plash.grid.halos import at_centres, at_minimal_corners, touching
from plash.grid.tiles import Places, Tiles
from plash.particles.collide import Start
from plash.particles.collide_moving import carry_along, collide_with_moving
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.physics.compatibility import SolidFluxes
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.domain_box import DomainBox
from plash.physics.solids.rigid_motion import PlacedBodies, RigidGroup
from plash.physics.solids.velocity import change_relative_to_solids
from plash.scene.bodies import Solid

Array = NDArray[np.float64]

_CLOSE_BY = 2.0  # cells


@dataclass(frozen=True, eq=False)
class NearGroups:
    """The bodies that move in a step, and the tiles that they come near to.

    Attributes:
        tiles: All tiles.
        groups: The bodies, by motion.
        reach: How far any of them moves in the step, in cells.
        slots: The tiles that one of them comes near to.
        near: Which bodies of each group come near to which of these tiles, [body, tile].
    """

    tiles: Tiles
    groups: Sequence[RigidGroup]
    reach: float
    slots: NDArray[np.int32]
    near: Sequence[NDArray[np.bool_]]

    @staticmethod
    def on(tiles: Tiles, groups: Sequence[RigidGroup], reach: float) -> NearGroups:
        """The tiles near bodies that move so far; none if none moves."""
        if not groups:
            return NearGroups(tiles, (), reach, np.zeros(0, np.int32), ())
        near = [group.placed.near(tiles, tiles.slots, reach) for group in groups]
        some = np.flatnonzero(np.concatenate(near).any(axis=0))
        near = [
            group.placed.nearer(tiles, tiles.slots[some], reach) & rows[:, some]
            for group, rows in zip(groups, near, strict=True)
        ]
        kept = np.concatenate(near).any(axis=0)
        return NearGroups(tiles, groups, reach, tiles.slots[some[kept]], [rows[:, kept] for rows in near])

    @property
    def bodies(self) -> list[Solid]:
        """All of them, where they are at the start of the step."""
        return [body for group in self.groups for body in group.placed.bodies]

    @cached_property
    def corners(self) -> list[Array]:
        """Distance to each group at the corners of cells of these tiles and one more round them, in cells."""
        pairs = zip(self.groups, self.near, strict=True)
        return [group.placed.at_corners(self.tiles, self.slots, rows) for group, rows in pairs]


@dataclass(frozen=True, eq=False)
class MovingSolids:
    """The bodies that move, on the tiles of a step.

    Attributes:
        tiles: Where they are looked at.
        groups: The bodies, by motion; none if nothing that moves is near.
        beside: By slot, whether a particle of this tile can meet one of them.
        reach: How far any of them moves in the step, in cells.
        solid_phis: Distance to each group at the minimal corner of cells, in cells.
        close_by: Cells whose centre is within two cells of one of them.
        slots: The tiles near them.
        solid_velocity: Velocity of the nearest body through the minimal faces of these, m/s.
        owner: Which of the groups is nearest to each of their cells; -1 for a body that stands.
    """

    tiles: Tiles
    groups: Sequence[RigidGroup]
    beside: NDArray[np.bool_]
    reach: float
    solid_phis: Sequence[NDArray[np.float32]]
    close_by: Places
    slots: NDArray[np.int32]
    solid_velocity: NDArray[np.float32]
    owner: NDArray[np.int8]

    @staticmethod
    def none(tiles: Tiles) -> MovingSolids:
        """Nothing that moves is near."""
        nowhere, cells = np.zeros(0, np.int32), (0, *tiles.shape)
        velocity, owner = np.zeros((tiles.dimension, *cells), np.float32), np.zeros(cells, np.int8)
        none = (np.zeros(0, np.int64),) * 4
        return MovingSolids(tiles, (), np.zeros(tiles.count + 1, np.bool_), 0.0, (), none, nowhere, velocity, owner)

    @staticmethod
    def of(
        nearby: NearGroups, slots: NDArray[np.int32], solid_velocity: NDArray[np.float32], owner: NDArray[np.int8]
    ) -> MovingSolids:
        """The bodies of a step, given their velocity and which is nearest on some of the tiles near them."""
        tiles = nearby.tiles
        solid_phis = [_everywhere(tiles, nearby.slots, corners) for corners in nearby.corners]
        number, *within = np.nonzero(np.minimum.reduce([at_centres(each) for each in nearby.corners]) < _CLOSE_BY)
        close_by: Places = (nearby.slots[number].astype(np.int64), *within)
        where = (touching(tiles, nearby.slots), nearby.reach, solid_phis, close_by, slots)
        return MovingSolids(tiles, nearby.groups, *where, solid_velocity, owner)

    def change_relative(self, velocity: FaceField, change: Callable[[FaceField], None]) -> None:
        """Change a velocity as it is relative to the nearest body."""
        if len(self.slots):
            change_relative_to_solids(velocity, self.slots, self.solid_velocity, change)
        else:
            change(velocity)

    def solid_fluxes(self, solid_flux: SolidFlux) -> SolidFluxes:
        """What the bodies push out of cells, of which they are the owners."""
        names = [", ".join(repr(body.name) for body in group.bodies) for group in self.groups]
        return SolidFluxes.by_solids(solid_flux, self.owner, names)

    def collide(self, particles: Particles, start: Start | None, time: float, dt: float) -> list[NDArray[np.int64]]:
        """Stop particles where they meet a body on a move that began at a time; returns those close to each group.

        Their start is then put where the bodies take it: that is outside them, whatever happens. It is needed only if
        something moves.
        """
        if start is None:
            return []
        close = []
        for group, solid_phi in zip(self.groups, self.solid_phis, strict=True):
            before, after = group.move(time, group.time), group.move(time + dt, group.time)
            way = (before, after, group.solid_velocity, self.reach)
            close.append(collide_with_moving(particles, start, self.tiles, solid_phi, self.beside, *way))
        for group, found in zip(self.groups, close, strict=True):
            carry_along(start, found, group.move(time, time + dt))
        return close

    def project_out(
        self,
        particles: Particles,
        close: Sequence[NDArray[np.int64]],
        start: Start | None,
        standing: Bodies,
        time: float,
        box: DomainBox,
    ) -> int:
        """Move particles that are close to bodies out of their exact shapes; returns how many are still inside.

        Args:
            particles: After they met the bodies.
            close: Those to look at, in parts.
            start: Where they were before the move.
            standing: The bodies that stand and are to be left too.
            time: When the others are where they are, s.
            box: The domain, which particles do not leave.
        """
        if start is None or not close:
            return 0
        present = PlacedBodies(standing, self.groups, time)
        which = np.unique(np.concatenate(close))
        return project_out(particles, which, start, present.distance, *box.limits(), solid_velocity=present.velocity)


def _everywhere(tiles: Tiles, slots: NDArray[np.int32], corners: Array) -> NDArray[np.float32]:
    """A distance at the minimal corner of every cell, far where it was not measured."""
    solid_phi = np.full((tiles.count + 1, *tiles.shape), FAR, np.float32)
    solid_phi[slots] = at_minimal_corners(corners)
    return solid_phi
