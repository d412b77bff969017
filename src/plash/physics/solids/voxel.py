"""Solids as whole cells, as in Cline (`solids = "voxel"`).

A cell is solid if its centre lies in a body or beyond a closed side of the domain. Velocities through the faces of
solid cells are the body's own, none if it stands, on both sides: liquid slides along walls and never goes through.
Particles that end up in a solid cell of a body that stands are put back along the body's normal.

The outermost cells of a body that moves, the border cells, hold the velocity of the liquid beside them without its
part into or out of the body (`physics/solids/border_cells.py`), and their faces take it. They count as solid in the
matrix of the pressure, enter the divergence with the velocity they hold, and are liquid in no count. Particles may be
in them, as far as they are outside the body itself: they are traced in its frame, and put out of its exact shape where
it is at the end of the move. Which share of space is open is that of the body too, not of its cells. Reference: Foster
& Fedkiw 2001; Cline figure 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells, CutCells, SolidFlux
from plash.grid.fields import FaceField
from plash.grid.halos import touching
from plash.grid.loops import CENTRE
from plash.grid.tiles import Tiles
from plash.levelset.fractions import LEAST_SHARE, at_half_cells, halved, hat_share, open_half_cells
from plash.levelset.shapes import distance
from plash.particles.collide import Start
from plash.particles.collide_voxels import collide_with_voxels
from plash.particles.particles import Particles
from plash.physics.solids.base import Collided, Solids
from plash.physics.solids.border_cells import Border
from plash.physics.solids.curvature import CurvedWalls
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.domain_box import CLOSED, OPEN, DomainBox, mirror_at_sides
from plash.physics.solids.friction import Friction, FrictionAtRest, with_moving
from plash.physics.solids.moving import MovingSolids, NearGroups
from plash.physics.solids.velocity import nearest_solid_velocity, outflow
from plash.physics.solids.wall_velocity import enforce_no_flux
from plash.scene.bodies import Solid

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class VoxelSolids:
    """Bodies as whole cells on one set of tiles.

    Attributes:
        tiles: Where the cells are.
        box: The domain.
        h: Cell size, m.
        is_solid: By cell.
        solid_phi: Signed distance of cell centres to the nearest body, in cells; walls do not count.
        near: By slot, whether a particle of this tile can meet a wall, a body or a side in a step.
        inverse_kernel_weight: 1/S by cell, S the part of the hat kernel round its centre that lies in open space.
        friction: Friction of bodies.
        side_friction: Friction of the sides of the domain.
    """

    tiles: Tiles
    box: DomainBox
    h: float
    is_solid: NDArray[np.bool_]
    solid_phi: NDArray[np.float32]
    near: NDArray[np.bool_]
    inverse_kernel_weight: NDArray[np.float32]
    friction: Friction
    side_friction: Friction

    @property
    def cut_cells(self) -> CutCells | None:
        """None, as whole cells are solid here."""
        return None

    @property
    def corner_distance(self) -> NDArray[np.float32] | None:
        """None, as whole cells are solid here."""
        return None

    @property
    def curved_walls(self) -> CurvedWalls:
        """None: all faces of whole cells are flat."""
        return CurvedWalls.none(self.tiles.dimension)

    @property
    def traces_moves(self) -> bool:
        """No: particles in solid cells are found wherever they come from."""
        return False

    def enforce_no_flux(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Let friction act for dt on liquid along bodies, and set the velocity through every closed face to zero."""
        self.friction.slow_open_faces(velocity, cells, dt)
        enforce_no_flux(velocity, cells)

    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Set the velocity through every face of a solid to zero; inside, it is left as it is but for friction."""
        self.friction.slow_closed_faces(velocity, cells, dt)
        enforce_no_flux(velocity, cells)

    def collide_displaced(self, particles: Particles, start: Start | None, keep_velocity: bool) -> int:
        """Nothing: particles in solid cells are found by `collide`."""
        return 0

    def collide(
        self, particles: Particles, start: Start | None, moving: MovingSolids, time: float, dt: float
    ) -> Collided:
        """Put particles back that went into these cells, into bodies that move, or through a closed side."""
        close = moving.collide(particles, start, time, dt)
        where = (self.tiles, self.is_solid, self.solid_phi, self.near)
        left, stuck = collide_with_voxels(particles, *where, *self.box.limits())
        no_bodies = Bodies([], self.h, self.tiles.dimension)
        return left, stuck + moving.project_out(particles, close, start, no_bodies, time + dt, self.box)

    def solid_flux(self, moving: MovingSolids) -> SolidFlux:
        """What some bodies that move push out of cells, through closed faces."""
        slots = moving.slots
        flux = np.where(_closed_faces(self.tiles, slots, self.is_solid), moving.solid_velocity, 0.0)
        return SolidFlux(slots, outflow(self.tiles, slots, flux))


@dataclass(eq=False)
class Voxel:
    """Bodies are seen as whole cells.

    Attributes:
        bodies: Those that stand.
        box: The domain.
        h: Cell size, m.
        no_slip_by_viscosity: Whether viscosity stops liquid at walls of friction 1.
    """

    bodies: Sequence[Solid]
    box: DomainBox
    h: float
    no_slip_by_viscosity: bool = False

    @cached_property
    def _friction(self) -> FrictionAtRest:
        return FrictionAtRest.of(self.bodies, self.h, len(self.box.cells), self.no_slip_by_viscosity)

    @cached_property
    def _side_friction(self) -> FrictionAtRest:
        return FrictionAtRest.of_sides(self.box, self.h, self.no_slip_by_viscosity)

    def standing(self, tiles: Tiles, last: VoxelSolids | None) -> VoxelSolids:
        """What stands on these tiles; what is known from other tiles is not evaluated again."""
        shape = (tiles.count + 1, *tiles.shape)
        if last is None:
            new = tiles.slots
            arrays = np.zeros(shape, np.bool_), np.full(shape, FAR, np.float32), np.ones(shape, np.float32)
        else:
            known = np.concatenate([[0], last.tiles.slots_of(tiles.keys)])  # the background where a tile is new
            new = (np.flatnonzero(known[1:] == 0) + 1).astype(np.int32)
            arrays = last.is_solid[known], last.solid_phi[known], last.inverse_kernel_weight[known]
        is_solid, solid_phi, inverse = arrays
        near, frictions = np.zeros(tiles.count + 1, np.bool_), (self._friction.at(tiles), self._side_friction.at(tiles))
        made = VoxelSolids(tiles, self.box, self.h, is_solid, solid_phi, near, inverse, *frictions)
        return _evaluated(made, self.bodies, new)

    def in_motion(self, standing: VoxelSolids, nearby: NearGroups) -> Solids:
        """What stands, with what moves near some tiles."""
        tiles, slots, corners = standing.tiles, nearby.slots, nearby.corners
        bodies = Bodies(self.bodies, self.h, tiles.dimension)
        at_standing = bodies.at_corners(tiles, slots, bodies.near(tiles, slots))
        every = _evaluated(_copied(standing), [*self.bodies, *nearby.bodies], slots)
        is_open = _with_halo(self.bodies, self.box, self.h, tiles, slots)[0] >= 0
        _open_round_bodies(every, slots, is_open, np.minimum.reduce(corners))
        every = replace(every, friction=with_moving(standing.friction, nearby, slots, corners))

        velocity, owner = nearest_solid_velocity(tiles, slots, [at_standing, *corners], nearby.groups)
        velocity *= self.box.off_sides(tiles, slots)
        moving = MovingSolids.of(nearby, slots, velocity.astype(np.float32), owner)
        border = Border.of(tiles, slots, every.is_solid, standing.is_solid, nearby.groups)
        return Solids(every, standing, moving, border)


def _copied(solids: VoxelSolids) -> VoxelSolids:
    """The same, independent of these."""
    arrays = {name: getattr(solids, name).copy() for name in ("is_solid", "solid_phi", "inverse_kernel_weight")}
    return replace(solids, **arrays)


def _evaluated(solids: VoxelSolids, bodies: Sequence[Solid], slots: NDArray[np.int32]) -> VoxelSolids:
    """These with what some tiles have to know of bodies written into them."""
    tiles = solids.tiles
    if len(slots):
        solid_phis, solid = _with_halo(bodies, solids.box, solids.h, tiles, slots)
        core = (slice(None), *(slice(1, -1) if n > 1 else slice(None) for n in tiles.shape))
        solids.solid_phi[slots], solids.is_solid[slots] = solid_phis[core], solid[core]
        share = _open_share(solid_phis >= 0) if bodies else np.ones(())
        solids.inverse_kernel_weight[slots] = np.where(solid[core], np.nan, 1 / np.maximum(share, 1e-6))
    by_tile = solids.is_solid.reshape(tiles.count + 1, -1)
    holds = np.flatnonzero(by_tile.any(axis=1)).astype(np.int32)
    return replace(solids, near=touching(tiles, holds) | solids.box.near(tiles, (OPEN,)))


def _with_halo(
    bodies: Sequence[Solid], box: DomainBox, h: float, tiles: Tiles, slots: NDArray[np.int32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Distance in cells to the nearest body and whether it is solid, for cells of some tiles and one more round.

    Closed sides are mirrors: beyond them bodies are as far away as from the last cell inside.
    """
    ranges = [np.arange(-1, n + 1) if n > 1 else np.zeros(1, np.int64) for n in tiles.shape[::-1]]
    cells = [tiles.origins[slots, axis, None] + reach for axis, reach in enumerate(ranges)]
    shape = (len(slots), *(len(reach) for reach in ranges[::-1]))
    along = [
        cells[axis].reshape(len(slots), *[len(ranges[axis]) if a == axis else 1 for a in (2, 1, 0)])
        for axis in range(3)
    ]
    nearest = np.full(shape, FAR)
    if bodies:
        inside = list(along[: tiles.dimension])
        for axis, last, outwards in box.closed_sides():
            inside[axis] = np.minimum(inside[axis], last) if outwards > 0 else np.maximum(inside[axis], last)
        centres = np.stack([np.broadcast_to((c + 0.5) * h, shape).ravel() for c in inside], axis=1)
        for body in bodies:
            solid_phis = distance(body.shape, centres, body.name) / h
            np.minimum(nearest, solid_phis.reshape(shape), out=nearest)
    solid = nearest < 0
    for axis, (low, high) in enumerate(box.sides):
        cell = along[axis]
        solid |= ((cell < 0) & (low == CLOSED)) | ((cell >= box.cells[axis]) & (high == CLOSED))
    return nearest.astype(np.float32), solid


def _open_round_bodies(
    every: VoxelSolids, slots: NDArray[np.int32], is_open: NDArray[np.bool_], corners: Array
) -> None:
    """Take S, the share of the hat kernel in open space, from the exact place of bodies that move.

    Args:
        every: The solids, with S for whole cells.
        slots: The tiles near such bodies.
        is_open: Whether nothing that stands fills the cells of these tiles and one more round them.
        corners: Distance to those that move, at their corners.
    """
    halves = open_half_cells(at_half_cells(corners)) * halved(is_open)
    mirror_at_sides(halves, every.tiles, slots, every.box)
    share = hat_share(halves)
    unknown = every.is_solid[slots] | (share < LEAST_SHARE)
    every.inverse_kernel_weight[slots] = np.where(unknown, np.nan, 1.0 / np.maximum(share, 1e-6))


def _closed_faces(tiles: Tiles, slots: NDArray[np.int32], is_solid: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the minimal faces of some tiles border a solid cell, [axis, tile, z, y, x]."""
    closed = np.empty((tiles.dimension, len(slots), *tiles.shape), np.bool_)
    for axis in range(tiles.dimension):
        place, size = 3 - axis, tiles.shape[2 - axis]
        last = np.take(is_solid[tiles.neighbours[slots, CENTRE - 3**axis]], np.arange(size - 1, size), place)
        below = np.concatenate([last, np.take(is_solid[slots], np.arange(size - 1), place)], axis=place)
        closed[axis] = is_solid[slots] | below
    return closed


def _open_share(is_open: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Integral over open cells of the product of hats of half-width h, for all cells but the outermost.

    Exact for solids of whole cells: a hat has 3/4 of its integral in its own cell and 1/8 in each neighbour.
    """
    share = is_open.astype(np.float64)
    for axis in range(1, share.ndim):
        if share.shape[axis] > 1:
            before, here, after = (
                np.take(share, np.arange(first, share.shape[axis] - 2 + first), axis) for first in range(3)
            )
            share = 0.125 * before + 0.75 * here + 0.125 * after
    return share
