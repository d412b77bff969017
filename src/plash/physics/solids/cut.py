"""Solids where they are, through the cells they cut (`solids = "cut"`, Batty et al. 2007).

Every face has an open fraction f, from the solid's distance at its corners (`levelset/fractions.py`). What flows out
of a cell is Σ ± f u, so f is the weight of a neighbour in the pressure's matrix, and the pressure pushes along the true
surface and not against stairs. A cell is solid when none of its faces is open, and the sides
of the domain are closed by index. Velocities on closed faces are continued from the liquid and made
tangential to the surface. Particles are kept out by the exact shape (`particles/collide.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SIDE, WALL, Cells, CutCells
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.levelset.fractions import cell_share, hat_share, open_fractions, open_half_cells
from plash.particles.collide import Start, collide_particles
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.particles.sides import keep_inside
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.friction import at_corners
from plash.physics.solids.voxel import CLOSED, UNBOUNDED, DomainBox, Solids, StaticSolids
from plash.physics.solids.wall_velocity import along_bodies, close_sides, enforce_no_flux
from plash.timing import stage

TOUCHES = 1.5  # cells from a body beyond which it cuts no face, and takes no part of what is round a cell
LEAST_SHARE = 0.1  # of the hat kernel in open space, below which the filled share is not known


@dataclass(frozen=True, eq=False)
class CutSolids(Solids):
    """The solids on one set of tiles, some of which are near a body.

    Attributes:
        distance: Signed distance to the nearest body at the minimal corner of cells, in cells.
        near: By slot, whether a particle of this tile can meet a body unless it goes further than a tile.
        bodies: The bodies themselves.
        open_space: Open fractions of faces and cells.
        at_bodies: Slots of the tiles where the distance is known.
        walled: Slots of those with a closed face that is not on a side of the domain.
        near_sides: By slot, whether a particle of this tile can meet a side of the domain.
    """

    bodies: Bodies = field(kw_only=True)
    open_space: CutCells = field(kw_only=True)
    at_bodies: NDArray[np.int32] = field(kw_only=True)
    walled: NDArray[np.int32] = field(kw_only=True)
    near_sides: NDArray[np.bool_] = field(kw_only=True)

    @property
    def cut_cells(self) -> CutCells | None:
        """Open fractions of faces and cells; None while no body is near, and nothing is cut."""
        return self.open_space if len(self.at_bodies) else None

    @stage
    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Make a velocity that was continued into solids one along them, slowed by friction for dt.

        Zero through the sides of the domain; on closed faces near bodies u -= (u·n) n.
        """
        if len(self.at_bodies) == 0:
            enforce_no_flux(velocity, cells)
            return
        along_bodies(velocity, cells, self.walled, self.distance, None, closed=True, slide=True)
        if self.friction is not None:
            self.friction.slow_closed_faces(velocity, cells, dt)
        close_sides(velocity, cells)

    def remember(self, particles: Particles) -> Start | None:
        """Where particles are before a move."""
        return Start.of(particles) if self.near.any() else None

    def collide_displaced(self, particles: Particles, start: Start | None, keep_velocity: bool = False) -> int:
        """Stop particles where their way from the start meets a body; returns how many are inside one all the same."""
        if not self.near.any():
            return 0
        start = start or Start.of(particles)
        limits = self.box.limits()
        close = collide_particles(particles, start, self.tiles, self.distance, self.near, *limits, keep_velocity)
        return project_out(particles, close, start, self.bodies.distance, *limits, keep_velocity)

    @stage
    def collide(
        self, particles: Particles, start: Start | None = None, time: float = 0.0, dt: float = 0.0
    ) -> tuple[NDArray[np.int8] | None, int]:
        """Keep particles out of bodies and inside closed sides.

        Returns:
            For each particle 0, or 1 + 2·axis + (0 low, 1 high) if it left through an open side, None if none
            did; and how many are inside a body all the same.
        """
        inside = self.collide_displaced(particles, start)
        return keep_inside(particles, *self.box.limits(), self.near_sides), inside


@dataclass(eq=False)
class StaticCutSolids(StaticSolids):
    """The solids of a scene, evaluated on whatever tiles exist; tiles seen before are not evaluated again."""

    _last_cut: CutSolids | None = field(default=None, init=False)

    @stage
    def at(self, tiles: Tiles, time: float = 0.0, dt: float = 0.0) -> Solids:
        """The solids on these tiles, at any time."""
        return self.on(tiles)

    def on(self, tiles: Tiles) -> CutSolids:
        """The solids on these tiles."""
        if self._last_cut is None or self._last_cut.tiles is not tiles:
            self._last_cut = self._on(tiles)
        return self._last_cut

    def _on(self, tiles: Tiles) -> CutSolids:
        last = self._last_cut
        is_known = np.zeros(tiles.count, np.bool_)
        made = _undivided(tiles, self.box, Bodies(self.bodies, self.h, tiles.dimension))
        if last is not None:
            old = last.tiles.slots_of(tiles.keys)
            is_known = old > 0
            _copy(last, old[is_known], made, np.flatnonzero(is_known) + 1)
        new = (np.flatnonzero(~is_known) + 1).astype(np.int32)
        near = made.bodies.near(tiles, new)
        _close_sides(made, new)
        some = near.any(axis=0)
        _cut(made, new[some], made.bodies.at_corners(tiles, new[some], near[:, some]))
        return self._completed(made, new[some])

    def _completed(self, made: CutSolids, new: NDArray[np.int32]) -> CutSolids:
        """With friction and the list of tiles near bodies: the new ones, and those that were before."""
        tiles, last = made.tiles, self._last_cut
        holds = np.zeros(tiles.count + 1, np.bool_)
        holds[new] = True
        if last is not None:
            held = np.zeros(last.tiles.count + 1, np.bool_)
            held[last.at_bodies] = True
            holds[1:] |= held[last.tiles.slots_of(tiles.keys)]
        made = replace(made, at_bodies=np.flatnonzero(holds).astype(np.int32))
        near, friction = beside_tiles(tiles, made.at_bodies), self._rubbing.at(tiles)
        return replace(made, walled=walled_tiles(made), near=near, friction=friction)


def beside_tiles(tiles: Tiles, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
    """By slot, whether a tile is one of these or touches one."""
    holds = np.zeros(tiles.count + 1, np.bool_)
    holds[slots] = True
    near = np.asarray(holds[tiles.neighbours].any(axis=1))
    near[0] = False
    return near


def _undivided(tiles: Tiles, box: DomainBox, bodies: Bodies) -> CutSolids:
    """Tiles without any solid, to be filled in."""
    cells = (tiles.count + 1, *tiles.shape)
    faces = (tiles.dimension, *cells)
    return CutSolids(
        tiles=tiles,
        is_solid=np.zeros(cells, np.bool_),
        distance=np.full(cells, FAR, np.float32),
        near=np.zeros(tiles.count + 1, np.bool_),
        box=box,
        inverse_kernel_weight=np.ones(cells, np.float32),
        bodies=bodies,
        open_space=CutCells(np.ones(faces, np.float32), np.ones(cells, np.float32), np.zeros(faces, np.uint8)),
        at_bodies=np.zeros(0, np.int32),
        walled=np.zeros(0, np.int32),
        near_sides=_near_sides(tiles, box),
    )


def _copy(last: CutSolids, old: NDArray[np.int32], made: CutSolids, new: NDArray[np.integer]) -> None:
    """Take what is known of tiles from the solids of the step before."""
    made.is_solid[new] = last.is_solid[old]
    made.distance[new] = last.distance[old]
    made.inverse_kernel_weight[new] = last.inverse_kernel_weight[old]
    made.open_space.face_fractions[:, new] = last.open_space.face_fractions[:, old]
    made.open_space.volume[new] = last.open_space.volume[old]
    made.open_space.closed[:, new] = last.open_space.closed[:, old]


def _near_sides(tiles: Tiles, box: DomainBox) -> NDArray[np.bool_]:
    near = np.zeros(tiles.count + 1, np.bool_)
    for axis, (low, high) in enumerate(box.sides):
        size, first = tiles.shape[2 - axis], tiles.origins[:, axis]
        if low != UNBOUNDED:
            near |= first < size
        if high != UNBOUNDED:
            near |= first + 2 * size > box.cells[axis]
    near[0] = False
    return near


def beyond_sides(
    tiles: Tiles, slots: NDArray[np.int32], box: DomainBox, low: int, high: int
) -> list[NDArray[np.bool_]]:
    """Whether cells are beyond a closed side, by axis, ready to be broadcast to [tile, z, y, x].

    For the cells of some tiles, `low` more before and `high` more behind.
    """
    found = []
    for axis in range(3):
        size = tiles.shape[2 - axis]
        shape = [len(slots), 1, 1, 1]
        beyond = np.zeros((len(slots), 1), np.bool_)
        if size > 1:
            cell = tiles.origins[slots, axis, None] + np.arange(-low, size + high)
            at_low, at_high = (side == CLOSED for side in box.sides[axis])
            beyond = (at_low & (cell < 0)) | (at_high & (cell >= box.cells[axis]))
        shape[3 - axis] = beyond.shape[1]
        found.append(beyond.reshape(shape))
    return found


def _close_sides(made: CutSolids, slots: NDArray[np.int32]) -> None:
    """Cells beyond closed sides are solid, and the faces of such cells are closed."""
    tiles = made.tiles
    touches = [beyond.any(axis=(1, 2, 3)) for beyond in beyond_sides(tiles, slots, made.box, 1, 1)]
    slots = slots[np.logical_or.reduce(touches)]
    if len(slots) == 0:
        return
    x, y, z = beyond_sides(tiles, slots, made.box, 0, 0)
    made.is_solid[slots] = x | y | z
    made.open_space.volume[slots] = ~made.is_solid[slots]
    _close_faces(made, slots)
    made.inverse_kernel_weight[slots] = np.where(made.is_solid[slots], np.nan, 1.0)


def mirrored(
    halves: NDArray[np.float64], tiles: Tiles, slots: NDArray[np.int32], box: DomainBox
) -> NDArray[np.float64]:
    """Values on half cells of some tiles and of one more cell round them, mirrored at the closed sides of a box.

    They are changed in place.
    """
    for axis, last, outwards in box.closed_sides():
        place = 3 - axis
        size = halves.shape[place]
        edge = 2 * (last - tiles.origins[slots, axis, None] + 1) + (outwards > 0)
        some = np.flatnonzero(edge < size - 1 if outwards > 0 else edge > 0)
        index = np.arange(size)
        index = np.minimum(index, edge[some]) if outwards > 0 else np.maximum(index, edge[some])
        shape = [len(some), 1, 1, 1]
        shape[place] = size
        index = np.clip(index, 0, size - 1).reshape(shape)
        halves[some] = np.take_along_axis(halves[some], index, place)
    return halves


def _close_faces(made: CutSolids, slots: NDArray[np.int32]) -> None:
    """Close every minimal face of some tiles that borders a cell beyond a closed side, and mark those on a side."""
    tiles, cut_cells = made.tiles, made.open_space
    before = beyond_sides(tiles, slots, made.box, 1, 0)
    here = beyond_sides(tiles, slots, made.box, 0, 0)
    for axis in range(tiles.dimension):
        others = here[(axis + 1) % 3] | here[(axis + 2) % 3]
        below = np.delete(before[axis], -1, axis=3 - axis)
        is_side = (below != here[axis]) & ~others
        is_closed = below | here[axis] | others
        cut_cells.face_fractions[axis, slots] *= ~is_closed
        cut_cells.closed[axis, slots] |= np.where(is_closed, WALL, 0).astype(np.uint8)
        cut_cells.closed[axis, slots] |= np.where(is_side, SIDE, 0).astype(np.uint8)


def cut_anew(ground: CutSolids, bodies: Bodies, slots: NDArray[np.int32], corners: NDArray[np.float64]) -> CutSolids:
    """The solids on the same tiles with other bodies, of which only some tiles have to know.

    Args:
        ground: What is known of the other tiles.
        bodies: All bodies there are now.
        slots: The tiles to fill in again.
        corners: Distance to the nearest body, as `Bodies.at_corners` gives it.
    """
    made = _undivided(ground.tiles, ground.box, bodies)
    everywhere = ground.tiles.slots
    _copy(ground, everywhere, made, everywhere)
    made.is_solid[slots] = False
    made.inverse_kernel_weight[slots] = 1.0
    made.open_space.volume[slots] = 1.0
    made.open_space.closed[:, slots] = 0
    made.open_space.face_fractions[:, slots] = 1.0
    _close_sides(made, slots)
    made.distance[slots] = at_corners(corners)
    touched = corners.reshape(len(slots), -1).min(axis=1, initial=FAR) < TOUCHES
    _cut(made, slots[touched], corners[touched])
    return replace(made, at_bodies=np.union1d(ground.at_bodies, slots).astype(np.int32))


def walled_tiles(made: CutSolids) -> NDArray[np.int32]:
    """Slots of the tiles with a closed face that is not on a side of the domain."""
    is_wall = (made.open_space.closed[:, made.at_bodies] & (WALL | SIDE)) == WALL
    walled: NDArray[np.int32] = made.at_bodies[is_wall.any(axis=(0, 2, 3, 4))]
    return walled


def _cut(made: CutSolids, slots: NDArray[np.int32], corners: NDArray[np.float64]) -> None:
    """Fill in tiles near bodies, from the distance at the corners of their cells and of one more cell round them."""
    tiles, cut_cells = made.tiles, made.open_space
    if len(slots) == 0:
        return
    made.distance[slots] = at_corners(corners)

    # Faces, and the cells that have no open one; the highest faces belong to the next tiles
    outermost = (slice(None), *(slice(1, None) if n > 1 else slice(None) for n in tiles.shape))
    fractions = open_fractions(corners[outermost])
    beyond = beyond_sides(tiles, slots, made.box, 1, 1)
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

    halves = mirrored(open_half_cells(made.bodies.at_half_cells(tiles, slots, corners)), tiles, slots, made.box)
    share = hat_share(halves)
    x, y, z = beyond_sides(tiles, slots, made.box, 0, 0)
    cut_cells.volume[slots] = cell_share(halves) * ~(x | y | z)
    unknown = made.is_solid[slots] | (share < LEAST_SHARE)
    made.inverse_kernel_weight[slots] = np.where(unknown, np.nan, 1.0 / np.maximum(share, 1e-6))
