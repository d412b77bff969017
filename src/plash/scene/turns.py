"""Turns about any axis from key to key: at one rate, or smoothly.

Between two keys R(t) = exp(β₃ c) exp(β₂ b) exp(β₁ a) R₀ with the cumulative Bernstein polynomials β of third degree;
a and c are a third of the way that the spin at either key would go in the time between, and b is the rest. Where all
turns are about one axis it is Hermite's cubic of the angle.

Reference: Kim, Kim & Shin 1995.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from plash.scene.curves import without_overshoot
from plash.scene.language.base import Vector
from plash.scene.moves import Matrix, Rotation, added, times, turn_of, unit

_NOUGHT = (0.0, 0.0, 0.0)
_PARALLEL = 1e-9


def turn_at(moments: Sequence[float], turns: Sequence[Vector], is_smooth: bool, time: float) -> tuple[Matrix, Vector]:
    """Orientation and spin (rad/s) at a time; it stands before the first moment and after the last.

    Args:
        moments: When the keys are, s.
        turns: The turn at each key: along its axis, as long as its angle in radians.
        is_smooth: Whether it goes smoothly, from rest to rest, or at one rate from key to key.
        time: s.
    """
    if time < moments[0] or time >= moments[-1]:
        return exponential(turns[0 if time < moments[0] else -1]), _NOUGHT
    ways = [_way(one, other) for one, other in pairwise(turns)]
    i = bisect_right(moments, time) - 1
    length = moments[i + 1] - moments[i]
    s, way, start = (time - moments[i]) / length, ways[i], exponential(turns[i])
    if not is_smooth:
        return product(exponential(_scaled(way, s)), start), _scaled(way, 1 / length)
    stops: list[Vector] = [_NOUGHT]
    for step in ways:
        stops.append(added(stops[-1], step))
    slopes = without_overshoot(moments, stops)
    first, last = _scaled(slopes[i], length / 3), _scaled(slopes[i + 1], length / 3)
    # What is left between the two, by the branch of the logarithm that is nearest to their difference
    between = product(exponential(_scaled(last, -1)), product(exponential(way), exponential(_scaled(first, -1))))
    middle = _logarithm_near(between, added(way, _scaled(added(first, last), -1)))
    parts = zip((first, middle, last), _bernstein(s), strict=True)
    matrix: Matrix = start
    spin: Vector = _NOUGHT
    for part, (share, rate) in parts:
        turn = exponential(_scaled(part, share))
        matrix, spin = product(turn, matrix), added(times(turn, spin), _scaled(part, rate / length))
    return matrix, spin


def exponential(turn: Vector) -> Matrix:
    """The rotation matrix of a turn along its axis by its length."""
    angle = math.hypot(*turn)
    return Rotation(angle=angle, axis=turn if angle > 0 else (1.0, 0.0, 0.0)).matrix()


def product(a: Matrix, b: Matrix) -> Matrix:
    """The product of two matrices."""
    return tuple(zip(*(times(a, column) for column in zip(*b, strict=True)), strict=True))


def _way(one: Vector, other: Vector) -> Vector:
    """The turn from one key to the next: about one axis by the difference of angles, else the least there is."""
    size = math.hypot(*one) * math.hypot(*other)
    aside = math.hypot(
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    )
    if aside <= _PARALLEL * size:
        return added(other, _scaled(one, -1))
    return _logarithm(product(exponential(other), exponential(_scaled(one, -1))))


def _logarithm(matrix: Matrix) -> Vector:
    """The turn by half a turn at most that a rotation matrix makes."""
    angle, axis = turn_of(matrix)
    return _scaled(unit(axis), angle)


def _logarithm_near(matrix: Matrix, guess: Vector) -> Vector:
    """The turn that a rotation matrix makes, with as many full turns as bring it nearest to a guess."""
    found = _logarithm(matrix)
    angle = math.hypot(*found)
    axis = unit(found) if angle > 1e-9 else unit(guess) if any(guess) else (1.0, 0.0, 0.0)
    along = sum(p * q for p, q in zip(axis, guess, strict=True))
    return _scaled(axis, angle + 2 * math.pi * round((along - angle) / (2 * math.pi)))


def _bernstein(s: float) -> tuple[tuple[float, float], ...]:
    """The cumulative Bernstein polynomials β₁ to β₃ at s from 0 to 1, each with its derivative."""
    rest = 1 - s
    return (1 - rest**3, 3 * rest**2), (3 * s**2 - 2 * s**3, 6 * s * rest), (s**3, 3 * s**2)


def _scaled(vector: Vector, factor: float) -> Vector:
    return tuple(factor * part for part in vector)
