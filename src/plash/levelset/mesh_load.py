"""Meshes of files, made ready for distances."""

from __future__ import annotations

from functools import lru_cache

from plash.errors import Problem, SceneError
from plash.levelset.mesh_bodies import Repaired, Shell
from plash.levelset.triangles import Array, Triangles
from plash.scene.mesh_files.file import stamp
from plash.scene.mesh_files.surface import Body, surface_of
from plash.scene.mesh_shape import MeshShape


def mesh_distance(shape: MeshShape, points: Array, name: str = "shape", least: float = 0.0) -> Array:
    """The signed distance of points (n, 3) to a mesh before it is moved, its walls thickened to a least thickness.

    Raises:
        SceneError: The file cannot be read, or its triangles enclose no body; names each defect and its remedy.
    """
    return load_body(shape, name).distance(points, least)


def load_body(shape: MeshShape, name: str = "shape") -> Triangles | Shell | Repaired:
    """The body of a mesh shape, checked and scaled, before it is moved.

    Args:
        shape: The shape.
        name: What messages call it, such as ``solid[0].shape``.

    Raises:
        SceneError: The file cannot be read, or its triangles make no body; names each defect and its remedy.
    """
    try:
        body = _scaled(shape.file, stamp(shape.file), shape.body, shape.scale)
    except SceneError as error:
        raise SceneError([Problem(f"{name}.{problem.key}", problem.message) for problem in error.problems]) from None
    return Shell(body, shape.thickness) if shape.thickness is not None and isinstance(body, Triangles) else body


def mesh_problems(shape: MeshShape, name: str = "shape") -> list[Problem]:
    """Everything wrong with the file of a mesh shape: empty if it can be simulated."""
    try:
        load_body(shape, name)
    except SceneError as error:
        return list(error.problems)
    return []


@lru_cache(maxsize=16)
def _scaled(file: str, stamped: tuple[int, int], body: Body, scale: float) -> Triangles | Repaired:
    surface_of(file, body, scale)
    return _built(file, stamped, body).scaled(scale)


@lru_cache(maxsize=16)
def _built(file: str, _stamped: tuple[int, int], body: Body) -> Triangles | Repaired:
    vertices, triangles = surface_of(file, body)
    return Repaired.of(vertices, triangles) if body == "repaired" else Triangles.of(vertices, triangles)
