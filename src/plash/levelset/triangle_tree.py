"""The tree of a mesh's triangles: balanced and binary, stored like a heap.

The children of node k are 2k and 2k + 1. Around each node are a box, and a disc: a flat cylinder along the mean normal
of its triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

_IN_LEAF = 4  # triangles, at most


def tree_depth(count: int) -> int:
    """Levels below the root for so many triangles.

    >>> tree_depth(4), tree_depth(5), tree_depth(17)
    (0, 1, 3)
    """
    depth = 0
    while count > _IN_LEAF * 2**depth:
        depth += 1
    return depth


def leaf_order(centres: Array, depth: int) -> Numbers:
    """The order of triangles in the leaves: each node is halved along the axis on which its centres spread furthest."""
    order = np.arange(len(centres))
    for level in range(depth):
        starts = np.arange(2**level + 1) * len(centres) // 2**level
        node = np.repeat(np.arange(2**level), np.diff(starts))
        here = centres[order]
        spread = np.maximum.reduceat(here, starts[:-1]) - np.minimum.reduceat(here, starts[:-1])
        along = here[np.arange(len(here)), spread.argmax(axis=1)[node]]
        order = order[np.lexsort((along, node))]
    return order


def node_boxes(corners: Array, depth: int) -> Array:
    """The box of each node, from the leaves to the root."""
    leaves = 2**depth
    starts = np.arange(leaves) * len(corners) // leaves
    boxes = np.zeros((2 * leaves, 6))
    boxes[leaves:, :3] = np.minimum.reduceat(corners.min(axis=1), starts)
    boxes[leaves:, 3:] = np.maximum.reduceat(corners.max(axis=1), starts)
    for level in range(depth - 1, -1, -1):
        below = boxes[2 ** (level + 1) : 2 ** (level + 2)]
        boxes[2**level : 2 ** (level + 1), :3] = np.minimum(below[::2, :3], below[1::2, :3])
        boxes[2**level : 2 ** (level + 1), 3:] = np.maximum(below[::2, 3:], below[1::2, 3:])
    return boxes


def node_discs(corners: Array, boxes: Array, depth: int) -> Array:
    """The disc of each node, wider by rounding than the triangles in it."""
    discs = np.zeros((len(boxes), 8))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for level in range(depth + 1):
        nodes = slice(2**level, 2 ** (level + 1))
        starts = np.arange(2**level + 1) * len(corners) // 2**level
        node = np.repeat(np.arange(2**level), np.diff(starts))
        normal = np.add.reduceat(normals, starts[:-1])
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = np.divide(normal, length, out=np.tile([1.0, 0.0, 0.0], (2**level, 1)), where=length > 0)
        centre = (boxes[nodes, :3] + boxes[nodes, 3:]) / 2
        away = corners - centre[node, None]
        up = np.einsum("ijk,ik->ij", away, normal[node])
        low, high = np.minimum.reduceat(up.min(axis=1), starts[:-1]), np.maximum.reduceat(up.max(axis=1), starts[:-1])
        across = np.linalg.norm(away - up[:, :, None] * normal[node, None], axis=2).max(axis=1)
        discs[nodes, :3] = centre + normal * ((low + high) / 2)[:, None]
        discs[nodes, 3:6] = normal
        discs[nodes, 6] = (high - low) / 2
        discs[nodes, 7] = np.maximum.reduceat(across, starts[:-1])
    discs[:, 6:] += 1e-14 * np.abs(boxes[1]).max()
    return discs
