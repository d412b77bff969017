"""The velocity beside the liquid, made to keep volume.

The pressure makes the velocity divergence free in cells whose centre is in the liquid. The surface runs through other
cells too, which are filled in part: there the velocity is a mean of what is known beside it, a surface that moves with
it gains or loses volume, and it lags behind a wave, as it does not rise towards it. So in cells of air within a width
of the surface the velocity u* is changed as little as can be to

    h ∇·u = 0 ,    u = u* - ∇q ,    q = 0 farther out ,

while faces of liquid cells and of solids keep theirs. A pocket of air that is closed keeps the mean of its divergence.

Reference: Enright et al. 2002, who let the velocity be constant along the normals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import AIR, WALL, Cells
from plash.grid.fields import FaceField, fastest
from plash.grid.tiles import Places
from plash.linear.operators import PoissonOperator
from plash.linear.system import PoissonSystem
from plash.timing import stage

WIDTH = 1.5  # cells from the surface
_TOLERANCE = 1e-3  # of the divergence that there was
_ROUND_OFF = 1e-6  # of the fastest


@stage
def keep_volume_outside(velocity: FaceField, cells: Cells, h: float) -> None:
    """Make a velocity (m/s) that was continued beyond the liquid divergence free beside it."""
    assert cells.phi is not None
    tiles = cells.tiles
    is_beside = (cells.label == AIR) & (cells.phi.pool < np.float32(WIDTH * h))
    is_beside[0] = False
    beside: Places = np.nonzero(is_beside)
    if len(beside[0]) == 0:
        return
    faces = [face for axis in range(tiles.dimension) for face in _faces(velocity, cells, beside, axis)]

    # The equations of these cells alone: weights of the faces that may change, and what flows out of all
    diagonal, b = np.zeros(cells.label.shape, np.float32), np.zeros(cells.label.shape)
    weights = np.zeros((tiles.dimension, *cells.label.shape), np.float32)
    for face in faces:
        weights[face.axis][face.places] = face.weight
        diagonal[beside] += face.weight
        b[beside] -= face.outwards * face.share * face.velocity
    b[diagonal == 0] = 0
    most = float(fastest(velocity.pool).max())
    system = PoissonSystem(PoissonOperator(tiles, diagonal, weights))
    potential, _ = system.solve(b, _TOLERANCE, _ROUND_OFF * most)

    # A face between two of them is met twice, with the same result. Nothing gets faster than all is
    for face in faces:
        changed = face.velocity - face.outwards * (potential[face.other] - potential[beside])
        free = face.weight > 0
        where = tuple(part[free] for part in face.places)
        velocity.pool[face.axis][where] = np.clip(changed[free], -most, most)


class _Face(NamedTuple):
    """One face of each of some cells: where it is, the cell behind it, and what it does.

    Attributes:
        axis: That it lies across.
        outwards: 1 if its velocity leads out of the cell, -1 if into it.
        places: Of the faces.
        other: The cells behind them.
        share: How open they are.
        weight: The same, or zero where the velocity is given: beside liquid and solids.
        velocity: m/s; zero where it is not known.
    """

    axis: int
    outwards: int
    places: Places
    other: Places
    share: NDArray[np.float64]
    weight: NDArray[np.float64]
    velocity: NDArray[np.float64]


def _faces(velocity: FaceField, cells: Cells, beside: Places, axis: int) -> Iterator[_Face]:
    """The two faces of cells across an axis."""
    tiles = cells.tiles
    behind = tiles.beside(beside, axis, 1)
    for outwards, places, other in ((-1, beside, tiles.beside(beside, axis, -1)), (1, behind, behind)):
        share = np.ones(len(places[0]))
        if cells.cut_cells is not None:
            share = cells.cut_cells.face_fractions[axis][places].astype(np.float64)
        free = (cells.label[other] == AIR) & (cells.faces[axis][places] & WALL == 0) & (places[0] > 0)
        known = np.nan_to_num(velocity.pool[axis][places]).astype(np.float64)
        yield _Face(axis, outwards, places, other, share, np.where(free, share, 0.0), known)
