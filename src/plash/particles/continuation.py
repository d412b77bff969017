"""Velocity beyond the liquid: no faster than the particles there can have become.

The pressure acts on faces beside liquid cells. Faces further out, or in walls, get their velocity from the nearest ones
(`grid/extrapolate.py`), and particles near the surface or in a film read it. Where a film is thinner than a cell the
pressure of a thin column moves all of them, and energy would come from nowhere: a drop that hits a bowl gained 6 % in a
twenty-fourth of a second. So a continued velocity has at most the size that particles carried to that face, and what
forces add in the step:

    -|u_carried| + min(a dt, 0) <= u <= |u_carried| + max(a dt, 0)        along each axis

Particles that the liquid pulls along get there within a few steps, as velocities mix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import prange

from plash.grid.cells import WALL, WET, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import FaceField
from plash.stages import stage

Gain = tuple[float, float]  # the least and the most, not above and not below nothing, m/s


@stage
def hold_to_particles(velocity: FaceField, carried: FaceField, cells: Cells, gained: Sequence[Gain]) -> None:
    """Limit the velocity on faces where no pressure acted, if particles carried one there.

    Args:
        velocity: After it was continued; is changed.
        carried: What particles carried to each face before forces and pressure; unknown where none did.
        cells: Tell where pressure acted: on wet faces that are open.
        gained: What forces may have added along each axis.
    """
    _hold_all(velocity, carried, cells, gained, is_change=False)


@stage
def hold_change_to_particles(change: FaceField, carried: FaceField, cells: Cells, gained: Sequence[Gain]) -> None:
    """Limit the change of the velocity on such faces: what was carried there and the change obey the same limit."""
    _hold_all(change, carried, cells, gained, is_change=True)


def _hold_all(field: FaceField, carried: FaceField, cells: Cells, gained: Sequence[Gain], is_change: bool) -> None:
    for axis, (least, most) in enumerate(gained):
        values, before, faces = (pool[axis].reshape(-1) for pool in (field.pool, carried.pool, cells.faces))
        _hold(values, before, faces, is_change, np.float32(least), np.float32(most), chunk_count())


@kernel
def _hold(values, carried, faces, is_change, least, most, chunks):  # type: ignore[no-untyped-def]
    n = len(values)
    nothing = np.float32(0)
    for c in prange(chunks):
        part = values[c * n // chunks : (c + 1) * n // chunks]
        known = carried[c * n // chunks : (c + 1) * n // chunks]
        bits = faces[c * n // chunks : (c + 1) * n // chunks]
        for m in range(len(part)):
            before = known[m]
            if bits[m] & (WET | WALL) == WET or before != before:
                continue
            start = before if is_change else nothing
            low, high = least - abs(before) - start, most + abs(before) - start
            # Written so that an unknown value stays unknown
            part[m] = high if part[m] > high else part[m]
            part[m] = low if part[m] < low else part[m]
