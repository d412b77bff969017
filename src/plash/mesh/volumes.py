"""Giving parts of a surface the volume that they shall have, by moving them along their normals.

    ∂V/∂x_i = g_i = 1/6 Σ x_j × x_k over the faces round vertex i,     s = (V_wanted - V) / Σ g_i·n_i

All vertices of a part go by the same s along their normal n_i, those on walls along the wall; what closes the liquid
on a wall stays where it is. In 2-D areas and the outline take the place of volumes and faces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, inlined, kernel, serial_kernel
from plash.grid.loops import chunk_numbers, chunk_range, numbers_in
from plash.mesh.draft import CLOSES, Draft
from plash.mesh.topology import Rows

_ROUNDS = 3
_SOME = 1000  # rows that the mean edge is taken of
_FURTHEST = 0.5  # of the mean edge: no part is moved by more in a round


def part_volumes(places: NDArray[np.float64], rows: Rows, part: NDArray[np.int32]) -> NDArray[np.float64]:
    """Signed volume of each part, by the divergence theorem; in 2-D, where rows are edges, its area."""
    return _volumes(places, rows, _Parts(part.view(np.uint32), _first_of_each(part)), np.empty(len(rows)))


def _volumes(
    places: NDArray[np.float64], rows: Rows, parts: _Parts, shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same, with room for the share of each row."""
    _measure(places, rows.view(np.uint32), parts, shares, chunk_count())
    volumes = np.zeros(len(parts.first))
    _add_up_rows(shares, rows, parts.part, volumes)
    return volumes


def with_volumes(draft: Draft, part: NDArray[np.int32], wanted: NDArray[np.float64], furthest: float = np.inf) -> Draft:
    """The draft with the wanted volume of each part.

    Args:
        draft: A surface.
        part: Number of the part of each vertex.
        wanted: Volume of each part in lattice units; one that is not finite is left as it is.
        furthest: How far vertices may move at most, in lattice spacings.
    """
    rows = draft.rows
    if len(rows) == 0:
        return draft
    parts = _Parts(part.view(np.uint32), _first_of_each(part))
    places = draft.places.copy()
    some = rows[:: max(len(rows) // _SOME, 1)]
    along = places[some[:, 0]] - places[some[:, 1]]
    at_once = min(_FURTHEST * float(np.sqrt((along**2).sum(axis=1).mean())), furthest)
    left = np.full(len(wanted), furthest)
    push, gain = np.empty_like(places), np.empty(len(places))
    _find_pushes(places, draft.corners, rows.shape[1] == 2, parts, draft.walls, push, gain, chunk_count())
    gains = np.zeros(len(wanted))
    _add_up(gain, part, gains)
    shares = np.empty(len(rows))
    for _ in range(_ROUNDS):
        missing = np.where(np.isfinite(wanted), wanted - _volumes(places, rows, parts, shares), 0.0)
        most = np.minimum(at_once, left)
        shift = np.divide(missing, gains, out=np.copysign(most, missing), where=np.abs(missing) < most * gains)
        left -= np.abs(shift)
        _push(places, push, part, shift, chunk_count())
    return draft.moved_to(places)


def _first_of_each(part: NDArray[np.int32]) -> NDArray[np.uint64]:
    """First vertex of each part: the origin that its volume is measured from, so that few digits are lost."""
    first = np.zeros(int(part.max(initial=-1)) + 1, np.uint64)
    first[part[::-1]] = np.arange(len(part) - 1, -1, -1)
    return first


class _Parts(NamedTuple):
    """The part of each vertex, and the first vertex of each part; without a sign, which kernels would test."""

    part: NDArray[np.uint32]
    first: NDArray[np.uint64]


@kernel
def _measure(places, rows, parts, shares, chunks):
    """The share of each row in the volume of its part."""
    part, first = parts
    n = len(rows)
    is_flat = rows.shape[1] == 2
    for chunk in prange(chunks):
        for r in chunk_numbers(chunk, chunks, n):
            i, j = rows[r, 0], rows[r, 1]
            o = first[part[i]]
            ox, oy, oz = places[o, 0], places[o, 1], places[o, 2]
            ax, ay, az = places[i, 0] - ox, places[i, 1] - oy, places[i, 2] - oz
            bx, by, bz = places[j, 0] - ox, places[j, 1] - oy, places[j, 2] - oz
            if is_flat:
                shares[r] = (ax * by - ay * bx) / 2
            else:
                k = rows[r, 2]
                x, y, z = _cross(bx, by, bz, places[k, 0] - ox, places[k, 1] - oy, places[k, 2] - oz)
                shares[r] = (ax * x + ay * y + az * z) / 6


@serial_kernel
def _add_up_rows(shares, rows, part, sums):
    for r in range(len(rows)):
        sums[part[rows[r, 0]]] += shares[r]


@serial_kernel
def _add_up(shares, part, sums):
    for i in range(len(shares)):
        sums[part[i]] += shares[i]


@kernel
def _find_pushes(places, corners, is_flat, parts, walls, push, gain, chunks):
    """Where each vertex goes by a shift of one, and how much volume that gains."""
    starts, _, following, last, is_first = corners
    part, first = parts
    n = len(places)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            gx, gy, gz = 0.0, 0.0, 0.0
            o = first[part[i]]
            ox, oy, oz = places[o, 0], places[o, 1], places[o, 2]
            for s in numbers_in(starts, i):
                j, m = following[s], last[s]
                if is_flat:
                    turn = 0.5 if is_first[s] else -0.5
                    gx += turn * (places[j, 1] - oy)
                    gy -= turn * (places[j, 0] - ox)
                else:
                    ax, ay, az = places[j, 0] - ox, places[j, 1] - oy, places[j, 2] - oz
                    x, y, z = _cross(ax, ay, az, places[m, 0] - ox, places[m, 1] - oy, places[m, 2] - oz)
                    gx += x / 6
                    gy += y / 6
                    gz += z / 6
            length = np.sqrt(gx * gx + gy * gy + gz * gz)
            scale = 1 / length if length > 0 and walls[i] < CLOSES else 0.0
            push[i, 0] = gx * scale if walls[i] & 3 == 0 else 0.0
            push[i, 1] = gy * scale if walls[i] & 12 == 0 else 0.0
            push[i, 2] = gz * scale if walls[i] & 48 == 0 else 0.0
            gain[i] = gx * push[i, 0] + gy * push[i, 1] + gz * push[i, 2]


@kernel
def _push(places, push, part, shift, chunks):
    n = len(places)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            for axis in range(3):
                places[i, axis] += shift[part[i]] * push[i, axis]


@inlined
def _cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
