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
_NOWHERE = 2  # tiles further: no sample of a hat is there
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
            within = np.zeros((3, SIZE), np.uint64)
            lines = np.empty((2, 3, 3, SIZE))
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
                    _bend(bends, direction, 1, place[0], space, shape, (step, within), lines)
                    trust = 1.0 if is_thin else trust
                    depth += trust * _depth(bends, np.float64(volume[t, z, y, x]), free, -height[shore[i]])
                if trust < 1:
                    _find_samples(place, 2, space, shape, step, within)
                    _bend(bends, direction, 2, place[0], space, shape, (step, within), lines)
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
            step[axis, k], inside = tile_beside(image - origin, size)
            within[axis, k] = np.uint64(inside)


@inlined
def _bend(bends, direction, reach, t, space, shape, where, lines):
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
    _line_up(lines, direction, reach, n, (pair_x, pair_y, pair_z))
    single, mean = lines[0], lines[1]
    axis = 0  # the one nearest to the direction
    if abs(direction[1]) > abs(direction[axis]):
        axis = 1
    if abs(direction[2]) > abs(direction[axis]):
        axis = 2
    thickness = steepest / n
    bends[:] = 0.0
    for k in range(0, size if dimension == 3 else 1, pair_z):
        for j in range(0, size, pair_y):
            here = _NOWHERE
            samples = space.samples[0]
            for i in range(0, size, pair_x):
                # Pairs of samples lie in one cell, so all of them are in the same tile
                if step[0, i] != here:
                    here = step[0, i]
                    slot = space.neighbours[t, neighbour_number(here, step[1, j], step[2, k])]
                    samples = space.samples[space.rows[slot]]
                total = 0
                for c in range(pair_z):
                    for b in range(pair_y):
                        for a in range(pair_x):
                            total += samples[within[2, k + c], within[1, j + b], within[0, i + a]]
                if total == 0:
                    continue
                if total == 4 * WHOLE:
                    w, s = _weigh(mean, i, j, k, dimension)
                    growth = mean[axis, 2, i if axis == 0 else (j if axis == 1 else k)]
                    _add_bends(bends, w * scale * total, s, growth, thickness)
                    continue
                for c in range(pair_z):
                    for b in range(pair_y):
                        for a in range(pair_x):
                            o = samples[within[2, k + c], within[1, j + b], within[0, i + a]]
                            w, s = _weigh(single, i + a, j + b, k + c, dimension)
                            growth = single[axis, 2, i + a if axis == 0 else (j + b if axis == 1 else k + c)]
                            _add_bends(bends, w * scale * o, s, growth, thickness)


@inlined
def _line_up(lines, direction, reach, n, pairs):
    """Weights of a hat along each axis at its samples and between pairs of them, places along a direction, growths.

    A growth is that of the weight, relative, if the axis is the one nearest to the direction.
    """
    for axis in range(3):
        for between in range(2):
            middle = 0.5 * (pairs[axis] - 1) if between == 1 else 0.0
            for k in range(2 * reach * n):
                at = (k + middle + 0.5) / n - reach
                lines[between, axis, 0, k] = 1 - abs(at) / reach
                lines[between, axis, 1, k] = direction[axis] * at
                lines[between, axis, 2, k] = (1.0 if at < 0 else -1.0) / ((reach - abs(at)) * direction[axis])


@inlined
def _weigh(line, i, j, k, dimension):
    """Weight of a hat at a sample of it, and the sample's place along the direction, in cells."""
    weight, place = line[0, 0, i] * line[1, 0, j], line[0, 1, i] + line[1, 1, j]
    return (weight * line[2, 0, k], place + line[2, 1, k]) if dimension == 3 else (weight, place)


@inlined
def _add_bends(bends, volume, place, growth, thickness):
    """Add a volume that is spread over a thickness round a place, with a density that grows so.

    The sum below bends with the density at both ends, and its bend changes by the growth.
    """
    straight, curved = bends[0], bends[1]
    density = volume / (thickness * _BINS)
    twist = density * growth / _BINS
    half = 0.5 * thickness * _BINS
    middle = place * _BINS + _MIDDLE
    for end in (-1.0, 1.0):
        at = middle + end * half
        first = int(at)
        a, b, c = np.uint64(first), np.uint64(first + 1), np.uint64(first + 2)
        rest = first + 1 - at
        bend = -end * density - twist * half
        straight[a] += bend * rest
        straight[b] += bend * (1 - rest)
        curved[a] -= end * twist * 0.5 * rest * rest
        curved[b] -= end * twist * (0.5 + rest - rest * rest)
        curved[c] -= end * twist * 0.5 * (1 - rest) * (1 - rest)


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
