"""What each cell holds: liquid, air, or solid (Cline's cell types), and what each face lies between."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block, copy_cross
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField, FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.openness import Openness
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.timing import stage

AIR = np.int8(0)
LIQUID = np.int8(1)
SOLID = np.int8(2)

# What a face touches, as bits
WET = np.uint8(1)  # a liquid cell on one side at least
WALL = np.uint8(2)  # closed: a solid cell on one side at least, or no part of the face is open
BURIED = np.uint8(4)  # solid cells on both sides
SIDE = np.uint8(8)  # on a closed side of the domain; told apart only where solids cut cells
LEAVES_UP = np.uint8(16)  # liquid on the high side may leave this wall, with a velocity > 0
LEAVES_DOWN = np.uint8(32)  # liquid on the low side may leave this wall, with a velocity < 0

# What is among a cell and those it shares a face, an edge or a corner with, as bits: one for each label
NEAR_AIR = np.uint8(1)
NEAR_LIQUID = np.uint8(2)
NEAR_SOLID = np.uint8(4)


class SolidFlux(NamedTuple):
    """What solids that move push out of cells.

    Attributes:
        slots: The tiles near such solids.
        outflow: Σ ± (1 - f) u of their cells, u the solid's velocity through the closed part of a face, m/s; one row
            for each of `slots`.
    """

    slots: NDArray[np.int32]
    outflow: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CutCells:
    """What solids leave open of faces and cells that they cut.

    Attributes:
        face_fractions: Open fraction of the minimal faces [axis, slot, z, y, x]; one in absent tiles.
        volume: Open share of cells [slot, z, y, x].
        closed: WALL and SIDE bits of the minimal faces: those with an open fraction of zero.
        openness: What they leave open round cells, sampled more finely.
        solid_flux: What solids push out of cells; None while none moves.
    """

    face_fractions: NDArray[np.float32]
    volume: NDArray[np.float32]
    closed: NDArray[np.uint8]
    openness: Openness
    solid_flux: SolidFlux | None = None


@dataclass(frozen=True, eq=False)
class Cells:
    """The label of every cell and the bits of every face. Tiles exist wherever liquid has a neighbour.

    Attributes:
        tiles: Where the cells are.
        label: AIR, LIQUID or SOLID [slot, z, y, x]; air in absent tiles.
        faces: WET, WALL, BURIED, SIDE and LEAVES bits of the minimal faces [axis, slot, z, y, x].
        wet: By slot, whether any of the tile's minimal faces is wet.
        phi: Signed distance (m) of cell centres to the liquid's surface, if the surface is known better than by cells.
        fill: Share of the space round cell centres that liquid fills, if it is known.
        cut_cells: Open fractions, if solids cut cells; else a face is open or closed as a whole.
    """

    tiles: Tiles
    label: NDArray[np.int8]
    faces: NDArray[np.uint8]
    wet: NDArray[np.bool_]
    phi: CellField | None = None
    fill: CellField | None = None
    cut_cells: CutCells | None = None

    @cached_property
    def surroundings(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """NEAR_AIR, NEAR_LIQUID and NEAR_SOLID bits by cell, and those of all cells of a tile together by slot."""
        around = np.full(self.label.shape, NEAR_AIR)
        together = np.full(len(self.label), NEAR_AIR)
        tiles = self.tiles
        _look_around(tiles.shape)(self.label, tiles.neighbours, tiles.slots, around, together, chunk_count())
        return around, together

    @cached_property
    def liquid_tiles(self) -> NDArray[np.int32]:
        """Slots of the tiles with a liquid cell."""
        return (np.flatnonzero((self.label[1:] == LIQUID).any(axis=(1, 2, 3))) + 1).astype(np.int32)

    @cached_property
    def wet_tiles(self) -> NDArray[np.int32]:
        """Slots of the tiles with a face that borders liquid."""
        return np.flatnonzero(self.wet).astype(np.int32)

    @cached_property
    def liquid_count(self) -> int:
        """Number of liquid cells."""
        return int(np.count_nonzero(self.label == LIQUID))

    @property
    def face_fractions(self) -> NDArray[np.float32]:
        """Open fraction of faces, or a stand-in that no kernel reads where solids cut no cells."""
        if self.cut_cells is None:
            return np.ones((self.tiles.dimension, 1, *self.tiles.shape), np.float32)
        return self.cut_cells.face_fractions

    @property
    def cell_fractions(self) -> NDArray[np.float32]:
        """Open share of cells, or a stand-in that no kernel reads where solids cut no cells."""
        return np.ones((1, *self.tiles.shape), np.float32) if self.cut_cells is None else self.cut_cells.volume


@stage
def label_cells(
    tiles: Tiles,
    marked: NDArray[np.bool_],
    solid: NDArray[np.bool_],
    phi: CellField | None = None,
    fill: CellField | None = None,
    cut_cells: CutCells | None = None,
) -> Cells:
    """Label cells: solid where a solid is, liquid where there is a marker, air elsewhere.

    Args:
        tiles: Where the cells are.
        marked: Whether a cell holds a marker, or counts as liquid for another reason [slot, z, y, x].
        solid: Whether a cell is solid [slot, z, y, x].
        phi: Signed distance to the surface, kept with the labels.
        fill: Fill fraction, kept with the labels.
        cut_cells: Open fractions, kept with the labels; faces without an open part count as walls.

    Reference: Cline, figure 4.
    """
    label = np.where(solid, SOLID, np.where(marked, LIQUID, AIR))
    faces = np.zeros((tiles.dimension, *label.shape), np.uint8)
    wet = np.zeros(tiles.count + 1, np.bool_)
    _label_faces(tiles.shape)(label, tiles.neighbours, tiles.slots, faces, wet, chunk_count())
    if cut_cells is not None:
        faces |= cut_cells.closed
    return Cells(tiles, label, faces, wet, phi, fill, cut_cells)


@stage
def forget_dry_faces(velocity: FaceField, cells: Cells) -> NDArray[np.int32]:
    """Make every velocity unknown that borders no liquid; return how many that do were unknown already.

    These are counted by axis and slot.
    """
    missing = np.zeros(velocity.pool.shape[:2], np.int32)
    flat = (*missing.shape, -1)
    _forget(velocity.pool.reshape(flat), cells.faces.reshape(flat), missing, chunk_count())
    return missing


@for_tile_shape
def _label_faces(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)

    @kernel
    def run(label, neighbours, tiles, faces, wet, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX, np.int8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_cross(block, label, neighbours, t, BZ, BY, BX)
                any_wet = np.uint8(0)
                for axis in range(DIM):
                    step = stride(axis, PY, PX)
                    for z in range(BZ):
                        for y in range(BY):
                            o = row_start(z, y, HZ, PY, PX)
                            for x in range(BX):
                                # Labels are bits themselves: 1 liquid, 2 solid
                                bits = np.uint8(block[o + x] | block[o + x - step])
                                if block[o + x] & block[o + x - step] == SOLID:
                                    bits |= BURIED
                                faces[axis, t, z, y, x] = bits
                                any_wet |= bits & WET
                wet[t] = any_wet > 0

    return run


@for_tile_shape
def _look_around(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX

    @kernel
    def run(label, neighbours, tiles, around, together, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(SIZE, np.int8)
            bits = np.zeros(SIZE, np.uint8)
            along = np.zeros(SIZE, np.uint8)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(block, label, neighbours, t, 1, BZ, BY, BX)
                # A label becomes its bit; then each axis in turn gathers the bits of both neighbours
                for m in range(SIZE):
                    bits[m] = np.uint8(block[m] + block[m] if block[m] else 1)
                for m in range(1, SIZE - 1):
                    along[m] = bits[m - 1] | bits[m] | bits[m + 1]
                for m in range(PX, SIZE - PX):
                    bits[m] = along[m - PX] | along[m] | along[m + PX]
                everything = np.uint8(0)
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        for x in range(BX):
                            found = bits[o + x]
                            if HZ > 0:
                                found |= bits[o + x - PX * PY] | bits[o + x + PX * PY]
                            around[t, z, y, x] = found
                            everything |= found
                together[t] = everything

    return run


@kernel
def _forget(velocity, faces, missing, chunks):
    n = missing.shape[1]
    for c in prange(chunks):
        for axis in range(len(missing)):
            for t in chunk_range(c, chunks, n):
                part, bits = velocity[axis, t], faces[axis, t]
                count = 0
                for m in range(len(part)):
                    is_wet = bits[m] & WET > 0
                    count += is_wet and part[m] != part[m]
                    part[m] = part[m] if is_wet else np.float32(np.nan)
                missing[axis, t] = count
