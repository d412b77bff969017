"""Heat in a liquid: particles carry their temperature along, and it spreads, is held, and lifts what is warm.

    ∂T/∂t + u·∇T = κ ∇²T ,    T held by walls and sources of heat

Particles bring their temperatures to cell centres, conduction changes those, and particles take the change
(`particles/scalars.py`). So what is carried along is never smeared, Σ V T changes only by what comes and goes, and no
temperature is ever beyond what there was before.

Reference: Cline section 7.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from plash.grid.cells import Cells
from plash.grid.fields import FaceField
from plash.levelset.inside import Inside
from plash.linear.pcg import Solution
from plash.particles.even_out import even_out
from plash.particles.particles import Particles
from plash.particles.scalars import CellMeans, add_change, bounds_of_change, cell_means
from plash.physics.heat.buoyancy import ThermalLift
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.contacts import WarmWalls
from plash.physics.solids.base import Solids
from plash.timing import stage

NOW = "now"


class Warmth(Protocol):
    """The heat of one step, in the cells where particles are when it begins."""

    def lift(self, velocity: FaceField, dt: float) -> None:
        """Add what buoyancy does in dt to every velocity that borders liquid."""

    def spread(self, particles: Particles, solids: Solids, time: float, dt: float) -> Solution:
        """Let heat be conducted for dt, from a time on (s), in the liquid and between it and walls."""


class Heat(Protocol):
    """What temperature does, and what becomes of it."""

    def at(self, particles: Particles, cells: Cells) -> Warmth:
        """The heat of a step that begins with these particles."""

    def hold(self, particles: Particles, time: float, dt: float) -> None:
        """Bring all that is in a source of heat to its temperature, if that acts in the step from a time on, s."""

    def account(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Put down what Σ V T has changed by since the last time, under a reason."""


class NoWarmth:
    """Nothing is warmer than anything else in this step."""

    def lift(self, velocity: FaceField, dt: float) -> None:
        """Nothing rises."""

    def spread(self, particles: Particles, solids: Solids, time: float, dt: float) -> Solution:
        """Nothing to conduct."""
        return Solution()


class NoHeat:
    """Everything is equally warm."""

    def at(self, particles: Particles, cells: Cells) -> NoWarmth:
        """None."""
        return NoWarmth()

    def hold(self, particles: Particles, time: float, dt: float) -> None:
        """Nothing is heated."""

    def account(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Nothing to count."""


@dataclass(frozen=True, eq=False)
class Heater:
    """A place where all liquid is held at a temperature.

    Attributes:
        inside: Where it is.
        temperature: K.
        start: From this time on, s.
        stop: Up to this time, s.
    """

    inside: Inside
    temperature: float
    start: float = 0.0
    stop: float = math.inf

    def hold(self, particles: Particles, time: float, dt: float) -> None:
        """Bring what is there to its temperature, if it acts in the step from a time on."""
        if min(time + dt, self.stop) > max(time, self.start):
            particles.temperature[0][self.inside.among(particles.position(self.inside.h))] = self.temperature


@dataclass(frozen=True, eq=False)
class CarriedHeat:
    """Particles carry a temperature.

    Attributes:
        conduction: How it spreads.
        walls: What holds it.
        thermal_lift: What it does.
        heaters: Where it is held.
        h: Cell size, m.
    """

    conduction: Conduction
    walls: WarmWalls
    thermal_lift: ThermalLift
    heaters: Sequence[Heater]
    h: float

    def at(self, particles: Particles, cells: Cells) -> GridWarmth:
        """The heat of a step that begins with these particles."""
        return GridWarmth(self, particles, cells)

    @stage
    def hold(self, particles: Particles, time: float, dt: float) -> None:
        """Bring all that is in a source of heat to its temperature, if that acts in the step from a time on, s."""
        for heater in self.heaters:
            heater.hold(particles, time, dt)

    def account(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Put down what Σ V T (K m³, in 2-D K m²) has changed by since the last time, under a reason."""
        carried = (particles.volume * particles.temperature[0]).sum(dtype=np.float64)
        now = float(carried) * self.h**particles.dimension
        entries[why] = entries.get(why, 0.0) + now - entries.get(NOW, 0.0)
        entries[NOW] = now


@dataclass(frozen=True, eq=False)
class GridWarmth:
    """The heat of one step.

    Attributes:
        heat: Whose it is.
        particles: When the step begins.
        cells: What they fill.
    """

    heat: CarriedHeat
    particles: Particles
    cells: Cells

    @cached_property
    def temperature(self) -> CellMeans:
        """At cell centres, K."""
        return cell_means(self.particles, self.particles.temperature[0], self.cells)

    def lift(self, velocity: FaceField, dt: float) -> None:
        """Add what buoyancy does in dt to every velocity that borders liquid."""
        if self.heat.thermal_lift.expansion != 0:
            self.heat.thermal_lift.add(velocity, self.temperature, self.cells, dt)

    def spread(self, particles: Particles, solids: Solids, time: float, dt: float) -> Solution:
        """Let heat be conducted for dt, from a time on (s), in the liquid and between it and walls."""
        if self.heat.conduction.diffusivity == 0:
            return Solution()
        before = self.temperature
        contacts = self.heat.walls.contacts(solids, time)
        change, solution = self.heat.conduction.change(before, self.cells, contacts, dt)
        bound = bounds_of_change(before, change)
        contacts.widen(bound, change)
        add_change(particles, particles.temperature[0], before, change, bound, self.cells)
        share = self.heat.conduction.share_evened_out(dt)
        even_out(particles, particles.temperature[0], before.value + change, before.tiles, share)
        return solution
