"""Drops: balls for the particles that the liquid's surface does not cover.

What is thinner than about half a cell does not fill half of the space round any sample. A particle that lies outside
the surface gets a ball: the larger the further outside it is, and at most of its own volume, so that nothing pops up.
Balls run into each other and into the surface smoothly. In thin sheets even particles that are hardly inside get one,
which holds the sheet together; over deep liquid only those that are well outside, or calm water would be rough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range, chunk_slots, corner_step, home_of, numbers_in, row_start
from plash.grid.sample import corner_weight, smooth_step
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.grid.whole_arrays import cleared_like
from plash.particles.particles import Particles

# Balls grow with the particle's distance to the surface, in cells: they begin to where it is covered, are large enough
# to hold a sheet together where it is in a thin one, and whole where it is alone. First in a thin sheet, then over
# deep liquid
_LIMITS = np.array([[-0.1, 0.1, 0.4], [0.15, 0.35, 0.55]], np.float32)
_SHALLOW, _DEEP = -0.22, -0.45  # least distance to the surface within a cell, in cells
_THIN_RADIUS = 0.82  # of the radius when alone; all of it would make sheets half as thick again
_SOFT = 0.15  # spacings: how softly balls meet
_REACH = 4.0  # of these lengths, beyond which a ball is not felt

# A lattice finer than the usual one sees gaps between balls that the usual one steps over. There smaller balls meet
# more softly, by a length that belongs to the cell: the sheet is as thick, and flatter
_USUAL_DETAIL = 2
_FINE_RADIUS, _FINE_THIN_RADIUS = 0.37, 0.16  # cells, of a particle of an eighth of a cell alone, and in a thin sheet
_FINE_SOFT, _FINE_REACH = 0.18, 3.5  # cells, and of these lengths

# Mean volume that marching gives a ball, by its radius; in lattice spacings. Radii begin where no ball is lost
_BALLS = {
    2: ([0.72, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.7, 2.0], [0.82, 1.25, 1.81, 2.43, 3.1, 3.83, 5.47, 8.41, 11.9]),
    3: ([0.87, 0.9, 0.95, 1.0, 1.1, 1.2, 1.4, 1.7, 2.0], [0.81, 1.01, 1.39, 1.85, 2.96, 4.37, 8.08, 16.4, 28.6]),
}


def with_drops(
    phi: NDArray[np.float32],
    particles: Particles,
    tiles: Tiles,
    detail: int,
    shown: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The distance with a ball at each particle that the surface does not cover, as a soft minimum.

    exp(-φ/k) of the surface and of all balls are added up. `shown` is the share of each ball's radius; all, if not
    said otherwise.
    """
    radius, thin, soft, reach = _balls(particles.volume, tiles.dimension, detail)
    if shown is not None:
        radius *= shown
    drops = cleared_like(phi)
    depth = _deepest_near(phi, tiles, detail)
    rows = [*(detail * _LIMITS), [detail * _SHALLOW, detail * _DEEP, 0], [soft, thin, reach]]
    limits = np.array(rows, np.float32)
    samples, places, in_tiles = _Samples(phi, depth), particles.places, particles.in_tiles(tiles)
    # No ball reaches half a tile far, so tiles of one colour add to different samples
    for colour in tiles.colours:
        busy = colour[particles.starts[colour + 1] > particles.starts[colour]]
        _add_drops(tiles.shape)(samples, places, radius, in_tiles, busy, limits, drops, chunk_count())
    _merge(phi.reshape(-1), drops.reshape(-1), np.float32(soft), chunk_count())
    return drops


def _balls(volume: NDArray[np.float32], dimension: int, detail: int) -> tuple[NDArray[np.float32], float, float, float]:
    """Radius of each particle's ball alone, the share of it in a thin sheet, how softly balls meet, and how far."""
    if detail <= _USUAL_DETAIL:
        radii, volumes = _BALLS[dimension]
        return np.interp(volume, volumes, radii).astype(np.float32), _THIN_RADIUS, _SOFT, _REACH
    usual = volume * (2.0 / detail) ** dimension
    radius = detail * _FINE_RADIUS * np.minimum(usual, 1.0) ** (1 / dimension)
    radius = np.maximum(radius, _BALLS[dimension][0][0])
    return radius.astype(np.float32), _FINE_THIN_RADIUS / _FINE_RADIUS, detail * _FINE_SOFT, _FINE_REACH


@kernel
def _merge(phi, drops, soft, chunks):
    """Soft minimum of a distance and of balls whose exp(-φ/k) were added up, in place of the latter."""
    n = len(phi)
    for c in prange(chunks):
        for m in chunk_range(c, chunks, n):
            if drops[m] > 0:
                drops[m] = -soft * np.log(np.exp(-phi[m] / soft) + drops[m])
            else:
                drops[m] = phi[m]


def _deepest_near(phi: NDArray[np.float32], tiles: Tiles, detail: int) -> NDArray[np.float32]:
    """Least distance within a cell's length along the axes and their diagonals."""
    run = _lowest(tiles.shape)
    for _ in range(detail):
        result = np.empty_like(phi)
        result[0] = phi[0]
        run(phi, result, tiles.neighbours, chunk_count())
        phi = result
    return phi


@for_tile_shape
def _lowest(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    SIZE = PZ * PY * PX
    LAYER = PY * PX

    @kernel
    def run(pool, result, neighbours, chunks):
        n = len(neighbours) - 1
        for c in prange(chunks):
            one = np.zeros(SIZE, np.float32)
            two = np.zeros(SIZE, np.float32)
            for t in chunk_slots(c, chunks, n):
                copy_block(one, pool, neighbours, t, 1, BZ, BY, BX)
                for m in range(1, SIZE - 1):
                    two[m] = min(one[m], min(one[m - 1], one[m + 1]))
                for m in range(PX, SIZE - PX):
                    one[m] = min(two[m], min(two[m - PX], two[m + PX]))
                for z in range(BZ):
                    for y in range(BY):
                        o = row_start(z, y, HZ, PY, PX)
                        row = result[t, z, y]
                        for x in range(BX):
                            lowest = one[o + x]
                            if HZ > 0:
                                lowest = min(lowest, min(one[o + x - LAYER], one[o + x + LAYER]))
                            row[x] = lowest

    return run


class _Samples(NamedTuple):
    """Distance to the surface, and the least distance near each sample."""

    phi: NDArray[np.float32]
    depth: NDArray[np.float32]


@for_tile_shape
def _add_drops(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(samples, places, radius, in_tiles, slots, limits, drops, chunks):
        phi, depth = samples
        starts, origins, neighbours, _ = in_tiles
        soft, thin_radius, reach = limits[3, 0], limits[3, 1], limits[3, 2]
        least = np.exp(-reach)
        n = len(slots)
        for chunk in prange(chunks):
            for number in chunk_range(chunk, chunks, n):
                t = slots[number]
                for p in numbers_in(starts, t):
                    i, j, k, fx, fy, fz = place_between(places, origins, t, p, DIM)
                    here = between(phi, neighbours, t, (i, j, k), (fx, fy, fz), BZ, BY, BX)
                    if here <= limits[0, 0]:
                        continue
                    below = between(depth, neighbours, t, (i, j, k), (fx, fy, fz), BZ, BY, BX)
                    deep = 1 - smooth_step(below, limits[2, 1], limits[2, 0])
                    covered = limits[0, 0] + deep * (limits[1, 0] - limits[0, 0])
                    thin = limits[0, 1] + deep * (limits[1, 1] - limits[0, 1])
                    lone = limits[0, 2] + deep * (limits[1, 2] - limits[0, 2])
                    share = thin_radius * smooth_step(here, covered, thin)
                    share += (1 - thin_radius) * smooth_step(here, thin, lone)
                    if share <= 0:
                        continue
                    r = radius[p] * share
                    if r <= 0:
                        continue
                    furthest = r + soft * reach
                    # Samples within reach; none lies further than the next tile
                    low_z = int(np.ceil(k + fz - furthest)) if DIM == 3 else 0
                    high_z = int(np.floor(k + fz + furthest)) if DIM == 3 else 0
                    for z0 in range(low_z, high_z + 1):
                        for y0 in range(int(np.ceil(j + fy - furthest)), int(np.floor(j + fy + furthest)) + 1):
                            for x0 in range(int(np.ceil(i + fx - furthest)), int(np.floor(i + fx + furthest)) + 1):
                                dx, dy, dz = x0 - i - fx, y0 - j - fy, z0 - k - fz
                                ball_phi = np.sqrt(dx * dx + dy * dy + dz * dz) - r
                                if ball_phi < soft * reach:
                                    s, x, y, z = home_of(neighbours, t, x0, y0, z0, BZ, BY, BX)
                                    if s > 0:
                                        drops[s, z, y, x] += np.exp(-ball_phi / soft) - least

    return run


@inlined
def place_between(places, origins, t, p, DIM):
    """The sample of tile t that particle p lies behind along every axis, and its offset from it; in 2-D z is 0."""
    cell, offset = places
    i, j, k = cell[0, p] - origins[t, 0], cell[1, p] - origins[t, 1], 0
    fx, fy, fz = offset[0, p], offset[1, p], np.float32(0)
    if DIM == 3:
        k = cell[2, p] - origins[t, 2]
        fz = offset[2, p]
    return i, j, k, fx, fy, fz


@inlined
def between(pool, neighbours, t, sample, offset, BZ, BY, BX):
    """Linear interpolation of samples, in double precision, at an offset from a sample of tile t."""
    i, j, k = sample
    fx, fy, fz = np.float64(offset[0]), np.float64(offset[1]), np.float64(offset[2])
    value = 0.0
    for corner in range(4 if BZ == 1 else 8):
        a, b, c = corner_step(corner)
        s, x, y, z = home_of(neighbours, t, i + a, j + b, k + c, BZ, BY, BX)
        value += corner_weight(corner, fx, fy, fz, BZ == 1) * pool[s, z, y, x]
    return value
