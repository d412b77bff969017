"""Particles for a shape: a lattice in every cell, carrying the shape's volume.

A cell gets k^d sub-cells with one particle each, shifted at random inside its sub-cell. A cell that the surface
cuts shares its part of the volume among the particles that lie inside, so that the sum over particles is the volume
of the shape whatever the grid. A thin part without any lattice point inside gets one particle where it is deepest;
what is thinner than a twentieth of a cell gets none, and its volume goes to all the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import TILE_SHAPES
from plash.particles.particles import Particles

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SAMPLES = 4  # along each side of a cut cell, to measure the part inside
_CELLS_AT_ONCE = 1 << 16
_SLIVER = 0.05  # part of a cell below which no particle stands for it: round-off must not make liquid


def seed(
    distance: Distance,
    box: tuple[int, ...],
    h: float,
    per_cell: int,
    jitter: float,
    random: np.random.Generator,
    velocity: tuple[float, ...],
) -> Particles:
    """Fill a shape with particles.

    Args:
        distance: Signed distance in metres of points (n, d), negative where liquid is wanted.
        box: Cells of the domain along x, y[, z]; nothing is seeded outside.
        h: Cell size, m.
        per_cell: Particles in a full cell, k^d.
        jitter: Largest random shift as a share of half the lattice spacing.
        random: Where random numbers come from.
        velocity: Of every particle, m/s.
    """
    dimension = len(box)
    side = round(per_cell ** (1 / dimension))
    spots = (_lattice(side, dimension) + 0.5) / side
    parts = [
        _seed_cells(distance, cells, depth, h, spots, jitter / (2 * side), random)
        for cells, depth in _cells_near(distance, box, h)
    ]
    particles = Particles.none(dimension)
    if not parts:
        return particles
    *arrays, wanted = zip(*parts, strict=True)
    cell, offset, volume = (np.concatenate(array) for array in arrays)
    if len(volume):
        volume *= sum(wanted) / volume.sum()
    particles.cell = np.ascontiguousarray(cell.T.astype(np.int32))
    particles.offset = np.ascontiguousarray(offset.T.astype(np.float32))
    particles.volume = volume.astype(np.float32)
    particles.velocity = np.tile(np.array(velocity[:dimension], np.float32)[:, None], (1, len(volume)))
    particles.affine = np.zeros((0, len(volume)), np.float32)
    return particles


def _lattice(side: int, dimension: int) -> NDArray[np.int64]:
    """All integer points of a cube, first axis fastest."""
    axes = np.meshgrid(*[np.arange(side)] * dimension, indexing="ij")
    return np.stack([axis.ravel() for axis in axes[::-1]], axis=1)


def _cells_near(distance: Distance, box: tuple[int, ...], h: float):  # type: ignore[no-untyped-def]
    """Batches of cells (n, d) of the box that may hold liquid, and the distance of their centres in metres."""
    dimension = len(box)
    size = TILE_SHAPES[dimension][2]
    counts = [-(-n // size) for n in box]
    local = _lattice(size, dimension)
    per_batch = max(1, _CELLS_AT_ONCE // len(local))
    for start in range(0, math.prod(counts), per_batch):
        number = np.arange(start, min(start + per_batch, math.prod(counts)))
        batch = np.stack(np.unravel_index(number, counts[::-1])[::-1], axis=1)
        # Generous, for shapes whose distance is only roughly one (a height is measured upright)
        reach = 1.5 * size * h * np.sqrt(dimension)
        batch = batch[distance((batch.astype(np.float64) + 0.5) * size * h) < reach]
        cells = (batch[:, None, :] * size + local).reshape(-1, dimension)
        cells = cells[(cells < np.array(box)).all(axis=1)]
        if len(cells) == 0:
            continue
        depth = distance((cells.astype(np.float64) + 0.5) * h)
        inside = depth < 1.5 * h * np.sqrt(dimension)
        if inside.any():
            yield cells[inside], depth[inside]


def _seed_cells(  # type: ignore[no-untyped-def]
    distance: Distance,
    cells: NDArray[np.int64],
    depth: NDArray[np.float64],
    h: float,
    spots: NDArray[np.float64],
    shift: float,
    random: np.random.Generator,
):
    """Cell, offset and volume (in cells) of the particles of some cells, and the volume inside them."""
    dimension = cells.shape[1]
    cut = depth > -1.5 * h * np.sqrt(dimension)
    share = np.ones(len(cells))
    share[cut] = _share_inside(distance, cells[cut], h)

    offsets = spots + random.uniform(-shift, shift, (len(cells), *spots.shape))
    wanted = np.ones(offsets.shape[:2], np.bool_)
    points = (cells[cut, None, :] + offsets[cut]) * h
    gap = distance(points.reshape(-1, dimension)).reshape(-1, len(spots))
    wanted[cut] = gap < 0
    thin = np.flatnonzero(~wanted[cut].any(axis=1))
    wanted[np.flatnonzero(cut)[thin], gap[thin].argmin(axis=1)] = True
    wanted[share < _SLIVER] = False

    count = np.maximum(wanted.sum(axis=1), 1)
    volume = np.broadcast_to((share / count)[:, None], wanted.shape)
    cell = np.broadcast_to(cells[:, None, :], offsets.shape)
    return cell[wanted], offsets[wanted], volume[wanted], share.sum()


def _share_inside(distance: Distance, cells: NDArray[np.int64], h: float) -> NDArray[np.float64]:
    """Part of each cell that is inside, from samples taken as small planes."""
    dimension = cells.shape[1]
    samples = (_lattice(_SAMPLES, dimension) + 0.5) / _SAMPLES
    points = (cells[:, None, :] + samples) * h
    gap = distance(points.reshape(-1, dimension)).reshape(-1, len(samples))
    share: NDArray[np.float64] = np.clip(0.5 - gap * _SAMPLES / h, 0.0, 1.0).mean(axis=1)
    return share
