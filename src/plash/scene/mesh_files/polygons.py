"""Polygons as files hold them, cut into triangles.

A polygon is cut from its first corner where that stays inside it. One with a dent elsewhere loses its ears one by one
(Meisters 1975). Polygons need not be flat: they are seen along their mean normal (Newell).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Numbers = NDArray[np.int64]

MOST_TRIANGLES = 5_000_000
_MOST_CORNERS = 4096  # of a polygon that has to lose its ears: time goes with the square


class MeshFileError(ValueError):
    """What is wrong with a file of triangles, as the rest of a sentence that begins with its name."""


@dataclass(frozen=True, eq=False)
class Polygons:
    """What a file holds.

    Attributes:
        vertices: (n, 3).
        corners: The vertices of all polygons, one polygon after the other.
        counts: How many corners each has.
    """

    vertices: Array
    corners: Numbers
    counts: Numbers


def numbers_in(text: bytes, what: str) -> Array:
    """The numbers of a text, with white space between them.

    Raises:
        MeshFileError: There is something else in it.
    """
    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.fromstring(text.decode("ascii"), sep=" ") if text.strip() else np.empty(0)
        except (DeprecationWarning, ValueError):
            raise MeshFileError(f"has {what} that is no number: export it again") from None


def triangulated(polygons: Polygons) -> tuple[Array, Numbers]:
    """Vertices, and the triangles (m, 3) that the polygons are cut into; those with fewer than three corners have none.

    Raises:
        MeshFileError: A corner is no vertex, or there is too much of something.
    """
    import numpy as np

    vertices, corners, counts = polygons.vertices, polygons.corners, polygons.counts
    made = np.maximum(counts - 2, 0)
    if int(made.sum()) > MOST_TRIANGLES:
        raise MeshFileError(f"has {made.sum()} triangles: at most {MOST_TRIANGLES}; decimate it")
    wrong = np.flatnonzero((corners < 0) | (corners >= len(vertices)))
    if len(wrong):
        face = int(np.searchsorted(np.cumsum(counts), wrong[0], side="right"))
        sentence = f"has a face, number {face + 1}, with a corner at vertex {corners[wrong[0]]}"
        raise MeshFileError(f"{sentence}, but its {len(vertices)} vertices count from 0: export it again")
    starts = np.cumsum(counts) - counts
    firsts = np.cumsum(made) - made
    triangles = np.empty((int(made.sum()), 3), np.int64)
    for count in np.unique(counts[counts > 2]):
        some = np.flatnonzero(counts == count)
        rows = corners[starts[some, None] + np.arange(count)]
        triangles[firsts[some, None] + np.arange(count - 2)] = _cut(vertices, rows)
    return vertices, triangles


def _cut(vertices: Array, rows: Numbers) -> Numbers:
    """Triangles (k, n - 2, 3) of k polygons of n corners each."""
    import numpy as np

    count = rows.shape[1]
    fans = np.stack([np.repeat(rows[:, :1], count - 2, axis=1), rows[:, 1:-1], rows[:, 2:]], axis=2)
    if count == 3:
        return fans
    corners = vertices[rows] - vertices[rows[:, :1]]
    with np.errstate(invalid="ignore", over="ignore"):
        normals = np.cross(corners[:, 1:-1], corners[:, 2:])
        whole = normals.sum(axis=1)
        dented = np.flatnonzero((np.einsum("kij,kj->ki", normals, whole) < 0).any(axis=1))
    if len(dented) and count > _MOST_CORNERS:
        raise MeshFileError(f"has a polygon of {count} corners with a dent: cut it into triangles before the export")
    for polygon in dented:
        fans[polygon] = rows[polygon][_without_ears(_seen_along(corners[polygon], whole[polygon]))]
    return fans


def _seen_along(corners: Array, normal: Array) -> Array:
    """Corners (n, 2) in a plane across the normal, which points at the beholder."""
    import numpy as np

    axis = int(np.argmax(np.abs(normal)))
    one, other = [(1, 2), (2, 0), (0, 1)][axis]
    flat = corners[:, [one, other]]
    return flat if normal[axis] > 0 else flat[:, ::-1]


def _without_ears(corners: Array) -> Numbers:
    """Triangles (n - 2, 3) of a polygon (n, 2) that goes round counter-clockwise, by the numbers of its corners.

    An ear is a corner that sticks out and has no other corner in its triangle. If rounding leaves none, the corner that
    sticks out most is taken.
    """
    import numpy as np

    left = list(range(len(corners)))
    found = []
    while len(left) > 3:
        places = corners[left]
        before, after = np.roll(places, 1, axis=0), np.roll(places, -1, axis=0)
        out = _turn(before, places, after)
        order = np.flatnonzero(out > 0)
        ear = next((k for k in order if _is_empty(before[k], places[k], after[k], places)), int(np.argmax(out)))
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return np.array([*found, left], dtype=np.int64)


def _turn(a: Array, b: Array, c: Array) -> Array:
    """Twice the area of triangles, positive if counter-clockwise."""
    turn: Array = (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])
    return turn


def _is_empty(a: Array, b: Array, c: Array, points: Array) -> bool:
    """Whether no point but the corners of a triangle lies in it, its sides included."""
    inside = (_turn(a, b, points) >= 0) & (_turn(b, c, points) >= 0) & (_turn(c, a, points) >= 0)
    same = (points == a).all(axis=1) | (points == b).all(axis=1) | (points == c).all(axis=1)
    return not (inside & ~same).any()
