"""Normals of a surface at its vertices: from the faces, or from the field that the surface was cut from.

Those of the faces belong to the mesh as it is, smoothed or not, and cost a pass over it. Those of the field are
exact to second order for a distance field, and know nothing of what was done to the mesh since.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range, numbers_in
from plash.grid.sample import interpolate_cells
from plash.grid.tiles import Shape, dimension_of
from plash.mesh.mesh import Mesh
from plash.mesh.topology import Corners, corners_by_vertex


def face_normals(
    vertices: NDArray[np.floating],
    faces: NDArray[np.int32],
    corners: Corners | None = None,
    counts: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Outward unit normals at vertices: the mean of the normals of the faces round it, weighted by their angles.

    Args:
        vertices: (n, 3), in any unit.
        faces: Triangles (m, 3).
        corners: Those of the faces, if they are known already.
        counts: Which faces count; all, if not said otherwise.

    Reference: Thürmer & Wüthrich 1998.
    """
    corners = corners or corners_by_vertex(faces, len(vertices))
    counts = np.ones(len(faces), np.bool_) if counts is None else counts
    normals = np.empty((len(vertices), 3), np.float32)
    places = np.ascontiguousarray(vertices, np.float64)
    _set_normals(places, corners, counts, normals, chunk_count())
    return normals


@kernel
def _set_normals(vertices, corners, counts, normals, chunks):
    starts, row, following, last, _ = corners
    n = len(vertices)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            sx, sy, sz = 0.0, 0.0, 0.0
            for s in numbers_in(starts, i):
                if not counts[row[s]]:
                    continue
                j, m = following[s], last[s]
                ax, ay, az = (
                    vertices[j, 0] - vertices[i, 0],
                    vertices[j, 1] - vertices[i, 1],
                    vertices[j, 2] - vertices[i, 2],
                )
                bx, by, bz = (
                    vertices[m, 0] - vertices[i, 0],
                    vertices[m, 1] - vertices[i, 1],
                    vertices[m, 2] - vertices[i, 2],
                )
                weight = _angle_per_area(
                    ax * bx + ay * by + az * bz,
                    (ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz),
                )
                sx += weight * (ay * bz - az * by)
                sy += weight * (az * bx - ax * bz)
                sz += weight * (ax * by - ay * bx)
            length = np.sqrt(sx * sx + sy * sy + sz * sz)
            scale = 1 / length if length > 0 else 0.0
            normals[i, 0] = sx * scale
            normals[i, 1] = sy * scale
            normals[i, 2] = sz * scale


@inlined
def _angle_per_area(product, squares):
    """The angle between two edges over the length of their cross product, from a·b and a² b²; to 7e-5 of a radian.

    arccos c = √(1 - c) p(c) for c >= 0, with a polynomial p, and |a x b| = √(a² b² (1 - c²)).

    Reference: Abramowitz & Stegun 1964, 4.4.45.
    """
    if squares <= 0:
        return 0.0
    scale = 1.0 / np.sqrt(squares)
    c = product * scale
    x = min(abs(c), 1.0)
    p = 1.5707288 + x * (-0.2121144 + x * (0.0742610 - x * 0.0187293))
    if c >= 0:
        return scale * p / np.sqrt(1.0 + x)
    return scale * (np.pi - np.sqrt(1.0 - x) * p) / np.sqrt(max(1.0 - x * x, 1e-12))


def outline_normals(vertices: NDArray[np.float64], edges: NDArray[np.int32]) -> NDArray[np.float32]:
    """Outward unit normals at the vertices of a 2-D outline; zero at all others."""
    along = vertices[edges[:, 1]] - vertices[edges[:, 0]]
    sums = np.zeros((len(vertices), 3))
    for end in range(2):
        sums[:, 0] += np.bincount(edges[:, end], along[:, 1], len(vertices))
        sums[:, 1] -= np.bincount(edges[:, end], along[:, 0], len(vertices))
    return _units(sums)


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
    scalars = {name: np.concatenate([values, values[old]]) for name, values in mesh.scalars.items()}
    return Mesh(np.concatenate([mesh.vertices, mesh.vertices[old]]), faces, normals, velocity, mesh.edges, scalars)


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
    places = vertices.astype(np.float64)
    places[:, : len(origin)] -= origin
    places /= spacing
    slope = np.zeros((len(vertices), 3))
    _find_slopes(field.tiles.shape)(field.pool, field.tiles.keys, places, slope, chunk_count())
    return _units(slope)


@for_tile_shape
def _find_slopes(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)

    @kernel
    def run(pool, keys, places, slope, chunks):
        n = len(places)
        for c in prange(chunks):
            for i in chunk_range(c, chunks, n):
                for axis in range(DIM):
                    for side in (-0.5, 0.5):
                        x = places[i, 0] + (side if axis == 0 else 0.0)
                        y = places[i, 1] + (side if axis == 1 else 0.0)
                        z = places[i, 2] + (side if axis == 2 else 0.0)
                        slope[i, axis] += 2 * side * interpolate_cells(pool, keys, x, y, z, BZ, BY, BX)

    return run


def _units(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vectors / np.maximum(_lengths(vectors), np.finfo(np.float64).tiny)[:, None]).astype(np.float32)


def _lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return lengths
