"""How scalars are carried along: by fluxes, which keep mass, or traced as the velocity is, which keeps edges.

Either tells what went through each open side of the domain. What fluxes take out of the envelope elsewhere is less than
the threshold, and counts as dropped with tiles.

Reference: Cline figure 13, step 4; van Leer 1977.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.physics.smoke.advection import Advection, Paths, forget_in_solids
from plash.physics.smoke.amounts import SIDES, leaving
from plash.physics.smoke.fluxes import Capacity, Outflow, carried_by_fluxes
from plash.physics.solids.domain_box import OPEN, DomainBox

Pools = NDArray[np.float32]
Left = dict[str, NDArray[np.float64]]  # by reason, what each field lost, times m³ (m² in 2-D)

DROPPED = "dropped with tiles"


@dataclass(frozen=True, eq=False)
class Move:
    """A step of the air.

    Attributes:
        velocity: On faces, m/s.
        paths: Where cells came from and go.
        cells: What is followed.
        capacity: How much cells hold.
        box: The domain.
        dt: s.
        h: Cell size, m.
    """

    velocity: FaceField
    paths: Paths
    cells: Cells
    capacity: Capacity
    box: DomainBox
    dt: float
    h: float


class Transport(Protocol):
    """A way to carry scalars along."""

    def carried(self, scalars: Pools, move: Move) -> tuple[Pools, Left]:
        """Fields [field, slot, z, y, x] after a move, and what left the domain or the envelope."""


@dataclass(frozen=True)
class ByFluxes:
    """Through the faces of cells."""

    def carried(self, scalars: Pools, move: Move) -> tuple[Pools, Left]:
        """Fields after a move, and what left the domain or the envelope."""
        scaled = move.dt / move.h
        after, outflow = carried_by_fluxes(scalars, move.velocity, move.cells, move.capacity, scaled)
        return after, _by_reason(outflow, move)


@dataclass(frozen=True)
class Traced:
    """Along paths, as the velocity is."""

    advection: Advection

    def carried(self, scalars: Pools, move: Move) -> tuple[Pools, Left]:
        """Fields after a move, and what left the domain."""
        left = leaving(scalars, move.paths, move.cells, move.capacity, move.box, move.h)
        forget_in_solids(scalars, move.cells)
        return self.advection.carried(scalars, move.paths, move.cells, on_faces=False), left


def _by_reason(outflow: Outflow, move: Move) -> Left:
    """What went through open sides, and out of the envelope elsewhere."""
    tiles, box = move.cells.tiles, move.box
    volume = move.h**tiles.dimension
    found: Left = {DROPPED: np.zeros(len(outflow.amount))}
    for axis, kinds in enumerate(box.sides):
        first = tiles.origins[outflow.tiles, axis]
        for high, kind in enumerate(kinds):
            amount = outflow.amount[:, :, 2 * axis + high] * volume
            last = box.cells[axis] - 1 if high else 0
            at_side = (first <= last) & (last < first + tiles.shape[2 - axis]) & (kind == OPEN)
            if kind == OPEN:
                found[f"left through {SIDES[2 * axis + high]}"] = amount[:, at_side].sum(axis=1)
            found[DROPPED] += amount[:, ~at_side].sum(axis=1)
    return found
