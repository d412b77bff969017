"""Particles for a shape: a lattice in every cell, carrying the shape's volume.

A cell is divided into k^d parts with one particle each, shifted at random inside its part. A part that the surface cuts
carries the volume that is inside, at the middle of what is inside along the axis nearest to the normal: rows of the
lattice are squeezed towards the surface, and for a flat one along the axes the fill fraction is exact (docs/theory).
The sum over particles is the volume of the shape whatever the grid. A cell filled to less than a twentieth gets no
particle, and its volume goes to all the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import TILE_SHAPES
from plash.particles.particles import Particles

Distance = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_SAMPLES = 4  # at least, along each side of a cut cell, to measure what is inside
_CELLS_AT_ONCE = 1 << 16
_SLIVER = 0.05  # share of a cell below which no particle stands for it: round-off must not make liquid
_LOOKS = 3  # at the distance, to find where a surface crosses a lattice part
_IN_FILMS = 8  # samples along each side of a lattice part that lies between two surfaces
_CRUMB = 0.02  # share of a lattice part below which it has no particle of its own


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
    if not parts:
        return Particles(dimension)
    *arrays, wanted = zip(*parts, strict=True)
    cell, offset, volume = (np.concatenate(array) for array in arrays)
    if len(volume):
        volume *= sum(wanted) / volume.sum()
    particles = Particles(dimension, len(volume))
    particles.cell = np.ascontiguousarray(cell.T.astype(np.int32))
    particles.offset = np.ascontiguousarray(offset.T.astype(np.float32))
    particles.volume = volume.astype(np.float32)
    particles.velocity[:] = np.array(velocity[:dimension], np.float32)[:, None]
    return particles


def _lattice(side: int, dimension: int) -> NDArray[np.int64]:
    """All integer points of a cube, first axis fastest."""
    axes = np.meshgrid(*[np.arange(side)] * dimension, indexing="ij")
    return np.stack([axis.ravel() for axis in axes[::-1]], axis=1)


def _cells_near(distance: Distance, box: tuple[int, ...], h: float):
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


def _seed_cells(
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
    side = round(len(spots) ** (1 / dimension))
    cut = depth > -1.5 * h * np.sqrt(dimension)
    volume = np.full((len(cells), len(spots)), 1.0 / len(spots))
    shares = _shares_inside(distance, cells[cut], h, side)
    offsets = spots + random.uniform(-shift, shift, (len(cells), *spots.shape))
    offsets[cut], is_film = _squeezed(distance, cells[cut], offsets[cut], spots, h, side)
    film, part = np.nonzero(is_film & (shares > 0))
    if len(film):
        shares[film, part], where = _films(distance, cells[cut][film] + spots[part], h, side)
        offsets[np.flatnonzero(cut)[film], part] = spots[part] + where
    volume[cut] *= shares
    total = float(volume.sum())

    wanted = volume > _CRUMB / len(spots)
    thin = ~wanted.any(axis=1)
    wanted[thin, volume[thin].argmax(axis=1)] = True
    wanted[volume.sum(axis=1) < _SLIVER] = False

    # What a crumb would have carried, the rest of its cell carries
    kept = np.where(wanted, volume, 0.0)
    volume = kept * (volume.sum(axis=1) / np.maximum(kept.sum(axis=1), 1e-300))[:, None]
    cell = np.broadcast_to(cells[:, None, :], offsets.shape)
    return cell[wanted], offsets[wanted], volume[wanted], total


def _shares_inside(distance: Distance, cells: NDArray[np.int64], h: float, side: int) -> NDArray[np.float64]:
    """How much of each lattice part of each cell is inside, from samples taken as small planes."""
    dimension = cells.shape[1]
    fine = max(1, -(-_SAMPLES // side))  # samples along each side of a part
    samples = (_lattice(side, dimension)[:, None, :] + (_lattice(fine, dimension) + 0.5) / fine) / side
    points = (cells[:, None, None, :] + samples) * h
    phi = distance(points.reshape(-1, dimension)).reshape(points.shape[:-1])
    shares: NDArray[np.float64] = np.clip(0.5 - phi * (fine * side / h), 0.0, 1.0).mean(axis=2)
    return shares


def _squeezed(
    distance: Distance,
    cells: NDArray[np.int64],
    offsets: NDArray[np.float64],
    spots: NDArray[np.float64],
    h: float,
    side: int,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Places in the lattice parts of cut cells, squeezed along the axis nearest to the normal into what is inside.

    And which parts hold at most a film: the middles of all their sides are outside.
    """
    dimension = cells.shape[1]
    ends = np.empty((2, dimension, len(cells), len(spots)))
    for end, axis in np.ndindex(2, dimension):
        corner = spots + (end - 0.5) / side * np.eye(dimension)[axis]
        points = (cells[:, None, :] + corner) * h
        ends[end, axis] = distance(points.reshape(-1, dimension)).reshape(len(cells), len(spots))
    steepest = np.abs(ends[1] - ends[0]).argmax(axis=0)
    low, high = (np.take_along_axis(phis, steepest[None], axis=0)[0] for phis in ends)
    # The surface crosses a part between its ends at `crossing`; what is inside is below or above
    is_cut = (low < 0) != (high < 0)
    middles = np.broadcast_to(cells[:, None, :] + spots, offsets.shape)[is_cut]
    way = np.eye(dimension)[steepest[is_cut]] / side
    crossing = np.ones_like(low)
    crossing[is_cut] = _crossing(distance, (middles - way / 2) * h, way * h, low[is_cut], high[is_cut])
    start = np.where(is_cut & (low >= 0), crossing, 0.0)
    length = np.where(is_cut, np.where(low < 0, crossing, 1.0 - crossing), 1.0)
    along = np.take_along_axis(offsets, steepest[..., None], axis=2)[..., 0]
    first = np.take_along_axis(np.broadcast_to(spots, offsets.shape), steepest[..., None], axis=2)[..., 0] - 0.5 / side
    squeezed = first + start / side + (along - first) * length
    result = offsets.copy()
    np.put_along_axis(result, steepest[..., None], squeezed[..., None], axis=2)
    is_film: NDArray[np.bool_] = np.asarray((ends >= 0).all(axis=(0, 1)))
    return result, is_film


def _films(
    distance: Distance, middles: NDArray[np.float64], h: float, side: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much of some lattice parts is inside, and its centre of mass from their middles, in cells.

    For parts between two surfaces, such as the tip of a pool on a beach: their own middle may lie outside.
    """
    dimension = middles.shape[1]
    samples = ((_lattice(_IN_FILMS, dimension) + 0.5) / _IN_FILMS - 0.5) / side
    phi = distance((middles[:, None, :] + samples).reshape(-1, dimension) * h).reshape(len(middles), -1)
    inside = np.clip(0.5 - phi * (_IN_FILMS * side / h), 0.0, 1.0)
    total = inside.sum(axis=1)
    return total / len(samples), inside @ samples / np.maximum(total, 1e-300)[:, None]


def _crossing(
    distance: Distance,
    start: NDArray[np.float64],
    way: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How much of a way lies before the surface, given the distances at its ends, of which one is inside.

    Found by false position: near the edge of a shape a distance is not linear.
    """
    first, last = np.zeros_like(low), np.ones_like(low)
    for _ in range(_LOOKS):
        at = first + (last - first) * low / (low - high)
        phi = distance(start + at[:, None] * way)
        is_before = (phi < 0) == (low < 0)
        first, low = np.where(is_before, at, first), np.where(is_before, phi, low)
        last, high = np.where(is_before, last, at), np.where(is_before, high, phi)
    crossing: NDArray[np.float64] = first + (last - first) * low / (low - high)
    return crossing
