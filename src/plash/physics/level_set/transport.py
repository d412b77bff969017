"""A level set carried along: φ(x, t + dt) = φ(X, t), X where the liquid at x came from (Cline 10.8.2, step 1).

    X = x - dt u(x - dt/2 u(x))

is the path of two stages back from x (Cline equation 12); with one stage it would be equation 32. Cells at the edge of
the band keep their value: they are farther from the surface than it moves.

Reference: Cline equations 12 and 30 to 35; Enright et al. 2005.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.levelset.sampling import sampled
from plash.physics.level_set.band import BAND, cells_within, centres
from plash.timing import stage

Points = NDArray[np.float64]

# φ (m) at places (n, d) in cells, by cells of so many metres
Values = Callable[[CellField, Points, float], Points]

MOST_CELLS = BAND - 3  # that the surface may move at once: what it reads has to be in the band


class Paths(Protocol):
    """Where the liquid goes in a while, and where it came from. Points are (n, d) in metres."""

    def forth(self, points: Points, dt: float) -> Points:
        """Where liquid that is at points will be a time dt (s) later."""

    def back(self, points: Points, dt: float) -> Points:
        """Where liquid that will be at points was a time dt (s) before."""

    def farthest(self, points: Points, dt: float) -> float:
        """How far the liquid at points goes at most in a time dt (s), in metres."""

    def longest(self, dt: float) -> float:
        """How far any liquid goes at most in a time dt (s), in metres; infinite, if that is not known."""


@dataclass(frozen=True)
class MidpointPaths:
    """Paths of two stages through a velocity field that stands still meanwhile (Cline equation 12).

    Attributes:
        velocity: At points, m/s.
    """

    velocity: Callable[[Points], Points]

    def forth(self, points: Points, dt: float) -> Points:
        """x + dt u(x + dt/2 u(x))."""
        return points + dt * self.velocity(points + 0.5 * dt * self.velocity(points))

    def back(self, points: Points, dt: float) -> Points:
        """x - dt u(x - dt/2 u(x))."""
        return self.forth(points, -dt)

    def farthest(self, points: Points, dt: float) -> float:
        """The highest speed there times dt."""
        return dt * float(np.sqrt(np.square(self.velocity(points)).sum(axis=1)).max(initial=0.0))

    def longest(self, dt: float) -> float:
        """Not known: a function may give any velocity."""
        return math.inf


def linear(phi: CellField, places: Points, h: float) -> Points:
    """φ (m) at places (n, d) in cells, linear between cell centres."""
    return sampled(phi, places)


@stage
def carry(phi: CellField, paths: Paths, dt: float, h: float, values: Values = linear, within: float = math.inf) -> None:
    """Carry a level set along for dt, in the cells of its band; the surface may move by `MOST_CELLS` at most.

    Args:
        phi: The level set, m.
        paths: Along which it is carried.
        dt: For how long, s.
        h: Cell size, m.
        values: How it is found between cell centres.
        within: Cells that stay farther than so many cells from the surface keep their value: only its sign counts.
    """
    cells = cells_within(phi, min((BAND - 1e-3) * h, paths.longest(dt) + within * h))
    here = centres(phi.tiles, cells, h)
    there = paths.back(here, dt)
    if math.isfinite(within):
        away = np.sqrt(np.square(there - here).sum(axis=1))
        is_near = np.abs(phi.pool[cells]) < away + within * h
        cells, there = tuple(part[is_near] for part in cells), there[is_near]
    phi.pool[cells] = values(phi, there / h, h)
