"""A reader of VDB files for tests, written from the format alone: every voxel that is told, and every tile."""

import struct
import zlib
from dataclasses import dataclass, field

import numpy as np

ZIPPED, BLOSC = 1, 4


@dataclass
class ReadGrid:
    """A grid that was read: metadata, transform, values of active voxels, and values of inactive ones in leaves."""

    kind: str
    about: dict = field(default_factory=dict)
    transform: tuple = ()
    background: np.ndarray = None
    active: dict = field(default_factory=dict)
    inactive: dict = field(default_factory=dict)
    tiles: dict = field(default_factory=dict)


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        part = self.data[self.place : self.place + count]
        assert len(part) == count
        self.place += count
        return part

    def unpack(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def text(self):
        return self.take(*self.unpack("I")).decode()

    def metadata(self):
        found = {}
        for _ in range(*self.unpack("I")):
            name, kind = self.text(), self.text()
            data = self.take(*self.unpack("I"))
            forms = {"bool": "?", "int64": "q", "vec3i": "3i"}
            value = data.decode() if kind == "string" else struct.unpack("<" + forms[kind], data)
            found[name] = value if kind in ("string", "vec3i") else value[0]
        return found

    def mask(self, log):
        return np.unpackbits(np.frombuffer(self.take(8**log // 8), np.uint8), bitorder="little").astype(bool)


def read_vdb(data):
    """The grids of a file by name."""
    reader = Reader(data)
    magic, version, _, _, has_offsets = reader.unpack("qIIIB")
    assert (magic, version, has_offsets) == (0x56444220, 224, 1)
    uuid = reader.take(36).decode()
    assert [len(part) for part in uuid.split("-")] == [8, 4, 4, 4, 12]
    reader.metadata()
    grids = {}
    for _ in range(*reader.unpack("I")):
        name, kind, parent = reader.text(), reader.text(), reader.text()
        assert parent == ""
        start, values, end = reader.unpack("qqq")
        assert start == reader.place
        grids[name] = _grid(reader, kind, values)
        assert reader.place == end
    assert reader.place == len(data)
    return grids


def _grid(reader, kind, values_at):
    grid = ReadGrid(kind)
    (flags,) = reader.unpack("I")
    grid.about = reader.metadata()
    name = reader.text()
    grid.transform = (name, np.array(reader.unpack({"AffineMap": "16d", "UniformScaleTranslateMap": "18d"}[name])))
    axes = 3 if "vec3s" in kind else 1
    number = np.dtype("<f2" if kind.endswith("_HalfFloat") else "<f4")
    assert reader.unpack("I") == (1,)
    grid.background = np.frombuffer(reader.take(4 * axes), "<f4")
    tiles, children = reader.unpack("II")
    assert tiles == 0
    leaves = []
    for _ in range(children):
        top = np.array(reader.unpack("3i"))
        for five in _node(reader, 5, grid, top, 128, flags, number):
            for four in _node(reader, 4, grid, five, 8, flags, number):
                leaves.append((four, reader.mask(3)))
    assert reader.place == values_at
    for origin, topology in leaves:
        mask = reader.mask(3)
        assert np.array_equal(mask, topology)
        values, _ = _values(reader, mask, grid.background, axes, flags, number)
        for index, value in enumerate(values):
            place = tuple(int(c) for c in origin + _offset(index, 3))
            (grid.active if mask[index] else grid.inactive)[place] = value
    return grid


def _node(reader, log, grid, origin, width, flags, number):
    """The first voxels of a node's children; its tiles are noted."""
    children, active = reader.mask(log), reader.mask(log)
    assert not active.any()
    axes = len(grid.background)
    values, chosen = _values(reader, active, grid.background, axes, flags, number)
    if chosen is not None:
        for index in np.flatnonzero(~chosen & ~children):
            grid.tiles[tuple(int(c) for c in origin + width * _offset(index, log))] = values[index]
    return [origin + width * _offset(index, log) for index in np.flatnonzero(children)]


def _offset(index, log):
    size = 1 << log
    return np.array([index // size**2, index // size % size, index % size])


def _values(reader, mask, background, axes, flags, number):
    (meta,) = reader.unpack("b")
    assert meta in (0, 1, 3)
    chosen = reader.mask({512: 3, 4096: 4, 32768: 5}[len(mask)]) if meta == 3 else None
    count = int(mask.sum()) * axes
    size = count * number.itemsize
    if flags & (ZIPPED | BLOSC) and (count or number.itemsize == 4):
        (packed,) = reader.unpack("q")
        data = reader.take(-packed) if packed <= 0 else _unpacked(reader.take(packed), flags)
    else:
        data = reader.take(size)
    assert len(data) == size
    inside = np.ones(len(mask), bool) if meta == 1 else np.zeros(len(mask), bool) if meta == 0 else ~chosen
    values = np.where(inside[:, None], -background, background).astype(np.float32)
    values[mask] = np.frombuffer(data, number).reshape(-1, axes)
    return values, chosen


def _unpacked(data, flags):
    if flags & ZIPPED:
        return zlib.decompress(data)
    import blosc

    return blosc.decompress(data)
