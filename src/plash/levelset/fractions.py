"""How much of faces and cells is open space, from the signed distance of a solid at the corners of cells.

Between corners the distance is taken as linear, so that everything is exact for a plane: an edge (2-D) is open where
the line between the values of its ends is positive, and a face (3-D) on the polygon that marching squares draws through
the crossings of its edges. Where two opposite corners are open and the others are not, the solid is taken as
connected. A corner counts as open from a hair's breadth outside the surface on: a face that lies in the surface is
closed, whatever the last bit says.

Corners are nodes [n, z, y, x] of as many blocks of cells, in cells (lengths over h); z has one entry in 2-D.
Reference: Batty et al. 2007; Ng et al. 2009.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_HAIR = 1e-6  # cells outside the surface at which open space begins
_LEAST = 0.01  # open fraction below which a face is closed, and as far from one it is open
LEAST_SHARE = 0.1  # of the hat kernel in open space, below which the filled share is not known
_STEPS = 1024  # fractions are multiples of 1/1024: sums of a few of them are exact in single precision


def edge_fraction(one: Array, other: Array) -> Array:
    """Share of an edge where the line between the values of its ends is positive."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    cut = (low <= 0) & (high > 0)
    fraction: Array = np.divide(high, high - low, out=(low > 0).astype(np.float64), where=cut)
    return fraction


def face_fraction(corners: tuple[Array, Array, Array, Array]) -> Array:
    """Share of a square where the interpolant of its corners, given in order around it, is positive.

    By Green's theorem: half the sum of x dy - y dx along the open parts of the square's edges, and along the cut from
    where the boundary leaves open space (x, y)_out to where it enters it again. Edges through the origin add nothing.

         3 ----- 2
         |       |      edge i runs from corner i to corner i + 1
         0 ----- 1
    """
    is_open = [corner > 0 for corner in corners]
    crossing = [_crossing(corners[i], corners[(i + 1) % 4]) for i in range(4)]
    nought, one = np.zeros_like(corners[0]), np.ones_like(corners[0])
    places = ((crossing[0], nought), (one, crossing[1]), (1.0 - crossing[2], one), (nought, 1.0 - crossing[3]))
    x_out, y_out, x_in, y_in = (np.zeros_like(corners[0]) for _ in range(4))
    twice_area = edge_fraction(corners[1], corners[2]) + edge_fraction(corners[2], corners[3])
    triangles = np.zeros_like(twice_area)
    for i, (x, y) in enumerate(places):
        leaves, enters = is_open[i] & ~is_open[(i + 1) % 4], ~is_open[i] & is_open[(i + 1) % 4]
        x_out, y_out = np.where(leaves, x, x_out), np.where(leaves, y, y_out)
        x_in, y_in = np.where(enters, x, x_in), np.where(enters, y, y_in)
        triangles += np.where(is_open[i], crossing[i] * (1.0 - crossing[i - 1]), 0.0)
    twice_area += x_out * y_in - y_out * x_in
    # Open at two opposite corners only: a triangle in each
    is_saddle = (is_open[0] == is_open[2]) & (is_open[1] == is_open[3]) & (is_open[0] != is_open[1])
    fraction: Array = np.clip(0.5 * np.where(is_saddle, triangles, twice_area), 0.0, 1.0)
    return fraction


def _cut_fraction(corners: tuple[Array, Array, Array, Array]) -> Array:
    """The same for many squares, most of which are open or closed as a whole."""
    lowest, highest = np.minimum.reduce(corners), np.maximum.reduce(corners)
    fraction: Array = (lowest > 0).astype(np.float64)
    cut = (lowest <= 0) & (highest > 0)
    a, b, c, d = (corner[cut] for corner in corners)
    fraction[cut] = face_fraction((a, b, c, d))
    return fraction


def _crossing(one: Array, other: Array) -> Array:
    """Where on an edge the line between its ends is zero, from 0 to 1; 0 if it is nowhere."""
    crossing: Array = np.divide(one, one - other, out=np.zeros_like(one), where=(one > 0) != (other > 0))
    return crossing


def open_fractions(nodes: Array) -> list[NDArray[np.float32]]:
    """Open fraction of every face of blocks of cells, by axis (x, y[, z]), ready for a matrix.

    A block of nodes with n along an axis has n faces across that axis and n - 1 along it. Fractions below 0.01 count
    as 0, above 0.99 as 1, and all are multiples of 1/1024.
    """
    value = nodes - _HAIR
    low, high = slice(None, -1), slice(1, None)
    all_z = slice(None)
    if nodes.shape[1] == 1:
        faces = [
            edge_fraction(value[:, :, low], value[:, :, high]),
            edge_fraction(value[..., low], value[..., high]),
        ]
    else:
        faces = [
            _cut_fraction((value[:, low, low], value[:, low, high], value[:, high, high], value[:, high, low])),
            _cut_fraction(
                (value[:, low, :, low], value[:, low, :, high], value[:, high, :, high], value[:, high, :, low])
            ),
            _cut_fraction(
                (
                    value[:, all_z, low, low],
                    value[:, all_z, low, high],
                    value[:, all_z, high, high],
                    value[:, all_z, high, low],
                )
            ),
        ]
    return [_rounded(face) for face in faces]


def _rounded(fraction: Array) -> NDArray[np.float32]:
    fraction = np.where(fraction < _LEAST, 0.0, np.where(fraction > 1.0 - _LEAST, 1.0, fraction))
    rounded: NDArray[np.float32] = (np.rint(fraction * _STEPS) / _STEPS).astype(np.float32)
    return rounded


def at_half_cells(nodes: Array) -> Array:
    """Values at the centres of half cells (quarters of a cell in 2-D, eighths in 3-D), linear between the corners."""
    value = nodes
    for axis in range(1, 4):
        count = value.shape[axis]
        if count > 1:
            before, after = (np.take(value, np.arange(first, count - 1 + first), axis) for first in range(2))
            halves = np.stack([0.75 * before + 0.25 * after, 0.25 * before + 0.75 * after], axis=axis + 1)
            shape = list(value.shape)
            shape[axis] = 2 * (count - 1)
            value = halves.reshape(shape)
    return value


def open_half_cells(phi: Array) -> Array:
    """Open share of every half cell, from the distance of its centre: exact for a plane along the axes."""
    share: Array = np.clip(0.5 + 2.0 * phi, 0.0, 1.0)
    return share


def halved(cells: NDArray[np.bool_]) -> Array:
    """The same values on half cells."""
    halves = cells.astype(np.float64)
    for axis in range(1, 4):
        if cells.shape[axis] > 1:
            halves = np.repeat(halves, 2, axis=axis)
    return halves


def hat_share(halves: Array) -> Array:
    """Integral over open space of the product of hats of half-width h round each cell centre, but for outermost cells.

    Of a hat's integral 1/8, 3/8, 3/8 and 1/8 lie in the four half cells that it covers along an axis.
    """
    return _weighed(halves, first=1, taps=(0.125, 0.375, 0.375, 0.125))


def cell_share(halves: Array) -> Array:
    """Open share of each cell, but for outermost cells."""
    return _weighed(halves, first=2, taps=(0.5, 0.5))


def _weighed(halves: Array, first: int, taps: tuple[float, ...]) -> Array:
    share = halves
    for axis in range(1, 4):
        count = share.shape[axis] // 2 - 2
        if share.shape[axis] > 1:
            places = 2 * np.arange(count) + first
            share = sum(
                (weight * np.take(share, places + tap, axis) for tap, weight in enumerate(taps)),
                start=np.zeros(()),
            )
    return share
