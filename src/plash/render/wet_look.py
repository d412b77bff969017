"""What a film of liquid does to the looks of what is under it.

Light that leaves a matte surface under water is thrown back by the water's own surface in part, and falls on the matte
one again: it gets darker, and more so the darker it was (Lekner and Dorf 1988):

    a_wet = (1 - r) (1 - p) a / (1 - p a)

r is the share of diffuse light that water throws back from outside, p from within. A film of opaque liquid has the
liquid's own colour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.render.mitsuba.looks import liquid_look
from plash.scene.model import Scene

FILM_INDEX = 1.33
_OUTSIDE = 0.066
_INSIDE = 1 - (1 - _OUTSIDE) / FILM_INDEX**2


@dataclass(frozen=True, eq=False)
class WetLook:
    """How a film of a scene's liquid looks: its own colour (3,) if it hides what is under it, else None."""

    stain: NDArray[np.float64] | None

    def color(self, dry: NDArray[np.floating]) -> NDArray[np.float32]:
        """Light that a matte surface returns under the film, from what it returns when it is dry (..., 3).

        >>> WetLook(None).color(np.array([0.0, 0.5, 1.0])).astype(float).round(2).tolist()
        [0.0, 0.32, 0.93]
        """
        if self.stain is not None:
            return np.broadcast_to(self.stain, dry.shape).astype(np.float32)
        wet: NDArray[np.float64] = (1 - _OUTSIDE) * (1 - _INSIDE) * dry / (1 - _INSIDE * dry)
        return wet.astype(np.float32)


def wet_look(scene: Scene) -> WetLook | None:
    """How a film of a scene's liquid looks; None if it leaves none, as mercury and lava."""
    look = liquid_look(scene)
    if look.kind == "metal" or look.glow.any():
        return None
    return WetLook(None if look.is_clear else look.color)
