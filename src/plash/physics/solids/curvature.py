"""Curved walls: what flows through them so that liquid that slides along stays on them when it moves straight ahead.

A particle that moves by dt u along a wall with the distance φ comes to φ + dt u·n + (dt²/2) u·H·u, H the Hessian of φ.
It stays beside the wall if

    u·n = -(dt/2) u·H·u

at the wall, and not zero: liquid round a ball has to aim a little inwards, liquid in a round tank too. In the balance
of a cell that is a volume through the wall's area in it. H u·n is left out: only what slides along a wall bends.

Reference: Batty et al. 2007, for the balance of cut cells.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SIDE, CutCells
from plash.grid.fields import FaceField
from plash.grid.tiles import Places, Tiles

_FLAT = 1e-3  # wall area times curvature, in cells, below which a wall counts as flat
_SHARPEST = 1.0  # curvature, per cell: edges count as rounded by a cell
_KNOWN = 1e3  # cells: no distance to a body that was measured is larger

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CurvedWalls:
    """Cells with a part of a curved wall.

    Attributes:
        places: The cells.
        bending: Area of the wall in each, in faces, times the Hessian of the distance along it, per cell; (n, d, d).
    """

    places: Places
    bending: Array

    @staticmethod
    def none(dimension: int) -> CurvedWalls:
        """No curved wall."""
        return CurvedWalls((np.zeros(0, np.int64),) * 4, np.zeros((0, dimension, dimension)))

    @staticmethod
    def of(tiles: Tiles, slots: NDArray[np.int32], solid_phi: NDArray[np.float32], open_space: CutCells) -> CurvedWalls:
        """The curved walls on some tiles.

        Args:
            tiles: Where the cells are.
            slots: The tiles near bodies.
            solid_phi: Distance to bodies at the minimal corner of cells, in cells.
            open_space: What bodies leave open.
        """
        number, *within = np.nonzero((open_space.volume[slots] > 0) & (open_space.volume[slots] < 1))
        places: Places = (slots[number].astype(np.int64), *within)
        area = _area(tiles, places, open_space)
        hessian = _along_wall(*_derivatives(tiles, places, solid_phi))
        bending = area[:, None, None] * hessian
        curved = np.abs(bending).max(axis=(1, 2), initial=0.0) > _FLAT
        return CurvedWalls(tuple(part[curved] for part in places), bending[curved])

    def on(self, old: NDArray[np.int32], slots: NDArray[np.int32]) -> CurvedWalls:
        """Those of some of other tiles, given all slots of these here, 0 for what was not there."""
        new = np.zeros(1 + max(old.max(initial=0), self.places[0].max(initial=0)), np.int64)
        new[old[slots]] = slots
        slot = new[self.places[0]]
        kept = slot > 0
        return CurvedWalls((slot[kept], *(part[kept] for part in self.places[1:])), self.bending[kept])

    def joined(self, other: CurvedWalls) -> CurvedWalls:
        """These and others."""
        places = tuple(np.concatenate(pair) for pair in zip(self.places, other.places, strict=True))
        return CurvedWalls(places, np.concatenate([self.bending, other.bending]))

    def inflow(self, velocity: FaceField, dt: float, h: float) -> Array:
        """What has to come in through the wall of each cell over the area of a face (m/s), for moves of dt."""
        tiles = velocity.tiles
        mean = np.zeros((len(self.bending), tiles.dimension))
        for axis in range(tiles.dimension):
            low, high = velocity.pool[axis][self.places], velocity.pool[axis][tiles.beside(self.places, axis, 1)]
            low, high = np.where(np.isnan(low), high, low), np.where(np.isnan(high), low, high)
            mean[:, axis] = np.nan_to_num(0.5 * (low.astype(np.float64) + high))
        inflow: Array = -0.5 * dt / h * np.einsum("ni,nij,nj->n", mean, self.bending, mean)
        return inflow


def _area(tiles: Tiles, places: Places, open_space: CutCells) -> Array:
    """Area of walls in cells, in faces: what their open faces lack of being balanced; sides of the domain are none."""
    square = np.zeros(len(places[0]))
    for axis in range(tiles.dimension):
        ahead = tiles.beside(places, axis, 1)
        low, high = (open_space.face_fractions[axis][face].astype(np.float64) for face in (places, ahead))
        at_side = (open_space.closed[axis][places] | open_space.closed[axis][ahead]) & SIDE > 0
        square += np.where(at_side, 0.0, high - low) ** 2
    area: Array = np.sqrt(square)
    return area


def _derivatives(tiles: Tiles, places: Places, solid_phi: NDArray[np.float32]) -> tuple[Array, Array]:
    """Gradient (n, d) and Hessian (n, d, d) of the distance at the centres of cells; zero where it is not known."""
    d = tiles.dimension
    around = _around(tiles, places, solid_phi)
    inner = list(itertools.product((0, 1), repeat=d))
    gradient, hessian = np.zeros((len(places[0]), d)), np.zeros((len(places[0]), d, d))
    for corner in inner:
        sign = 2 * np.array(corner) - 1
        gradient += around[corner][:, None] * sign / 2 ** (d - 1)
        hessian += around[corner][:, None, None] * np.outer(sign, sign) / 2 ** (d - 2)
    for axis in range(d):
        hessian[:, axis, axis] = 0.0
        for corner in inner:
            outer = tuple(3 * part - 1 if a == axis else part for a, part in enumerate(corner))
            hessian[:, axis, axis] += (around[outer] - around[corner]) / 2**d
    known = np.logical_and.reduce([values < _KNOWN for values in around.values()])
    return gradient * known[:, None], hessian * known[:, None, None]


def _around(tiles: Tiles, places: Places, solid_phi: NDArray[np.float32]) -> dict[tuple[int, ...], Array]:
    """The distance at the corners of cells, and at those one further along each axis, by how many cells on they are."""
    found = {}
    for corner in itertools.product((0, 1), repeat=tiles.dimension):
        at = places
        for axis, step in enumerate(corner):
            at = tiles.beside(at, axis, 1) if step else at
        found[corner] = solid_phi[at].astype(np.float64)
        for axis, step in enumerate(corner):
            outer = (*corner[:axis], 3 * step - 1, *corner[axis + 1 :])
            found[outer] = solid_phi[tiles.beside(at, axis, 2 * step - 1)].astype(np.float64)
    return found


def _along_wall(gradient: Array, hessian: Array) -> Array:
    """The Hessian for vectors along the wall, P H P with P = I - n n, of no more than the sharpest curvature."""
    length = np.maximum(np.linalg.norm(gradient, axis=1), 1e-6)[:, None]
    normal = gradient / length
    along = np.eye(gradient.shape[1]) - normal[:, :, None] * normal[:, None, :]
    hessian = along @ hessian @ along
    size = np.linalg.norm(hessian, axis=(1, 2))
    limited: Array = hessian * np.minimum(1.0, _SHARPEST / np.maximum(size, 1e-12))[:, None, None]
    return limited
