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

from plash.grid.compile import chunk_count, inlined, kernel, serial_kernel
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


def draw_triangles(
    layer: Layer, view: View, vertices: NDArray[np.floating], faces: Ints, back: Layer | None = None
) -> None:
    """Draw triangles: into a layer of liquid only those that face the viewer, while all add to the thickness.

    Args:
        layer: What is drawn into.
        view: From where it is seen.
        vertices: (n, 3), m.
        faces: Triangles (m, 3).
        back: Where those go that face away from a layer of liquid; None if they are not wanted.
    """
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
    wanted = _Wanted(liquid, back is not None)
    backs = layer if back is None else back
    target = _Target(layer.depth, layer.index, layer.thickness, layer.behind, backs.depth, backs.index)
    starts, members = _by_band(triangles, layer.depth.shape)
    _draw(triangles, starts, members, wanted, target)


def _by_band(triangles: _Projected, size: tuple[int, int]) -> tuple[NDArray[np.int64], Ints]:
    """The triangles that have samples in each band of a picture: where those of each begin, and which they are."""
    spans = np.empty((len(triangles.faces), 2), np.int16)
    _find_spans(triangles, *size, spans, chunk_count())
    starts = np.zeros(BANDS + 1, np.int64)
    _count_in_bands(spans, starts)
    members = np.empty(starts[-1], np.int32)
    _list_in_bands(spans, starts[:-1].copy(), members)
    return starts, members


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


class _Wanted(NamedTuple):
    """Whether it is liquid, with a thickness, and whether its back is wanted."""

    liquid: bool
    back: bool


class _Target(NamedTuple):
    """What is drawn into; `front` and `back` are numbers of triangles."""

    depth: Floats
    front: Ints
    thickness: Floats
    behind: Floats
    back_depth: Floats
    back: Ints


@kernel
def _find_spans(triangles, rows, columns, spans, chunks):
    """The first and the last band in which triangles may have samples; the last is below the first if there is none."""
    steps, _, faces, _ = triangles
    n = len(faces)
    for chunk in numba.prange(chunks):
        for t in chunk_range(chunk, chunks, n):
            a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
            ay, by, cy = steps[a, 1], steps[b, 1], steps[c, 1]
            ax, bx, cx = steps[a, 0], steps[b, 0], steps[c, 0]
            first, last = max(0, _first(ay, by, cy)), min(rows - 1, _last(ay, by, cy))
            left, right = max(0, _first(ax, bx, cx)), min(columns - 1, _last(ax, bx, cx))
            spans[t, 0], spans[t, 1] = 0, -1
            if first <= last and left <= right:
                spans[t, 0], spans[t, 1] = _band_of(first, rows), _band_of(last, rows)


@serial_kernel
def _count_in_bands(spans, starts):
    for t in range(len(spans)):
        for band in range(spans[t, 0], spans[t, 1] + 1):
            starts[band + 1] += 1
    for band in range(1, len(starts)):
        starts[band] += starts[band - 1]


@serial_kernel
def _list_in_bands(spans, ends, members):
    for t in range(len(spans)):
        for band in range(spans[t, 0], spans[t, 1] + 1):
            members[ends[band]] = t
            ends[band] += 1


@inlined
def _first(a, b, c):
    """First row or column of samples that is not before three coordinates, in steps."""
    return (min(a, b, c) + 127) >> 8


@inlined
def _last(a, b, c):
    """Last row or column of samples that is not behind them."""
    return (max(a, b, c) - 128) >> 8


@inlined
def _band_of(row, rows):
    """The band that a row is in: `chunk_range` the other way round."""
    return ((row + 1) * BANDS - 1) // rows


@kernel
def _draw(triangles, starts, members, wanted, target):
    steps, nearness, faces, source = triangles
    depth, index, thickness, behind, back_depth, back_index = target
    liquid, back = wanted
    rows, columns = depth.shape
    for band in numba.prange(BANDS):
        part = chunk_range(band, BANDS, rows)
        top, bottom = part.start, part.stop - 1
        for member in range(starts[band], starts[band + 1]):
            t = members[member]
            a, b, c = faces[t, 0], faces[t, 1], faces[t, 2]
            ax, bx, cx = steps[a, 0], steps[b, 0], steps[c, 0]
            ay, by, cy = steps[a, 1], steps[b, 1], steps[c, 1]
            first, last = max(top, _first(ay, by, cy)), min(bottom, _last(ay, by, cy))
            left, right = max(0, _first(ax, bx, cx)), min(columns - 1, _last(ax, bx, cx))
            area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            if area == 0:
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
                        if not liquid:
                            if z < depth[i, j]:
                                depth[i, j] = z
                                index[i, j] = source[t]
                        elif front:
                            thickness[i, j] -= min(z, behind[i, j])
                            if z < depth[i, j] and z < behind[i, j]:
                                depth[i, j] = z
                                index[i, j] = source[t]
                        else:
                            thickness[i, j] += min(z, behind[i, j])
                            if back and z < back_depth[i, j] and z < behind[i, j]:
                                back_depth[i, j] = z
                                back_index[i, j] = source[t]
                    wa -= 256 * (cy - by)
                    wb -= 256 * (ay - cy)
                    wc -= 256 * (by - ay)
