"""The tree of a VDB grid as bytes: first which nodes there are, then the numbers in the leaves.

A leaf of 8³ voxels is found from its first voxel by the bits of the coordinates, from the top down: 4096 voxels along
the edge of a child of the root, 128 of a child of that, 8 of a leaf. Masks have a bit for each child or voxel, x the
slowest. Of numbers only the active ones are written; a byte before them says what the others are:

    0  the background        1  minus the background        3  either of them, by a mask that is set for the background
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from plash.exports.vdb_packing import Packing, Part

LEAF = 8
_OUTSIDE, _INSIDE, _EITHER = b"\0", b"\1", b"\3"


@dataclass(frozen=True, eq=False)
class Leaves:
    """Blocks of 8³ voxels.

    Attributes:
        origins: Their first voxels (n, 3).
        values: Numbers (n, 512) or vectors (n, 512, 3), x the slowest; what is not active is ±background.
        active: Which of them are active (n, 512).
    """

    origins: NDArray[np.int32]
    values: NDArray[np.float32]
    active: NDArray[np.bool_]

    @cached_property
    def masks(self) -> NDArray[np.uint8]:
        """A bit for each voxel, set where it is active (n, 64): a byte for each x and y, x the slowest."""
        return np.packbits(self.active, axis=1, bitorder="little")

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many voxels of each are active."""
        counts: NDArray[np.int64] = np.count_nonzero(self.active, axis=1)
        return counts

    def bounds(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The first and the last coordinates of active voxels; (0, 0, 0) both if there are none."""
        columns = self.masks.reshape(-1, LEAF, LEAF)
        along_z = np.bitwise_or.reduce(self.masks, axis=1)[:, None]
        any_along = (
            np.bitwise_or.reduce(columns, axis=2) > 0,
            np.bitwise_or.reduce(columns, axis=1) > 0,
            np.unpackbits(along_z, axis=1, bitorder="little") > 0,
        )
        low, high = [], []
        for axis, along in enumerate(any_along):
            leaf, place = np.nonzero(along)
            at = self.origins[leaf, axis] + place
            low.append(int(at.min(initial=2**31 - 1)) if len(at) else 0)
            high.append(int(at.max(initial=-(2**31))) if len(at) else 0)
        return tuple(low), tuple(high)

    def taken(self, chosen: NDArray[np.int64]) -> Leaves:
        """Some of them, in an order; not copied if that is all of them in the order that they have."""
        if len(chosen) == len(self.origins) and (chosen == np.arange(len(chosen))).all():
            return self
        return Leaves(self.origins[chosen], self.values[chosen], self.active[chosen])


@dataclass(frozen=True)
class TreeBytes:
    """A tree in a file: which nodes there are, and the numbers in its leaves, part by part."""

    topology: bytes
    values: list[Part]


def tree_bytes(leaves: Leaves, background: float, half: bool, packing: Packing) -> TreeBytes:
    """The tree that holds some leaves.

    A leaf without an active voxel is left out; one that is inside a level set altogether becomes a value of its node.

    Args:
        leaves: In any order.
        background: The value where nothing is told.
        half: Whether numbers are of half the length.
        packing: How they are packed.
    """
    some = leaves.counts > 0
    sample = leaves.values[:, 0]
    inner = leaves.origins[~some & (sample < 0)] if background > 0 else leaves.origins[:0]
    kept = leaves.taken(np.flatnonzero(some))
    number = np.float16 if half else np.float32
    width = leaves.values.shape[2] if leaves.values.ndim == 3 else 1
    rounded = float(number(background))

    both = np.concatenate([kept.origins, inner])
    order = _order(both)
    places, is_leaf = both[order], order < len(kept.origins)
    topology = [
        struct.pack("<I", 1),
        np.full(width, rounded, "<f4").tobytes(),
        *_nodes(places, is_leaf, kept.masks[order[is_leaf]], packing.bit != 0 and not half),
    ]
    return TreeBytes(b"".join(topology), _values(kept, order[is_leaf], rounded, number, packing))


def _order(places: NDArray[np.int32]) -> NDArray[np.int64]:
    """The order in which leaves are written: by the top node, the node in it, the leaf in that; x before y before z."""
    keys = [places[:, axis] >> bits for bits in (12, 7, 3) for axis in range(3)]
    return np.lexsort(keys[::-1])


def _nodes(
    places: NDArray[np.int32], is_leaf: NDArray[np.bool_], masks: NDArray[np.uint8], is_counted: bool
) -> list[bytes]:
    """The root's children, each with its children, down to the masks of leaves, all in order.

    Nodes have no numbers of their own. That is said, if packed numbers are counted; OpenVDB skips those of half length.
    """
    tops = _runs(places >> 12)
    parts = [struct.pack("<II", 0, len(tops))]
    leaf = 0
    none = struct.pack("<q", 0) if is_counted else b""
    for first, last in tops:
        middles = [(first + start, first + end) for start, end in _runs(places[first:last] >> 7)]
        heads = places[[start for start, _ in middles]]
        parts.append((places[first] >> 12 << 12).astype("<i4").tobytes())
        parts += [_mask(_index(heads, 7, 5), 5), bytes(32**3 // 8), _OUTSIDE, none]
        for start, end in middles:
            index, leaf_here = _index(places[start:end], 3, 4), is_leaf[start:end]
            parts += [_mask(index[leaf_here], 4), bytes(16**3 // 8)]
            if leaf_here.all():
                parts += [_OUTSIDE, none]
            else:
                outside = ~np.isin(np.arange(16**3), index[~leaf_here])
                parts += [_EITHER, np.packbits(outside, bitorder="little").tobytes(), none]
            count = int(np.count_nonzero(leaf_here))
            parts.append(masks[leaf : leaf + count].tobytes())
            leaf += count
    return parts


def _runs(keys: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Where rows (n, 3) stay the same: the first of each run, and the one after its last."""
    changes = np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1
    ends = [0, *changes.tolist(), len(keys)]
    return [(start, end) for start, end in pairwise(ends) if end > start]


def _index(places: NDArray[np.int32], bits: int, log: int) -> NDArray[np.int64]:
    """Numbers of children, 2^bits voxels wide, in a node with 2^log of them along an edge."""
    x, y, z = ((places[:, axis].astype(np.int64) >> bits) & ((1 << log) - 1) for axis in range(3))
    return (x << 2 * log) | (y << log) | z


def _mask(index: NDArray[np.int64], log: int) -> bytes:
    bits = np.zeros(1 << 3 * log, np.bool_)
    bits[index] = True
    return np.packbits(bits, bitorder="little").tobytes()


def _values(
    leaves: Leaves,
    order: NDArray[np.int64],
    background: float,
    number: type[np.floating],
    packing: Packing,
) -> list[Part]:
    """The numbers of leaves in an order, each behind its mask."""
    counts = leaves.counts
    size = np.dtype(number).itemsize * (leaves.values.shape[2] if leaves.values.ndim == 3 else 1)
    told = leaves.values[leaves.active] if (counts < LEAF**3).any() else leaves.values
    data = np.ascontiguousarray(told, np.dtype(number).newbyteorder("<")).reshape(-1).view(np.uint8).data
    ends = (np.concatenate([[0], np.cumsum(counts)]) * size).tolist()
    heads = _heads(leaves, background)
    parts: list[Part] = []
    for leaf in order.tolist():
        numbers = data[ends[leaf] : ends[leaf + 1]]
        parts.append(heads[leaf])
        parts += packing.parts(numbers, size)
    return parts


def _heads(leaves: Leaves, background: float) -> list[bytes]:
    """What stands before the numbers of each leaf: its mask, and what is where it is not active."""
    masks, counts, size = leaves.masks, leaves.counts, LEAF**3 // 8
    data = masks.tobytes()
    plain = [data[start : start + size] + _OUTSIDE for start in range(0, len(data), size)]
    if background == 0:
        return plain
    for leaf in np.flatnonzero(counts < LEAF**3):
        inside = ~leaves.active[leaf] & (leaves.values[leaf] < 0)
        if inside.any():
            outside = np.packbits(~inside, bitorder="little").tobytes()
            is_all = int(np.count_nonzero(inside)) == LEAF**3 - int(counts[leaf])
            plain[leaf] = masks[leaf].tobytes() + (_INSIDE if is_all else _EITHER + outside)
    return plain
