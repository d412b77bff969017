"""OBJ: a mesh as text that nearly every program reads: vertices, normals and triangles.

Numbers are written with as many decimals as single precision holds. Texts are made as columns of characters, in which
0 stands for no character and is left out at the end: so there is no loop over lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.exports.axes import Up, upright_mesh
from plash.mesh.mesh import Mesh

Characters = NDArray[np.uint8]

_DIGITS = 8  # significant ones of the largest coordinate
_DECIMALS_OF_NORMALS = 5
_ROWS = 1 << 13  # that are made into text at a time: so many stay in the processor's cache


def obj_bytes(mesh: Mesh, name: str, up: Up) -> bytes:
    """The mesh as an OBJ file, with an axis up."""
    mesh = upright_mesh(mesh, up)
    largest = float(np.abs(mesh.vertices).max(initial=1e-30))
    decimals = min(max(_DIGITS - 1 - math.floor(math.log10(largest)), 0), 12)
    has_normals = mesh.normals is not None
    parts = [f"# plash; metres, {up} is up\no {name}\n".encode()]
    parts += [_lines("v", rows, decimals) for rows in _parts(mesh.vertices)]
    if mesh.normals is not None:
        parts += [_lines("vn", rows, _DECIMALS_OF_NORMALS) for rows in _parts(mesh.normals)]
    parts += [_faces(rows, has_normals) for rows in _parts(mesh.faces)]
    return b"".join(parts)


def _parts(rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Some rows after the other."""
    return (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))


def _lines(word: str, vectors: NDArray[np.float32], decimals: int) -> bytes:
    """A line for each vector: a word and its numbers."""
    counted = np.rint(np.abs(vectors.astype(np.float64)) * 10.0**decimals).astype(np.int64)
    columns = [_repeated(word, len(vectors))]
    for axis in range(3):
        sign = np.where((vectors[:, axis] < 0) & (counted[:, axis] > 0), ord("-"), 0).astype(np.uint8)
        columns += [_repeated(" ", len(vectors)), sign[:, None], _decimal(counted[:, axis], decimals)]
    return _text([*columns, _repeated("\n", len(vectors))])


def _faces(faces: NDArray[np.int32], with_normals: bool) -> bytes:
    """A line for each triangle; its normals have the numbers of its vertices."""
    columns = [_repeated("f", len(faces))]
    for corner in range(3):
        number = _decimal(faces[:, corner].astype(np.int64) + 1, 0)
        columns += [_repeated(" ", len(faces)), number]
        columns += [_repeated("//", len(faces)), number] if with_normals else []
    return _text([*columns, _repeated("\n", len(faces))])


def _decimal(counted: NDArray[np.int64], decimals: int) -> Characters:
    """Whole numbers, none below 0, as texts with so many digits behind the point, without zeros in front."""
    count = max(len(str(int(counted.max(initial=0)))), decimals + 1)
    digits = np.empty((len(counted), count), np.uint8)
    rest: NDArray[Any] = counted.astype(np.uint32 if count < 10 else np.uint64)  # narrow ones are divided faster
    ten: Any = rest.dtype.type(10)
    for place in range(count - 1, -1, -1):
        tenth = rest // ten
        digits[:, place] = rest - tenth * ten
        rest = tenth
    digits += ord("0")
    leading = count - decimals - 1  # one digit stands before the point always
    is_blank = np.logical_and.accumulate(digits[:, :leading] == ord("0"), axis=1)
    digits[:, :leading][is_blank] = 0
    if decimals == 0:
        return digits
    point = _repeated(".", len(counted))
    return np.concatenate([digits[:, : leading + 1], point, digits[:, leading + 1 :]], axis=1)


def _repeated(word: str, count: int) -> Characters:
    return np.broadcast_to(np.frombuffer(word.encode(), np.uint8), (count, len(word)))


def _text(columns: list[Characters]) -> bytes:
    """Columns side by side, without what is no character."""
    characters = np.concatenate(columns, axis=1).ravel()
    return characters[characters > 0].tobytes()
