"""Which triangle is seen at each sample, how deep it is, and how much liquid lies behind it.

Corners are rounded to 1/256 of a sample and edges decided in whole numbers, so that a sample on an edge that two
triangles share belongs to exactly one of them: closed meshes have no holes, and depths of fronts and backs pair up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

NOTHING = -1
BANDS = 24
_STEPS = 256  # whole numbers per sample
_FURTHEST = 2**28  # in such steps: products of two differences stay below 2**60
_NEAR = 1e-3  # nearest depth that is drawn, as a part of the furthest


@dataclass(frozen=True, eq=False)
class Layer:
    """What is nearest at each sample.

    Attributes:
        depth: Depth (m), infinite where there is nothing.
        index: Number of the triangle or ball, -1 where there is nothing.
        thickness: Depth (m) of liquid from the front to what is opaque behind it; one sample if not asked for.
        behind: Depth (m) of what is opaque; nothing further away is drawn, and the thickness ends there.
    """

    depth: Floats
    index: Ints
    thickness: Floats
    behind: Floats

    @classmethod
    def empty(cls, view: View, behind: Floats | None = None) -> Layer:
        """Nothing yet. With `behind`, a layer of liquid, whose thickness is wanted."""
        shape = (view.height, view.width)
        small = shape if behind is not None else (1, 1)
        return cls(
            np.full(shape, np.inf, np.float32),
            np.full(shape, NOTHING, np.int32),
            np.zeros(small, np.float32),
            np.full((1, 1), np.inf, np.float32) if behind is None else behind,
        )


def draw_triangles(layer: Layer, view: View, vertices: NDArray[np.floating], faces: Ints) -> None:
    """Draw triangles: into a layer of liquid only those that face the viewer, while all add to the thickness."""
    if len(faces) == 0:
        return
    screen = view.project(vertices)
    source = np.arange(len(faces), dtype=np.int32)
    near = _NEAR * float(screen[:, 2].max())
    if near <= 0:
        return
    if screen[:, 2].min() < near:
        seen = (np.asarray(vertices, np.float64) - view.position) @ view.axes.T
        corners, faces, source = _clipped(seen, np.asarray(faces), near)
        screen = view.project(corners @ view.axes + view.position)
    with np.errstate(invalid="ignore"):
        steps = np.clip(np.rint(screen[:, :2] * _STEPS), -_FURTHEST, _FURTHEST).astype(np.int64)
    liquid = layer.thickness.shape == layer.depth.shape
    triangles = _Projected(steps, 1 / screen[:, 2], np.ascontiguousarray(faces), source)
    _draw(triangles, liquid, layer.depth, layer.index, layer.thickness, layer.behind, BANDS)


def _clipped(
    seen: NDArray[np.float64], faces: NDArray[np.int32], near: float
) -> tuple[NDArray[np.float64], Ints, Ints]:
    """The part of the triangles beyond a depth: corners, faces, and which triangle each face comes from."""
    ahead = seen[:, 2] >= near
    count = ahead[faces].sum(axis=1)
    whole = np.flatnonzero(count == 3)
    corners, new_faces, sources = list[NDArray[np.float64]](), [faces[whole]], [whole]
    base = len(seen)
    for inside, turned_by in ((1, ahead), (2, ~ahead)):
        # The corner that is alone on its side comes first
        chosen = np.flatnonzero(count == inside)
        first = np.argmax(turned_by[faces[chosen]], axis=1)
        a, b, c = (faces[chosen, (first + k) % 3] for k in range(3))
        cuts = [_cut(seen[a], seen[other], near) for other in (b, c)]
        corners += cuts
        ab, ac = base + np.arange(len(chosen)), base + len(chosen) + np.arange(len(chosen))
        base += 2 * len(chosen)
        pieces = [(a, ab, ac)] if inside == 1 else [(ab, b, c), (ab, c, ac)]
        new_faces += [np.stack(piece, axis=1) for piece in pieces]
        sources += [chosen] * len(pieces)
    source = np.concatenate(sources)
    order = np.argsort(source, kind="stable")
    every = np.concatenate([seen, *corners])
    every[: len(seen)][~ahead, 2] = near  # unused from here on; keeps 1 / depth finite
    return every, np.concatenate(new_faces)[order].astype(np.int32), source[order].astype(np.int32)


def _cut(a: NDArray[np.float64], b: NDArray[np.float64], near: float) -> NDArray[np.float64]:
    part = (near - a[:, 2]) / (b[:, 2] - a[:, 2])
    points: NDArray[np.float64] = a + part[:, None] * (b - a)
    points[:, 2] = near
    return points


class _Projected(NamedTuple):
    """Triangles on the screen: places and nearness of corners, corners of faces, and which triangle each is part of."""

    steps: NDArray[np.int64]
    nearness: NDArray[np.float64]
    faces: Ints
    source: Ints


@kernel
def _draw(triangles, liquid, depth, index, thickness, behind, bands):
    steps, nearness, faces, source = triangles
    rows, columns = depth.shape
    for band in numba.prange(bands):
        part = chunk_range(band, bands, rows)
        top, bottom = part.start, part.stop - 1
        for t in range(faces.shape[0]):
            a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
            ay, by, cy = steps[a, 1], steps[b, 1], steps[c, 1]
            first = max(top, (min(ay, by, cy) + 127) >> 8)
            last = min(bottom, (max(ay, by, cy) - 128) >> 8)
            if first > last:
                continue
            ax, bx, cx = steps[a, 0], steps[b, 0], steps[c, 0]
            left = max(0, (min(ax, bx, cx) + 127) >> 8)
            right = min(columns - 1, (max(ax, bx, cx) - 128) >> 8)
            area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            if left > right or area == 0:
                continue
            qa, qb, qc = nearness[a], nearness[b], nearness[c]
            front = area < 0
            if front:
                bx, by, qb, cx, cy, qc, area = cx, cy, qc, bx, by, qb, -area
            # Of the two directions of an edge exactly one owns the samples on it
            own_a = 0 if cy < by or (cy == by and cx > bx) else 1
            own_b = 0 if ay < cy or (ay == cy and ax > cx) else 1
            own_c = 0 if by < ay or (by == ay and bx > ax) else 1
            scale = 1.0 / area
            for i in range(first, last + 1):
                y, x = 256 * i + 128, 256 * left + 128
                wa = (cx - bx) * (y - by) - (cy - by) * (x - bx)
                wb = (ax - cx) * (y - cy) - (ay - cy) * (x - cx)
                wc = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
                for j in range(left, right + 1):
                    if wa >= own_a and wb >= own_b and wc >= own_c:
                        q = (wa * qa + wb * qb + wc * qc) * scale
                        z = np.float32(1.0 / q)
                        if liquid:
                            ended = min(z, behind[i, j])
                            thickness[i, j] += -ended if front else ended
                            if front and z < depth[i, j] and z < behind[i, j]:
                                depth[i, j] = z
                                index[i, j] = source[t]
                        elif z < depth[i, j]:
                            depth[i, j] = z
                            index[i, j] = source[t]
                    wa -= 256 * (cy - by)
                    wb -= 256 * (ay - cy)
                    wc -= 256 * (by - ay)
