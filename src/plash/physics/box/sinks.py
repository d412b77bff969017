"""Where liquid leaves a box: into sinks, all of it that is there or as much as is asked for.

A sink without a rate takes the liquid out of its cells, and leaves the fluid round it there, which weighs nothing. A
*drain* has a rate Q: as much fluid goes there as comes in elsewhere, as air, where there is room for it,

    ∇·u = -Q s/Σs    in the drain, by the share s of each cell that lies in it
    ∇·u = +Q a/Σa    elsewhere, by the share of air a = 1 - ρ

with both sums over the space that hangs together with the drain. Air that comes in thins what is there: ρ falls as
e^(-dt ∇·u). Where there is no air, nothing can come in, and a drain takes nothing. A drain that matches a spout takes
as much as that has brought in so far, at no more than twice its rate.

Reference: Cline section 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.timing import stage

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_LEAST_AIR = 1e-3  # cells of it below which a space counts as full
_NOTHING: Mapping[str, float] = {}


@dataclass(frozen=True, eq=False)
class BoxSink:
    """A place where liquid goes.

    Attributes:
        name: What the ledger calls what went this way.
        share: How much of each cell lies in it, 0 to 1 [[z,] y, x]; none of cells in bodies.
        rate: Cells of fluid that it takes in a second, at the most if it matches a spout; None takes all liquid that is
            there.
        start: From this time on, s.
        stop: Up to this time, s.
        space: The cells that hang together with it, through open faces.
        match: Name of the spout that it matches; none if empty.
        part: Share of the whole sink that lies in this space.
    """

    name: str
    share: Array
    rate: float | None = None
    start: float = 0.0
    stop: float = math.inf
    space: Flags = field(default_factory=lambda: np.ones((), np.bool_))
    match: str = ""
    part: float = 1.0

    def lasts(self, time: float, dt: float) -> float:
        """For how much of the step from `time` on it acts, s."""
        return max(0.0, min(time + dt, self.stop) - max(time, self.start))

    def emptied(self, time: float, until: float) -> float:
        """How often a second a drain takes all that its cells hold, from a time to another."""
        acts = self.rate is not None and self.lasts(time, until - time) > 0
        return (self.rate or 0.0) / max(float(self.share.sum()), 1.0) if acts else 0.0

    def divergence(self, density: Array, time: float, dt: float, owed: Mapping[str, float] = _NOTHING) -> Array | None:
        """The ∇·u (1/s) that it asks for in a step: below 0 inside, above where air comes in; None if it asks for none.

        It never takes more in a step than its cells hold, and if it matches a spout, no more than what is `owed` to
        that, in cells by the name of the sink.
        """
        lasting, cells = self.lasts(time, dt), float(self.share.sum())
        if self.rate is None or lasting == 0 or cells == 0:
            return None
        wanted = min(self.rate * lasting, self.part * owed.get(self.name, 0.0) if self.match else math.inf)
        if wanted <= 0:
            return None
        air = np.where(self.space, np.clip(1.0 - density, 0.0, 1.0) * (1.0 - self.share), 0.0)
        room = float(air.sum())
        if room < _LEAST_AIR:
            return None
        taken = min(wanted, cells, room) / dt
        asked: Array = air * (taken / room) - self.share * (taken / cells)
        return asked


@dataclass(frozen=True, eq=False)
class BoxSinks:
    """All sinks of a box."""

    sinks: Sequence[BoxSink] = ()

    def divergence(self, density: Array, time: float, dt: float, owed: Mapping[str, float] = _NOTHING) -> Array | None:
        """The ∇·u (1/s) that all of them ask for together; None if nobody does. What is owed is in cells."""
        asked = [part for sink in self.sinks if (part := sink.divergence(density, time, dt, owed)) is not None]
        return np.sum(asked, axis=0) if asked else None

    def owed(self, brought: Mapping[str, float], removed: Mapping[str, float]) -> dict[str, float]:
        """How far sinks that match a spout are behind, by their names, from what came and went by name."""
        matched = {sink.name: sink.match for sink in self.sinks if sink.match}
        return {name: brought.get(spout, 0.0) - removed.get(name, 0.0) for name, spout in matched.items()}

    def emptied(self, time: float, until: float) -> float:
        """How often a second any of them takes all that its cells hold, from a time to another."""
        return max((sink.emptied(time, until) for sink in self.sinks), default=0.0)

    @stage
    def take(self, density: Array, asked: Array | None, time: float, dt: float) -> dict[str, float]:
        """Take liquid out for a step; returns what went, in cells, by the name of the sink.

        What drains take is carried away by the velocity; here the density only falls where air comes in for it.

        Args:
            density: Share of liquid in each cell.
            asked: The divergence that the velocity of the step has, as `divergence` gave it.
            time: When the step begins, s.
            dt: Its length, s.
        """
        taken: dict[str, float] = {}
        drained = 0.0 * density if asked is None else dt * np.maximum(-asked, 0.0) * density
        for sink in self.sinks:
            if sink.lasts(time, dt) > 0:
                goes = sink.share * (density if sink.rate is None else drained)
                taken[sink.name] = taken.get(sink.name, 0.0) + float(goes.sum())
                density -= goes if sink.rate is None else 0.0
                drained -= goes if sink.rate is not None else 0.0
        if asked is not None:
            density *= np.exp(-dt * np.maximum(asked, 0.0))
        return taken
