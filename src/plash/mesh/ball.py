"""A ball of few triangles, and a disc of few sides in 2-D."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from plash.mesh.mesh import Mesh
from plash.mesh.subdivide import subdivided

_SIDES = 16  # of the disc


@cache
def unit_ball(dimension: int, rounds: int = 1) -> Mesh:
    """A ball of radius 1: in 3-D an icosahedron whose triangles were made four, `rounds` times; in 2-D a polygon.

    >>> len(unit_ball(3).faces), len(unit_ball(3, 0).faces), len(unit_ball(2).edges)
    (80, 20, 16)
    """
    if dimension == 2:
        return _disc()
    corners, faces = _icosahedron()
    finer = subdivided(Mesh(corners.astype(np.float32), faces), rounds)
    vertices = finer.vertices / np.linalg.norm(finer.vertices, axis=1)[:, None]
    return Mesh(vertices.astype(np.float32), finer.faces)


def _disc() -> Mesh:
    angle = 2 * np.pi * np.arange(_SIDES) / _SIDES
    around = np.arange(_SIDES, dtype=np.int32)
    rim = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    edges = np.stack([around, np.roll(around, -1)], axis=1)
    faces = np.column_stack([np.full(_SIDES, _SIDES, np.int32), edges])
    return Mesh(np.vstack([rim, np.zeros(3)]).astype(np.float32), faces, edges=edges)


def _icosahedron() -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Corners (0, ±1, ±golden) and their cyclic permutations; faces counter-clockwise seen from outside."""
    golden = (1 + 5**0.5) / 2
    flat = [(0.0, one, golden * two) for one in (-1, 1) for two in (-1, 1)]
    corners = np.array([np.roll(corner, turn) for turn in range(3) for corner in flat])
    near = np.isclose(np.linalg.norm(corners[:, None] - corners, axis=2), 2)
    faces = [
        (a, b, c)
        for a in range(12)
        for b in range(12)
        for c in range(12)
        if a < min(b, c) and near[a, b] and near[b, c] and near[c, a]
        if np.linalg.det(corners[[a, b, c]]) > 0
    ]
    return corners, np.array(faces, np.int32)
