"""Fields of tiles as plain pictures of numbers [y, x], small enough to send many times a second."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.scene.colors import screen

UNKNOWN = -32768  # stands for no value in sixteen bits
_FINE = 32  # steps a cell in eight bits of distance
_BESIDE = 2  # cells round liquid that have its colour


def picture_of(pool: NDArray[Any], tiles: Tiles, cells: tuple[int, ...], background: Any) -> NDArray[Any]:
    """The values of a 2-D pool [slot, 1, y, x] in a box of cells from the origin, [y, x]."""
    _, height, width = tiles.shape
    rows, columns = -(-cells[1] // height), -(-cells[0] // width)
    blocks = np.full((rows, columns, height, width), background, pool.dtype)
    x, y = tiles.coordinates[1:, 0], tiles.coordinates[1:, 1]
    inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
    blocks[y[inside], x[inside]] = pool[1:, 0][inside]
    whole = blocks.swapaxes(1, 2).reshape(rows * height, columns * width)
    return whole[: cells[1], : cells[0]]


def distance_bytes(distance: NDArray[Any]) -> NDArray[np.int8]:
    """A distance in cells, in eight bits: to a thirty-second of a cell, up to four cells.

    >>> distance_bytes(np.array([-0.5, 0.25, 100.0]))
    array([-16,   8, 127], dtype=int8)
    """
    finite = np.nan_to_num(distance, nan=4.0, posinf=4.0, neginf=-4.0)
    small: NDArray[np.int8] = np.clip(np.rint(finite * _FINE), -127, 127).astype(np.int8)
    return small


def scaled(values: NDArray[Any]) -> tuple[NDArray[np.int16], float]:
    """Values in sixteen bits, and what one step of them means; no value where they are not finite.

    >>> scaled(np.array([0.0, -2.0, np.nan]))[0]
    array([     0, -32767, -32768], dtype=int16)
    """
    known = np.isfinite(values)
    largest = float(np.max(np.abs(values), initial=0.0, where=known))
    step = largest / 32767 if largest > 0 else 1.0
    small = np.full(values.shape, UNKNOWN, np.int16)
    small[known] = np.rint(values[known] / step)
    return small, step


def mean_colors(particles: Particles, cells: tuple[int, ...]) -> NDArray[np.float64]:
    """Light [y, x, channel] of the particles in each cell of a box from the origin, and in empty ones of those beside.

    Cells far from liquid are black: nothing is drawn there.
    """
    return means_by_cell(particles, particles.color, cells)


def means_by_cell(particles: Particles, values: NDArray[Any], cells: tuple[int, ...]) -> NDArray[np.float64]:
    """Means [y, x, row] of values [row, particle] in each cell of a box from the origin, and in empty ones beside.

    They are zero far from liquid.
    """
    columns, rows = cells
    x, y = particles.cell
    inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
    number, volume = (y * columns + x)[inside], particles.volume[inside]
    sums = np.zeros((rows + 2, columns + 2, 1 + len(values)))
    for column, each in enumerate((np.ones(len(volume)), *values[:, inside])):
        total = np.bincount(number, volume * each, rows * columns)
        sums[1:-1, 1:-1, column] = total.reshape(rows, columns)
    for _ in range(_BESIDE):
        around = sum(np.roll(sums, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        sums = np.where(sums[:, :, :1] > 0, sums, around)
    sums = sums[1:-1, 1:-1]
    means: NDArray[np.float64] = sums[:, :, 1:] / np.maximum(sums[:, :, :1], np.finfo(np.float64).tiny)
    return means


def faces_picture(field: FaceField, cells: tuple[int, ...]) -> NDArray[np.float32]:
    """Velocity on the faces of a box of cells from the origin, [axis, y, x]; one more row and column than cells."""
    faces = cells[0] + 1, cells[1] + 1
    return np.stack([picture_of(pool, field.tiles, faces, pool[0, 0, 0, 0]) for pool in field.pool[:2]])


def vorticity_picture(faces: NDArray[np.floating], h: float) -> NDArray[np.float64]:
    """∂v/∂x - ∂u/∂y (1/s) at the centres of cells, from the velocity on their faces [axis, y, x] in m/s.

    The mean of its values at the four corners; what lies beyond the box goes on as it is beside it.

    >>> turn = np.zeros((2, 5, 5))
    >>> turn[1] = np.arange(5) + 0.5
    >>> vorticity_picture(turn, 0.5).tolist() == [[2.0] * 4] * 4
    True
    """
    u, v = faces.astype(np.float64)
    v = np.concatenate([v[:, :1], v[:, :-1], v[:, -2:-1]], axis=1)  # at the centres before, in and after the box
    u = np.concatenate([u[:1], u[:-1], u[-2:-1]], axis=0)
    corners = (np.diff(v, axis=1) - np.diff(u, axis=0)) / h
    corners[:, 0], corners[:, -1], corners[0], corners[-1] = corners[:, 1], corners[:, -2], corners[1], corners[-2]
    means: NDArray[np.float64] = (corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1] + corners[:-1, :-1]) / 4
    return means


def screen_bytes(light: NDArray[Any]) -> NDArray[np.uint8]:
    """Light in eight bits, as screens show it.

    >>> screen_bytes(np.array([0.0, 0.214, 1.0])).tolist()
    [0, 127, 255]
    """
    return np.rint(255 * screen(light)).astype(np.uint8)


def point_bytes(places: NDArray[Any], size: tuple[float, ...]) -> NDArray[np.uint16]:
    """Points (n, 2) in sixteen bits, as shares of a box; those outside it are on its border."""
    return np.clip(np.rint(places * (65535.0 / np.array(size))), 0, 65535).astype(np.uint16)
