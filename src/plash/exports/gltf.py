"""GLB: a mesh as one binary glTF 2.0 file, for browsers, viewers and game engines.

glTF is in metres with y up, as plash is. What has no place in it is an attribute of its own, with an underscore: the
velocity as `_VELOCITY` (m/s), and what else the liquid carries, such as `_AGE` (s).

Reference: Khronos, glTF 2.0 specification, sections 3.6, 3.7 and 4.4.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import COLOR
from plash.mesh.mesh import Mesh

_FLOAT, _UINT = 5126, 5125
_VERTICES, _INDICES = 34962, 34963  # what a part of the buffer is for
_TRIANGLES = 4


def glb_bytes(mesh: Mesh, name: str, material: dict[str, Any]) -> bytes:
    """A mesh as a GLB file.

    Args:
        mesh: The mesh; one without triangles gives a scene without a node.
        name: What the object is called.
        material: It, as glTF describes materials.
    """
    parts: list[bytes] = []
    about: dict[str, Any] = {"asset": {"version": "2.0", "generator": "plash"}, "scene": 0, "scenes": [{}]}
    if len(mesh.faces):
        views: list[Any] = []
        accessors: list[Any] = []
        about |= {"bufferViews": views, "accessors": accessors}
        attributes = {
            key: _add(values, _VERTICES, parts, views, accessors) for key, values in _attributes(mesh).items()
        }
        indices = _add(mesh.faces.astype("<u4").ravel(), _INDICES, parts, views, accessors)
        shape = {"attributes": attributes, "indices": indices, "material": 0, "mode": _TRIANGLES}
        about |= {
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "name": name}],
            "meshes": [{"name": name, "primitives": [shape]}],
            "materials": [material],
            "extensionsUsed": sorted(material.get("extensions", {})),
            "buffers": [{"byteLength": sum(map(len, parts))}],
        }
    about = {key: part for key, part in about.items() if part != []}  # glTF has no empty lists
    text = json.dumps(about, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = b"".join(parts)
    chunks = [struct.pack("<II", len(text), 0x4E4F534A), text]
    chunks += [struct.pack("<II", len(body), 0x004E4942), body] if body else []
    return struct.pack("<III", 0x46546C67, 2, 12 + sum(map(len, chunks))) + b"".join(chunks)


def _attributes(mesh: Mesh) -> dict[str, NDArray[np.float32]]:
    """What is known at the vertices, by glTF's names."""
    known = {"POSITION": mesh.vertices, "NORMAL": mesh.normals, "_VELOCITY": mesh.velocity}
    found = {key: values.astype("<f4") for key, values in known.items() if values is not None}
    names = {name: "COLOR_0" if name == COLOR else f"_{name.upper()}" for name in mesh.scalars}
    return found | {names[name]: values.astype("<f4") for name, values in mesh.scalars.items()}


def _add(values: NDArray[Any], target: int, parts: list[bytes], views: list[Any], accessors: list[Any]) -> int:
    """Put an array behind the others; returns its number."""
    data = values.tobytes()
    views.append({"buffer": 0, "byteOffset": sum(map(len, parts)), "byteLength": len(data), "target": target})
    parts.append(data)
    accessor: dict[str, Any] = {
        "bufferView": len(views) - 1,
        "componentType": _UINT if target == _INDICES else _FLOAT,
        "count": len(values),
        "type": "VEC3" if values.ndim == 2 else "SCALAR",
    }
    if len(accessors) == 0:  # the positions, of which glTF wants to know the bounds
        accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
    accessors.append(accessor)
    return len(accessors) - 1
