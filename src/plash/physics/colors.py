"""Colours that a liquid carries along: kept, or spread into each other, and taken on from dye.

    ∂c/∂t + u·∇c = κ ∇²c ,    dc/dt = r (c_dye - c) where there is dye ,    c red, green and blue light

Particles carry the light that liquid of their colour returns, so nothing is smeared that does not spread. What spreads
does so between particles less than two cells from each other (`particles/exchange.py`), and nothing is solved for:
Σ V c stays, and no c is beyond what there was before. It comes in doses, each of a time T = h²/(12 κ) in which colours
come 0.4 cells far: slow spreading then costs next to nothing, and up to a time t it has acted for T ⌊t/T⌋, whatever the
steps. Where so many doses are due in one step that they would take more than four exchanges, all but one of these are
left to conduction between cells, as of heat in insulated liquid (`physics/heat/conduction.py`). The law of dye is
linear, and each step takes its exact exponential.

Reference: Cline section 7.2, for conduction.
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
from plash.particles.exchange import means_of_rows, reach_of_exchange, take_means
from plash.particles.particles import Particles
from plash.particles.scalars import CellMeans
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.contacts import Contacts
from plash.timing import stage

CHANNELS = ("red", "green", "blue")
NOW = "now"
_DOSE = 1 / 12  # κ T/h² of one dose of spreading
_MOST_EXCHANGES = 4  # in a step; beyond that conduction costs less


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
        if doses == 0 or particles.count == 0:
            return False
        least, most = particles.color.min(axis=1, keepdims=True), particles.color.max(axis=1, keepdims=True)
        if (least == most).all():
            return False
        self._spread(particles, cells, doses * _DOSE)
        np.clip(particles.color, least, most, out=particles.color)  # of round-off
        return True

    @stage
    def _spread(self, particles: Particles, cells: Cells, number: float) -> None:
        """Let colours spread for a time with κ t/h² = number."""
        reach = reach_of_exchange(particles)
        exchanges = math.ceil(number / reach)
        if exchanges <= _MOST_EXCHANGES:
            for _ in range(exchanges):
                means, _ = means_of_rows(particles, particles.color, cells)
                take_means(particles, particles.color, means, cells, number / reach / exchanges)
        else:
            means, volume = means_of_rows(particles, particles.color, cells)
            self._conduct(means, volume, cells, number - reach)
            take_means(particles, particles.color, means, cells, 1.0)

    def _conduct(self, means: NDArray[np.float64], volume: NDArray[np.float64], cells: Cells, number: float) -> None:
        """Let the means of cells [channel, slot, z, y, x], of some volume each, spread for a time."""
        dt = number * self.diffusion.h**2 / self.diffusion.diffusivity
        for channel in means:
            known = CellMeans(cells.tiles, np.where(volume > 0, channel, np.nan), volume)
            channel += self.diffusion.change(known, cells, Contacts.none(), dt)[0]


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
