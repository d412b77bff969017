"""Particles: the points that carry the liquid.

A particle stores the cell it is in and its offset in it, so that single precision is as fine at the far end of an
unbounded domain as at the origin. It also has a velocity, the volume of liquid it stands for and, for affine
transfers, the gradient of its velocity. Arrays have one row per component, and particles of one tile stand
together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles
from plash.particles.positions import InTiles, Positions, split_positions

PER_PARTICLE = (
    "cell",
    "offset",
    "velocity",
    "affine",
    "volume",
    "ballistic",
)


@dataclass(eq=False)
class Particles:
    """Structure of arrays, sorted by tile.

    Attributes:
        cell: Global cell index, rows x, y[, z].
        offset: Place in the cell in units of h, in [0, 1).
        velocity: m/s.
        volume: Liquid each particle stands for, in cells (multiply by hᵈ for m³; in 2-D m² , per metre of depth).
        affine: ∂u_a/∂x_b in row a·d + b, in 1/s times h: m/s per cell. No rows when the transfer needs none.
        starts: Particles of the tile in slot t are starts[t] ... starts[t+1]-1 once sorted.
        ballistic: Whether a particle is on its own, outside the liquid, and moves by itself; nobody is after a sort.
    """

    cell: NDArray[np.int32]
    offset: NDArray[np.float32]
    velocity: NDArray[np.float32]
    volume: NDArray[np.float32]
    affine: NDArray[np.float32]
    tiles: Tiles | None = None
    starts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    ballistic: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    @staticmethod
    def none(dimension: int) -> Particles:
        """No particles yet."""
        rows = (dimension, 0)
        return Particles(
            np.zeros(rows, np.int32),
            np.zeros(rows, np.float32),
            np.zeros(rows, np.float32),
            np.zeros(0, np.float32),
            np.zeros((0, 0), np.float32),
        )

    @staticmethod
    def at(places: NDArray[np.float64]) -> Particles:
        """Particles at places (n, d) in cells; at rest and without volume."""
        cell, offset = split_positions(np.ascontiguousarray(places.T))
        return Particles(
            cell,
            offset,
            np.zeros(places.T.shape, np.float32),
            np.zeros(len(places), np.float32),
            np.zeros((0, len(places)), np.float32),
            ballistic=np.zeros(len(places), np.bool_),
        )

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

    def add(self, other: Particles) -> None:
        """Append other particles; the whole has to be sorted again."""
        self.cell = np.concatenate([self.cell, other.cell], axis=1)
        self.offset = np.concatenate([self.offset, other.offset], axis=1)
        self.velocity = np.concatenate([self.velocity, other.velocity], axis=1)
        self.volume = np.concatenate([self.volume, other.volume])
        rows = max(len(self.affine), len(other.affine))
        affine = np.zeros((rows, self.count), np.float32)
        affine[: len(self.affine), : self.affine.shape[1]] = self.affine
        if len(other.affine):
            affine[:, self.count - other.count :] = other.affine
        self.affine = affine
        self.ballistic = np.zeros(self.count, np.bool_)
        self.tiles = None

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Drop the particles that are not marked; the others keep their order."""
        for name in PER_PARTICLE:
            setattr(self, name, np.compress(which, getattr(self, name), axis=-1))
        self.starts = np.concatenate([[0], np.cumsum(which)])[self.starts]
