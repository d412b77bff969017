"""How long a step may be (Cline step 1).

    dt = min( courant h/(max|u| + sqrt(h|g|)),  0.7 sqrt(h/|g|),  each model's own limit ),  then clamped

The first is Cline's equation 11 with the speed that gravity gives within a cell added, so that liquid at rest has a
finite step. The second resolves the shortest gravity waves of the free surface and does not depend on courant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


def wave_step(h: float, gravity: float) -> float:
    """Longest step that the shortest gravity waves allow, s.

    >>> wave_step(h=0.1, gravity=10.0), wave_step(h=0.1, gravity=0.0)
    (0.06999999999999999, inf)
    """
    return 0.7 * math.sqrt(h / gravity) if gravity > 0 else math.inf


@dataclass(frozen=True)
class TimeStep:
    """Limits of the time step.

    Attributes:
        h: Cell size, m.
        gravity: Size of the gravitational acceleration, m/s².
        courant: Cells that liquid may cross in a step.
        own_limit: The shortest of the models' own limits, s.
        shortest: User's limit, s.
        longest: User's limit, s.
    """

    h: float
    gravity: float
    courant: float
    own_limit: float = math.inf
    shortest: float = 0.0
    longest: float = math.inf

    def limit(self, speed: float) -> float:
        """Longest step for liquid of this speed, s.

        >>> TimeStep(h=0.1, gravity=0.0, courant=2.0).limit(speed=4.0)
        0.05
        """
        g = self.gravity
        fastest = speed + math.sqrt(self.h * g)
        dt = self.courant * self.h / fastest if fastest > 0 else math.inf
        return max(min(dt, wave_step(self.h, g), self.own_limit, self.longest), self.shortest)

    def divide(self, remaining: float, speed: float) -> float:
        """Step that divides the time remaining to the next frame evenly and stays below the limit, s.

        >>> TimeStep(h=0.1, gravity=0.0, courant=2.0).divide(remaining=0.12, speed=4.0)
        0.04
        """
        limit = self.limit(speed)
        if math.isinf(limit):
            return remaining
        return remaining / max(1, math.ceil(remaining / limit - 1e-9))
