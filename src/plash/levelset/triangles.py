"""Signed distance to a mesh of triangles: exact to the nearest triangle, with a sign that cannot leak.

A point looks for its nearest triangle down a tree (`levelset/triangle_tree.py`), skipping turned boxes that are further
away than what it has. Over a smooth surface few boxes pass that test, however fine the mesh and however thin its
triangles; boxes along the axes would stick out of a slanted surface and overlap more. Boxes and triangles are compared
by eights, in vectors.

Inside is where the surface winds round a point: a ray along x then leaves it more often than it enters. A ray through
an edge or a vertex is counted by a half-open rule that gives the two triangles of an edge the same answer to the last
bit, so that each crossing of a closed surface counts once. Where closed parts overlap, inside is what any of them
encloses; the distance is exact outside, and inside a bound, as for a union.

Walls may be thickened: each triangle knows how far it is to the other side of the body straight behind its centre, and
where that is less than asked for it is moved out by half of what is missing, with a rounded rim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel, serial_kernel
from plash.grid.loops import chunk_range
from plash.levelset.triangle_tree import (
    SLIVER,
    SwollenTree,
    Waiting,
    box_groups,
    in_blocks,
    leaf_order,
    node_boxes,
    node_ranges,
    tree_depth,
    triangle_blocks,
    turned_boxes,
)

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

_POINTS_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class Triangles:
    """A closed mesh that faces outwards, and the tree to search it.

    Attributes:
        vertices: (n, 3), each once.
        triangles: (m, 3) rows of vertices, in the order of the tree's leaves.
        corners: (m, 9) the coordinates of the three vertices of each.
        boxes: (2 leaves, 6) least and largest coordinates of each node; node 1 is the root, node 0 unused.
        turned: (2 leaves, 15) centre, axes and half sizes of the box around each node that lies as its triangles do.
    """

    vertices: Array
    triangles: Numbers
    corners: Array
    boxes: Array
    turned: Array

    @classmethod
    def of(cls, vertices: Array, triangles: Numbers) -> Triangles:
        """Build the tree."""
        depth = tree_depth(len(triangles))
        ordered = triangles[leaf_order(vertices[triangles].mean(axis=1), depth)]
        corners = vertices[ordered]
        boxes = node_boxes(corners, depth)
        return cls(vertices, ordered, corners.reshape(-1, 9), boxes, turned_boxes(corners, boxes, depth))

    def scaled(self, scale: float) -> Triangles:
        """The same, larger or smaller about the origin."""
        turned = self.turned * np.array([*(scale,) * 3, *(1,) * 9, *(scale,) * 3])
        vertices, corners, boxes = self.vertices * scale, self.corners * scale, self.boxes * scale
        return replace(self, vertices=vertices, corners=corners, boxes=boxes, turned=turned)

    def distance(self, points: Array, least: float = 0.0) -> Array:
        """The signed distance of points (n, 3), negative inside; depends on no other point nor on the threads.

        With `least`, to a body whose walls are thickened on both sides alike to that thickness.
        """
        found = np.empty(len(points))
        places = np.ascontiguousarray(points, dtype=np.float64)
        size = float(np.abs(self.boxes[1]).max())
        chunks = -(-len(points) // _POINTS_AT_ONCE)
        _search(places, (self.boxes, self.corners), self.swollen(least), size, found, chunks)
        return found

    def swollen(self, least: float) -> SwollenTree:
        """The tree with triangles moved out to make walls of a thickness."""
        if least not in self._swollen:
            depth = tree_depth(len(self.triangles))
            swell = np.maximum(least - self.thickness, 0.0) / 2 if least > 0 else np.zeros(len(self.triangles))
            ranges = node_ranges(swell, depth)
            groups = box_groups(self.turned, ranges, depth)
            by_block = swell[in_blocks(depth, len(swell))]
            self._swollen[least] = SwollenTree(groups, self._blocks, by_block, ranges[1])
        return self._swollen[least]

    @cached_property
    def _blocks(self) -> Array:
        return triangle_blocks(self.corners, tree_depth(len(self.triangles)))

    @cached_property
    def _swollen(self) -> dict[float, SwollenTree]:
        return {}

    @cached_property
    def thickness(self) -> Array:
        """How far it is from the centre of each triangle straight through the body to its other side."""
        found = np.empty(len(self.triangles))
        size = float(np.abs(self.boxes[1]).max())
        _measure_thickness(self.boxes, self.corners, 1e-9 * size, found, -(-len(found) // _POINTS_AT_ONCE))
        return found

    @cached_property
    def least_thickness(self) -> float:
        """The thickness that all but a twentieth of the surface has: edges and tips are thinner and no walls."""
        a, b, c = self.corners.reshape(-1, 3, 3).transpose(1, 0, 2)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        order = np.argsort(self.thickness)
        covered = np.cumsum(area[order])
        return float(self.thickness[order[np.searchsorted(covered, 0.05 * covered[-1])]])


@kernel
def _search(points, rays, tree, size, found, chunks):
    for c in prange(chunks):
        start, stop = c * _POINTS_AT_ONCE, min((c + 1) * _POINTS_AT_ONCE, len(points))
        _search_some(points, rays, tree, size, found, start, stop)


@serial_kernel
def _search_some(points, rays, tree, size, found, start, stop):
    """Signed distances of the points from start to stop, to triangles moved out by what each is swollen.

    Each begins with what the one before tells about it: its nearest triangle is near, and it is on the same side if the
    way to it is shorter than its distance. Boxes are skipped only if they are further by more than rounding, so the
    result is the least over all triangles, whatever the point before was.
    """
    boxes, corners = rays
    waiting = new_waiting(tree.blocks)
    least, most = tree.swell_range
    home = 0
    free = 0.0
    inside = False
    for i in range(start, stop):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        if i == start or not _is_on_the_same_side(points, i, free, size):
            inside = _winding(boxes, corners, 1e-12 * size, x, y, z, waiting.nodes) > 0
        sign = 1.0 if inside else -1.0
        phi, home = nearest_triangle(tree, sign, 1e-12 * size, x, y, z, home, waiting)
        found[i] = -phi if inside else phi
        free = phi - most if inside else phi + least


@inlined
def _is_on_the_same_side(points, i, free, size):
    """Whether no surface is between a point and the one before, round which nothing is nearer than `free`."""
    dx, dy, dz = points[i, 0] - points[i - 1, 0], points[i, 1] - points[i - 1, 1], points[i, 2] - points[i - 1, 2]
    return free > 1e-9 * size and dx * dx + dy * dy + dz * dz < 0.98 * free * free


@inlined
def new_waiting(blocks):
    """Room for what a search keeps in mind."""
    return Waiting(np.empty(64, np.int64), np.empty(blocks.shape[2], np.float64))


@serial_kernel
def nearest_triangle(tree, sign, slack, x, y, z, home, waiting):
    """Least distance to a triangle plus `sign` times its swelling, and the number of the block it is in.

    The search begins in a block that may be near, and goes up the tree from there: what is beside the way is searched
    if it is in reach.
    """
    nodes, phis = waiting
    blocks = len(tree.blocks)
    swell_row = 15 if sign > 0 else 16
    _measure_block(tree, home, sign, x, y, z, phis)
    best = phis.min()
    way = blocks + home
    while way > 1:
        group, height = way >> 3, 0
        others = _boxes_in_reach(tree.groups, group, swell_row, best + slack, x, y, z) & ~(1 << (way & 7))
        way = group
        while True:
            node = 8 * group
            while others > 0:
                if others & 1:
                    nodes[height] = node
                    height += 1
                others >>= 1
                node += 1
            if height == 0:
                break
            height -= 1
            group = nodes[height]
            if group < blocks:
                others = _boxes_in_reach(tree.groups, group, swell_row, best + slack, x, y, z)
                continue
            _measure_block(tree, group - blocks, sign, x, y, z, phis)
            for phi in phis:
                if phi < best:
                    best, home = phi, group - blocks
    return best, home


@inlined
def _boxes_in_reach(groups, number, swell_row, reach, x, y, z):
    """Which of the eight boxes of a group are no further from a point than a reach, as the bits of a number.

    Nothing is written, and the eight are a constant: the compiler makes vectors of it, and all take as long as four.
    """
    group = groups[number]
    found = np.int64(0)
    for k in range(8):
        dx, dy, dz = x - group[0, k], y - group[1, k], z - group[2, k]
        up = abs(dx * group[3, k] + dy * group[4, k] + dz * group[5, k]) - group[12, k]
        along = abs(dx * group[6, k] + dy * group[7, k] + dz * group[8, k]) - group[13, k]
        across = abs(dx * group[9, k] + dy * group[10, k] + dz * group[11, k]) - group[14, k]
        up, along, across = max(up, 0.0), max(along, 0.0), max(across, 0.0)
        # A reach may be less than nothing
        own = reach - group[swell_row, k]
        found |= np.int64(up * up + along * along + across * across <= own * abs(own)) << k
    return found


@inlined
def _measure_block(tree, number, sign, x, y, z, phis):
    """Distances of a point to the triangles of a block, plus `sign` times their swelling.

    The same as `_triangle_distance`, but without a branch and from numbers that are known before: the compiler makes
    vectors of it, and eight triangles take as long as two.
    """
    block, swell = tree.blocks[number], tree.swell[number]
    for k in range(block.shape[1]):
        px, py, pz = x - block[0, k], y - block[1, k], z - block[2, k]
        ux, uy, uz = block[3, k], block[4, k], block[5, k]
        vx, vy, vz = block[6, k], block[7, k], block[8, k]
        uu, vv, uv, nn = block[12, k], block[13, k], block[14, k], block[15, k]
        pu, pv = px * ux + py * uy + pz * uz, px * vx + py * vy + pz * vz
        second, third = pu * vv - pv * uv, pv * uu - pu * uv
        height = px * block[9, k] + py * block[10, k] + pz * block[11, k]
        wx, wy, wz = vx - ux, vy - uy, vz - uz
        qx, qy, qz = px - ux, py - uy, pz - uz
        pw, ww = qx * wx + qy * wy + qz * wz, wx * wx + wy * wy + wz * wz
        one = _side_distance(px, py, pz, ux, uy, uz, pu / uu)
        two = _side_distance(px, py, pz, vx, vy, vz, pv / vv)
        three = _side_distance(qx, qy, qz, wx, wy, wz, pw / ww)
        two = one if one < two else two
        three = two if two < three else three
        is_above = (nn > SLIVER * uu * vv) & (second >= 0.0) & (third >= 0.0) & (second + third <= nn)
        above = height * height / nn
        square = above if is_above else three
        phis[k] = np.sqrt(square) + sign * swell[k]


@inlined
def _side_distance(px, py, pz, ex, ey, ez, share):
    """Squared length of p - share e, with the share kept in [0, 1]; 0 if a side without length makes it no number."""
    share = share if share > 0.0 else 0.0
    share = share if share < 1.0 else 1.0
    dx, dy, dz = px - share * ex, py - share * ey, pz - share * ez
    return dx * dx + dy * dy + dz * dz


@kernel
def _measure_thickness(boxes, corners, slack, found, chunks):
    for c in prange(chunks):
        nodes = np.empty(64, np.int64)
        start = np.empty(3)
        into = np.empty(3)
        for t in range(c * _POINTS_AT_ONCE, min((c + 1) * _POINTS_AT_ONCE, len(corners))):
            nx, ny, nz = _normal(corners, t)
            length = np.sqrt(nx * nx + ny * ny + nz * nz)
            into[0], into[1], into[2] = -nx / length, -ny / length, -nz / length
            for axis in range(3):
                start[axis] = (corners[t, axis] + corners[t, 3 + axis] + corners[t, 6 + axis]) / 3
            found[t] = _way_out(boxes, corners, start, into, slack, t, nodes) if length > 0 else np.inf


@inlined
def _normal(corners, t):
    """The normal of a triangle, as long as twice its area."""
    ux, uy, uz = corners[t, 3] - corners[t, 0], corners[t, 4] - corners[t, 1], corners[t, 5] - corners[t, 2]
    vx, vy, vz = corners[t, 6] - corners[t, 0], corners[t, 7] - corners[t, 1], corners[t, 8] - corners[t, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@serial_kernel
def _way_out(boxes, corners, start, along, slack, own, nodes):
    """How far a ray goes until it leaves the body through another triangle than its own; nodes is a stack."""
    leaves = len(boxes) // 2
    best = np.inf
    nodes[0] = 1
    height = 1
    while height > 0:
        height -= 1
        node = nodes[height]
        enter, leave = 0.0, best
        for axis in range(3):
            low, high = boxes[node, axis] - slack - start[axis], boxes[node, 3 + axis] + slack - start[axis]
            if along[axis] == 0.0:
                leave = leave if low <= 0.0 <= high else -1.0
                continue
            one, other = low / along[axis], high / along[axis]
            enter, leave = max(enter, min(one, other)), min(leave, max(one, other))
        if enter > leave:
            continue
        if node < leaves:
            nodes[height], nodes[height + 1] = 2 * node, 2 * node + 1
            height += 2
            continue
        leaf = node - leaves
        for t in chunk_range(leaf, leaves, len(corners)):
            if t != own:
                best = min(best, _leaves_through(corners, t, start, along, slack))
    return best


@serial_kernel
def _leaves_through(corners, t, start, along, slack):
    """How far along a ray it leaves through a triangle, its sides included; infinity if it does not."""
    nx, ny, nz = _normal(corners, t)
    rises = nx * along[0] + ny * along[1] + nz * along[2]
    if not rises > 0.0:
        return np.inf
    px, py, pz = corners[t, 0] - start[0], corners[t, 1] - start[1], corners[t, 2] - start[2]
    way = (px * nx + py * ny + pz * nz) / rises
    if way < 0.0:
        return np.inf
    x, y, z = start[0] + way * along[0], start[1] + way * along[1], start[2] + way * along[2]
    if _triangle_distance(corners, t, x, y, z) > slack * slack:
        return np.inf
    return way


@inlined
def _segment_distance(px, py, pz, ex, ey, ez, along, length):
    """Squared length of p - share e, with the share along / length kept in [0, 1]."""
    share = min(max(along / length, 0.0), 1.0) if length > 0 else 0.0
    dx, dy, dz = px - share * ex, py - share * ey, pz - share * ez
    return dx * dx + dy * dy + dz * dz


@serial_kernel
def _triangle_distance(corners, t, x, y, z):
    """Squared distance of a point to a triangle: to its plane above its inside, else to the nearest of its sides."""
    ax, ay, az = corners[t, 0], corners[t, 1], corners[t, 2]
    ux, uy, uz = corners[t, 3] - ax, corners[t, 4] - ay, corners[t, 5] - az
    vx, vy, vz = corners[t, 6] - ax, corners[t, 7] - ay, corners[t, 8] - az
    px, py, pz = x - ax, y - ay, z - az
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    pu = px * ux + py * uy + pz * uz
    pv = px * vx + py * vy + pz * vz
    # Barycentric shares of the second and the third corner, times the squared normal
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    second = pu * vv - pv * uv
    third = pv * uu - pu * uv
    if nn > SLIVER * uu * vv and second >= 0 and third >= 0 and second + third <= nn:
        height = px * nx + py * ny + pz * nz
        return height * height / nn
    wx, wy, wz = vx - ux, vy - uy, vz - uz
    qx, qy, qz = px - ux, py - uy, pz - uz
    pw = qx * wx + qy * wy + qz * wz
    one = _segment_distance(px, py, pz, ux, uy, uz, pu, uu)
    two = _segment_distance(px, py, pz, vx, vy, vz, pv, vv)
    three = _segment_distance(qx, qy, qz, wx, wy, wz, pw, wx * wx + wy * wy + wz * wz)
    return min(one, two, three)


@serial_kernel
def _winding(boxes, corners, slack, x, y, z, nodes):
    """How much more often a ray from a point along x leaves the surface than it enters; nodes is a stack.

    The whole line enters a closed surface as often as it leaves it, so the shorter side of the point tells as much.
    """
    leaves = len(boxes) // 2
    forwards = 2.0 * x > boxes[1, 0] + boxes[1, 3]
    nodes[0] = 1
    height = 1
    turns = 0
    while height > 0:
        height -= 1
        node = nodes[height]
        if (x > boxes[node, 3] + slack) if forwards else (x < boxes[node, 0] - slack):
            continue
        if y < boxes[node, 1] or y > boxes[node, 4]:
            continue
        if z < boxes[node, 2] - slack or z > boxes[node, 5] + slack:
            continue
        if node >= leaves:
            leaf = node - leaves
            for t in chunk_range(leaf, leaves, len(corners)):
                turns += _crossing(corners, t, x, y, z, forwards)
            continue
        nodes[height], nodes[height + 1] = 2 * node, 2 * node + 1
        height += 2
    return turns if forwards else -turns


@serial_kernel
def _crossing(corners, t, x, y, z, forwards):
    """1 if a ray from a point along x leaves through a triangle, -1 if it enters, 0 if it misses.

    Backwards it is the other half of the line, which still runs along x.

    At the point's y the triangle is a segment in x and z, between two of its sides: those of which one end has at most
    this y and the other more. The ray meets it if one end has more than the point's z and the other has not.

        z ^        o far        A side and the ends of the segment are computed from its lower end to its upper one, the
          |       /             same way for both triangles that share it.
          |  p --x------>
          |     o near
          +-----------> x
    """
    turns = 0
    near_x = near_z = far_x = far_z = 0.0
    for side in range(3):
        u, v = 3 * side, 3 * ((side + 1) % 3)
        rises = corners[t, u + 1] <= y
        if rises == (corners[t, v + 1] <= y):
            continue
        low, high = (u, v) if rises else (v, u)
        run_y = corners[t, high + 1] - corners[t, low + 1]
        run_z = corners[t, high + 2] - corners[t, low + 2]
        share = (y - corners[t, low + 1]) / run_y
        at_x = corners[t, low] + share * (corners[t, high] - corners[t, low])
        at_z = corners[t, low + 2] + share * run_z
        if run_y * (z - corners[t, low + 2]) < run_z * (y - corners[t, low + 1]):
            turns += -1 if rises else 1
            far_x, far_z = at_x, at_z
        else:
            near_x, near_z = at_x, at_z
    if turns == 0:
        return 0
    share = min(max((z - near_z) / (far_z - near_z), 0.0), 1.0) if far_z > near_z else 0.5
    return turns if (near_x + share * (far_x - near_x) > x) == forwards else 0
