"""Triangles of the shapes of a scene: what solids look like.

Boxes, spheres, cylinders, capsules and tubes are laid out exactly, with normals; for meshes see `mesh_shapes.py`; a
union is the triangles of its parts together. Everything else is found by marching over its distance, sampled
finely over the domain and what is near it, and cut off there. In 2-D each is a flat region with an outline.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.levelset.shapes import distance
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh, joined
from plash.mesh.mesh_shapes import mesh_shape_mesh
from plash.scene.domain import Domain
from plash.scene.mesh_shape import MeshShape
from plash.scene.moves import Movable
from plash.scene.shapes import Box, Capsule, Cylinder, Difference, Shape, Sphere, Union

Array = NDArray[np.float64]

_AROUND = 96  # points round a circle
_CREASE = 0.8  # cosine between two normals of one smooth surface
_NEARBY = 0.5  # of the domain's longest side: how far beyond it shapes without an exact mesh are seen to their end
_SAMPLES = {2: 512, 3: 144}  # along the longest side of the domain, for shapes without an exact mesh


def shape_mesh(shape: Shape, domain: Domain) -> Mesh:
    """The surface of a shape, after its rotation and translation; in 2-D the region it takes up.

    >>> ball = shape_mesh(Sphere(center=(0, 0, 0), radius=1), Domain(size=(1, 1, 1)))
    >>> round(ball.volume, 2), ball.open_edges()
    (4.18, 0)
    """
    mesh = _mesh(shape, domain)
    return _sampled(shape, domain) if mesh is None else _moved(mesh, shape, domain.dimension)


@singledispatch
def _mesh(shape: Any, domain: Domain) -> Mesh | None:
    """The mesh of a shape before it is moved; None if there is no exact one."""
    return None


@_mesh.register
def _box(shape: Box, domain: Domain) -> Mesh:
    low, high = np.array(shape.min), np.array(shape.max)
    if domain.dimension == 2:
        return _filled([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    vertices, normals, faces = list[Array](), list[Array](), []
    for axis in range(3):
        for side in (0, 1):
            across = [(axis + 1) % 3, (axis + 2) % 3] if side else [(axis + 2) % 3, (axis + 1) % 3]
            part = np.full((4, 3), float(side))
            part[:, across] = corners
            out = np.zeros((4, 3))
            out[:, axis] = 2 * side - 1
            faces.append(np.array([[0, 1, 2], [0, 2, 3]]) + 4 * len(vertices))
            vertices.append(low + part * (high - low))
            normals.append(out)
    return _made(np.concatenate(vertices), np.concatenate(faces), np.concatenate(normals))


@_mesh.register
def _sphere(shape: Sphere, domain: Domain) -> Mesh:
    center = np.array(shape.center)
    if domain.dimension == 2:
        return _filled(center + shape.radius * _circle())
    angle = np.linspace(0, math.pi, _AROUND // 2 + 1)
    profile = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    return _turned(shape.radius * profile, profile, center, np.array([0.0, 1.0, 0.0]))


@_mesh.register
def _cylinder(shape: Cylinder, domain: Domain) -> Mesh:
    base, along, length = _axis(shape)
    r = shape.radius
    if domain.dimension == 2:
        side, top = r * np.array([-along[1], along[0]]), base + length * along
        return _filled([base - side, top - side, top + side, base + side])
    # Rims are there twice: with the normals of the end and of the side
    profile = np.array([[0, 0], [r, 0], [r, 0], [r, length], [r, length], [0, length]])
    out = np.array([[0, -1], [0, -1], [1, 0], [1, 0], [0, 1], [0, 1.0]])
    return _turned(profile, out, base, along)


@_mesh.register
def _capsule(shape: Capsule, domain: Domain) -> Mesh:
    base, along, length = _axis(shape)
    if domain.dimension == 2:
        half = _circle()[: _AROUND // 2 + 1]  # counter-clockwise from +x to -x
        side, ahead = np.array([along[1], -along[0]]), along
        top = base + length * along + shape.radius * (half @ np.stack([side, ahead]))
        bottom = base - shape.radius * (half @ np.stack([side, ahead]))
        return _filled(np.concatenate([top, bottom]))
    angle = np.linspace(0, math.pi / 2, _AROUND // 4 + 1)
    low = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    high = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    profile = np.concatenate([shape.radius * low, shape.radius * high + [0, length]])
    return _turned(profile, np.concatenate([low, high]), base, along)


@_mesh.register
def _union(shape: Union, domain: Domain) -> Mesh:
    return joined([shape_mesh(part, domain) for part in shape.of])


@_mesh.register
def _tube(shape: Difference, domain: Domain) -> Mesh | None:
    """A cylinder with a bore along its axis, from end to end; no other difference has an exact mesh."""
    if domain.dimension == 2 or len(shape.of) != 2 or not all(isinstance(part, Cylinder) for part in shape.of):
        return None
    whole, bore = shape.of
    assert isinstance(whole, Cylinder)
    assert isinstance(bore, Cylinder)
    base, along, length = _axis(whole)
    ends = np.array([bore.base, bore.top]) - base
    heights = ends @ along
    aside = np.abs(ends - heights[:, None] * along).max()
    moved = any(part.rotation is not None or part.translation is not None for part in (whole, bore))
    is_through = heights.min() < 0 and heights.max() > length and bore.radius < whole.radius
    if moved or not is_through or aside > 1e-9 * length:
        return None
    r, inner = whole.radius, bore.radius
    corners = np.array([[r, 0], [r, length], [inner, length], [inner, 0], [r, 0]])
    sides = np.array([[1, 0], [0, 1], [-1, 0], [0, -1.0]])
    profile = np.concatenate([corners[n : n + 2] for n in range(4)])
    return _turned(profile, np.repeat(sides, 2, axis=0), base, along)


@_mesh.register
def _triangles(shape: MeshShape, domain: Domain) -> Mesh:
    return mesh_shape_mesh(shape)


def _sampled(shape: Shape, domain: Domain) -> Mesh:
    """The shape by its distance at the nodes of a lattice with air all round."""
    dimension = domain.dimension
    low, high = _extent(shape, domain)
    size = high - low
    if (size <= 0).any():
        return Mesh.empty()
    step = min(float(size.max()), max(domain.cells) * domain.h) / _SAMPLES[dimension]
    count = np.maximum(np.rint(size / step), 2).astype(int)
    along = [start + np.arange(-1, n + 2) * (side / n) for start, n, side in zip(low, count, size, strict=True)]
    points = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, dimension)
    inside = _distance_in_box(shape, points, low, high).reshape([n + 3 for n in count])
    # The lattice is stretched to cubes for marching, and its vertices back
    lattice = np.ascontiguousarray(inside.T.astype(np.float32))
    mesh = mesh_of_array(lattice, 1.0, (0.0,) * dimension)
    scale = np.ones(3)
    scale[:dimension] = size / count
    vertices = (mesh.vertices - np.append(np.ones(dimension), np.zeros(3 - dimension))) * scale
    vertices[:, :dimension] += low
    if dimension == 2:
        return Mesh(vertices.astype(np.float32), mesh.faces, edges=mesh.edges)
    return _with_corner_normals(vertices, mesh.faces, shape, low, high, 0.02 * step)


def _extent(shape: Shape, domain: Domain) -> tuple[Array, Array]:
    """Where a shape is sampled: in the domain, and where it ends not far from it; all of it if it is elsewhere."""
    size = np.array(domain.cells) * domain.h
    low, high = (np.array(end, np.float64) for end in shape.bounds(domain.dimension))
    nearby = _NEARBY * size.max()
    reached = np.maximum(low, -nearby), np.minimum(high, size + nearby)
    if np.isfinite([low, high]).all() and (reached[0] >= reached[1]).any():
        return low, high
    return np.where(low > -nearby, np.minimum(low, 0), 0.0), np.where(
        high < size + nearby, np.maximum(high, size), size
    )


def _with_corner_normals(
    vertices: Array, faces: NDArray[np.int32], shape: Shape, low: Array, high: Array, reach: float
) -> Mesh:
    """The faces with a normal at each corner: up the distance just inside the face, so that creases stay sharp.

    Where that is far from the face's own normal, as in a face across a crease, the face's is taken.
    """
    corners = vertices[faces]
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = np.repeat(crossed / np.maximum(np.linalg.norm(crossed, axis=1, keepdims=True), 1e-300), 3, axis=0)
    points = (0.8 * corners + 0.2 * corners.mean(axis=1, keepdims=True)).reshape(-1, 3)
    normals = np.empty_like(points)
    for axis in range(3):
        ends = [_distance_in_box(shape, points + side * np.eye(3)[axis], low, high) for side in (reach, -reach)]
        normals[:, axis] = ends[0] - ends[1]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    far = np.einsum("ij,ij->i", normals, flat) < _CREASE
    normals[far] = flat[far]
    return _made(corners.reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3), normals)


def _distance_in_box(shape: Shape, points: Array, low: Array, high: Array) -> Array:
    """The distance to the part of a shape that lies in a box."""
    clipped: Array = np.maximum(distance(shape, points), np.max(np.maximum(low - points, points - high), axis=1))
    return clipped


def _turned(profile: Array, out: Array, base: Array, along: Array) -> Mesh:
    """A body of revolution: (radius, height) from the lower end of the axis to the upper, and its normals."""
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    across /= np.sqrt(across @ across)
    frame = np.stack([across, np.cross(along, across), along])
    circle = _circle()
    rows = len(profile)
    ring = np.repeat(circle[None], rows, axis=0)  # rows, around, 2

    def spread(flat: Array) -> Array:
        placed = np.concatenate([ring * flat[:, None, :1], np.repeat(flat[:, None, 1:], _AROUND, axis=1)], axis=2)
        turned: Array = placed.reshape(-1, 3) @ frame
        return turned

    pole = profile[:, 0] <= 1e-9 * np.abs(profile).max()
    numbers = np.where(pole[:, None], 0, np.arange(_AROUND)) + _AROUND * np.arange(rows)[:, None]
    following = np.roll(numbers, -1, axis=1)
    faces = []
    for low, high in zip(range(rows - 1), range(1, rows), strict=True):
        if not pole[low]:
            faces.append(np.stack([numbers[low], following[low], following[high]], axis=1))
        if not pole[high]:
            faces.append(np.stack([numbers[low], following[high], numbers[high]], axis=1))
    used, renumbered = np.unique(np.concatenate(faces), return_inverse=True)
    return _made((base + spread(profile))[used], renumbered.reshape(-1, 3), spread(out)[used])


def _filled(outline: ArrayLike) -> Mesh:
    """A convex region in the plane, from its outline, counter-clockwise."""
    points = np.asarray(outline, np.float64)
    n = len(points)
    k = np.arange(1, n - 1)
    mesh = _made(np.column_stack([points, np.zeros(n)]), np.stack([np.zeros_like(k), k, k + 1], axis=1), None)
    edges = np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1).astype(np.int32)
    return Mesh(mesh.vertices, mesh.faces, edges=edges)


def _made(vertices: Array, faces: NDArray[np.int_], normals: Array | None) -> Mesh:
    unit = None if normals is None else normals.astype(np.float32)
    return Mesh(vertices.astype(np.float32), faces.astype(np.int32), unit)


def _moved(mesh: Mesh, shape: Movable, dimension: int) -> Mesh:
    if shape.rotation is None and shape.translation is None:
        return mesh
    vertices, normals = mesh.vertices.astype(np.float64), mesh.normals
    if shape.rotation is not None:
        matrix = np.eye(3)
        matrix[:dimension, :dimension] = shape.rotation.matrix()
        pivot = np.zeros(3)
        pivot[:dimension] = shape.pivot(dimension)
        vertices = (vertices - pivot) @ matrix.T + pivot
        normals = None if normals is None else (normals @ matrix.T).astype(np.float32)
    if shape.translation is not None:
        vertices[:, :dimension] += shape.translation
    return Mesh(vertices.astype(np.float32), mesh.faces, normals, edges=mesh.edges)


def _axis(shape: Cylinder | Capsule) -> tuple[Array, Array, float]:
    base = np.array(shape.base)
    span = np.array(shape.top) - base
    length = float(np.sqrt(span @ span))
    return base, span / length, length


def _circle() -> Array:
    """Points of the unit circle, counter-clockwise; opposite ones are exact mirror images."""
    angle = 2 * math.pi * np.arange(_AROUND) / _AROUND
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)
