"""PLY files: text and binary of either byte order, polygons of any number of corners, any further properties."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plash.scene.mesh_files.polygons import MeshFileError, Polygons, numbers_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LETTERS = {
    "char": "b", "int8": "b", "uchar": "B", "uint8": "B", "short": "h", "int16": "h", "ushort": "H", "uint16": "H",
    "int": "i", "int32": "i", "uint": "I", "uint32": "I", "float": "f", "float32": "f", "double": "d", "float64": "d",
}  # fmt: skip
_ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">", "ascii": ""}
_LONGEST_HEADER = 1 << 16
_FACES = ("vertex_indices", "vertex_index")


@dataclass(frozen=True)
class _Property:
    """A number of each row, or a list of them: then with the letter of its length."""

    name: str
    letter: str
    length: str = ""


@dataclass(frozen=True)
class _Element:
    name: str
    count: int
    properties: tuple[_Property, ...]

    @property
    def has_lists(self) -> bool:
        return any(own.length for own in self.properties)


def read_ply(data: bytes) -> Polygons:
    """The vertices and faces of a PLY file.

    Raises:
        MeshFileError: It is none, or is damaged.
    """
    import numpy as np

    order, elements, start = _header(data)
    body = _Text(data[start:]) if not order else _Binary(data, start, order)
    vertices = np.empty((0, 3))
    corners = counts = np.empty(0, np.int64)
    for element in elements:
        if element.name == "vertex":
            names = [own.name for own in element.properties]
            if element.has_lists or not all(axis in names for axis in "xyz"):
                raise MeshFileError("has vertices without x, y and z: export it again")
            vertices = body.rows(element)[:, [names.index(axis) for axis in "xyz"]]
        elif element.name == "face" and any(own.name in _FACES and own.length for own in element.properties):
            corners, counts = body.lists(element, _FACES)
        elif element.has_lists:
            body.lists(element, ())
        else:
            body.rows(element)
    return Polygons(np.ascontiguousarray(vertices), corners, counts)


def _header(data: bytes) -> tuple[str, list[_Element], int]:
    """The byte order, empty for text; the elements; and where their rows begin."""
    end = re.search(rb"(?m)^end_header[ \t]*\r?\n?", data[:_LONGEST_HEADER])
    if not data.startswith(b"ply") or end is None:
        raise MeshFileError('cannot be read as PLY: it has no header from "ply" to "end_header"; export it again')
    lines = [line.split() for line in data[: end.start()].decode("ascii", "replace").splitlines()[1:]]
    order = ""
    elements: list[_Element] = []
    for words in lines:
        match words:
            case [] | ["comment" | "obj_info", *_]:
                continue
            case ["format", kind, *_] if kind in _ORDERS:
                order = _ORDERS[kind]
            case ["element", name, count] if count.isascii() and count.isdigit() and len(count) < 19:
                elements.append(_Element(name, int(count), ()))
            case ["property", *what] if elements:
                last = elements[-1]
                elements[-1] = _Element(last.name, last.count, (*last.properties, _property(what)))
            case _:
                raise MeshFileError(f"has a header with the line {' '.join(words)[:60]!a}: export it again")
    return order, elements, end.end()


def _property(words: list[str]) -> _Property:
    match words:
        case ["list", length, kind, name] if kind in _LETTERS and _LETTERS.get(length, "f") not in "fd":
            return _Property(name, _LETTERS[kind], _LETTERS[length])
        case [kind, name] if kind in _LETTERS:
            return _Property(name, _LETTERS[kind])
    raise MeshFileError(f"has a header with the property {' '.join(words)[:60]!a}: export it again")


def _refuse_short(element: _Element, wanted: int, there: int, what: str) -> None:
    if wanted > there:
        sentence = f"speaks of {element.count} rows of {element.name}, {wanted} {what} or more"
        raise MeshFileError(f"{sentence}, but {there} are left: it is cut short or damaged, export it again")


class _Binary:
    """The rows of a binary file, taken from its front."""

    def __init__(self, data: bytes, start: int, order: str) -> None:
        self._data, self._at, self._order = data, start, order

    def rows(self, element: _Element) -> NDArray[np.float64]:
        """The numbers of an element without lists, (rows, properties)."""
        import numpy as np

        layout = np.dtype([(str(k), self._order + own.letter) for k, own in enumerate(element.properties)])
        size = layout.itemsize * element.count
        _refuse_short(element, size, len(self._data) - self._at, "bytes")
        table = np.frombuffer(self._data, layout, element.count if size else 0, self._at)
        self._at += size
        columns = [table[name].astype(np.float64) for name in layout.names or ()]
        return np.stack(columns, axis=1) if columns else np.empty((0, 0))

    def lists(self, element: _Element, names: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All entries of the list of one of these names, and how many each row has."""
        import numpy as np

        data, at = self._data, self._at
        least = sum(struct.calcsize(own.length or own.letter) for own in element.properties)
        _refuse_short(element, least * element.count, len(data) - at, "bytes")
        steps = [
            (struct.calcsize(own.letter), own.length and struct.Struct(self._order + own.length), own.name in names)
            for own in element.properties
        ]
        places = np.empty(element.count, np.int64)
        counts = np.empty(element.count, np.int64)
        for row in range(element.count):
            for size, length, is_wanted in steps:
                if not isinstance(length, struct.Struct):
                    at += size
                    continue
                try:
                    (entries,) = length.unpack_from(data, at)
                except struct.error:
                    _refuse_short(element, at + length.size, len(data), "bytes")
                at += length.size
                if is_wanted:
                    places[row], counts[row] = at, entries
                at += size * max(entries, 0)
            if at > len(data):
                _refuse_short(element, at - self._at, len(data) - self._at, "bytes")
        self._at = at
        letter = next((own.letter for own in element.properties if own.name in names), "")
        return (self._gathered(places, counts, letter), counts) if letter else (counts[:0], counts[:0])

    def _gathered(self, places: NDArray[np.int64], counts: NDArray[np.int64], letter: str) -> NDArray[np.int64]:
        """The numbers of lists that begin at these places."""
        import numpy as np

        layout = np.dtype(self._order + letter)
        counts[:] = np.maximum(counts, 0)
        raw = np.frombuffer(self._data, np.uint8)
        found = np.empty(int(counts.sum()), np.int64)
        firsts = np.cumsum(counts) - counts
        for count in np.unique(counts[counts > 0]):
            some = np.flatnonzero(counts == count)
            taken = raw[places[some, None] + np.arange(count * layout.itemsize)]
            found[firsts[some, None] + np.arange(count)] = taken.view(layout)
        return found


class _Text:
    """The same for a text file: all numbers of it, row after row."""

    def __init__(self, data: bytes) -> None:
        self._numbers = numbers_in(data, "something after its header")
        self._at = 0

    def rows(self, element: _Element) -> NDArray[np.float64]:
        """The numbers of an element without lists, (rows, properties)."""
        size = element.count * len(element.properties)
        _refuse_short(element, size, len(self._numbers) - self._at, "numbers")
        table = self._numbers[self._at : self._at + size]
        self._at += size
        return table.reshape(-1, max(len(element.properties), 1))

    def lists(self, element: _Element, names: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All entries of the list of one of these names, and how many each row has."""
        import numpy as np

        at, numbers = self._at, self._numbers
        _refuse_short(element, element.count * len(element.properties), len(numbers) - at, "numbers")
        parts, counts = [], []
        for _ in range(element.count):
            for own in element.properties:
                _refuse_short(element, at + 1, len(numbers), "numbers")
                size = 1
                if own.length:
                    entries = int(numbers[at]) if 0 <= numbers[at] < 2**32 else 0
                    if own.name in names:
                        parts.append(numbers[at + 1 : at + 1 + entries])
                        counts.append(entries)
                    size += entries
                at += size
        _refuse_short(element, at, len(numbers), "numbers")
        self._at = at
        found = np.concatenate(parts) if parts else np.empty(0)
        return np.nan_to_num(found, nan=-1.0).astype(np.int64), np.array(counts, np.int64)
