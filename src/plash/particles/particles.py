"""Particles: the points that carry the liquid.

A particle stores the cell it is in and its offset in it, so that single precision is as fine at the far end of an
unbounded domain as at the origin. What else it carries is said in `plash/carried.py`. Arrays have one row per
component, and particles of one tile stand together.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.carried import CARRIED, CarriedValue, ParticleArrays
from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range
from plash.grid.tiles import Tiles
from plash.particles.positions import InTiles, Positions, split_positions

_STRETCH = 4096  # particles whose volumes are summed by themselves first
_LANES = 8  # sums at once


class Particles(ParticleArrays):
    """Structure of arrays, sorted by tile.

    Attributes:
        tiles: The tiles that exist; None before the first sort.
        starts: Particles of the tile in slot t are starts[t] ... starts[t+1]-1 once sorted.
    """

    tiles: Tiles | None
    starts: NDArray[np.int64]

    def __init__(self, dimension: int, count: int = 0) -> None:
        """Some particles, with everything they carry at its start."""
        for name, quantity in CARRIED.items():
            setattr(self, name, quantity.at_start(dimension, count))
        self.tiles = None
        self.starts = np.zeros(1, np.int64)

    @staticmethod
    def at(places: NDArray[np.float64]) -> Particles:
        """Particles at places (n, d) in cells; at rest and without volume."""
        particles = Particles(places.shape[1], len(places))
        particles.cell, particles.offset = split_positions(np.ascontiguousarray(places.T))
        return particles

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.volume)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.cell)

    @property
    def places(self) -> Positions:
        """Cell and offset, as kernels take them."""
        return Positions(self.cell, self.offset)

    def in_tiles(self, tiles: Tiles) -> InTiles:
        """Who is in which of the tiles that they are sorted into, as kernels take it."""
        return InTiles(self.starts, tiles.origins, tiles.neighbours, tiles.keys)

    def position(self, h: float) -> NDArray[np.float64]:
        """Positions in metres, one row per particle."""
        cells = self.cell.astype(np.float64) + self.offset
        return np.ascontiguousarray(cells.T) * h

    def total_volume(self) -> float:
        """Sum of the volumes carried, in cells."""
        return float(self.volume.sum(dtype=np.float64))

    def volume_in_liquid(self) -> float:
        """The same of those that do not move by themselves."""
        whole = self.count - self.count % _STRETCH
        rows = self.volume[:whole].reshape(-1, _STRETCH), self.ballistic[:whole].reshape(-1, _STRETCH)
        partial = np.zeros(len(rows[0]))
        _add_volumes(*rows, partial, chunk_count())
        rest = self.volume[whole:].sum(where=~self.ballistic[whole:], dtype=np.float64)
        return float(partial.sum() + rest)

    def let_pass(self, dt: float | NDArray[np.floating]) -> None:
        """Let a time (s) pass for what changes by itself, such as the age; the same for all, or one for each."""
        for name, quantity in CARRIED.items():
            if quantity.rate:
                values = getattr(self, name)
                values += np.asarray(quantity.rate * dt, values.dtype)

    def give_rows(self, rows: Mapping[str, int]) -> None:
        """Have the rows that a transfer and a scene ask for, by the name of the array; new ones are at their start."""
        for name, quantity in CARRIED.items():
            shape = quantity.shape(self.dimension, rows.get(name, 0))
            if getattr(self, name).shape[:-1] != shape:
                setattr(self, name, np.full((*shape, self.count), quantity.start, quantity.dtype))

    def carry(self, values: Mapping[str, CarriedValue]) -> None:
        """Let all of them carry the same of what a scene asks for, by name: a number, or several."""
        for name, value in values.items():
            rows = np.atleast_1d(np.asarray(value, CARRIED[name].dtype))
            setattr(self, name, np.repeat(rows[:, None], self.count, axis=1))

    def add(self, other: Particles) -> None:
        """Append other particles; the whole has to be sorted again."""
        for name, quantity in CARRIED.items():
            mine, more = getattr(self, name), getattr(other, name)
            rows = max(mine.shape[:-1], more.shape[:-1])
            parts = (with_rows(values, rows, quantity.start) for values in (mine, more))
            setattr(self, name, np.concatenate(list(parts), axis=-1))
        self.tiles = None

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Drop the particles that are not marked; the others keep their order."""
        for name in CARRIED:
            setattr(self, name, np.compress(which, getattr(self, name), axis=-1))
        self.starts = np.concatenate([[0], np.cumsum(which)])[self.starts]


def with_rows(values: NDArray[np.generic], rows: tuple[int, ...], start: float) -> NDArray[np.generic]:
    """Values with so many rows; where a transfer has not asked for them yet, all are at their start."""
    if values.shape[:-1] == rows:
        return values
    return np.full((*rows, values.shape[-1]), start, values.dtype)


@kernel
def _add_volumes(volume, is_left_out, partial, chunks):
    n = len(partial)
    for c in prange(chunks):
        sums = np.zeros(_LANES)
        for i in chunk_range(c, chunks, n):
            values, left_out = volume[i], is_left_out[i]
            sums[:] = 0.0
            for first in range(np.uint64(0), np.uint64(_STRETCH), np.uint64(_LANES)):
                for lane in range(np.uint64(_LANES)):
                    m = first + lane
                    sums[lane] += 0.0 if left_out[m] else np.float64(values[m])
            partial[i] = sums.sum()
