"""The velocity of a liquid that has no particles: traced back on the grid, known as far out as a level set reads it."""

from __future__ import annotations

from plash.physics.level_set.band import BAND
from plash.solvers.transfers import SemiLagrangian


class WideSemiLagrangian(SemiLagrangian):
    """Velocity is traced back on the grid, and known in all of the band of a level set."""

    def reach(self, courant: float) -> int:
        """The band, and as far as paths lead into it."""
        return max(BAND + 2, super().reach(courant))
