"""Smoothing that keeps the volume: bumps as small as the lattice go, waves stay, walls stay flat.

A sweep moves every vertex towards the mean of its neighbours by λ and then away from it by |μ|, a little more: short
waves are damped by both, long ones are given back what they lost (Taubin 1995). That keeps drops and thin sheets in
shape. Where the surface hardly bends, little can be lost and the second move goes towards the mean as well, which makes
calm water much flatter. Where it bends as in drops of a few triangles, there is nothing to smooth and all rests. What
is left of a change of volume is mended part by part, by moving each closed part of the mesh along its normals, so that
a drop stays as large as it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, inlined, kernel
from plash.grid.loops import chunk_range
from plash.grid.sample import smooth_step
from plash.mesh.draft import CLOSES, RESTS, Draft
from plash.mesh.normals import face_normals, outline_normals
from plash.mesh.volumes import part_volumes, with_volumes

_TOWARDS = 0.5  # λ
_AWAY = -0.526  # μ = 1/(k - 1/λ): waves of 20 edges and more are kept
_CALMING = 0.5  # of λ: the second move where the surface is calm
# Mean of 1 - cos(angle) to the neighbours' normals: where μ begins to act and acts in full, where all motion begins to
# cease and has ceased
_CALM, _SHARP = 0.01, 0.1
_SMALL, _SMALLEST = 0.3, 0.7


def smoothed(draft: Draft, sweeps: int) -> Draft:
    """The draft after some sweeps of smoothing; the volume of each closed part is kept."""
    if sweeps == 0 or len(draft.faces) == 0:
        return draft
    part = draft.parts
    return with_volumes(swept(draft, sweeps), part, part_volumes(draft.places, draft.rows, part))


def swept(draft: Draft, sweeps: int) -> Draft:
    """The draft after some sweeps, with what they changed of the volume.

    A vertex on walls goes by the neighbours on all of the same walls and does not leave them. One that closes the
    liquid on a wall is no neighbour to those that do not: where the surface meets a wall, it is smoothed along the line
    of contact alone, and the vertices behind it follow. Where that line turns a corner, its vertex goes by both sides.
    """
    if sweeps == 0 or len(draft.faces) == 0:
        return draft
    rows = draft.rows
    if draft.dimension == 2:
        normals = outline_normals(draft.places, rows)
    else:
        normals = face_normals(draft.places, rows, draft.corners)
    # Of an outline and of a closed mesh, the next corners in the rows round a vertex are its neighbours, each once
    round_each = _Neighbours(
        draft.corners.starts, np.empty(len(draft.places), np.int64), np.empty(rows.size, np.uint32)
    )
    _list_neighbours(draft.corners, draft.walls, round_each, chunk_count())
    pace = np.empty((2, len(draft.places)))
    _set_paces(normals, round_each, pace, chunk_count())
    one, two = draft.places.copy(), np.empty_like(draft.places)
    for half in range(2 * sweeps):
        _move(one, two, round_each, pace[half % 2], draft.walls, chunk_count())
        one, two = two, one
    return draft.moved_to(one)


class _Neighbours(NamedTuple):
    """The neighbours that vertices go by: those of vertex i are vertex[starts[i]:ends[i]]."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    vertex: NDArray[np.uint32]


@kernel
def _list_neighbours(corners, walls, neighbours, chunks):
    """The neighbours that each vertex goes by."""
    starts, ends, vertex = neighbours
    n = len(walls)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            end = starts[i]
            for s in range(starts[i], starts[i + 1] if walls[i] < RESTS else starts[i]):
                j = corners.next[s]
                if _counts_for(walls[i], walls[j]):
                    vertex[end] = j
                    end += 1
            ends[i] = end


@inlined
def _counts_for(mine, other):
    """Whether a vertex goes by a neighbour, from the walls they are on."""
    planes = mine & (CLOSES - 1)
    shared = planes & other
    is_in_corner = planes & (planes - 1) > 0 and mine & CLOSES == 0
    return (shared == planes or (is_in_corner and shared > 0)) and other & CLOSES <= mine & CLOSES


@kernel
def _set_paces(normals, neighbours, pace, chunks):
    """How far each vertex goes towards the mean of its neighbours, in the first and the second half of a sweep."""
    starts, ends, vertex = neighbours
    n = len(normals)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            bend = 0.0
            for s in range(np.uint64(starts[i]), np.uint64(ends[i])):
                j = vertex[s]
                bend += 1.0 - (
                    normals[i, 0] * normals[j, 0] + normals[i, 1] * normals[j, 1] + normals[i, 2] * normals[j, 2]
                )
            bend /= max(ends[i] - starts[i], 1)
            pace[0, i] = _TOWARDS * (1 - smooth_step(bend, _SMALL, _SMALLEST))
            sharp = smooth_step(bend, _CALM, _SHARP)
            pace[1, i] = pace[0, i] * ((1 - sharp) * _CALMING + sharp * _AWAY / _TOWARDS)


@kernel
def _move(places, moved, neighbours, pace, walls, chunks):
    starts, ends, vertex = neighbours
    n = len(places)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            x, y, z = 0.0, 0.0, 0.0
            count = ends[i] - starts[i]
            for s in range(np.uint64(starts[i]), np.uint64(ends[i])):
                j = vertex[s]
                x += places[j, 0]
                y += places[j, 1]
                z += places[j, 2]
            share = pace[i] / count if count > 0 else 0.0
            stay = pace[i] if count > 0 else 0.0
            moved[i, 0] = places[i, 0] + (share * x - stay * places[i, 0] if walls[i] & 3 == 0 else 0.0)
            moved[i, 1] = places[i, 1] + (share * y - stay * places[i, 1] if walls[i] & 12 == 0 else 0.0)
            moved[i, 2] = places[i, 2] + (share * z - stay * places[i, 2] if walls[i] & 48 == 0 else 0.0)
