"""The liquid of a frame as motes see it: how fast it is, and how far its surface, on samples a cell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles
from plash.mesh.fill import scattered
from plash.mesh.liquid_field import liquid_field
from plash.particles.particles import Particles
from plash.scene.bodies import Solid
from plash.scene.domain import Domain
from plash.scene.meshing import Meshing

OUTSIDE = np.float32(1.0)  # cells from the surface, where no liquid is near


@dataclass(frozen=True, eq=False)
class Flow:
    """The liquid of a frame.

    Attributes:
        particles: In units of cells, in tile order; their velocity is in m/s.
        tiles: Of samples at the corners of cells.
        velocity: At samples by axis, m/s; NaN where it is not known.
        phi: Distance of samples to the surface in cells, negative in liquid, from -1 to 1.
    """

    particles: Particles
    tiles: Tiles
    velocity: NDArray[np.float32]
    phi: NDArray[np.float32]


def flow_of(
    position: NDArray[np.float64],
    velocity: NDArray[np.float32],
    volume: NDArray[np.float64],
    domain: Domain,
    solids: Sequence[Solid],
) -> Flow | None:
    """The liquid round some particles (m, m/s, m³ or m²); None if there are none."""
    if len(position) == 0:
        return None
    field = liquid_field(position, velocity, volume, domain.h, Meshing(detail=1, drops=False), domain, solids)
    held, totals = field.filled[0], scattered(field.particles, field.tiles)
    known = held > 0
    speed = np.full(totals.shape, np.nan, np.float32)
    np.divide(totals, held, out=speed, where=known)
    phi = field.phi.copy()
    phi[0] = OUTSIDE
    return Flow(field.particles, field.tiles, speed, phi)
