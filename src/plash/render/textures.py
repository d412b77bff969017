"""Pictures from files that cover solids: each side of a body shows the picture as if it were thrown on it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError
from plash.mesh.mesh import Mesh
from plash.scene.bodies import Solid
from plash.scene.colors import light_of, linear
from plash.scene.domain import Domain
from plash.scene.mesh_files.file import short

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


def texture_of(solid: Solid) -> Floats | None:
    """Light (rows, columns, 3) that a solid's texture returns, with its colour; None if it has no texture.

    Raises:
        SceneError: The file cannot be read any more.
    """
    look = solid.look
    if look.texture is None:
        return None
    return _read(look.texture, look.texture_sha256) * light_of(look.seen_color).astype(np.float32)


def texture_places(solid: Solid, domain: Domain, time: float, points: Array, normals: Array) -> Floats:
    """Where points (n, 3) of a solid at a time are on its texture, in parts of its width and height, from the top left.

    A texture moves with its solid: it is thrown on the body as it stands before its motion, along the axis that the
    normal (n, 3) is nearest to.
    """
    if solid.motion is not None:
        matrix, shift = solid.motion.pose(time)
        turn = np.array(matrix, np.float64)
        points, normals = (points - np.array(shift)) @ turn, normals @ turn
    size = solid.look.texture_size or max(domain.size)
    axis = np.abs(normals).argmax(axis=1)
    x, y, z = points.T
    across = np.choose(axis, [z, x, x])
    down = np.choose(axis, [-y, z, -y])
    return (np.stack([across, down], axis=1) / size).astype(np.float32)


def apart(mesh: Mesh) -> Mesh:
    """A mesh whose triangles share no corners, with normals."""
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    if mesh.normals is not None:
        normals = mesh.normals[mesh.faces].reshape(-1, 3)
    else:
        crossed = np.cross(corners[1::3] - corners[::3], corners[2::3] - corners[::3])
        length = np.maximum(np.linalg.norm(crossed, axis=1, keepdims=True), 1e-30)
        normals = np.repeat(crossed / length, 3, axis=0).astype(np.float32)
    return Mesh(corners, np.arange(len(corners), dtype=np.int32).reshape(-1, 3), normals)


def face_sides(mesh: Mesh) -> Array:
    """The normal of each triangle at each of its corners: all three are on one side of a texture."""
    corners = mesh.vertices[mesh.faces].astype(np.float64)
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.repeat(crossed, 3, axis=0)


@lru_cache(maxsize=8)
def _read(file: str, sha256: str) -> Floats:
    """The picture of a file with this content."""
    from PIL import Image

    try:
        with Image.open(file) as image:
            return linear(np.asarray(image.convert("RGB"), np.float64) / 255).astype(np.float32)
    except (OSError, SyntaxError) as error:
        fault = f"{short(file)} cannot be read as a picture ({error}): export it again"
        raise SceneError([Problem("look.texture", fault)]) from None
