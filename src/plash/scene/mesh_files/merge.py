"""Vertices that files write several times become one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.scene.mesh_files.check import Array, Numbers, edges_of, groups_of

_WELD = 1e-6  # of the diagonal: vertices of open edges this close are one


def merged(vertices: Array, triangles: Numbers) -> tuple[Array, Numbers]:
    """The same triangles with each vertex once; those left with fewer than three different vertices are dropped.

    Vertices are one if they are equal; where that leaves open edges, also if they are so close that a file of single
    precision cannot tell them apart.
    """
    vertices, triangles = _renamed(vertices, triangles, _equal(vertices))
    border = np.unique((edges := edges_of(triangles)).ends[edges.is_open]) if len(triangles) else np.empty(0, np.int64)
    if len(border) == 0:
        return vertices, triangles
    from scipy.spatial import cKDTree

    reach = _WELD * float(np.linalg.norm(np.ptp(vertices, axis=0)))
    pairs = cKDTree(vertices[border]).query_pairs(reach, output_type="ndarray")
    return _renamed(vertices, triangles, groups_of(len(vertices), border[pairs]))


def _equal(vertices: Array) -> NDArray[np.int64]:
    """A number for each vertex, the same for equal ones."""
    order = np.lexsort(vertices.T)
    ranked = vertices[order]
    is_new = np.concatenate([[False], (ranked[1:] != ranked[:-1]).any(axis=1)])
    numbers = np.empty(len(vertices), np.int64)
    numbers[order] = np.cumsum(is_new)
    return numbers


def _renamed(vertices: Array, triangles: Numbers, numbers: NDArray[np.integer]) -> tuple[Array, Numbers]:
    """Give vertices new numbers, and keep the triangles that still have three."""
    _, first = np.unique(numbers, return_index=True)
    renamed = numbers[triangles].astype(np.int64)
    a, b, c = renamed.T
    return vertices[first] + 0.0, renamed[(a != b) & (b != c) & (c != a)]
