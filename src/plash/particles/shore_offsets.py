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

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import CENTRE, chunk_range, tile_beside
from plash.grid.openness import SAMPLES, WHOLE, Limits, Openness, mirrored
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.particles.shore_cells import THIN, Seen
from plash.particles.shore_normals import Listed

SAMPLES_2, SAMPLES_3 = SAMPLES[2], SAMPLES[3]
_BINS = 16  # in a cell, along the normal
_NOTHING = 0.02  # filled share of a hat, or empty one, that tells too little
_MIDDLE = 4 * _BINS  # of the bins: a wide hat reaches 2 √3 cells
_ALL = 2 * _MIDDLE
_LATTICE = 32  # one sample of so many tells roughly where the plane is
_SPARE = 5  # bins beyond that to look at
_MOST = 1048  # pieces of a hat that are listed at once: not 1024, or all sections would share lines of the cache
_NOT_FOUND = 4.0  # cells: no plane through a hat is as far


def offsets(
    tiles: Tiles, listed: Listed, shore: NDArray[np.intp], seen: Seen, openness: Openness, limits: Limits
) -> NDArray[np.float64]:
    """Distance to the surface in cells, for those cells of a list that are at the shore; at most 1 either way."""
    space = _Space(openness.rows, openness.samples.reshape(-1), tiles.neighbours, tiles.origins, *limits)
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


class _Room(NamedTuple):
    """Arrays that serve one hat after the other.

    Attributes:
        first: Where the samples of each neighbour of the hat's tile begin.
        step: How many entries of `first` further samples are, by axis.
        within: Their places in the samples of a tile, by axis.
        lines: What is known of samples along each axis; see `_line_up`.
        pieces: The open pieces of a layer of the hat, one section of `_MOST` for each number.
        bends: How much the volume below a plane bends at each bin, and how much these bends change.
    """

    first: NDArray[np.int64]
    step: NDArray[np.int64]
    within: NDArray[np.int64]
    lines: NDArray[np.float64]
    pieces: NDArray[np.float64]
    bends: NDArray[np.float64]


class _Hat(NamedTuple):
    """A hat whose samples are looked at in pieces: of one sample, or in 3-D of four across the normal.

    Attributes:
        dimension: 2 or 3.
        size: Samples along an axis.
        axis: The one nearest to the normal.
        scale: Share of the hat that a sample of weight 1 has, if its openness is 1.
        thickness: Of a sample along the normal, in cells.
        pairs: Samples of a piece, by axis.
    """

    dimension: int
    size: int
    axis: int
    scale: float
    thickness: float
    pairs: tuple[int, int, int]


@for_tile_shape
def _offset(shape: Shape) -> Kernel:
    DIM = dimension_of(shape)
    SIZE = 4 * SAMPLES[DIM]

    @kernel
    def run(listed, shore, seen, space, distance, chunks):
        places, normal, height = listed.places, listed.normal, listed.height
        volume, share, wide_volume, wide_share, _, part = seen
        n = len(shore)
        for c in prange(chunks):
            room = _Room(
                np.zeros(27, np.int64),
                np.zeros((3, SIZE), np.int64),
                np.zeros((3, SIZE), np.int64),
                np.empty((2, 3, 3, SIZE)),
                np.empty(12 * _MOST + 1),
                np.empty((2, _ALL)),
            )
            for i in chunk_range(c, chunks, n):
                place, direction, expected = places[shore[i]], normal[shore[i]], -height[shore[i]]
                t, z, y, x = place[0], place[1], place[2], place[3]
                free = np.float64(share[t, z, y, x])
                fill = np.float64(volume[t, z, y, x]) / max(free, 1e-9)
                trust = min(max((free - 0.2) / 0.6, 0.0), 1.0) * min(max(fill * (1 - fill) / 0.05, 0.0), 1.0)
                is_thin = part[t, z, y, x] >= THIN
                is_one = is_thin or not 0.0 < trust < 1.0
                depth = 0.0
                if trust > 0 or is_thin:
                    trust = 1.0 if is_thin else trust
                    inside = np.float64(volume[t, z, y, x])
                    depth += trust * _depth(room, place, direction, 1, space, shape, (inside, free, expected, is_one))
                if trust < 1:
                    inside, free = np.float64(wide_volume[t, z, y, x]), np.float64(wide_share[t, z, y, x])
                    wide = _depth(room, place, direction, 2, space, shape, (inside, free, expected, is_one))
                    depth += (1 - trust) * wide
                distance[i] = min(max(-depth, -1.0), 1.0)

    return run


@inlined_plainly
def _depth(room, place, direction, reach, space, shape, known):
    """Depth of the cell's centre below the plane, in cells.

    All planes that leave a hat empty, or full, agree with what it sees: it is the one nearest to that carried on.
    """
    volume, free, expected, is_clamped = known
    share = volume / max(free, 1e-9)
    is_empty, is_full = share < _NOTHING, share > 1 - _NOTHING
    edge = (_NOTHING if is_empty else 1 - _NOTHING) * free
    # Of a hat that is all empty or full, and of one whose depth is not mixed with another, one beyond 1 says enough
    is_all = share <= 0 or share >= 1
    if is_clamped and is_all and (expected <= -1 if is_empty else expected >= 1):
        return expected
    _find_samples(room, place, reach, space, shape)
    hat = _hat_along(direction, reach, shape)
    _line_up(room.lines, direction, reach, hat)
    most = edge if is_empty or (is_full and is_all) else volume
    enough = _MIDDLE + _BINS if is_clamped and not (is_empty or is_full) else _ALL
    last = min(_guess(room, space.samples, hat, most / max(free, 1e-9)), enough)
    while True:
        _bend(room, direction, space.samples, hat, last)
        border = _level(room.bends, edge, last) if is_empty or is_full else 0.0
        depth = border if is_all else _level(room.bends, volume, last)
        if last >= enough or max(depth, border) < _NOT_FOUND:
            break
        last = enough
    if is_empty:
        least = min(expected, border)
        return least + share / _NOTHING * (depth - least)
    if is_full:
        most = max(expected, border)
        return most + max(1 - share, 0.0) / _NOTHING * (depth - most)
    return depth


@inlined_plainly
def _hat_along(direction, reach, shape):
    """A hat as its normal has it looked at."""
    dimension = 3 if shape[0] > 1 else 2
    n = SAMPLES_3 if dimension == 3 else SAMPLES_2
    steepest = max(abs(direction[0]), abs(direction[1]), abs(direction[2]))
    pair_x = 2 if dimension == 3 and abs(direction[0]) < steepest else 1
    pair_y = 2 if dimension == 3 and (pair_x == 1 or abs(direction[1]) < steepest) else 1
    pair_z = 2 if dimension == 3 and (pair_x == 1 or pair_y == 1) else 1
    axis = 0
    if abs(direction[1]) > abs(direction[axis]):
        axis = 1
    if abs(direction[2]) > abs(direction[axis]):
        axis = 2
    scale = 1.0 / (reach * n) ** dimension / WHOLE
    return _Hat(dimension, 2 * reach * n, axis, scale, steepest / n, (pair_x, pair_y, pair_z))


@inlined_plainly
def _guess(room, samples, hat, share):
    """A bin a little beyond the plane below which there is such a share of a hat, as some of its samples tell."""
    dimension, size = hat.dimension, hat.size
    single, found = room.lines[0], room.bends[0]
    every = _LATTICE if dimension == 3 else _LATTICE // 4
    found[:] = 0.0
    total = 0.0
    for k in range(size if dimension == 3 else 1):
        for j in range(size):
            tile = CENTRE + room.step[1, j] + (room.step[2, k] if dimension == 3 else 0)
            row = room.within[1, j] + (room.within[2, k] if dimension == 3 else 0)
            for i in range((3 * j + 5 * k) % every, size, every):
                o = samples[np.uint64(room.first[tile + room.step[0, i]] + row + room.within[0, i])]
                w, s = _weigh(single, i, j, k, dimension)
                found[np.uint64(np.int64(s * _BINS + _MIDDLE))] += w * o
                total += w * o
    below = 0.0
    for k in range(_ALL - _SPARE):
        below += found[k]
        if below > share * total:
            return k + _SPARE
    return _ALL


@inlined_plainly
def _find_samples(room, place, reach, space, shape):
    """Where the samples of a hat are along each axis: in which tile, and the place there."""
    dimension = 3 if shape[0] > 1 else 2
    n = SAMPLES_3 if dimension == 3 else SAMPLES_2
    count = shape[0] * shape[1] * shape[2] * n**dimension
    for k in range(27):
        room.first[k] = np.int64(space.rows[space.neighbours[place[0], k]]) * count
    apart, further = 1, 1
    for axis in range(dimension):
        size = shape[2 - axis] * n
        origin = space.origins[place[0], axis] * n
        first = origin + place[3 - axis] * n + n // 2 - reach * n
        for k in range(2 * reach * n):
            image = mirrored(first + k, space.limits[axis, 0] * n, space.limits[axis, 1] * n, space.kinds[axis])
            step, inside = tile_beside(image - origin, size)
            room.step[axis, k], room.within[axis, k] = step * further, inside * apart
        apart *= size
        further *= 3


@inlined_plainly
def _bend(room, direction, samples, hat, last):
    """How much the volume of open space below a plane n·x = d, weighed by a hat, bends with d at each bin up to a last.

    The first row holds bends, the second how much these change.

    In 3-D four samples across the normal that are all open are taken as one.
    """
    size, deep = hat.size, hat.dimension == 3
    pair_x, pair_y, pair_z = hat.pairs
    # The last bin, seen from the middle of a piece of which no sample reaches it
    furthest = (last - _MIDDLE) / _BINS + 0.5 * hat.thickness + 1e-9
    for axis in range(3):
        furthest += 0.5 * (hat.pairs[axis] - 1) * abs(direction[axis]) / SAMPLES_3
    lines = room.lines[1]
    lowest = min(lines[0, 1, 0], lines[0, 1, size - pair_x])
    room.bends[:] = 0.0
    for k in range(0, size if deep else 1, pair_z):
        count = np.uint64(0)
        for j in range(0, size, pair_y):
            if lowest + lines[1, 1, j] + (lines[2, 1, k] if deep else 0.0) < furthest:
                if deep:
                    count = _list_row(room, samples, hat, j, k, count, furthest)
                else:
                    count = _list_flat_row(room, samples, hat, j, count, furthest)
        _add_bends(room.bends, room.pieces, count, hat.thickness, last)


@inlined_plainly
def _list_row(room, samples, hat, j, k, count, furthest):
    """List the open pieces of a hat in space in a row along x: their volumes, places along the normal, and growths."""
    _, size, axis, scale, _, pairs = hat
    pieces, within = room.pieces, room.within
    single, mean = room.lines[0], room.lines[1]
    # The four samples of a piece are next to each other along two axes: x or y, and y or z
    at_x = pairs[0] - 1
    at_y, far_y, far_z = 1 - at_x, pairs[1] - 1 - (1 - at_x), pairs[2] - 1
    tile, row = CENTRE + room.step[1, j] + room.step[2, k], within[1, j] + within[2, k]
    near = within[1, j + at_y] - within[1, j]
    across = within[1, j + far_y] - within[1, j] + within[2, k + far_z] - within[2, k]
    ahead_y, ahead_z = mean[1, 1, j], mean[2, 1, k]
    weight_y, weight_z = mean[1, 0, j], mean[2, 0, k]
    for i in range(0, size, pairs[0]):
        place = mean[0, 1, i] + ahead_y + ahead_z
        if place >= furthest:
            continue
        # They lie in one cell, so all of them are in the same tile
        one = room.first[tile + room.step[0, i]] + row + within[0, i]
        other = one + near + within[0, i + at_x] - within[0, i]
        first, second = np.int64(samples[np.uint64(one)]), np.int64(samples[np.uint64(other)])
        third, fourth = np.int64(samples[np.uint64(one + across)]), np.int64(samples[np.uint64(other + across)])
        total = first + second + third + fourth
        if total == 0:
            continue
        growth = single[axis, 2, i if axis == 0 else (j if axis == 1 else k)]
        if total == 4 * WHOLE:
            weight = mean[0, 0, i] * weight_y * weight_z
            count = _list_piece(pieces, count, weight * scale * total, place, growth)
            continue
        for far in range(2):
            y, z = j + far * far_y, k + far * far_z
            weight, place = _weigh(single, i, y, z, 3)
            count = _list_piece(pieces, count, weight * scale * (third if far else first), place, growth)
            weight, place = _weigh(single, i + at_x, y + at_y, z, 3)
            count = _list_piece(pieces, count, weight * scale * (fourth if far else second), place, growth)
    return count


@inlined_plainly
def _list_flat_row(room, samples, hat, j, count, furthest):
    """The same in the plane, where every sample is a piece."""
    single, growth = room.lines[0], room.lines[0, hat.axis, 2]
    for i in range(hat.size):
        weight, place = _weigh(single, i, j, 0, 2)
        if place < furthest:
            o = samples[
                np.uint64(
                    room.first[CENTRE + room.step[1, j] + room.step[0, i]] + room.within[1, j] + room.within[0, i]
                )
            ]
            count = _list_piece(room.pieces, count, weight * hat.scale * o, place, growth[i if hat.axis == 0 else j])
    return count


@inlined_plainly
def _list_piece(pieces, count, volume, place, growth):
    """Put a piece at the end of the list, of so many, unless nothing of it is open; returns how many there are then."""
    pieces[count], pieces[count + np.uint64(_MOST)], pieces[count + np.uint64(2 * _MOST)] = volume, place, growth
    return count + np.uint64(volume != 0)


@inlined_plainly
def _line_up(lines, direction, reach, hat):
    """Weights of a hat along each axis at its samples and between pairs of them, places along a direction, growths.

    A growth is that of the weight, relative, if the axis is the one nearest to the direction.
    """
    n = hat.size // (2 * reach)
    for axis in range(3):
        for between in range(2):
            middle = 0.5 * (hat.pairs[axis] - 1) if between == 1 else 0.0
            for k in range(hat.size):
                at = (k + middle + 0.5) / n - reach
                lines[between, axis, 0, k] = 1 - abs(at) / reach
                lines[between, axis, 1, k] = direction[axis] * at
                lines[between, axis, 2, k] = (1.0 if at < 0 else -1.0) / ((reach - abs(at)) * direction[axis])


@inlined_plainly
def _weigh(line, i, j, k, dimension):
    """Weight of a hat at a sample of it, and the sample's place along the direction, in cells."""
    weight, place = line[0, 0, i] * line[1, 0, j], line[0, 1, i] + line[1, 1, j]
    return (weight * line[2, 0, k], place + line[2, 1, k]) if dimension == 3 else (weight, place)


@inlined_plainly
def _add_bends(bends, pieces, count, thickness, last):
    """Add pieces whose volume is spread over a thickness round their place, with a density that grows so.

    The sum below bends with the density at both ends, and its bend changes by the growth.
    """
    half = 0.5 * thickness * _BINS
    S = np.uint64(_MOST)
    one, four = np.uint64(1), np.uint64(4)
    for m in range(count):
        density = pieces[m] / (thickness * _BINS)
        twist = density * pieces[m + np.uint64(2) * S] / _BINS
        middle = pieces[m + S] * _BINS + _MIDDLE
        low, high = middle - half, middle + half
        before, behind = np.floor(low), np.floor(high)
        rest = before + 1 - low
        pieces[m + np.uint64(3) * S], pieces[m + four * S] = before, behind
        bend = density - twist * half
        pieces[m] = bend * rest
        pieces[m + S] = bend * (1 - rest)
        pieces[m + np.uint64(2) * S] = twist * 0.5 * rest * rest
        pieces[m + np.uint64(5) * S] = twist * (0.5 + rest - rest * rest)
        pieces[m + np.uint64(6) * S] = twist * 0.5 * (1 - rest) * (1 - rest)
        rest = behind + 1 - high
        bend = -density - twist * half
        pieces[m + np.uint64(7) * S] = bend * rest
        pieces[m + np.uint64(8) * S] = bend * (1 - rest)
        pieces[m + np.uint64(9) * S] = twist * 0.5 * rest * rest
        pieces[m + np.uint64(10) * S] = twist * (0.5 + rest - rest * rest)
        pieces[m + np.uint64(11) * S] = twist * 0.5 * (1 - rest) * (1 - rest)
    straight, curved = bends[0], bends[1]
    for m in range(count):
        a = np.int64(pieces[m + np.uint64(3) * S])
        if a < last:
            p = np.uint64(a)
            straight[p] += pieces[m]
            straight[p + one] += pieces[m + S]
            curved[p] += pieces[m + np.uint64(2) * S]
            curved[p + one] += pieces[m + np.uint64(5) * S]
            curved[p + np.uint64(2)] += pieces[m + np.uint64(6) * S]
        a = np.int64(pieces[m + four * S])
        if a < last:
            p = np.uint64(a)
            straight[p] += pieces[m + np.uint64(7) * S]
            straight[p + one] += pieces[m + np.uint64(8) * S]
            curved[p] -= pieces[m + np.uint64(9) * S]
            curved[p + one] -= pieces[m + np.uint64(10) * S]
            curved[p + np.uint64(2)] -= pieces[m + np.uint64(11) * S]


@inlined_plainly
def _level(bends, volume, last):
    """Offset d in cells of the plane below which there is so much volume, given how that bends with d, up to a bin."""
    curve = 0.0
    slope = 0.0
    below = 0.0
    for k in range(last):
        curve += bends[1, k]
        slope += bends[0, k] + curve
        if slope > 0 and below + slope >= volume:
            return (k + (volume - below) / slope - _MIDDLE) / _BINS
        below += slope
    return _NOT_FOUND
