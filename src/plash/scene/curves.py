"""Curves through given places at given moments: straight from one to the next, or smooth."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from plash.scene.language.base import Vector

_NOUGHT = (0.0, 0.0, 0.0)


class Way(NamedTuple):
    """Places at moments and what lies between: straight, or cubic curves with given slopes."""

    moments: Sequence[float]
    stops: Sequence[Vector]
    slopes: Sequence[Vector] | None
    lap: float

    def at(self, time: float) -> tuple[Vector, Vector, Vector]:
        """Place, velocity and acceleration; it stands before the first moment and after the last, unless it loops."""
        first, last = self.moments[0], self.moments[-1]
        if self.lap and time > first:
            time = first + (time - first) % self.lap
        if time < first or time >= last:
            return self.stops[0 if time < first else -1], _NOUGHT, _NOUGHT
        i = bisect_right(self.moments, time) - 1
        length = self.moments[i + 1] - self.moments[i]
        s = (time - self.moments[i]) / length
        a, b = self.stops[i], self.stops[i + 1]
        if self.slopes is None:
            velocity = tuple((q - p) / length for p, q in zip(a, b, strict=True))
            return tuple(p + v * s * length for p, v in zip(a, velocity, strict=True)), velocity, _NOUGHT
        parts = zip(a, b, self.slopes[i], self.slopes[i + 1], strict=True)
        values = [_cubic(p, q, m * length, n * length, s) for p, q, m, n in parts]
        place, velocity, bend = zip(*values, strict=True)
        return place, tuple(v / length for v in velocity), tuple(w / length**2 for w in bend)

    def heading(self, time: float, is_flat: bool) -> tuple[float, float]:
        """Angle from the direction at the start to the present one, and its rate: about z, or seen from above."""
        first, last = self.moments[0], self.moments[-1]
        moment = first + (time - first) % self.lap if self.lap and time > first else min(max(time, first), last)
        moment = min(moment, first + (last - first) * (1 - 1e-12))
        _, start, _ = self.at(first)
        _, now, bend = self.at(moment)
        (a, b), (c, d), (e, f) = ((v[0], v[1] if is_flat else -v[2]) for v in (start, now, bend))
        square = c * c + d * d
        moves = time >= first and (self.lap > 0 or time < last)
        rate = (c * f - d * e) / square if square > 0 and moves else 0.0
        return math.atan2(a * d - b * c, a * c + b * d), rate


def _cubic(p: float, q: float, m: float, n: float, s: float) -> tuple[float, float, float]:
    """Hermite's cubic from p to q with slopes m and n, at s from 0 to 1; and its first two derivatives."""
    two, three = 2 * (p - q) + m + n, 3 * (q - p) - 2 * m - n
    return ((two * s + three) * s + m) * s + p, (3 * two * s + 2 * three) * s + m, 6 * two * s + 2 * three


def _chords(moments: Sequence[float], stops: Sequence[Vector]) -> list[Vector]:
    return [
        tuple((q - p) / (moments[i + 1] - moments[i]) for p, q in zip(stops[i], stops[i + 1], strict=True))
        for i in range(len(stops) - 1)
    ]


def without_overshoot(moments: Sequence[float], stops: Sequence[Vector]) -> list[Vector]:
    """Slopes of a curve that starts and ends at rest and overshoots no key: harmonic means (Fritsch & Butland 1984)."""
    chords = _chords(moments, stops)
    slopes: list[Vector] = [_NOUGHT]
    for i in range(1, len(chords)):
        before, after = moments[i] - moments[i - 1], moments[i + 1] - moments[i]
        one, other = before + 2 * after, 2 * before + after
        slopes.append(
            tuple(
                (one + other) / (one / p + other / q) if p * q > 0 else 0.0
                for p, q in zip(chords[i - 1], chords[i], strict=True)
            )
        )
    return [*slopes, _NOUGHT] if len(stops) > 1 else slopes


def through(moments: Sequence[float], stops: Sequence[Vector], loops: bool) -> list[Vector]:
    """Slopes of a curve that runs through all points: means of the chords beside each (Catmull & Rom 1974)."""
    chords = _chords(moments, stops)
    lengths = [b - a for a, b in pairwise(moments)]

    def between(i: int, j: int) -> Vector:
        total = lengths[i] + lengths[j]
        return tuple((lengths[j] * p + lengths[i] * q) / total for p, q in zip(chords[i], chords[j], strict=True))

    inner = [between(i - 1, i) for i in range(1, len(chords))]
    if loops:
        seam = between(-1, 0)
        return [seam, *inner, seam]
    return [chords[0], *inner, chords[-1]]
