"""Random numbers by what they are for: the same for any number of threads, in any order, and after a pause.

Each is a hash of a seed, the number of a frame, the number of what it is drawn for, and a purpose. The mixing is that
of SplitMix64 (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def chances(seed: int, frame: int, numbers: NDArray[np.int64], purpose: int) -> NDArray[np.float64]:
    """A number in [0, 1) for each of some numbers.

    >>> first, again = (chances(3, 7, np.array([1, 5]), 0) for _ in range(2))
    >>> bool((first == again).all()), bool(first[0] == first[1])
    (True, False)
    """
    state = _mixed(np.full(numbers.shape, seed, np.uint64))
    for part in (np.uint64(frame), numbers.astype(np.uint64), np.uint64(purpose)):
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
