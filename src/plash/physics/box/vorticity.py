"""Vorticity confinement in a box: swirls that interpolation wore away are spun up again.

    ω = ∇ × u,   N = ∇|ω| / (‖∇|ω|‖ + ε),   u += dt k h (N × ω)

with the cell size h, so that the effect vanishes under refinement, and ε = 1e-5 |ω|_max/h, so that an even rotation is
left alone. The force is found at the centres of cells; each face takes the mean of both sides.
Reference: Fedkiw, Stam & Jensen 2001; Cline equations 28 and 29, with h, the mean and ε put right.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.box import at_centres, at_faces, in_space
from plash.grid.compile import chunk_count, inlined, kernel
from plash.grid.loops import chunk_range
from plash.timing import stage

Array = NDArray[np.float64]

_EVEN = 1e-5  # change of |ω| over a cell, as a share of its greatest value, that counts as none


class Confinement(Protocol):
    """A way to keep swirls."""

    def add(self, velocity: Array, dt: float) -> None:
        """Add what the force does in dt."""


class NoConfinement:
    """Swirls fade as they do."""

    def add(self, velocity: Array, dt: float) -> None:
        """Leave the velocity as it is."""


class VorticityConfinement:
    """Confinement of a strength (1 is a lot) on cells of a size, m."""

    def __init__(self, strength: float, h: float) -> None:
        self.strength, self.h = strength, h

    @stage
    def add(self, velocity: Array, dt: float) -> None:
        """Set u += dt k h (N × ω)."""
        velocity += at_faces(confining_force(velocity, self.h, self.strength * dt))


def confining_force(velocity: Array, h: float, strength: float) -> Array:
    """k h (N × ω) at the centres of cells [axis, [z,] y, x], for a velocity on faces."""
    d = len(velocity)
    centres = in_space(at_centres(velocity))
    shape = centres.shape[1:]
    curl, size, force = np.zeros((3, *shape)), np.empty(shape), np.empty((3, *shape))
    _rotation(centres, 1.0 / h, curl, size, chunk_count())
    greatest = float(size.max())
    _confine(curl, size, 1.0 / h, _EVEN * greatest / h + 1e-300, strength * h, force, chunk_count())
    result: Array = force[:d].reshape(velocity.shape)
    return result


@inlined
def _slope(field, k, j, i, dk, dj, di, per_h):
    """Central difference along an axis, one-sided at walls."""
    nz, ny, nx = field.shape
    k0, j0, i0 = max(k - dk, 0), max(j - dj, 0), max(i - di, 0)
    k1, j1, i1 = min(k + dk, nz - 1), min(j + dj, ny - 1), min(i + di, nx - 1)
    steps = (k1 - k0) + (j1 - j0) + (i1 - i0)
    return (field[k1, j1, i1] - field[k0, j0, i0]) * (per_h / max(steps, 1))


@kernel
def _rotation(velocity, per_h, curl, size, chunks):
    d, nz, ny, nx = velocity.shape
    rows = nz * ny
    for c in prange(chunks):
        for row in chunk_range(c, chunks, rows):
            k, j = row // ny, row % ny
            for i in range(nx):
                z = _slope(velocity[1], k, j, i, 0, 0, 1, per_h) - _slope(velocity[0], k, j, i, 0, 1, 0, per_h)
                x, y = 0.0, 0.0
                if d == 3:
                    x = _slope(velocity[2], k, j, i, 0, 1, 0, per_h) - _slope(velocity[1], k, j, i, 1, 0, 0, per_h)
                    y = _slope(velocity[0], k, j, i, 1, 0, 0, per_h) - _slope(velocity[2], k, j, i, 0, 0, 1, per_h)
                curl[0, k, j, i], curl[1, k, j, i], curl[2, k, j, i] = x, y, z
                size[k, j, i] = np.sqrt(x * x + y * y + z * z)


@kernel
def _confine(curl, size, per_h, even, factor, force, chunks):
    nz, ny, nx = size.shape
    rows = nz * ny
    for c in prange(chunks):
        for row in chunk_range(c, chunks, rows):
            k, j = row // ny, row % ny
            for i in range(nx):
                x = _slope(size, k, j, i, 0, 0, 1, per_h)
                y = _slope(size, k, j, i, 0, 1, 0, per_h)
                z = _slope(size, k, j, i, 1, 0, 0, per_h)
                share = factor / (np.sqrt(x * x + y * y + z * z) + even)
                a, b, e = curl[0, k, j, i], curl[1, k, j, i], curl[2, k, j, i]
                force[0, k, j, i] = share * (y * e - z * b)
                force[1, k, j, i] = share * (z * a - x * e)
                force[2, k, j, i] = share * (x * b - y * a)
