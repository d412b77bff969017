"""Loop subdivision: every triangle becomes four, and the surface tends to a smooth one.

    vertex      (1 - n β) x + β Σ neighbours ,     β = (5/8 - (3/8 + cos(2π/n)/4)²) / n
    edge        3/8 of each end, 1/8 of each corner across
    crease      vertex 3/4 x + 1/8 of each neighbour along it; edge 1/2 of each end
    corner      stays

A *crease* is where faces that lie on different things meet (the free surface, a wall, a solid), and where the mesh
ends. A vertex with two edges of the same crease is on it; with any other number, or between different creases, it is a
corner. The region of a 2-D mesh ends at its outline, so that this is the cubic B-spline of the outline.

Reference: Loop 1987; creases as in Hoppe et al. 1994.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel, serial_kernel
from plash.grid.loops import chunk_range
from plash.mesh.draft import CLOSES, PLANES, RESTS, Draft
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals
from plash.mesh.topology import Edges, Rows, edges_of

_MOST = 64  # neighbours in the table of weights; more have its last entry
_RIM = 1 << 20  # number of the crease where a mesh ends
_TURNS = np.arange(1, _MOST)
_BETA = np.append(0.0, (5 / 8 - (3 / 8 + np.cos(2 * np.pi / _TURNS) / 4) ** 2) / _TURNS)


def subdivided(mesh: Mesh, rounds: int = 1) -> Mesh:
    """The mesh after some rounds of Loop subdivision, with what its vertices carry and new normals if it had any.

    Example:
        >>> corners = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32)
        >>> faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
        >>> ball = subdivided(Mesh(corners, np.array(faces, np.int32)), 2)
        >>> len(ball.faces), len(ball.vertices), ball.euler_number
        (128, 66, 2)
    """
    nothing = np.zeros((len(mesh.vertices), 3), np.float32)
    velocity = nothing if mesh.velocity is None else mesh.velocity
    carried = np.column_stack([velocity, *mesh.scalars.values()])
    walls = np.zeros(len(mesh.vertices), np.uint8)
    draft = Draft(mesh.vertices.astype(np.float64), carried, walls, mesh.faces, mesh.edges, tuple(mesh.scalars))
    for _ in range(rounds):
        draft = refined(draft)
    return Mesh(
        draft.places.astype(np.float32),
        draft.faces,
        None if mesh.normals is None else face_normals(draft.places, draft.faces),
        None if mesh.velocity is None else draft.velocity,
        draft.edges,
        draft.scalars,
    )


def refined(draft: Draft) -> Draft:
    """The draft after a round of Loop subdivision; walls stay flat, and creases along them sharp."""
    edges = edges_of(draft.faces, len(draft.places))
    crease = _creases(draft, edges)
    before = np.concatenate([draft.places, draft.carried], axis=1)
    after = np.empty((len(before) + len(edges.ends), before.shape[1]))
    _place_vertices(before, edges.ends, crease, after)
    _place_edges(before, draft.faces, *edges[:3], crease, after, chunk_count())
    number = np.int32(len(before)) + edges.of_face
    outline = np.zeros((0, 2), np.int32)
    if len(draft.edges):
        middle = len(before) + _edge_between(draft.edges, edges, len(before))
        outline = np.stack([draft.edges[:, 0], middle, middle, draft.edges[:, 1]], axis=1).reshape(-1, 2)
    one, two = (draft.walls[edges.ends[:, end]] for end in range(2))
    walls = (one & two & (PLANES | RESTS)) | ((one | two) & CLOSES)
    return Draft(
        np.ascontiguousarray(after[:, :3]),
        after[:, 3:].astype(np.float32),
        np.concatenate([draft.walls, walls.astype(np.uint8)]),
        _quartered(draft.faces, number),
        outline.astype(np.int32),
        draft.names,
    )


def _quartered(faces: Rows, middle: Rows) -> Rows:
    """Four faces for each, from the numbers of its corners and of the middles of its edges."""
    (a, b, c), (ab, bc, ca) = faces.T, middle.T
    rows = np.stack([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], axis=1)
    return np.ascontiguousarray(rows.reshape(-1, 3), np.int32)


def _creases(draft: Draft, edges: Edges) -> NDArray[np.int32]:
    """For each edge a number that is the same all along a crease, 0 where the surface is smooth."""
    low, high = np.minimum(*edges.faces.T), np.maximum(*edges.faces.T)
    ends_here = low < 0
    if len(draft.edges):
        crease = np.where(ends_here, _RIM, 0).astype(np.int32)
        crease[_edge_between(draft.edges, edges, len(draft.places))] = 1 + draft.tags(draft.edges).astype(np.int32)
        return crease
    tag = draft.tags(draft.faces).astype(np.int32)
    one, two = tag[np.maximum(low, 0)], tag[high]
    crease = np.where(one != two, 1 + 256 * np.minimum(one, two) + np.maximum(one, two), 0)
    crease[ends_here] = _RIM
    return crease.astype(np.int32)


def _edge_between(pairs: Rows, edges: Edges, count: int) -> NDArray[np.int64]:
    """Number of the edge between each pair of vertices."""
    key = edges.ends[:, 0].astype(np.int64) * count + edges.ends[:, 1]
    order = np.argsort(key, kind="stable")
    wanted = pairs.min(axis=1).astype(np.int64) * count + pairs.max(axis=1)
    found: NDArray[np.int64] = order[np.searchsorted(key, wanted, sorter=order)]
    return found


@serial_kernel
def _place_vertices(before, ends, crease, after):
    n, width = before.shape
    count = np.zeros(n, np.int64)
    sharp = np.zeros(n, np.int64)
    kind = np.zeros(n, np.int64)
    for e in range(len(ends)):
        for end in range(2):
            i = ends[e, end]
            count[i] += 1
            if crease[e] > 0:
                is_other = sharp[i] > 0 and kind[i] != crease[e]
                kind[i] = -1 if is_other else crease[e]
                sharp[i] += 1
    for i in range(n):
        own = 1.0
        if sharp[i] == 0:
            own = 1.0 - count[i] * _BETA[min(count[i], _MOST - 1)]
        elif sharp[i] == 2 and kind[i] > 0:
            own = 0.75
        for k in range(width):
            after[i, k] = own * before[i, k]
    for e in range(len(ends)):
        for end in range(2):
            i, j = ends[e, end], ends[e, 1 - end]
            weight = 0.0
            if sharp[i] == 0:
                weight = _BETA[min(count[i], _MOST - 1)]
            elif crease[e] > 0 and sharp[i] == 2 and kind[i] > 0:
                weight = 0.125
            if weight > 0:
                for k in range(width):
                    after[i, k] += weight * before[j, k]


@kernel
def _place_edges(before, faces, ends, of_face, along, crease, after, chunks):
    first, width = before.shape
    n = len(ends)
    for c in prange(chunks):
        for e in chunk_range(c, chunks, n):
            i, j = ends[e]
            is_smooth = crease[e] == 0 and along[e, 0] >= 0 and along[e, 1] >= 0
            for k in range(width):
                after[first + e, k] = (0.375 if is_smooth else 0.5) * (before[i, k] + before[j, k])
            if is_smooth:
                for side in range(2):
                    f = along[e, side]
                    across = faces[f, 0] + faces[f, 1] + faces[f, 2] - i - j
                    for k in range(width):
                        after[first + e, k] += 0.125 * before[across, k]
