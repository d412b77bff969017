"""OBJ: a mesh as text that nearly every program reads: vertices, normals and triangles.

Numbers are written with as many decimals as single precision holds. Texts are made as columns of characters, in which
0 stands for no character and is left out at the end: so there is no loop over lines.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from plash.exports.axes import Up, upright_mesh
from plash.mesh.mesh import Mesh

Characters = NDArray[np.uint8]

_DIGITS = 8  # significant ones of the largest coordinate
_DECIMALS_OF_NORMALS = 5


def obj_bytes(mesh: Mesh, name: str, up: Up) -> bytes:
    """The mesh as an OBJ file, with an axis up."""
    mesh = upright_mesh(mesh, up)
    largest = float(np.abs(mesh.vertices).max(initial=1e-30))
    decimals = min(max(_DIGITS - 1 - math.floor(math.log10(largest)), 0), 12)
    parts = [f"# plash; metres, {up} is up\no {name}\n".encode(), _lines("v", mesh.vertices, decimals)]
    if mesh.normals is not None:
        parts.append(_lines("vn", mesh.normals, _DECIMALS_OF_NORMALS))
    parts.append(_faces(mesh.faces, mesh.normals is not None))
    return b"".join(parts)


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
    rest = counted
    for place in range(count - 1, -1, -1):
        rest, digits[:, place] = rest // 10, rest % 10 + ord("0")
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
