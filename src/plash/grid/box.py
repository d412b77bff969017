"""Fields in a plain box, without tiles: for fluids that fill it whole.

Scalars stand at the centres of cells, [[z,] y, x]. Velocities stand on the minimal faces, [axis, [z,] y, x] with x
first; the box has walls, so that the first faces along each axis are zero, as are those behind the last, which are not
kept.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range

Array = NDArray[np.float64]


def box_divergence(velocity: Array, h: float) -> Array:
    """∇·u of every cell, 1/s.

    Example:
        >>> u = np.zeros((2, 3, 4))
        >>> u[0, 1, 2] = 1.0
        >>> box_divergence(u, h=0.5)[1]
        array([ 0.,  2., -2.,  0.])
    """
    result = np.empty(velocity.shape[1:])
    space = in_space(velocity)
    _divergence(space, 1.0 / h, result.reshape(space.shape[1:]), chunk_count())
    return result


def subtract_box_gradient(velocity: Array, potential: Array, h: float) -> None:
    """Set u -= ∇q on every face but those on walls."""
    space = in_space(velocity)
    _subtract_gradient(space, potential.reshape(space.shape[1:]), 1.0 / h, chunk_count())


def at_centres(velocity: Array) -> Array:
    """The velocity at the centres of cells: the mean of both faces."""
    result = 0.5 * velocity
    for axis, component in enumerate(velocity):
        along = component.ndim - 1 - axis
        behind = (slice(None),) * along
        result[axis][(*behind, slice(None, -1))] += 0.5 * component[(*behind, slice(1, None))]
    return result


def at_faces(values: Array) -> Array:
    """Vectors at the centres of cells, [axis, [z,] y, x], as components on faces: means of both cells, 0 on walls."""
    result = np.zeros_like(values)
    for axis, component in enumerate(values):
        inner, before = inner_faces(axis, component.ndim), inner_faces(axis, component.ndim, last=-1)
        result[axis][inner] = 0.5 * (component[inner] + component[before])
    return result


def inner_faces(axis: int, dimension: int, last: int | None = None) -> tuple[slice, ...]:
    """The faces across an axis (0 is x) that are not on a wall; with `last` -1, the cells before them."""
    along = dimension - 1 - axis
    return (*(slice(None),) * along, slice(1, None) if last is None else slice(None, last))


def in_space(velocity: Array) -> Array:
    """The same field with axes z, y, x also in 2-D, where there is one layer."""
    return velocity.reshape(len(velocity), *velocity.shape[1:]) if velocity.ndim == 4 else velocity[:, None]


def interpolated_at(values: NDArray[np.floating], points: Array, h: float) -> Array:
    """Components at the centres of cells, [axis, [z,] y, x], at points (n, axes) in metres: (n, axes), linear.

    Beyond the outermost centres they stay the same.
    """
    shape = np.array(values.shape[:0:-1])
    places = np.clip(points / h - 0.5, 0, shape - 1)
    first = np.minimum(places.astype(np.int64), np.maximum(shape - 2, 0))
    share = places - first
    result = np.zeros((len(points), len(values)))
    for corner in np.ndindex(*(2,) * len(shape)):
        index = np.minimum(first + corner, shape - 1)
        weight = np.where(corner, share, 1.0 - share).prod(axis=1)
        result += weight[:, None] * values[(slice(None), *index.T[::-1])].T
    return result


def cell_centres(shape: tuple[int, ...], h: float) -> Array:
    """Places (cells, axes) of the centres of all cells in the order of an array of this shape, m."""
    axes = [(np.arange(count) + 0.5) * h for count in shape]
    return np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")][::-1], axis=1)


@kernel
def _divergence(velocity, per_h, result, chunks):
    d, nz, ny, nx = velocity.shape
    rows = nz * ny
    for c in prange(chunks):
        for row in chunk_range(c, chunks, rows):
            k, j = row // ny, row % ny
            for i in range(nx):
                total = (velocity[0, k, j, i + 1] if i + 1 < nx else 0.0) - velocity[0, k, j, i]
                total += (velocity[1, k, j + 1, i] if j + 1 < ny else 0.0) - velocity[1, k, j, i]
                if d == 3:
                    total += (velocity[2, k + 1, j, i] if k + 1 < nz else 0.0) - velocity[2, k, j, i]
                result[k, j, i] = total * per_h


@kernel
def _subtract_gradient(velocity, potential, per_h, chunks):
    d, nz, ny, nx = velocity.shape
    rows = nz * ny
    for c in prange(chunks):
        for row in chunk_range(c, chunks, rows):
            k, j = row // ny, row % ny
            for i in range(nx):
                here = potential[k, j, i]
                if i > 0:
                    velocity[0, k, j, i] -= (here - potential[k, j, i - 1]) * per_h
                if j > 0:
                    velocity[1, k, j, i] -= (here - potential[k, j - 1, i]) * per_h
                if d == 3 and k > 0:
                    velocity[2, k, j, i] -= (here - potential[k - 1, j, i]) * per_h
