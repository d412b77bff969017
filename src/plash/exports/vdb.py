"""VDB: sparse grids for Blender, Houdini, Arnold and whatever else reads OpenVDB; written here, with NumPy alone.

Grids of numbers and of vectors in trees of the usual shape (5, 4, 3): a root, nodes of 32³ children, nodes of 16³
leaves, leaves of 8³ voxels (`vdb_tree.py`). A fog volume holds something where a voxel is active and nothing
elsewhere. In a level set voxels are active in a band about the surface; beyond it they are the width of the band, with
the sign of their side.

Reference: Museth 2013, "VDB: high-resolution sparse volumes with dynamic topology"; file format 224.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.exports.axes import TURNS, Up
from plash.exports.vdb_packing import PLAIN, Packing, Part
from plash.exports.vdb_tree import LEAF, Leaves, tree_bytes
from plash.grid.sparse_grid import SparseGrid, volume_grids
from plash.grid.volume import Volume

_MAGIC, _FORMAT, _LIBRARY = 0x56444220, 224, (10, 0)
_ACTIVE_ONLY = 2  # the format's bit that says so of numbers


def vdb_bytes(volume: Volume, up: Up = "y", half: bool = False) -> bytes:
    """A volume as a VDB file: a grid for each of its pools."""
    return vdb_file(volume_grids(volume), up, half)


def vdb_file(grids: Iterable[SparseGrid], up: Up = "y", half: bool = False, packing: Packing = PLAIN) -> bytes:
    """Grids as a VDB file.

    Args:
        grids: What it holds.
        up: Which axis points up.
        half: Whether numbers are of half the length.
        packing: How they are packed.
    """
    parts: list[Part] = [b""]  # the header comes last: it holds a name made from all that follows
    listed = list(grids)
    start = 8 + 4 + 8 + 1 + 36
    about = _metadata({"creator": "plash"}) + struct.pack("<I", len(listed))
    place = start + len(about)
    parts.append(about)
    for grid in listed:
        suffix = "_HalfFloat" if half else ""
        kind = f"Tree_{'vec3s' if grid.is_vector else 'float'}_5_4_3{suffix}"
        head = _text(grid.name) + _text(kind) + _text("")
        leaves = _turned(_leaves(grid), grid, up)
        tree = tree_bytes(leaves, grid.background, half, packing)
        described = struct.pack("<I", _ACTIVE_ONLY | packing.bit)
        described += _metadata(_about(grid, leaves, half)) + _transform(grid, up) + tree.topology
        first = place + len(head) + 24
        end = first + len(described) + sum(map(len, tree.values))
        parts += [head, struct.pack("<qqq", first, first + len(described), end), described, *tree.values]
        place = end
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    name = digest.hexdigest()
    uuid = "-".join((name[:8], name[8:12], "4" + name[13:16], "8" + name[17:20], name[20:32]))
    parts[0] = struct.pack("<qIIIB", _MAGIC, _FORMAT, *_LIBRARY, 1) + uuid.encode()
    return b"".join(parts)


def _leaves(grid: SparseGrid) -> Leaves:
    """The blocks of 8³ voxels that hold a grid; x changes slowest in them. Plane tiles give one layer, z = 0."""
    origins, pool, active = grid.tiles.origins[1:], grid.pool[1:], grid.active[1:]
    if grid.tiles.dimension == 2:
        origins, pool = _in_space(origins, pool, grid.background)
        active = _in_space(grid.tiles.origins[1:], active, 0)[1]
    values = np.ascontiguousarray(np.moveaxis(pool, (1, 3), (3, 1))).reshape(len(origins), LEAF**3, *pool.shape[4:])
    told = np.ascontiguousarray(active.transpose(0, 3, 2, 1)).reshape(len(origins), LEAF**3)
    return Leaves(origins, values, told)


def _in_space(
    origins: NDArray[np.int32], pool: NDArray[Any], background: float
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Plane blocks of 16² cells as blocks of 8³, four for each, whose first layer they fill."""
    parts, places = [], []
    for y in (0, LEAF):
        for x in (0, LEAF):
            part = np.full((len(pool), LEAF, LEAF, LEAF, *pool.shape[4:]), background, pool.dtype)
            part[:, 0] = pool[:, 0, y : y + LEAF, x : x + LEAF]
            parts.append(part)
            places.append(origins + np.array([x, y, 0], np.int32))
    return np.concatenate(places), np.concatenate(parts)


def _turned(leaves: Leaves, grid: SparseGrid, up: Up) -> Leaves:
    """The same, with vectors as the axes of the file have them: their places are turned by the grid's transform."""
    if not grid.is_vector:
        return leaves
    dimension = leaves.values.shape[2]
    turn = TURNS[up].astype(np.float32)[:, :dimension]
    axes = [sum(turn[row, a] * leaves.values[..., a] for a in np.flatnonzero(turn[row])) for row in range(3)]
    blank = np.zeros(leaves.values.shape[:2], np.float32)
    vectors = np.stack([blank + axis for axis in axes], axis=-1)
    return Leaves(leaves.origins, vectors, leaves.active)


def _about(grid: SparseGrid, leaves: Leaves, half: bool) -> dict[str, object]:
    """What is said of a grid."""
    low, high = leaves.bounds()
    about: dict[str, object] = {
        "class": grid.kind.value,
        "name": grid.name,
        "is_saved_as_half_float": half,
        "is_local_space": False,
        "file_bbox_min": low,
        "file_bbox_max": high,
        "file_voxel_count": int(leaves.counts.sum()),
    }
    if grid.is_vector:
        about["vector_type"] = "contravariant relative"
    return about


def _metadata(entries: Mapping[str, object]) -> bytes:
    """Named values, each with its type."""
    parts = [struct.pack("<I", len(entries))]
    for name, value in entries.items():
        match value:
            case bool():
                kind, data = "bool", struct.pack("<B", value)
            case int():
                kind, data = "int64", struct.pack("<q", value)
            case tuple():
                kind, data = "vec3i", struct.pack("<3i", *value)
            case _:
                kind, data = "string", str(value).encode()
        parts += [_text(name), _text(kind), struct.pack("<I", len(data)), data]
    return b"".join(parts)


def _transform(grid: SparseGrid, up: Up) -> bytes:
    """Where voxels are: a scale and a shift; with another axis up, a matrix for row vectors."""
    h, turn = grid.h, TURNS[up]
    shift = turn @ np.array(grid.origin)
    if up == "y":
        numbers = (*shift, *(h,) * 6, *(1 / h,) * 3, *(1 / h**2,) * 3, *(0.5 / h,) * 3)
        return _text("UniformScaleTranslateMap") + struct.pack("<18d", *numbers)
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = h * turn.T
    matrix[3] = (*shift, 1.0)
    return _text("AffineMap") + matrix.astype("<f8").tobytes()


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data
