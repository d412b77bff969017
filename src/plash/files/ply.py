"""PLY: meshes for other programs, as little-endian binary.

vertex   x y z, then nx ny nz if normals are known, vx vy vz (m/s) if velocities are, and what else particles carry to
         vertices (`plash/carried.py`), such as age (s)
face     list uchar int vertex_indices
edge     vertex1 vertex2: the outline, for 2-D meshes
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED, scalars
from plash.errors import DamagedError
from plash.files.atomic import Written, read_bytes
from plash.mesh.mesh import Mesh
from plash.scene.domain import Domain
from plash.solvers.limits import FASTEST, cells_of

_PLACES = {"vertices": ("x", "y", "z"), "normals": ("nx", "ny", "nz")}
_FACE = np.dtype([("count", "u1"), ("vertices", "<i4", 3)])


def ply_bytes(
    mesh: Mesh, velocity: tuple[str, ...] = CARRIED["velocity"].vertex, note: str = "metres, y is up"
) -> bytes:
    """The mesh as a PLY file; `velocity` names its components, and `note` says what the numbers mean."""
    columns = _columns_of(mesh, velocity)
    rows = np.column_stack(list(columns.values())).astype("<f4")
    faces = np.empty(len(mesh.faces), _FACE)
    faces["count"] = 3
    faces["vertices"] = mesh.faces
    lines = ["ply", "format binary_little_endian 1.0", f"comment plash; {note}", f"element vertex {len(rows)}"]
    lines += [f"property float {name}" for name in columns]
    lines += [f"element face {len(faces)}", "property list uchar int vertex_indices"]
    if len(mesh.edges):
        lines += [f"element edge {len(mesh.edges)}", "property int vertex1", "property int vertex2"]
    header = "\n".join([*lines, "end_header", ""])
    return header.encode() + rows.tobytes() + faces.tobytes() + mesh.edges.astype("<i4").tobytes()


def mesh_from_ply(data: bytes, name: str) -> Mesh:
    """The mesh of a file that `ply_bytes` wrote, bit for bit.

    Args:
        data: The file.
        name: What messages call it.

    Raises:
        ValueError: It is no such file, or a part of it is missing.
    """
    end = data.find(b"end_header\n")
    if not data.startswith(b"ply\nformat binary_little_endian 1.0\n") or end < 0:
        raise ValueError(f"{name}: this is no binary PLY file that plash wrote")
    header = data[:end].decode("ascii", "replace")
    counts = {what: int(number) for what, number in re.findall(r"^element (\w+) (\d{1,12})$", header, re.MULTILINE)}
    floats = re.findall(r"^property float (\w+)$", header, re.MULTILINE)
    vertices, faces, edges = (counts.get(what, 0) for what in ("vertex", "face", "edge"))

    sizes = [4 * len(floats) * vertices, _FACE.itemsize * faces, 8 * edges]
    body = memoryview(data)[end + len(b"end_header\n") :]
    if len(body) != sum(sizes):
        raise ValueError(f"{name}: {len(body)} bytes follow the header, which speaks of {sum(sizes)}: write it again")
    rows = np.frombuffer(body[: sizes[0]], "<f4").reshape(vertices, len(floats))
    triangles = np.frombuffer(body[sizes[0] : sizes[0] + sizes[1]], _FACE)
    lines = np.frombuffer(body[sizes[0] + sizes[1] :], "<i4").reshape(-1, 2)
    if (triangles["count"] != 3).any() or not _are_indices(triangles["vertices"], vertices):
        raise ValueError(f"{name}: a face is damaged: write the file again")
    places = _columns(rows, floats, _PLACES["vertices"])
    if places is None or not _are_indices(lines, vertices) or not np.isfinite(rows).all():
        raise ValueError(f"{name}: its vertices or edges are damaged: write the file again")
    return Mesh(
        places,
        triangles["vertices"].astype(np.int32),
        _columns(rows, floats, _PLACES["normals"]),
        _columns(rows, floats, CARRIED["velocity"].vertex),
        lines.astype(np.int32),
        {name: np.ascontiguousarray(rows[:, floats.index(vertex)], np.float32) for name, vertex in _scalars_in(floats)},
    )


def read_surface(path: Path, domain: Domain, expected: Written | None, remedy: str) -> Mesh:
    """The liquid's surface in a file, which must be what was written, and where liquid of this domain can be.

    Raises:
        DamagedError: It is missing, changed, or no such surface.
    """
    data = read_bytes(path, expected, remedy)
    try:
        mesh = mesh_from_ply(data, str(path))
    except ValueError as error:
        raise DamagedError(f"{error}. {remedy}") from None
    d = domain.dimension
    low, high = (limit * domain.h for limit in cells_of(domain))
    if ((mesh.vertices[:, :d] < low) | (mesh.vertices[:, :d] > high)).any() or np.any(mesh.vertices[:, d:]):
        raise DamagedError(f"{path}: is damaged: it has vertices where liquid cannot be. {remedy}")
    for name, values in {"normals": mesh.normals, "velocity": mesh.velocity, **mesh.scalars}.items():
        if values is not None and np.any(np.abs(values) > FASTEST):
            raise DamagedError(f"{path}: is damaged: its {name} are out of all bounds. {remedy}")
    return mesh


def _columns_of(mesh: Mesh, velocity: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
    """What is known at the vertices, by the name of the property."""
    vectors = [
        (_PLACES["vertices"], mesh.vertices),
        (_PLACES["normals"], mesh.normals),
        (velocity, mesh.velocity),
    ]
    columns = {name: values[:, k] for names, values in vectors if values is not None for k, name in enumerate(names)}
    return columns | {scalars()[name].vertex[0]: values for name, values in mesh.scalars.items()}


def _scalars_in(properties: list[str]) -> list[tuple[str, str]]:
    """The scalars that a file has, by their name and that of their property."""
    known = [(name, quantity.vertex[0]) for name, quantity in scalars().items()]
    return [(name, vertex) for name, vertex in known if vertex in properties]


def _columns(rows: NDArray[np.float32], names: list[str], wanted: tuple[str, ...]) -> NDArray[np.float32] | None:
    if not set(wanted) <= set(names):
        return None
    return np.ascontiguousarray(rows[:, [names.index(axis) for axis in wanted]], np.float32)


def _are_indices(numbers: NDArray[np.int32], count: int) -> bool:
    return len(numbers) == 0 or bool(numbers.min() >= 0 and numbers.max() < count)
