"""What is wrong with a mesh that should enclose a body: each defect with its number, its place and the remedy.

And what can be put right: which way its triangles face.

Every edge of a closed surface is used as often one way as the other. Then the surface encloses a volume, whichever way
its parts touch or overlap: an edge shared by four triangles, as where two bricks stand edge to edge, is no defect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

_FLAT = 1e-9  # volume over area times diagonal, below which a mesh encloses nothing
_LOOKS = 8  # vertices of a part, at most, at which it is looked whether they lie inside the others
_WORK = 1e8  # solid angles: several seconds

# Edits that make a body of a mesh; {wall} is a thickness that suits it
_REPAIR = "set repair = true"
_WALL = 'set thickness = "{wall}", which makes a wall of the surface'


@dataclass(frozen=True, eq=False)
class EdgeTable:
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


def edges_of(triangles: Numbers) -> EdgeTable:
    """The edges of triangles whose three vertices differ."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    _, first, edge_of, uses = np.unique(
        low * (int(high.max(initial=0)) + 1) + high, return_index=True, return_inverse=True, return_counts=True
    )
    ways = np.where(starts < ends, 1.0, -1.0)
    balance = np.rint(np.bincount(edge_of, weights=ways, minlength=len(uses))).astype(np.int64)
    return EdgeTable(np.stack([low[first], high[first]], axis=1), uses, balance, edge_of)


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


def _holes(vertices: Array, edges: EdgeTable) -> list[str]:
    border = edges.ends[edges.is_open]
    if len(border) == 0:
        return []
    rims = len(np.unique(groups_of(len(vertices), border)[border[:, 0]]))
    where = _place(vertices[border[0]].mean(axis=0))
    what = f"has {_count(len(border), 'open edge')} around {_count(rims, 'hole')}, the first at {where}"
    return [f"{what}: {_REPAIR}, which closes holes over, or {_WALL}; or close the hole there"]


def _crowds(vertices: Array, edges: EdgeTable) -> list[str]:
    crowded = edges.ends[(edges.uses > 2) & (edges.balance != 0)]
    if len(crowded) == 0:
        return []
    where = _place(vertices[crowded[0]].mean(axis=0))
    what = f"has {_count(len(crowded), 'edge')} with more than two triangles, the first at {where}"
    return [f"{what}: {_REPAIR}; or delete the triangles there that lie inside the body, or stick out of it"]


def _clashes(vertices: Array, triangles: Numbers, edges: EdgeTable) -> list[str]:
    if not ((edges.uses == 2) & (edges.balance != 0)).any():
        return []
    flipped = _flipped(len(triangles), edges)
    if flipped is None:
        return ["is one-sided, like a Moebius strip, and has no inside: " + _WALL]
    where = _place(vertices[triangles[flipped[0]]].mean(axis=0))
    what = f"has {_count(len(flipped), 'triangle')} of {len(triangles)} facing against the others, the first at {where}"
    return [f"{what}: {_REPAIR}; or flip their normals, so that all face outwards"]


def _flipped(count: int, edges: EdgeTable) -> Numbers | None:
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
    group = groups_of(2 * count, links)
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
    part, volume = _parts(vertices, triangles)
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    area = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    if float(np.abs(volume).sum()) <= _FLAT * area * float(np.linalg.norm(np.ptp(vertices, axis=0))):
        return [f"encloses no volume, its triangles lie back to back: {_WALL}"]
    wrong = _turned_in(vertices, triangles, part, volume)
    if len(wrong) == 0:
        return []
    if len(wrong) == len(volume):
        remedy = f"{_REPAIR}; or flip the normals, all face inwards"
        return [f"is inside out, enclosing a volume of {volume.sum():.4g}: {remedy}"]
    around = vertices[triangles[part == wrong[0]].ravel()]
    where = _place((around.min(axis=0) + around.max(axis=0)) / 2)
    what = f"has {len(wrong)} of {len(volume)} parts inside out, the first around {where}"
    return [f"{what}: {_REPAIR}; or flip the normals of those"]


def _parts(vertices: Array, triangles: Numbers) -> tuple[Numbers, Array]:
    """The connected part that each triangle belongs to, and the volume of each part, negative if it faces inwards."""
    groups = groups_of(len(vertices), triangles[:, :2], triangles[:, 1:])
    part = np.unique(groups[triangles[:, 0]], return_inverse=True)[1].astype(np.int64)
    corners = vertices[triangles]
    middles = corners.mean(axis=1)
    count = np.bincount(part)
    centres = np.stack([np.bincount(part, weights=middles[:, axis]) / count for axis in range(3)], axis=1)
    volume = np.bincount(part, weights=np.linalg.det(corners - centres[part, None])) / 6
    return part, volume


def _turned_in(vertices: Array, triangles: Numbers, part: Numbers, volume: Array) -> Numbers:
    """The parts that face inwards and are no cavity of the others; with too many to look at, all are taken for such."""
    inwards = np.flatnonzero(volume < 0).astype(np.int64)
    if len(inwards) in (0, len(volume)):
        return inwards
    looks = int(min(_WORK / (len(inwards) * len(triangles)), _LOOKS))
    if looks == 0:
        return inwards[:0]
    return inwards[[not _is_cavity(vertices, triangles, part == name, looks) for name in inwards]]


def oriented(vertices: Array, triangles: Numbers) -> Numbers:
    """The triangles turned so that neighbours agree, and parts face outwards unless they lie inside another."""
    flipped = _flipped(len(triangles), edges_of(triangles))
    turned = triangles.copy()
    if flipped is not None:
        turned[flipped] = turned[flipped, ::-1]
    part, volume = _parts(vertices, turned)
    wrong = np.isin(part, _turned_in(vertices, turned, part, volume))
    turned[wrong] = turned[wrong, ::-1]
    return turned


def has_inside(vertices: Array, triangles: Numbers) -> bool:
    """Whether the surface goes round any point beside it; taken to be so if that would take long to find out.

    Where it goes round a point at all, it does so beside some triangle: the winding number has no maximum elsewhere.
    """
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.sqrt(np.linalg.norm(normals, axis=1, keepdims=True))
    behind = corners.mean(axis=1) - 1e-3 * np.divide(normals, sizes, out=np.zeros_like(normals), where=sizes > 0)
    most = int(_WORK / 4 / len(triangles)) + 1
    order = np.random.default_rng(0).permutation(len(triangles))
    if any(winding(behind[k], corners) > 0.5 + 1e-9 for k in order[:most]):
        return True
    return most < len(triangles)


def _is_cavity(vertices: Array, triangles: Numbers, own: NDArray[np.bool_], looks: int) -> bool:
    """Whether a part lies inside the others: some of its vertices, spread over it, all do."""
    used = np.unique(triangles[own])
    spread = used[np.arange(looks) * len(used) // looks]
    return all(winding(vertices[vertex], vertices[triangles[~own]]) > 0.5 for vertex in spread)


def winding(point: Array, corners: Array) -> float:
    """How often triangles (n, 3, 3) go round a point: the solid angle they fill over 4π (van Oosterom 1983)."""
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    dots = [np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a))]
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    angles = 2 * np.arctan2(triple, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
    return float(angles.sum() / (4 * np.pi))


def groups_of(count: int, *links: Numbers) -> NDArray[np.int32]:
    """The connected group of each of `count` things, given rows of two that belong together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = np.concatenate(links).T
    graph = coo_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=(count, count))
    labels: NDArray[np.int32] = connected_components(graph.tocsr(), directed=False)[1]
    return labels


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _place(point: Sequence[float] | Array) -> str:
    """A point in the coordinates of the file."""
    return f"({', '.join(f'{part:.4g}' for part in point)})"
