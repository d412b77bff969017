"""Sources: liquid that comes in during a run, from spouts and as blobs (Cline section 5).

Spouts are held through the pressure: their faces are closed in its equations, and carry a flux that was asked for
(`physics/flow/inlets.py`). So the pressure makes way for the liquid that comes in, in air and under water alike.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import AIR, LIQUID, Cells
from plash.grid.fields import FaceField
from plash.grid.tiles import Places
from plash.levelset.inside import places_of
from plash.particles.insert import insert_particles
from plash.particles.particles import Particles
from plash.physics.compatibility import SolidFluxes
from plash.physics.flow.inflow import Inflow
from plash.physics.flow.inlet_cells import InletCells, place
from plash.physics.flow.inlets import Inlet, IsOpen, everywhere
from plash.physics.solids.base import SolidFields
from plash.timing import stage

_RIM = 2  # cells round a spout's faces in which straight paths are not allowed for


@dataclass(frozen=True, eq=False)
class DelayedFill:
    """Liquid that appears at a time.

    Attributes:
        name: What the ledger calls it.
        time: s.
        particles: Makes the particles, anew each time.
    """

    name: str
    time: float
    particles: Callable[[], Particles]


class Repeating(Protocol):
    """What has liquid appear time and again."""

    def between(self, start: float, end: float) -> Iterable[DelayedFill]:
        """All that appears after one time and up to another, s."""


@dataclass(frozen=True, eq=False)
class RunningInlets:
    """The spouts that run, on one set of tiles.

    Attributes:
        solids: The solids, with every plug as a solid.
        inflow: What flows into cells through faces that the divergence leaves out, where solids cut cells.
        faces: Faces that liquid comes in through: axis and place.
        ahead: The cell that each leads to.
        flux: Mean velocity over each of them, m/s.
        whole: That over one that is all in the opening, m/s.
        velocity: Of the liquid at each of them, m/s.
        walls: All faces of plugs.
        inside: Velocity there, m/s: that of the spout, and none behind.
        brought_in: What they push into cells.
    """

    solids: SolidFields
    inflow: Inflow
    faces: Places
    ahead: Places
    flux: NDArray[np.float64]
    whole: NDArray[np.float64]
    velocity: NDArray[np.float32]
    walls: Places
    inside: NDArray[np.float32]
    brought_in: SolidFluxes

    def with_drains(self, drained: Inflow) -> RunningInlets:
        """The same, with what drains take."""
        return replace(self, inflow=self.inflow.plus(drained))

    def beside_air(self, cells: Cells) -> RunningInlets:
        """The same, with the velocity of the liquid at faces that reach beyond the rim of an opening into air.

        Such a face has a share σ in the opening, and the flux σ s. That is its mean velocity if the rest of it is wall,
        as under water. With air beside the rim it is at the surface of a jet, where the velocity goes on as it is
        inside: s. With σ s the rim would come slower than the middle, and be left behind.
        """
        if len(self.ahead[0]) == 0:
            return self
        flux = np.where(_has_air_aside(cells, self.faces[0], self.ahead), self.whole, self.flux)
        inflow = replace(self.inflow, rate=np.abs(flux)) if len(self.inflow.rate) else self.inflow
        return replace(self, flux=flux, inflow=inflow, brought_in=replace(self.brought_in, outflow=-np.abs(flux)))

    def solid_fluxes(self) -> SolidFluxes:
        """What the spouts push into cells."""
        return self.brought_in

    def forget_paths(self, divergence: NDArray[np.float64]) -> None:
        """Ask for no divergence near spouts: at their rim the velocity jumps, which is no gradient of the liquid."""
        tiles, (slot, z, y, x) = self.solids.tiles, self.brought_in.places
        if len(slot) == 0:
            return
        ahead = (tiles.origins[slot] + np.stack([x, y, z], axis=1))[:, : tiles.dimension]
        steps = np.array(list(itertools.product(range(-_RIM, _RIM + 1), repeat=tiles.dimension)))
        around = np.unique((ahead[:, None] + steps).reshape(-1, tiles.dimension), axis=0)
        divergence[places_of(around.astype(np.int64), tiles)] = 0.0

    def enforce_inlet_flux(self, velocity: FaceField) -> None:
        """Set the velocity through the faces of spouts to their flux, before the projection."""
        velocity.pool[self.faces] = self.flux.astype(np.float32)

    def enforce_inlet_velocity(self, velocity: FaceField) -> None:
        """Set the velocity at spouts to that of the liquid they emit, after the projection."""
        velocity.pool[self.walls] = self.inside
        velocity.pool[self.faces] = self.velocity


@dataclass(eq=False)
class Sources:
    """All sources of a scene.

    Attributes:
        inlets: The spouts.
        delayed_fills: Liquid that appears at a time after the start.
        showers: What has drops appear, time and again.
        is_open: Whether particles are where liquid can be at a time: in no solid, and not beyond a closed side.
        h: Cell size, m.
    """

    inlets: Sequence[Inlet] = ()
    delayed_fills: Sequence[DelayedFill] = ()
    showers: Sequence[Repeating] = ()
    is_open: IsOpen = everywhere
    h: float = 1.0
    _last: InletCells | None = field(default=None, init=False)

    def fastest(self, start: float, end: float) -> float:
        """Highest speed that a spout has between two times, m/s."""
        return max((inlet.fastest(start, end) for inlet in self.inlets), default=0.0)

    @stage
    def at(self, solids: SolidFields, start: float, dt: float) -> RunningInlets:
        """The spouts that run in a step, on the tiles of these solids."""
        end = start + dt
        running = [inlet for inlet in self.inlets if inlet.speed(start, end) > 0]
        if not running:
            return _no_inlets(solids)
        places = self._placed(solids, running, end)
        speeds = np.array([inlet.speed(start, end) for inlet in running])
        known = places.faces[1] > 0
        owner = places.spout_of_face[known]
        ahead = tuple(part[known] for part in places.ahead)
        flux, whole = places.flux[known] * speeds[owner], places.normal[known] * speeds[owner]
        inside = places.wall_normal * speeds[places.spout_of_wall] + places.wall_handed
        fastest = max(self.fastest(start, end), float(np.abs(flux).max(initial=0.0)))
        inflow = Inflow.none() if places.solids.cut_cells is None else Inflow(ahead, np.abs(flux))
        return RunningInlets(
            places.solids,
            replace(inflow, fastest=fastest, held=ahead),
            tuple(part[known] for part in places.faces),
            ahead,
            flux,
            whole,
            (whole + places.handed[known]).astype(np.float32),
            places.walls,
            inside.astype(np.float32),
            _pushes(running, ahead, flux, owner),
        )

    def _placed(self, solids: SolidFields, running: list[Inlet], time: float) -> InletCells:
        """Where spouts are on these tiles; kept while nothing moves and the same ones run."""
        last = self._last
        if last is not None and last.before is solids and last.running == running:
            return last
        stencils = [inlet.stencil(time) for inlet in running]
        placed = place(solids, running, stencils)
        self._last = None if any(inlet.spout.moves for inlet in running) else placed
        return placed

    @stage
    def emit(
        self,
        particles: Particles,
        cells: Cells | None,
        brought: dict[str, float],
        start: float,
        end: float,
        velocity_time: float,
        acceleration: Callable[[Particles, float], NDArray[np.float32]],
    ) -> float:
        """Add the particles that come in between two times; returns their volume, in cells.

        Args:
            particles: Are added to, and stay in tile order as far as can be.
            cells: What was liquid in this step: no blob appears there.
            brought: Volume in m³ that each source has brought in so far; is added to.
            start: s.
            end: s.
            velocity_time: When particles have the velocities that they carry, s.
            acceleration: What forces give to new particles at a time, m/s².
        """
        total = 0.0
        for inlet in self.inlets:
            wanted = inlet.volume(end) - brought.get(inlet.name, 0.0)
            if wanted > 0:
                new = inlet.due(start, end)
                falling = np.float32(inlet.falling_share(start, end)) * acceleration(new, end)
                _fly(new, falling, velocity_time - end, self.h)
                new.keep(self.is_open(new, end))
                total += self._add(particles, new, inlet.name, brought, wanted / self.h**particles.dimension)
        appearing = itertools.chain(self.delayed_fills, *(shower.between(start, end) for shower in self.showers))
        for blob in appearing:
            if start < blob.time <= end:
                new = blob.particles()
                if cells is not None:
                    new.keep(cells.label[places_of(new.cell.T.astype(np.int64), cells.tiles)] != LIQUID)
                new.let_pass(end - blob.time)
                _move(new, new.velocity * new.age / self.h)
                _fly(new, acceleration(new, blob.time), velocity_time - end, self.h)
                new.keep(self.is_open(new, end))
                total += self._add(particles, new, blob.name, brought, None)
        return total

    def _add(
        self, particles: Particles, new: Particles, name: str, brought: dict[str, float], wanted: float | None
    ) -> float:
        """Add particles, scaled to a volume in cells; returns the volume they really have."""
        volume = new.total_volume()
        if not volume > 0:
            return 0.0
        if wanted is not None:
            new.volume *= np.float32(wanted / volume)
        volume = new.total_volume()
        brought[name] = brought.get(name, 0.0) + volume * self.h**particles.dimension
        insert_particles(particles, new)
        return volume


def _has_air_aside(cells: Cells, axes: NDArray[np.int64], places: Places) -> NDArray[np.bool_]:
    """Whether air is beside cells, diagonally too, in the layer across an axis of each."""
    found = np.zeros(len(axes), np.bool_)
    for offsets in itertools.product((-1, 0, 1), repeat=cells.tiles.dimension):
        beside = places
        for axis, offset in enumerate(offsets):
            if offset != 0:
                beside = cells.tiles.beside(beside, axis, offset)
        found |= (cells.label[beside] == AIR) & (np.array(offsets)[axes] == 0)
    return found


def _fly(particles: Particles, acceleration: NDArray[np.float32], later: float, h: float) -> None:
    """Let forces have acted on particles since they appeared, and give them the velocities of a time so much later (s).

    They are where they would be without forces, and have the velocities they appeared with.
    """
    _move(particles, 0.5 / h * acceleration * particles.age**2)
    particles.velocity += acceleration * (particles.age + np.float32(later))
    particles.acceleration[:] = acceleration


def _move(particles: Particles, way: NDArray[np.floating]) -> None:
    """Move particles by a way in cells."""
    moved = Particles.at((particles.cell + particles.offset.astype(np.float64) + way).T)
    particles.cell, particles.offset = moved.cell, moved.offset


def _pushes(running: list[Inlet], ahead: Places, flux: NDArray[np.float64], owner: NDArray[np.int64]) -> SolidFluxes:
    causes = [f"the spout {inlet.name!r}" for inlet in running]
    remedy = "add a sink, or stop the spout in time (source.stop)"
    return SolidFluxes(ahead, -np.abs(flux), owner, causes, remedy)


def _no_inlets(solids: SolidFields) -> RunningInlets:
    nowhere: Places = (np.zeros(0, np.int64),) * 5
    flux, velocity = np.zeros(0), np.zeros(0, np.float32)
    faces = nowhere, nowhere[1:], flux, flux, velocity
    return RunningInlets(solids, Inflow.none(), *faces, nowhere, velocity, SolidFluxes.none())
