"""The liquid solver with a level set for its surface (Cline 10): φ and the velocity live on the grid.

The step is that of `solvers/liquid.py`, without its particles. φ labels cells, puts the pressure's surface inside them,
and is carried along the paths of the step at its end. Signed particles correct it, if the scene wants them.

* A blob is joined with the level set when it appears.
* Liquid comes in where inlet cells count as liquid: what is traced back into them is liquid. Their flux is in the
  pressure equation, as ever.
* A sink empties its cells; a drain does so by the divergence that it asks for.
* What lies beyond an open side is cut off.
* What the level set loses and particles remember flies on as drops, the particles of the state.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LIQUID, Cells, label_cells
from plash.grid.fields import CellField, FaceField
from plash.grid.sample import velocity_at
from plash.grid.tiles import Tiles
from plash.levelset.inside import places_of
from plash.particles.move import move_particles
from plash.particles.particles import Particles
from plash.physics.flow.inflow import Inflow
from plash.physics.flow.sinks import Outlet
from plash.physics.flow.sources import RunningInlets
from plash.physics.level_set.appearing import Appearing, give_velocity, joined
from plash.physics.level_set.band import BAND, first_corners, in_its_tiles
from plash.physics.level_set.bodies import Bodies, CameFrom, volumes
from plash.physics.level_set.continuation import Continuation, beyond_open_sides
from plash.physics.level_set.distancing import mended_distance
from plash.physics.level_set.grid_paths import GridPaths
from plash.physics.level_set.reseeding import reseed
from plash.physics.level_set.signed_particles import seeded
from plash.physics.level_set.spouts import cut_at_openings
from plash.physics.level_set.spray import falling_in, gather, let_go
from plash.physics.level_set.transport import MOST_CELLS
from plash.physics.level_set.volume import volume_inside
from plash.physics.level_set.warm_cells import CARRYING, GridHeat, NoGridHeat, Spout
from plash.physics.solids.base import Solids
from plash.physics.solids.domain_box import DomainBox
from plash.scene.model import Scene
from plash.solvers.frame import nowhere
from plash.solvers.frame_level_set import FrameDrops, FrameLevelSet
from plash.solvers.level_set_inlets import open_inlets, reach_inlets, running_inlets
from plash.solvers.level_set_room import LiquidRoom
from plash.solvers.level_set_state import LevelSetState
from plash.solvers.level_set_stored import (
    bodies_from,
    level_set_from,
    owed_from,
    stored_bodies,
    stored_level_set,
    stored_warmth,
    warmth_from,
)
from plash.solvers.level_set_transfer import Allowed, WideSemiLagrangian
from plash.solvers.liquid import LiquidSolver
from plash.solvers.liquid_stored import LiquidNumbers
from plash.solvers.state import State
from plash.solvers.stored import ArraysByName, StoredArrays
from plash.timing import StepReport

VolumeCorrection = Literal["none", "shift"]

_LARGEST_SHIFT = 0.05  # cells by which the surface of a body may move at each look at its volume
_LOOKS = 2  # at the volume in a step: what it is after a shift can only be estimated
_CLOSE_ENOUGH = 1e-4  # of the volume that there should be
_NOTHING = 1e-6  # of a cell: what is left of a drop that fell into the liquid
_SHIFTED = "volume correction"  # what the ledger calls it


@dataclass(eq=False)
class LevelSetLiquid(LiquidSolver):
    """A liquid with a free surface that is a level set. `solvers/build/level_set.py` makes one from a scene.

    Attributes:
        box: The domain.
        volume_correction: Whether the surface is shifted to have the volume that the ledger expects.
        appearing: Liquid that appears after the start.
    """

    state: LevelSetState
    transfer: WideSemiLagrangian
    heat: GridHeat = field(default_factory=NoGridHeat, kw_only=True)
    box: DomainBox = field(kw_only=True)
    volume_correction: VolumeCorrection = field(default="none", kw_only=True)
    appearing: Sequence[Appearing] = field(default=(), kw_only=True)
    _last_way: Continuation | None = field(default=None, init=False)

    def begin(self, state: Any) -> None:
        """Begin with a state: its level set becomes a distance beside walls too, and gets its particles."""
        self.state = state
        self.heat.begin(state.temperature)
        self.transfer.owed = None
        level_set = state.level_set
        level_set.phi = in_its_tiles(level_set.phi, self.h)
        state.stand_on(level_set.phi.tiles)
        solids = self.solids.at(state.tiles, self.solids.poses(state.time), state.time, 0.0)
        self._way_into(solids.is_solid, state.tiles).apply(level_set.phi, self.h)
        level_set.phi = mended_distance(level_set.phi, self.h, self._room(state.time, 0.0))
        if level_set.per_cell:
            random = np.random.Generator(np.random.PCG64(level_set.seed))
            level_set.particles = seeded(level_set.phi, self.h, level_set.per_cell, random, level_set.sides)
        _, _, cells, volume = self.label()
        whole = volume * self.h**cells.tiles.dimension
        self.ledger = replace(self.ledger, initial=whole, particle_volume=whole, volume=whole, heat={})
        self.heat.account(state.particles, self.ledger.heat, "initial")

    def label(self, dt: float = 0.0) -> tuple[Solids, RunningInlets, Cells, float]:
        """See where everything is at the start of a step of dt (s), as `LiquidSolver.label` does."""
        s, h = self.state, self.h
        level_set = s.level_set
        reach_inlets(s, running_inlets(self.sources.inlets, s.time, dt), s.time + dt, h)
        level_set.phi = in_its_tiles(level_set.phi, h, max(BAND, self.buffer))
        s.stand_on(level_set.phi.tiles)
        if s.tiles is not level_set.phi.tiles:
            level_set.phi = level_set.phi.moved_to(s.tiles)
        s.began, s.length, s.poses = s.time, dt, self.solids.poses(s.time)
        solids = self.solids.at(s.tiles, s.poses, s.time, dt)
        inlets = self.sources.at(solids, s.time, dt)
        open_inlets(s, solids, inlets, h)
        self._room(s.time, 0.0).complete(level_set.phi)
        gather(s.particles, level_set.particles, level_set.phi, inlets.solids.is_solid, h)
        cells, volume = self._labelled(inlets)
        unit = h**s.tiles.dimension
        flying = s.particles.total_volume()
        if self.volume_correction == "shift" and dt > 0:
            before = volume
            self._shift(self.ledger.target_volume / unit - flying)
            cells, volume = self._labelled(inlets)
            added = (volume - before) * unit
            self.ledger.brought[_SHIFTED] = self.ledger.brought.get(_SHIFTED, 0.0) + added
        # What flies has its place and volume: it is measured, and drawn
        self.ledger.measure(volume + flying, 0.0, 0.0, unit)
        self.ledger.particle_volume = self.ledger.volume
        s.cells = self.sinks.opened(cells, s.time)
        self.heat.see(s.cells)
        if dt > 0:
            self.heat.account(s.particles, self.ledger.heat, CARRYING)
            inlets = inlets.with_drains(self._owed(dt).plus(self._swallowed(dt)))
            self.transfer.allowed = Allowed(solids, inlets)
        return solids, inlets, s.cells, volume

    def _owed(self, dt: float) -> Inflow:
        """What the last step left to be made good, as an inflow during dt."""
        s = self.state
        if self.transfer.owed is None:
            return Inflow.none()
        owed = self.transfer.owed.moved_to(s.tiles)
        places = np.nonzero(owed.pool)
        return Inflow(places, owed.pool[places].astype(np.float64) * self.h / dt)

    def _swallowed(self, dt: float) -> Inflow:
        """What drops that fell into the liquid give to it, as an inflow during dt."""
        s = self.state
        assert s.cells is not None
        if s.particles.count == 0:
            s.swallowed = None
            return Inflow.none()
        places, s.swallowed = falling_in(s.particles, s.cells)
        given = np.flatnonzero(s.swallowed)
        return Inflow(tuple(part[given] for part in places), s.swallowed[given] * self.h / dt)

    def _labelled(self, inlets: RunningInlets) -> tuple[Cells, float]:
        """What cells hold by the level set as it is, and the volume of the liquid in cells."""
        phi, solids = self.state.level_set.phi, inlets.solids
        # The labels keep a distance of their own: the level set moves on while they stay
        held = CellField(phi.tiles, phi.pool.copy())
        cells = label_cells(phi.tiles, held.pool < 0, solids.is_solid, held, None, solids.cut_cells)
        fractions = None if solids.cut_cells is None else solids.cut_cells.volume
        return cells, volume_inside(held, self.h, solids.is_solid, fractions)

    def _shift(self, whole: float) -> None:
        """Move the surface of each body towards the volume that it should have; all together a whole, in cells."""
        s, phi = self.state, self.state.level_set.phi
        bodies = self._keep_up(lambda points: points)
        bodies.balance(whole)
        room = self._room(s.time, 0.0)
        closed, held = room.closed(phi.tiles), room.held(phi.tiles)
        for _ in range(_LOOKS):
            missing = bodies.wanted - volumes(bodies.number, room.shares(phi), bodies.count)
            if np.abs(missing).sum() < _CLOSE_ENOUGH * whole:
                break
            bodies.shift(phi, closed, missing, _LARGEST_SHIFT, self.h, held)
            room.complete(phi)

    def _keep_up(self, came_from: CameFrom) -> Bodies:
        """The bodies of liquid as they are now, if what is at points was where this says."""
        s, phi, room = self.state, self.state.level_set.phi, self._room(self.state.time, 0.0)
        # What is behind the opening of a spout belongs to its jet, from before that is seen
        now = room.solids(phi.tiles).is_solid, room.shares(phi)
        if s.bodies is None:
            s.bodies = Bodies.of(phi, *now, self.h)
        else:
            s.bodies = s.bodies.followed(phi, *now, self.h, came_from)
        return s.bodies

    def _give(self, cells: NDArray[np.int64], volume: NDArray[np.float64] | float) -> None:
        """Tell the bodies of liquid at cells (n, d) of a volume in cells that came, or went; evenly, if it is one."""
        bodies = self.state.bodies
        if bodies is not None and len(cells):
            bodies.give(cells, np.broadcast_to(np.asarray(volume) / (1 if np.ndim(volume) else len(cells)), len(cells)))

    def advect_particles(self, dt: float, solids: Solids) -> None:
        """Carry the level set and the drops along for dt, and cut off what left the domain."""
        s, report, level_set = self.state, self.report, self.state.level_set
        self._fly(dt, solids)
        assert s.velocity is not None
        report.courant = max(report.courant, self.speed * dt / self.h)
        paths = GridPaths(s.velocity, self.h)
        parts = max(1, math.ceil(self.speed * dt / (MOST_CELLS * self.h)))
        room = self._room(s.time + dt, dt)
        for _ in range(parts):
            level_set.follow(paths, dt / parts, room)
        came_from = functools.partial(paths.back, dt=dt)
        if s.bodies is not None:
            self._keep_up(came_from)
        spouts = running_inlets(self.sources.inlets, s.time, dt)
        self.heat.carry(came_from, level_set.phi, [Spout.of(inlet, s.time) for inlet in spouts])
        self._let_go(room)
        for side, beyond in beyond_open_sides(level_set.phi.tiles, self.box):
            self._empty(f"left through {side}", np.broadcast_to(beyond, level_set.phi.pool.shape))

    def _room(self, time: float, passed: float) -> LiquidRoom:
        """What is closed at a time (s), and what there should be when this time has passed."""
        s, poses, ledger = self.state, self.solids.poses(time), self.ledger
        flying = s.particles.total_volume() * self.h**s.particles.dimension
        target = ledger.target_volume - flying
        if passed > 0:
            target += sum(inlet.volume(time) - ledger.brought.get(inlet.name, 0.0) for inlet in self.sources.inlets)
            drains = [outlet for outlet in self.sinks.outlets if outlet.is_drain and self._is_wet(outlet)]
            target -= sum(outlet.wanted(ledger.removed, s.time, time) for outlet in drains)
        # A few sets of tiles are asked for again and again
        solids = functools.lru_cache(4)(lambda tiles: self.solids.at(tiles, poses, time, 0.0))
        running = running_inlets(self.sources.inlets, s.time, passed) if passed > 0 else []
        mouths = [inlet.stencil(time) for inlet in running]
        return LiquidRoom(solids, s.inlet_cells, target, self.h, self.box, self._way_into, mouths)

    def _way_into(self, is_solid: NDArray[np.bool_], tiles: Tiles) -> Continuation:
        """The way into solids on some tiles; the very same while they are."""
        last = self._last_way
        if last is None or last.is_solid is not is_solid or last.tiles is not tiles:
            last = self._last_way = Continuation.into(is_solid, tiles)
        return last

    def _fly(self, dt: float, solids: Solids) -> None:
        """Move drops for dt; what fell into the liquid is part of it now."""
        s, drops = self.state, self.state.particles
        if drops.count == 0:
            return
        if s.swallowed is not None:
            self._give(drops.cell.T.astype(np.int64), s.swallowed)
            self.heat.take(drops, s.swallowed)
            drops.volume -= s.swallowed.astype(np.float32)
            drops.keep(drops.volume > _NOTHING)
            s.swallowed = None
            self.heat.account(drops, self.ledger.heat, CARRYING)
        start = solids.remember(drops)
        move_particles(drops, dt, self.h)
        self._confine(solids, start, s.time, dt)
        drops.let_pass(dt)

    def _let_go(self, room: LiquidRoom) -> None:
        """Let liquid fly that the level set has lost."""
        s, level_set = self.state, self.state.level_set
        if not level_set.per_cell or s.velocity is None or s.cells is None:
            return
        unit = self.h**s.particles.dimension
        missing = room.missing(level_set.phi) / unit
        share = 1 / level_set.per_cell
        drops = let_go(level_set.particles, level_set.phi, self.h, share, missing)
        if drops.count:
            self._give(drops.cell.T.astype(np.int64), -drops.volume.astype(np.float64))
            self.heat.give(drops)
            drops.velocity[:] = np.nan_to_num(velocity_at(s.velocity, drops.position(self.h), self.h)).T
            s.particles.add(drops)
            s.stand_on(s.cells.tiles)

    def _is_wet(self, outlet: Outlet) -> bool:
        """Whether there is liquid in the cells of an outlet."""
        s = self.state
        return s.cells is not None and bool((s.cells.label[outlet.inside.cells(s.cells.tiles)] == LIQUID).any())

    def come_and_go(self, dt: float) -> None:
        """Let the time dt pass: liquid comes in from spouts, and goes out into sinks."""
        s, ledger, end = self.state, self.ledger, self.state.time + dt
        phi = s.level_set.phi
        for outlet in self.sinks.outlets:
            if outlet.is_drain:
                volume = outlet.wanted(ledger.removed, s.time, end)
                if volume > 0 and self._is_wet(outlet):
                    cells = first_corners(phi.tiles, outlet.inside.cells(phi.tiles)).astype(np.int64)
                    self._give(cells, -volume / self.h**phi.tiles.dimension)
                    self.heat.note(ledger.heat, "outflow", -volume, self.heat.mean(cells))
                    self._remove(outlet.reason, volume, is_outflow=True)
            elif outlet.sink.acts(s.time):
                marked = np.zeros(phi.pool.shape, np.bool_)
                marked[outlet.inside.cells(phi.tiles)] = True
                self._empty(outlet.reason, marked)
        for inlet in self.sources.inlets:
            volume = inlet.volume(end) - ledger.brought.get(inlet.name, 0.0)
            if volume > 0:
                cells = inlet.stencil(end).inlet_cells.astype(np.int64)
                self._give(cells, volume / self.h**phi.tiles.dimension)
                self.heat.note(ledger.heat, "inflow", volume, self.heat.warmth(inlet.spout.temperature))
                ledger.brought[inlet.name] = ledger.brought.get(inlet.name, 0.0) + volume
                ledger.bring(volume)
        for body in self.appearing:
            if s.time < body.time <= end:
                self._appear(body, end)
        s.time = end
        s.unspent = max(0.0, s.unspent - dt)

    def _appear(self, body: Appearing, end: float) -> None:
        """Let a body of liquid be there that appeared before the end of a step, and has fallen since."""
        s, h, level_set = self.state, self.h, self.state.level_set
        gains = self._acceleration(Particles.at(body.middle[None] / h), body.time)[:, 0].astype(np.float64)
        age, before = end - body.time, level_set.phi
        level_set.phi, new = joined(before, body.level_set(age * body.velocity + 0.5 * age**2 * gains, h))
        room = self._room(end, 0.0)
        room.complete(level_set.phi)
        velocity = body.velocity + (s.velocity_time - body.time) * gains
        s.velocity = give_velocity(s.velocity or FaceField.filled(new.tiles), new, before, velocity, h)
        if s.carried is not None:
            s.carried = give_velocity(s.carried, new, before, velocity - s.kick * gains, h)
        if level_set.per_cell:
            random = np.random.Generator(np.random.PCG64((level_set.seed, level_set.steps, 1)))
            reseed(level_set.particles, level_set.phi, h, level_set.per_cell, random, level_set.sides)
        volume = room.volume(level_set.phi) - room.volume(before)
        is_new = (new.pool < np.float32(h)) & (before.moved_to(new.tiles).pool > 0)
        self.heat.fill(np.nonzero(is_new), new.tiles, body.temperature)
        self.heat.note(self.ledger.heat, "inflow", volume, self.heat.warmth(body.temperature))
        self.ledger.brought[body.name] = self.ledger.brought.get(body.name, 0.0) + volume
        self.ledger.bring(volume)

    def _empty(self, reason: str, where: NDArray[np.bool_]) -> None:
        """Make cells air, and write down by how much the volume is less."""
        s, phi = self.state, self.state.level_set.phi
        is_solid = self.solids.at(phi.tiles, s.poses, s.time, 0.0).is_solid
        wet = where & ~is_solid & (phi.pool < np.float32(0.5 * self.h))
        wet[0] = False
        if not wet.any():
            return
        room = self._room(s.time, 0.0)
        before = room.volume(phi)
        phi.pool[wet] = np.float32(0.5 * self.h)
        particles = s.level_set.particles
        particles.keep(~where[places_of(np.floor(particles.place).astype(np.int64), phi.tiles)])
        volume = before - room.volume(phi)
        if volume > 0:
            self._give(
                first_corners(phi.tiles, np.nonzero(wet)).astype(np.int64), -volume / self.h**phi.tiles.dimension
            )
            self._remove(reason, volume, is_outflow=True)

    def snapshot(self) -> FrameLevelSet:  # type: ignore[override]
        """The level set and the velocity as they are now, and where solids that move are, for a frame."""
        s, phi = self.state, self.state.level_set.phi
        velocity, poses = s.velocity_now(), self.solids.poses(s.time)
        at = nowhere if velocity is None else functools.partial(velocity_at, velocity, h=self.h)
        is_solid = self.solids.at(phi.tiles, poses, s.time, 0.0).is_solid
        shown = CellField(phi.tiles, phi.pool.copy())
        shown.pool[places_of(s.inlet_cells, phi.tiles)] = np.float32(BAND * self.h)
        running = running_inlets(self.sources.inlets, s.began, s.length)
        cut_at_openings(shown, [inlet.stencil(s.time) for inlet in running], self.h)
        self._way_into(is_solid, phi.tiles).apply(shown, self.h)
        drops = s.particles.position(self.h), s.particles.velocity.T, s.particles.volume
        flying = FrameDrops.of(*drops, self.h)
        made = FrameLevelSet.of(shown, is_solid, at, self.h, poses, flying, s.shown_pressure())
        held = self.heat.temperature
        return made if held is None else replace(made, temperature=held.moved_to(phi.tiles).pool.astype(np.float32))

    def stored(self) -> tuple[ArraysByName, dict[str, Any]]:
        """The state for a checkpoint: arrays, and numbers about them."""
        arrays, numbers = super().stored()
        arrays |= stored_level_set(self.state.level_set, self.state.inlet_cells)
        owed = self.transfer.owed
        if owed is not None:
            arrays |= {"owed_tiles": owed.tiles.keys, "owed": owed.pool}
        if self.state.bodies is not None:
            arrays |= stored_bodies(self.state.bodies)
        if self.heat.temperature is not None:
            arrays |= stored_warmth(self.heat.temperature)
        return arrays, numbers

    def restore(self, arrays: StoredArrays, numbers: LiquidNumbers, scene: Scene) -> None:
        """Go back to a state that was stored."""
        level_set, inlet_cells = level_set_from(arrays, self.state.level_set, self.h)
        super().restore(arrays, numbers, scene)
        self.transfer.owed = owed_from(arrays, scene.dimension)
        plain: State = self.state
        bodies = bodies_from(arrays, scene.dimension)
        self.heat.begin(warmth_from(arrays, scene.dimension) if scene.has_heat else None)
        self.state = LevelSetState(**vars(plain), level_set=level_set, inlet_cells=inlet_cells, bodies=bodies)

    def _complete(self, report: StepReport, seconds: dict[str, float]) -> None:
        super()._complete(report, seconds)
        report.particles = self.state.level_set.particles.count
        self.ledger.particle_volume = self.ledger.volume
