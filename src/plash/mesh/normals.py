"""Normals of a surface at its vertices: from the faces, or from the field that the surface was cut from.

Those of the faces belong to the mesh as it is, smoothed or not, and cost a pass over it. Those of the field are
exact to second order for a distance field, and know nothing of what was done to the mesh since.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import serial_kernel
from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.mesh.mesh import Mesh


def face_normals(vertices: NDArray[np.floating], faces: NDArray[np.int32]) -> NDArray[np.float32]:
    """Outward unit normals at vertices: the mean of the normals of the faces round it, weighted by their angles.

    Reference: Thürmer & Wüthrich 1998.
    """
    sums = np.zeros((len(vertices), 3))
    _add_normals(vertices.astype(np.float64), faces, sums)
    return _units(sums)


@serial_kernel
def _add_normals(vertices, faces, sums):  # type: ignore[no-untyped-def]
    side = np.empty((3, 3))
    for f in range(len(faces)):
        for corner in range(3):
            i, j = faces[f, corner], faces[f, (corner + 1) % 3]
            for axis in range(3):
                side[corner, axis] = vertices[j, axis] - vertices[i, axis]
        x = side[0, 1] * side[1, 2] - side[0, 2] * side[1, 1]
        y = side[0, 2] * side[1, 0] - side[0, 0] * side[1, 2]
        z = side[0, 0] * side[1, 1] - side[0, 1] * side[1, 0]
        doubled_area = np.sqrt(x * x + y * y + z * z)
        if doubled_area > 0:
            for corner in range(3):
                one, two = side[corner], side[(corner + 2) % 3]
                along = -(one[0] * two[0] + one[1] * two[1] + one[2] * two[2])
                weight = np.arctan2(doubled_area, along) / doubled_area
                i = faces[f, corner]
                sums[i, 0] += weight * x
                sums[i, 1] += weight * y
                sums[i, 2] += weight * z


def creased(mesh: Mesh, degrees: float = 65.0) -> Mesh:
    """The mesh for smooth shading: sharp where it is creased, as where the surface meets a wall.

    A corner of a face that is turned from the vertex's normal by more than an angle gets a vertex of its own, with the
    normal of the face. The mesh looks the same, but along creases it is no longer joined.
    """
    if mesh.normals is None or len(mesh.faces) == 0:
        return mesh
    a, b, c = (mesh.vertices[mesh.faces[:, corner]].astype(np.float64) for corner in range(3))
    of_face = _units(np.cross(b - a, c - a))
    cosine: NDArray[np.float32] = np.einsum("ijk,ik->ij", mesh.normals[mesh.faces], of_face)
    turned = cosine < np.cos(np.radians(degrees))
    turned &= (of_face != 0).any(axis=1, keepdims=True)
    old = mesh.faces[turned]
    faces = mesh.faces.copy()
    faces[turned] = len(mesh.vertices) + np.arange(len(old), dtype=np.int32)
    normals = np.concatenate([mesh.normals, of_face[np.nonzero(turned)[0]]])
    velocity = None if mesh.velocity is None else np.concatenate([mesh.velocity, mesh.velocity[old]])
    return Mesh(np.concatenate([mesh.vertices, mesh.vertices[old]]), faces, normals, velocity, mesh.edges)


def gradient_normals(
    field: CellField, vertices: NDArray[np.floating], spacing: float, origin: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> NDArray[np.float32]:
    """Outward unit normals at vertices: the direction in which a field (negative inside) grows, by central differences.

    Args:
        field: Samples at origin + spacing (i, j, k).
        vertices: (n, 3), in metres.
        spacing: Of the samples, in metres.
        origin: Of the samples, in metres.
    """
    dimension = field.tiles.dimension
    places = vertices.astype(np.float64)
    places[:, : len(origin)] -= origin
    places /= spacing
    slope = np.zeros((len(vertices), 3))
    for axis in range(dimension):
        step = np.zeros(3)
        step[axis] = 0.5
        slope[:, axis] = _sampled(field, places + step) - _sampled(field, places - step)
    return _units(slope)


def _sampled(field: CellField, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Linear interpolation of samples at lattice coordinates."""
    low = np.floor(places).astype(np.int64)
    part = places - low
    total = np.zeros(len(places))
    for corner in range(2**field.tiles.dimension):
        up = np.array([corner & 1, (corner >> 1) & 1, corner >> 2])
        weight = np.where(up == 1, part, 1 - part).prod(axis=1)
        total += weight * _looked_up(field.tiles, field.pool, low + up)
    return total


def _looked_up(tiles: Tiles, pool: NDArray[np.floating], points: NDArray[np.int64]) -> NDArray[np.floating]:
    sizes = np.array(tiles.shape[::-1])
    slots = tiles.slots_of_coordinates(points // sizes)
    x, y, z = (points % sizes).T
    found: NDArray[np.floating] = pool[slots, z, y, x]
    return found


def _units(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vectors / np.maximum(_lengths(vectors), np.finfo(np.float64).tiny)[:, None]).astype(np.float32)


def _lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return lengths
