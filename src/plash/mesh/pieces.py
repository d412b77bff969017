"""Separate pieces of a surface: specks are left out, drops of few triangles made round.

A piece that holds a single particle, and touches nothing, is a ball of its volume. Marching over a lattice that
is as coarse as the ball would make something like an octahedron of it, and another one wherever it flies. Other pieces
of few triangles are subdivided once. All get the volume of the particles in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import Kernel, for_tile_shape, serial_kernel
from plash.grid.loops import corner_step, home_of
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.mesh.ball import unit_ball
from plash.mesh.draft import Draft
from plash.mesh.subdivide import refined
from plash.mesh.volumes import part_volumes
from plash.particles.particles import Particles

_SMALL = {
    2: 16,
    3: 120,
}  # rows of the boundary: in pieces of fewer, every particle has a sample at the surface beside it
_FACTOR = 8.0  # most by which the volume of a piece changes: more, and particles were counted wrongly


@dataclass(frozen=True, eq=False)
class Pieces:
    """What is known of the parts of a draft.

    Attributes:
        part: Number of the part of each vertex.
        volume: Of each part, as it was cut; in lattice units.
        carried: Volume of the particles in each small part; NaN for others.
        lone: The particle that is alone in a part; -1 if there is none, or more.
    """

    part: NDArray[np.int32]
    volume: NDArray[np.float64]
    carried: NDArray[np.float64]
    lone: NDArray[np.int64]


def without_specks(draft: Draft, volumes: NDArray[np.float64], least: float) -> tuple[Draft, NDArray[np.float64]]:
    """The draft and the volumes of its parts without pieces and cavities that are smaller than a least volume."""
    kept = np.abs(volumes) >= least
    if kept.all():
        return draft, volumes
    return draft.only(kept[draft.parts]), volumes[kept]


def pieces_of(
    draft: Draft, ends: NDArray[np.int64], phi: NDArray[np.float32], tiles: Tiles, particles: Particles
) -> Pieces:
    """The parts of a draft that was just cut from a field, and the particles in the small ones.

    Args:
        draft: The surface.
        ends: Flat indices of the two samples that each of its vertices lies between.
        phi: The samples.
        tiles: Where they are.
        particles: What the field was made of, on the same tiles.
    """
    part = draft.parts
    count = int(part.max(initial=-1)) + 1
    rows = np.bincount(part[draft.rows[:, 0]], minlength=count)
    volume = part_volumes(draft.places, draft.rows, part)
    held = np.zeros(count, np.bool_)
    held[part[draft.walls > 0]] = True
    small = (rows < _SMALL[draft.dimension]) & (volume > 0) & ~held
    counts, carried, lone = np.zeros(count, np.int64), np.zeros(count), np.full(count, -1, np.int64)

    # Samples inside small pieces are marked with their number
    marks = np.zeros(phi.shape, np.int32)
    vertices = np.flatnonzero(small[part])
    inside = np.where(phi.ravel()[ends[vertices, 0]] < 0, *ends[vertices].T)
    marks.ravel()[inside] = part[vertices] + 1
    busy = np.unique(inside // marks[0].size)
    around = np.unique(tiles.neighbours[busy])
    around = around[around > 0]
    claimed = _Claimed(counts, carried, lone)
    _claim(tiles.shape)(marks, phi, particles.cell, particles.volume, particles.in_tiles(tiles), around, claimed)
    ratio = np.divide(carried, volume, out=np.zeros(count), where=small)
    known = small & (counts > 0) & (ratio > 1 / _FACTOR) & (ratio < _FACTOR)
    return Pieces(part, volume, np.where(known, carried, np.nan), np.where(known & (counts == 1), lone, -1))


class _Claimed(NamedTuple):
    """By part: how many particles are in it, the volume that they carry, and the last of them."""

    counts: NDArray[np.int64]
    carried: NDArray[np.float64]
    lone: NDArray[np.int64]


@for_tile_shape
def _claim(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @serial_kernel
    def run(marks, phi, cell, volume, in_tiles, slots, claimed):
        starts, origins, neighbours, _ = in_tiles
        counts, carried, lone = claimed
        for t in slots:
            for p in range(starts[t], starts[t + 1]):
                i, j, k = cell[0, p] - origins[t, 0], cell[1, p] - origins[t, 1], 0
                if DIM == 3:
                    k = cell[2, p] - origins[t, 2]
                deepest = np.float32(0)
                owner = 0
                for corner in range(4 if DIM == 2 else 8):
                    a, b, c = corner_step(corner)
                    s, x, y, z = home_of(neighbours, t, i + a, j + b, k + c, BZ, BY, BX)
                    if marks[s, z, y, x] > 0 and phi[s, z, y, x] < deepest:
                        deepest = phi[s, z, y, x]
                        owner = marks[s, z, y, x]
                if owner > 0:
                    counts[owner - 1] += 1
                    carried[owner - 1] += volume[p]
                    lone[owner - 1] = p

    return run


def with_round_drops(
    draft: Draft, pieces: Pieces, particles: Particles, least: float
) -> tuple[Draft, NDArray[np.float64], int]:
    """The draft with round drops and without specks, the volume that each part shall have, and how many are large.

    Large parts come first. They are those whose particles were not counted; they shall have the volume they were cut
    with.
    """
    is_counted, lone = np.isfinite(pieces.carried), pieces.lone >= 0
    wanted = np.where(is_counted, pieces.carried, pieces.volume)
    kept = np.abs(wanted) >= least
    large, small, balls = ~is_counted & kept, is_counted & ~lone & kept, lone & kept
    result = draft.only(large[pieces.part])
    if small.any():
        result = result.with_more(refined(draft.only(small[pieces.part])))
    if balls.any():
        result = result.with_more(_balls(particles, pieces.lone[balls], draft.dimension, draft.names))
    volumes = np.concatenate([wanted[kind] for kind in (large, small, balls)])
    return result, volumes, int(large.sum())


def _balls(particles: Particles, which: NDArray[np.int64], dimension: int, names: tuple[str, ...]) -> Draft:
    """A ball of its own volume for each of some particles."""
    ball = unit_ball(dimension)
    centre, velocity = np.zeros((len(which), 3)), np.zeros((3, len(which)), np.float32)
    centre[:, :dimension] = (particles.cell[:, which] + particles.offset[:, which].astype(np.float64)).T
    velocity[:dimension] = particles.velocity[:, which]
    others = [np.atleast_2d(getattr(particles, name))[:, which].astype(np.float32) for name in names]
    carried = np.concatenate([velocity, *others]).T
    radius = (particles.volume[which].astype(np.float64) / ball.volume) ** (1 / dimension)
    n = len(ball.vertices)
    places = (centre[:, None] + radius[:, None, None] * ball.vertices).reshape(-1, 3)
    first = (n * np.arange(len(which), dtype=np.int32))[:, None, None]
    faces, edges = ((first + rows).reshape(-1, rows.shape[1]) for rows in (ball.faces, ball.edges))
    return Draft(places, np.repeat(carried, n, axis=0), np.zeros(len(places), np.uint8), faces, edges, names)
