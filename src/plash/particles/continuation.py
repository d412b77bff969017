"""Velocity beyond the liquid: no faster than the particles there can have become.

The pressure acts on faces beside liquid cells. Faces further out, or in walls, get their velocity from the nearest ones
(`grid/extrapolate.py`), and particles near the surface or in a film read it. Where a film is thinner than a cell the
pressure of a thin column moves all of them, and energy would come from nowhere: a drop that hits a bowl gained 6 % in a
twenty-fourth of a second. So a continued velocity has at most the size that particles carried to that face, and what
forces add in the step:

    |u| <= |u_carried| + |a| dt

Particles that the liquid pulls along get there within a few steps, as velocities mix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.cells import WALL, WET, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_slice
from plash.timing import stage


@stage
def hold_to_particles(velocity: FaceField, carried: FaceField, cells: Cells, allowance: float) -> None:
    """Limit the velocity on faces where no pressure acted, if particles carried one there.

    Args:
        velocity: After it was continued; is changed.
        carried: What particles carried to each face before forces and pressure; unknown where none did.
        cells: Tell where pressure acted: on wet faces that are open.
        allowance: What forces may have added, m/s.
    """
    _hold(_flat(velocity, carried, cells), False, np.float32(allowance), chunk_count())


@stage
def hold_change_to_particles(change: FaceField, carried: FaceField, cells: Cells, allowance: float) -> None:
    """Limit the change of the velocity on such faces: what was carried there and the change obey the same limit."""
    _hold(_flat(change, carried, cells), True, np.float32(allowance), chunk_count())


class _Faces(NamedTuple):
    """All faces in a row: what is limited, what particles carried, and the bits of faces."""

    values: NDArray[np.float32]
    carried: NDArray[np.float32]
    bits: NDArray[np.uint8]


def _flat(field: FaceField, carried: FaceField, cells: Cells) -> _Faces:
    return _Faces(field.pool.reshape(-1), carried.pool.reshape(-1), cells.faces.reshape(-1))


@kernel
def _hold(faces, is_change, allowance, chunks):
    values, carried, every_bit = faces
    n = len(values)
    nothing = np.float32(0)
    for c in prange(chunks):
        part = values[chunk_slice(c, chunks, n)]
        known = carried[chunk_slice(c, chunks, n)]
        bits = every_bit[chunk_slice(c, chunks, n)]
        for m in range(len(part)):
            before = known[m]
            if bits[m] & (WET | WALL) == WET or before != before:
                continue
            limit = abs(before) + allowance
            start = before if is_change else nothing
            # Written so that an unknown value stays unknown
            part[m] = limit - start if part[m] > limit - start else part[m]
            part[m] = -limit - start if part[m] < -limit - start else part[m]
