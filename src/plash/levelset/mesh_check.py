"""What is wrong with a mesh that should enclose a body: each defect with its number, its place and the remedy.

Every edge of a closed surface is used as often one way as the other. Then the surface encloses a volume, whichever way
its parts touch or overlap: an edge shared by four triangles, as where two bricks stand edge to edge, is no defect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

_FLAT = 1e-9  # volume over area times diagonal, below which a mesh encloses nothing


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of a mesh, each once.

    Attributes:
        ends: (n, 2) vertices.
        uses: How many triangles have it.
        balance: How many more use it one way than the other, with a sign.
        edge_of: (3 m) the edge of each side of each triangle: from its first vertex, its second, its third.
    """

    ends: Numbers
    uses: Numbers
    balance: Numbers
    edge_of: Numbers

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Whether an edge has a triangle on one side only."""
        single: NDArray[np.bool_] = self.uses == 1
        return single


def edges_of(triangles: Numbers) -> Edges:
    """The edges of triangles whose three vertices differ."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    _, first, edge_of, uses = np.unique(
        low * (int(high.max(initial=0)) + 1) + high, return_index=True, return_inverse=True, return_counts=True
    )
    ways = np.where(starts < ends, 1.0, -1.0)
    balance = np.rint(np.bincount(edge_of, weights=ways, minlength=len(uses))).astype(np.int64)
    return Edges(np.stack([low[first], high[first]], axis=1), uses, balance, edge_of)


def defects(vertices: Array, triangles: Numbers) -> list[str]:
    """Everything that keeps triangles from enclosing a body; empty for a closed mesh that faces outwards.

    Args:
        vertices: (n, 3), finite, none twice.
        triangles: (m, 3), each of three different vertices.
    """
    if len(triangles) == 0:
        return ["has no triangle with an area: export the surface as a mesh of triangles"]
    edges = edges_of(triangles)
    found = [*_holes(vertices, edges), *_crowds(vertices, edges), *_clashes(vertices, triangles, edges)]
    return found or _inverted(vertices, triangles)


def _holes(vertices: Array, edges: Edges) -> list[str]:
    border = edges.ends[edges.is_open]
    if len(border) == 0:
        return []
    rims = len(np.unique(_groups(len(vertices), border)[border[:, 0]]))
    where = _place(vertices[border[0]].mean(axis=0))
    what = f"has {_count(len(border), 'open edge')} around {_count(rims, 'hole')}, the first at {where}"
    return [f"{what}: close the hole there, so that the triangles enclose a volume"]


def _crowds(vertices: Array, edges: Edges) -> list[str]:
    crowded = edges.ends[(edges.uses > 2) & (edges.balance != 0)]
    if len(crowded) == 0:
        return []
    where = _place(vertices[crowded[0]].mean(axis=0))
    what = f"has {_count(len(crowded), 'edge')} with more than two triangles, the first at {where}"
    return [f"{what}: delete the triangles there that lie inside the body, or stick out of it"]


def _clashes(vertices: Array, triangles: Numbers, edges: Edges) -> list[str]:
    if not ((edges.uses == 2) & (edges.balance != 0)).any():
        return []
    flipped = _flipped(len(triangles), edges)
    if flipped is None:
        return ["is one-sided, like a Moebius strip, and has no inside: rebuild it as a closed surface"]
    where = _place(vertices[triangles[flipped[0]]].mean(axis=0))
    what = f"has {_count(len(flipped), 'triangle')} of {len(triangles)} facing against the others, the first at {where}"
    return [f"{what}: flip their normals, so that all face outwards"]


def _flipped(count: int, edges: Edges) -> Numbers | None:
    """The triangles to turn round so that neighbours agree, the fewer of each part; None if it cannot be done.

    Each triangle stands twice in a graph, as it is and turned round; neighbours that agree are joined as they are, and
    turned with turned, others crosswise. The two of a triangle are connected only on a one-sided surface.
    """
    paired = np.flatnonzero(edges.uses[edges.edge_of] == 2)
    paired = paired[np.argsort(edges.edge_of[paired], kind="stable")]
    one, other = paired[::2] // 3, paired[1::2] // 3
    crosswise = (edges.balance[edges.edge_of[paired[::2]]] != 0) * count
    links = np.concatenate([np.stack([one, other + crosswise], axis=1), np.stack([one + count, other], axis=1)])
    links[len(one) :, 1] += count - crosswise
    group = _groups(2 * count, links)
    as_is, turned = group[:count], group[count:]
    if (as_is == turned).any():
        return None
    part = np.minimum(as_is, turned)
    is_turned = as_is > turned
    turned_in, all_in = (np.bincount(part, weights=w, minlength=2 * count) for w in (is_turned, np.ones(count)))
    minority = is_turned == (2 * turned_in <= all_in)[part]
    return np.flatnonzero(minority).astype(np.int64)


def _inverted(vertices: Array, triangles: Numbers) -> list[str]:
    """Parts of a closed mesh that face inwards and are no cavity of another part; or no volume at all."""
    corners = vertices[triangles] - vertices.mean(axis=0)
    area = float(np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum())
    groups = _groups(len(vertices), triangles[:, :2], triangles[:, 1:])
    names, part = np.unique(groups[triangles[:, 0]], return_inverse=True)
    volume = np.bincount(part, weights=np.linalg.det(corners)) / 6
    if float(np.abs(volume).sum()) <= _FLAT * area * float(np.linalg.norm(np.ptp(vertices, axis=0))):
        return ["encloses no volume, its triangles lie back to back: make it thicker"]
    wrong = [name for name in np.flatnonzero(volume < 0) if not _is_cavity(vertices, triangles, part == name)]
    if not wrong:
        return []
    if len(wrong) == len(names):
        return [f"is inside out, enclosing a volume of {volume.sum():.4g}: flip the normals, all face inwards"]
    around = vertices[triangles[part == wrong[0]].ravel()]
    where = _place((around.min(axis=0) + around.max(axis=0)) / 2)
    return [f"has {len(wrong)} of {len(names)} parts inside out, the first around {where}: flip the normals of those"]


def _is_cavity(vertices: Array, triangles: Numbers, own: NDArray[np.bool_]) -> bool:
    """Whether a part lies inside the others."""
    return winding(vertices[triangles[own][0, 0]], vertices[triangles[~own]]) > 0.5


def winding(point: Array, corners: Array) -> float:
    """How often triangles (n, 3, 3) go round a point: the solid angle they fill over 4π (van Oosterom 1983)."""
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    dots = [np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a))]
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    angles = 2 * np.arctan2(triple, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
    return float(angles.sum() / (4 * np.pi))


def _groups(count: int, *links: Numbers) -> NDArray[np.int32]:
    """The connected group of each of `count` things, given rows of two that belong together."""
    rows, columns = np.concatenate(links).T
    graph = coo_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=(count, count))
    labels: NDArray[np.int32] = connected_components(graph.tocsr(), directed=False)[1]
    return labels


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _place(point: Sequence[float] | Array) -> str:
    """A point in the coordinates of the file."""
    return f"({', '.join(f'{part:.4g}' for part in point)})"
