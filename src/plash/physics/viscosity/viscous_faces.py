"""What each face is to viscosity: an unknown, or a velocity that a wall gives, or no part of the liquid.

    free      borders liquid, is open and known: its velocity is an unknown
    held      belongs to a wall with friction 1: its velocity is the wall's, in all directions
    closed    belongs to another wall: its velocity is the wall's through the wall; liquid slides along it
    dry       all others: nothing is known there, and nothing is asked

A face of a body that cuts cells is held if its centre lies in the body, even if a part of it is open. The cells of a
spout are held, with the velocity of what comes in: so a strand hangs on its nozzle. It neither falls away from it nor
slides along it.

Reference: Batty & Bridson 2008, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import BURIED, SOLID, WALL, WET, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Places, Shape, dimension_of
from plash.physics.solids.base import Solids
from plash.physics.solids.wall_faces import NO_SLIP, OF_SIDE, WallFaces

DRY = np.uint8(0)
FREE = np.uint8(1)
SIDE_CLOSED = np.uint8(2)  # on or beyond a side of the domain that liquid slides along
BODY_CLOSED = np.uint8(3)  # of a body that liquid slides along
HELD_AT_WALL = np.uint8(4)  # its centre is on the surface of the wall, where solids are whole cells
HELD_INSIDE = np.uint8(5)  # and half a cell inside it


@dataclass(frozen=True, eq=False)
class ViscousFaces:
    """The faces of a step.

    Attributes:
        kinds: What each minimal face is [axis, slot, z, y, x].
        velocity: Of the liquid on free faces, of the wall on its own, else zero [axis, slot, z, y, x], m/s.
        corner_distance: Signed distance to bodies at the minimal corner of cells, in cells; None for whole cells.
        all_known: Whether the velocity of every open face that borders liquid is known.
    """

    kinds: NDArray[np.uint8]
    velocity: NDArray[np.float32]
    corner_distance: NDArray[np.float32] | None
    all_known: bool

    @staticmethod
    def of(velocity: FaceField, cells: Cells, solids: Solids) -> ViscousFaces:
        """What faces are, given the velocity before viscosity acts; on those of spouts that of what comes in."""
        tiles, walls = velocity.tiles, _with_inlets(solids.walls, velocity, inlet_faces(cells, solids))
        kinds = np.zeros(cells.faces.shape, np.uint8)
        run = _find_kinds(tiles.shape, walls.corner_distance is not None)
        distance = _or_stand_in(walls.corner_distance, tiles.shape)
        run(cells.faces, walls.bits, velocity.pool, distance, tiles.neighbours, tiles.slots, kinds, chunk_count())
        values = np.where(kinds == FREE, velocity.pool, np.where(kinds == DRY, np.float32(0), walls.velocity))
        all_known = not bool(((kinds == DRY) & ((cells.faces & WET) > 0)).any())
        return ViscousFaces(kinds, values, walls.corner_distance, all_known)

    def change(self, velocity: FaceField, before: FaceField, cells: Cells) -> None:
        """Change a velocity as viscosity has changed that of these faces, from what it was before.

        Faces that are held and border liquid get the velocity of their wall.
        """
        pool = velocity.pool + (self.velocity - before.pool)
        is_held = (self.kinds >= HELD_AT_WALL) & ((cells.faces & WET) > 0)
        pool = np.where(self.kinds == FREE, pool, np.where(is_held, self.velocity, velocity.pool))
        velocity.pool = pool


def inlet_faces(cells: Cells, solids: Solids) -> list[Places]:
    """The faces of inlet cells, by axis: they are solid to the pressure, and liquid comes through."""
    places = np.nonzero((cells.label == SOLID) & ~solids.is_solid)
    found = []
    for axis in range(cells.tiles.dimension):
        beyond = cells.tiles.beside(places, axis, 1)
        found.append(tuple(np.concatenate(pair) for pair in zip(places, beyond, strict=True)))
    return found


def _with_inlets(walls: WallFaces, velocity: FaceField, inlets: list[Places]) -> WallFaces:
    """The walls, and spouts as walls that move as liquid comes in, and hold it."""
    if not any(len(places[0]) for places in inlets):
        return walls
    bits, given = walls.bits.copy(), walls.velocity.copy()
    for axis, places in enumerate(inlets):
        bits[axis][places] = NO_SLIP
        given[axis][places] = np.nan_to_num(velocity.pool[axis][places])
    return replace(walls, bits=bits, velocity=given)


def _or_stand_in(distance: NDArray[np.float32] | None, shape: Shape) -> NDArray[np.float32]:
    """The distance to bodies, or a stand-in that no kernel reads."""
    return np.ones((1, *shape), np.float32) if distance is None else distance


@inlined_plainly
def distance_at_face(corners, m, axis, PY, PX, DIM):
    """Mean of a block's values at the corners of the minimal face across an axis."""
    first = stride((axis + 1) % DIM, PY, PX)
    total = corners[m] + corners[m + first]
    if DIM == 2:
        return np.float32(0.5) * total
    second = stride((axis + 2) % DIM, PY, PX)
    return np.float32(0.25) * (total + corners[m + second] + corners[m + first + second])


@for_tile_shape
def _find_kinds(shape: Shape, is_cut: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    CUT = is_cut

    @kernel
    def run(faces, bits, velocity, distance, neighbours, tiles, kinds, chunks):
        n = len(tiles)
        for c in prange(chunks):
            corners = np.zeros(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                if CUT:
                    copy_block(corners, distance, neighbours, t, 1, BZ, BY, BX)
                for axis in range(DIM):
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                face = faces[axis, t, z, y, x]
                                wall = bits[axis, t, z, y, x]
                                u = velocity[axis, t, z, y, x]
                                holds = wall & NO_SLIP > 0
                                closed = face & WALL > 0
                                if CUT and holds and not closed:
                                    closed = distance_at_face(corners, o + x, axis, PY, PX, DIM) <= 0
                                kind = DRY
                                if closed and holds:
                                    kind = HELD_INSIDE if face & BURIED > 0 else HELD_AT_WALL
                                elif closed:
                                    kind = SIDE_CLOSED if wall & OF_SIDE > 0 else BODY_CLOSED
                                elif face & WET > 0 and u == u:
                                    kind = FREE
                                kinds[axis, t, z, y, x] = kind

    return run
