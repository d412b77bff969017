"""The room inside a container: where liquid would stay if it were poured in, and how much of it.

Space is looked at in samples. From every open sample the easiest way out is found: the one whose highest point is
lowest. Samples from which every way out goes up hold liquid; those that hang together are a room. Its rim is the
highest point of the way out, its bottom its lowest point. So a hole in the container is a rim: it is told where it is.

Reference: Barnes, Lehman & Mulla 2014 (the priority flood, there of landscapes).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import serial_kernel

Array = NDArray[np.float64]
Clearance = Callable[[Array], tuple[Array, NDArray[np.integer]]]

_CLOSER = 8  # times: how much closer the lowest point of a room is looked at
_SMALL_ROOM = 0.1  # of the largest: smaller ones are creases of the body, and stay dry
_ROUND_OFF = 1e-6  # of a sample


@dataclass(frozen=True, eq=False)
class Samples:
    """Space in samples [z,] y, x: the middles of small cubes.

    Attributes:
        low: The corner of the first cube, m.
        spacing: Their edge, m.
        up: Unit vector upwards.
        clearance: Distance of each to the nearest wall, m; negative inside.
        ways_out: Whether each is next to the outside.
    """

    low: Array
    spacing: float
    up: Array
    clearance: Array
    ways_out: NDArray[np.bool_]

    @cached_property
    def height(self) -> Array:
        """How high each stands, m."""
        total = np.zeros(self.clearance.shape)
        for axis, count in enumerate(self.clearance.shape[::-1]):
            middles = self.low[axis] + (np.arange(count) + 0.5) * self.spacing
            shape = [1] * total.ndim
            shape[total.ndim - 1 - axis] = count
            total += self.up[axis] * middles.reshape(shape)
        return total

    @cached_property
    def nearest_open(self) -> tuple[NDArray[np.int32], ...]:
        """The open sample that is nearest to each; itself, if it is open."""
        from scipy.ndimage import distance_transform_edt

        return tuple(distance_transform_edt(self.clearance <= 0, return_distances=False, return_indices=True))

    def middle(self, number: int) -> Array:
        """Where a sample stands, by its place in the flat array, m."""
        index = np.array(np.unravel_index(number, self.clearance.shape)[::-1])
        return self.low + (index + 0.5) * self.spacing


@dataclass(frozen=True, eq=False)
class Room:
    """A room that can hold liquid.

    Attributes:
        is_in: Samples of it.
        bottom: Height of its lowest point, m.
        rim: Height at which liquid runs over, m; infinite if it is closed.
        spills_at: Where it runs over, m; None if it is closed.
        touches: Numbers of the bodies that are walls of it.
    """

    is_in: NDArray[np.bool_]
    bottom: float
    rim: float
    spills_at: Array | None
    touches: frozenset[int]

    def volume_below(self, surface: float, samples: Samples) -> float:
        """How much liquid it holds up to a height, m³ (m² in 2-D)."""
        s = samples.spacing
        held = _walled(self.is_in, samples)
        open_share = np.clip(0.5 + samples.clearance[held] / s, 0.0, 1.0)
        below = np.clip(0.5 + (surface - samples.height[held]) / s, 0.0, 1.0)
        return float((open_share * below).sum()) * s**held.ndim


def rooms(samples: Samples, nearest: NDArray[np.integer], clearance: Clearance) -> list[Room]:
    """All rooms among some samples, the largest first, without those that are small beside it.

    Args:
        samples: Space.
        nearest: Number of the body that is nearest to each sample.
        clearance: As for `sampled`.
    """
    from scipy.ndimage import label

    spill, passed = _spills(samples)
    holds = (samples.clearance > 0) & (spill > samples.height + _ROUND_OFF * samples.spacing)
    names, count = label(holds)
    found = []
    for number in range(1, count + 1):
        is_in = names == number
        bottom = _bottom(is_in, samples, clearance)
        top, at = float(spill[is_in][0]), int(passed[is_in][0])
        rim = top - float(samples.clearance.ravel()[at]) if math.isfinite(top) else math.inf
        beside = is_in & (samples.clearance < samples.spacing)
        touches = frozenset(np.unique(nearest[beside]).tolist())
        place = samples.middle(at) if math.isfinite(top) else None
        found.append(Room(is_in, bottom, max(rim, bottom), place, touches))
    found.sort(key=lambda room: -np.count_nonzero(room.is_in))
    most = np.count_nonzero(found[0].is_in) if found else 0
    return [room for room in found if np.count_nonzero(room.is_in) >= _SMALL_ROOM * most]


@dataclass(frozen=True, eq=False)
class Filling:
    """Liquid in some rooms, each up to a height: a signed distance, negative in the liquid and on into its walls.

    Attributes:
        samples: Space.
        parts: Rooms, and how high the liquid stands in each.
    """

    samples: Samples
    parts: tuple[tuple[Room, float], ...]

    @property
    def volume(self) -> float:
        """How much liquid it is, m³ (m² in 2-D)."""
        return sum(room.volume_below(surface, self.samples) for room, surface in self.parts)

    @cached_property
    def _surface(self) -> Array:
        """How high the liquid stands, at each sample of rooms and of their walls; nowhere else."""
        surface = np.full(self.samples.clearance.shape, np.nan)
        for room, height in self.parts:
            surface[_walled(room.is_in, self.samples)] = height
        return surface

    @cached_property
    def _away(self) -> Array:
        """Distance of each sample to the liquid, walls of its rooms included, m; never too large."""
        from scipy.ndimage import distance_transform_edt

        s = self.samples
        is_dry = ~(s.height < self._surface + s.spacing)
        away = s.spacing * (distance_transform_edt(is_dry) - math.sqrt(is_dry.ndim))
        found: Array = np.maximum(away, 0.5 * s.spacing)
        return found

    def __call__(self, points: Array) -> Array:
        """The signed distance of points (n, d), m."""
        s, shape = self.samples, np.array(self.samples.clearance.shape[::-1])
        cells = np.floor((points - s.low) / s.spacing).astype(np.int64)
        inner = np.clip(cells, 0, shape - 1)
        beyond = points - np.clip(points, s.low, s.low + shape * s.spacing)
        index = tuple(inner.T[::-1])
        surface = np.where((cells == inner).all(axis=1), self._surface[index], np.nan)
        outside = np.maximum(np.sqrt((beyond**2).sum(axis=1)), self._away[index])
        return np.where(np.isnan(surface), outside, points @ s.up - surface)


def sampled(
    low: Array,
    high: Array,
    spacing: float,
    up: Array,
    clearance: Clearance,
    is_closed: tuple[tuple[bool, bool], ...],
) -> tuple[Samples, NDArray[np.integer]]:
    """Space in a box in samples, and the number of the body that is nearest to each.

    Args:
        low: A corner of the box, m.
        high: The opposite one, m.
        spacing: Between samples, m.
        up: Unit vector upwards.
        clearance: From points (n, d) to their distance to the nearest wall, m, and the number of it.
        is_closed: Whether the box ends in a wall, at the low and the high end of each axis.
    """
    counts = np.maximum(np.ceil((high - low) / spacing - 1e-9), 1).astype(np.int64)
    shape = tuple(counts[::-1].tolist())
    index = np.stack([part.ravel() for part in np.indices(shape)[::-1]], axis=1)
    distance, nearest = clearance(low + (index + 0.5) * spacing)
    ways_out = np.zeros(shape, np.bool_)
    for axis, closed in enumerate(is_closed):
        layers = np.moveaxis(ways_out, len(shape) - 1 - axis, 0)
        for end in (0, -1):
            if not closed[end]:
                layers[end] = True
    distance = distance.reshape(shape)
    return Samples(low, spacing, up, distance, ways_out & (distance > 0)), nearest.reshape(shape)


def _bottom(is_in: NDArray[np.bool_], samples: Samples, clearance: Clearance) -> float:
    """Height of the lowest point of a room: between samples it may be a corner, and is looked for once more."""
    # The ball round a point that touches the nearest wall is in the room
    depth = np.where(is_in, samples.height - samples.clearance, np.inf)
    steps = np.linspace(-1, 1, 2 * _CLOSER + 1) * samples.spacing
    around = np.stack([part.ravel() for part in np.meshgrid(*(steps,) * is_in.ndim)], axis=1)
    points = samples.middle(int(depth.argmin())) + around
    distance, _ = clearance(points)
    return float(min(depth.min(), (points @ samples.up - distance)[distance > 0].min(initial=np.inf)))


def _walled(is_in: NDArray[np.bool_], samples: Samples) -> NDArray[np.bool_]:
    """Samples of a room, and those inside walls that are nearer to it than to other open space."""
    walled: NDArray[np.bool_] = is_in[samples.nearest_open]
    return walled


def _spills(samples: Samples) -> tuple[Array, NDArray[np.int64]]:
    """How high liquid at each sample has to stand to get out, and the sample that it has to get over then."""
    shape = (1,) * (3 - samples.clearance.ndim) + samples.clearance.shape
    spill, passed = np.full(shape, np.inf), np.full(shape, -1, np.int64)
    height = np.ascontiguousarray(samples.height.reshape(shape))
    is_open, ways_out = (part.reshape(shape) for part in (samples.clearance > 0, samples.ways_out))
    _flood(is_open, height, samples.clearance.reshape(shape), ways_out, spill, passed)
    return spill.reshape(samples.clearance.shape), passed.reshape(samples.clearance.shape)


@serial_kernel
def _flood(is_open, height, clearance, ways_out, spill, passed):
    depth, rows, columns = is_open.shape
    heap = [(0.0, 0)]
    heap.pop()
    for k in range(depth):
        for j in range(rows):
            for i in range(columns):
                if ways_out[k, j, i] and is_open[k, j, i]:
                    number = (k * rows + j) * columns + i
                    spill[k, j, i], passed[k, j, i] = height[k, j, i], number
                    heapq.heappush(heap, (height[k, j, i], number))
    while len(heap) > 0:
        level, number = heapq.heappop(heap)
        k, rest = number // (rows * columns), number % (rows * columns)
        j, i = rest // columns, rest % columns
        for side in range(6):
            c, b, a = k, j, i
            step = 1 if side % 2 else -1
            if side < 2:
                a += step
            elif side < 4:
                b += step
            else:
                c += step
            inside = 0 <= c < depth and 0 <= b < rows and 0 <= a < columns
            if inside and is_open[c, b, a] and passed[c, b, a] < 0:
                there, before = (c * rows + b) * columns + a, passed[k, j, i]
                # Of a way at one height the narrowest place is told
                is_narrower = height[c, b, a] == level and clearance[c, b, a] < clearance.ravel()[before]
                spill[c, b, a] = max(level, height[c, b, a])
                passed[c, b, a] = there if height[c, b, a] > level or is_narrower else before
                heapq.heappush(heap, (spill[c, b, a], there))
