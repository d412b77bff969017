"""Heat in a box of fluid: temperature is carried along, spreads, and makes liquid lighter.

    ∂T/∂t + u·∇T = κ ∇²T,    T held in places that heat or cool,    weight as in `physics/box/buoyancy.py`

Walls and bodies are insulating: inside bodies the temperature is that of the fluid round them, so that none of their
own is ever interpolated. No sub-step makes new extremes.

Reference: Stam 1999.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.carried import TEMPERATURE
from plash.physics.box.advection import DenseAdvection, Paths
from plash.physics.box.buoyancy import Buoyancy
from plash.physics.box.diffusion import Diffusion
from plash.physics.box.obstacles import Obstacles
from plash.physics.box.pouring import BoxSource
from plash.timing import stage

Array = NDArray[np.float64]
Scalars = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class HeatedPlace:
    """A place where everything is held at a temperature.

    Attributes:
        share: How much of each cell lies in it, 0 to 1 [[z,] y, x].
        temperature: K.
        start: From this time on, s.
        stop: Up to this time, s.
    """

    share: Array
    temperature: float
    start: float = 0.0
    stop: float = math.inf

    def hold(self, temperature: Array, time: float, dt: float) -> None:
        """Bring all that is there to its temperature, if it acts in the step from `time` on."""
        if min(time + dt, self.stop) > max(time, self.start):
            blend(temperature, self.share, self.temperature)


class Heat(Protocol):
    """What temperature does, and what becomes of it."""

    @property
    def names(self) -> frozenset[str]:
        """The scalars that it carries along."""

    def lift(self, velocity: Array, density: Array, scalars: Scalars, dt: float) -> None:
        """Add what buoyancy does in dt to the velocity on faces."""

    def pour(self, pour: BoxSource, density: Array, scalars: Scalars, time: float, dt: float) -> float:
        """BoxSource for dt, with the warmth of what appears; returns what was added to the density, in cells."""

    def updated(self, scalars: Scalars, paths: Paths, time: float, dt: float) -> dict[str, Array]:
        """The scalars that it carries, after a step of dt."""


class NoHeat:
    """Everything is equally warm."""

    names: frozenset[str] = frozenset()

    def lift(self, velocity: Array, density: Array, scalars: Scalars, dt: float) -> None:
        """Nothing rises."""

    def pour(self, pour: BoxSource, density: Array, scalars: Scalars, time: float, dt: float) -> float:
        """BoxSource for dt."""
        return pour.add(density, time, dt)

    def updated(self, scalars: Scalars, paths: Paths, time: float, dt: float) -> dict[str, Array]:
        """Nothing to carry."""
        return {}


@dataclass(frozen=True, eq=False)
class CarriedHeat:
    """A temperature that is carried along.

    Attributes:
        buoyancy: What it does.
        advection: How it is carried.
        diffusion: How it spreads.
        obstacles: What it does not enter.
        places: Where it is held.
        names: The scalars that it carries along: one.
    """

    buoyancy: Buoyancy
    advection: DenseAdvection
    diffusion: Diffusion
    obstacles: Obstacles
    places: Sequence[HeatedPlace] = ()
    names: frozenset[str] = frozenset({TEMPERATURE})

    def lift(self, velocity: Array, density: Array, scalars: Scalars, dt: float) -> None:
        """Add what buoyancy does in dt to the velocity on faces."""
        self.buoyancy.add(velocity, density, scalars[TEMPERATURE], dt)

    def pour(self, pour: BoxSource, density: Array, scalars: Scalars, time: float, dt: float) -> float:
        """BoxSource for dt; liquid that appears in a cell mixes with what was there."""
        before = density.copy()
        added = pour.add(density, time, dt)
        if added > 0 and pour.temperature is not None:
            mix(scalars[TEMPERATURE], density - before, density, pour.temperature)
        return added

    @stage
    def updated(self, scalars: Scalars, paths: Paths, time: float, dt: float) -> dict[str, Array]:
        """The temperature carried along, spread, and held where it is; within the bounds of what there was."""
        before = scalars[TEMPERATURE].copy()
        self._fill_in(before)
        now = self.advection.carried(before, paths)
        self._spread(now, dt)
        np.clip(now, before.min(), before.max(), out=now)
        for place in self.places:
            place.hold(now, time, dt)
        self._fill_in(now)
        return {TEMPERATURE: now}

    def _spread(self, temperature: Array, dt: float) -> None:
        """Diffuse what differs from T0: solutions are as exact as that is small."""
        temperature -= self.buoyancy.ambient
        self.diffusion.apply(temperature, dt)
        temperature += self.buoyancy.ambient

    def _fill_in(self, temperature: Array) -> None:
        """Continue a temperature into bodies; round-off of means stays within its bounds."""
        low, high = temperature.min(), temperature.max()
        self.obstacles.fill_in(temperature)
        np.clip(temperature, low, high, out=temperature)


def mix(temperature: Array, added: Array, density: Array, value: float) -> None:
    """Let liquid of a temperature be a part, `added`, of the density that there is now."""
    share = np.divide(added, density, out=np.zeros_like(density), where=added > 0)
    blend(temperature, share, value)


def blend(temperature: Array, share: Array, value: float) -> None:
    """Bring a share of each cell to a temperature: T = (1 - share) T + share value, and not beyond either.

    >>> t = np.array([300.0, 300.0, 300.0])
    >>> blend(t, np.array([0.0, 0.5, 1.0]), 320.0)
    >>> t
    array([300., 310., 320.])
    """
    low, high = np.minimum(temperature, value), np.maximum(temperature, value)
    np.clip((1.0 - share) * temperature + share * value, low, high, out=temperature)
