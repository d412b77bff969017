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

import numpy as np
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.compile import Kernel, for_tile_shape, inlined, serial_kernel
from plash.grid.dense import from_dense, tiles_over
from plash.grid.fields import CellField
from plash.grid.tiles import Shape, Tiles, widened
from plash.mesh.cases import cube_faces, square_edges, square_faces
from plash.mesh.mesh import Mesh

_NEAREST = 5e-4  # of an edge, between a vertex and the samples: without it triangles could have no area
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
    samples = np.ascontiguousarray(values.T, np.float32)
    tiles = tiles_over((0,) * samples.ndim, samples.shape)
    outside = np.float32(max(np.abs(samples).max(initial=0), np.finfo(np.float32).tiny))
    return mesh_of_tiles(CellField(tiles, from_dense(samples, tiles, None, outside)), spacing, origin)


def march(field: CellField) -> Cuts:
    """Vertices where the samples change sign, numbered tile by tile, and the faces between them."""
    field = _closed_below(field)
    tiles = field.tiles
    slots = _cut_tiles(field)
    number_of = np.zeros(tiles.count + 1, np.int32)
    number_of[slots] = np.arange(1, len(slots) + 1)
    numbers = np.full((len(slots) + 1, _KINDS, *tiles.shape), -1, np.int32)
    places, ends, share = _number(tiles.shape)(field.pool, tiles.neighbours, tiles.origins, slots, numbers)
    emit, arrays = _emit(tiles.shape), (field.pool, tiles.neighbours, slots, number_of, numbers)
    if tiles.dimension == 3:
        faces, edges = emit(*arrays, *cube_faces()), np.zeros((0, 2), np.int32)
    else:
        faces, edges = emit(*arrays, *square_faces()), emit(*arrays, *square_edges())
    return Cuts(places, ends, share, faces, edges, tiles)


_UPWARDS = np.array(list(itertools.product((0, 1), repeat=3)), np.int64)  # offsets (z, y, x)


def _closed_below(field: CellField) -> CellField:
    """The field with tiles for every cube that has an inside corner: cubes belong to their lowest corner."""
    tiles = field.tiles
    inside = _slots_with(field.pool.reshape(len(field.pool), -1).min(axis=1) < 0)
    missing = []
    for offset in _UPWARDS[1:]:
        column = int(13 - offset @ (9, 3, 1))
        lacks = inside[tiles.neighbours[inside, column] == 0]
        if len(lacks) and not (tiles.dimension == 2 and offset[0]):
            missing.append(widened(tiles.keys[lacks - 1], -offset[::-1]))
    if not missing:
        return field
    return field.moved_to(Tiles.of_keys(np.unique(np.concatenate([tiles.keys, *missing])), tiles.dimension))


def _cut_tiles(field: CellField) -> NDArray[np.int32]:
    """Slots of the tiles whose cubes may hold a part of the surface (in 2-D, of what is inside)."""
    samples = field.pool.reshape(len(field.pool), -1)
    columns = 13 + _UPWARDS @ (9, 3, 1)
    reached = field.tiles.neighbours[:, columns]
    seen = (samples.min(axis=1) < 0)[reached].any(axis=1)
    if field.tiles.dimension == 3:
        seen &= (~(samples.max(axis=1) < 0))[reached].any(axis=1)
    return _slots_with(seen)


def _slots_with(property_of_slot: NDArray[np.bool_]) -> NDArray[np.int32]:
    return (np.flatnonzero(property_of_slot[1:]) + 1).astype(np.int32)


@for_tile_shape
def _number(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = 2 if BZ == 1 else 3
    STEPS = (1, PX, PY * PX)
    SIZE = BZ * BY * BX

    @serial_kernel
    def run(pool, neighbours, origins, slots, numbers):  # type: ignore[no-untyped-def]
        count = 0
        places = np.empty((1024, 3))
        ends = np.empty((1024, 2), np.int64)
        share = np.empty(1024)
        block = np.empty(PZ * PY * PX, pool.dtype)
        for m in range(len(slots)):
            t = slots[m]
            copy_block(block, pool, neighbours, t, 1, BZ, BY, BX)
            for z in range(BZ):
                for y in range(BY):
                    for x in range(BX):
                        o = ((z + HZ) * PY + y + 1) * PX + x + 1
                        here = block[o]
                        for kind in range(3):
                            there = block[o + STEPS[kind]] if kind < DIM else here
                            is_cut = (here < 0) != (there < 0)
                            is_corner = DIM == 2 and kind == 2 and here < 0
                            if not (is_cut or is_corner):
                                continue
                            if count == len(share):
                                places = np.concatenate((places, places))
                                ends = np.concatenate((ends, ends))
                                share = np.concatenate((share, share))
                            part = 0.0
                            first = t * SIZE + (z * BY + y) * BX + x
                            second = first
                            if is_cut:
                                part = np.float64(here) / (np.float64(here) - np.float64(there))
                                part = min(max(part, _NEAREST), 1 - _NEAREST)
                                nx, ny, nz = x + (kind == 0), y + (kind == 1), z + (kind == 2)
                                s, nx, ny, nz = _home(neighbours, t, nx, ny, nz, BZ, BY, BX)
                                second = s * SIZE + (nz * BY + ny) * BX + nx
                            places[count, 0] = origins[t, 0] + x + (part if kind == 0 else 0.0)
                            places[count, 1] = origins[t, 1] + y + (part if kind == 1 else 0.0)
                            places[count, 2] = origins[t, 2] + z + (part if kind == 2 else 0.0)
                            ends[count, 0] = first
                            ends[count, 1] = second
                            share[count] = part
                            numbers[m + 1, kind, z, y, x] = count
                            count += 1
        return places[:count].copy(), ends[:count].copy(), share[:count].copy()

    return run


@inlined
def _home(neighbours, t, x, y, z, BZ, BY, BX):  # type: ignore[no-untyped-def]
    """Slot of the tile that has a lattice point given from tile t, at most one tile further up, and its place there."""
    column = 13
    if x >= BX:
        x -= BX
        column += 1
    if y >= BY:
        y -= BY
        column += 3
    if z >= BZ:
        z -= BZ
        column += 9
    return neighbours[t, column], x, y, z


@for_tile_shape
def _emit(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    CORNERS = 4 if BZ == 1 else 8

    @serial_kernel
    def run(pool, neighbours, slots, number_of, numbers, features, lengths, rules):  # type: ignore[no-untyped-def]
        count = 0
        width = rules.shape[2]
        result = np.empty((1024, width), np.int32)
        block = np.empty(PZ * PY * PX, pool.dtype)
        for m in range(len(slots)):
            t = slots[m]
            copy_block(block, pool, neighbours, t, 1, BZ, BY, BX)
            for z in range(BZ):
                for y in range(BY):
                    for x in range(BX):
                        o = ((z + HZ) * PY + y + 1) * PX + x + 1
                        case = 0
                        for c in range(CORNERS):
                            corner = o + (c & 1) + ((c >> 1) & 1) * PX + (c >> 2) * PY * PX
                            case |= (block[corner] < 0) << c
                        for row in range(lengths[case]):
                            if count == len(result):
                                result = np.concatenate((result, result))
                            for k in range(width):
                                f = features[rules[case, row, k]]
                                s, nx, ny, nz = _home(neighbours, t, x + f[0], y + f[1], z + f[2], BZ, BY, BX)
                                result[count, k] = numbers[number_of[s], f[3], nz, ny, nx]
                            count += 1
        return result[:count].copy()

    return run
