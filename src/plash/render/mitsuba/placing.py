"""From metres to Mitsuba's units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.scene.domain import Domain

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

DIAGONAL = 10.0  # of the domain, in Mitsuba's units
_APART, _LEAST_APART = 0.02, 1.5e-4  # between surfaces that must not lie in each other: in cells, and in diagonals


@dataclass(frozen=True, eq=False)
class Placing:
    """From metres to Mitsuba's units, in which every domain is of one size and its floor is round the origin.

    A ray starts a little off the surface that it leaves, by a length that does not know the size of the scene: in one
    of 5 cm that would be too far, and light would leak.

    Attributes:
        origin: The middle of the domain's floor, m.
        scale: Units for a metre.
        apart: How far surfaces are kept from each other, m.
    """

    origin: Array
    scale: float
    apart: float

    @classmethod
    def of(cls, domain: Domain) -> Placing:
        """The placing of a domain."""
        size = np.array(domain.cells) * domain.h
        across = float(np.sqrt(size @ size))
        middle = size * [0.5, 0.0, 0.5]
        return cls(middle, DIAGONAL / across, max(_APART * domain.h, _LEAST_APART * across))

    def __call__(self, points: NDArray[np.floating]) -> Floats:
        """Points (..., 3) in Mitsuba's units."""
        return ((points - self.origin) * self.scale).astype(np.float32)
