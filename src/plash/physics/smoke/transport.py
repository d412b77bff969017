"""How scalars are carried along: by fluxes, which keep mass, or traced as the velocity is, which keeps edges.

Either tells what went through each open side of the domain. What fluxes take out of the envelope elsewhere is less than
the threshold, and counts as dropped with tiles. Air that solids push aside flows out of the cells that they are
about to cover; what they cover is counted then, and so is what is left of it until then.

Reference: Cline figure 13, step 4; van Leer 1977.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.physics.smoke.advection import Advection, forget_in_solids
from plash.physics.smoke.amounts import SIDES, leaving
from plash.physics.smoke.fluxes import Capacity, Outflow, carried_by_fluxes
from plash.physics.smoke.swept import touched
from plash.physics.solids.base import Solids
from plash.physics.solids.domain_box import OPEN

Pools = NDArray[np.float32]
Left = dict[str, NDArray[np.float64]]  # by reason, what each field lost, times m³ (m² in 2-D)

DROPPED = "dropped with tiles"
COVERED = "covered by solids"


@dataclass(frozen=True, eq=False)
class Move:
    """A step of the air.

    Attributes:
        velocity: On faces, m/s.
        cells: What is followed.
        capacity: How much cells hold.
        solids: Those of the scene, where they are as the step begins.
        dt: s.
        h: Cell size, m.
    """

    velocity: FaceField
    cells: Cells
    capacity: Capacity
    solids: Solids
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
        scaled, narrowest = move.dt / move.h, move.capacity.narrowest if move.capacity.is_cut else None
        beside = touched(move.solids, move.cells, narrowest)
        after, outflow = carried_by_fluxes(scalars, move.velocity, move.cells, move.capacity, scaled, beside)
        return after, _by_reason(outflow, move)


@dataclass(frozen=True)
class Traced:
    """Along paths, as the velocity is."""

    advection: Advection

    def carried(self, scalars: Pools, move: Move) -> tuple[Pools, Left]:
        """Fields after a move, and what left the domain."""
        paths = self.advection.paths(move.velocity, move.cells, move.dt, move.h)
        left = leaving(scalars, paths, move.cells, move.capacity, move.solids.box, move.h)
        forget_in_solids(scalars, move.cells)
        return self.advection.carried(scalars, paths, move.cells, on_faces=False), left


def _by_reason(outflow: Outflow, move: Move) -> Left:
    """What went through open sides, and out of the envelope elsewhere."""
    tiles, box = move.cells.tiles, move.solids.box
    volume = move.h**tiles.dimension
    found: Left = {DROPPED: np.zeros(len(outflow.amount)), COVERED: -outflow.swept * volume}
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
