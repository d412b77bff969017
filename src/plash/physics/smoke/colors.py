"""Smoke of several colours: for red, green and blue the air carries how much smoke there is, times its colour.

    ρ_c = Σ ρ_i c_i ,      c = ρ_c/ρ

with the share c_i of each light (linear, 0 to 1) that the smoke i sends on. Where smokes meet, c is the mean of their
colours by mass. All that happens to ρ happens to ρ_c in proportion. Each is carried by its own limited fluxes, so that
c can leave the range of what flows together by a little: what is seen is kept within the colours of the scene.

Reference: Fedkiw, Stam & Jensen 2001, whose densities these are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pool = NDArray[np.float32]

_NO_SMOKE = 1e-12  # kg/m³, below which smoke has no colour of its own


def smoke_tint(colored: Pool, density: Pool, colors: NDArray[np.float64]) -> Pool:
    """The share c of one light that smoke sends on, within that of the colours there are; of the first without smoke.

    >>> density = np.array([0.0, 2.0, 2.0], np.float32)
    >>> smoke_tint(np.array([0.0, 0.5, 3.0], np.float32), density, np.array([0.125, 1.0])).tolist()
    [0.125, 0.25, 1.0]
    """
    is_smoke = density > _NO_SMOKE
    share = np.clip(colored / np.where(is_smoke, density, np.float32(1)), colors.min(), colors.max())
    tint: Pool = np.where(is_smoke, share, colors[0]).astype(np.float32)
    return tint


def share_left(density: Pool, before: Pool) -> Pool:
    """What is left of smoke that fades, as a share of what was there before.

    >>> share_left(np.array([0.0, 1.0], np.float32), np.array([0.0, 4.0], np.float32)).tolist()
    [0.0, 0.25]
    """
    share: Pool = np.divide(density, before, out=np.zeros_like(before), where=before > 0)
    return share
