"""Bodies that move: where they are, and for one step the steady motion that takes them to where they will be.

Where a body is, is its pose. Poses are part of the state of a simulation; a motion sets them at the start of each step,
here as the scene prescribes. A step needs one velocity for each body. It is that of the screw which takes the body from
its pose at the start of the step to its pose at the end, exactly: so what it sweeps in a step is what it pushes away,
however its path bends in between. For a constant velocity or spin it is the velocity itself.

Reference: Cline section 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.particles.collide_moving import RigidMove
from plash.physics.solids.distance import Bodies
from plash.scene.bodies import Solid
from plash.scene.motion import Motion
from plash.scene.moves import Bounds, turn_of, unit
from plash.scene.poses import Pose, Rate

Array = NDArray[np.float64]
Poses = Mapping[str, Pose]  # of the bodies that move, by their names

# Larger products of matrices are shared among threads, which wait for each other whenever the machine is busy
BATCH = 1 << 14
_LOOKS = 8  # times between now and then at which speeds are compared
_FURTHER = 1.25  # how much further than its speed says a body may go in a step


class PosePath(Protocol):
    """Where bodies go during a step."""

    def pose(self, time: float) -> Pose:
        """Where they are at a time of the step, s."""

    def rate(self, time: float) -> Rate:
        """How fast they move at a time of the step, s."""


@dataclass(frozen=True, eq=False)
class RigidGroup:
    """Bodies with one motion, in one step.

    Attributes:
        bodies: Where their shapes put them.
        h: Cell size, m.
        dimension: 2 or 3.
        time: Start of the step, s.
        dt: Its length, s.
        pose: Of all of them at the start.
        path: Where they go from there.
    """

    bodies: Sequence[Solid]
    h: float
    dimension: int
    time: float
    dt: float
    pose: Pose
    path: PosePath

    @cached_property
    def placed(self) -> Bodies:
        """The bodies where they are at the start."""
        return self.placed_at(self.time)

    def placed_at(self, time: float) -> Bodies:
        """The bodies where they are at a time of the step."""
        pose = self.pose_at(time)
        return Bodies([body.placed(pose, self.dimension) for body in self.bodies], self.h, self.dimension, BATCH)

    def pose_at(self, time: float) -> Pose:
        """Where the bodies are at a time of the step."""
        return self.pose if time == self.time else self.path.pose(time)

    def move(self, since: float, until: float) -> RigidMove:
        """How places fixed to the bodies move between two times; in cells."""
        matrix, shift = _relative(self.pose_at(since), self.pose_at(until))
        return RigidMove(matrix[: self.dimension, : self.dimension].copy(), shift[: self.dimension] / self.h)

    @cached_property
    def rate(self) -> Rate:
        """The steady motion of the step."""
        if not self.dt > 0:
            return self.path.rate(self.time)
        return steady_rate(self.pose, self.pose_at(self.time + self.dt), self.dt)

    @cached_property
    def solid_velocity(self) -> tuple[Array, Array]:
        """Velocity of the bodies as v[0] + v[1] x: m/s, x in cells."""
        x, y, z = self.rate.spin
        spin = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])[: self.dimension, : self.dimension]
        return np.array(self.rate.velocity[: self.dimension]), spin * self.h

    def velocity(self, places: Array) -> Array:
        """Velocity of the bodies at places (n, d) in cells, m/s."""
        steady, spin = self.solid_velocity
        result: Array = steady + places @ spin.T
        return result


def steady_rate(before: Pose, after: Pose, dt: float) -> Rate:
    """The constant rate that takes a body from one pose to another within dt.

    With Q the turn from one to the other by θ about n, and p the shift, the spin is ω = θ n/dt and the velocity of
    the origin V⁻¹ p/dt, V⁻¹ = 1 - [θn]/2 + (1 - (θ/2) cot(θ/2)) [n]²: the logarithm of a rigid motion.
    """
    matrix, shift = _relative(before, after)
    angle, axis = turn_of(tuple(map(tuple, matrix.tolist())))
    if angle == 0.0:
        return Rate(tuple((shift / dt).tolist()), (0.0, 0.0, 0.0))
    x, y, z = unit(axis)
    n = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    bend = 1.0 - angle / 2 / math.tan(angle / 2)
    velocity = (shift - angle / 2 * (n @ shift) + bend * (n @ (n @ shift))) / dt
    return Rate(tuple(velocity.tolist()), tuple((angle / dt * np.array([x, y, z])).tolist()))


def _relative(before: Pose, after: Pose) -> tuple[Array, Array]:
    """From one pose to another: matrix and shift, m; exactly nothing if they are the same."""
    if before == after:
        return np.eye(3), np.zeros(3)
    if before.matrix == after.matrix:
        return np.eye(3), np.array(after.shift) - np.array(before.shift)
    matrix = np.array(after.matrix) @ np.array(before.matrix).T
    return matrix, np.array(after.shift) - matrix @ np.array(before.shift)


class SolidMotion(Protocol):
    """How the bodies of a scene move."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the bodies that move."""

    def poses(self, time: float) -> Poses:
        """Where the bodies that move are at a time."""

    def groups(self, poses: Poses, time: float, dt: float) -> Sequence[RigidGroup]:
        """The bodies that move, from where they are at a time to where they are after dt."""

    def placed(self, time: float) -> list[Solid]:
        """The bodies that move as they stand at a time."""

    def reach(self, time: float, dt: float) -> float:
        """How far any part of a body in the domain may go within dt from a time, in cells."""

    def fastest(self, time: float, until: float) -> float:
        """Largest speed that any part of a body in the domain has between two times, m/s."""


@dataclass(frozen=True)
class AtRest:
    """Nothing moves."""

    names: Sequence[str] = ()

    def poses(self, time: float) -> Poses:
        """None."""
        return {}

    def groups(self, poses: Poses, time: float, dt: float) -> Sequence[RigidGroup]:
        """None."""
        return ()

    def placed(self, time: float) -> list[Solid]:
        """None."""
        return []

    def reach(self, time: float, dt: float) -> float:
        """Nowhere."""
        return 0.0

    def fastest(self, time: float, until: float) -> float:
        """Standing still."""
        return 0.0


@dataclass(frozen=True, eq=False)
class Prescribed:
    """Those bodies move that the scene gives a motion, whatever the liquid does.

    Attributes:
        bodies: All bodies of the scene.
        h: Cell size, m.
        size: Of the domain, m.
    """

    bodies: Sequence[Solid]
    h: float
    size: Sequence[float]

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.size)

    @cached_property
    def _moving(self) -> list[tuple[Solid, Motion]]:
        """The bodies that move, and how."""
        return [(body, body.motion) for body in self.bodies if body.moves and body.motion is not None]

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """By the name of each body that moves, its motion as text: those with the same move as one."""
        return {body.name: motion.model_dump_json() for body, motion in self._moving}

    @cached_property
    def _bounds(self) -> list[tuple[Motion, Bounds]]:
        """Motion and box of each that moves, where its shape puts it."""
        return [(motion, body.shape.bounds(self.dimension)) for body, motion in self._moving]

    @property
    def names(self) -> Sequence[str]:
        """Names of the bodies that move."""
        return [body.name for body, _ in self._moving]

    def poses(self, time: float) -> Poses:
        """Where the bodies that move are at a time."""
        return {body.name: motion.pose(time) for body, motion in self._moving}

    def groups(self, poses: Poses, time: float, dt: float) -> Sequence[RigidGroup]:
        """The bodies that move, from where they are at a time to where they are after dt; equal motions together."""
        together: dict[tuple[str, Pose], list[tuple[Solid, Motion]]] = {}
        for body, motion in self._moving:
            together.setdefault((self._kinds[body.name], poses[body.name]), []).append((body, motion))
        return [
            RigidGroup([body for body, _ in members], self.h, self.dimension, time, dt, pose, members[0][1])
            for (_, pose), members in together.items()
        ]

    def placed(self, time: float) -> list[Solid]:
        """The bodies that move as they stand at a time."""
        return [body.at(time, self.dimension) for body, _ in self._moving]

    def reach(self, time: float, dt: float) -> float:
        """How far any part of a body in the domain may go within dt from a time, in cells."""
        return _FURTHER * self.fastest(time, time + dt, looks=1) * dt / self.h

    def fastest(self, time: float, until: float, looks: int = _LOOKS) -> float:
        """Largest speed that any part of a body in the domain has between two times, m/s, as far as looks tell."""
        moments = [time + (until - time) * look / looks for look in range(looks + 1)]
        speeds = (self._speed(motion, bounds, moment) for motion, bounds in self._bounds for moment in moments)
        return max(speeds, default=0.0)

    def _speed(self, motion: Motion, bounds: Bounds, time: float) -> float:
        """Of the fastest corner of the box round a body, as far as it is in the domain."""
        low, high = np.zeros(3), np.zeros(3)
        low[: self.dimension], high[: self.dimension] = (0.0,) * self.dimension, self.size
        if np.isfinite(bounds).all():
            matrix, shift = motion.pose(time)
            corners = np.zeros((2**self.dimension, 3))
            corners[:, : self.dimension] = list(product(*zip(*bounds, strict=True)))
            corners = corners @ np.array(matrix).T + np.array(shift)
            low, high = np.maximum(low, corners.min(axis=0)), np.minimum(high, corners.max(axis=0))
        if (low > high).any():
            return 0.0
        rate = motion.rate(time)
        return max(math.hypot(*rate.at(corner)) for corner in product(*zip(low.tolist(), high.tolist(), strict=True)))


@dataclass(frozen=True, eq=False)
class PlacedBodies:
    """All bodies at one moment.

    Attributes:
        standing: Those that stand.
        moving: Those that move, in the present step.
        time: When, s.
    """

    standing: Bodies
    moving: Sequence[RigidGroup]
    time: float

    @cached_property
    def _placed(self) -> list[Bodies]:
        return [group.placed_at(self.time) for group in self.moving]

    def distance(self, places: Array) -> Array:
        """Signed distance to the nearest body of places (n, d); all in cells."""
        solid_phi = self.standing.distance(places)
        for bodies in self._placed:
            np.minimum(solid_phi, bodies.distance(places), out=solid_phi)
        return solid_phi

    def velocity(self, places: Array) -> Array:
        """Velocity of the nearest body at places (n, d) in cells, m/s."""
        solid_phi = self.standing.distance(places)
        velocity = np.zeros(places.shape)
        for group, bodies in zip(self.moving, self._placed, strict=True):
            own = bodies.distance(places)
            velocity[own < solid_phi] = group.velocity(places[own < solid_phi])
            np.minimum(solid_phi, own, out=solid_phi)
        return velocity
