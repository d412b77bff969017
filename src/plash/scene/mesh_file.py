"""Files of triangles: which ones can be read, and what is in them.

STL, OBJ, PLY, GLB and glTF are read by trimesh, which is imported only then. Nothing is fetched from a network: of a
glTF file's companions only those in its own folder are read, and textures and materials of any file are left alone.
"""

from __future__ import annotations

import hashlib
import io
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plash.errors import Problem, SceneError
from plash.scene.words import nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUFFIXES = (".stl", ".obj", ".ply", ".glb", ".gltf")

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

    parts = list(_parts(_opened(file)))
    if not parts:
        raise _refused(f"{short(file)} holds no triangles: export the surface as a mesh of triangles")
    firsts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    triangles = np.concatenate([part + first for (_, part), first in zip(parts, firsts, strict=False)])
    used, numbers = np.unique(triangles, return_inverse=True)
    vertices = np.ascontiguousarray(np.concatenate([part for part, _ in parts])[used])
    triangles = np.ascontiguousarray(numbers.reshape(triangles.shape).astype(np.int64))
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        where = int(np.argmin(finite))
        lost = f"{int((~finite).sum())} of {len(finite)} vertices that are not finite"
        raise _refused(f"{short(file)} has {lost}, the first {vertices[where].tolist()}: export it again without them")
    digest = hashlib.sha256(vertices.tobytes() + triangles.tobytes()).hexdigest()
    return FileMesh(vertices, triangles, digest)


def _opened(file: str) -> Any:
    """The file as a trimesh scene: named parts, and where each stands."""
    import trimesh

    kind = Path(file).suffix.lower()[1:]
    options: dict[str, Any] = {"process": False}
    if kind in ("obj", "glb", "gltf"):
        options["skip_materials"] = True
    if kind == "gltf":
        options["resolver"] = trimesh.resolvers.FilePathResolver(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return trimesh.load(io.BytesIO(Path(file).read_bytes()), file_type=kind, force="scene", **options)
    # A broken file can make a reader stumble in any way at all
    except Exception as error:  # noqa: BLE001
        raise _refused(f"{short(file)} cannot be read as {kind.upper()}: {_reason(error)}; export it again") from None


def _parts(scene: Any) -> Iterator[tuple[Any, Any]]:
    """Vertices and triangles of each part, where it stands in the file."""
    import numpy as np

    for node in sorted(scene.graph.nodes_geometry, key=str):
        matrix, name = scene.graph[node]
        part = scene.geometry[name]
        triangles = np.asarray(getattr(part, "faces", ()), dtype=np.int64).reshape(-1, 3)
        if len(triangles) == 0:
            continue
        vertices = np.asarray(part.vertices, dtype=np.float64)
        if not np.array_equal(matrix, np.eye(4)):
            vertices = vertices @ matrix[:3, :3].T + matrix[:3, 3]
            # A mirror turns triangles inside out
            triangles = triangles[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else triangles
        yield vertices, triangles


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
