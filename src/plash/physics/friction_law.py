"""The law of friction, for liquid beside bodies and for fluids in a box (Kuo's roughness constant)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_PER_SECOND = 24.0  # friction is what happens in 1/24 s


def share_kept(friction: NDArray[np.float64], dt: float) -> NDArray[np.float64]:
    """Share of the tangential velocity that is left after dt, (1 - friction)^(24 dt); all of it if no time goes by.

    Example:
        >>> share_kept(np.array([0.0, 0.5, 1.0]), 1 / 12)
        array([1.  , 0.25, 0.  ])
    """
    kept: NDArray[np.float64] = (1.0 - friction) ** (_PER_SECOND * dt)
    return kept
