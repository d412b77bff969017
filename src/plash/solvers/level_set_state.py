"""Everything of a liquid with a level set for its surface that changes from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.particles.sort import sort_onto
from plash.physics.level_set.band import BAND
from plash.physics.level_set.bodies import Bodies
from plash.physics.level_set.level_set import LevelSet
from plash.physics.level_set.signed_particles import SignedParticles
from plash.solvers.state import State

_ROUND_DROPS = 2  # cells round a drop in which tiles exist


@dataclass(eq=False)
class LevelSetState(State):
    """A liquid at one moment whose surface is a level set; its particles are drops that fly.

    Attributes:
        level_set: Where it is.
        inlet_cells: Cells (n, d) that count as liquid because it comes in there.
        swallowed: Volume, in cells, that each drop gives to the liquid in this step; None once it did.
        bodies: Those that do not touch one another, if each is to keep its volume; else None.
        temperature: Of cells at the start, K; None if everything is equally warm. Later the solver's heat has it.
    """

    level_set: LevelSet = field(default_factory=lambda: nothing(2, 1.0))
    inlet_cells: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    swallowed: NDArray[np.float64] | None = None
    bodies: Bodies | None = None
    temperature: CellField | None = None

    def stand_on(self, tiles: Tiles) -> None:
        """Have these tiles, and those round drops, with the drops sorted into them."""
        sort_onto(self.particles, tiles, _ROUND_DROPS)
        self.particles.ballistic[:] = True


def nothing(dimension: int, h: float) -> LevelSet:
    """A level set of no liquid."""
    phi = CellField.filled(Tiles.at(np.zeros((0, 3)), dimension), np.float32(BAND * h))
    return LevelSet(phi, h, SignedParticles.none(dimension))


def empty_state(dimension: int, h: float) -> LevelSetState:
    """The state of a solver without any liquid."""
    state = LevelSetState(Particles(dimension), level_set=nothing(dimension, h))
    state.inlet_cells = np.zeros((0, dimension), np.int64)
    return state
