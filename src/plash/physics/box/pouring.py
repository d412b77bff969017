"""What is put into a box from outside: liquid that pours, weight, and pushes (Kuo's AddForce and sources)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import at_faces, inner_faces
from plash.timing import stage

Array = NDArray[np.float64]


def _always(time: float) -> float:
    return 1.0


@dataclass(frozen=True, eq=False)
class BoxSource:
    """A place where liquid appears, with a velocity of its own.

    Attributes:
        share: How much of each cell lies in it, 0 to 1 [[z,] y, x].
        rate: Density added in a second; infinite fills the place at once.
        velocity: Of the liquid that appears, m/s; None leaves it as fast as what is there.
        start: From this time on, s.
        stop: Up to this time, s.
        ramp: The velocity at a time (s) as a share of what it is at most.
        temperature: Of the liquid that appears, K; None leaves it as warm as what is there.
        name: What the ledger calls it.
    """

    share: Array
    rate: float = math.inf
    velocity: tuple[float, ...] | None = None
    start: float = 0.0
    stop: float = math.inf
    ramp: Callable[[float], float] = _always
    temperature: float | None = None
    name: str = ""

    def lasts(self, time: float, dt: float) -> float:
        """For how much of the step from `time` on it pours, s.

        >>> BoxSource(np.ones((2, 2)), start=0.25, stop=1.0).lasts(time=0.0, dt=0.5)
        0.25
        """
        return max(0.0, min(time + dt, self.stop) - max(time, self.start))

    def fastest(self, time: float, until: float) -> float:
        """How fast what appears from a time to another may be, m/s; 0 before and after it pours."""
        return math.hypot(*self.velocity) if self.velocity and self.lasts(time, until - time) > 0 else 0.0

    def add(self, density: Array, time: float, dt: float) -> float:
        """Pour for what lasts of dt, up to a density of 1; returns what was added, in cells."""
        lasting = self.lasts(time, dt)
        if lasting == 0:
            return 0.0
        wanted = self.share if math.isinf(self.rate) else np.minimum(density + lasting * self.rate * self.share, 1.0)
        filled = np.maximum(density, wanted)
        added = float((filled - density).sum())
        density[:] = filled
        return added

    def drive(self, velocity: Array, time: float, dt: float) -> None:
        """Give what is in its place its velocity."""
        if self.velocity is None or self.lasts(time, dt) == 0:
            return
        share = at_faces(np.stack([self.share] * len(velocity)))
        now = self.ramp(max(time, self.start))
        for component, part, speed in zip(velocity, share, self.velocity, strict=True):
            component += part * (now * speed - component)


class BoxForce(Protocol):
    """Something that speeds up the fluid in a box."""

    def add(self, velocity: Array, density: Array, time: float, dt: float) -> None:
        """Add dt times the acceleration to the velocity on faces."""


@dataclass(frozen=True)
class Weight:
    """Gravity on the liquid alone: u += dt g times the density at the face.

    On all of the box it would change nothing: a uniform force is the gradient of a pressure.
    """

    gravity: tuple[float, ...]

    @stage
    def add(self, velocity: Array, density: Array, time: float, dt: float) -> None:
        """Add what the liquid's weight does in dt."""
        for axis, g in enumerate(self.gravity):
            if g != 0.0:
                inner, before = inner_faces(axis, density.ndim), inner_faces(axis, density.ndim, last=-1)
                velocity[axis][inner] += (0.5 * dt * g) * (density[inner] + density[before])


@dataclass(frozen=True, eq=False)
class Push:
    """A local acceleration (m/s²) on all that is in a place, from a time to another (s), such as that of a hand."""

    share: Array
    acceleration: tuple[float, ...]
    start: float = 0.0
    stop: float = math.inf

    @stage
    def add(self, velocity: Array, density: Array, time: float, dt: float) -> None:
        """Add what the push does in dt."""
        lasting = max(0.0, min(time + dt, self.stop) - max(time, self.start))
        velocity += at_faces(np.stack([self.share * (lasting * a) for a in self.acceleration]))
