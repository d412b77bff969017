"""Equations for several components on the same tiles, preconditioned by one multigrid V-cycle for each component.

A pool of such a system has the tiles of the first component in its first rows, then those of the second, and so on. The
block of the matrix that belongs to one component is a diagonal with face weights, on a grid that is shifted by half a
cell: what `linear/multigrid.py` takes as it is. What couples components is left to conjugate gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plash.linear.multigrid import MultigridPreconditioner
from plash.linear.operators import PoissonOperator, Pool


def stacked_rows(active: Sequence[NDArray[np.int32]], slots: int) -> NDArray[np.int32]:
    """Rows of the pools of a system that hold an unknown, from the slots of each component that do."""
    return np.concatenate([rows + np.int32(slots * number) for number, rows in enumerate(active)])


class ComponentMultigrid:
    """A V-cycle for each component by itself."""

    longest_run = 60
    coarse_sweeps = 2  # more take no iteration off: what is slow is what couples components

    def __init__(self, blocks: Sequence[PoissonOperator]) -> None:
        self.cycles = [MultigridPreconditioner(block, self.coarse_sweeps) for block in blocks if len(block.active)]
        self.numbers = [number for number, block in enumerate(blocks) if len(block.active)]
        self.components = len(blocks)

    def solve(self, r: Pool, z: Pool) -> float:
        """Set z to one V-cycle's approximation of A⁻¹ r in each component and return r·z."""
        of_r, of_z = (pool.reshape(self.components, -1, *pool.shape[1:]) for pool in (r, z))
        pairs = zip(self.cycles, self.numbers, strict=True)
        return sum(cycle.solve(of_r[number], of_z[number]) for cycle, number in pairs)
