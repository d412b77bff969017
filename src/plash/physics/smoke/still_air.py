"""Air outside the envelope moves with the wind, whatever the pressure left there.

Reference: Cline section 9.1.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from plash.grid.cells import WALL, WET, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_slice
from plash.timing import stage


@stage
def settle(velocity: FaceField, cells: Cells, wind: tuple[float, ...]) -> None:
    """Give every face that borders neither the envelope nor a solid the velocity of the wind, m/s."""
    for axis, part in enumerate(wind):
        pool, faces = velocity.pool[axis].reshape(-1), cells.faces[axis].reshape(-1)
        _settle(pool, faces, np.float32(part), chunk_count())


def has_walls(cells: Cells) -> bool:
    """Whether any face is closed."""
    return bool((cells.faces & WALL).any())


@kernel
def _settle(velocity, faces, wind, chunks):
    n = len(velocity)
    for c in prange(chunks):
        part = velocity[chunk_slice(c, chunks, n)]
        bits = faces[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            part[m] = wind if bits[m] & (WET | WALL) == 0 else part[m]
