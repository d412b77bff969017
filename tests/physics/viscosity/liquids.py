"""Liquid in boxes and channels, and the walls round it, for tests of viscosity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from plash.grid.cells import WET, Cells, label_cells
from plash.grid.dense import from_dense, tiles_over, to_dense
from plash.grid.fields import CellField, FaceField
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.domain_box import CLOSED, UNBOUNDED, DomainBox
from plash.physics.solids.voxel import Voxel
from plash.physics.viscosity.balance import Balanced
from plash.physics.viscosity.coupled import CoupledViscosity
from plash.physics.viscosity.explicit import ExplicitViscosity
from plash.physics.viscosity.implicit import ImplicitViscosity

H = 0.37


class AsItIs:
    """Lets viscosity act on a velocity that has a divergence."""

    def balanced(self, velocity, cells, solids, inflow, paths=None):
        return Balanced(velocity.copy())


def scheme(kind, nu, h=H, harmonic=True):
    """A scheme of viscosity by its word."""
    if kind == "explicit":
        return ExplicitViscosity(nu, h, harmonic)
    return {"implicit": ImplicitViscosity, "coupled": CoupledViscosity}[kind](nu, h, AsItIs(), harmonic)


def walls_of(tiles, along, closed=True, friction=0.0, h=H):
    """The sides of a box of cells, as solids: all of them, or by axis."""
    dimension = len(along)
    kinds = (closed,) * dimension if isinstance(closed, bool) else closed
    sides = tuple((CLOSED, CLOSED) if is_closed else (UNBOUNDED, UNBOUNDED) for is_closed in kinds)
    rough = friction if isinstance(friction, tuple) else ((friction, friction),) * dimension
    return SceneSolids(Voxel([], DomainBox(along, sides, rough), h, True)).at(tiles)


def forget_dry(field, cells):
    field.pool[(cells.faces & WET) == 0] = np.nan
    return field


@dataclass
class Channel:
    """A channel along x, with a floor and a ceiling that hold liquid, open at both ends; as wide as it may be in z."""

    along: tuple[int, ...]
    cells: Cells
    solids: SimpleNamespace
    velocity: FaceField

    @staticmethod
    def of(dimension, height=6, length=48, lid=0.0, friction=1.0, h=H):
        along = (length, height) if dimension == 2 else (length, height, 3)
        first, size = (-3,) * dimension, tuple(n + 6 for n in along)
        tiles = tiles_over(first, size)
        index = np.meshgrid(*[np.arange(f, f + n) for f, n in zip(first, size, strict=True)], indexing="ij")
        across = [(i < 0) | (i >= n) for i, n in zip(index[1:], along[1:], strict=True)]
        hard = np.logical_or.reduce(across)
        inside = (index[0] >= 0) & (index[0] < length) & ~hard
        solid = from_dense(hard, tiles, first, False)
        cells = label_cells(tiles, from_dense(inside, tiles, first, False), solid)
        rough = ((0.0, 0.0), (friction, friction), (0.0, 0.0))[:dimension]
        solids = walls_of(tiles, along, (False, True, True)[:dimension], rough, h)
        moving = solids.walls.velocity.copy()
        beyond = from_dense(index[1] >= height, tiles, first, False)
        moving[0][beyond] = lid
        walls = replace(solids.walls, velocity=moving)
        velocity = forget_dry(FaceField(tiles, np.zeros(cells.faces.shape, np.float32)), cells)
        return Channel(along, cells, SimpleNamespace(walls=walls, is_solid=solid, holds_liquid=True), velocity)

    def push(self, change):
        """Add to the velocity along the channel."""
        self.velocity.pool[0] += np.float32(change)

    def layered(self, low, high, boundary):
        """A viscosity that jumps at the cell of this height."""
        tiles = self.cells.tiles
        first, size = (-3,) * tiles.dimension, tuple(n + 6 for n in self.along)
        index = np.meshgrid(*[np.arange(f, f + n) for f, n in zip(first, size, strict=True)], indexing="ij")
        values = np.where(index[1] < boundary, low, high).astype(np.float32)
        return CellField(tiles, from_dense(values, tiles, first, high))

    def profile(self):
        """The velocity along the middle of the channel, by height."""
        tiles = self.cells.tiles
        u = to_dense(self.velocity.pool[0], tiles, (0,) * tiles.dimension, self.along)
        middle = u[self.along[0] // 2]
        return (middle if middle.ndim == 1 else middle[:, 1]).astype(np.float64)
