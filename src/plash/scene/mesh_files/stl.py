"""STL files: loose triangles, as text or as little-endian singles."""

from __future__ import annotations

import re

from plash.scene.mesh_files.polygons import MOST_TRIANGLES, MeshFileError, Polygons, numbers_in

_HEADER = 84  # bytes: a comment, and the number of triangles
_ROW = 50


def read_stl(data: bytes) -> Polygons:
    """The triangles of an STL file, each with vertices of its own.

    Raises:
        MeshFileError: It is none, or is damaged.
    """
    import numpy as np

    is_text = re.match(rb"\s*solid\b", data) is not None and re.search(rb"\bvertex\b|\bendsolid\b", data) is not None
    if is_text:
        places = re.findall(rb"\bvertex\s+(\S+\s+\S+\s+\S+)", data)
        vertices = numbers_in(b" ".join(places), "a vertex").reshape(-1, 3)
    else:
        count = int.from_bytes(data[80:_HEADER], "little")
        if len(data) < _HEADER + _ROW * count or len(data) < _HEADER:
            sentence = f"speaks of {count} triangles, {_HEADER + _ROW * count} bytes, but has {len(data)}"
            raise MeshFileError(f"{sentence}: it is no STL file, or cut short; export it again")
        layout = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
        if count > MOST_TRIANGLES:
            raise MeshFileError(f"has {count} triangles: at most {MOST_TRIANGLES}; decimate it")
        vertices = np.frombuffer(data, layout, count, _HEADER)["corners"].reshape(-1, 3).astype(np.float64)
    if len(vertices) % 3:
        raise MeshFileError(f"has {len(vertices)} vertices, not three for each triangle: export it again")
    return Polygons(vertices, np.arange(len(vertices)), np.full(len(vertices) // 3, 3))
