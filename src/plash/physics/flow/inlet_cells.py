"""Where spouts are on a set of tiles: the faces that liquid comes in through, and the plugs behind them as solids.

Reference: Cline section 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import WALL, CutCells
from plash.grid.openness import Openness
from plash.grid.tiles import Places, Tiles
from plash.levelset.fractions import LEAST_SHARE
from plash.levelset.inside import places_of
from plash.particles.surface import reflect
from plash.physics.flow.inlets import Inlet, InletStencil
from plash.physics.solids.base import SolidFields
from plash.physics.solids.domain_box import DomainBox

_HAT = (0.125, 0.75, 0.125)  # how much of a hat's integral lies in the cell before, in its own, and behind


@dataclass(frozen=True, eq=False)
class SolidsWithInlets:
    """The fields of solids, with the cells behind inlets as more of them; the attributes are those of `SolidFields`."""

    tiles: Tiles
    box: DomainBox
    is_solid: NDArray[np.bool_]
    inverse_kernel_weight: NDArray[np.float32]
    cut_cells: CutCells | None


@dataclass(frozen=True, eq=False)
class InletCells:
    """Where spouts are on a set of tiles, for a speed of 1 m/s.

    Attributes:
        before: The solids without plugs.
        running: The spouts.
        solids: The solids with every plug.
        faces: Faces that liquid comes in through: axis and place.
        spout_of_face: Number of the spout of each.
        ahead: The cell that each leads to.
        flux: Mean velocity over each.
        normal: Component of the spout's normal.
        handed: What the spout hands on of its own velocity, m/s.
        walls: Every face of inlet cells, by inlet; none where only the side behind is open.
    """

    before: SolidFields
    running: list[Inlet]
    solids: SolidsWithInlets
    faces: Places
    spout_of_face: NDArray[np.int64]
    ahead: Places
    flux: NDArray[np.float64]
    normal: NDArray[np.float64]
    handed: NDArray[np.float64]
    walls: Places
    spout_of_wall: NDArray[np.int64]
    wall_normal: NDArray[np.float64]
    wall_handed: NDArray[np.float64]


def place(solids: SolidFields, running: list[Inlet], stencils: list[InletStencil]) -> InletCells:
    """Find the faces and cells of spouts on the tiles of these solids."""
    held = [_held(inlet, stencil, solids) for inlet, stencil in zip(running, stencils, strict=True)]
    walls = [_walls(inlet, stencil, solids.tiles) for inlet, stencil in zip(running, stencils, strict=True)]
    return InletCells(
        solids,
        running,
        _with_inlet_cells(solids, [stencil.inlet_cells for stencil in stencils]),
        joined([part.places for part in held]),
        np.repeat(np.arange(len(held)), [len(part.normal) for part in held]),
        joined([places_of(stencil.ahead, solids.tiles) for stencil in stencils]),
        np.concatenate([part.flux for part in held]),
        np.concatenate([part.normal for part in held]),
        np.concatenate([part.handed for part in held]),
        joined([part.places for part in walls]),
        np.repeat(np.arange(len(walls)), [len(part.normal) for part in walls]),
        np.concatenate([part.normal for part in walls]),
        np.concatenate([part.handed for part in walls]),
    )


class _Faces(NamedTuple):
    """Faces of one spout (axis and place); for a speed of 1 m/s the flux through them, and the spout's velocity."""

    places: Places
    flux: NDArray[np.float64]
    normal: NDArray[np.float64]
    handed: NDArray[np.float64]


def _held(inlet: Inlet, stencil: InletStencil, solids: SolidFields) -> _Faces:
    """The faces that liquid comes in through: those that do not lead into a solid."""
    axes, ahead = stencil.face_axes, places_of(stencil.ahead, solids.tiles)
    is_open = ~solids.is_solid[ahead] | (ahead[0] == 0)
    normal = stencil.normal[axes]
    covered = float((is_open * stencil.share * np.abs(normal)).sum()) * inlet.h ** (inlet.dimension - 1)
    scale = inlet.area / covered if covered > 0 else 0.0
    flux = scale * is_open * stencil.share * normal
    handed = inlet.spout.inherit * stencil.velocity[axes]
    return _Faces((axes, *places_of(stencil.faces, solids.tiles)), flux, normal * is_open, handed * is_open)


def _walls(inlet: Inlet, stencil: InletStencil, tiles: Tiles) -> _Faces:
    """All faces of a plug that exist: the liquid of the spout is there, but where only behind is open."""
    key = {tuple(cell) for cell in stencil.inlet_cells.tolist()}
    found = []
    for axis, normal in enumerate(stencil.normal):
        step = np.eye(inlet.dimension, dtype=np.int64)[axis]
        faces = np.unique(np.concatenate([stencil.inlet_cells, stencil.inlet_cells + step]), axis=0)
        places = places_of(faces, tiles)
        faces, places = faces[places[0] > 0], tuple(part[places[0] > 0] for part in places)
        from_plug = np.array([tuple(cell - step if normal > 0 else cell) in key for cell in faces], np.float64)
        where = (np.full(len(faces), axis), *places)
        own = inlet.spout.inherit * stencil.velocity[axis]
        found.append(_Faces(where, np.zeros(len(faces)), from_plug * normal, from_plug * own))
    flux, normals, handed = (np.concatenate([part[i] for part in found]) for i in (1, 2, 3))
    return _Faces(joined([part.places for part in found]), flux, normals, handed)


def _with_inlet_cells(solids: SolidFields, inlet_cells: Sequence[NDArray[np.int64]]) -> SolidsWithInlets:
    """The solids with plugs added: labels, closed faces, and the share of space round cells that is open."""
    tiles = solids.tiles
    inlet_cells = places_of(np.unique(np.concatenate(inlet_cells), axis=0), tiles)
    inlet_cells = tuple(part[inlet_cells[0] > 0] for part in inlet_cells)
    inlet_cells = tuple(part[~solids.is_solid[inlet_cells]] for part in inlet_cells)
    is_solid = solids.is_solid.copy()
    is_solid[inlet_cells] = True
    inverse = solids.inverse_kernel_weight.copy()
    _take_share(inverse, solids, inlet_cells)
    inverse[inlet_cells] = np.nan
    cut_cells = None if solids.cut_cells is None else _closed_round(solids.cut_cells, tiles, inlet_cells)
    return SolidsWithInlets(tiles, solids.box, is_solid, inverse, cut_cells)


def _closed_round(cut_cells: CutCells, tiles: Tiles, inlet_cells: Places) -> CutCells:
    """What is open of faces and cells, with some cells closed all round."""
    face_fractions, closed, volume = cut_cells.face_fractions.copy(), cut_cells.closed.copy(), cut_cells.volume.copy()
    volume[inlet_cells] = 0
    for axis in range(tiles.dimension):
        for face in (inlet_cells, tiles.beside(inlet_cells, axis, 1)):
            face_fractions[axis][face] = 0
            closed[axis][face] |= WALL
    face_fractions[:, 0], closed[:, 0] = 1, 0
    openness = _unknown_round(cut_cells.openness, tiles, inlet_cells)
    return replace(cut_cells, face_fractions=face_fractions, volume=volume, closed=closed, openness=openness)


def _unknown_round(openness: Openness, tiles: Tiles, inlet_cells: Places) -> Openness:
    """What is open round cells, unknown where the hat kernel sees a plug: its samples know bodies only."""
    hat_share = openness.hat_share.copy()
    for offsets in product((-1, 0, 1), repeat=tiles.dimension):
        place = inlet_cells
        for axis, offset in enumerate(offsets):
            if offset != 0:
                place = tiles.beside(place, axis, offset)
        hat_share[place] = np.nan
    hat_share[0] = 1
    return replace(openness, hat_share=hat_share)


def _take_share(inverse: NDArray[np.float32], solids: SolidFields, inlet_cells: Places) -> None:
    """Take the part of plugs out of the open share S of the hat kernel round cells, given as 1/S."""
    tiles, cut_cells = solids.tiles, solids.cut_cells
    reach = [range(-1, 2)] * tiles.dimension
    held = np.ones(len(inlet_cells[0])) if cut_cells is None else cut_cells.volume[inlet_cells].astype(np.float64)
    taken = np.zeros(inverse.shape)
    for offsets in np.ndindex(*(len(r) for r in reach)):
        place = inlet_cells
        for axis, offset in enumerate(offsets):
            if offset != 1:
                place = tiles.beside(place, axis, offset - 1)
        np.add.at(taken, place, held * math.prod(_HAT[offset] for offset in offsets))
    for side in solids.box.closed_sides():
        reflect(taken, tiles, *side)
    touched = np.nonzero(taken)
    share = 1 / inverse[touched] - taken[touched]
    inverse[touched] = np.where(share < LEAST_SHARE, np.nan, 1 / np.maximum(share, LEAST_SHARE))
    inverse[0] = 1


def joined(places: Sequence[Places]) -> Places:
    """All of several places."""
    return tuple(np.concatenate(parts) for parts in zip(*places, strict=True))
