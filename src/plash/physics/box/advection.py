"""What a velocity in a box carries along: traced back, plainly or with MacCormack's correction.

Trace back (Stam 1999; Kuo's Advect): a sample takes the value that stood where its path began,

    φ̂(x) = φ(x - d),   d = dt u(x - dt u/2)

Linear interpolation makes this stable for any step, and as gluey as Kuo saw. MacCormack (Selle et al. 2008) traces
the result forth again, and takes out half of what was lost on the round trip:

    φ' = φ̂ + (φ - φ̂(x + d'))/2,   within the least and greatest of the values that φ̂ was interpolated from

which is second order where φ is smooth, and makes no new extremes. Paths are found at the centres of cells; faces take
the mean of both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.box import in_space
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range
from plash.grid.sample import between_four
from plash.timing import stage

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Paths:
    """Where the centres of cells came from and where they go, as displacements in cells [axis, [z,] y, x]."""

    back: Array
    forth: Array | None = None


class DenseAdvection(Protocol):
    """A way to carry fields along."""

    def paths(self, velocity: Array, dt: float, h: float) -> Paths:
        """The paths that a velocity (on faces, m/s) makes in dt."""

    def carried(self, field: Array, paths: Paths, axis: int | None = None) -> Array:
        """A field in cells, or on the minimal faces across an axis (0 is x), carried along."""


class BackwardTrace:
    """Trace back, and take the interpolated value."""

    @stage
    def paths(self, velocity: Array, dt: float, h: float) -> Paths:
        """Paths back."""
        return Paths(_displacement(velocity, -dt / h))

    @stage
    def carried(self, field: Array, paths: Paths, axis: int | None = None) -> Array:
        """The value at the start of each path."""
        return _traced(field, paths, axis)


class MacCormack:
    """Trace back and forth, and correct by half the difference."""

    @stage
    def paths(self, velocity: Array, dt: float, h: float) -> Paths:
        """Paths back and forth."""
        return Paths(_displacement(velocity, -dt / h), _displacement(velocity, dt / h))

    @stage
    def carried(self, field: Array, paths: Paths, axis: int | None = None) -> Array:
        """The value at the start of each path, corrected."""
        assert paths.forth is not None
        first, result = _traced(field, paths, axis), np.empty_like(field)
        back, forth = in_space(paths.back), in_space(paths.forth)
        run = _carry(field.ndim, True)
        run(_deep(field), _deep(first), back, forth, _offset(axis), _deep(result), chunk_count())
        return result


def _displacement(velocity: Array, factor: float) -> Array:
    result = np.empty_like(velocity)
    _follow(velocity.ndim - 1)(in_space(velocity), factor, in_space(result), chunk_count())
    return result


def _traced(field: Array, paths: Paths, axis: int | None) -> Array:
    """The value at the start of each path."""
    result = np.empty_like(field)
    before, back = _deep(field), in_space(paths.back)
    _carry(field.ndim, False)(before, before, back, back, _offset(axis), _deep(result), chunk_count())
    return result


def _deep(field: Array) -> Array:
    return field if field.ndim == 3 else field[None]


def _offset(axis: int | None) -> tuple[int, int, int]:
    """1 along the axis (x, y, z) that faces are across: they have one more place there, at the far wall."""
    return (int(axis == 0), int(axis == 1), int(axis == 2))


@inlined
def _place(x, n, more):
    """Cell before a coordinate, the one behind it, and the share of that; what is beyond the far wall is zero."""
    x = min(x, float(n - 1 + more)) if x > 0.0 else 0.0
    before = min(int(x), n - 1)
    behind = before + 1
    if behind < n:
        return before, behind, x - before, 1.0 - (x - before)
    return before, before, 0.0, 1.0 - (x - before)


@inlined
def _interpolated(field, x, y, z, mx, my, mz, DEEP):
    nz, ny, nx = field.shape
    i0, i1, b, a = _place(x, nx, mx)
    j0, j1, d, c = _place(y, ny, my)
    if not DEEP:
        return between_four(field[0, j0, i0], field[0, j0, i1], field[0, j1, i0], field[0, j1, i1], b, a, d, c)
    k0, k1, f, e = _place(z, nz, mz)
    low = between_four(field[k0, j0, i0], field[k0, j0, i1], field[k0, j1, i0], field[k0, j1, i1], b, a, d, c)
    high = between_four(field[k1, j0, i0], field[k1, j0, i1], field[k1, j1, i0], field[k1, j1, i1], b, a, d, c)
    return e * low + f * high


@inlined
def _used(before, behind, share):
    """Of two places those that count: round-off must not decide which of the neighbours is one."""
    if share < 1e-9:
        return before, before
    if share > 1.0 - 1e-9:
        return behind, behind
    return before, behind


@inlined
def _least_and_greatest(field, x, y, z, mx, my, mz, DEEP):
    """Of the values that an interpolation uses; a wall of zeros counts."""
    nz, ny, nx = field.shape
    i0, i1, b, _ = _place(x, nx, mx)
    j0, j1, d, _ = _place(y, ny, my)
    i0, i1 = _used(i0, i1, b)
    j0, j1 = _used(j0, j1, d)
    p, q, r, s = field[0, j0, i0], field[0, j0, i1], field[0, j1, i0], field[0, j1, i1]
    if DEEP:
        k0, k1, f, _ = _place(z, nz, mz)
        k0, k1 = _used(k0, k1, f)
        p, q, r, s = field[k0, j0, i0], field[k0, j0, i1], field[k0, j1, i0], field[k0, j1, i1]
    least, greatest = min(min(p, q), min(r, s)), max(max(p, q), max(r, s))
    if DEEP:
        p, q, r, s = field[k1, j0, i0], field[k1, j0, i1], field[k1, j1, i0], field[k1, j1, i1]
        least = min(least, min(min(p, q), min(r, s)))
        greatest = max(greatest, max(max(p, q), max(r, s)))
    at_wall = (mx == 1 and i0 == nx - 1) or (my == 1 and j0 == ny - 1)
    if DEEP:
        at_wall = at_wall or (mz == 1 and k0 == nz - 1)
    if at_wall:
        least, greatest = min(least, 0.0), max(greatest, 0.0)
    return least, greatest


@for_tile_shape
def _follow(dimension: int) -> Kernel:
    """Where the centre of each cell gets to, by the velocity half-way."""
    DEEP = dimension == 3

    @kernel
    def run(velocity, factor, result, chunks):
        _, nz, ny, nx = velocity.shape
        rows = nz * ny
        half = 0.5 * factor
        for c in prange(chunks):
            for row in chunk_range(c, chunks, rows):
                k, j = row // ny, row % ny
                for i in range(nx):
                    u = 0.5 * (velocity[0, k, j, i] + (velocity[0, k, j, i + 1] if i + 1 < nx else 0.0))
                    v = 0.5 * (velocity[1, k, j, i] + (velocity[1, k, j + 1, i] if j + 1 < ny else 0.0))
                    x, y, z = i + half * u, j + half * v, 0.0
                    if DEEP:
                        w = 0.5 * (velocity[2, k, j, i] + (velocity[2, k + 1, j, i] if k + 1 < nz else 0.0))
                        z = k + half * w
                    result[0, k, j, i] = factor * _interpolated(velocity[0], x + 0.5, y, z, 1, 0, 0, DEEP)
                    result[1, k, j, i] = factor * _interpolated(velocity[1], x, y + 0.5, z, 0, 1, 0, DEEP)
                    if DEEP:
                        result[2, k, j, i] = factor * _interpolated(velocity[2], x, y, z + 0.5, 0, 0, 1, DEEP)

    return run


@inlined
def _led_to(way, k, j, i, mx, my, mz, DEEP):
    """Where the way from a cell leads to, or from the face between it and the one before along (mx, my, mz)."""
    x = i + 0.5 * (way[0, k, j, i] + way[0, k - mz, j - my, i - mx])
    y = j + 0.5 * (way[1, k, j, i] + way[1, k - mz, j - my, i - mx])
    z = 0.0
    if DEEP:
        z = k + 0.5 * (way[2, k, j, i] + way[2, k - mz, j - my, i - mx])
    return x, y, z


@for_tile_shape
def _carry(dimension: int, corrects: bool) -> Kernel:
    """Values where paths back begin, traced once; or `first`, which was traced so, corrected by the way forth."""
    DEEP = dimension == 3
    CORRECTS = corrects

    @kernel
    def run(field, first, back, forth, offset, result, chunks):
        nz, ny, nx = field.shape
        mx, my, mz = offset
        rows = nz * ny
        for c in prange(chunks):
            for row in chunk_range(c, chunks, rows):
                k, j = row // ny, row % ny
                for i in range(nx):
                    if k < mz or j < my or i < mx:
                        result[k, j, i] = 0.0
                        continue
                    x, y, z = _led_to(back, k, j, i, mx, my, mz, DEEP)
                    if not CORRECTS:
                        result[k, j, i] = _interpolated(field, x, y, z, mx, my, mz, DEEP)
                        continue
                    least, greatest = _least_and_greatest(field, x, y, z, mx, my, mz, DEEP)
                    x, y, z = _led_to(forth, k, j, i, mx, my, mz, DEEP)
                    again = _interpolated(first, x, y, z, mx, my, mz, DEEP)
                    value = first[k, j, i] + 0.5 * (field[k, j, i] - again)
                    result[k, j, i] = min(max(value, least), greatest)

    return run
