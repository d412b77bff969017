"""Compatibility of closed pockets: without a free surface, the net flux of solids, inlets and drains must vanish.

In a component that no air touches as much has to flow in as out, so what solids push out of its cells and spouts bring
in must add up to nothing, or to no more than drains take away. For a rigid body inside the liquid it does, to the last
bit (`physics/solids/velocity.py`). Two bodies closer than a cell share faces, and leave a difference of a few faces;
pockets of a few cells between a body and a wall are too small to be told from the gap that liquid leaves by. So it is
refused when a component has a width of some cells, and the sum is more than a small share of all that is pushed, in and
out counted alike. Smaller differences are spread over the component, and told as the step's `excess`.

Reference: Cline step 3d; Batty et al. 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.errors import SealedError
from plash.grid.cells import Cells, SolidFlux
from plash.grid.tiles import Places
from plash.linear.components import ClosedComponents
from plash.physics.flow.inflow import Inflow

_WIDTH = 4  # cells: a component of fewer than this to the power of the axes is a pocket
_SHARE = 0.05  # of all that is pushed, in and out: below, a difference is one of discretisation


@dataclass(frozen=True, eq=False)
class SolidFluxes:
    """What is pushed out of cells, and by what.

    Attributes:
        places: Cells; one may occur several times.
        outflow: Volume a second over the area of a face, m/s; negative if it is pushed in.
        owner: Which of `causes` does it, -1 for none.
        causes: What may do it, such as "the solid 'ram'".
        remedy: What to do about one.
    """

    places: Places
    outflow: NDArray[np.float64]
    owner: NDArray[np.int64]
    causes: Sequence[str]
    remedy: str

    @staticmethod
    def none() -> SolidFluxes:
        """Nothing is pushed."""
        return SolidFluxes((np.zeros(0, np.int64),) * 4, np.zeros(0), np.zeros(0, np.int64), (), "")

    @staticmethod
    def by_solids(solid_flux: SolidFlux, owner: NDArray[np.int8], names: Sequence[str]) -> SolidFluxes:
        """What solids that move sweep out of cells; the owner of each cell is the one nearest to it."""
        found = np.nonzero(solid_flux.outflow)
        places = (solid_flux.slots[found[0]].astype(np.int64), *found[1:])
        causes = [f"the solid {name}" for name in names]
        remedy = "or stop the motion in time (solid.motion.stop)"
        return SolidFluxes(places, solid_flux.outflow[found], owner[found].astype(np.int64), causes, remedy)


class HasSolidFluxes(Protocol):
    """Solids that move, or spouts."""

    def solid_fluxes(self) -> SolidFluxes:
        """What they push in and out."""


def refuse_compression(
    cells: Cells, closed: ClosedComponents, pushers: Sequence[HasSolidFluxes], drained: Inflow, h: float
) -> None:
    """Raise an error if liquid that no air touches is pressed together, or pulled apart.

    Args:
        cells: What each cell holds.
        closed: The components that no air touches.
        pushers: What may do so.
        drained: What drains take away, which makes room.
        h: Cell size, m.

    Raises:
        SealedError: Names the solid or spout and the volume rate.
    """
    if closed.count == 0:
        return
    rank = np.full(cells.tiles.count + 1, -1)
    rank[closed.active] = np.arange(len(closed.active))

    def summed(places: Places, values: NDArray[np.float64]) -> NDArray[np.float64]:
        slot, *inside = places
        label = np.where(rank[slot] >= 0, closed.label[(rank[slot], *inside)], 0)
        return np.asarray(np.bincount(label, weights=values, minlength=len(closed.sizes)), np.float64)

    total, gross = np.zeros(len(closed.sizes)), np.zeros(len(closed.sizes))
    blamed: list[tuple[NDArray[np.float64], str, str]] = []
    for pusher in pushers:
        solid_fluxes = pusher.solid_fluxes()
        total += summed(solid_fluxes.places, solid_fluxes.outflow)
        gross += summed(solid_fluxes.places, np.abs(solid_fluxes.outflow))
        for number, cause in enumerate(solid_fluxes.causes):
            own = summed(solid_fluxes.places, np.where(solid_fluxes.owner == number, solid_fluxes.outflow, 0.0))
            blamed.append((np.abs(own), cause, solid_fluxes.remedy))
    room = -summed(drained.places, drained.rate)
    total = np.where(total < 0, np.minimum(total + room, 0.0), total)
    dimension = cells.tiles.dimension
    sealed = (np.abs(total) > _SHARE * gross) & (closed.sizes >= _WIDTH**dimension)
    sealed[0] = False
    if not sealed.any():
        return
    worst = int(np.argmax(np.where(sealed, np.abs(total), -1.0)))
    _, cause, remedy = max(blamed, key=lambda one: float(one[0][worst]))
    # Outflow is by face and in m/s: times its area, or length in 2-D, it is a volume rate
    rate = total[worst] * h ** (dimension - 1)
    unit, what = ("m³/s" if dimension == 3 else "m²/s"), ("pulls apart" if rate > 0 else "presses together")
    raise SealedError(
        f"{cause} {what} {closed.sizes[worst] * h**dimension:.4g} {unit[:2]} of liquid that no air touches, by "
        f"{abs(rate):.4g} {unit}: liquid cannot be compressed, so there is no such flow. Leave some air or an opening, "
        f"{remedy}"
    )
