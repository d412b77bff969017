"""Triangle meshes: the surface of a liquid in 3-D, the region it fills in 2-D."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.mesh.topology import edges_of


def _no_edges() -> NDArray[np.int32]:
    return np.zeros((0, 2), np.int32)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles and what is known at their corners.

    Attributes:
        vertices: Positions (n, 3) in metres; z = 0 in 2-D.
        faces: Vertices (m, 3) of each triangle, counter-clockwise seen from outside (in 2-D from +z).
        normals: Outward unit normals (n, 3), if known.
        velocity: Of the liquid at the vertices (n, 3) in m/s, if known.
        edges: Outline (k, 2) of a 2-D mesh, with the liquid on its left; none in 3-D.
        scalars: What else the liquid carries at the vertices (n,), by name, such as its age in s; its color is (n, 3).

    Example:
        >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
        >>> tetrahedron = Mesh(corners, faces)
        >>> round(tetrahedron.volume, 6), tetrahedron.euler_number, tetrahedron.open_edges()
        (0.166667, 2, 0)
    """

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    normals: NDArray[np.float32] | None = None
    velocity: NDArray[np.float32] | None = None
    edges: NDArray[np.int32] = field(default_factory=_no_edges)
    scalars: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)

    @staticmethod
    def empty() -> Mesh:
        """No triangles at all."""
        none = np.zeros((0, 3), np.float32)
        return Mesh(none, np.zeros((0, 3), np.int32), none, none)

    @property
    def dimension(self) -> int:
        """2 for a flat region in the plane z = 0, else 3."""
        is_flat = len(self.edges) > 0 or (len(self.faces) > 0 and not self.vertices[:, 2].any())
        return 2 if is_flat else 3

    @property
    def volume(self) -> float:
        """Volume inside, m³, by the divergence theorem; in 2-D the area of the triangles, m²."""
        if self.dimension == 2:
            return float(_doubled_areas(self.vertices, self.faces)[:, 2].sum() / 2)
        return float(cone_volumes(self.vertices, self.faces).sum())

    @property
    def area(self) -> float:
        """Area of the triangles, m²."""
        doubled = _doubled_areas(self.vertices, self.faces)
        return float(np.sqrt((doubled**2).sum(axis=1)).sum() / 2)

    @property
    def euler_number(self) -> int:
        """Vertices - edges + faces: 2 for a sphere, 0 for a torus; the sum over the parts."""
        used = np.zeros(len(self.vertices), np.bool_)
        used[self.faces] = True
        return int(used.sum()) - len(edges_of(self.faces, len(self.vertices)).ends) + len(self.faces)

    def open_edges(self) -> int:
        """Number of edges without exactly two faces of opposite direction; in 2-D, of points where the outline ends."""
        if self.dimension == 2:
            ends = [np.bincount(self.edges[:, side], minlength=len(self.vertices)) for side in range(2)]
            return int(((ends[0] != ends[1]) | (ends[0] > 1)).sum())
        return int((~edges_of(self.faces, len(self.vertices)).is_sound).sum())


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one; normals, velocities and scalars are kept if all have them."""
    if not meshes:
        return Mesh.empty()
    firsts = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes[:-1]], dtype=np.int32)
    pairs = list(zip(meshes, firsts, strict=True))
    normals = [mesh.normals for mesh in meshes if mesh.normals is not None]
    velocity = [mesh.velocity for mesh in meshes if mesh.velocity is not None]
    shared = [name for name in meshes[0].scalars if all(name in mesh.scalars for mesh in meshes)]
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + first for mesh, first in pairs]),
        np.concatenate(normals) if len(normals) == len(meshes) else None,
        np.concatenate(velocity) if len(velocity) == len(meshes) else None,
        np.concatenate([mesh.edges + first for mesh, first in pairs]),
        {name: np.concatenate([mesh.scalars[name] for mesh in meshes]) for name in shared},
    )


def cone_volumes(vertices: NDArray[np.floating], faces: NDArray[np.int32]) -> NDArray[np.float64]:
    """Signed volume of the cone from the vertices' mean to each face: their sum is the volume of a closed mesh."""
    if len(faces) == 0:
        return np.zeros(0)
    places = vertices.astype(np.float64)
    a, b, c = ((places - places.mean(axis=0))[faces[:, corner]] for corner in range(3))
    volumes: NDArray[np.float64] = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    return volumes


def _doubled_areas(vertices: NDArray[np.floating], faces: NDArray[np.int32]) -> NDArray[np.float64]:
    """Normal of each face with twice its area as length."""
    a, b, c = (vertices[faces[:, corner]].astype(np.float64) for corner in range(3))
    crossed: NDArray[np.float64] = np.cross(b - a, c - a)
    return crossed
