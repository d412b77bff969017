"""Colours that a liquid carries along: kept, or spread into each other, and taken on from dye.

    ∂c/∂t + u·∇c = κ ∇²c ,    dc/dt = r (c_dye - c) where there is dye ,    c red, green and blue light

Particles carry the light that liquid of their colour returns, so nothing is smeared that does not spread. What spreads
does as heat in insulated liquid (`physics/heat/conduction.py`): Σ V c stays, and no c is beyond what there was before.
It is spread in doses, each of a time T = 0.02 h²/κ in which colours come a fifth of a cell far: slow spreading then
costs next to nothing, and up to a time t it has acted for T ⌊t/T⌋, whatever the steps. The law of dye is linear, and
each step takes its exact exponential.

Reference: Cline section 7.2, whose conduction it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells
from plash.levelset.inside import Inside
from plash.particles.even_out import even_out
from plash.particles.particles import Particles
from plash.particles.scalars import add_change, bounds_of_change, cell_means
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.contacts import Contacts
from plash.timing import stage

CHANNELS = ("red", "green", "blue")
NOW = "now"
_DOSE = 0.02  # κ T/h² of one dose of spreading


class Mixing(Protocol):
    """What becomes of liquid of several colours."""

    def mix(self, particles: Particles, cells: Cells, time: float, dt: float) -> bool:
        """Let colours spread from a time on for dt (s); returns whether any changed."""


class Keep:
    """Each particle keeps its colour."""

    def mix(self, particles: Particles, cells: Cells, time: float, dt: float) -> bool:
        """Nothing spreads."""
        return False


@dataclass(frozen=True)
class Mix:
    """Colours spread into each other.

    Attributes:
        diffusion: How fast.
    """

    diffusion: Conduction

    def mix(self, particles: Particles, cells: Cells, time: float, dt: float) -> bool:
        """Let colours spread by the doses that are due, in cells where particles were when the step began."""
        dose = _DOSE * self.diffusion.h**2 / self.diffusion.diffusivity
        doses = math.floor((time + dt) / dose) - math.floor(time / dose)
        varied = [values for values in particles.color if values.size and values.min() < values.max()] if doses else []
        for values in varied:
            self._spread(particles, values, cells, doses * dose)
        return len(varied) > 0

    @stage
    def _spread(self, particles: Particles, values: NDArray[np.float64], cells: Cells, dt: float) -> None:
        """Let one channel spread for dt (s)."""
        least, most = values.min(), values.max()
        before = cell_means(particles, values, cells)
        change, _ = self.diffusion.change(before, cells, Contacts.none(), dt)
        add_change(particles, values, before, change, bounds_of_change(before, change), cells)
        even_out(particles, values, before.value + change, before.tiles, self.diffusion.share_evened_out(dt))
        np.clip(values, least, most, out=values)  # of round-off


@dataclass(frozen=True, eq=False)
class Dye:
    """A place where liquid takes on a colour.

    Attributes:
        inside: Where it is.
        color: Its light (3,).
        rate: Share of the difference that goes in a second, 1/s; infinite if all goes at once.
        start: From this time on, s.
        stop: Up to this time, s.
    """

    inside: Inside
    color: NDArray[np.float64]
    rate: float = math.inf
    start: float = 0.0
    stop: float = math.inf

    def stain(self, particles: Particles, time: float, dt: float) -> None:
        """Color what is there, as far as dye acts in the step from a time on: c += (1 - e^(-r t)) (c_dye - c)."""
        acts = min(time + dt, self.stop) - max(time, self.start)
        if acts > 0:
            there = self.inside.among(particles.position(self.inside.h))
            share = -math.expm1(-self.rate * acts)
            particles.color[:, there] += share * (self.color[:, None] - particles.color[:, there])


class Colors(Protocol):
    """What becomes of the colours of a liquid."""

    def spread(self, particles: Particles, cells: Cells, entries: dict[str, float], time: float, dt: float) -> None:
        """Let colours mix, and dye act, from a time on for dt (s); both are put down in the entries of a ledger."""

    def begin(self, particles: Particles, entries: dict[str, float]) -> None:
        """Begin the entries of a ledger anew, with what there is."""

    def account(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Put down what came or went of each colour since the last time, under a reason."""


class NoColors:
    """All liquid has one colour."""

    def spread(self, particles: Particles, cells: Cells, entries: dict[str, float], time: float, dt: float) -> None:
        """Nothing to mix."""

    def begin(self, particles: Particles, entries: dict[str, float]) -> None:
        """Nothing to count."""

    def account(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Nothing to count."""


@dataclass(eq=False)
class CarriedColors:
    """Particles carry a colour.

    Attributes:
        mixing: What becomes of differences.
        dyes: Where colours are taken on.
        h: Cell size, m.
    """

    mixing: Mixing
    dyes: Sequence[Dye]
    h: float
    _counted: int = field(default=-1, init=False)

    def spread(self, particles: Particles, cells: Cells, entries: dict[str, float], time: float, dt: float) -> None:
        """Let colours mix, and dye act, from a time on for dt (s); both are put down in the entries of a ledger."""
        if self.mixing.mix(particles, cells, time, dt):
            self._put_down(particles, entries, "mixing")
        for dye in self.dyes:
            dye.stain(particles, time, dt)
        if self.dyes:
            self._put_down(particles, entries, "dye")

    def begin(self, particles: Particles, entries: dict[str, float]) -> None:
        """Begin the entries of a ledger anew, with what there is."""
        entries.clear()
        self._put_down(particles, entries, "initial")

    def account(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Put down what came or went of each colour; if there are as many particles as before, nothing did."""
        if particles.count != self._counted:
            self._put_down(particles, entries, why)

    def _put_down(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Put down what Σ V c (m³, in 2-D m²) has changed by since the last time, for red, green and blue."""
        cell_volume = self.h**particles.dimension
        for channel, values in zip(CHANNELS, particles.color, strict=True):
            now = float((particles.volume * values).sum(dtype=np.float64)) * cell_volume
            key, last = f"{channel} {why}", f"{channel} {NOW}"
            entries[key] = entries.get(key, 0.0) + now - entries.get(last, 0.0)
            entries[last] = now
        self._counted = particles.count
