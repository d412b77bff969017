"""Smoothing that keeps the volume: bumps as small as the lattice go, waves stay, walls stay flat.

A sweep moves every vertex towards the mean of its neighbours by λ and then away from it by |μ|, a little more: short
waves are damped by both, long ones are given back what they lost (Taubin 1995). That keeps drops and thin sheets in
shape. Where the surface hardly bends, little can be lost and the second move is left out, which makes calm water much
flatter. Where it bends as in drops of a few triangles, there is nothing to smooth and all rests. What is left of a
change of volume is mended part by part, by moving each closed part of the mesh along its normals, so that a drop
stays as large as it was.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from plash.grid.compile import inlined, serial_kernel
from plash.mesh.mesh import cone_volumes
from plash.mesh.normals import face_normals

CLOSES, RESTS = 64, 128

_TOWARDS = 0.5  # λ
_AWAY = -0.526  # μ = 1/(k - 1/λ): waves of 20 edges and more are kept
# Mean of 1 - cos(angle) to the neighbours' normals: where μ begins to act and acts in full, where all motion begins to
# cease and has ceased
_CALM, _SHARP = 0.01, 0.1
_SMALL, _SMALLEST = 0.3, 0.7
_FURTHEST = 0.5  # of the mean edge: no part is moved by more at once to mend its volume
_MENDS = 3


def smoothed(
    vertices: NDArray[np.float64],
    faces: NDArray[np.int32],
    edges: NDArray[np.int32],
    sweeps: int,
    walls: NDArray[np.uint8] | None = None,
) -> NDArray[np.float64]:
    """Vertices (n, 3) after some sweeps of smoothing; the volume of each closed part is kept.

    A vertex on walls goes by the neighbours on all of the same walls and does not leave them. One that closes the
    liquid on a wall is no neighbour to those that do not: where the surface meets a wall, it is smoothed along the line
    of contact alone, and the vertices behind it follow.

    Args:
        vertices: Positions, in any unit of length.
        faces: Triangles of a closed mesh; in 2-D those of the region, of which only the outline is smoothed.
        edges: Outline of a 2-D mesh, none in 3-D.
        sweeps: How often.
        walls: Bit 2a of each vertex is set on the low wall across axis a, bit 2a + 1 on the high one; `CLOSES` if
            it is not part of the free surface, but closes the liquid on a wall; `RESTS` if it shall not move.
    """
    if sweeps == 0 or len(faces) == 0:
        return vertices
    pairs = np.concatenate([edges, edges[:, ::-1]]) if len(edges) else faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    on = np.zeros(len(vertices), np.uint8) if walls is None else walls
    normals = _outline_shares(vertices, edges)[2] if len(edges) else face_normals(vertices, faces)
    moved = vertices.copy()
    _smooth(moved, normals, np.ascontiguousarray(pairs), on, sweeps)
    for _ in range(_MENDS):
        moved = _with_volume_of(vertices, moved, faces, edges, on)
    return moved


@serial_kernel
def _smooth(places, normals, pairs, walls, sweeps):  # type: ignore[no-untyped-def]
    n = len(places)
    sums = np.zeros((n, 3))
    counts = np.zeros(n)
    bend = np.zeros(n)
    for p in range(len(pairs)):
        i, j = pairs[p]
        if _counts_for(walls[i], walls[j]):
            counts[i] += 1
            along = normals[i, 0] * normals[j, 0] + normals[i, 1] * normals[j, 1] + normals[i, 2] * normals[j, 2]
            bend[i] += 1.0 - along
    for half in range(2 * sweeps):
        sums[:] = 0.0
        for p in range(len(pairs)):
            i, j = pairs[p]
            if _counts_for(walls[i], walls[j]):
                for axis in range(3):
                    sums[i, axis] += places[j, axis]
        for i in range(n):
            if counts[i] > 0 and walls[i] < RESTS:
                factor = _TOWARDS * (1 - _step(bend[i] / counts[i], _SMALL, _SMALLEST))
                if half % 2 == 1:
                    factor *= _AWAY / _TOWARDS * _step(bend[i] / counts[i], _CALM, _SHARP)
                for axis in range(3):
                    if (walls[i] >> (2 * axis)) & 3 == 0:
                        places[i, axis] += factor * (sums[i, axis] / counts[i] - places[i, axis])


@inlined
def _step(value, low, high):  # type: ignore[no-untyped-def]
    """From 0 at a low value to 1 at a high one, without a kink."""
    part = min(max((value - low) / (high - low), 0.0), 1.0)
    return part * part * (3 - 2 * part)


@inlined
def _counts_for(mine, other):  # type: ignore[no-untyped-def]
    """Whether a vertex goes by a neighbour, from the walls they are on."""
    planes = mine & (CLOSES - 1)
    return planes & other == planes and other & CLOSES <= mine & CLOSES


def _with_volume_of(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    faces: NDArray[np.int32],
    edges: NDArray[np.int32],
    walls: NDArray[np.uint8],
) -> NDArray[np.float64]:
    """The second positions, moved along their normals so that every part has its volume before."""
    free = walls < CLOSES
    if len(edges):
        part, area, normals = _outline_shares(after, edges)
        ends = edges
        change = _sectors(before, edges) - _sectors(after, edges)
    else:
        part, area, normals = _surface_shares(after, faces)
        ends = faces
        change = cone_volumes(before, faces) - cone_volumes(after, faces)
    parts = int(part.max()) + 1
    missing = np.bincount(part[ends[:, 0]], change, parts)
    movable = np.bincount(part[free], area[free], parts)
    longest = _FURTHEST * np.sqrt(((after[ends[:, 0]] - after[ends[:, 1]]) ** 2).sum(axis=1).mean())
    shift = np.clip(missing / np.maximum(movable, np.finfo(np.float64).tiny), -longest, longest)
    push = np.where(free, shift[part], 0.0)[:, None] * normals
    for axis in range(3):
        push[(walls >> (2 * axis)) & 3 != 0, axis] = 0.0
    result: NDArray[np.float64] = after + push
    return result


Shares = tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float32]]


def _surface_shares(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> Shares:
    """Part of the mesh each vertex belongs to, its share of the area, and its normal."""
    corners = [vertices[faces[:, corner]] for corner in range(3)]
    crossed = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    third = np.sqrt((crossed**2).sum(axis=1)) / 6
    area = np.bincount(faces.ravel(), np.repeat(third, 3), len(vertices)).astype(np.float64)
    return parts_of(faces[:, [0, 1, 1, 2]].reshape(-1, 2), len(vertices)), area, face_normals(vertices, faces)


def _outline_shares(vertices: NDArray[np.float64], edges: NDArray[np.int32]) -> Shares:
    """The same for the vertices of an outline."""
    along = vertices[edges[:, 1]] - vertices[edges[:, 0]]
    lengths = np.sqrt((along**2).sum(axis=1))
    outwards = np.stack([along[:, 1], -along[:, 0], 0 * lengths], axis=1)
    share = np.bincount(edges.ravel(), np.repeat(lengths / 2, 2), len(vertices)).astype(np.float64)
    sums = np.zeros((len(vertices), 3))
    for end, axis in ((0, 0), (1, 0), (0, 1), (1, 1)):
        sums[:, axis] += np.bincount(edges[:, end], outwards[:, axis], len(vertices))
    normals: NDArray[np.float64] = sums / np.maximum(np.sqrt((sums**2).sum(axis=1)), np.finfo(np.float64).tiny)[:, None]
    return parts_of(edges, len(vertices)), share, normals.astype(np.float32)


def _sectors(vertices: NDArray[np.float64], edges: NDArray[np.int32]) -> NDArray[np.float64]:
    """Signed area of the triangle from the vertices' mean to each edge of the outline."""
    a, b = ((vertices - vertices.mean(axis=0))[edges[:, end]] for end in range(2))
    areas: NDArray[np.float64] = (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    return areas


def parts_of(pairs: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Number of the connected part that each vertex belongs to, from pairs of neighbours."""
    links = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    _, part = connected_components(links, directed=False)
    return np.asarray(part, np.int32)
