"""Particles for a shape: a lattice in every cell, carrying the shape's volume.

A cell is divided into k^d parts with one particle each. It carries the volume of the part that is inside the shape, at
the centre of mass of that (`particles/seed_parts.py`). The hats by which volumes are spread over cells are linear
between cell centres, along each axis: so the fill fraction is exact for a flat surface along the axes, and right to
second order for any other, beside solids too (docs/theory). Random shifts come in opposite pairs, which leave it so.

The sum over particles is the volume of the shape whatever the grid. A cell filled to less than a twentieth gets no
particle: the nearest one outside it takes over its volume.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import TILE_SHAPES
from plash.particles.particles import Particles
from plash.particles.seed_parts import Distance, lattice, parts_inside

_CELLS_AT_ONCE = 1 << 16
_SLIVER = 0.05  # share of a cell below which no particle stands for it: round-off must not make liquid
_CRUMB = 0.02  # share of a lattice part below which it has no particle of its own
_ROUND_OFF = 1e-6  # share of a cell that is nothing
_NEAREST = 2.0  # cells from a sliver to the particle that takes it over, at most


class _Seeds(NamedTuple):
    """Particles to be: cell, number of the lattice part in it, offset and volume (in cells)."""

    cell: NDArray[np.int64]
    part: NDArray[np.int64]
    offset: NDArray[np.float64]
    volume: NDArray[np.float64]


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
    batches = [_seed_cells(distance, cells, depth, h, side) for cells, depth in _cells_near(distance, box, h)]
    if not batches:
        return Particles(dimension)
    seeds = _Seeds(*(np.concatenate(arrays) for arrays in zip(*batches, strict=True)))
    total = seeds.volume.sum()
    seeds = _without_slivers(seeds)
    if len(seeds.volume):
        seeds.offset[:] += _jitter(seeds, box, side, jitter, random)
        seeds.volume[:] *= total / seeds.volume.sum()
    particles = Particles(dimension, len(seeds.volume))
    particles.cell = np.ascontiguousarray(seeds.cell.T.astype(np.int32))
    particles.offset = np.ascontiguousarray(seeds.offset.T.astype(np.float32))
    particles.volume = seeds.volume.astype(np.float32)
    particles.velocity[:] = np.array(velocity[:dimension], np.float32)[:, None]
    return particles


def _cells_near(
    distance: Distance, box: tuple[int, ...], h: float
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Batches of cells (n, d) of the box that may hold liquid, and the distance of their centres in metres."""
    dimension = len(box)
    size = TILE_SHAPES[dimension][2]
    counts = [-(-n // size) for n in box]
    local = lattice(size, dimension)
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
    distance: Distance, cells: NDArray[np.int64], depth: NDArray[np.float64], h: float, side: int
) -> _Seeds:
    """What the lattice parts of some cells hold, but for crumbs."""
    dimension = cells.shape[1]
    spots = (lattice(side, dimension) + 0.5) / side
    cut = depth > -1.5 * h * np.sqrt(dimension)
    volume = np.full((len(cells), len(spots)), 1.0 / len(spots))
    offsets = np.broadcast_to(spots, (*volume.shape, dimension)).copy()
    shares, middles = parts_inside(distance, (cells[cut][:, None, :] + spots).reshape(-1, dimension), h, side)
    volume[cut] *= shares.reshape(-1, len(spots))
    offsets[cut] += middles.reshape(-1, *spots.shape)

    # What a crumb would have carried, the rest of its cell carries
    wanted = volume > _CRUMB / len(spots)
    thin = ~wanted.any(axis=1) & (volume > 0).any(axis=1)
    wanted[thin, volume[thin].argmax(axis=1)] = True
    kept = np.where(wanted, volume, 0.0)
    volume = kept * (volume.sum(axis=1) / np.maximum(kept.sum(axis=1), 1e-300))[:, None]
    cell, part = np.nonzero(wanted)
    return _Seeds(cells[cell], part, offsets[wanted], volume[wanted])


def _without_slivers(seeds: _Seeds) -> _Seeds:
    """The same without cells that hold next to nothing: what they hold goes to the nearest particle, if one is near."""
    if len(seeds.volume) == 0:
        return seeds
    is_next = (seeds.cell[1:] != seeds.cell[:-1]).any(axis=1)  # seeds of a cell follow one another
    number = np.concatenate([[0], np.cumsum(is_next)])
    held = np.bincount(number, seeds.volume)[number]
    is_kept = held >= _SLIVER
    kept = _Seeds(seeds.cell[is_kept], seeds.part[is_kept], seeds.offset[is_kept], seeds.volume[is_kept])
    lost = np.flatnonzero(~is_kept & (held > _ROUND_OFF))
    if len(lost) == 0 or len(kept.volume) == 0:
        return kept
    from scipy.spatial import cKDTree

    place = kept.cell + kept.offset
    there = seeds.cell[lost] + seeds.offset[lost]
    away, nearest = map(np.asarray, cKDTree(place).query(there, distance_upper_bound=_NEAREST))
    found = np.isfinite(away)
    np.add.at(kept.volume, nearest[found], seeds.volume[lost][found])
    return kept


def _jitter(
    seeds: _Seeds, box: tuple[int, ...], side: int, jitter: float, random: np.random.Generator
) -> NDArray[np.float64]:
    """Random shifts in cells, in opposite pairs.

    Along each axis the parts on both sides of a cell border are pairs, mirrored at it: between the cell centres next to
    it every hat is linear, and V_1 δ_1 + V_2 δ_2 = 0 leaves what they spread as it is, to first order. A particle
    without the other of its pair, at the surface or beside a solid, is not shifted along that axis; beyond a side of
    the domain the other one is its mirror image.
    """
    dimension = len(box)
    drawn = random.uniform(-jitter / (2 * side), jitter / (2 * side), seeds.offset.shape)
    row = np.stack(np.unravel_index(seeds.part, (side,) * dimension)[::-1], axis=1)
    place = seeds.cell * side + row + side  # in the lattice, with room for those beyond the domain
    strides = np.cumprod([1, *((n + 2) * side for n in box[:-1])])
    keys = place @ strides
    order = np.argsort(keys)
    ranks = keys[order]
    shift = np.zeros_like(drawn)
    full = side**-dimension
    for axis in range(dimension):
        here = row[:, axis]
        # The middle row of an odd number is its own
        way = np.sign(2 * here + 1 - side)
        other = keys + strides[axis] * np.where(way == 0, 0, way * side + side - 1 - 2 * here)
        found = np.minimum(np.searchsorted(ranks, other), len(ranks) - 1)
        partner = order[found]
        is_beyond = (seeds.cell[:, axis] + way < 0) | (seeds.cell[:, axis] + way >= box[axis])
        is_alone = (ranks[found] != other) & ~is_beyond
        partner = np.where(is_beyond, np.arange(len(keys)), partner)
        least = np.minimum(seeds.volume, seeds.volume[partner])
        sign = np.where(keys <= keys[partner], 1.0, -1.0)
        which = np.where(keys <= keys[partner], np.arange(len(keys)), partner)
        reach = np.where(is_alone, 0.0, np.minimum(least / full, 1.0) * least / seeds.volume)
        shift[:, axis] = sign * drawn[which, axis] * reach
    return shift
