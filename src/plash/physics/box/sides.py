"""Friction of the walls of a box (Kuo's rough container): what goes along a wall, in the cells beside it, is slowed.

u_t *= (1 - friction)^(24 dt)        once for each dt

Walls of friction 1 hold liquid by viscosity instead, at their own place (`physics/box/diffusion.py`), if that reaches
half a cell in 1/24 s.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plash.physics.friction_law import share_kept


class BoxSides:
    """The walls, by their friction (low, high) along each axis (x, y[, z]); smooth ones if it is not given.

    Example:
        >>> u = np.ones((2, 3, 4))
        >>> BoxSides([(0, 0), (1, 0)]).slow_by_friction(u, 0.01)
        >>> u[0]
        array([[0., 0., 0., 0.],
               [1., 1., 1., 1.],
               [1., 1., 1., 1.]])
    """

    def __init__(self, friction: Sequence[tuple[float, float]] = ()) -> None:
        self._rough = [
            (axis, end, value)
            for axis, pair in enumerate(friction)
            for end, value in zip((0, -1), pair, strict=True)
            if value
        ]

    def without(self, held: Sequence[tuple[int, int]]) -> BoxSides:
        """The walls but for some, by axis and end, which viscosity holds."""
        made = BoxSides()
        made._rough = [(axis, end, value) for axis, end, value in self._rough if (axis, end) not in held]
        return made

    @property
    def holding(self) -> list[tuple[int, int]]:
        """The walls of friction 1, by axis and end.

        >>> BoxSides([(0, 1), (0.5, 0)]).holding
        [(0, -1)]
        """
        return [(axis, end) for axis, end, value in self._rough if value == 1]

    def slow_by_friction(self, velocity: NDArray[np.float64], dt: float) -> None:
        """Slow down what goes along rough walls, for dt."""
        for axis, end, value in self._rough:
            kept = float(share_kept(np.array(value), dt))
            for along, component in enumerate(velocity):
                if along != axis:
                    np.moveaxis(component, component.ndim - 1 - axis, 0)[end] *= kept
