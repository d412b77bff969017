"""Heat in a liquid whose surface is a level set: the temperature lives in cells, and is carried along on the grid.

    ∂T/∂t + u·∇T = κ ∇²T ,    T held by walls and sources of heat

A cell takes the temperature from where its liquid came, X with X + dt u(X) = x, as a mean of the cells round X that
hold liquid: nothing gets warmer than the warmest. Conduction, walls and buoyancy are those of a liquid made of
particles. Tracing back keeps no sum: what it makes or loses of Σ V T stands in the ledger as `carrying`. Drops that fly
take their temperature along. A viscosity that follows the temperature does so cell by cell.

Reference: Cline section 7.2; Stam 1999.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SOLID, Cells
from plash.grid.extrapolate import extrapolate
from plash.grid.fields import UNKNOWN, CellField, FaceField
from plash.grid.tiles import Places, Tiles
from plash.levelset.inside import places_of
from plash.levelset.sampling import sampled
from plash.linear.pcg import Solution
from plash.particles.particles import Particles
from plash.particles.scalars import CellMeans
from plash.physics.flow.inlets import Inlet
from plash.physics.heat.buoyancy import ThermalLift
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.contacts import WarmWalls
from plash.physics.heat.heat import NOW, Heat, Heater, NoHeat
from plash.physics.level_set.volume import shares_inside
from plash.physics.solids.base import Solids
from plash.physics.viscosity.viscosity_field import log_viscosity_at
from plash.scene.liquid import Liquid
from plash.timing import stage

Array = NDArray[np.float64]
CARRYING = "carrying"

_LAYERS = 4  # cells round the liquid that are asked where it came from


class GridHeat(Heat, Protocol):
    """Heat that lives in cells."""

    @property
    def temperature(self) -> CellField | None:
        """In cells, K; None if everything is equally warm."""

    def begin(self, temperature: CellField | None) -> None:
        """Begin with a temperature (K)."""

    def see(self, cells: Cells) -> None:
        """See where the liquid is."""

    def carry(self, came_from: Callable[[Array], Array], phi: CellField, spouts: Sequence[Spout]) -> None:
        """Carry the temperature along: what is at points (n, d) in metres was where this says."""

    def mean(self, cells: NDArray[np.int64]) -> float:
        """Mean temperature (K) of the liquid in cells (n, d)."""

    def warmth(self, own: float | None) -> float:
        """Temperature (K) of liquid that comes in: its own, or that of all liquid if it has none."""

    def fill(self, places: Places, tiles: Tiles, own: float | None) -> None:
        """Give new liquid in cells of some tiles its temperature."""

    def give(self, drops: Particles) -> None:
        """Let drops take the temperature of where they are along."""

    def take(self, drops: Particles, volume: Array) -> None:
        """Take up a volume (in cells) of each of some drops, with its temperature."""

    def note(self, entries: dict[str, float], why: str, volume: float, temperature: float) -> None:
        """Put down that a volume (m³) of a temperature (K) came, or went, if below 0."""


@dataclass(frozen=True)
class Spout:
    """Cells (n, d) in which liquid of a temperature (K) comes in, that of all liquid if it has none of its own."""

    cells: NDArray[np.int64]
    temperature: float | None

    @staticmethod
    def of(inlet: Inlet, time: float) -> Spout:
        """The cells behind an opening at a time (s)."""
        return Spout(inlet.stencil(time).inlet_cells.astype(np.int64), inlet.spout.temperature)


class NoGridHeat(NoHeat):
    """Everything is equally warm."""

    temperature: CellField | None = None

    def begin(self, temperature: CellField | None) -> None:
        """Nothing has a temperature."""

    def see(self, cells: Cells) -> None:
        """Nothing to see."""

    def carry(self, came_from: Callable[[Array], Array], phi: CellField, spouts: Sequence[Spout]) -> None:
        """Nothing to carry."""

    def mean(self, cells: NDArray[np.int64]) -> float:
        """Nobody asks."""
        return 0.0

    def warmth(self, own: float | None) -> float:
        """Nobody asks."""
        return 0.0

    def fill(self, places: Places, tiles: Tiles, own: float | None) -> None:
        """As warm as all else."""

    def give(self, drops: Particles) -> None:
        """Drops are as warm as all else."""

    def take(self, drops: Particles, volume: Array) -> None:
        """They are as warm as all else."""

    def note(self, entries: dict[str, float], why: str, volume: float, temperature: float) -> None:
        """Nothing to count."""


@dataclass(eq=False)
class WarmCells:
    """A temperature in cells.

    Attributes:
        conduction: How it spreads.
        walls: What holds it.
        thermal_lift: What it does.
        heaters: Where it is held.
        usual: Temperature of liquid that is given none of its own, K.
        h: Cell size, m.
        temperature: In cells, K; only where there is liquid, and round it, it means something.
    """

    conduction: Conduction
    walls: WarmWalls
    thermal_lift: ThermalLift
    heaters: Sequence[Heater]
    usual: float
    h: float
    temperature: CellField | None = None
    _shares: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 1, 1, 1), np.float32), init=False)

    def begin(self, temperature: CellField | None) -> None:
        """Begin with a temperature (K)."""
        self.temperature = temperature

    def see(self, cells: Cells) -> None:
        """See where the liquid is."""
        assert cells.phi is not None
        self._reach(cells.tiles)
        fractions = None if cells.cut_cells is None else cells.cut_cells.volume
        self._shares = shares_inside(cells.phi, self.h, cells.label == SOLID, fractions)

    def at(self, particles: Particles, cells: Cells) -> CellWarmth:
        """The heat of a step that begins in these cells."""
        held = self._field
        volume = np.where(cells.label == SOLID, 0.0, self._shares.astype(np.float64))
        return CellWarmth(self, cells, CellMeans(cells.tiles, np.where(volume > 0, held.pool, np.nan), volume))

    @stage
    def hold(self, particles: Particles, time: float, dt: float) -> None:
        """Bring all that is in a source of heat to its temperature, if that acts in the step from a time on, s."""
        for heater in self.heaters:
            if min(time + dt, heater.stop) > max(time, heater.start):
                self._field.pool[heater.inside.cells(self._field.tiles)] = heater.temperature
                inside = heater.inside.among(particles.position(self.h))
                particles.temperature[:, inside] = heater.temperature

    def account(self, particles: Particles, entries: dict[str, float], why: str) -> None:
        """Put down what Σ V T (K m³, in 2-D K m²) has changed by since the last time, under a reason."""
        flying = (particles.volume * particles.temperature).sum(dtype=np.float64)
        now = float((self._shares * self._field.pool).sum(dtype=np.float64) + flying) * self.h**particles.dimension
        entries[why] = entries.get(why, 0.0) + now - entries.get(NOW, 0.0)
        entries[NOW] = now

    def note(self, entries: dict[str, float], why: str, volume: float, temperature: float) -> None:
        """Put down that a volume (m³) of a temperature (K) came, or went, if below 0."""
        entries[why] = entries.get(why, 0.0) + volume * temperature
        entries[NOW] = entries.get(NOW, 0.0) + volume * temperature

    @stage
    def carry(self, came_from: Callable[[Array], Array], phi: CellField, spouts: Sequence[Spout]) -> None:
        """Carry the temperature along: what is at points (n, d) in metres was where this says."""
        known, tiles = self._continued(spouts), phi.tiles
        self._reach(tiles)
        places = came_from(tiles.cell_centres(tiles.slots, self.h)) / self.h
        self._field.pool[1:] = sampled(known, places).reshape(-1, *tiles.shape)

    def mean(self, cells: NDArray[np.int64]) -> float:
        """Mean temperature (K) of the liquid in cells (n, d)."""
        places = places_of(cells, self._field.tiles)
        shares = self._shares[places].astype(np.float64)
        return float((shares * self._field.pool[places]).sum() / shares.sum()) if shares.sum() > 0 else self.usual

    def warmth(self, own: float | None) -> float:
        """Temperature (K) of liquid that comes in: its own, or that of all liquid if it has none."""
        return self.usual if own is None else own

    def fill(self, places: Places, tiles: Tiles, own: float | None) -> None:
        """Give new liquid in cells of some tiles its temperature."""
        self._reach(tiles)
        self._field.pool[places] = self.warmth(own)

    def give(self, drops: Particles) -> None:
        """Let drops take the temperature of where they are along."""
        drops.carry({"temperature": self.usual})
        drops.temperature[0] = sampled(self._field, drops.position(1.0))

    def take(self, drops: Particles, volume: Array) -> None:
        """Take up a volume (in cells) of each of some drops, with its temperature."""
        held = self._field
        places = places_of(np.ascontiguousarray(drops.cell.T).astype(np.int64), held.tiles)
        came, brought = np.zeros(held.pool.shape), np.zeros(held.pool.shape)
        np.add.at(came, places, volume)
        np.add.at(brought, places, volume * drops.temperature[0])
        touched = came > 0
        touched[0] = False
        own = self._shares[touched].astype(np.float64)
        held.pool[touched] = (own * held.pool[touched] + brought[touched]) / (own + came[touched])

    @property
    def _field(self) -> CellField:
        assert self.temperature is not None, "no temperature yet"
        return self.temperature

    def _reach(self, tiles: Tiles) -> None:
        """Have values on these tiles."""
        if self._field.tiles is not tiles:
            if len(self._shares):
                self._shares = CellField(self._field.tiles, self._shares).moved_to(tiles).pool
            self.temperature = self._field.moved_to(tiles)

    def _continued(self, spouts: Sequence[Spout]) -> CellField:
        """The temperature of the liquid, continued round it, and the mean where it is unknown: nothing new."""
        held = self._field
        is_known = self._shares > 0
        first = np.where(is_known, held.pool, np.nan)
        for spout in spouts:
            first[places_of(spout.cells, held.tiles)] = self.warmth(spout.temperature)
        first[0] = np.nan
        wide = first.astype(np.float32)
        extrapolate(FaceField(held.tiles, wide[None]), _LAYERS)
        wide[0] = UNKNOWN
        mean = float(np.nanmean(first)) if is_known.any() else self.usual
        return CellField(held.tiles, np.where(np.isnan(first), np.where(np.isnan(wide), mean, wide), first))


@dataclass(frozen=True, eq=False)
class ViscosityOfCells:
    """As thick as it is warm.

    Attributes:
        liquid: As the scene has it, with its viscosity at some temperatures.
        heat: What knows the temperature.
    """

    liquid: Liquid
    heat: WarmCells

    def at(self, particles: Particles, cells: Cells) -> CellField:
        """Kinematic viscosity (m²/s) of liquid cells and of those round them; unknown further away."""
        means = self.heat.at(particles, cells).means
        logarithms = np.full(means.value.shape, UNKNOWN)
        warmth = means.value[means.is_known]
        logarithms[means.is_known] = log_viscosity_at(self.liquid, warmth) - math.log(self.liquid.rho)
        extrapolate(FaceField(cells.tiles, logarithms[None]), _LAYERS)
        return CellField(cells.tiles, np.exp(logarithms))


@dataclass(frozen=True, eq=False)
class CellWarmth:
    """The heat of one step.

    Attributes:
        heat: Whose it is.
        cells: What they hold.
        means: Temperature of the liquid in them, K, and its volume.
    """

    heat: WarmCells
    cells: Cells
    means: CellMeans

    def lift(self, velocity: FaceField, dt: float) -> None:
        """Add what buoyancy does in dt to every velocity that borders liquid."""
        if self.heat.thermal_lift.expansion != 0:
            self.heat.thermal_lift.add(velocity, self.means, self.cells, dt)

    def spread(self, particles: Particles, solids: Solids, time: float, dt: float) -> Solution:
        """Let heat be conducted for dt, from a time on (s), in the liquid and between it and walls."""
        if self.heat.conduction.diffusivity == 0:
            return Solution()
        contacts = self.heat.walls.contacts(solids, time)
        change, solution = self.heat.conduction.change(self.means, self.cells, contacts, dt)
        held = self.heat.temperature
        assert held is not None
        held.pool += change
        return solution
