"""Fluids that fill a box: their state, and how it is stored."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import at_centres
from plash.solvers.stored import ArraysByName, Seconds, StateNumbers, StoredArrays

Array = NDArray[np.float64]

_FIELDS = ("faces", "density", "pressure")
_SCALAR = "scalar."
_HUGE = 1e18  # of any field


@dataclass(eq=False)
class BoxState:
    """A fluid in a box at one moment. Arrays are [[z,] y, x]; components come first, x before y.

    Attributes:
        faces: Velocity on the minimal faces of cells, m/s.
        density: Share of liquid in each cell, 0 to 1.
        pressure: In each cell, Pa, of zero mean.
        scalars: What else is carried along, by name, such as the temperature in K.
        time: s.
        steps: How many steps have been taken.
        last_step: Length of the last of them, s.
    """

    faces: Array
    density: Array
    pressure: Array
    scalars: dict[str, Array] = field(default_factory=dict)
    time: float = 0.0
    steps: int = 0
    last_step: float = 0.0

    @staticmethod
    def at_rest(shape: tuple[int, ...]) -> BoxState:
        """A box of cells ([z,] y, x) without liquid."""
        return BoxState(np.zeros((len(shape), *shape)), np.zeros(shape), np.zeros(shape))

    @property
    def velocity(self) -> Array:
        """Velocity at the centres of cells, m/s."""
        return at_centres(self.faces)

    def stored(self) -> tuple[ArraysByName, dict[str, Any]]:
        """The state as arrays, and numbers about them."""
        arrays = {name: getattr(self, name) for name in _FIELDS}
        arrays |= {_SCALAR + name: values for name, values in self.scalars.items()}
        return arrays, {"time": self.time, "steps": self.steps, "last_step": self.last_step}


@dataclass
class BoxNumbers(StateNumbers):
    """The numbers of a box's state."""

    last_step: Seconds


def box_from(
    arrays: StoredArrays, numbers: BoxNumbers, box: tuple[int, ...], scalars: Collection[str], most: float
) -> BoxState:
    """The state of a box that was stored.

    Args:
        arrays: As `BoxState.stored` gave them.
        numbers: As `BoxState.stored` gave them.
        box: Its cells, ([z,] y, x).
        scalars: What is carried along beside the density.
        most: Highest speed, m/s.

    Raises:
        DamagedError: They are no state of such a box.
    """
    faces = arrays.take("faces", np.float64, (len(box), *box), -most, most)
    density, pressure = (arrays.take(name, np.float64, box, -_HUGE, _HUGE) for name in ("density", "pressure"))
    names = {name.removeprefix(_SCALAR) for name in arrays if name.startswith(_SCALAR)}
    if names != set(scalars):
        raise arrays.damaged(f"it carries {sorted(names)} along, not {sorted(scalars)}")
    carried = {name: arrays.take(_SCALAR + name, np.float64, box, -_HUGE, _HUGE) for name in scalars}
    return BoxState(faces, density, pressure, carried, numbers.time, numbers.steps, numbers.last_step)
