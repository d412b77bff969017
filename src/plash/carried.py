"""What every particle carries: one declaration for each quantity.

Sorting, seeding, sources, removal, checkpoints, frames, the vertices of surfaces, the colours of a look and the views
of the studio all read this table. A new quantity is one more declaration in `ParticleArrays`. The table stands below
all rooms, since a scene may name a quantity too (`look.color_by`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import DTypeLike, NDArray

Limit = float | np.integer[Any] | np.floating[Any] | NDArray[np.float64]
CarriedValue = float | tuple[float, ...]

_BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))
_LARGEST_PARTICLE = 1e6  # cells


class Rows(Enum):
    """How many numbers of a quantity a particle has."""

    ONE = "one"
    AXES = "one for each axis"
    TRANSFER = "as many as the transfer asks for"
    SCENE = "as many as the scene asks for"


class Bounds(NamedTuple):
    """What no particle of a scene is beyond.

    Attributes:
        low: First cell along each axis.
        high: Last cell along each axis.
        fastest: Speed, m/s.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    fastest: float


def _any_number(bounds: Bounds) -> tuple[Limit, Limit]:
    return -np.inf, np.inf


def _within_bounds(bounds: Bounds) -> tuple[Limit, Limit]:
    return bounds.low[:, None], bounds.high[:, None]


def _within_a_cell(bounds: Bounds) -> tuple[Limit, Limit]:
    return 0, _BELOW_ONE


def _volumes(bounds: Bounds) -> tuple[Limit, Limit]:
    return 0, _LARGEST_PARTICLE


def _not_negative(bounds: Bounds) -> tuple[Limit, Limit]:
    return 0, np.inf


def _light(bounds: Bounds) -> tuple[Limit, Limit]:
    return 0, 1


def _logarithms(bounds: Bounds) -> tuple[Limit, Limit]:
    return -30, 30


def _speeds(bounds: Bounds) -> tuple[Limit, Limit]:
    return -bounds.fastest, bounds.fastest


@dataclass(frozen=True)
class Carried:
    """A quantity that every particle carries.

    Attributes:
        about: What it is.
        dtype: Of its numbers; frames show those of double precision in single.
        rows: How many numbers each particle has.
        unit: Of what frames and surfaces show.
        start: Its value in a particle that appears.
        rate: By how much it grows in a second.
        limits: What no number is below, and what none is above.
        is_momentary: Whether each step finds it anew: a sort sets it back to its start.
        is_in_cells: Whether it is a volume in cells; in frames it is in m³ (m² in 2-D), in double precision.
        is_in_frames: Whether frames show it.
        is_new: Whether files of older versions are without it; then it is at its start.
        vertex: Names of its numbers at the vertices of surfaces; none if it is not found there.
        top: What has the last colour of a scale, unless it grows.
    """

    about: str
    dtype: DTypeLike = np.float32
    rows: Rows = Rows.ONE
    unit: str = ""
    start: float = 0.0
    rate: float = 0.0
    limits: Callable[[Bounds], tuple[Limit, Limit]] = _any_number
    is_momentary: bool = False
    is_in_cells: bool = False
    is_in_frames: bool = False
    is_new: bool = False
    vertex: tuple[str, ...] = ()
    top: float = 1.0

    @property
    def is_everywhere(self) -> bool:
        """Whether particles of every scene carry it."""
        return self.rows is not Rows.SCENE

    @property
    def is_scalar(self) -> bool:
        """Whether it is one number, which a scale of colours can show."""
        return self.rows is Rows.ONE or (self.rows is Rows.SCENE and len(self.vertex) == 1)

    def is_wanted(self, values: NDArray[Any]) -> bool:
        """Whether the particles of this array carry it."""
        return self.is_everywhere or len(values) > 0

    def at_start(self, dimension: int, count: int) -> NDArray[Any]:
        """The array of some particles that appear."""
        return np.full((*self.shape(dimension), count), self.start, self.dtype)

    def at_start_like(self, values: NDArray[Any]) -> NDArray[Any]:
        """An array like another one, of particles that appear."""
        if self.start == 0:
            return np.zeros(values.shape, values.dtype)  # the system gives cleared memory when it is first touched
        return np.full_like(values, self.start)

    def shape(self, dimension: int, wanted: int = 0) -> tuple[int, ...]:
        """How its array begins, before the axis that counts particles; `wanted` is what a transfer or a scene asks for.

        >>> CARRIED["temperature"].shape(3), CARRIED["temperature"].shape(3, wanted=1), CARRIED["velocity"].shape(3)
        ((0,), (1,), (3,))
        """
        return {Rows.ONE: (), Rows.AXES: (dimension,)}.get(self.rows, (wanted,))

    def shown(self, values: NDArray[Any], h: float, dimension: int) -> NDArray[Any]:
        """An array as frames show it: one row for each particle, in SI units; h is the cell size in metres."""
        if self.is_in_cells:
            return values.T.astype(np.float64) * h**dimension
        rows = values[0] if self.is_scalar and self.rows is Rows.SCENE else values.T
        return np.array(rows, np.float32 if self.dtype is np.float64 else None, order="C")

    def shown_limits(self, bounds: Bounds, h: float, dimension: int) -> tuple[Limit, Limit]:
        """What no number in a frame is below, and what none is above."""
        low, high = self.limits(bounds)
        return (low * h**dimension, high * h**dimension) if self.is_in_cells else (low, high)

    def scale(self, seconds: float) -> tuple[float, float]:
        """The values of the first and the last colour of a scale, for a scene of so many seconds."""
        return self.start, self.start + self.rate * seconds if self.rate else self.top


class ParticleArrays:
    """The arrays of particles: the last axis counts particles, the first one components, x before y."""

    cell: Annotated[
        NDArray[np.int32],
        Carried("the cell it is in, counted from the origin", np.int32, Rows.AXES, limits=_within_bounds),
    ]
    offset: Annotated[
        NDArray[np.float32],
        Carried("its place in the cell, in [0, 1)", rows=Rows.AXES, limits=_within_a_cell),
    ]
    velocity: Annotated[
        NDArray[np.float32],
        Carried(
            "its velocity",
            rows=Rows.AXES,
            unit="m/s",
            limits=_speeds,
            is_in_frames=True,
            vertex=("vx", "vy", "vz"),
        ),
    ]
    affine: Annotated[
        NDArray[np.float32],
        Carried("∂u_a/∂x_b in row a·d + b, in m/s per cell", rows=Rows.TRANSFER, limits=_speeds),
    ]
    volume: Annotated[
        NDArray[np.float32],
        Carried(
            "the liquid it stands for, in cells",
            unit="m^3",
            limits=_volumes,
            is_in_cells=True,
            is_in_frames=True,
        ),
    ]
    slip: Annotated[
        NDArray[np.float32],
        Carried(
            "how much faster than itself it moves in this step, m/s: FLIP moves particles with the grid's velocity",
            rows=Rows.TRANSFER,
            limits=_speeds,
            is_momentary=True,
            is_new=True,
        ),
    ]
    acceleration: Annotated[
        NDArray[np.float32],
        Carried(
            "what the last step added to its velocity, in m/s²",
            rows=Rows.AXES,
            is_momentary=True,
            is_new=True,
        ),
    ]
    ballistic: Annotated[
        NDArray[np.bool_],
        Carried("whether it is on its own, outside the liquid, and moves by itself", np.bool_, is_momentary=True),
    ]
    age: Annotated[
        NDArray[np.float32],
        Carried(
            "seconds since it appeared",
            unit="s",
            rate=1.0,
            limits=_not_negative,
            is_in_frames=True,
            is_new=True,
            vertex=("age",),
        ),
    ]
    temperature: Annotated[
        NDArray[np.float64],
        Carried(
            "how warm it is",
            np.float64,
            Rows.SCENE,
            unit="K",
            start=293.15,
            limits=_not_negative,
            is_in_frames=True,
            vertex=("temperature",),
            top=373.15,
        ),
    ]
    log_viscosity: Annotated[
        NDArray[np.float32],
        Carried(
            "how thick it is: the decimal logarithm of its dynamic viscosity in Pa*s",
            rows=Rows.SCENE,
            limits=_logarithms,
            is_in_frames=True,
            vertex=("log_viscosity",),
        ),
    ]
    color: Annotated[
        NDArray[np.float64],
        Carried(
            "its colour: how much red, green and blue light it returns, from 0 to 1",
            np.float64,
            Rows.SCENE,
            limits=_light,
            is_in_frames=True,
            vertex=("light_red", "light_green", "light_blue"),
        ),
    ]
    strain_tensor: Annotated[
        NDArray[np.float64],
        Carried(
            "its elastic strain: the entries xx yy xy of a tensor in 2-D, xx yy zz xy xz yz in 3-D",
            np.float64,
            Rows.SCENE,
        ),
    ]
    strain: Annotated[
        NDArray[np.float32],
        Carried(
            "how strained it is: the size of its elastic strain",
            rows=Rows.SCENE,
            limits=_not_negative,
            is_in_frames=True,
            vertex=("strain",),
            top=0.5,
        ),
    ]
    elastic: Annotated[
        NDArray[np.float64],
        Carried(
            "its shear modulus in Pa, its yield strain, and its yield rate in 1/s",
            np.float64,
            Rows.SCENE,
            limits=_not_negative,
        ),
    ]


def _declared() -> dict[str, Carried]:
    hints = get_type_hints(ParticleArrays, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


CARRIED: dict[str, Carried] = _declared()
COLOR, TEMPERATURE = "color", "temperature"
NO_SCALARS: Mapping[str, NDArray[np.float32]] = MappingProxyType({})


def on_vertices() -> dict[str, Carried]:
    """The quantities that are found at the vertices of surfaces."""
    return {name: quantity for name, quantity in CARRIED.items() if quantity.vertex}


def scalars() -> dict[str, Carried]:
    """The quantities of one number at the vertices of surfaces, such as the age: what colours can show."""
    return {name: quantity for name, quantity in on_vertices().items() if quantity.is_scalar}
