"""Showers: blobs (Cline section 5) that appear at random moments and places, which follow from a seed.

Drop number k of a shower appears in the interval of 1/rate seconds with that number, at a random moment of it. Its
random numbers come from the seed and k alone: so a run that was stopped goes on with the drops it would have had.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from plash.errors import Problem, SceneError
from plash.levelset.shapes import distance
from plash.particles.particles import Particles
from plash.physics.flow.sources import DelayedFill
from plash.scene.drops import Drops
from plash.scene.shapes import Sphere

_AT_ONCE, _TRIES = 64, 64  # places that are tried together, and how often


@dataclass(frozen=True, eq=False)
class Shower:
    """Drops of one source.

    Attributes:
        drops: What the scene says of them.
        size: Of the domain, m.
        seed: What its random numbers come from.
        seeded: The particles of a drop: of this shape, with this number, that appears at a time (s).
    """

    drops: Drops
    size: tuple[float, ...]
    seed: tuple[int, ...]
    seeded: Callable[[Sphere, int, float], Particles]

    def between(self, start: float, end: float) -> Iterator[DelayedFill]:
        """The drops that appear after one time and up to another, s."""
        drops = self.drops
        first = max(math.floor((start - drops.start) * drops.rate), 0)
        for number in range(first, max(math.floor((end - drops.start) * drops.rate), -1) + 1):
            random = np.random.Generator(np.random.PCG64((*self.seed, number)))
            time = drops.start + (number + 1 - random.random()) / drops.rate
            if start < time <= end and time < drops.end:
                yield self._drop(number, time, random)

    def _drop(self, number: int, time: float, random: np.random.Generator) -> DelayedFill:
        low, high = self.drops.radii
        shape = Sphere(center=self._place(random), radius=low + (high - low) * random.random())
        return DelayedFill(self.drops.name, time, lambda: self.seeded(shape, number, time))

    def _place(self, random: np.random.Generator) -> tuple[float, ...]:
        """A random place in the shape, and in the domain."""
        drops, dimension = self.drops, len(self.size)
        bounds = drops.shape.bounds(dimension)
        low, high = np.clip(bounds[0], 0.0, self.size), np.clip(bounds[1], 0.0, self.size)
        for _ in range(_TRIES):
            places = low + (high - low) * random.random((_AT_ONCE, dimension))
            found = np.flatnonzero(distance(drops.shape, places, drops.name) <= 0)
            if len(found):
                return tuple(places[found[0]].tolist())
        tried = f"of {_AT_ONCE * _TRIES} places in the box around it none is inside"
        raise SceneError([Problem(drops.name, f"its shape is too thin for drops: {tried}; make it thicker")])
