"""Triangles cut into smaller ones that lie in the same planes, so that more can be said at their corners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.mesh.mesh import Mesh

Array = NDArray[np.float64]

_ROUNDS = 32  # of halving, more than any edge needs


def with_short_edges(mesh: Mesh, longest: float, low: Array | None = None, high: Array | None = None) -> Mesh:
    """The same surface, whose edges are no longer than a length where they are in or near a box.

    An edge is cut in the middle, whatever triangles it belongs to, so no gaps open. Normals, velocities and scalars
    are there what they are on both sides in the mean.

    Args:
        mesh: With normals, or without.
        longest: In metres.
        low: Corner of the box; everywhere, if it is not given.
        high: The other corner.

    Example:
        >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
        >>> fine = with_short_edges(Mesh(corners, np.array([[0, 1, 2]], np.int32)), 0.8)
        >>> len(fine.faces), round(fine.area, 6)
        (4, 0.5)
    """
    places, faces = mesh.vertices.astype(np.float64), mesh.faces.astype(np.int64)
    normals = None if mesh.normals is None else mesh.normals.astype(np.float64)
    flow, scalars = mesh.velocity, dict(mesh.scalars)
    for _ in range(_ROUNDS):
        sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]], axis=2)
        keys, of_face = np.unique(sides[..., 0] * len(places) + sides[..., 1], return_inverse=True)
        one, two = np.divmod(keys, len(places))
        is_long = ((places[one] - places[two]) ** 2).sum(axis=1) > longest**2
        if low is not None and high is not None:
            starts, ends = np.minimum(places[one], places[two]), np.maximum(places[one], places[two])
            is_long &= ((ends >= low) & (starts <= high)).all(axis=1)
        if not is_long.any():
            break
        number = np.full(len(keys), -1)
        number[is_long] = len(places) + np.arange(np.count_nonzero(is_long))
        one, two = one[is_long], two[is_long]
        places = np.concatenate([places, (places[one] + places[two]) / 2])
        if normals is not None:
            between = normals[one] + normals[two]
            length = np.maximum(np.sqrt((between**2).sum(axis=1)), 1e-300)
            normals = np.concatenate([normals, between / length[:, None]])
        if flow is not None:
            flow = np.concatenate([flow, (flow[one] + flow[two]) / 2])
        scalars = {name: np.concatenate([row, (row[one] + row[two]) / 2]) for name, row in scalars.items()}
        faces = _cut(faces, number[of_face.reshape(-1, 3)])
    unit = None if normals is None else normals.astype(np.float32)
    return Mesh(places.astype(np.float32), faces.astype(np.int32), unit, flow, scalars=scalars)


def _cut(faces: NDArray[np.int64], middles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles cut at the middles of some sides; -1 where a side is whole. Side k goes from corner k to the next."""
    count = (middles >= 0).sum(axis=1)
    made = [faces[count == 0]]
    for corner in range(3):
        order = [(corner + step) % 3 for step in range(3)]
        single = (count == 1) & (middles[:, corner] >= 0)
        a, b, c = faces[single][:, order].T
        m = middles[single, corner]
        made += [np.stack(rows, axis=1) for rows in ((a, m, c), (m, b, c))]
        double = (count == 2) & (middles[:, corner] < 0)
        a, b, c = faces[double][:, order].T
        m, n = middles[double, order[1]], middles[double, order[2]]
        made += [np.stack(rows, axis=1) for rows in ((m, c, n), (a, b, m), (a, m, n))]
    whole = count == 3
    (a, b, c), (m, n, o) = faces[whole].T, middles[whole].T
    made += [np.stack(rows, axis=1) for rows in ((a, m, o), (m, b, n), (o, n, c), (m, n, o))]
    return np.concatenate(made)
