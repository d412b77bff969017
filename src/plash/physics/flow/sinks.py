"""Sinks: where liquid goes (Cline section 5), all that enters or as much as is asked for.

A *sink* without a rate holds air at gas pressure: liquid flows into its cells by itself, and particles in them are
taken out. A *drain* has a rate Q. Its cells stay liquid, and together the divergence -Q is asked of them, so that
the pressure draws liquid in from all sides; particles with a volume of Q dt are taken out, evenly spread over the
cells, the last one in part. A drain that matches a source takes as much as that has brought in so far, at no more than
twice its rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import AIR, LIQUID, Cells
from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.levelset.inside import Inside
from plash.particles.insert import remove_particles
from plash.particles.particles import Particles
from plash.physics.flow.inflow import Inflow
from plash.physics.flow.inlets import Inlet
from plash.scene.sources import Sink
from plash.timing import stage

_GOLDEN = 0.6180339887498949
_CATCHING_UP = 2.0  # times the rate of the source that a matching drain takes at most


@dataclass(eq=False)
class Outlet:
    """A sink on a grid.

    Attributes:
        sink: As the scene has it.
        inside: Its cells.
        matched: The spout that it matches, if it does.
    """

    sink: Sink
    inside: Inside
    matched: Inlet | None = None

    @property
    def reason(self) -> str:
        """What the ledger calls what went this way."""
        return f"sink {self.sink.name}"

    @property
    def is_drain(self) -> bool:
        """Whether it takes as much as is asked for, and not all."""
        return self.sink.flow_rate is not None or self.matched is not None

    def wanted(self, removed: Mapping[str, float], start: float, end: float) -> float:
        """Volume (m³) that a drain should take between two times, given what has gone before by reason."""
        length = max(0.0, min(end, self.sink.end) - max(start, self.sink.start))
        if self.matched is None:
            return (self.sink.flow_rate or 0.0) * length
        behind = self.matched.volume(end) - removed.get(self.reason, 0.0)
        return min(max(behind, 0.0), _CATCHING_UP * self.matched.area * self.matched.peak * length)


@dataclass(eq=False)
class Sinks:
    """All sinks of a scene.

    Attributes:
        outlets: The sinks.
        h: Cell size, m.
    """

    outlets: Sequence[Outlet] = ()
    h: float = 1.0

    @stage
    def opened(self, cells: Cells, time: float) -> Cells:
        """The cells with those of sinks that act now as air."""
        acting = [outlet for outlet in self.outlets if not outlet.is_drain and outlet.sink.acts(time)]
        if not acting:
            return cells
        label = cells.label.copy()
        phi = None if cells.phi is None else CellField(cells.tiles, cells.phi.pool.copy())
        for outlet in acting:
            places = outlet.inside.cells(cells.tiles)
            wet = tuple(part[label[places] == LIQUID] for part in places)
            label[wet] = AIR
            if phi is not None:
                phi.pool[wet] = 0.0  # gas pressure at the centre
        return replace(cells, label=label, phi=phi)

    def inflow(self, cells: Cells, removed: Mapping[str, float], start: float, dt: float) -> Inflow:
        """The divergence that drains ask for in a step, given what has gone before by reason, m³."""
        total = Inflow.none()
        for outlet in self.outlets:
            if not outlet.is_drain:
                continue
            places = outlet.inside.cells(cells.tiles)
            places = tuple(part[cells.label[places] == LIQUID] for part in places)
            volume = outlet.wanted(removed, start, start + dt) / self.h**cells.tiles.dimension
            if volume <= 0 or len(places[0]) == 0:
                continue
            rate = -min(volume, len(places[0])) * self.h / (dt * len(places[0]))
            total = total.plus(Inflow(places, np.full(len(places[0]), rate)))
        return total

    @stage
    def take(
        self, particles: Particles, tiles: Tiles, removed: Mapping[str, float], start: float, end: float
    ) -> dict[str, float]:
        """Take out what went into sinks between two times; returns the volumes by reason, in cells."""
        taken: dict[str, float] = {}
        for outlet in self.outlets:
            if not (outlet.is_drain or outlet.sink.acts(start)):
                continue
            found = _within(particles, outlet.inside, tiles)
            if outlet.is_drain:
                wanted = outlet.wanted(removed, start, end) / self.h**particles.dimension
                found, volume = _metered(particles, found, wanted)
            else:
                volume = float(particles.volume[found].sum(dtype=np.float64))
            if volume > 0:
                taken[outlet.reason] = volume
            if len(found):
                remove_particles(particles, found)
        return taken


def _metered(particles: Particles, found: NDArray[np.int64], wanted: float) -> tuple[NDArray[np.int64], float]:
    """Some of the particles found that carry the volume wanted together, and the volume; one is made smaller."""
    if len(found) == 0 or wanted <= 0:
        return found[:0], 0.0
    order = found[np.argsort(np.arange(len(found)) * _GOLDEN % 1.0, kind="stable")]
    carried = np.cumsum(particles.volume[order], dtype=np.float64)
    whole = int(np.searchsorted(carried, wanted, side="right"))
    volume = float(carried[whole - 1]) if whole else 0.0
    if whole < len(order):
        last = order[whole]
        before = particles.volume[last]
        particles.volume[last] = max(np.float32(0), np.float32(float(before) - (wanted - volume)))
        volume += float(before) - float(particles.volume[last])
    return order[:whole], volume


def _within(particles: Particles, inside: Inside, tiles: Tiles) -> NDArray[np.int64]:
    """Particles in cells with their centre inside a shape, sought among those sorted into a tile near one."""
    slots = np.unique(inside.cells(tiles)[0])
    near = np.unique(tiles.neighbours[slots])
    near = near[near > 0]
    if len(near) == 0:
        return np.zeros(0, np.int64)
    some = np.concatenate([np.arange(particles.starts[slot], particles.starts[slot + 1]) for slot in near])
    low, high = (np.array(end) / inside.h for end in inside.shape.bounds(particles.dimension))
    for axis in range(particles.dimension):
        cell = particles.cell[axis][some]
        some = some[(cell >= low[axis] - 1) & (cell <= high[axis])]
    found: NDArray[np.int64] = some[inside.points((particles.cell[:, some].T.astype(np.float64) + 0.5) * inside.h)]
    return found
