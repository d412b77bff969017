"""What mesh shapes look like: their triangles as they are, a wall of a thickness, or a body without holes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.levelset.mesh_bodies import Repaired, Shell
from plash.levelset.mesh_load import load_body
from plash.mesh.mesh import Mesh
from plash.mesh.normals import creased, face_normals
from plash.scene.mesh_files.check import edges_of, groups_of, oriented
from plash.scene.mesh_shape import MeshShape

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

_EDGE = 35.0  # degrees between faces of a mesh, from which the edge between them is sharp
_SHARPEST = 0.5  # cosine between a vertex's normal and those of its faces, below which a wall gets thinner there


def mesh_shape_mesh(shape: MeshShape) -> Mesh:
    """The surface of a mesh shape before it is moved."""
    body = load_body(shape)
    if isinstance(body, Shell):
        vertices, triangles = wall(body.surface.vertices, body.surface.triangles, body.wall)
    elif isinstance(body, Repaired):
        vertices, triangles = without_holes(body.surface.vertices, body.surface.triangles)
    else:
        vertices, triangles = body.vertices, body.triangles
    places, faces = vertices.astype(np.float32), triangles.astype(np.int32)
    return creased(Mesh(places, faces, face_normals(places, faces)), _EDGE)


def wall(vertices: Array, triangles: Numbers, thickness: float) -> tuple[Array, Numbers]:
    """A surface on both sides of another one, half a thickness from it, with a rim along its open edges."""
    triangles = oriented(vertices, triangles)
    normals = face_normals(vertices, triangles.astype(np.int32)).astype(np.float64)
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    areas = np.cross(b - a, c - a)
    sizes = np.linalg.norm(areas, axis=1)
    # At an edge both faces move out by the whole distance: the vertex by more
    cosine, weight = np.zeros(len(vertices)), np.zeros(len(vertices))
    for corner in triangles.T:
        np.add.at(cosine, corner, np.einsum("ij,ij->i", normals[corner], areas))
        np.add.at(weight, corner, sizes)
    mean = np.divide(cosine, weight, out=np.ones(len(vertices)), where=weight > 0)
    out = normals * (thickness / 2 / np.maximum(mean, _SHARPEST))[:, None]
    start, end = _rims(triangles)
    count = len(vertices)
    rim = [np.stack([end, start, start + count], axis=1), np.stack([end, start + count, end + count], axis=1)]
    both = np.concatenate([triangles, triangles[:, ::-1] + count, *rim])
    return np.concatenate([vertices + out, vertices - out]), both


def without_holes(vertices: Array, triangles: Numbers) -> tuple[Array, Numbers]:
    """The same surface with a fan of triangles over each hole."""
    start, end = _rims(triangles)
    if len(start) == 0:
        return vertices, triangles
    links = np.stack([start, end], axis=1)
    hole = np.unique(groups_of(len(vertices), links)[start], return_inverse=True)[1]
    middles = (vertices[start] + vertices[end]) / 2
    lengths = np.linalg.norm(vertices[end] - vertices[start], axis=1)
    whole = np.bincount(hole, weights=lengths)
    centres = np.stack([np.bincount(hole, weights=lengths * middles[:, axis]) / whole for axis in range(3)], axis=1)
    fans = np.stack([end, start, len(vertices) + hole], axis=1)
    return np.concatenate([vertices, centres]), np.concatenate([triangles, fans])


def _rims(triangles: Numbers) -> tuple[Numbers, Numbers]:
    """The open edges, from and to which vertex, as their triangle goes along them."""
    edges = edges_of(triangles)
    is_rim = edges.is_open[edges.edge_of]
    return triangles.ravel()[is_rim], triangles[:, [1, 2, 0]].ravel()[is_rim]
