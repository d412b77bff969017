"""Which part of each cell lies in a small shape, however much smaller than a cell it is.

From the distance of its centre alone, the part of a cell that lies in a shape is known as for a flat side. A ball of
R cells comes out 1 + 1/(4 R²) times as large then, and one that holds no centre may come out as nothing. So cells that
the border of a small shape crosses are measured by points, which stand in the box round the shape alone.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from plash.levelset.inside import share_inside
from plash.levelset.shapes import distance, thickness
from plash.scene.shapes import Shape

_SMALL = 8.0  # cells across, below which a shape is small
_CELLS = 1_000_000  # in the box round a small shape, at the most
_POINTS, _FINEST = 60_000, 16  # points in all, and along each side of a cell, at the most


def is_small(shape: Shape, h: float, dimension: int) -> bool:
    """Whether a shape has an end in all directions, and is but a few cells of h metres across where it is thinnest."""
    low, high = shape.bounds(dimension)
    sides = [b - a for a, b in zip(low, high, strict=True)]
    if not all(map(math.isfinite, (*low, *high))) or math.prod(side / h + 2 for side in sides) > _CELLS:
        return False
    return min(*sides, thickness(shape)) < _SMALL * h


def parts_inside(shape: Shape, h: float, dimension: int, name: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Cells (n, d), by index, that have a part in a small shape, and how large it is, 0 to 1.

    >>> from plash.scene.shapes import Box
    >>> cells, share = parts_inside(Box(min=(0.2, 1.1), max=(0.3, 1.3)), 1.0, 2, "box")
    >>> cells.tolist(), share.round(9).tolist()
    ([[0, 1]], [0.02])

    Args:
        shape: One with an end in all directions.
        h: Cell size, m.
        dimension: 2 or 3.
        name: What messages call it.
    """
    low, high = (np.array(end, np.float64) / h for end in shape.bounds(dimension))
    first, last = np.floor(low).astype(np.int64), np.maximum(np.ceil(high), np.floor(low) + 1).astype(np.int64)
    cells = first + np.indices(tuple((last - first).tolist())).reshape(dimension, -1).T
    away = distance(shape, (cells + 0.5) * h, name) / h
    corner = math.sqrt(dimension) / 2  # how far it is from the centre of a cell
    share = np.where(away <= -corner, 1.0, 0.0)
    crossed = np.flatnonzero(np.abs(away) < corner)
    if len(crossed):
        share[crossed] = _measured(shape, cells[crossed], (low, high), h, name)
    some = share > 0
    return cells[some], share[some]


def _measured(
    shape: Shape,
    cells: NDArray[np.int64],
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
    h: float,
    name: str,
) -> NDArray[np.float64]:
    """The part of each cell (n, d), by points where it and the box round the shape meet; bounds are in cells."""
    count, dimension = cells.shape
    begin = np.clip(bounds[0], cells, cells + 1)
    size = np.clip(bounds[1], cells, cells + 1) - begin
    fine = int(np.clip((_POINTS / count) ** (1 / dimension), 2, _FINEST))
    lattice = (np.indices((fine,) * dimension).reshape(dimension, -1).T + 0.5) / fine
    points = begin[:, None] + lattice * size[:, None]
    phi = distance(shape, points.reshape(-1, dimension) * h, name).reshape(count, -1) / h
    width = np.maximum(size.min(axis=1, keepdims=True) / fine, np.finfo(np.float64).tiny)
    measured: NDArray[np.float64] = share_inside(phi / width).mean(axis=1) * size.prod(axis=1)
    return measured
