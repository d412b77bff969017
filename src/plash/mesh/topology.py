"""Who is whose neighbour in a mesh: the corners round each vertex, the edges of faces, the parts that hang together.

A *row* is a triangle of three vertices or, in the outline of a 2-D mesh, an edge of two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import serial_kernel
from plash.grid.loops import unite

Rows = NDArray[np.int32]


class Corners(NamedTuple):
    """Corners of rows, by vertex.

    Attributes:
        starts: Those of vertex i are starts[i] ... starts[i+1]-1.
        row: The row of each.
        next: The vertex that follows in that row.
        last: The one before, which in a triangle is the third; without a sign, which kernels would test.
        is_first: Whether it is the first of its row.
    """

    starts: NDArray[np.int64]
    row: NDArray[np.uint32]
    next: NDArray[np.uint32]
    last: NDArray[np.uint32]
    is_first: NDArray[np.bool_]


class Edges(NamedTuple):
    """Edges of triangles, each once.

    Attributes:
        ends: Vertices (n, 2) of each, the lower number first.
        of_face: Edge (m, 3) that runs from each corner of a face to the next.
        faces: The two faces (n, 2) along each, that which runs up first; -1 where there is none.
        is_sound: Whether exactly two faces run along it, one each way.
    """

    ends: NDArray[np.int32]
    of_face: NDArray[np.int32]
    faces: NDArray[np.int32]
    is_sound: NDArray[np.bool_]


def corners_by_vertex(rows: Rows, count: int) -> Corners:
    """The corners of rows at each of so many vertices, in the order of the rows."""
    starts = np.zeros(count + 1, np.int64)
    row, following, last = (np.empty(rows.size, np.uint32) for _ in range(3))
    corners = Corners(starts, row, following, last, np.empty(rows.size, np.bool_))
    _sort_corners(rows, corners)
    return corners


@serial_kernel
def _sort_corners(rows, corners):
    starts, row, following, last, is_first = corners
    n, width = rows.shape
    for r in range(n):
        for k in range(width):
            starts[rows[r, k] + 1] += 1
    for i in range(1, len(starts)):
        starts[i] += starts[i - 1]
    place = starts[:-1].copy()
    for r in range(n):
        for k in range(width):
            c = place[rows[r, k]]
            row[c] = r
            following[c] = rows[r, k + 1 if k + 1 < width else 0]
            last[c] = rows[r, k - 1 if k > 0 else width - 1]
            is_first[c] = k == 0
            place[rows[r, k]] += 1


def edges_of(faces: Rows, count: int) -> Edges:
    """The edges of triangles between so many vertices, in order of their lower vertex."""
    starts = np.zeros(count + 1, np.int64)
    sides = np.empty(faces.size, np.int64)
    ends = np.empty((faces.size, 2), np.int32)
    along = np.full((faces.size, 2), -1, np.int32)
    sound = np.ones(faces.size, np.bool_)
    of_face = np.empty(faces.shape, np.int32)
    n = _find_edges(faces, starts, sides, ends, along, sound, of_face)
    return Edges(ends[:n].copy(), of_face, along[:n].copy(), sound[:n] & (along[:n] >= 0).all(axis=1))


@serial_kernel
def _find_edges(faces, starts, sides, ends, along, sound, of_face):
    for f in range(len(faces)):
        for k in range(3):
            starts[min(faces[f, k], faces[f, (k + 1) % 3]) + 1] += 1
    for i in range(1, len(starts)):
        starts[i] += starts[i - 1]
    place = starts[:-1].copy()
    for f in range(len(faces)):
        for k in range(3):
            low = min(faces[f, k], faces[f, (k + 1) % 3])
            sides[place[low]] = 3 * f + k
            place[low] += 1
    count = 0
    for low in range(len(starts) - 1):
        first = count
        for s in range(starts[low], starts[low + 1]):
            f, k = sides[s] // 3, sides[s] % 3
            high = max(faces[f, k], faces[f, (k + 1) % 3])
            e = first
            while e < count and ends[e, 1] != high:
                e += 1
            if e == count:
                ends[e, 0] = low
                ends[e, 1] = high
                count += 1
            runs_down = 0 if faces[f, k] == low else 1
            if along[e, runs_down] >= 0:
                sound[e] = False
            along[e, runs_down] = f
            of_face[f, k] = e
    return count


def parts_of(rows: Rows, count: int) -> NDArray[np.int32]:
    """Number of the connected part that each vertex belongs to, in order of the first vertex of each."""
    part = np.arange(count, dtype=np.int32)
    _join(rows, part)
    return part


@serial_kernel
def _join(rows, part):
    for r in range(len(rows)):
        for k in range(1, rows.shape[1]):
            unite(part, rows[r, k - 1], rows[r, k])
    # A root is the lowest vertex of its part, so it is met before all others
    count = 0
    for i in range(len(part)):
        if part[i] == i:
            part[i] = count
            count += 1
        else:
            part[i] = part[part[i]]
