"""The velocity of a liquid that has no particles: traced back on the grid, known as far out as a level set reads it."""

from __future__ import annotations

import numpy as np

from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.physics.level_set.band import BAND
from plash.physics.level_set.extension import keep_volume_outside
from plash.physics.straight_paths import straight_path_divergence
from plash.solvers.state import State
from plash.solvers.transfers import SemiLagrangian

_MOST_OWED = 0.1  # of a cell


class WideSemiLagrangian(SemiLagrangian):
    """Velocity is traced back on the grid, and known in all of the band of a level set.

    Attributes:
        owed: Share of their volume that cells of the last step were left short of; None before the first.
    """

    owed: CellField | None = None

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
        asked, needed = (straight_path_divergence(u, cells, state.length, self.h) for u in (state.carried, velocity))
        owed, wet = CellField.filled(cells.tiles, 0.0), cells.liquid_tiles
        short = (needed[wet] - asked[wet]) * (state.length / self.h)
        owed.pool[wet] = np.clip(short, -_MOST_OWED, _MOST_OWED)
        return owed
