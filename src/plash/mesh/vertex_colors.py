"""Colours at the vertices of a liquid's surface: of the particles round each, and of no other body of liquid.

    c = Σ V_p W(x - x_p) c_p / Σ V_p W(x - x_p) ,     W a product of hats as wide as a cell to each side

The sums are over the particles in the body that the vertex belongs to. A body is what samples inside the liquid make
up that are neighbours along an axis; a particle belongs to that of the deepest sample at the corners of its lattice
cell. So two drops keep their colours however close they come, while within a body one colour passes into the next.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.carried import COLOR
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel, serial_kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, corner_step, home_of, numbers_in, unite
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.mesh.draft import Draft
from plash.particles.particles import Particles
from plash.timing import stage

_NOBODY = -1


@stage
def with_colors(draft: Draft, ends: NDArray[np.int64], field: CellField, particles: Particles, detail: int) -> Draft:
    """The draft with the colours of particles at its vertices, behind what else it carries.

    Args:
        draft: A surface as it was cut from a field.
        ends: Flat indices of the two samples that each of its vertices lies between.
        field: The samples, negative inside.
        particles: In the order of the same tiles, with a color each.
        detail: Lattice spacings along the edge of a cell.
    """
    tiles = field.tiles
    body = _bodies(field)
    of_particle = np.full(particles.count, _NOBODY, np.int64)
    _find_bodies(tiles.shape)(particles.cell, particles.in_tiles(tiles), field.pool, body, of_particle, chunk_count())
    inner = np.where(field.pool.ravel()[ends[:, 0]] < 0, ends[:, 0], ends[:, 1])
    places = _Places(draft.places, inner, body.ravel()[inner])
    colors = np.empty((len(draft.places), 3), np.float32)
    colors[:] = _mean_color(particles)
    owned = _Owned(particles.cell, particles.offset, particles.volume, particles.color, of_particle)
    by_cell = _by_cell(particles, tiles)
    _average(tiles.shape)(places, owned, by_cell, tiles.origins, tiles.neighbours, detail, colors, chunk_count())
    return replace(draft, carried=np.column_stack([draft.carried, colors]), names=(*draft.names, COLOR))


def _bodies(field: CellField) -> NDArray[np.int64]:
    """The body that each sample is in, by the flat index of its first sample; nobody's outside."""
    root = np.where(field.pool < 0, np.arange(field.pool.size).reshape(field.pool.shape), _NOBODY)
    flat = root.reshape(-1)
    _join(field.tiles.shape)(flat, field.tiles.neighbours, field.tiles.slots)
    _flatten(flat)
    return root


def _mean_color(particles: Particles) -> NDArray[np.float64]:
    volume = np.maximum(particles.volume.sum(dtype=np.float64), np.finfo(np.float64).tiny)
    mean: NDArray[np.float64] = (particles.volume * particles.color).sum(axis=1) / volume
    return mean


class _ByCell(NamedTuple):
    """Numbers of particles in order of lattice cells, and where those of each cell in a pool begin."""

    order: NDArray[np.int64]
    firsts: NDArray[np.int64]


def _by_cell(particles: Particles, tiles: Tiles) -> _ByCell:
    """The particles in order of lattice cells."""
    counts = np.diff(particles.starts[1:])
    slots = np.repeat(np.arange(1, tiles.count + 1), counts)
    BZ, BY, BX = tiles.shape
    within = particles.cell - tiles.origins[slots, : tiles.dimension].T
    number = (slots * BZ + (within[2] if len(within) == 3 else 0)) * BY + within[1]
    number = number * BX + within[0]
    firsts = np.zeros((tiles.count + 1) * BZ * BY * BX + 1, np.int64)
    np.cumsum(np.bincount(number, minlength=len(firsts) - 1), out=firsts[1:])
    return _ByCell(np.argsort(number, kind="stable"), firsts)


class _Places(NamedTuple):
    """Vertices, the flat index of the sample inside that each belongs to, and the body of that."""

    place: NDArray[np.float64]
    inner: NDArray[np.int64]
    body: NDArray[np.int64]


class _Owned(NamedTuple):
    """Particles: where they are, what they carry, and the body they are in."""

    cell: NDArray[np.int32]
    offset: NDArray[np.float32]
    volume: NDArray[np.float32]
    color: NDArray[np.float64]
    body: NDArray[np.int64]


@for_tile_shape
def _join(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @serial_kernel
    def run(root, neighbours, slots):
        for t in slots:
            for z in range(BZ):
                for y in range(BY):
                    for x in range(BX):
                        own = ((t * BZ + z) * BY + y) * BX + x
                        if root[own] < 0:
                            continue
                        for axis in range(DIM):
                            back = (int(axis == 0), int(axis == 1), int(axis == 2))
                            s, i, j, k = home_of(neighbours, t, x - back[0], y - back[1], z - back[2], BZ, BY, BX)
                            other = ((s * BZ + k) * BY + j) * BX + i
                            if s == 0 or root[other] < 0:
                                continue
                            unite(root, own, other)

    return run


@serial_kernel
def _flatten(root):
    for a in range(len(root)):
        if root[a] >= 0:
            root[a] = root[root[a]]


@for_tile_shape
def _find_bodies(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(cell, in_tiles, phi, body, found, chunks):
        starts, origins, neighbours, _ = in_tiles
        n = len(starts) - 2
        for c in prange(chunks):
            for slot in chunk_range(c, chunks, n):
                t = slot + 1
                for p in numbers_in(starts, t):
                    i, j, k = cell[0, p] - origins[t, 0], cell[1, p] - origins[t, 1], 0
                    if DIM == 3:
                        k = cell[2, p] - origins[t, 2]
                    deepest = np.float32(0)
                    for corner in range(4 if DIM == 2 else 8):
                        a, b, d = corner_step(corner)
                        s, x, y, z = home_of(neighbours, t, i + a, j + b, k + d, BZ, BY, BX)
                        if s > 0 and phi[s, z, y, x] < deepest:
                            deepest = phi[s, z, y, x]
                            found[p] = body[s, z, y, x]

    return run


@for_tile_shape
def _average(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    SIZE = BZ * BY * BX

    @kernel
    def run(places, owned, by_cell, origins, neighbours, detail, colors, chunks):
        order, firsts = by_cell
        n = len(places.inner)
        for c in prange(chunks):
            low = np.zeros(3, np.int64)
            high = np.zeros(3, np.int64)
            sums = np.zeros(8)  # over the vertex's own body, and over others
            for v in chunk_range(c, chunks, n):
                t = places.inner[v] // SIZE
                sums[:] = 0.0
                for axis in range(DIM):
                    low[axis] = int(np.floor(places.place[v, axis] - detail)) - origins[t, axis]
                    high[axis] = int(np.floor(places.place[v, axis] + detail)) - origins[t, axis]
                for z in range(low[2], high[2] + 1):
                    for y in range(low[1], high[1] + 1):
                        for x in range(low[0], high[0] + 1):
                            s, i, j, k = home_of(neighbours, t, x, y, z, BZ, BY, BX)
                            m = ((s * BZ + k) * BY + j) * BX + i
                            if s == 0:
                                continue
                            for at in range(firsts[m], firsts[m + 1]):
                                p = order[at]
                                w = np.float64(owned.volume[p])
                                for axis in range(DIM):
                                    away = owned.cell[axis, p] + owned.offset[axis, p] - places.place[v, axis]
                                    w *= max(1.0 - abs(away) / detail, 0.0)
                                first = 0 if owned.body[p] == places.body[v] else 4
                                sums[first] += w
                                for channel in range(3):
                                    sums[first + 1 + channel] += w * owned.color[channel, p]
                first = 0 if sums[0] > 0.0 else 4
                if sums[first] > 0.0:
                    for channel in range(3):
                        colors[v, channel] = sums[first + 1 + channel] / sums[first]

    return run
