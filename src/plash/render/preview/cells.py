"""The cells that hold liquid, as boxes: squares of their outer faces in 3-D, filled squares in 2-D."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import FURTHEST, pack
from plash.render.preview.surfaces import DrawnTriangles

Floats = NDArray[np.float32]


def filled_cells(
    position: NDArray[np.float64], values: NDArray[np.floating], h: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Indices (n, axes) of the cells that hold a particle, in order, and the mean value of the particles in each.

    Values are (n,), or (n, 3) if they are colours.
    """
    if len(position) == 0:
        return np.zeros((0, position.shape[1]), np.int64), np.zeros((0, *values.shape[1:]))
    cells = np.floor(position / h).astype(np.int64)
    found, which = np.unique(_keys(cells), return_inverse=True)
    first = np.zeros(len(found), np.int64)
    first[which[::-1]] = np.arange(len(cells))[::-1]
    means = np.array([np.bincount(which, column) / np.bincount(which) for column in np.atleast_2d(values.T)])
    return cells[first], means.reshape(*values.shape[:0:-1], len(found)).T


def cell_boxes(cells: NDArray[np.int64], colors: Floats, h: float) -> DrawnTriangles:
    """The faces of cells that no other cell covers; two triangles each. In 2-D all squares, at z = 0."""
    dimension = cells.shape[1]
    keys = np.sort(_keys(cells))
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    vertices, owners = [], []
    for axis in range(3) if dimension == 3 else (2,):
        for side in (0, 1) if dimension == 3 else (1,):
            bare = np.arange(len(cells))
            if dimension == 3:
                beyond = cells.copy()
                beyond[:, axis] += 2 * side - 1
                bare = np.flatnonzero(~_among(_keys(beyond), keys))
            across = [(axis + 1) % 3, (axis + 2) % 3] if side else [(axis + 2) % 3, (axis + 1) % 3]
            square = np.full((4, 3), side)
            square[:, across] = corners
            places = cells[bare][:, None, :] + square[None, :, :dimension]
            vertices.append(places.reshape(-1, dimension))
            owners.append(np.repeat(bare, 4))
    placed = np.concatenate(vertices).astype(np.float64) * h
    if dimension == 2:
        placed = np.column_stack([placed, np.zeros(len(placed))])
    first = 4 * np.arange(len(placed) // 4)[:, None]
    faces = np.concatenate([first + corner for corner in (0, 1, 2, 0, 2, 3)], axis=1).reshape(-1, 3)
    return DrawnTriangles(placed.astype(np.float32), faces.astype(np.int32), None, colors[np.concatenate(owners)])


def _keys(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for each cell, packed as the keys of tiles are, but in order of x, then y, then z."""
    within = np.zeros((len(cells), 3), np.int64)
    within[:, : cells.shape[1]] = np.clip(cells[:, ::-1], -FURTHEST, FURTHEST)
    return pack(within)


def _among(keys: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    if len(ordered) == 0:
        return np.zeros(len(keys), np.bool_)
    place = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[place] == keys
    return found
