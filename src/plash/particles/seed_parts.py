"""How much of the parts of a lattice lies inside a shape, and where: its volume and its centre of mass.

A part near the surface has m samples along each side, m = 8 in 2-D and 4 in 3-D. A sample is taken as a small cube of
side a that a plane cuts, with the gradient g of the distance φ at it:

    share = clamp(1/2 - φ/(a max|g_i|), 0, 1) ,    middle (1 - share) a/2 below its own, along the largest |g_i|

which is exact for planes along the axes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SAMPLES = {2: 8, 3: 4}
_FIRST_LOOK = 2  # samples along each side that tell whether a surface is near
_PARTS_AT_ONCE = 1 << 14
_NUDGE = 1e-3  # of the size of a sample, to find how the distance changes


def lattice(side: int, dimension: int) -> NDArray[np.int64]:
    """All integer points of a cube, first axis fastest."""
    axes = np.meshgrid(*[np.arange(side)] * dimension, indexing="ij")
    return np.stack([axis.ravel() for axis in axes[::-1]], axis=1)


def parts_inside(
    distance: Distance, middles: NDArray[np.float64], h: float, side: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of each part that is inside, and its centre of mass from the part's middle, in cells.

    Args:
        distance: Signed distance in metres of points (n, d), negative inside.
        middles: Of parts, in cells.
        h: Cell size, m.
        side: Parts along each side of a cell.
    """
    dimension = middles.shape[1]
    looks = ((lattice(_FIRST_LOOK, dimension) + 0.5) / _FIRST_LOOK - 0.5) / side
    phi = distance((middles[:, None, :] + looks).reshape(-1, dimension) * h).reshape(-1, len(looks))
    shares, places = (phi[:, 0] < 0).astype(np.float64), np.zeros_like(middles)
    # The furthest that a place in a part is from a look; and half as much again, for distances that are only roughly so
    reach = 0.75 * np.sqrt(dimension) / (_FIRST_LOOK * side) * h
    is_cut = (np.abs(phi).min(axis=1) < reach) | ((phi < 0).any(axis=1) != (phi < 0).all(axis=1))
    cut = np.flatnonzero(is_cut)
    for first in range(0, len(cut), _PARTS_AT_ONCE):
        some = cut[first : first + _PARTS_AT_ONCE]
        shares[some], places[some] = _sampled(distance, middles[some], h, side)
    return shares, places


def _sampled(
    distance: Distance, middles: NDArray[np.float64], h: float, side: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for parts that a surface may cut."""
    dimension = middles.shape[1]
    count = _SAMPLES[dimension]
    size = 1 / (count * side)
    samples = ((lattice(count, dimension) + 0.5) / count - 0.5) / side
    points = middles[:, None, :] + samples
    phi = distance(points.reshape(-1, dimension) * h).reshape(-1, len(samples)) / h
    inside = (phi < 0).astype(np.float64)
    moment = inside @ samples

    # Samples that are cut themselves
    part, sample = np.nonzero(np.abs(phi) < size / 2 * np.sqrt(dimension))
    cut = phi[part, sample]
    step = _NUDGE * size
    ahead = points[part, sample][:, None, :] + step * np.eye(dimension)
    slope = (distance(ahead.reshape(-1, dimension) * h).reshape(-1, dimension) / h - cut[:, None]) / step
    steepest = np.abs(slope).argmax(axis=1)
    down = np.take_along_axis(slope, steepest[:, None], axis=1)[:, 0]
    share = np.clip(0.5 - cut / (size * np.maximum(np.abs(down), 0.5)), 0.0, 1.0)
    shift = share[:, None] * samples[sample] - (cut < 0)[:, None] * samples[sample]
    shift[np.arange(len(part)), steepest] -= np.sign(down) * share * (1 - share) * (size / 2)
    inside[part, sample] = share
    np.add.at(moment, part, shift)

    total = inside.sum(axis=1)
    place = moment / np.maximum(total, 1e-300)[:, None]
    place[total == len(samples)] = 0.0
    return total / len(samples), place
