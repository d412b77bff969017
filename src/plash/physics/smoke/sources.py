"""Where smoke, heat and fuel come from, and where smoke goes (Cline section 9.2).

A source acts in a shape, which may move. By the share s of each cell that lies in it,

    ρ += s dt r                     r by volume, or so that the mass in a second is as asked for
    T += s (T_source - T)           the place is held at a temperature
    u = u_source                    on faces inside, if it blows

One that moves by more than a cell in a step acts at so many places on its way that it leaves a trail and not dots.
Of a shape less than eight cells across the share is measured by points (`levelset/parts.py`), so that a source smaller
than a cell gives what it should. What is inside bodies or outside the envelope gets nothing.

A sink takes all smoke and heat out of its cells, or, if it has a flow rate Q, air at that rate: then the divergence
there is -Q together, and as much of what the air carries goes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, Cells
from plash.grid.fields import FaceField
from plash.grid.tiles import Places, Tiles
from plash.levelset.inside import Inside, places_of, share_inside
from plash.levelset.parts import is_small, parts_inside
from plash.levelset.shapes import distance
from plash.physics.flow.inflow import Inflow
from plash.physics.smoke.envelope import CellBox
from plash.physics.smoke.fluxes import Capacity
from plash.scene.motion import Motion
from plash.scene.shapes import Shape
from plash.scene.sources import Sink
from plash.timing import stage

Pool = NDArray[np.float32]
Array = NDArray[np.float64]

_LOOKS = 8  # times in a step at which it is seen how far a source moves
_MOST_PLACES = 100  # on its way in a step


@dataclass(eq=False)
class PlaceInShape:
    """The cells of a shape that may move, and how much of each lies in it.

    Attributes:
        shape: At time zero.
        h: Cell size, m.
        name: What messages call it.
        motion: How it moves; None if it stands.
    """

    shape: Shape
    h: float
    name: str
    motion: Motion | None = None
    _known: tuple[Tiles, Places, Array] | None = field(default=None, init=False)
    _parts: tuple[NDArray[np.int64], Array] | None = field(default=None, init=False)

    def at(self, time: float, dimension: int) -> Shape:
        """The shape where it is at a time, s."""
        return self.shape if self.motion is None else self.shape.carried(*self.motion.pose(time), dimension)

    def shares(self, tiles: Tiles, time: float) -> tuple[Places, Array]:
        """Cells that have a part in the shape at a time, and how large it is, 0 to 1."""
        if self._known is None or self._known[0] is not tiles or self.motion is not None:
            shape = self.at(time, tiles.dimension)
            found = self._by_points if is_small(shape, self.h, tiles.dimension) else self._by_distance
            self._known = tiles, *found(shape, tiles)
        return self._known[1:]

    def _by_points(self, shape: Shape, tiles: Tiles) -> tuple[Places, Array]:
        """The share of each cell, which is measured once if the shape stands."""
        if self._parts is None or self.motion is not None:
            self._parts = parts_inside(shape, self.h, tiles.dimension, self.name)
        cells, share = self._parts
        places = places_of(cells, tiles)
        there = places[0] > 0
        return tuple(part[there] for part in places), share[there]

    def _by_distance(self, shape: Shape, tiles: Tiles) -> tuple[Places, Array]:
        """The share of each cell as for a flat side."""
        low, high = (np.array(end) for end in shape.bounds(tiles.dimension))
        first = tiles.origins[1:, : tiles.dimension] * self.h
        size = np.array(tiles.shape[::-1][: tiles.dimension]) * self.h
        meets = (first <= high + self.h) & (first + size >= low - self.h)
        slots = (np.flatnonzero(meets.all(axis=1)) + 1).astype(np.int32)
        phi = distance(shape, tiles.cell_centres(slots, self.h), self.name) / self.h
        share = share_inside(phi).reshape(len(slots), *tiles.shape)
        number, *within = np.nonzero(share)
        return (slots[number].astype(np.int64), *within), share[(number, *within)]

    def cells(self, time: float, dimension: int) -> CellBox:
        """The box of cells round it."""
        low, high = self.at(time, dimension).bounds(dimension)
        far = 1 << 22
        first, last = (np.clip(np.floor(np.array(end) / self.h), -far, far).astype(np.int64) for end in (low, high))
        return first, last

    def velocity(self, time: float, dt: float, dimension: int) -> Array:
        """Mean velocity of its motion in a step, m/s, at the centre of its bounds."""
        if self.motion is None:
            return np.zeros(dimension)
        start, end = self._centres([time, time + dt], dimension)
        return np.asarray((end - start) / dt, np.float64)

    def times(self, time: float, dt: float, dimension: int) -> list[float]:
        """Times in a step, the first at its start, between which it moves by a cell at the most."""
        if self.motion is None:
            return [time]
        centres = self._centres([time + dt * look / _LOOKS for look in range(_LOOKS + 1)], dimension)
        way = float(np.linalg.norm(np.diff(centres, axis=0), axis=1).sum()) / self.h
        count = max(1, math.ceil(min(way, _MOST_PLACES) - 1e-6))
        return [time + dt * number / count for number in range(count)]

    def box_volume(self, dimension: int) -> float:
        """Volume of the box round it, and of a cell at the least, m³; in 2-D m²."""
        sides = (max(high - low, self.h) for low, high in zip(*self.shape.bounds(dimension), strict=True))
        return math.prod(sides)

    def _centres(self, times: list[float], dimension: int) -> Array:
        return np.array([np.mean(self.at(time, dimension).bounds(dimension), axis=0) for time in times])


@dataclass(eq=False)
class SmokeInlet:
    """A source of smoke, heat or fuel on a grid.

    Attributes:
        place: Where it acts.
        rates: What comes in a second, by field: in units of the field if `by_volume`, else as a mass, kg/s.
        by_volume: Whether rates are for each m³ of the shape.
        held: Values that fields are held at, by field.
        velocity: How fast it blows, m/s; None if it does not.
        start: When it begins, s.
        end: When it ends, s.
    """

    place: PlaceInShape
    rates: dict[int, float]
    by_volume: bool
    held: dict[int, float]
    velocity: tuple[float, ...] | None
    start: float
    end: float

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.place.name

    def acts(self, time: float, dt: float) -> bool:
        """Whether it acts in a step."""
        return self.start < time + dt and time < self.end

    def fastest(self, time: float, until: float, dimension: int) -> float:
        """Highest speed at which it blows from a time to another, m/s; its own motion is a part of that."""
        own = np.array(self.velocity if self.velocity is not None else (0.0,) * dimension)
        dt = (until - time) / _LOOKS
        return max(
            float(np.linalg.norm(own + self.place.velocity(time + look * dt, dt, dimension))) for look in range(_LOOKS)
        )

    def give(self, scalars: Pool, cells: Cells, capacity: Capacity, time: float, dt: float) -> None:
        """Let it act on fields [field, slot, z, y, x] for a step."""
        since, dimension = max(time, self.start), cells.tiles.dimension
        lasts = min(time + dt, self.end) - since
        times = self.place.times(since, lasts, dimension)
        for moment in times:
            places, share = _followed(*self.place.shares(cells.tiles, moment), cells)
            whole = float((share * capacity.at(places)).sum()) * self.place.h**dimension
            for number, rate in self.rates.items():
                amount = rate * lasts / len(times)
                if not self.by_volume:
                    amount = amount / whole if whole > 0 else 0.0
                scalars[number][places] += (share * amount).astype(np.float32)
            for number, value in self.held.items():
                now = scalars[number][places]
                scalars[number][places] = now + share.astype(np.float32) * (np.float32(value) - now)

    def drive(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Set the velocity of open faces inside."""
        if self.velocity is None:
            return
        tiles = cells.tiles
        wanted = np.array(self.velocity) + self.place.velocity(time, dt, tiles.dimension)
        inside = Inside(self.place.at(time, tiles.dimension), self.place.h, self.name)
        for axis, places in enumerate(inside.faces(tiles)):
            is_open = (cells.faces[axis][places] & 3) == 1
            velocity.pool[axis][tuple(part[is_open] for part in places)] = np.float32(wanted[axis])


@dataclass(frozen=True, eq=False)
class SmokeSink:
    """A sink on a grid."""

    sink: Sink
    inside: Inside

    @property
    def reason(self) -> str:
        """What the ledger calls what went this way."""
        return f"sink {self.sink.name}"

    def _cells(self, cells: Cells) -> Places:
        places = self.inside.cells(cells.tiles)
        return tuple(part[cells.label[places] == LIQUID] for part in places)

    def take(self, scalars: Pool, cells: Cells, time: float, dt: float) -> None:
        """Take out what it gets in a step."""
        if not self.sink.acts(time):
            return
        places = self._cells(cells)
        if len(places[0]) == 0:
            return
        if self.sink.flow_rate is None:
            for pool in scalars:
                pool[places] = 0.0
            return
        volume = len(places[0]) * self.inside.h**cells.tiles.dimension
        for pool in scalars:
            pool[places] *= np.float32(np.exp(-self.sink.flow_rate * dt / volume))

    def inflow(self, cells: Cells, time: float) -> Inflow:
        """The divergence that it asks for."""
        places = self._cells(cells)
        if self.sink.flow_rate is None or not self.sink.acts(time) or len(places[0]) == 0:
            return Inflow.none()
        # A volume rate over the area of a face, spread over all of its cells
        rate = -self.sink.flow_rate / self.inside.h ** (cells.tiles.dimension - 1) / len(places[0])
        return Inflow(places, np.full(len(places[0]), rate), abs(rate))


@dataclass(frozen=True, eq=False)
class SmokeFlows:
    """All sources and sinks of a scene."""

    inlets: Sequence[SmokeInlet] = ()
    sinks: Sequence[SmokeSink] = ()

    def places(self, time: float, dt: float, dimension: int) -> list[CellBox]:
        """Boxes of cells in which sources act in a step."""
        acting = [inlet.place for inlet in self.inlets if inlet.acts(time, dt)]
        return [
            place.cells(when, dimension) for place in acting for when in (*place.times(time, dt, dimension), time + dt)
        ]

    @stage
    def drive(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Set the velocity where sources blow."""
        for inlet in self.inlets:
            if inlet.acts(time, dt):
                inlet.drive(velocity, cells, time, dt)

    def held(self, count: int, time: float, until: float) -> Array:
        """How large each of so many fields is at the most where sources hold it, from a time to another."""
        largest = np.zeros(count)
        for inlet in self.inlets:
            if inlet.acts(time, until - time):
                for number, value in inlet.held.items():
                    largest[number] = max(largest[number], abs(value))
        return largest

    def given(self, count: int, time: float, until: float, dimension: int) -> Array:
        """How fast each of so many fields grows in a second where sources give to it, about."""
        fastest = np.zeros(count)
        for inlet in self.inlets:
            if inlet.acts(time, until - time):
                for number, rate in inlet.rates.items():
                    fastest[number] += rate if inlet.by_volume else rate / inlet.place.box_volume(dimension)
        return fastest

    def inflow(self, cells: Cells, time: float) -> Inflow:
        """The divergence that sinks ask for."""
        total = Inflow.none()
        for sink in self.sinks:
            total = total.plus(sink.inflow(cells, time))
        return total

    def fastest(self, time: float, until: float, dimension: int) -> float:
        """Speed at which sources blow from a time to another, m/s; those that move carry it along."""
        blowing = [inlet for inlet in self.inlets if inlet.velocity is not None and inlet.acts(time, until - time)]
        return max((inlet.fastest(time, until, dimension) for inlet in blowing), default=0.0)


def _followed(places: Places, share: Array, cells: Cells) -> tuple[Places, Array]:
    some = cells.label[places] == LIQUID
    return tuple(part[some] for part in places), share[some]
