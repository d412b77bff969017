"""Solids that move, as whole cells (`solids = "voxel"`).

A cell is solid if its centre lies in a body at the start of the step. The outermost of these, the border cells, hold
the velocity of the liquid beside them without its part into or out of the body (`physics/solids/border_cells.py`),
and their faces take it. They count as solid in the matrix of the pressure, enter the divergence with the velocity
they hold, and are liquid in no count. Particles may be in them, as far as they are outside the body itself: they are
traced in its frame, and put out of its exact shape where it is at the end of the move. Which share of space is open
is that of the body too, not of its cells. Reference: Foster & Fedkiw 2001; Cline figure 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells, SolidFlux
from plash.grid.fields import FaceField
from plash.grid.loops import CENTRE
from plash.grid.tiles import Tiles
from plash.levelset.fractions import at_half_cells, halved, hat_share, open_half_cells
from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.physics.compatibility import SolidFluxes
from plash.physics.solids.border_cells import Border, Held
from plash.physics.solids.cut import LEAST_SHARE, beside_tiles, beyond_sides, mirrored
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.friction import Friction, at_corners, with_moving
from plash.physics.solids.passage import Passage
from plash.physics.solids.rigid_motion import MovingBodies, PlacedBodies, RigidGroup
from plash.physics.solids.velocity import nearest_solid_velocity, outflow
from plash.physics.solids.voxel import DomainBox, Solids, StaticSolids
from plash.timing import stage

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SolidsInMotion(Solids):
    """The solids on one set of tiles, some of which are near a body that moves.

    Attributes:
        ground: Those that stand, by themselves.
        passage: Those that move.
        border: The outermost cells of those that move.
    """

    ground: Solids = field(kw_only=True)
    passage: Passage = field(kw_only=True)
    border: Border = field(kw_only=True)
    _held: list[Held] = field(default_factory=list, kw_only=True)

    @stage
    def enforce_no_flux(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Let friction act for dt on liquid along bodies, and give closed faces what they hold."""
        close = super().enforce_no_flux
        self._held[:] = [self.border.held(velocity)]
        self.passage.as_seen_from_bodies(velocity, lambda relative: close(relative, cells, dt))
        self._held[0].impose(velocity)

    @stage
    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Give closed faces what they hold once more; if no time goes by it is a displacement, and bodies stand."""
        slide = super().enforce_slip
        if dt > 0:
            self.passage.as_seen_from_bodies(velocity, lambda relative: slide(relative, cells, dt))
            self._held[0].impose(velocity, cells)
        else:
            slide(velocity, cells)

    def solid_fluxes(self) -> SolidFluxes:
        """What bodies that move push out of cells."""
        slots = self.passage.slots
        flux = np.where(_closed_faces(self.tiles, slots, self.is_solid), self.passage.solid_velocity, 0.0)
        return self.passage.solid_fluxes(SolidFlux(slots, outflow(self.tiles, slots, flux)))

    def remember(self, particles: Particles) -> Start | None:
        """Where particles are before a move."""
        return Start.of(particles)

    @stage
    def collide(
        self, particles: Particles, start: Start | None = None, time: float = 0.0, dt: float = 0.0
    ) -> tuple[NDArray[np.int8] | None, int]:
        """Keep particles out of bodies, where these are at the end of the move, and inside closed sides."""
        start = start or Start.of(particles)
        close = self.passage.trace(particles, start, time, dt)
        left, stuck = self.ground.collide(particles)
        moving = self.passage.moving
        present = PlacedBodies(Bodies([], moving[0].h, moving[0].dimension), moving, time + dt)
        which, limits = np.unique(np.concatenate(close)), self.box.limits()
        stuck += project_out(particles, which, start, present.distance, *limits, solid_velocity=present.velocity)
        return left, stuck


@dataclass(eq=False, repr=False)
class MovingSolids:
    """The solids of a scene of which some move; only tiles near those are evaluated in every step."""

    bodies: MovingBodies
    box: DomainBox
    _ground: StaticSolids = field(init=False)

    def __post_init__(self) -> None:
        """What stands is kept from step to step."""
        self._ground = StaticSolids(self.bodies.standing, self.box, self.bodies.h)

    def fastest(self, time: float, until: float) -> float:
        """Largest speed of any surface between two times, m/s."""
        return self.bodies.fastest(time, until)

    def count_inside(self, particles: Particles, time: float = 0.0) -> dict[str, int]:
        """How many particles lie inside each body at a time."""
        return self.bodies.count_inside(particles, time)

    def near(
        self, tiles: Tiles, moving: Sequence[RigidGroup]
    ) -> tuple[NDArray[np.int32], list[NDArray[np.bool_]], float]:
        """The tiles that bodies come near to in a step, which of each company do [body, tile], and how far they go."""
        time, dt = moving[0].time, moving[0].dt
        reach = 1.25 * self.bodies.fastest(time, time + dt, looks=1) * dt / self.bodies.h
        near = [group.placed.near(tiles, tiles.slots, reach) for group in moving]
        some = np.flatnonzero(np.concatenate(near).any(axis=0))
        near = [
            group.placed.nearer(tiles, tiles.slots[some], reach) & rows[:, some]
            for group, rows in zip(moving, near, strict=True)
        ]
        kept = np.concatenate(near).any(axis=0)
        return tiles.slots[some[kept]], [rows[:, kept] for rows in near], reach

    @stage
    def at(self, tiles: Tiles, time: float = 0.0, dt: float = 0.0) -> Solids:
        """The solids on these tiles where they are at a time, and how they move from then for dt."""
        ground = self._ground.at(tiles)
        moving = self.bodies.rigid_groups(time, dt)
        slots, near, reach = self.near(tiles, moving)
        if len(slots) == 0:
            return ground
        placed = [body for group in moving for body in group.placed.bodies]
        standing = Bodies(self.bodies.standing, self.bodies.h, tiles.dimension)
        at_ground = standing.at_corners(tiles, slots, standing.near(tiles, slots))
        corners = [group.placed.at_corners(tiles, slots, rows) for group, rows in zip(moving, near, strict=True)]
        every = StaticSolids([*self.bodies.standing, *placed], self.box, self.bodies.h)
        made = every.with_tiles_anew(ground, slots)
        _open_round_bodies(made, slots, self._ground.open_with_halo(tiles, slots), np.minimum.reduce(corners))
        solid_velocity, owner = nearest_solid_velocity(tiles, slots, [at_ground, *corners], moving)
        made = replace(made, friction=self.friction(ground, slots, moving, corners))
        solid_phis = [at_minimal_corners(tiles, slots, corner) for corner in corners]
        off_sides = (solid_velocity * _off_sides(tiles, slots, self.box)).astype(np.float32)
        return SolidsInMotion(
            **{part.name: getattr(made, part.name) for part in fields(made)},
            ground=ground,
            passage=Passage(tiles, moving, beside_tiles(tiles, slots), reach, solid_phis, slots, off_sides, owner),
            border=Border.of(tiles, slots, made.is_solid, ground.is_solid, moving),
        )

    def friction(
        self, ground: Solids, slots: NDArray[np.int32], moving: Sequence[RigidGroup], corners: Sequence[Array]
    ) -> Friction | None:
        """Friction: known already unless a body that moves has some."""
        rough: list[tuple[float, Array]] = []
        for group, corner in zip(moving, corners, strict=True):
            frictions = {body.friction for body in group.bodies}
            if len(frictions) == 1:
                rough += [(friction, corner) for friction in frictions]
            else:
                each = (group.placed.at_corners_of(i, ground.tiles, slots) for i in range(len(group.bodies)))
                rough += [(body.friction, solid_phi) for body, solid_phi in zip(group.bodies, each, strict=True)]
        rough = [(friction, solid_phi) for friction, solid_phi in rough if friction > 0]
        return with_moving(ground.friction, ground.tiles, slots, rough) if rough else ground.friction


def _open_round_bodies(made: Solids, slots: NDArray[np.int32], is_open: NDArray[np.bool_], corners: Array) -> None:
    """Take S, the share of the hat kernel in open space, from the exact place of bodies that move.

    Args:
        made: The solids, with S for whole cells.
        slots: The tiles near such bodies.
        is_open: Whether nothing that stands fills the cells of these tiles and one more round them.
        corners: Distance to those that move, at their corners.
    """
    halves = open_half_cells(at_half_cells(corners)) * halved(is_open)
    share = hat_share(mirrored(halves, made.tiles, slots, made.box))
    unknown = made.is_solid[slots] | (share < LEAST_SHARE)
    made.inverse_kernel_weight[slots] = np.where(unknown, np.nan, 1.0 / np.maximum(share, 1e-6))


def at_minimal_corners(tiles: Tiles, slots: NDArray[np.int32], corners: Array) -> NDArray[np.float32]:
    """A distance at the minimal corner of every cell, far where it was not measured."""
    solid_phi = np.full((tiles.count + 1, *tiles.shape), FAR, np.float32)
    solid_phi[slots] = at_corners(corners)
    return solid_phi


def _closed_faces(tiles: Tiles, slots: NDArray[np.int32], is_solid: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the minimal faces of some tiles border a solid cell, [axis, tile, z, y, x]."""
    closed = np.empty((tiles.dimension, len(slots), *tiles.shape), np.bool_)
    for axis in range(tiles.dimension):
        place, size = 3 - axis, tiles.shape[2 - axis]
        last = np.take(is_solid[tiles.neighbours[slots, CENTRE - 3**axis]], np.arange(size - 1, size), place)
        below = np.concatenate([last, np.take(is_solid[slots], np.arange(size - 1), place)], axis=place)
        closed[axis] = is_solid[slots] | below
    return closed


def _off_sides(tiles: Tiles, slots: NDArray[np.int32], box: DomainBox) -> NDArray[np.bool_]:
    """Whether the minimal faces of some tiles border no cell beyond a closed side, [axis, tile, z, y, x]."""
    before, here = beyond_sides(tiles, slots, box, 1, 0), beyond_sides(tiles, slots, box, 0, 0)
    off = np.empty((tiles.dimension, len(slots), *tiles.shape), np.bool_)
    for axis in range(tiles.dimension):
        below = np.delete(before[axis], -1, axis=3 - axis)
        off[axis] = ~(below | here[0] | here[1] | here[2])
    return off
