"""glTF files, in text or binary (GLB): the triangles of their scene, each part where its nodes put it.

Numbers are read from the file, from text in it, or from files in its folder: from nowhere else. Materials and skins
are left alone; for animations see `gltf_animation.py`.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from plash.scene.mesh_files.polygons import MOST_TRIANGLES, MeshFileError, Polygons

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_GLB = struct.Struct("<4sII")
_CHUNK = struct.Struct("<I4s")
_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_PACKED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")
_TRIANGLES, _STRIP, _FAN = 4, 5, 6


def read_gltf(data: bytes, folder: Path) -> Polygons:
    """The triangles of a glTF or GLB file that stands in a folder.

    Raises:
        MeshFileError: It is none, is damaged, or asks for what is elsewhere.
    """
    import numpy as np

    try:
        document = Document(data, folder)
        parts = list(document.parts())
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        if isinstance(error, MeshFileError):
            raise
        reason = f"{type(error).__name__} {str(error)[:60]!a}"
        raise MeshFileError(
            f"cannot be read as glTF: its JSON is not as it must be ({reason}); export it again"
        ) from None
    firsts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    corners = [triangles + first for (_, triangles), first in zip(parts, firsts, strict=False)]
    triangles = np.concatenate([np.empty((0, 3), np.int64), *corners])
    vertices = np.concatenate([np.empty((0, 3)), *(vertices for vertices, _ in parts)])
    return Polygons(vertices, triangles.ravel(), np.full(len(triangles), 3))


class Document:
    """A file: its JSON, and the numbers in its buffers."""

    def __init__(self, data: bytes, folder: Path) -> None:
        text, self._binary = _chunks(data)
        self._folder = folder
        try:
            self._json = json.loads(text)
        except (ValueError, RecursionError):
            raise MeshFileError("cannot be read as glTF: it holds no valid JSON; export it again") from None
        if not isinstance(self._json, dict):
            raise MeshFileError("cannot be read as glTF: its JSON is no table; export it again")
        packed = [name for name in _PACKED if name in self._json.get("extensionsRequired", ())]
        if packed:
            raise MeshFileError(f"is compressed ({packed[0]}): export it without compression")
        self._buffers: dict[int, bytes] = {}

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """All nodes."""
        listed: list[dict[str, Any]] = self._json.get("nodes", [])
        return listed

    @property
    def animations(self) -> list[dict[str, Any]]:
        """All animations."""
        listed: list[dict[str, Any]] = self._json.get("animations", [])
        return listed

    def parts(self) -> Iterator[tuple[Array, Numbers]]:
        """Vertices and triangles of each part, where it stands."""
        import numpy as np

        count = 0
        for number, matrix in self._nodes():
            mesh = self._json["nodes"][number].get("mesh")
            for primitive in [] if mesh is None else _entry(self._json, "meshes", mesh)["primitives"]:
                triangles = self._triangles(primitive)
                count += len(triangles)
                if count > MOST_TRIANGLES:
                    raise MeshFileError(f"has {count} triangles or more: at most {MOST_TRIANGLES}; decimate it")
                if len(triangles) == 0:
                    continue
                vertices = self.values(primitive["attributes"]["POSITION"], 3)
                if int(triangles.max()) >= len(vertices):
                    sentence = f"has a triangle with a corner at vertex {triangles.max()}"
                    raise MeshFileError(f"{sentence}, but its {len(vertices)} vertices count from 0: export it again")
                with np.errstate(invalid="ignore", over="ignore"):
                    vertices = vertices @ matrix[:3, :3].T + matrix[:3, 3]
                    mirrored = np.linalg.det(matrix[:3, :3]) < 0
                # A mirror turns triangles inside out
                yield vertices, triangles[:, ::-1] if mirrored else triangles

    def _nodes(self) -> Iterator[tuple[int, Array]]:
        """The nodes of the scene from its roots down, and where each stands."""
        import numpy as np

        nodes = self._json.get("nodes", [])
        scenes = self._json.get("scenes")
        if scenes:
            roots = list(_entry(self._json, "scenes", self._json.get("scene", 0)).get("nodes", []))
        else:
            below = {child for node in nodes for child in node.get("children", [])}
            roots = [number for number in range(len(nodes)) if number not in below]
        seen = set()
        waiting = [(number, np.eye(4)) for number in reversed(roots)]
        while waiting:
            number, above = waiting.pop()
            if number in seen:
                raise MeshFileError(
                    f"has a node, number {number}, that stands below itself or below two others: export it again"
                )
            seen.add(number)
            node = _entry(self._json, "nodes", number)
            with np.errstate(invalid="ignore", over="ignore"):
                matrix = above @ placement(node)
            yield number, matrix
            waiting += [(child, matrix) for child in reversed(node.get("children", []))]

    def _triangles(self, primitive: dict[str, Any]) -> Numbers:
        """The triangles of a part; none if it is made of points or lines."""
        import numpy as np

        mode = primitive.get("mode", _TRIANGLES)
        if mode not in (_TRIANGLES, _STRIP, _FAN) or "POSITION" not in primitive["attributes"]:
            return np.empty((0, 3), np.int64)
        packed = [name for name in _PACKED if name in primitive.get("extensions", ())]
        if packed:
            raise MeshFileError(f"is compressed ({packed[0]}): export it without compression")
        if "indices" in primitive:
            listed = self.values(primitive["indices"], 1)[:, 0].astype(np.int64)
        else:
            listed = np.arange(self._count(_entry(self._json, "accessors", primitive["attributes"]["POSITION"])))
        if mode == _TRIANGLES:
            return listed[: len(listed) // 3 * 3].reshape(-1, 3)
        if mode == _FAN:
            return np.stack([np.full(max(len(listed) - 2, 0), listed[0]), listed[1:-1], listed[2:]], axis=1)
        strip = np.stack([listed[:-2], listed[1:-1], listed[2:]], axis=1)
        strip[1::2] = strip[1::2, [1, 0, 2]]
        return strip

    def values(self, number: int, width: int) -> Array:
        """The rows of an accessor."""
        import numpy as np

        accessor = _entry(self._json, "accessors", number)
        count = self._count(accessor)
        rows = np.zeros((count, width))
        if "bufferView" in accessor:
            rows[:] = self._rows(accessor, accessor["componentType"], count, width)
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            changed = self._count(sparse)
            places = self._rows(sparse["indices"], sparse["indices"]["componentType"], changed, 1)[:, 0]
            if changed and places.max() >= count:
                raise MeshFileError(f"has a changed row {places.max()} of {count}: export it again")
            rows[places] = self._rows(sparse["values"], accessor["componentType"], changed, width)
        if accessor.get("normalized") and accessor["componentType"] != 5126:
            rows = np.maximum(rows / np.iinfo(_TYPES[accessor["componentType"]]).max, -1.0)
        return rows

    def _count(self, accessor: dict[str, Any]) -> int:
        count = int(accessor["count"])
        if not 0 <= count <= 3 * MOST_TRIANGLES:
            raise MeshFileError(
                f"speaks of {count} rows: at most {3 * MOST_TRIANGLES}; decimate it, or export it again"
            )
        return count

    def _rows(self, place: dict[str, Any], kind: int, count: int, width: int) -> NDArray[Any]:
        """Rows of numbers at a place in a view of a buffer."""
        import numpy as np

        view = _entry(self._json, "bufferViews", place["bufferView"])
        data = self._buffer(view["buffer"])
        layout = np.dtype(_TYPES[kind])
        stride = int(view.get("byteStride", 0)) or layout.itemsize * width
        start = int(view.get("byteOffset", 0)) + int(place.get("byteOffset", 0))
        end = start + stride * (count - 1) + layout.itemsize * width
        if start < 0 or stride < 0 or (count and end > len(data)):
            raise MeshFileError(
                f"speaks of bytes up to {end} of a buffer of {len(data)}: it is damaged, export it again"
            )
        if count == 0:
            return np.empty((0, width), layout)
        return np.ndarray((count, width), layout, data, start, (stride, layout.itemsize))

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            buffer = _entry(self._json, "buffers", number)
            uri = buffer.get("uri")
            self._buffers[number] = self._binary if uri is None else self._fetched(str(uri), int(buffer["byteLength"]))
        return self._buffers[number]

    def _fetched(self, uri: str, size: int) -> bytes:
        """What a link stands for: text in the link itself, or a file in the folder of this one."""
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except (binascii.Error, ValueError):
                raise MeshFileError("has a buffer that is no base64 text: export it again") from None
        shown = ascii(uri[:60])
        parts = urlsplit(uri)
        if parts.scheme or parts.netloc:
            raise MeshFileError(f"asks for {shown}: only files in its own folder are read; export it as GLB")
        home = self._folder.resolve()
        try:
            path = (home / unquote(parts.path)).resolve()
            if not path.is_relative_to(home):
                raise MeshFileError(
                    f"asks for {shown}, which is not in its folder: only files there are read; export it as GLB"
                )
            if not path.is_file():
                raise MeshFileError(
                    f"asks for {shown}, and there is no such file in its folder: put it there, or export it as GLB"
                )
            with path.open("rb") as file:
                return file.read(max(size, 0))
        except OSError as error:
            raise MeshFileError(f"asks for {shown}, which cannot be read: {error.strerror}") from None


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """The JSON text and the binary part of a file; the whole file is text unless it is a GLB."""
    if not data.startswith(b"glTF"):
        return data, b""
    if len(data) < _GLB.size:
        raise MeshFileError("cannot be read as GLB: it is cut short; export it again")
    version, length = _GLB.unpack_from(data)[1:]
    if version != 2 or length > len(data):
        sentence = f"it is of version {version}" if version != 2 else f"it has {len(data)} of {length} bytes"
        raise MeshFileError(f"cannot be read as GLB: {sentence}; export it again")
    found = {b"JSON": b"", b"BIN\0": b""}
    at = _GLB.size
    while at + _CHUNK.size <= length:
        size, kind = _CHUNK.unpack_from(data, at)
        at += _CHUNK.size
        if kind in found and not found[kind]:
            found[kind] = data[at : at + size]
        at += size
    return found[b"JSON"], found[b"BIN\0"]


def _entry(document: dict[str, Any], name: str, number: Any) -> dict[str, Any]:
    """An entry of a list of the document, by its number."""
    listed = document.get(name, [])
    if not isinstance(number, int) or not 0 <= number < len(listed):
        raise MeshFileError(f"names {name}[{str(number)[:20]}], but there are {len(listed)}: export it again")
    entry: dict[str, Any] = listed[number]
    return entry


def placement(node: dict[str, Any]) -> Array:
    """Where a node stands to the one above it."""
    import numpy as np

    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    x, y, z, w = np.array(node.get("rotation", (0, 0, 0, 1)), np.float64).tolist()
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), np.float64).reshape(3)
    matrix[:3, 3] = np.array(node.get("translation", (0, 0, 0)), np.float64).reshape(3)
    return matrix
