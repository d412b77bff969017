"""The room that motes have: inside the domain, outside of solids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.levelset.shapes import distance
from plash.scene.bodies import Solid
from plash.scene.domain import Domain
from plash.scene.shapes import Shape
from plash.whitewater.motes import SPRAY

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_GAP = 0.02  # cells that motes keep from bodies and closed sides
_STEP = 1e-3  # cells over which the slope of a distance is measured
_TRIES = 3  # to get out of a body
_BEYOND = 0.5  # of the domain's longest side: how far spray may fly beyond a side that is unbounded


@dataclass(frozen=True, eq=False)
class Room:
    """A domain and the solids in it, where they are at a time."""

    domain: Domain
    solids: Sequence[Solid]

    def put_inside(
        self, position: Array, velocity: NDArray[np.float32], kind: NDArray[np.uint8]
    ) -> tuple[Flags, Flags]:
        """Put motes that left the room back at its border, without their speed into it; what cannot be is gone.

        Args:
            position: In metres (n, d), changed in place.
            velocity: In m/s (n, d), changed in place.
            kind: Of each: spray that meets a border stays there.

        Returns:
            Which landed on a body or a closed side, and which left through a side that is not closed.
        """
        landed, left = np.zeros(len(kind), np.bool_), np.zeros(len(kind), np.bool_)
        flies = kind == SPRAY
        for _ in range(_TRIES if self.solids else 1):
            landed |= self._out_of_solids(position, velocity) & flies
            touched, gone = self._between_sides(position, velocity)
            landed |= touched & flies
            left |= gone
        # What is squeezed between a body and a side, or between two bodies, has no room
        landed |= self.inside(position)
        return landed & ~left, left

    def inside(self, position: Array) -> Flags:
        """Which places lie in a solid."""
        found = np.zeros(len(position), np.bool_)
        for solid in self.solids:
            near = _near(solid.shape, position, 0.0)
            found[near] |= distance(solid.shape, position[near], solid.name) < 0
        return found

    def _out_of_solids(self, position: Array, velocity: NDArray[np.float32]) -> Flags:
        met, gap, step = np.zeros(len(position), np.bool_), _GAP * self.domain.h, _STEP * self.domain.h
        for solid in self.solids:
            near = _near(solid.shape, position, gap)
            deep = distance(solid.shape, position[near], solid.name)
            in_it, deep = near[deep < gap], deep[deep < gap]
            if len(in_it) == 0:
                continue
            met[in_it] = True
            out = np.empty((len(in_it), position.shape[1]))
            for axis in range(position.shape[1]):
                shift = np.eye(position.shape[1])[axis] * step
                ends = [distance(solid.shape, position[in_it] + side * shift, solid.name) for side in (1, -1)]
                out[:, axis] = (ends[0] - ends[1]) / (2 * step)
            out /= np.maximum(np.linalg.norm(out, axis=1), 1e-6)[:, None]
            position[in_it] += (gap - deep)[:, None] * out
            into = np.minimum(np.einsum("ij,ij->i", velocity[in_it], out), 0.0)
            velocity[in_it] -= (into[:, None] * out).astype(np.float32)
        return met

    def _between_sides(self, position: Array, velocity: NDArray[np.float32]) -> tuple[Flags, Flags]:
        touched, gone = np.zeros(len(position), np.bool_), np.zeros(len(position), np.bool_)
        gap, beyond = _GAP * self.domain.h, _BEYOND * max(self.domain.size)
        for axis in range(position.shape[1]):
            size = self.domain.cells[axis] * self.domain.h
            for end, sign in (("min", -1), ("max", 1)):
                out = sign * position[:, axis] - (size if sign > 0 else 0.0)
                kind = self.domain.side(f"{'xyz'[axis]}_{end}")  # type: ignore[arg-type]
                if kind == "closed":
                    past = out > -gap
                    position[past, axis] = size - gap if sign > 0 else gap
                    speed = velocity[past, axis]
                    velocity[past, axis] = np.minimum(speed, 0) if sign > 0 else np.maximum(speed, 0)
                    touched |= out > 0
                else:
                    gone |= out > (beyond if kind == "unbounded" else 0.0)
        return touched, gone


def _near(shape: Shape, position: Array, margin: float) -> NDArray[np.int64]:
    """Numbers of the places within the bounds of a shape, and a margin."""
    low, high = shape.bounds(position.shape[1])
    within = (position >= np.subtract(low, margin)) & (position <= np.add(high, margin))
    return np.flatnonzero(within.all(axis=1))
