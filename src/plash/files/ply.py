"""PLY: meshes for other programs, as little-endian binary.

vertex   x y z, then nx ny nz if normals are known, vx vy vz (m/s) if velocities are, and what else particles carry to
         vertices (`plash/carried.py`), such as age (s), all as float; then red green blue as uchar, as screens show
         them (sRGB), if the liquid has colours, which other programs understand
face     list uchar int vertex_indices
edge     vertex1 vertex2: the outline, for 2-D meshes
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED, COLOR, scalars
from plash.errors import DamagedError
from plash.files.atomic import Written, read_bytes
from plash.mesh.mesh import Mesh
from plash.scene.colors import screen
from plash.scene.domain import Domain
from plash.solvers.limits import FASTEST, cells_of

_PLACES = {"vertices": ("x", "y", "z"), "normals": ("nx", "ny", "nz")}
_SHADES = ("red", "green", "blue")
_FACE = np.dtype([("count", "u1"), ("vertices", "<i4", 3)])


def ply_bytes(
    mesh: Mesh, velocity: tuple[str, ...] = CARRIED["velocity"].vertex, note: str = "metres, y is up"
) -> bytes:
    """The mesh as a PLY file; `velocity` names its components, and `note` says what the numbers mean."""
    columns, bytes_of = _columns_of(mesh, velocity), _screen_colors(mesh)
    rows = np.empty(len(mesh.vertices), _vertex_type(list(columns), list(bytes_of)))
    for name, values in {**columns, **bytes_of}.items():
        rows[name] = values
    faces = np.empty(len(mesh.faces), _FACE)
    faces["count"] = 3
    faces["vertices"] = mesh.faces
    lines = ["ply", "format binary_little_endian 1.0", f"comment plash; {note}", f"element vertex {len(rows)}"]
    lines += [f"property float {name}" for name in columns] + [f"property uchar {name}" for name in bytes_of]
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
    shades = re.findall(r"^property uchar (\w+)$", header, re.MULTILINE)
    if len({*floats, *shades}) != len(floats) + len(shades):
        raise ValueError(f"{name}: two properties of its vertices have one name: write the file again")
    vertices, faces, edges = (counts.get(what, 0) for what in ("vertex", "face", "edge"))

    layout = _vertex_type(floats, shades)
    sizes = [layout.itemsize * vertices, _FACE.itemsize * faces, 8 * edges]
    body = memoryview(data)[end + len(b"end_header\n") :]
    if len(body) != sum(sizes):
        raise ValueError(f"{name}: {len(body)} bytes follow the header, which speaks of {sum(sizes)}: write it again")
    table = np.frombuffer(body[: sizes[0]], layout)
    rows = np.column_stack([table[name] for name in floats]) if floats else np.zeros((vertices, 0), np.float32)
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
        _carried_in(rows, floats),
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
    for name, values in mesh.scalars.items():
        columns |= dict(zip(CARRIED[name].vertex, np.atleast_2d(values.T), strict=True))
    return columns


def _screen_colors(mesh: Mesh) -> dict[str, NDArray[np.uint8]]:
    """The colours of vertices as screens show them, if they have any."""
    if COLOR not in mesh.scalars:
        return {}
    shown = np.rint(255 * screen(mesh.scalars[COLOR])).astype(np.uint8)
    return dict(zip(_SHADES, shown.T, strict=True))


def _vertex_type(floats: list[str], shades: list[str]) -> np.dtype[Any]:
    return np.dtype([(name, "<f4") for name in floats] + [(name, "u1") for name in shades])


def _carried_in(rows: NDArray[np.float32], properties: list[str]) -> dict[str, NDArray[np.float32]]:
    """What else the liquid carries, of what a file has, by name."""
    found = {}
    for name in (*scalars(), COLOR):
        values = _columns(rows, properties, CARRIED[name].vertex)
        if values is not None:
            found[name] = values[:, 0].copy() if CARRIED[name].is_scalar else values
    return found


def _columns(rows: NDArray[np.float32], names: list[str], wanted: tuple[str, ...]) -> NDArray[np.float32] | None:
    if not set(wanted) <= set(names):
        return None
    return np.ascontiguousarray(rows[:, [names.index(axis) for axis in wanted]], np.float32)


def _are_indices(numbers: NDArray[np.int32], count: int) -> bool:
    return len(numbers) == 0 or bool(numbers.min() >= 0 and numbers.max() < count)
