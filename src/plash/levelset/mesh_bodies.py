"""Bodies made of surfaces that need not be closed: shells, and what a winding number takes as inside.

A shell is everything within half its thickness of a triangle.

A repaired body is where the winding number w of its surface is more than 1/2. Triangles with the body on both sides, or
on neither, are no part of its surface. Where it closes a hole over no triangle marks its surface, and the distance to
the nearest one is taken times 2 |w - 1/2|: that is zero on the surface w = 1/2, exact above the middle of a round hole,
and never more than the true distance by much; where w is one or zero nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.levelset.triangles import Array, Numbers, Triangles, nearest_triangle, new_waiting
from plash.levelset.winding import Winding
from plash.scene.mesh_files.check import groups_of

_POINTS_AT_ONCE = 512
_BESIDE = 1e-4  # of the size of a triangle: how far from it its two sides are looked at
_ERROR = 0.05  # of a winding number, and some more


@dataclass(frozen=True, eq=False)
class Shell:
    """A wall along a surface.

    Attributes:
        surface: Its middle.
        wall: How thick it is, m.
    """

    surface: Triangles
    wall: float

    def distance(self, points: Array, least: float = 0.0) -> Array:
        """The signed distance of points (n, 3); with `least`, to a wall no thinner than that."""
        return _distances(self.surface, points) - max(self.wall, least) / 2

    @property
    def least_thickness(self) -> float:
        """How thick the wall is."""
        return self.wall


@dataclass(frozen=True, eq=False)
class Repaired:
    """What a surface, closed or not, goes round more than half.

    Attributes:
        surface: The triangles that have the body behind them and nothing in front.
        winding: Of all parts that have such triangles; loose sheets, and what lies wholly inside, are left out.
    """

    surface: Triangles
    winding: Winding

    @classmethod
    def of(cls, vertices: Array, triangles: Numbers) -> Repaired:
        """The body of triangles that face outwards as far as that can be told."""
        whole = Triangles.of(vertices, triangles)
        winding = Winding.of(whole.corners, len(whole.boxes) // 2)
        border = _is_border(whole.corners, winding)
        if not border.any():
            # They go round nothing that can be told from nothing: a body without points
            return cls(whole, winding)
        part = groups_of(len(vertices), whole.triangles[:, :2], whole.triangles[:, 1:])[whole.triangles[:, 0]]
        counts = np.isin(part, part[border])
        if not counts.all():
            rest = Triangles.of(vertices, whole.triangles[counts])
            winding = Winding.of(rest.corners, len(rest.boxes) // 2)
        return cls(whole if border.all() else Triangles.of(vertices, whole.triangles[border]), winding)

    def scaled(self, scale: float) -> Repaired:
        """The same, larger or smaller about the origin."""
        return replace(self, surface=self.surface.scaled(scale), winding=self.winding.scaled(scale))

    def distance(self, points: Array, least: float = 0.0) -> Array:
        """The signed distance of points (n, 3), negative inside; with `least`, walls are thickened to that."""
        turns = self.winding.at(points)
        inside = turns > 0.5
        share = np.minimum(np.abs(turns - 0.5) / (0.5 - _ERROR), 1.0)
        if least > 0 and self.surface.thickness.min() < least:
            return _swollen(self.surface, points, least, inside) * share
        return _distances(self.surface, points) * np.where(inside, -share, share)

    @property
    def least_thickness(self) -> float:
        """The thickness that all but a twentieth of the surface has."""
        return self.surface.least_thickness


def _is_border(corners: Array, winding: Winding) -> NDArray[np.bool_]:
    """Whether a triangle has the body behind it and not before it, at its middle or near a corner.

    Through a triangle the winding number falls by one. It goes past 1/2 if it is between zero and one in the mean of
    both sides; that of a sheet is zero outside the body, and one inside.
    """
    a, b, c = corners.reshape(-1, 3, 3).transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    sizes = np.sqrt(np.linalg.norm(normals, axis=1, keepdims=True))
    beside = _BESIDE * np.divide(normals, sizes, out=np.zeros_like(normals), where=sizes > 0)
    middle = (a + b + c) / 3
    found = np.zeros(len(corners), np.bool_)
    for point in (middle, *(0.9 * corner + 0.1 * middle for corner in (a, b, c))):
        rest = np.flatnonzero(~found)
        behind, before = (winding.at((point + way * beside)[rest]) for way in (-1, 1))
        mean = (behind + before) / 2
        found[rest] = (mean > _ERROR) & (mean < 1 - _ERROR)
    return found


def _distances(surface: Triangles, points: Array) -> Array:
    """How far points (n, 3) are from the nearest triangle, whatever side of it they are on."""
    return np.abs(surface.distance(points))


def _swollen(surface: Triangles, points: Array, least: float, inside: NDArray[np.bool_]) -> Array:
    """The signed distance of points (n, 3), some of them inside, to a surface with walls of a least thickness."""
    found = np.empty(len(points))
    places = np.ascontiguousarray(points, dtype=np.float64)
    slack = 1e-12 * float(np.abs(surface.boxes[1]).max())
    chunks = -(-len(points) // _POINTS_AT_ONCE)
    _search_swollen(places, surface.swollen(least), slack, inside, found, chunks)
    return found


@kernel
def _search_swollen(points, tree, slack, inside, found, chunks):
    for c in prange(chunks):
        waiting = new_waiting(tree.blocks)
        last = 0
        for i in range(c * _POINTS_AT_ONCE, min((c + 1) * _POINTS_AT_ONCE, len(points))):
            sign = 1.0 if inside[i] else -1.0
            phi, last = nearest_triangle(tree, sign, slack, points[i, 0], points[i, 1], points[i, 2], last, waiting)
            found[i] = -sign * phi
