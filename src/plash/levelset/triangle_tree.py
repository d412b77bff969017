"""The tree of a mesh's triangles: balanced and binary, stored like a heap.

The children of node k are 2k and 2k + 1. Around each node are a box along the axes, and one that is turned as its
triangles lie: flat along their mean normal, and long where they are. A search does not go down to the leaves: it
compares eight triangles at once, those of a node two levels above, and eight boxes, those three levels below a node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

_IN_LEAF = 2  # triangles, at most
_IN_BLOCK = 8  # triangles that a search compares at once, at most: those of four leaves
SLIVER = 1e-16  # squared sine of the angle of a triangle without a usable normal


class SwollenTree(NamedTuple):
    """A tree of triangles that are moved out, as kernels take it.

    Attributes:
        groups: Boxes of its nodes in groups, as `box_groups` gives them.
        blocks: The triangles in blocks, as `triangle_blocks` gives them.
        swell: How far each triangle of a block is moved out, [block, triangle].
        swell_range: The least and the largest of that.
    """

    groups: Array
    blocks: Array
    swell: Array
    swell_range: Array


class Waiting(NamedTuple):
    """What a search keeps in mind: a stack of nodes, and the distances of the triangles of a block."""

    nodes: Numbers
    phis: Array


def tree_depth(count: int) -> int:
    """Levels below the root for so many triangles.

    >>> tree_depth(2), tree_depth(3), tree_depth(9)
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


def node_ranges(values: Array, depth: int) -> Array:
    """The least and the largest value of the triangles of each node."""
    ranges = np.zeros((2 ** (depth + 1), 2))
    for level in range(depth + 1):
        starts = np.arange(2**level) * len(values) // 2**level
        ranges[2**level : 2 ** (level + 1), 0] = np.minimum.reduceat(values, starts)
        ranges[2**level : 2 ** (level + 1), 1] = np.maximum.reduceat(values, starts)
    return ranges


def box_groups(turned: Array, ranges: Array, depth: int) -> Array:
    """Turned boxes of the nodes above blocks, [group, number, box], eight in a group that are compared at once.

    Group k has the nodes 8k to 8k + 7, three levels below node k; the first group has the nodes of the level at which
    steps of three levels down end at blocks, and boxes that nothing reaches. The numbers are those of a turned box, and
    how much less far a point inside and one outside can reach, by what triangles are moved out.
    """
    nodes = 2 * _block_count(depth)
    first = 2 ** (max(depth - 2, 0) % 3)
    boxes = np.zeros((max(nodes, 8), 17))
    boxes[:, 12:15] = -1e100
    which = np.r_[first : min(2 * first, nodes), 8 : max(nodes, 8)]
    boxes[which, :15] = turned[which]
    boxes[which, 15:] = ranges[which] * [1, -1]
    return np.ascontiguousarray(boxes.reshape(-1, 8, 17).transpose(0, 2, 1))


def in_blocks(depth: int, count: int) -> Numbers:
    """The triangles of each node two levels above the leaves, [node, triangle], the last of them again in its place."""
    nodes = _block_count(depth)
    starts = np.arange(nodes + 1) * count // nodes
    which: Numbers = np.minimum(starts[:-1, None] + np.arange(_IN_BLOCK), starts[1:, None] - 1)
    return which


def triangle_blocks(corners: Array, depth: int) -> Array:
    """What the distance to a triangle needs of it, [node, number, triangle], in blocks that are compared at once.

    The numbers are those of the first corner, of the sides u and v that start there, of the normal n, and u·u, v·v, u·v
    and n·n. With more of them compilers give up making vectors.
    """
    a, b, c = corners.T[:3], corners.T[3:6], corners.T[6:]
    u, v = b - a, c - a
    normal = np.stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
    numbers = np.concatenate([a, u, v, normal, [_dot(u, u), _dot(v, v), _dot(u, v), _dot(normal, normal)]])
    return np.ascontiguousarray(numbers[:, in_blocks(depth, len(corners))].transpose(1, 0, 2))


def _block_count(depth: int) -> int:
    return 1 << max(depth - 2, 0)


def _dot(one: Array, other: Array) -> Array:
    """Scalar products, term by term as kernels add them."""
    product: Array = one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
    return product


def turned_boxes(corners: Array, boxes: Array, depth: int) -> Array:
    """The turned box of each node: centre, three axes and half sizes, wider by rounding than the triangles in it."""
    turned = np.zeros((len(boxes), 15))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for level in range(depth + 1):
        nodes = slice(2**level, 2 ** (level + 1))
        starts = np.arange(2**level + 1) * len(corners) // 2**level
        node = np.repeat(np.arange(2**level), np.diff(starts))
        centre = (boxes[nodes, :3] + boxes[nodes, 3:]) / 2
        away = corners - centre[node, None]
        axes = _axes(np.add.reduceat(normals, starts[:-1]), away, starts[:-1], node)
        along = np.einsum("ijk,ilk->ijl", away, axes[node])
        low = np.minimum.reduceat(along.min(axis=1), starts[:-1])
        high = np.maximum.reduceat(along.max(axis=1), starts[:-1])
        turned[nodes, :3] = centre + np.einsum("il,ilk->ik", (low + high) / 2, axes)
        turned[nodes, 3:12] = axes.reshape(-1, 9)
        turned[nodes, 12:] = (high - low) / 2
    turned[:, 12:] += 1e-14 * np.abs(boxes[1]).max()
    return turned


def _axes(normal: Array, away: Array, starts: Numbers, node: Numbers) -> Array:
    """Axes of each node (n, 3, 3): its normal, and across it the way in which its corners spread furthest."""
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.divide(normal, length, out=np.tile([1.0, 0.0, 0.0], (len(normal), 1)), where=length > 0)
    one = np.cross(normal, np.eye(3)[np.abs(normal).argmin(axis=1)])
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    other = np.cross(normal, one)
    flat = np.einsum("ijk,ilk->ijl", away, np.stack([one, other], axis=1)[node])
    count = 3 * np.bincount(node)[:, None]
    flat -= (np.add.reduceat(flat.sum(axis=1), starts) / count)[node, None]
    u, v = flat[..., 0], flat[..., 1]
    uu, vv, uv = (np.add.reduceat(square.sum(axis=1), starts) for square in (u * u, v * v, u * v))
    angle = np.arctan2(2 * uv, uu - vv)[:, None] / 2
    longest = np.cos(angle) * one + np.sin(angle) * other
    return np.stack([normal, longest, np.cross(normal, longest)], axis=1)
