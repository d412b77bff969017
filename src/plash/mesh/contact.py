"""Where liquid touches solids: the surface that was cut in them is drawn out, to a hair's breadth under their faces.

The liquid is cut off about half a cell deep in a solid, so that its level goes on up to the face and no gap shows. What
lies in the solid is then pressed against the face from within, the deeper parts behind the others: a solid's own face
lies before all of it, and the liquid has hardly more volume than there is beside the solid. Edges of the surface that
would cut off an edge of a solid get one end on it. Depth is measured to the space that is open: where a solid ends at
a wall, nothing is said about what would be beyond.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.mesh.draft import Draft
from plash.mesh.lattice import Lattice, beyond_walls, depth_of_cut, distance_to_solids
from plash.mesh.volumes import part_volumes

Array = NDArray[np.float64]

_UNDER = 0.02  # cells: how deep the deepest parts are in the end
_STEP = 0.01  # spacings, for slopes
_LEAST_SLOPE = 0.3  # of the distance along a wall: where it changes less, it does not say the way out
_ROUNDS = 3
_ALIKE = 1e-3  # spacings: lengths that differ by less are the same, so that round-off decides nothing
_BENT = 0.8  # cosine between the faces on both sides of a solid's edge, at most
_CUT_OFF = 0.05  # spacings that an edge of the surface may be off the solid's faces between its ends
_FURTHER = 1.0  # spacings more than the depth of the cut, that a vertex goes to a solid's edge


def out_of_solids(draft: Draft, lattice: Lattice) -> tuple[Draft, float]:
    """The draft with the vertices that lie in solids just under their faces, and the volume that it has there.

    Vertices on walls stay on them. Volume is in lattice units.
    """
    if not lattice.solids or len(draft.places) == 0:
        return draft, 0.0
    dimension = draft.dimension
    solid_phi = distance_to_solids(draft.places[:, :dimension], lattice)
    inside = np.flatnonzero(solid_phi < _ALIKE)
    if len(inside) == 0:
        return draft, 0.0
    moved, depth = draft.places[inside][:, :dimension], -solid_phi[inside]
    under = depth * (_UNDER * lattice.detail / depth_of_cut(lattice.detail))
    on_wall = _on_walls(draft.walls[inside], dimension)
    slope = _slope(moved, lattice)
    slope[on_wall] = 0.0
    outwards = slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), _LEAST_SLOPE)
    for _ in range(_ROUNDS):
        before, steep = moved.copy(), np.sqrt((slope**2).sum(axis=1))
        moved += ((depth - under) / np.maximum(steep, _LEAST_SLOPE) ** 2)[:, None] * slope
        for axis, end, beyond in beyond_walls(moved, lattice):
            moved[beyond > 0, axis] -= beyond[beyond > 0] * (2 * end - 1)
            slope[beyond > 0, axis] = 0.0
        depth = -distance_to_solids(moved, lattice)
        # Where no solid is close any more, that was not the way: those stay where they were
        lost = np.isinf(depth)
        moved[lost], depth[lost], slope[lost] = before[lost], under[lost], 0.0
    number = np.full(len(draft.places), -1)
    number[inside] = np.arange(len(inside))
    moved = np.where(on_wall, moved, _with_edges(moved, outwards, number[draft.rows], lattice))
    places, on_faces = draft.places.copy(), draft.places.copy()
    places[inside, :dimension] = moved
    on_faces[inside, :dimension] = moved + under[:, None] * outwards
    whole = np.zeros(len(places), np.int32)
    volumes = [float(part_volumes(each, draft.rows, whole)[0]) for each in (places, on_faces)]
    return draft.moved_to(places), volumes[0] - volumes[1]


def _on_walls(walls: NDArray[np.uint8], dimension: int) -> NDArray[np.bool_]:
    """Whether each vertex is on a wall across each axis."""
    return walls[:, None] & np.array([3 << 2 * axis for axis in range(dimension)], np.uint8) > 0


def _slope(points: Array, lattice: Lattice) -> Array:
    """How the distance to solids changes along each axis."""
    slope = np.empty_like(points)
    for axis in range(points.shape[1]):
        ends = []
        for side in (_STEP, -_STEP):
            shifted = points.copy()
            shifted[:, axis] += side
            ends.append(distance_to_solids(shifted, lattice))
        slope[:, axis] = (ends[0] - ends[1]) / (2 * _STEP)
    return slope


def _with_edges(places: Array, outwards: Array, rows: NDArray[np.int_], lattice: Lattice) -> Array:
    """Places on the faces of solids, those next to an edge of a solid moved onto it.

    Args:
        places: Of vertices in contact.
        outwards: Normals of the faces they are on.
        rows: Triangles, or edges of an outline, by the vertices in contact; -1 for all others.
        lattice: Of the places.
    """
    width = rows.shape[1]
    one, two = np.concatenate([rows[:, [k, (k + 1) % width]] for k in range(width)]).T
    pair = (one < two) & (one >= 0)
    one, two = one[pair], two[pair]
    bend = np.einsum("ij,ij->i", outwards[one], outwards[two])
    one, two, bend = (each[bend < _BENT] for each in (one, two, bend))
    middle = (places[one] + places[two]) / 2
    off = np.abs(distance_to_solids(middle, lattice)) > _CUT_OFF
    one, two, bend, middle = (each[off] for each in (one, two, bend, middle))
    # The place nearest to the middle that lies in both faces
    to_one, to_two = (np.einsum("ij,ij->i", outwards[end], places[end] - middle) for end in (one, two))
    square = np.maximum(1 - bend**2, 1 - _BENT**2)
    edge = middle + ((to_one - bend * to_two) / square)[:, None] * outwards[one]
    edge += ((to_two - bend * to_one) / square)[:, None] * outwards[two]
    ways = np.linalg.norm(np.stack([places[one], places[two]]) - edge, axis=2)
    nearer, way = np.where(ways[0] <= ways[1] + _ALIKE, one, two), np.rint(ways.min(axis=0) / _ALIKE) * _ALIKE
    # Each vertex goes once, to the nearest of its places: the last that is written
    order = np.lexsort((way, nearer))[::-1]
    order = order[way[order] < depth_of_cut(lattice.detail) + _FURTHER]
    moved = places.copy()
    moved[nearer[order]] = edge[order]
    return moved
