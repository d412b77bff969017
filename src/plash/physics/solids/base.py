"""Solids: a way to see bodies on the grid, times a way in which they move.

A geometry says what bodies are to the grid: whole cells (`physics/solids/voxel.py`), or what they cut off cells and
faces (`physics/solids/cut.py`). A motion says where bodies are and how fast (`physics/solids/rigid_motion.py`): they
stand, or move as the scene prescribes. `SceneSolids` is one of each. In every step it gives `Solids`, whose verbs are
those of the time step. What stands is kept from step to step; only tiles near bodies that move are evaluated anew.

Bodies are where they are at the start of a step, as the particles are: the share of space that is open round a cell has
to be that of the liquid in it. Their velocity is the one that takes them to where they will be at its end. A velocity
is made one along bodies as they see it, relative to the nearest of them.

Reference: Cline section 6; Batty et al. 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells, CutCells, SolidFlux
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.physics.compatibility import SolidFluxes
from plash.physics.solids.border_cells import Border, NoBorder
from plash.physics.solids.curvature import CurvedWalls
from plash.physics.solids.distance import Bodies
from plash.physics.solids.domain_box import DomainBox
from plash.physics.solids.friction import Friction
from plash.physics.solids.moving import MovingSolids, NearGroups
from plash.physics.solids.rigid_motion import AtRest, Poses, SolidMotion
from plash.physics.solids.wall_faces import WallFaces
from plash.scene.bodies import Solid
from plash.timing import stage

Collided = tuple[NDArray[np.int8] | None, int]


class SolidFields(Protocol):
    """What solids leave to the liquid, by cell."""

    @property
    def tiles(self) -> Tiles:
        """Where the cells are."""

    @property
    def box(self) -> DomainBox:
        """The domain."""

    @property
    def is_solid(self) -> NDArray[np.bool_]:
        """By cell."""

    @property
    def inverse_kernel_weight(self) -> NDArray[np.float32]:
        """1/S by cell, S the part of the hat kernel round the cell's centre that lies in open space.

        7/8 beside one body; sides of the domain are mirrors and take nothing away. NaN in solid cells.
        """

    @property
    def cut_cells(self) -> CutCells | None:
        """Open fractions of the faces and cells that solids cut; None while all are whole."""


class GriddedSolids(SolidFields, Protocol):
    """Bodies as a geometry sees them on one set of tiles, as if they stood."""

    @property
    def friction(self) -> Friction:
        """Friction of bodies."""

    @property
    def side_friction(self) -> Friction:
        """Friction of the sides of the domain."""

    @property
    def corner_distance(self) -> NDArray[np.float32] | None:
        """Signed distance to the nearest body at the minimal corner of cells, in cells; None for whole cells."""

    def enforce_no_flux(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Let friction act for dt on liquid along bodies, and set the velocity through every closed face to zero."""

    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Make a velocity that was continued into solids one along them, slowed by friction for dt."""

    @property
    def curved_walls(self) -> CurvedWalls:
        """Cells with a part of a curved wall."""

    @property
    def traces_moves(self) -> bool:
        """Whether particles are kept out by the way they went, which has to be known then."""

    def collide_displaced(self, particles: Particles, start: Start | None, keep_velocity: bool) -> int:
        """Put particles back that went into a body on their way from the start; returns how many could not be."""

    def collide(
        self, particles: Particles, start: Start | None, moving: MovingSolids, time: float, dt: float
    ) -> Collided:
        """Put particles back that went into these bodies, into some that move, or through a closed side."""

    def solid_flux(self, moving: MovingSolids) -> SolidFlux:
        """What some bodies that move push out of cells."""


@dataclass(frozen=True, eq=False)
class Solids:
    """The solids on one set of tiles in one step.

    Attributes:
        every: All of them, where they are at the start of the step.
        standing: Those that stand, by themselves.
        moving: Those that move.
        border: What the outermost cells of those that move hold, where solids are whole cells.
    """

    every: GriddedSolids
    standing: GriddedSolids
    moving: MovingSolids
    border: Border | NoBorder = field(default_factory=NoBorder)

    @staticmethod
    def at_rest(standing: GriddedSolids) -> Solids:
        """Solids of which none that moves is near."""
        return Solids(standing, standing, MovingSolids.none(standing.tiles))

    @property
    def tiles(self) -> Tiles:
        """Where the cells are."""
        return self.every.tiles

    @property
    def box(self) -> DomainBox:
        """The domain."""
        return self.every.box

    @property
    def is_solid(self) -> NDArray[np.bool_]:
        """By cell."""
        return self.every.is_solid

    @property
    def inverse_kernel_weight(self) -> NDArray[np.float32]:
        """1/S by cell, S the part of the hat kernel round the cell's centre that lies in open space."""
        return self.every.inverse_kernel_weight

    @property
    def cut_cells(self) -> CutCells | None:
        """Open fractions of the faces and cells that solids cut; None while all are whole."""
        return self.every.cut_cells

    @stage
    def enforce_no_flux(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Let friction act for dt on liquid along bodies, and give closed faces the velocity of their body."""
        self.border.hold(velocity)
        self.every.side_friction.slow_open_faces(velocity, cells, dt)
        self.moving.change_relative(velocity, lambda relative: self.every.enforce_no_flux(relative, cells, dt))
        self.border.impose(velocity)

    @stage
    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Make a velocity that was continued into solids one along them, slowed by friction for dt.

        If no time goes by the field is a displacement, and bodies stand.
        """
        if dt > 0:
            self.every.side_friction.slow_closed_faces(velocity, cells, dt)
            self.moving.change_relative(velocity, lambda relative: self.every.enforce_slip(relative, cells, dt))
            self.border.impose(velocity, cells)
        else:
            self.every.enforce_slip(velocity, cells, dt)

    def bend_paths(self, divergence: NDArray[np.float64], velocity: FaceField, dt: float, h: float) -> None:
        """Allow for bodies in the h ∇·u (m/s) that keeps volume in straight moves of dt.

        Liquid along curved walls that stand has to aim at them. Round bodies that move nothing is asked for, as their
        velocity is no part of the liquid's gradient.
        """
        walls = self.standing.curved_walls
        if len(walls.bending):
            divergence[walls.places] += walls.inflow(velocity, dt, h)
        divergence[self.moving.close_by] = 0.0

    @cached_property
    def walls(self) -> WallFaces:
        """What they, and the sides of the domain, are to a viscous liquid."""
        frictions = self.every.friction, self.every.side_friction
        return WallFaces.of(self.tiles, self.box, frictions, self.moving, self.every.corner_distance)

    @property
    def holds_liquid(self) -> bool:
        """Whether any of them, or of the sides, may have no slip."""
        return any(friction.holds.any() for friction in (self.every.friction, self.every.side_friction))

    def solid_fluxes(self) -> SolidFluxes:
        """What bodies that move push out of cells."""
        if not self.moving.groups:
            return SolidFluxes.none()
        return self.moving.solid_fluxes(self.every.solid_flux(self.moving))

    def remember(self, particles: Particles) -> Start | None:
        """Where particles are before a move, if their way will have to be known."""
        return Start.of(particles) if self.moving.groups or self.every.traces_moves else None

    def collide_displaced(self, particles: Particles, start: Start | None, keep_velocity: bool = False) -> int:
        """Put particles back that went into a body on their way from the start; returns how many could not be.

        They are where no time took them, so bodies stand.
        """
        return self.every.collide_displaced(particles, start, keep_velocity)

    @stage
    def collide(self, particles: Particles, start: Start | None = None, time: float = 0.0, dt: float = 0.0) -> Collided:
        """Keep particles out of bodies, where these are at the end of the move, and inside closed sides.

        Args:
            particles: After they moved for dt.
            start: Where they were at this time, if `remember` told.
            time: When the move began, s.
            dt: How long it took, s.

        Returns:
            For each particle 0, or 1 + 2·axis + (0 low, 1 high) if it left through an open side, None if none
            did; and how many are inside a body all the same.
        """
        return self.standing.collide(particles, start or self.remember(particles), self.moving, time, dt)


Gridded = TypeVar("Gridded", bound=GriddedSolids)


class Geometry(Protocol[Gridded]):
    """A way to see bodies on the grid."""

    @property
    def bodies(self) -> Sequence[Solid]:
        """Those that stand."""

    @property
    def box(self) -> DomainBox:
        """The domain."""

    @property
    def h(self) -> float:
        """Cell size, m."""

    def standing(self, tiles: Tiles, last: Gridded | None) -> Gridded:
        """What stands on these tiles; what is known from other tiles is not evaluated again."""

    def in_motion(self, standing: Gridded, nearby: NearGroups) -> Solids:
        """What stands, with what moves near some tiles."""


@dataclass(eq=False)
class SceneSolids(Generic[Gridded]):
    """All solids of a scene, on whatever tiles exist and at any time.

    As long as nothing moves near the very same tiles, they are the very same solids.

    Attributes:
        geometry: How they are seen; it knows those that stand.
        motion: How the others move.
    """

    geometry: Geometry[Gridded]
    motion: SolidMotion = field(default_factory=AtRest)
    _standing: Gridded | None = field(default=None, init=False)
    _at_rest: Solids | None = field(default=None, init=False)

    def poses(self, time: float) -> Poses:
        """Where bodies that move are at a time, by name."""
        return self.motion.poses(time)

    @stage
    def at(self, tiles: Tiles, poses: Poses = MappingProxyType({}), time: float = 0.0, dt: float = 0.0) -> Solids:
        """The solids on these tiles.

        Args:
            tiles: Where the cells are.
            poses: Where bodies that move are at the start of the step.
            time: When it starts, s.
            dt: How long it is, s: those that move go on from their poses for so long.
        """
        if self._standing is None or self._at_rest is None or self._standing.tiles is not tiles:
            self._standing = self.geometry.standing(tiles, self._standing)
            self._at_rest = Solids.at_rest(self._standing)
        nearby = NearGroups.on(tiles, self.motion.groups(poses, time, dt), self.motion.reach(time, dt))
        return self.geometry.in_motion(self._standing, nearby) if len(nearby.slots) else self._at_rest

    def fastest(self, time: float, until: float) -> float:
        """Largest speed of any surface between two times, m/s."""
        return self.motion.fastest(time, until)

    def count_inside(self, particles: Particles, time: float = 0.0) -> dict[str, int]:
        """How many particles lie inside each body at a time."""
        return self.bodies_at(time, particles.dimension).count_inside(particles)

    def bodies_at(self, time: float, dimension: int) -> Bodies:
        """All bodies where they are at a time, s."""
        return Bodies([*self.geometry.bodies, *self.motion.placed(time)], self.geometry.h, dimension)
