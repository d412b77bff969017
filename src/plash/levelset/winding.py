"""How often a surface goes round a point: the solid angle that its triangles fill, over 4π, with a sign.

It is one inside a closed surface and zero outside, and for a surface with holes something between (Jacobson 2013). Far
from a node of the tree its triangles act together, as the first two moments of their areas (Barill 2018):

    w(x) ≈ (a · r / r³ + (tr Q - 3 r·Q r / r²) / r³) / 4π,   r from x to the centre c of the node,
    a = Σ aᵢ,   Q = Σ aᵢ (mᵢ - c)ᵀ   with the area vector aᵢ and the middle mᵢ of each triangle.

On balls and tori of thousands of triangles it is wrong by 0.035 at most, and by 0.006 in the mean square.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel, serial_kernel
from plash.grid.loops import chunk_range

Array = NDArray[np.float64]

_POINTS_AT_ONCE = 512
_FAR = 3.0  # radii of a node from its centre, beyond which its moments stand for it


@dataclass(frozen=True, eq=False)
class Winding:
    """The tree of a mesh with the moments of its nodes.

    Attributes:
        corners: (m, 9) the coordinates of the three vertices of each triangle, in the order of the leaves.
        moments: (2 leaves, 13) of each node its centre, its area vector, the entries xx, yy, zz, xy, xz, yz of the
            symmetric part of Q, and its radius.
    """

    corners: Array
    moments: Array

    @classmethod
    def of(cls, corners: Array, leaves: int) -> Winding:
        """The moments of triangles in the order of so many leaves."""
        moments = np.zeros((2 * leaves, 13))
        a, b, c = corners.reshape(-1, 3, 3).transpose(1, 0, 2)
        areas, middles = np.cross(b - a, c - a) / 2, (a + b + c) / 3
        weights = np.linalg.norm(areas, axis=1)
        level = leaves
        while level > 0:
            starts = np.arange(level + 1) * len(corners) // level
            node = np.repeat(np.arange(level), np.diff(starts))
            here = moments[level : 2 * level]
            total = np.add.reduceat(weights, starts[:-1])[:, None]
            plain = np.add.reduceat(middles, starts[:-1]) / np.diff(starts)[:, None]
            mean = np.add.reduceat(middles * weights[:, None], starts[:-1])
            here[:, :3] = np.divide(mean, total, out=plain, where=total > 0)
            here[:, 3:6] = np.add.reduceat(areas, starts[:-1])
            away = middles - here[node, :3]
            for entry, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
                product = (areas[:, i] * away[:, j] + areas[:, j] * away[:, i]) / 2
                here[:, 6 + entry] = np.add.reduceat(product, starts[:-1])
            reach = np.max([np.linalg.norm(corner - here[node, :3], axis=1) for corner in (a, b, c)], axis=0)
            here[:, 12] = np.maximum.reduceat(reach, starts[:-1])
            level //= 2
        return cls(corners, moments)

    def scaled(self, scale: float) -> Winding:
        """The same for a mesh that is larger or smaller about the origin."""
        return Winding(self.corners * scale, self.moments * np.repeat([scale, scale**2, scale**3, scale], [3, 3, 6, 1]))

    def at(self, points: Array) -> Array:
        """The winding number of points (n, 3); depends on no other point nor on the threads."""
        found = np.empty(len(points))
        places = np.ascontiguousarray(points, dtype=np.float64)
        _measure(places, self.moments, self.corners, found, -(-len(points) // _POINTS_AT_ONCE))
        return found


@kernel
def _measure(points, moments, corners, found, chunks):
    for c in prange(chunks):
        nodes = np.empty(64, np.int64)
        for i in range(c * _POINTS_AT_ONCE, min((c + 1) * _POINTS_AT_ONCE, len(points))):
            found[i] = _turns(moments, corners, points[i, 0], points[i, 1], points[i, 2], nodes)


@serial_kernel
def _turns(moments, corners, x, y, z, nodes):
    """The winding number at a point; nodes is a stack."""
    leaves = len(moments) // 2
    nodes[0] = 1
    height = 1
    turns = 0.0
    while height > 0:
        height -= 1
        node = nodes[height]
        rx, ry, rz = moments[node, 0] - x, moments[node, 1] - y, moments[node, 2] - z
        rr = rx * rx + ry * ry + rz * rz
        reach = _FAR * moments[node, 12]
        if rr > reach * reach:
            turns += _far(moments, node, rx, ry, rz, rr)
        elif node >= leaves:
            leaf = node - leaves
            for t in chunk_range(leaf, leaves, len(corners)):
                turns += _solid_angle(corners, t, x, y, z)
        else:
            nodes[height], nodes[height + 1] = 2 * node, 2 * node + 1
            height += 2
    return turns / (4 * np.pi)


@inlined
def _far(moments, node, rx, ry, rz, rr):
    """The solid angle of a node, from its moments."""
    dipole = moments[node, 3] * rx + moments[node, 4] * ry + moments[node, 5] * rz
    xx, yy, zz = moments[node, 6], moments[node, 7], moments[node, 8]
    across = rx * ry * moments[node, 9] + rx * rz * moments[node, 10] + ry * rz * moments[node, 11]
    along = rx * rx * xx + ry * ry * yy + rz * rz * zz + 2 * across
    return (dipole + xx + yy + zz - 3 * along / rr) / (rr * np.sqrt(rr))


@serial_kernel
def _solid_angle(corners, t, x, y, z):
    """The solid angle of a triangle, positive from behind (van Oosterom 1983)."""
    ax, ay, az = corners[t, 0] - x, corners[t, 1] - y, corners[t, 2] - z
    bx, by, bz = corners[t, 3] - x, corners[t, 4] - y, corners[t, 5] - z
    cx, cy, cz = corners[t, 6] - x, corners[t, 7] - y, corners[t, 8] - z
    a = np.sqrt(ax * ax + ay * ay + az * az)
    b = np.sqrt(bx * bx + by * by + bz * bz)
    c = np.sqrt(cx * cx + cy * cy + cz * cz)
    triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    ab, bc, ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    return 2 * np.arctan2(triple, a * b * c + ab * c + bc * a + ca * b)
