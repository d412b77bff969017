"""Offsets of the liquid's surface in the open part of hats: planes below which there is as much liquid as seen.

    Σ o_s W_k(x_s) clamp(1/2 + (d_k - n·x_s) N/max|n_i|, 0, 1) = F_k ,    d = w d_1 + (1 - w) d_2

for the hats W_1 and W_2 of half-width 1 and 2 (cells), over N^d samples s of each cell, of which bodies leave the share
o_s open (`grid/openness.py`). The wide hat still sees liquid where the narrow one lies nearly all in a body; the narrow
one is sharper: w = clamp((S_1 - 0.2)/0.6) clamp(f_1 (1 - f_1)/0.05).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range, neighbour_number, tile_beside
from plash.grid.openness import SAMPLES, WHOLE, Limits, Openness, mirrored
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.shore_cells import THIN, Seen
from plash.particles.shore_normals import Listed

SAMPLES_2, SAMPLES_3 = SAMPLES[2], SAMPLES[3]
_BINS = 16  # in a cell, along the normal
_NOTHING = 0.02  # filled share of a hat, or empty one, that tells too little
_MIDDLE = 4 * _BINS  # of the bins: a wide hat reaches 2 √3 cells


def offsets(
    tiles: Tiles, listed: Listed, shore: NDArray[np.intp], seen: Seen, openness: Openness, limits: Limits
) -> NDArray[np.float64]:
    """Distance to the surface in cells, for those cells of a list that are at the shore; at most 1 either way."""
    space = _Space(openness.rows, openness.samples, tiles.neighbours, tiles.origins, *limits)
    distance = np.empty(len(shore))
    _offset(tiles.shape)(listed, shore, seen, space, distance, chunk_count())
    return distance


class _Space(NamedTuple):
    """What bodies leave open, and where tiles and sides of the domain are."""

    rows: NDArray[np.int32]
    samples: NDArray[np.uint8]
    neighbours: NDArray[np.int32]
    origins: NDArray[np.int32]
    limits: NDArray[np.int32]
    kinds: NDArray[np.int32]


@for_tile_shape
def _offset(shape: Shape) -> Kernel:
    DIM = dimension_of(shape)
    SIZE = 4 * SAMPLES[DIM]

    @kernel
    def run(listed, shore, seen, space, distance, chunks):
        places, normal, height = listed.places, listed.normal, listed.height
        volume, share, wide_volume, wide_share, part = seen
        n = len(shore)
        for c in prange(chunks):
            bends = np.empty((2, 2 * _MIDDLE))
            step = np.zeros((3, SIZE), np.int64)
            within = np.zeros((3, SIZE), np.int64)
            for i in chunk_range(c, chunks, n):
                place, direction = places[shore[i]], normal[shore[i]]
                t, z, y, x = place[0], place[1], place[2], place[3]
                free = np.float64(share[t, z, y, x])
                fill = np.float64(volume[t, z, y, x]) / max(free, 1e-9)
                trust = min(max((free - 0.2) / 0.6, 0.0), 1.0) * min(max(fill * (1 - fill) / 0.05, 0.0), 1.0)
                is_thin = part[t, z, y, x] >= THIN
                depth = 0.0
                if trust > 0 or is_thin:
                    _find_samples(place, 1, space, shape, step, within)
                    _bend(bends, direction, 1, place[0], space, shape, (step, within))
                    trust = 1.0 if is_thin else trust
                    depth += trust * _depth(bends, np.float64(volume[t, z, y, x]), free, -height[shore[i]])
                if trust < 1:
                    _find_samples(place, 2, space, shape, step, within)
                    _bend(bends, direction, 2, place[0], space, shape, (step, within))
                    free = np.float64(wide_share[t, z, y, x])
                    depth += (1 - trust) * _depth(bends, np.float64(wide_volume[t, z, y, x]), free, -height[shore[i]])
                distance[i] = min(max(-depth, -1.0), 1.0)

    return run


@inlined
def _find_samples(place, reach, space, shape, step, within):
    """Where the samples of a hat are along each axis: how many tiles further, and the place there."""
    dimension = 3 if shape[0] > 1 else 2
    n = SAMPLES_3 if dimension == 3 else SAMPLES_2
    for axis in range(dimension):
        size = shape[2 - axis] * n
        origin = space.origins[place[0], axis] * n
        first = origin + place[3 - axis] * n + n // 2 - reach * n
        for k in range(2 * reach * n):
            image = mirrored(first + k, space.limits[axis, 0] * n, space.limits[axis, 1] * n, space.kinds[axis])
            step[axis, k], within[axis, k] = tile_beside(image - origin, size)


@inlined
def _bend(bends, direction, reach, t, space, shape, where):
    """How much the volume of open space below a plane n·x = d, weighed by a hat, bends with d at each bin.

    The first row holds bends, the second how much these change.

    In 3-D four samples across the normal that are all open are taken as one.
    """
    dimension = 3 if shape[0] > 1 else 2
    n = SAMPLES_3 if dimension == 3 else SAMPLES_2
    step, within = where
    steepest = max(abs(direction[0]), abs(direction[1]), abs(direction[2]))
    pair_x = 2 if dimension == 3 and abs(direction[0]) < steepest else 1
    pair_y = 2 if dimension == 3 and (pair_x == 1 or abs(direction[1]) < steepest) else 1
    pair_z = 2 if dimension == 3 and (pair_x == 1 or pair_y == 1) else 1
    size = 2 * reach * n
    scale = 1.0 / (reach * n) ** dimension / WHOLE
    bends[:] = 0.0
    for k in range(0, size if dimension == 3 else 1, pair_z):
        for j in range(0, size, pair_y):
            for i in range(0, size, pair_x):
                # Pairs of samples lie in one cell, so all of them are in the same tile
                slot = space.neighbours[t, neighbour_number(step[0, i], step[1, j], step[2, k])]
                samples = space.samples[space.rows[slot]]
                total = 0
                for c in range(pair_z):
                    for b in range(pair_y):
                        for a in range(pair_x):
                            total += samples[within[2, k + c], within[1, j + b], within[0, i + a]]
                if total == 0:
                    continue
                if total == 4 * WHOLE:
                    middle = i + 0.5 * (pair_x - 1), j + 0.5 * (pair_y - 1), k + 0.5 * (pair_z - 1)
                    w, s, growth = _weigh(middle, direction, reach, n, dimension)
                    _add_bends(bends, w * scale * total, s, growth, steepest / n)
                    continue
                for c in range(pair_z):
                    for b in range(pair_y):
                        for a in range(pair_x):
                            o = samples[within[2, k + c], within[1, j + b], within[0, i + a]]
                            w, s, growth = _weigh(
                                (float(i + a), float(j + b), float(k + c)), direction, reach, n, dimension
                            )
                            _add_bends(bends, w * scale * o, s, growth, steepest / n)


@inlined
def _weigh(sample, direction, reach, n, dimension):
    """Weight of a hat at a sample of it, the sample's place along a direction, in cells, and the weight's growth there.

    The growth is relative, and along the axis nearest to the direction.
    """
    x, y = (sample[0] + 0.5) / n - reach, (sample[1] + 0.5) / n - reach
    z = (sample[2] + 0.5) / n - reach if dimension == 3 else 0.0
    weight = (1 - abs(x) / reach) * (1 - abs(y) / reach) * (1 - abs(z) / reach)
    along, steepest = x, direction[0]
    if abs(direction[1]) > abs(steepest):
        along, steepest = y, direction[1]
    if abs(direction[2]) > abs(steepest):
        along, steepest = z, direction[2]
    growth = (1.0 if along < 0 else -1.0) / ((reach - abs(along)) * steepest)
    return weight, direction[0] * x + direction[1] * y + direction[2] * z, growth


@inlined
def _add_bends(bends, volume, place, growth, thickness):
    """Add a volume that is spread over a thickness round a place, with a density that grows so.

    The sum below bends with the density at both ends, and its bend changes by the growth.
    """
    density = volume / (thickness * _BINS)
    twist = density * growth / _BINS
    half = 0.5 * thickness * _BINS
    middle = place * _BINS + _MIDDLE
    for end in (-1.0, 1.0):
        at = middle + end * half
        a = int(at)
        rest = a + 1 - at
        bend = -end * density - twist * half
        bends[0, a] += bend * rest
        bends[0, a + 1] += bend * (1 - rest)
        bends[1, a] -= end * twist * 0.5 * rest * rest
        bends[1, a + 1] -= end * twist * (0.5 + rest - rest * rest)
        bends[1, a + 2] -= end * twist * 0.5 * (1 - rest) * (1 - rest)


@inlined
def _depth(bends, volume, free, expected):
    """Depth of the cell's centre below the plane, in cells.

    All planes that leave a hat empty, or full, agree with what it sees: it is the one nearest to that carried on.
    """
    depth = _level(bends, volume)
    share = volume / max(free, 1e-9)
    if share < _NOTHING:
        least = min(expected, _level(bends, _NOTHING * free))
        return least + share / _NOTHING * (depth - least)
    if share > 1 - _NOTHING:
        most = max(expected, _level(bends, (1 - _NOTHING) * free))
        return most + max(1 - share, 0.0) / _NOTHING * (depth - most)
    return depth


@inlined
def _level(bends, volume):
    """Offset d in cells of the plane below which there is so much volume, given how that bends with d."""
    curve = 0.0
    slope = 0.0
    below = 0.0
    for k in range(bends.shape[1]):
        curve += bends[1, k]
        slope += bends[0, k] + curve
        if slope > 0 and below + slope >= volume:
            return (k + (volume - below) / slope - _MIDDLE) / _BINS
        below += slope
    return 4.0
