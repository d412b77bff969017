"""The velocity of a liquid that has no particles: traced back on the grid, known as far out as a level set reads it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.physics.flow.sources import RunningInlets
from plash.physics.level_set.band import BAND
from plash.physics.level_set.extension import keep_volume_outside
from plash.physics.solids.base import Solids
from plash.physics.straight_paths import straight_path_divergence
from plash.solvers.state import State
from plash.solvers.transfers import SemiLagrangian

_MOST_OWED = 0.1  # of a cell


class Allowed(NamedTuple):
    """Bodies and spouts of a step, beside which straight paths ask for something else."""

    solids: Solids
    inlets: RunningInlets


class WideSemiLagrangian(SemiLagrangian):
    """Velocity is traced back on the grid, and known in all of the band of a level set.

    Attributes:
        owed: Share of their volume that cells of the last step were left short of; None before the first.
        allowed: What is allowed for in what straight paths of a step ask for; nothing, if None.
    """

    owed: CellField | None = None
    allowed: Allowed | None = None

    def reach(self, courant: float) -> int:
        """The band, and as far as paths lead into it."""
        return max(BAND + 2, super().reach(courant))

    def to_particles(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> int:
        """There are none; the velocity that carries the surface keeps volume in cells that are filled in part."""
        keep_volume_outside(velocity, cells, self.h)
        self.owed = self._owed(state, velocity, cells)
        return 0

    def _owed(self, state: State, velocity: FaceField, cells: Cells) -> CellField | None:
        """By how much straight paths change the volume of cells, since forces and pressure changed the velocity.

        The divergence that straight paths ask for was found from the velocity before.
        """
        if state.carried is None:
            return None
        asked, needed = (self._divergence(u, cells, state.length) for u in (state.carried, velocity))
        owed, wet = CellField.filled(cells.tiles, 0.0), cells.liquid_tiles
        short = (needed[wet] - asked[wet]) * (state.length / self.h)
        owed.pool[wet] = np.clip(short, -_MOST_OWED, _MOST_OWED)
        return owed

    def _divergence(self, velocity: FaceField, cells: Cells, dt: float) -> NDArray[np.float64]:
        """What straight paths of dt ask for, h ∇·u in m/s."""
        divergence = straight_path_divergence(velocity, cells, dt, self.h)
        if self.allowed is not None:
            self.allowed.solids.bend_paths(divergence, velocity, dt, self.h)
            self.allowed.inlets.forget_paths(divergence)
        return divergence
