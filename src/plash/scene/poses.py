"""Where a body is, and how fast it moves; turns about an axle, and motions one after the other."""

from __future__ import annotations

from typing import NamedTuple

from plash.scene.language.base import Vector
from plash.scene.moves import Matrix, Rotation, added, times

_NOUGHT = (0.0, 0.0, 0.0)


class Pose(NamedTuple):
    """Where a body is: x = matrix x₀ + shift, in three axes, x₀ the place of a point as the shape says."""

    matrix: Matrix
    shift: Vector


class Rate(NamedTuple):
    """How fast a body moves: v(x) = velocity + spin × x; m/s at the origin, and rad/s."""

    velocity: Vector
    spin: Vector

    def at(self, place: Vector) -> Vector:
        """Velocity of the body's point that is at a place, m/s."""
        return added(self.velocity, cross(self.spin, place))


def in_space(vector: Vector) -> Vector:
    """A vector with three entries."""
    return (*vector, *_NOUGHT[len(vector) :])


def identity() -> Matrix:
    """The matrix that turns nothing."""
    return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def cross(a: Vector, b: Vector) -> Vector:
    """The cross product of two vectors."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def turned_about(pivot: Vector, axle: Vector, angle: float, turning: float) -> tuple[Pose, Rate]:
    """A turn about an axle through a point, and its rate."""
    matrix = Rotation(angle=angle, axis=axle).matrix() if angle else identity()
    shift = added(pivot, tuple(-part for part in times(matrix, pivot))) if angle else _NOUGHT
    spin = tuple(turning * part for part in axle)
    return Pose(matrix, shift), Rate(cross(pivot, spin), spin)


def after(second: tuple[Pose, Rate], first: tuple[Pose, Rate]) -> tuple[Pose, Rate]:
    """One motion in a frame that moves itself: x → M₂ (M₁ x + s₁) + s₂."""
    (m2, s2), rate = second
    (m1, s1), own = first
    columns = [times(m2, column) for column in zip(*m1, strict=True)]
    pose = Pose(tuple(zip(*columns, strict=True)), added(times(m2, s1), s2))
    spin = times(m2, own.spin)
    carried = added(times(m2, own.velocity), cross(s2, spin))
    return pose, Rate(added(rate.velocity, carried), added(rate.spin, spin))
