"""Files of triangles: which ones can be read, and what is in them.

Each format has a reader of its own beside this file. Nothing is fetched from a network: of a glTF file's companions
only those in its own folder are read, and textures and materials of any file are left alone.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from plash.errors import Problem, SceneError
from plash.scene.language.words import nearest
from plash.scene.mesh_files.gltf import read_gltf
from plash.scene.mesh_files.obj import read_obj
from plash.scene.mesh_files.ply import read_ply
from plash.scene.mesh_files.polygons import MeshFileError, Polygons, triangulated
from plash.scene.mesh_files.stl import read_stl

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUFFIXES = (".stl", ".obj", ".ply", ".glb", ".gltf")

LARGEST_FILE = 2**31  # bytes

_LONGEST_PATH = 240


@dataclass(frozen=True, eq=False)
class FileMesh:
    """The triangles of a file, in its own units; parts are joined, nothing else is changed.

    Attributes:
        vertices: (n, 3), finite, each used by some triangle.
        triangles: (m, 3) rows of vertices, with m at least 1.
        sha256: Of all these numbers: equal for equal triangles.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    sha256: str


def read_mesh(file: str) -> FileMesh:
    """The triangles of a file; one read before is not read again unless it has changed.

    Raises:
        SceneError: The file is missing, is not what its suffix says, or holds no finite triangles.
    """
    fault = file_fault(file)
    if fault:
        raise _refused(fault)
    return _read(file, stamp(file))


def stamp(file: str) -> tuple[int, int]:
    """Changes when a file does: the time of its last change in ns, and its size."""
    try:
        found = os.stat(file)
    except (OSError, ValueError) as error:
        raise _refused(f"{short(file)} cannot be read: {_reason(error)}") from None
    return found.st_mtime_ns, found.st_size


def file_fault(file: str) -> str:
    """Why a path is not a file that can be read as a mesh, without opening it; empty if it may be one."""
    path = Path(file)
    if path.suffix.lower() not in SUFFIXES:
        what = f'has the suffix "{path.suffix[:20]}"' if path.suffix else "has no suffix"
        return f"{short(file)} {what}: a mesh is one of {', '.join(SUFFIXES)}"
    try:
        if path.is_dir():
            return f"{short(file)} is a folder: give a file in it"
        if not path.exists():
            return f"there is no file {short(file)}.{_similar(path)}".removesuffix(".")
        if not path.is_file():
            return f"{short(file)} is a device or pipe, not a file"
        if path.stat().st_size > LARGEST_FILE:
            size = f"{path.stat().st_size / 1e9:.1f} GB, at most {LARGEST_FILE / 1e9:.1f}"
            return f"{short(file)} is too large, {size}: decimate the mesh"
    except (OSError, ValueError) as error:
        return f"{short(file)} cannot be read: {_reason(error)}"
    return ""


def short(file: str) -> str:
    """A path as messages show it: printable, and the end of it if it is very long."""
    text = file if len(file) <= _LONGEST_PATH else f"...{file[-_LONGEST_PATH:]}"
    return text if text.isprintable() else ascii(text)


@lru_cache(maxsize=16)
def _read(file: str, _stamp: tuple[int, int]) -> FileMesh:
    import numpy as np

    try:
        vertices, triangles = triangulated(_opened(file))
    except MeshFileError as error:
        raise _refused(f"{short(file)} {error}") from None
    if triangles.size == 0:
        what = "a cloud of points" if len(vertices) else "nothing that is a surface"
        raise _refused(f"{short(file)} holds no triangles, {what}: export the surface as a mesh of triangles")
    used, numbers = np.unique(triangles, return_inverse=True)
    vertices = np.ascontiguousarray(vertices[used])
    triangles = np.ascontiguousarray(numbers.reshape(triangles.shape).astype(np.int64))
    lost = np.unique(np.nonzero(~np.isfinite(vertices))[0])
    if lost.size:
        what = f"{lost.size} of {len(vertices)} vertices that are not finite, the first {vertices[lost[0]].tolist()}"
        raise _refused(f"{short(file)} has {what}: export it again without them")
    digest = hashlib.sha256(vertices.tobytes() + triangles.tobytes()).hexdigest()
    return FileMesh(vertices, triangles, digest)


def _opened(file: str) -> Polygons:
    """What the reader for its suffix finds in a file."""
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MeshFileError(f"cannot be read: {_reason(error)}") from None
    match path.suffix.lower():
        case ".stl":
            return read_stl(data)
        case ".obj":
            return read_obj(data)
        case ".ply":
            return read_ply(data)
        case _:
            return read_gltf(data, path.parent)


def _similar(path: Path) -> str:
    try:
        names = os.listdir(path.parent)[:1000]
    except OSError:
        return f" There is no folder {short(str(path.parent))} either"
    return nearest(path.name, [name for name in names if Path(name).suffix.lower() in SUFFIXES])


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    line = text.strip().partition("\n")[0] or type(error).__name__
    return line[:120] if line.isprintable() else ascii(line[:120])


def _refused(sentence: str) -> SceneError:
    return SceneError([Problem("file", sentence)])
