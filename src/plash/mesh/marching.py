"""Marching cubes and marching squares on sparse tiles: the surface where samples change sign.

Samples stand on the points of a lattice, at origin + spacing (i, j, k); negative is inside, and where no tile is, is
outside. A *cube* (a square in 2-D) lies between neighbouring samples, and has the index of its lowest corner. Every
lattice edge whose ends differ in sign holds one vertex, which all cubes round it share.

Which triangles a cube has follows from the signs at its corners (`plash.mesh.cases`).

Reference: Lorensen & Cline 1987; the rule for ambiguous faces as in Bloomenthal 1988.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField
from plash.grid.loops import CENTRE, chunk_range, home_of, neighbour_number
from plash.grid.tiles import TILE_SHAPES, Shape, Tiles, dimension_of, widened
from plash.mesh.cases import cube_faces, square_edges, square_faces
from plash.mesh.mesh import Mesh

NEAREST = 5e-4  # of an edge, between a vertex and the samples: without it triangles could have no area
_KINDS = 3  # vertices that belong to a lattice point: on its three edges; in 2-D on two, and itself


@dataclass(frozen=True, eq=False)
class Cuts:
    """A surface in lattice coordinates, and where on the lattice its vertices lie.

    Attributes:
        places: Vertices (n, 3) in lattice coordinates.
        ends: Flat indices into a pool of the two samples that each vertex lies between.
        share: How far it lies from the first to the second, from 0 to 1.
        faces: Vertices (m, 3) of each triangle.
        edges: Outline (k, 2) in 2-D.
        tiles: The tiles that `ends` refer to.
    """

    places: NDArray[np.float64]
    ends: NDArray[np.int64]
    share: NDArray[np.float64]
    faces: NDArray[np.int32]
    edges: NDArray[np.int32]
    tiles: Tiles


def mesh_of_tiles(field: CellField, spacing: float, origin: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Mesh:
    """The surface of a field of samples at origin + spacing (i, j, k), negative inside; vertices alone."""
    cuts = march(field)
    places = cuts.places * spacing
    places[:, : len(origin)] += origin
    return Mesh(places.astype(np.float32), cuts.faces, edges=cuts.edges)


def mesh_of_array(values: NDArray[np.floating], spacing: float, origin: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Mesh:
    """The surface of samples in a plain array [z, y, x] or [y, x], negative inside; all round it is outside.

    Example:
        >>> y, x = np.mgrid[-4:5, -4:5]
        >>> disc = mesh_of_array(np.hypot(x, y) - 3.0, 0.5, (-2.0, -2.0))
        >>> disc.open_edges(), bool(abs(disc.volume - np.pi * 1.5**2) < 0.4)
        (0, True)
    """
    return mesh_of_tiles(field_of_array(values), spacing, origin)


def field_of_array(values: NDArray[np.floating]) -> CellField:
    """An array [z, y, x] or [y, x] on tiles; its first sample is the lattice point 0, and all round it is outside."""
    outside = np.float32(max(values.max(initial=0), -values.min(initial=0), np.finfo(np.float32).tiny))
    BZ, BY, BX = TILE_SHAPES[values.ndim]
    counts = -(-np.array((1, *values.shape)[-3:]) // (BZ, BY, BX))
    tiles = Tiles.at(np.indices(tuple(counts.tolist()))[::-1].reshape(3, -1).T, values.ndim)
    whole = values if values.ndim == 3 else values[None]
    if (counts * (BZ, BY, BX) != whole.shape).any():
        whole = np.full(counts * (BZ, BY, BX), outside, np.float32)
        whole[tuple(slice(n) for n in (1, *values.shape)[-3:])] = values
    parts = whole.reshape(counts[0], BZ, counts[1], BY, counts[2], BX).transpose(0, 2, 4, 1, 3, 5)
    pool = np.empty((tiles.count + 1, *tiles.shape), np.float32)
    pool[0] = outside
    pool[1:].reshape(parts.shape)[:] = parts
    return CellField(tiles, pool)


def march(field: CellField, midpoints: bool = False, flat: float = 0.0) -> Cuts:
    """Vertices where the samples change sign, numbered tile by tile, and the faces between them.

    Args:
        field: Samples, negative inside.
        midpoints: Whether vertices lie in the middle of lattice edges, and not where the samples would be zero.
        flat: Difference between samples at the ends of an edge, below which their vertex moves to its middle: the
            surface runs along such an edge, and round-off would say where it crosses it.
    """
    field, slots = _cut_tiles(field)
    tiles = field.tiles
    number_of = np.zeros(tiles.count + 1, np.int32)
    number_of[slots] = np.arange(1, len(slots) + 1)
    rules = [cube_faces()] if tiles.dimension == 3 else [square_faces(), square_edges()]
    BZ, BY, _ = tiles.shape
    masks = np.empty((len(slots), BZ + 1 if tiles.dimension == 3 else 1, BY + 1), np.uint32)
    counts = np.zeros((1 + len(rules), len(slots)), np.int64)
    samples = _Samples(field.pool, tiles.neighbours, tiles.origins, slots, masks)
    _count(tiles.shape)(samples, rules[0].lengths, rules[-1].lengths, counts, chunk_count())
    firsts = np.zeros((len(counts), len(slots) + 1), np.int64)
    np.cumsum(counts, axis=1, out=firsts[:, 1:])

    numbers = np.empty((len(slots) + 1, _KINDS, *tiles.shape), np.int32)
    total = int(firsts[0, -1])
    places, ends, share = np.empty((total, 3)), np.empty((total, 2), np.int64), np.empty(total)
    placing = _Placing(0.5, 0.5, flat) if midpoints else _Placing(NEAREST, 1 - NEAREST, flat)
    _number(tiles.shape)(samples, firsts[0], placing, _Vertices(numbers, places, ends, share), chunk_count())
    rows = []
    for rule, first in zip(rules, firsts[1:], strict=True):
        row = np.empty((int(first[-1]), rule.rows.shape[2]), np.int32)
        _emit(tiles.shape)(samples, number_of, numbers, rule, first, row, chunk_count())
        rows.append(row)
    return Cuts(places, ends, share, rows[0], rows[1] if len(rows) > 1 else np.zeros((0, 2), np.int32), tiles)


class _Samples(NamedTuple):
    """Samples and where they are, the slots of the tiles that count, and the signs of their rows as bits."""

    pool: NDArray[np.float32]
    neighbours: NDArray[np.int32]
    origins: NDArray[np.int32]
    slots: NDArray[np.int32]
    masks: NDArray[np.uint32]


class _Placing(NamedTuple):
    """Where on an edge a vertex may lie, at least and at most, and how flat a surface runs along the edge."""

    least: float
    most: float
    flat: float


class _Vertices(NamedTuple):
    """Vertices: their numbers by lattice point and kind, their places, and what they lie between."""

    numbers: NDArray[np.int32]
    places: NDArray[np.float64]
    ends: NDArray[np.int64]
    share: NDArray[np.float64]


_UPWARDS = np.array(list(itertools.product((0, 1), repeat=3)), np.int64)  # offsets (z, y, x)


def _cut_tiles(field: CellField) -> tuple[CellField, NDArray[np.int32]]:
    """Slots of the tiles whose cubes may hold a part of the surface (in 2-D, of what is inside).

    The field may get further tiles: one for every cube that has an inside corner, for cubes belong to their lowest.
    """
    tiles = field.tiles
    signs = np.zeros((2, tiles.count + 1), np.bool_)
    _find_signs(field.pool, signs, chunk_count())
    inside = (np.flatnonzero(signs[0, 1:]) + 1).astype(np.int32)
    missing = []
    for offset in _UPWARDS[1:]:
        column = int(CENTRE - offset @ (9, 3, 1))
        lacks = inside[tiles.neighbours[inside, column] == 0]
        if len(lacks) and not (tiles.dimension == 2 and offset[0]):
            missing.append(widened(tiles.keys[lacks - 1], -offset[::-1]))
    if missing:
        keys = np.unique(np.concatenate([tiles.keys, *missing]))
        return _cut_tiles(field.moved_to(Tiles.of_keys(keys, tiles.dimension)))
    reached = tiles.neighbours[:, CENTRE + _UPWARDS @ (9, 3, 1)]
    seen = signs[0][reached].any(axis=1)
    if tiles.dimension == 3:
        seen &= signs[1][reached].any(axis=1)
    return field, (np.flatnonzero(seen[1:]) + 1).astype(np.int32)


@kernel
def _find_signs(pool, signs, chunks):
    n = len(pool)
    size = pool[0].size
    for c in prange(chunks):
        for t in chunk_range(c, chunks, n):
            row = pool[t].reshape(size)
            inside = 0
            for m in range(size):
                inside += row[m] < 0
            signs[0, t] = inside > 0
            signs[1, t] = inside < size


@for_tile_shape
def _count(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    LAYERS = 1 if BZ == 1 else BZ + 1
    OWN = (1 << BX) - 1

    @kernel
    def run(samples, lengths, more_lengths, counts, chunks):
        """Note the signs of each row of a tile's samples, and of the first beyond it, as bits; count what they make."""
        pool, neighbours, _, slots, masks = samples
        n = len(slots)
        for chunk in prange(chunks):
            for m in chunk_range(chunk, chunks, n):
                for z in range(LAYERS):
                    for y in range(BY + 1):
                        column = neighbour_number(0, int(y == BY), int(z == BZ))
                        row = pool[neighbours[slots[m], column], z % BZ, y % BY]
                        mask = np.uint32(pool[neighbours[slots[m], column + 1], z % BZ, y % BY, 0] < 0) << BX
                        for x in range(BX):
                            mask |= np.uint32(row[x] < 0) << x
                        masks[m, z, y] = mask
                for z in range(BZ):
                    for y in range(BY):
                        a, b, c, d = _four(masks[m], z, y, DIM)
                        counts[0, m] += _bits((a ^ (a >> 1)) & OWN) + _bits((a ^ b) & OWN)
                        counts[0, m] += _bits((a if DIM == 2 else a ^ c) & OWN)
                        busy = _busy(a, b, c, d, DIM) & OWN
                        for x in range(BX if busy else 0):
                            if (busy >> x) & 1:
                                case = _case(a, b, c, d, x, DIM)
                                counts[1, m] += lengths[case]
                                if DIM == 2:
                                    counts[2, m] += more_lengths[case]

    return run


@inlined
def _four(masks, z, y, DIM):
    """The rows that a row of cubes lies between; in 2-D those of squares, twice."""
    up = z + 1 if DIM == 3 else z
    return np.int64(masks[z, y]), np.int64(masks[z, y + 1]), np.int64(masks[up, y]), np.int64(masks[up, y + 1])


@inlined
def _busy(a, b, c, d, DIM):
    """Which cubes of a row hold a part of the surface; in 2-D which squares have an inside."""
    some = a | b | c | d
    some |= some >> 1
    if DIM == 2:
        return some
    every = a & b & c & d
    return some & ~(every & (every >> 1))


@inlined
def _case(a, b, c, d, x, DIM):
    case = (a >> x) & 3 | ((b >> x) & 3) << 2
    if DIM == 3:
        case |= ((c >> x) & 3) << 4 | ((d >> x) & 3) << 6
    return case


@inlined
def _bits(mask):
    """How many bits are set, of up to 16."""
    mask = (mask & 0x5555) + ((mask >> 1) & 0x5555)
    mask = (mask & 0x3333) + ((mask >> 2) & 0x3333)
    mask = (mask & 0x0F0F) + ((mask >> 4) & 0x0F0F)
    return (mask & 0x00FF) + (mask >> 8)


@for_tile_shape
def _number(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    SIZE = BZ * BY * BX
    OWN = (1 << BX) - 1

    @kernel
    def run(samples, firsts, placing, vertices, chunks):
        pool, neighbours, origins, slots, masks = samples
        least, most, flat = placing
        numbers, places, ends, share = vertices
        n = len(slots)
        for chunk in prange(chunks):
            for m in chunk_range(chunk, chunks, n):
                t = slots[m]
                count = firsts[m]
                for z in range(BZ):
                    for y in range(BY):
                        a, b, c, _ = _four(masks[m], z, y, DIM)
                        kinds = (a ^ (a >> 1), a ^ b, a if DIM == 2 else a ^ c)
                        any_kind = (kinds[0] | kinds[1] | kinds[2]) & OWN
                        for x in range(BX if any_kind else 0):
                            for edge in range(3 if (any_kind >> x) & 1 else 0):
                                if not (kinds[edge] >> x) & 1:
                                    continue
                                part = 0.0
                                first = t * SIZE + (z * BY + y) * BX + x
                                second = first
                                if edge < DIM:
                                    nx, ny, nz = x + (edge == 0), y + (edge == 1), z + (edge == 2)
                                    s, nx, ny, nz = home_of(neighbours, t, nx, ny, nz, BZ, BY, BX)
                                    here = abs(np.float64(pool[t, z, y, x]))
                                    there = abs(np.float64(pool[s, nz, ny, nx]))
                                    evening = max(flat - here - there, 0.0)
                                    part = (here + evening) / (here + there + 2.0 * evening)
                                    part = min(max(part, least), most)
                                    second = s * SIZE + (nz * BY + ny) * BX + nx
                                places[count, 0] = origins[t, 0] + x + (part if edge == 0 else 0.0)
                                places[count, 1] = origins[t, 1] + y + (part if edge == 1 else 0.0)
                                places[count, 2] = origins[t, 2] + z + (part if edge == 2 else 0.0)
                                ends[count, 0] = first
                                ends[count, 1] = second
                                share[count] = part
                                numbers[m + 1, edge, z, y, x] = count
                                count += 1

    return run


@for_tile_shape
def _emit(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    SIZE = BZ * BY * BX
    OWN = (1 << BX) - 1

    @kernel
    def run(samples, number_of, numbers, rule, firsts, result, chunks):
        _, neighbours, _, slots, masks = samples
        features, lengths, rules = rule
        n = len(slots)
        width = rules.shape[2]
        flat = numbers.reshape(-1)
        # Where the number of each feature is, counted from that of its cube's lowest corner in the same tile
        ahead = features[:, 3] * SIZE + (features[:, 2] * BY + features[:, 1]) * BX + features[:, 0]
        for chunk in prange(chunks):
            for m in chunk_range(chunk, chunks, n):
                t = slots[m]
                count = firsts[m]
                for z in range(BZ):
                    for y in range(BY):
                        a, b, c, d = _four(masks[m], z, y, DIM)
                        busy = _busy(a, b, c, d, DIM) & OWN
                        is_inner = y < BY - 1 and (DIM == 2 or z < BZ - 1)
                        base = (m + 1) * _KINDS * SIZE + (z * BY + y) * BX
                        for x in range(BX if busy else 0):
                            case = _case(a, b, c, d, x, DIM) if (busy >> x) & 1 else 0
                            for row in range(lengths[case]):
                                for k in range(width):
                                    f = rules[case, row, k]
                                    if is_inner and x < BX - 1:
                                        result[count, k] = flat[base + x + ahead[f]]
                                    else:
                                        nx, ny, nz = x + features[f, 0], y + features[f, 1], z + features[f, 2]
                                        s, nx, ny, nz = home_of(neighbours, t, nx, ny, nz, BZ, BY, BX)
                                        result[count, k] = numbers[number_of[s], features[f, 3], nz, ny, nx]
                                count += 1

    return run
