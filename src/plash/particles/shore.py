"""Where the liquid's surface meets bodies: its distance there, from the part of space that is open.

The fill fraction f = F/S of `particles/surface.py` is the share of the *open* part of the hat that liquid fills. Its
inverse there is that of a whole hat, which a body has cut: on a beach the distance is wrong by half a cell or more.
Here the surface is a plane, n·x = d from the cell's centre x = 0, as it is a little further out, and

    Σ o_s W_k(x_s) clamp(1/2 + (d_k - n·x_s) N/max|n_i|, 0, 1) = F_k ,    φ = -h (w d_1 + (1 - w) d_2)

for the hats W_1 and W_2 of half-width 1 and 2 (cells), over N^d samples s of each cell, of which bodies leave the share
o_s open (`grid/openness.py`). F_1 is what particles spread, S_1 = Σ o W_1, and with (1, 2, 1)/4 along each axis of
these F_2 and S_2 are those of W_2, to the last bit. The wide hat still sees liquid where the narrow one lies nearly all
in a body; the narrow one is sharper: w = clamp((S_1 - 0.2)/0.6) clamp(f_1 (1 - f_1)/0.02).

Beside bodies thinner than about two cells, such as the wall of a glass, the wide hat would see the space behind them:
there the distance stays as it is.

Normals are slopes of the surface as W_2 sees it in cells from which it sees no body, carried on layer by layer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel, serial_kernel
from plash.grid.fields import CellField
from plash.grid.halos import touching
from plash.grid.loops import CENTRE, chunk_range, home_of, neighbour_number, stride, tile_beside
from plash.grid.openness import SAMPLES, WHOLE, Limits, Openness, mirrored
from plash.grid.tiles import Places, Shape, Tiles, dimension_of
from plash.timing import stage

_CUT = 0.999  # open share of the narrow hat below which the distance is found here
_FREE = 0.995  # open share of the wide hat above which it sees no body
_LEAST = 0.002  # open share of the wide hat below which nothing is known
_FAINT = 1e-4  # share of it that is filled, or not, below which there is no surface in it
_STEEP = 0.02  # the same for slopes: near full or empty the distance is the root of a small number
_AIR = 0.3  # filled share of the narrow hat below which there is air
_SURE = 0.93  # filled share of the wide hat below which that is no unevenness of particles along a wall
_LAYERS = 16  # cells that normals are carried on
_FLATTEST = 0.2  # slope of the distance, of 1, below which it has no direction
SAMPLES_2, SAMPLES_3 = SAMPLES[2], SAMPLES[3]
_BINS = 16  # in a cell, along the normal
_MIDDLE = 4 * _BINS  # of the bins: a wide hat reaches 2 √3 cells

_THIN = 3  # cells on both sides of a cell in which thin bodies are looked for
_FURTHEST = 3  # cells from open space before a thin body to that behind it
_OPEN_SIDE, _CLOSED_MIDDLE = np.float32(0.5), np.float32(0.4)  # open shares of hats beside and in a thin body
_NEITHER = np.float32(0.45)

# What cells are to the shore
_OPEN, _NEAR, _SHORE = np.uint8(1), np.uint8(2), np.uint8(3)


class _Seen(NamedTuple):
    """What hats see: volume in the narrow one and the wide one, their open shares, and the part that a cell plays."""

    volume: NDArray[np.float32]
    share: NDArray[np.float32]
    wide_volume: NDArray[np.float32]
    wide_share: NDArray[np.float32]
    part: NDArray[np.uint8]


class _Listed(NamedTuple):
    """Cells in a list: slot, z, y, x of each; numbers in it of each one's 3^d neighbours or -1; unit normals or NaN."""

    places: NDArray[np.int32]
    around: NDArray[np.int32]
    normal: NDArray[np.float64]


@stage
def correct_shores(phi: CellField, volume: NDArray[np.float32], openness: Openness, limits: Limits, h: float) -> None:
    """Set the distance φ (m) to the surface right where bodies cut it; elsewhere it stays.

    Args:
        phi: Distance as a whole hat sees it; is changed.
        volume: What particles spread over cells, in cells; with mirrors at closed sides.
        openness: What bodies leave open.
        limits: The domain, whose closed sides are mirrors.
        h: Cell size, m.
    """
    tiles = phi.tiles
    slots = _tiles_at_shores(tiles, volume, openness)
    if len(slots) == 0:
        return
    seen = _look(tiles, slots, volume, openness.hat_share, limits)
    found = np.nonzero(seen.part[slots])
    listed = _list_cells(tiles, (slots[found[0]].astype(np.int64), *found[1:]), seen)
    part = seen.part[tuple(listed.places.T)]
    shore = np.flatnonzero((part == _SHORE) & ~np.isnan(listed.normal[:, 0]))
    space = _Space(openness.rows, openness.samples, tiles.neighbours, tiles.origins, *limits)
    distance = np.empty(len(shore))
    _offset(tiles.shape)(listed, shore, seen, space, distance, chunk_count())
    phi.pool[tuple(listed.places[shore].T)] = h * distance


def _tiles_at_shores(tiles: Tiles, volume: NDArray[np.float32], openness: Openness) -> NDArray[np.int32]:
    """Slots of the tiles where a body and a surface may be near each other, and of those beside them."""
    near = np.flatnonzero(openness.rows)
    share = openness.hat_share[near]
    is_cut = (share < _CUT).any(axis=(1, 2, 3)) & (share > 0).any(axis=(1, 2, 3))
    is_wet = volume[near].any(axis=(1, 2, 3))
    around = np.asarray(touching(tiles, near[is_cut & is_wet].astype(np.int32)))
    return np.flatnonzero(around).astype(np.int32)


def _with_mirrors(pool: NDArray[np.float32], tiles: Tiles, limits: Limits) -> NDArray[np.float32]:
    """The same with one layer of cells beyond each closed side, as in a mirror."""
    result = pool.copy()
    cells, kinds = limits
    for axis in range(tiles.dimension):
        size = tiles.shape[2 - axis]
        layers = np.moveaxis(result, 3 - axis, 1)
        for high in range(2):
            if kinds[axis, high] != 1:
                continue
            inside, step = (cells[axis, 1] - 1, 1) if high else (cells[axis, 0], -1)
            slots = np.flatnonzero(tiles.origins[1:, axis] == inside // size * size) + 1
            here, beyond = inside % size, inside % size + step
            behind = slots if 0 <= beyond < size else tiles.neighbours[slots, CENTRE + step * 3**axis]
            layers[behind[behind > 0], beyond % size] = layers[slots[behind > 0], here]
    return result


def _forget_beyond(share: NDArray[np.float32], tiles: Tiles, limits: Limits) -> None:
    """Make cells beyond the mirrors of closed sides neither open nor closed."""
    cells, kinds = limits
    for axis in range(tiles.dimension):
        cell = tiles.origins[1:, axis, None] + np.arange(tiles.shape[2 - axis])
        is_beyond = (cell < cells[axis, 0] - 1) & (kinds[axis, 0] == 1)
        is_beyond |= (cell > cells[axis, 1]) & (kinds[axis, 1] == 1)
        slots, layers = np.nonzero(is_beyond)
        np.moveaxis(share, 3 - axis, 1)[slots + 1, layers] = _NEITHER


def _look(
    tiles: Tiles, slots: NDArray[np.int32], volume: NDArray[np.float32], share: NDArray[np.float32], limits: Limits
) -> _Seen:
    """What the hats of some tiles see; cells beyond closed sides play no part."""
    narrow = _with_mirrors(volume, tiles, limits), _with_mirrors(share, tiles, limits)
    _forget_beyond(narrow[1], tiles, limits)
    seen = _Seen(*narrow, np.zeros_like(volume), np.zeros_like(share), np.zeros(share.shape, np.uint8))
    _widen(tiles.shape)(seen, tiles.neighbours, slots, chunk_count())
    cells, kinds = limits
    for axis in range(tiles.dimension):
        cell = tiles.origins[slots, axis, None] + np.arange(tiles.shape[2 - axis])
        is_inside = (cell >= cells[axis, 0]) | (kinds[axis, 0] != 1)
        is_inside &= (cell < cells[axis, 1]) | (kinds[axis, 1] != 1)
        shape = [len(slots), 1, 1, 1]
        shape[3 - axis] = -1
        seen.part[slots] *= is_inside.reshape(shape)
    return seen


def _list_cells(tiles: Tiles, places: Places, seen: _Seen) -> _Listed:
    """Some cells and the normals of the surface there."""
    count = len(places[0])
    number = np.zeros(seen.part.shape, np.int32)
    number[places] = np.arange(1, count + 1)
    around = np.empty((count, 3**tiles.dimension), np.int32)
    rows = np.stack(places, axis=1).astype(np.int32)
    _link(tiles.shape)(rows, number, tiles.neighbours, around, chunk_count())
    listed = _Listed(rows, around, np.full((count, 3), np.nan))
    height = _height_seen(seen.wide_volume[places] / seen.wide_share[places].astype(np.float64))
    _slope(listed, np.where(seen.part[places] == _OPEN, height, np.nan), tiles.dimension, chunk_count())
    _carry(listed, _LAYERS)
    return listed


def _height_seen(fill: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance to the surface in cells as a whole wide hat sees it."""
    excess = np.clip(2 * fill - 1, -1, 1)
    height: NDArray[np.float64] = -2 * np.sign(excess) * (1 - np.sqrt(1 - np.abs(excess)))
    return height


@for_tile_shape
def _widen(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    H = _THIN
    PZ, PY, PX, HZ = block_sizes(shape, H)
    DIM = dimension_of(shape)
    DEEP = 1 if DIM == 3 else 0

    @kernel
    def run(seen, neighbours, tiles, chunks):
        volume, share, wide_volume, wide_share, part = seen
        n = len(tiles)
        for c in prange(chunks):
            volumes = np.empty(PZ * PY * PX, np.float32)
            shares = np.empty(PZ * PY * PX, np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(volumes, volume, neighbours, t, H, BZ, BY, BX)
                copy_block(shares, share, neighbours, t, H, BZ, BY, BX)
                for z in range(BZ):
                    for y in range(BY):
                        for x in range(BX):
                            o = ((z + HZ) * PY + y + H) * PX + x + H
                            inside = np.float32(0)
                            free = np.float32(0)
                            for dz in range(-DEEP, DEEP + 1):
                                for dy in range(-1, 2):
                                    for dx in range(-1, 2):
                                        weight = np.float32(
                                            (2 - abs(dx)) * (2 - abs(dy)) * (2 - abs(dz) if DIM == 3 else 1)
                                        )
                                        m = o + (dz * PY + dy) * PX + dx
                                        inside += weight * volumes[m]
                                        free += weight * shares[m]
                            inside /= np.float32(4**DIM)
                            free /= np.float32(4**DIM)
                            wide_volume[t, z, y, x] = inside
                            wide_share[t, z, y, x] = free
                            # Unknown compares as too little
                            if not free >= _LEAST or inside < _FAINT * free or inside > (1 - _FAINT) * free:
                                continue
                            if free > _FREE:
                                is_steep = inside > _STEEP * free and inside < (1 - _STEEP) * free
                                part[t, z, y, x] = _OPEN if is_steep else 0
                                continue
                            part[t, z, y, x] = _NEAR
                            if shares[o] >= _CUT or _is_thin(shares, o, PY, PX, DIM):
                                continue
                            if inside < _SURE * free or _is_air_near(volumes, shares, o, PY, PX, 2 * DEEP):
                                part[t, z, y, x] = _SHORE

    return run


@inlined
def _is_air_near(volumes, shares, o, PY, PX, deep):
    """Whether a cell at most two cells away, most of whose hat is open, has air in it."""
    for dz in range(-deep, deep + 1):
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                m = o + (dz * PY + dy) * PX + dx
                if shares[m] > np.float32(0.5) and volumes[m] < np.float32(_AIR) * shares[m]:
                    return True
    return False


@inlined
def _is_thin(shares, o, PY, PX, dimension):
    """Whether there is open space on both sides of a body near a cell: the wide hat would see through it."""
    for axis in range(dimension):
        along = stride(axis, PY, PX)
        last_open = -_THIN - _FURTHEST - 1
        is_closed = False
        for k in range(-_THIN, _THIN + 1):
            free = shares[o + k * along]
            if free > _OPEN_SIDE:
                if is_closed and k - last_open <= _FURTHEST:
                    return True
                last_open, is_closed = k, False
            elif free < _CLOSED_MIDDLE:
                is_closed = True
    return False


@for_tile_shape
def _link(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DEEP = 1 if BZ > 1 else 0

    @kernel
    def run(places, number, neighbours, around, chunks):
        n = len(places)
        for c in prange(chunks):
            for i in chunk_range(c, chunks, n):
                t, z, y, x = places[i, 0], places[i, 1], places[i, 2], places[i, 3]
                k = 0
                for dz in range(-DEEP, DEEP + 1):
                    for dy in range(-1, 2):
                        for dx in range(-1, 2):
                            s, u, v, w = home_of(neighbours, t, x + dx, y + dy, z + dz, BZ, BY, BX)
                            around[i, k] = number[s, w, v, u] - 1 if s > 0 else -1
                            k += 1

    return run


@kernel
def _slope(listed, height, dimension, chunks):
    """Unit slopes of a height that is known in some of the cells: of the plane of least squares through those round."""
    _, around, normal = listed
    n = len(height)
    for c in prange(chunks):
        mean = np.zeros(4)
        square = np.zeros((3, 4))
        for i in chunk_range(c, chunks, n):
            if height[i] != height[i]:
                continue
            count = 0
            mean[:] = 0.0
            square[:] = 0.0
            for k in range(around.shape[1]):
                j = around[i, k]
                if j < 0 or height[j] != height[j]:
                    continue
                count += 1
                step = (k % 3 - 1.0, k // 3 % 3 - 1.0, k // 9 - 1.0 if dimension == 3 else 0.0, height[j])
                for a in range(4):
                    mean[a] += step[a]
                for a in range(dimension):
                    for b in range(4):
                        square[a, b] += step[a] * step[b]
            for a in range(dimension):
                for b in range(4):
                    square[a, b] -= mean[a] * mean[b] / count
            if dimension == 2:
                square[2, 2] = 1.0
            _solve_for_slope(square, normal[i])


@inlined
def _solve_for_slope(square, normal):
    """Solve three symmetric equations with the right-hand side in the last column, and make the solution a unit."""
    a, b, c = square[0, 0], square[0, 1], square[0, 2]
    d, e, f = square[1, 1], square[1, 2], square[2, 2]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * p + b * q + c * r
    if determinant < 0.5:
        return
    u, v, w = square[0, 3], square[1, 3], square[2, 3]
    x = (p * u + q * v + r * w) / determinant
    y = (q * u + (a * f - c * c) * v + (b * c - a * e) * w) / determinant
    z = (r * u + (b * c - a * e) * v + (a * d - b * b) * w) / determinant
    length = np.sqrt(x * x + y * y + z * z)
    if length > _FLATTEST:
        normal[0], normal[1], normal[2] = x / length, y / length, z / length


@serial_kernel
def _carry(listed, layers):
    """Give cells without a normal the mean of those round them, layer by layer."""
    _, around, normal = listed
    unknown = np.flatnonzero(np.isnan(normal[:, 0]))
    mean = np.empty((len(unknown), 3))
    for _ in range(layers):
        if len(unknown) == 0:
            return
        left = 0
        for k in range(len(unknown)):
            mean[k] = 0.0
            for j in around[unknown[k]]:
                if j >= 0 and normal[j, 0] == normal[j, 0]:
                    for axis in range(3):
                        mean[k, axis] += normal[j, axis]
        for k in range(len(unknown)):
            i = unknown[k]
            length = np.sqrt(mean[k, 0] ** 2 + mean[k, 1] ** 2 + mean[k, 2] ** 2)
            if length > _FLATTEST:
                normal[i] = mean[k] / length
            else:
                unknown[left] = i
                left += 1
        unknown = unknown[:left]


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
        places, _, normal = listed
        volume, share, wide_volume = seen.volume, seen.share, seen.wide_volume
        n = len(shore)
        for c in prange(chunks):
            bends = np.empty(2 * _MIDDLE)
            step = np.zeros((3, SIZE), np.int64)
            within = np.zeros((3, SIZE), np.int64)
            for i in chunk_range(c, chunks, n):
                place, direction = places[shore[i]], normal[shore[i]]
                t, z, y, x = place[0], place[1], place[2], place[3]
                free = np.float64(share[t, z, y, x])
                fill = np.float64(volume[t, z, y, x]) / max(free, 1e-9)
                trust = min(max((free - 0.2) / 0.6, 0.0), 1.0) * min(max(fill * (1 - fill) / 0.02, 0.0), 1.0)
                depth = 0.0
                if trust > 0:
                    _find_samples(place, 1, space, shape, step, within)
                    _bend(bends, direction, 1, place[0], space, shape, (step, within))
                    depth += trust * _level(bends, np.float64(volume[t, z, y, x]))
                if trust < 1:
                    _find_samples(place, 2, space, shape, step, within)
                    _bend(bends, direction, 2, place[0], space, shape, (step, within))
                    depth += (1 - trust) * _level(bends, np.float64(wide_volume[t, z, y, x]))
                # Without a particle in the narrow hat nothing tells how fast liquid there would be
                depth = depth if volume[t, z, y, x] > 0 else min(depth, 0.0)
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
                    w, s = _weigh(middle, direction, reach, n, dimension)
                    _add_bends(bends, w * scale * total, s, steepest / n)
                    continue
                for c in range(pair_z):
                    for b in range(pair_y):
                        for a in range(pair_x):
                            o = samples[within[2, k + c], within[1, j + b], within[0, i + a]]
                            w, s = _weigh((float(i + a), float(j + b), float(k + c)), direction, reach, n, dimension)
                            _add_bends(bends, w * scale * o, s, steepest / n)


@inlined
def _weigh(sample, direction, reach, n, dimension):
    """Weight of a hat at a sample of it, and the sample's place along a direction, in cells."""
    x, y = (sample[0] + 0.5) / n - reach, (sample[1] + 0.5) / n - reach
    z = (sample[2] + 0.5) / n - reach if dimension == 3 else 0.0
    weight = (1 - abs(x) / reach) * (1 - abs(y) / reach) * (1 - abs(z) / reach)
    return weight, direction[0] * x + direction[1] * y + direction[2] * z


@inlined
def _add_bends(bends, volume, place, thickness):
    """Add a volume that is spread evenly over a thickness round a place: at its ends the sum below bends."""
    bend = volume / (thickness * _BINS)
    low = (place - 0.5 * thickness) * _BINS + _MIDDLE
    high = low + thickness * _BINS
    a, b = int(low), int(high)
    bends[a] += bend * (a + 1 - low)
    bends[a + 1] += bend * (low - a)
    bends[b] -= bend * (b + 1 - high)
    bends[b + 1] -= bend * (high - b)


@inlined
def _level(bends, volume):
    """Offset d in cells of the plane below which there is so much volume, given how that bends with d."""
    slope = 0.0
    below = 0.0
    for k in range(len(bends)):
        slope += bends[k]
        if slope > 0 and below + slope >= volume:
            return (k + (volume - below) / slope - _MIDDLE) / _BINS
        below += slope
    return 4.0
