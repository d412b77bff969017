"""Meshes of files, read, checked and made ready for distances.

Vertices that files write several times become one; what then encloses no body is refused with each defect named.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from plash.errors import Problem, SceneError
from plash.levelset.mesh_check import defects, edges_of
from plash.levelset.triangles import Array, Numbers, Triangles
from plash.scene.mesh_file import read_mesh, short, stamp
from plash.scene.mesh_shape import MeshShape

_WELD = 1e-6  # of the diagonal: vertices of open edges this close are one


def mesh_distance(shape: MeshShape, points: Array, name: str = "shape", least: float = 0.0) -> Array:
    """The signed distance of points (n, 3) to a mesh before it is moved, its walls thickened to a least thickness.

    Raises:
        SceneError: The file cannot be read, or its triangles enclose no body; names each defect and its remedy.
    """
    return load_triangles(shape, name).distance(points, least)


def load_triangles(shape: MeshShape, name: str = "shape") -> Triangles:
    """The triangles of a mesh shape, checked and scaled, before it is moved.

    Args:
        shape: The shape.
        name: What messages call it, such as ``solid[0].shape``.

    Raises:
        SceneError: The file cannot be read, or its triangles enclose no body; names each defect and its remedy.
    """
    try:
        return _scaled(shape.file, stamp(shape.file), shape.scale)
    except SceneError as error:
        raise SceneError([Problem(f"{name}.{problem.key}", problem.message) for problem in error.problems]) from None


def mesh_problems(shape: MeshShape, name: str = "shape") -> list[Problem]:
    """Everything wrong with the file of a mesh shape: empty if it can be simulated."""
    try:
        load_triangles(shape, name)
    except SceneError as error:
        return list(error.problems)
    return []


@lru_cache(maxsize=16)
def _scaled(file: str, stamped: tuple[int, int], scale: float) -> Triangles:
    return _checked(file, stamped).scaled(scale)


@lru_cache(maxsize=16)
def _checked(file: str, _stamped: tuple[int, int]) -> Triangles:
    raw = read_mesh(file)
    vertices, triangles = merged(raw.vertices, raw.triangles)
    found = defects(vertices, triangles)
    if found:
        raise SceneError([Problem("file", f"{short(file)} {defect}") for defect in found])
    return Triangles.of(vertices, triangles)


def merged(vertices: Array, triangles: Numbers) -> tuple[Array, Numbers]:
    """The same triangles with each vertex once; those left with fewer than three different vertices are dropped.

    Vertices are one if they are equal; where that leaves open edges, also if they are so close that a file of single
    precision cannot tell them apart.
    """
    vertices, triangles = _renamed(vertices, triangles, _equal(vertices))
    border = np.unique((edges := edges_of(triangles)).ends[edges.is_open]) if len(triangles) else np.empty(0, np.int64)
    if len(border) == 0:
        return vertices, triangles
    reach = _WELD * float(np.linalg.norm(np.ptp(vertices, axis=0)))
    pairs = cKDTree(vertices[border]).query_pairs(reach, output_type="ndarray")
    one, other = border[pairs].T
    graph = coo_array((np.ones(len(one), np.bool_), (one, other)), shape=(len(vertices),) * 2)
    return _renamed(vertices, triangles, connected_components(graph.tocsr(), directed=False)[1])


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
