"""Solids where they are, through the cells they cut (`solids = "cut"`, Batty et al. 2007).

Every face has an open fraction f, from the solid's distance at its corners (`levelset/fractions.py`). In every cell

    Σ ± [f u + (1 - f) u_solid] = 0     so f is the weight of a neighbour in the pressure's matrix
    (u - u_solid)·n = 0                 on closed faces; friction acts on what is left of u - u_solid

and the pressure pushes along the true surface and not against stairs. A cell is solid when none of its faces is open,
and the sides of the domain are closed by index. Velocities on closed faces are continued from the liquid and made
tangential to the surface. Particles are kept out by the exact shape (`particles/collide.py`): they are traced past
bodies that stand, then past each that moves, in its frame, and put out of the shapes where these are at the end of the
move. Reference: Batty et al. 2007, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SIDE, WALL, Cells, CutCells, SolidFlux
from plash.grid.fields import FaceField
from plash.grid.halos import at_minimal_corners, touching
from plash.grid.openness import Openness
from plash.grid.tiles import Places, Tiles
from plash.levelset.fractions import LEAST_SHARE, cell_share, open_fractions, open_half_cells
from plash.particles.collide import Start, collide_particles
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.particles.sides import keep_inside
from plash.physics.solids.base import Collided, Solids
from plash.physics.solids.curvature import CurvedWalls
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.domain_box import CLOSED, OPEN, DomainBox, mirror_at_sides
from plash.physics.solids.friction import Friction, FrictionAtRest, with_moving
from plash.physics.solids.moving import MovingSolids, NearGroups
from plash.physics.solids.rigid_motion import BATCH
from plash.physics.solids.velocity import nearest_solid_velocity, outflow
from plash.physics.solids.wall_velocity import along_bodies, close_sides, enforce_no_flux
from plash.scene.bodies import Solid

_TOUCHES = 1.5  # cells from a body beyond which it cuts no face, and takes no part of what is round a cell


@dataclass(frozen=True, eq=False)
class CutSolids:
    """Bodies and the cells they cut on one set of tiles.

    Attributes:
        tiles: Where the cells are.
        box: The domain.
        bodies: The bodies themselves.
        is_solid: By cell.
        solid_phi: Signed distance to the nearest body at the minimal corner of cells, in cells.
        inverse_kernel_weight: 1/S by cell, S the part of the hat kernel round its centre that lies in open space.
        open_space: Open fractions of faces and cells.
        friction: Friction of bodies.
        side_friction: Friction of the sides of the domain.
        at_bodies: Slots of the tiles where the distance is known.
        known_walls: Curved walls that are known from other tiles.
        strange: Slots of the tiles at bodies whose curved walls are not; None for all.
    """

    tiles: Tiles
    box: DomainBox
    bodies: Bodies
    is_solid: NDArray[np.bool_]
    solid_phi: NDArray[np.float32]
    inverse_kernel_weight: NDArray[np.float32]
    open_space: CutCells
    friction: Friction
    side_friction: Friction
    at_bodies: NDArray[np.int32]
    known_walls: CurvedWalls | None = None
    strange: NDArray[np.int32] | None = None

    @property
    def cut_cells(self) -> CutCells | None:
        """Open fractions of faces and cells; None while no body is near, and nothing is cut."""
        return self.open_space if len(self.at_bodies) else None

    @property
    def corner_distance(self) -> NDArray[np.float32] | None:
        """Signed distance to the nearest body at the minimal corner of cells, in cells."""
        return self.solid_phi if len(self.at_bodies) else None

    @cached_property
    def near(self) -> NDArray[np.bool_]:
        """By slot, whether a particle of this tile can meet a body unless it goes further than a tile."""
        return touching(self.tiles, self.at_bodies)

    @cached_property
    def near_sides(self) -> NDArray[np.bool_]:
        """By slot, whether a particle of this tile can meet a side of the domain."""
        return self.box.near(self.tiles, (CLOSED, OPEN))

    @cached_property
    def walled(self) -> NDArray[np.int32]:
        """Slots of the tiles with a closed face that is not on a side of the domain."""
        is_wall = (self.open_space.closed[:, self.at_bodies] & (WALL | SIDE)) == WALL
        walled: NDArray[np.int32] = self.at_bodies[is_wall.any(axis=(0, 2, 3, 4))]
        return walled

    @cached_property
    def curved_walls(self) -> CurvedWalls:
        """Cells with a part of a curved wall."""
        slots = self.at_bodies if self.strange is None else self.strange
        if self.known_walls is not None and len(slots) == 0:
            return self.known_walls
        found = CurvedWalls.of(self.tiles, slots, self.solid_phi, self.open_space)
        return found if self.known_walls is None else self.known_walls.joined(found)

    @property
    def traces_moves(self) -> bool:
        """Whether there is a body to meet."""
        return bool(self.near.any())

    def enforce_no_flux(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Let friction act for dt on liquid along bodies, and set the velocity through every closed face to zero."""
        self.friction.slow_open_faces(velocity, cells, dt)
        enforce_no_flux(velocity, cells)

    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Make a velocity that was continued into solids one along them, slowed by friction for dt.

        Zero through the sides of the domain; on closed faces near bodies u -= (u·n) n.
        """
        if len(self.at_bodies) == 0:
            enforce_no_flux(velocity, cells)
            return
        along_bodies(velocity, cells, self.walled, self.solid_phi, None, closed=True, slide=True)
        self.friction.slow_closed_faces(velocity, cells, dt)
        close_sides(velocity, cells)

    def collide_displaced(self, particles: Particles, start: Start | None, keep_velocity: bool) -> int:
        """Stop particles where their way from the start meets a body; returns how many are inside one all the same."""
        if not self.traces_moves:
            return 0
        start = start or Start.of(particles)
        close = self._collide(particles, start, keep_velocity)
        return project_out(particles, close, start, self.bodies.distance, *self.box.limits(), keep_velocity)

    def collide(
        self, particles: Particles, start: Start | None, moving: MovingSolids, time: float, dt: float
    ) -> Collided:
        """Keep particles out of these bodies and those that move, and inside closed sides."""
        limits = self.box.limits()
        if start is None or not moving.groups:
            inside = self.collide_displaced(particles, start, keep_velocity=False)
            return keep_inside(particles, *limits, self.near_sides), inside
        close = [self._collide(particles, start)] if self.traces_moves else []
        close += moving.collide(particles, start, time, dt)
        left = keep_inside(particles, *limits, self.near_sides)
        return left, moving.project_out(particles, close, start, self.bodies, time + dt, self.box)

    def _collide(self, particles: Particles, start: Start, keep_velocity: bool = False) -> NDArray[np.int64]:
        """Stop particles where their way meets a body; returns those close to one."""
        where = (self.tiles, self.solid_phi, self.near)
        return collide_particles(particles, start, *where, *self.box.limits(), keep_velocity)

    def solid_flux(self, moving: MovingSolids) -> SolidFlux:
        """What bodies that move push out of cells, through the closed part of faces."""
        assert self.open_space.solid_flux is not None
        return self.open_space.solid_flux


@dataclass(eq=False)
class Cut:
    """Bodies are seen through the cells they cut.

    Attributes:
        bodies: Those that stand.
        box: The domain.
        h: Cell size, m.
        no_slip_by_viscosity: Whether viscosity stops liquid at walls of friction 1.
        holds_films: Whether faces that have their centre in a body of friction 1 are closed: stress holds the liquid.
    """

    bodies: Sequence[Solid]
    box: DomainBox
    h: float
    no_slip_by_viscosity: bool = False
    holds_films: bool = False

    @cached_property
    def _friction(self) -> FrictionAtRest:
        return FrictionAtRest.of(self.bodies, self.h, len(self.box.cells), self.no_slip_by_viscosity)

    @cached_property
    def _side_friction(self) -> FrictionAtRest:
        return FrictionAtRest.of_sides(self.box, self.h, self.no_slip_by_viscosity)

    def standing(self, tiles: Tiles, last: CutSolids | None) -> CutSolids:
        """What stands on these tiles; what is known from other tiles is not evaluated again."""
        frictions = self._friction.at(tiles), self._side_friction.at(tiles)
        bodies = Bodies(self.bodies, self.h, tiles.dimension)
        old = np.zeros(tiles.count + 1, np.int32)
        holds = np.zeros(tiles.count + 1, np.bool_)
        if last is None:
            made = _uncut(tiles, self.box, bodies, *frictions)
        else:
            old[1:] = last.tiles.slots_of(tiles.keys)
            made = _taken(last, old, tiles, *frictions)
            held = np.zeros(last.tiles.count + 1, np.bool_)
            held[last.at_bodies] = True
            holds = held[old]
        new = (np.flatnonzero(old[1:] == 0) + 1).astype(np.int32)
        near = made.bodies.near(tiles, new)
        _close_sides(made, new)
        some = near.any(axis=0)
        _cut(made, new[some], made.bodies.at_corners(tiles, new[some], near[:, some]))
        holds[new[some]] = True
        if self.holds_films:
            _close_held(made, made.friction)
        at_bodies = np.flatnonzero(holds).astype(np.int32)
        # Only if they were asked for: not all liquids do
        if last is None or "curved_walls" not in vars(last):
            return replace(made, at_bodies=at_bodies)
        is_alike = _alike_around(last.tiles, old, tiles, at_bodies)
        walls = last.curved_walls.on(old, at_bodies[is_alike])
        return replace(made, at_bodies=at_bodies, known_walls=walls, strange=at_bodies[~is_alike])

    def in_motion(self, standing: CutSolids, nearby: NearGroups) -> Solids:
        """What stands, with what moves near some tiles."""
        tiles, slots = standing.tiles, nearby.slots
        at_standing = standing.bodies.at_corners(tiles, slots, standing.bodies.near(tiles, slots))
        bodies = replace(standing.bodies, bodies=[*self.bodies, *nearby.bodies], batch=BATCH)
        made = _with_tiles_anew(standing, bodies, slots, np.minimum.reduce([at_standing, *nearby.corners]))

        touched = np.minimum.reduce(nearby.corners).reshape(len(slots), -1).min(axis=1) < _TOUCHES
        corners, rows = [solid_phi[touched] for solid_phi in (at_standing, *nearby.corners)], slots[touched]
        friction = with_moving(standing.friction, nearby, rows, corners[1:])
        if self.holds_films:
            _close_held(made, friction)
        velocity, owner = nearest_solid_velocity(tiles, rows, corners, nearby.groups)
        velocity *= (made.open_space.closed[:, rows] & SIDE) == 0
        closed = 1.0 - made.open_space.face_fractions[:, rows]
        open_space = replace(made.open_space, solid_flux=SolidFlux(rows, outflow(tiles, rows, velocity * closed)))
        every = replace(made, open_space=open_space, friction=friction)
        return Solids(every, standing, MovingSolids.of(nearby, rows, velocity.astype(np.float32), owner))


def _uncut(tiles: Tiles, box: DomainBox, bodies: Bodies, friction: Friction, side_friction: Friction) -> CutSolids:
    """Tiles without any solid, to be filled in."""
    cells = (tiles.count + 1, *tiles.shape)
    faces = (tiles.dimension, *cells)
    return CutSolids(
        tiles=tiles,
        box=box,
        bodies=bodies,
        is_solid=np.zeros(cells, np.bool_),
        solid_phi=np.full(cells, FAR, np.float32),
        inverse_kernel_weight=np.ones(cells, np.float32),
        open_space=CutCells(
            np.ones(faces, np.float32), np.ones(cells, np.float32), np.zeros(faces, np.uint8), Openness.nothing(tiles)
        ),
        friction=friction,
        side_friction=side_friction,
        at_bodies=np.zeros(0, np.int32),
    )


def _taken(
    last: CutSolids, old: NDArray[np.int32], tiles: Tiles, friction: Friction, side_friction: Friction
) -> CutSolids:
    """The solids of the step before on other tiles, whose slots there are known; those that are new have none."""
    space = last.open_space
    return CutSolids(
        tiles=tiles,
        box=last.box,
        bodies=last.bodies,
        is_solid=last.is_solid[old],
        solid_phi=last.solid_phi[old],
        inverse_kernel_weight=last.inverse_kernel_weight[old],
        open_space=CutCells(
            np.take(space.face_fractions, old, axis=1),
            space.volume[old],
            np.take(space.closed, old, axis=1),
            space.openness.taken(old),
        ),
        friction=friction,
        side_friction=side_friction,
        at_bodies=np.zeros(0, np.int32),
    )


def _alike_around(before: Tiles, old: NDArray[np.int32], tiles: Tiles, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether some tiles, and all those beside them, are those of the step before."""
    is_alike = (tiles.neighbours[slots] > 0) == (before.neighbours[old[slots]] > 0)
    return np.asarray(is_alike.all(axis=1) & (old[slots] > 0))


def _with_tiles_anew(
    standing: CutSolids, bodies: Bodies, slots: NDArray[np.int32], corners: NDArray[np.float64]
) -> CutSolids:
    """The solids on the same tiles with other bodies, of which only some tiles have to know.

    Args:
        standing: What is known of the other tiles.
        bodies: All bodies there are now.
        slots: The tiles to fill in again.
        corners: Distance to the nearest body, as `Bodies.at_corners` gives it.
    """
    everywhere = np.arange(standing.tiles.count + 1, dtype=np.int32)
    made = _taken(standing, everywhere, standing.tiles, standing.friction, standing.side_friction)
    made = replace(made, bodies=bodies)
    made.is_solid[slots] = False
    made.inverse_kernel_weight[slots] = 1.0
    made.open_space.volume[slots] = 1.0
    made.open_space.closed[:, slots] = 0
    made.open_space.face_fractions[:, slots] = 1.0
    made.open_space.openness.forget(slots)
    _close_sides(made, slots)
    made.solid_phi[slots] = at_minimal_corners(corners)
    touched = corners.reshape(len(slots), -1).min(axis=1, initial=FAR) < _TOUCHES
    _cut(made, slots[touched], corners[touched])
    return replace(made, at_bodies=np.union1d(standing.at_bodies, slots).astype(np.int32))


def _close_sides(made: CutSolids, slots: NDArray[np.int32]) -> None:
    """Cells beyond closed sides are solid, and the faces of such cells are closed."""
    tiles, box = made.tiles, made.box
    touches = [beyond.any(axis=(1, 2, 3)) for beyond in box.beyond(tiles, slots, 1, 1)]
    slots = slots[np.logical_or.reduce(touches)]
    if len(slots) == 0:
        return
    x, y, z = box.beyond(tiles, slots, 0, 0)
    made.is_solid[slots] = x | y | z
    made.open_space.volume[slots] = ~made.is_solid[slots]
    _close_faces(made, slots)
    made.inverse_kernel_weight[slots] = np.where(made.is_solid[slots], np.nan, 1.0)


def _close_faces(made: CutSolids, slots: NDArray[np.int32]) -> None:
    """Close every minimal face of some tiles that borders a cell beyond a closed side, and mark those on a side."""
    tiles, cut_cells = made.tiles, made.open_space
    before = made.box.beyond(tiles, slots, 1, 0)
    here = made.box.beyond(tiles, slots, 0, 0)
    for axis in range(tiles.dimension):
        others = here[(axis + 1) % 3] | here[(axis + 2) % 3]
        below = np.delete(before[axis], -1, axis=3 - axis)
        is_side = (below != here[axis]) & ~others
        is_closed = below | here[axis] | others
        cut_cells.face_fractions[axis, slots] *= ~is_closed
        cut_cells.closed[axis, slots] |= np.where(is_closed, WALL, 0).astype(np.uint8)
        cut_cells.closed[axis, slots] |= np.where(is_side, SIDE, 0).astype(np.uint8)


def _close_held(made: CutSolids, friction: Friction) -> None:
    """Close every face with its centre in a body of friction 1; cells that have no open face then are solid.

    The stress of firm liquid ends at such faces. Were they open to the pressure, it would push films out from under a
    body with nothing to hold them.
    """
    tiles, cut_cells, slots = made.tiles, made.open_space, friction.slots
    is_held = friction.depth > 0
    cut_cells.face_fractions[:, slots] *= ~is_held
    cut_cells.closed[:, slots] |= np.where(is_held, WALL, 0).astype(np.uint8)
    row, z, y, x = np.nonzero(~made.is_solid[slots] & (cut_cells.face_fractions[:, slots] == 0).all(axis=0))
    places: Places = (slots[row].astype(np.int64), z, y, x)
    is_shut = np.ones(len(row), np.bool_)
    for axis in range(tiles.dimension):
        is_shut &= cut_cells.face_fractions[axis][tiles.beside(places, axis, 1)] == 0
    shut = tuple(part[is_shut] for part in places)
    made.is_solid[shut], made.inverse_kernel_weight[shut] = True, np.nan


def _cut(made: CutSolids, slots: NDArray[np.int32], corners: NDArray[np.float64]) -> None:
    """Fill in tiles near bodies, from the distance at the corners of their cells and of one more cell round them."""
    tiles, cut_cells = made.tiles, made.open_space
    if len(slots) == 0:
        return
    made.solid_phi[slots] = at_minimal_corners(corners)

    # Faces, and the cells that have no open one; the highest faces belong to the next tiles
    outermost = (slice(None), *(slice(1, None) if n > 1 else slice(None) for n in tiles.shape))
    fractions = open_fractions(corners[outermost])
    beyond = made.box.beyond(tiles, slots, 1, 1)
    is_open = np.zeros((len(slots), *tiles.shape), np.bool_)
    for axis, fraction in enumerate(fractions):
        place = 3 - axis
        size = tiles.shape[2 - axis]
        of_cells = [slice(None), *(slice(0, n) for n in tiles.shape)]
        of_cells[place] = slice(None)
        of_tile = fraction[tuple(of_cells)]
        low, high = (np.take(of_tile, np.arange(first, first + size), place) for first in range(2))
        outside = [np.take(beyond[axis], np.arange(first, first + size), place) for first in range(3)]
        is_open |= ((low > 0) & ~outside[0]) | ((high > 0) & ~outside[2])
        cut_cells.face_fractions[axis, slots] = low
        cut_cells.closed[axis, slots] |= np.where(low == 0, WALL, 0).astype(np.uint8)
    made.is_solid[slots] |= ~is_open
    _close_faces(made, slots)

    distances = made.bodies.at_half_cells(tiles, slots, corners)
    cut_cells.openness.sample(tiles, slots, distances, made.box.limits())
    share = cut_cells.openness.hat_share[slots]
    halves = open_half_cells(distances)
    mirror_at_sides(halves, tiles, slots, made.box)
    x, y, z = made.box.beyond(tiles, slots, 0, 0)
    cut_cells.volume[slots] = cell_share(halves) * ~(x | y | z)
    unknown = made.is_solid[slots] | (share < LEAST_SHARE)
    made.inverse_kernel_weight[slots] = np.where(unknown, np.nan, 1.0 / np.maximum(share, 1e-6))
