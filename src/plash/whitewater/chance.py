"""Random numbers by what they are for: the same for any number of threads, in any order, and after a pause.

Each is a hash of a seed, the number of a frame, the number of what it is drawn for, and a purpose. The mixing is that
of SplitMix64 (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class Draw:
    """Random numbers of a frame, from a seed.

    >>> draw, numbers = Draw(seed=3, frame=7), np.array([1, 5])
    >>> first, again = draw.chances(numbers, 0), draw.chances(numbers, 0)
    >>> bool((first == again).all()), bool(first[0] == first[1])
    (True, False)
    """

    seed: int
    frame: int

    def chances(self, numbers: NDArray[np.int64], purpose: int) -> NDArray[np.float64]:
        """A number in [0, 1) for each of some numbers."""
        state = _mixed(np.full(numbers.shape, self.seed, np.uint64))
        for part in (np.uint64(self.frame), numbers.astype(np.uint64), np.uint64(purpose)):
            state = _mixed(state ^ part)
        found: NDArray[np.float64] = (state >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return found


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        state = state + _STEP
        state = (state ^ (state >> np.uint64(30))) * _FIRST
        state = (state ^ (state >> np.uint64(27))) * _SECOND
    mixed: NDArray[np.uint64] = state ^ (state >> np.uint64(31))
    return mixed
