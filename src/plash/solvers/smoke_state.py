"""Smoke on tiles: its state, and how it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField, FaceField
from plash.physics.smoke.envelope import Envelope
from plash.physics.solids.domain_box import DomainBox
from plash.physics.solids.rigid_motion import Poses
from plash.solvers.limits import are_tiles
from plash.solvers.poses import pose_arrays
from plash.solvers.stored import ArraysByName, StateNumbers, StoredArrays

_HUGE = 1e18  # of any field


@dataclass(eq=False)
class SmokeState:
    """Smoke and the air round it at one moment.

    Attributes:
        envelope: The tiles that exist.
        velocity: On faces, m/s; that of the wind in absent tiles.
        scalars: What the air carries [field, slot, z, y, x], zero in absent tiles: density (kg/m³), and where the scene
            has them warmth (K above the air's temperature), fuel (share of the air) and coloured smoke (kg/m³, times
            the share of red, green or blue light that it sends on).
        time: s.
        steps: How many steps have been taken.
        poses: Where the solids that move were when the last one began, by name.
        pressure: Of the last step, Pa, for frames to show; None before the first step.
    """

    envelope: Envelope
    velocity: FaceField
    scalars: NDArray[np.float32]
    time: float = 0.0
    steps: int = 0
    poses: Poses = field(default_factory=dict)
    pressure: CellField | None = None

    @staticmethod
    def nothing(dimension: int, fields: int, wind: Sequence[float]) -> SmokeState:
        """No smoke anywhere, in a wind (m/s)."""
        envelope = Envelope.nothing(dimension)
        tiles = envelope.tiles
        velocity = FaceField.filled(tiles, 0.0)
        velocity.pool[:] = np.reshape(wind, (-1, 1, 1, 1, 1))
        return SmokeState(envelope, velocity, np.zeros((fields, 1, *tiles.shape), np.float32))

    def stored(self) -> tuple[ArraysByName, dict[str, Any]]:
        """The state as arrays, and numbers about them."""
        tiles = self.envelope.tiles
        arrays: ArraysByName = {
            "tiles": tiles.keys,
            "is_inside": self.envelope.is_inside,
            "velocity": self.velocity.pool,
            "scalars": self.scalars,
        }
        if self.pressure is not None:
            single = CellField(self.pressure.tiles, self.pressure.pool.astype(np.float32))
            arrays["pressure"] = single.moved_to(tiles).pool
        return arrays | pose_arrays(self.poses), {"time": self.time, "steps": self.steps}


@dataclass
class SmokeNumbers(StateNumbers):
    """The numbers of the state of smoke."""


def smoke_from(
    arrays: StoredArrays, numbers: SmokeNumbers, box: DomainBox, empty: SmokeState, most: float
) -> SmokeState:
    """The state of smoke that was stored.

    Args:
        arrays: As `SmokeState.stored` gave them.
        numbers: As `SmokeState.stored` gave them.
        box: The domain.
        empty: A state of the same scene without smoke.
        most: Highest speed, m/s.

    Raises:
        DamagedError: They are no state of such a scene.
    """
    dimension, fields = len(box.cells), len(empty.scalars)
    keys = arrays.take("tiles", np.int64, (None,))
    if not are_tiles(keys, dimension):
        raise arrays.damaged("'tiles' is no table of tiles")
    is_inside = arrays.take("is_inside", np.bool_, (len(keys) + 1,))
    envelope = Envelope.of_keys(keys[is_inside[1:]], box)
    tiles = envelope.tiles
    if is_inside[0] or not np.array_equal(tiles.keys, keys):
        raise arrays.damaged("'is_inside' names no envelope with its rim")
    pool = (tiles.count + 1, *tiles.shape)
    velocity = arrays.take("velocity", np.float32, (dimension, *pool), -most, most)
    scalars = arrays.take("scalars", np.float32, (fields, *pool), -_HUGE, _HUGE)
    backgrounds = (velocity[:, :1] == empty.velocity.pool).all() and not scalars[:, 0].any()
    if not backgrounds:
        raise arrays.damaged("air far from smoke is not that of the scene")
    state = SmokeState(envelope, FaceField(tiles, velocity), scalars, numbers.time, numbers.steps)
    if "pressure" in arrays:
        state.pressure = CellField(tiles, arrays.take("pressure", np.float32, pool, -_HUGE, _HUGE))
    return state
