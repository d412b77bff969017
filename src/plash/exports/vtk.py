"""VTK for ParaView and pyvista: surfaces and particles as `.vtp`, and a `.pvd` that lists the frames with their times.

Numbers stand behind the text of the file as they are in memory ("appended", "raw"), each array after its length.

Reference: VTK file formats, "XML file formats", of The VTK User's Guide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED, Rows
from plash.exports.axes import Up, upright, upright_mesh
from plash.mesh.mesh import Mesh
from plash.solvers.frame import FrameParticles
from plash.whitewater.motes import Motes

_TYPES = {"f4": "Float32", "f8": "Float64", "i4": "Int32", "i8": "Int64"}

Arrays = Mapping[str, NDArray[Any]]


def vtp_surface_bytes(mesh: Mesh, time: float, up: Up) -> bytes:
    """A surface with what is known at its vertices; `time` (s) is stored beside it."""
    mesh = upright_mesh(mesh, up)
    known = {"Normals": mesh.normals, "velocity": mesh.velocity, **mesh.scalars}
    at_points = {name: values for name, values in known.items() if values is not None}
    return _vtp_bytes(mesh.vertices, "Polys", mesh.faces, at_points, time)


def vtp_particles_bytes(particles: FrameParticles, time: float, up: Up) -> bytes:
    """Particles as points with what they carry; `time` (s) is stored beside them."""
    carried = {
        name: upright(in_space(values), up) if CARRIED[name].rows is Rows.AXES else values
        for name, values in particles.carried.items()
    }
    places = upright(in_space(particles.position.astype(np.float32)), up)
    return _vtp_bytes(places, "Verts", np.arange(len(places), dtype=np.int32)[:, None], carried, time)


def vtp_motes_bytes(motes: Motes, largest: float, time: float, up: Up) -> bytes:
    """Spray (kind 0), foam (1) and bubbles (2) as points; `largest` (m) is the radius of the largest."""
    places, velocity = (upright(in_space(each.astype(np.float32)), up) for each in (motes.position, motes.velocity))
    carried = {
        "velocity": velocity,
        "radius": (largest * motes.size).astype(np.float32),
        "age": motes.age,
        "kind": motes.kind.astype(np.int32),
    }
    return _vtp_bytes(places, "Verts", np.arange(len(places), dtype=np.int32)[:, None], carried, time)


def pvd_bytes(files: Iterable[tuple[float, int, str]]) -> bytes:
    """A list of files with the time (s) and the number of the part that each shows."""
    rows = [f'  <DataSet timestep="{time!r}" part="{part}" file={quoteattr(name)}/>' for time, part, name in files]
    head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n <Collection>'
    return "\n".join([head, *rows, " </Collection>", "</VTKFile>", ""]).encode()


def in_space(vectors: NDArray[Any]) -> NDArray[Any]:
    """Vectors (n, 2) or (n, 3) as (n, 3): those of a plane scene have z = 0."""
    return np.pad(vectors, ((0, 0), (0, 3 - vectors.shape[1])))


def _vtp_bytes(
    places: NDArray[np.float32], kind: str, cells: NDArray[np.int32], at_points: Arrays, time: float
) -> bytes:
    """Points, and cells of one kind with equally many corners each."""
    corners = cells.shape[1]
    last = np.arange(corners, corners * len(cells) + 1, corners, dtype=np.int32)
    body = _Appended()
    lines = [
        '<?xml version="1.0"?>',
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        "<PolyData>",
        "<FieldData>",
        body.array("TimeValue", np.array([time], np.float64), 'NumberOfTuples="1" '),
        "</FieldData>",
        f'<Piece NumberOfPoints="{len(places)}" Number{"Of" + kind}="{len(cells)}">',
        "<PointData>",
        *(body.array(name, values) for name, values in at_points.items()),
        "</PointData>",
        "<Points>",
        body.array("Points", places),
        "</Points>",
        f"<{kind}>",
        body.array("connectivity", cells.ravel()),
        body.array("offsets", last),
        f"</{kind}>",
        "</Piece>",
        "</PolyData>",
        '<AppendedData encoding="raw">_',
    ]
    return "\n".join(lines).encode() + b"".join(body.parts) + b"\n</AppendedData>\n</VTKFile>\n"


class _Appended:
    """Arrays behind the text of a file."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self._length = 0

    def array(self, name: str, values: NDArray[Any], more: str = "") -> str:
        """Put an array behind the others; returns the line that says where it is."""
        stored = values.astype(values.dtype.newbyteorder("<"), copy=False)
        columns = values.shape[1] if values.ndim == 2 else 1
        line = (
            f'<DataArray type="{_TYPES[stored.dtype.str[1:]]}" Name={quoteattr(name)} NumberOfComponents="{columns}" '
            f'{more}format="appended" offset="{self._length}"/>'
        )
        data = stored.tobytes()
        self.parts += [len(data).to_bytes(8, "little"), data]
        self._length += 8 + len(data)
        return line
