"""Liquid that a solid presses together and that cannot give way: there is no such flow, and no way to go on.

In a component that no air touches as much has to flow in as out, so what solids push out of its cells must add up to
nothing. For a rigid body inside the liquid it does, to the last bit (`physics/solid_velocity.py`). Two bodies closer
than a cell share faces, and leave a difference of a few faces; pockets of a few cells between a body and a wall are too
small to be told from the gap that liquid leaves by. So it is refused when a component has a width of some cells, and
the sum is more than a small share of all that is pushed, in and out counted alike. Smaller differences are spread over
the component, and told as the step's `excess`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plash.errors import SealedError
from plash.grid.cells import Cells, Swept
from plash.linear.components import ClosedComponents

_WIDTH = 4  # cells: a component of fewer than this to the power of the axes is a pocket
_SHARE = 0.05  # of all that is pushed, in and out: below, a difference is one of discretisation


def refuse_compression(
    cells: Cells,
    closed: ClosedComponents,
    swept: Swept,
    owner: NDArray[np.int8],
    names: Sequence[str],
    h: float,
) -> None:
    """Raise an error if solids that move press liquid together, or apart, that no air touches.

    Args:
        cells: What each cell holds.
        closed: The components that no air touches.
        swept: What solids push out of cells.
        owner: The one of `names` that is nearest to each of these cells, -1 for none.
        names: What the solids that move are called.
        h: Cell size, m.

    Raises:
        SealedError: Names the solid and the volume rate.
    """
    if closed.count == 0:
        return
    rank = np.full(cells.tiles.count + 1, -1)
    rank[closed.active] = np.arange(len(closed.active))
    some = rank[swept.slots] >= 0
    label = closed.label[rank[swept.slots[some]]].ravel()
    pushed, owner = swept.outflow[some].ravel(), owner[some].ravel()
    total = np.bincount(label, weights=pushed, minlength=len(closed.sizes))
    gross = np.bincount(label, weights=np.abs(pushed), minlength=len(closed.sizes))
    dimension = cells.tiles.dimension
    sealed = (np.abs(total) > _SHARE * gross) & (closed.sizes >= _WIDTH**dimension)
    sealed[0] = False
    if not sealed.any():
        return
    worst = int(np.argmax(np.where(sealed, np.abs(total), -1.0)))
    here = (label == worst) & (owner >= 0)
    share = np.abs(np.bincount(owner[here], weights=pushed[here], minlength=len(names)))
    name = names[int(np.argmax(share))]
    # Outflow is by face and in m/s: times its area, or length in 2-D, it is a volume rate
    rate = total[worst] * h ** (dimension - 1)
    unit, what = ("m³/s" if dimension == 3 else "m²/s"), ("pulls apart" if rate > 0 else "presses together")
    raise SealedError(
        f"the solid {name} {what} {closed.sizes[worst] * h**dimension:.4g} {unit[:2]} of liquid that no air touches, "
        f"by {abs(rate):.4g} {unit}: liquid cannot be compressed, so there is no such flow. Leave some air or an "
        "opening, or stop the motion in time (solid.motion.stop)"
    )
