"""The smoke solver: one time step of Cline's figure 13, with the corrections of docs/smoke.md.

1.  time step                               `next_step`
2.  tiles near the smoke, and its buffer    "Where smoke is"
4, 3a  what the air carries, and its velocity   "Carry everything along", first and with the velocity of the step before
3b  buoyancy, confinement, forces, wind     "How fast it would go on its own"
3d, 3e, 3g  pressure and solids             "Make it incompressible"
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from plash.errors import DivergedError
from plash.grid.cells import Cells
from plash.grid.extrapolate import extrapolate
from plash.grid.fields import CellField, FaceField, fastest
from plash.grid.volume import COLORS
from plash.physics.forces import Forces
from plash.physics.heat.contacts import WarmWalls
from plash.physics.pressure import PressureSolver
from plash.physics.smoke.advection import Advection
from plash.physics.smoke.amounts import amounts
from plash.physics.smoke.buoyancy import Buoyancy
from plash.physics.smoke.colors import share_left, smoke_tint
from plash.physics.smoke.confinement import Confinement
from plash.physics.smoke.decay import Fading, Spreading
from plash.physics.smoke.envelope import Envelope
from plash.physics.smoke.fire import Fire
from plash.physics.smoke.fluxes import Capacity
from plash.physics.smoke.sources import SmokeFlows
from plash.physics.smoke.still_air import has_walls, settle
from plash.physics.smoke.swept import take_place
from plash.physics.smoke.transport import COVERED, DROPPED, Move, Transport
from plash.physics.smoke.wind import Wind
from plash.physics.solids.base import SceneSolids, Solids
from plash.scene.model import Scene
from plash.scene.solver import MOST_FOR_SOLIDS
from plash.solvers.frame_smoke import FrameSmoke
from plash.solvers.ledger import Ledger
from plash.solvers.limits import fastest as fastest_of
from plash.solvers.poses import poses_from
from plash.solvers.smoke_state import SmokeNumbers, SmokeState, smoke_from
from plash.solvers.step_stage import StepStage
from plash.solvers.stored import ArraysByName, StateNumbers, StoredArrays
from plash.solvers.timestep import TimeStep
from plash.timing import StepReport, timing

_BUFFER = 3  # cells round smoke in which air is followed, beside what it crosses in a step
_LAYERS = 2  # of faces in solids that have a velocity, for samples beside them
_ROUND_OFF = 1e-12  # of a sum, relative
DENSITY, WARMTH, FUEL = "density", "warmth", "fuel"
COLORED = tuple(f"{color} smoke" for color in COLORS)  # density times the share of each light that smoke sends on
DRIFT = "drift of advection"


@dataclass(eq=False)
class SmokeSolver:
    """Smoke in air that is followed near it alone. `solvers/build/smoke.py` makes one from a scene.

    Step it whole with `advance`, or stage by stage:

        >>> import plash
        >>> solver = plash.build(plash.load_scene("plume", resolution=16))
        >>> [stage.name for stage in solver.stages(dt=0.01)]
        ['grid', 'advect', 'forces', 'project']

    Attributes:
        names: Of the fields that the air carries, in order; density is the first.
        thresholds: Size of each above which a cell holds smoke.
        air_temperature: K, that of the air without any warmth.
        colors: Red, green and blue that smoke sends on, 0 to 1, of each colour there is; first that of what has none of
            its own. None if all smoke is of one colour.
    """

    numbers: ClassVar[type[StateNumbers]] = SmokeNumbers

    state: SmokeState
    ledger: Ledger
    h: float
    names: Sequence[str]
    thresholds: NDArray[np.float32]
    air_temperature: float
    time_step: TimeStep
    solids: SceneSolids[Any]
    advection: Advection
    transport: Transport
    buoyancy: Buoyancy
    confinement: Confinement
    forces: Forces
    wind: Wind
    flows: SmokeFlows
    fading: Sequence[Fading]
    spreading: Sequence[Spreading]
    warm_walls: WarmWalls
    fire: Fire
    pressure: PressureSolver
    push: float = 0.0
    colors: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3)))
    report: StepReport = field(default_factory=StepReport)
    cells: Cells | None = field(default=None, init=False)
    capacity: Capacity = field(init=False)
    _labelled: tuple[Envelope, Solids] | None = field(default=None, init=False)

    def stages(self, dt: float) -> Iterator[StepStage[FaceField]]:
        """Take one step of dt (s), pausing after each stage to show what it did."""
        s, report = self.state, self.report

        # Where smoke is
        self.follow_smoke(dt)
        before = self.as_solids_stood()
        yield StepStage("grid")

        # Carry everything along
        self.carry_smoke(before, dt)
        s.poses = self.solids.poses(s.time)
        solids = self.solids.at(s.envelope.tiles, s.poses, s.time, dt)
        cells = self.label(solids)
        take_place(s.scalars, before, cells)
        self._account(COVERED, cells)
        self.carry_velocity(cells, dt)
        self.come_and_go(cells, dt)
        expansion = self._burn(cells, dt)
        self._account("fire", cells, is_source=True)
        self.fade_and_spread(cells, solids, dt)
        yield StepStage("advect", s.velocity)

        # How fast it would go on its own
        self.buoyancy.add(s.velocity, s.scalars, cells, dt)
        self.confinement.add(s.velocity, cells, dt)
        self.forces.add(s.velocity, cells, s.time, dt)
        self.flows.drive(s.velocity, cells, s.time, dt)
        self.wind.draw(s.velocity, cells, dt)
        yield StepStage("forces", s.velocity)

        # Make it incompressible
        solids.enforce_no_flux(s.velocity, cells, dt)
        inflow = self.flows.inflow(cells, s.time)
        if expansion is not None:
            inflow = replace(inflow, fastest=max(inflow.fastest, float(expansion.max())))
        projection = self.pressure.project(s.velocity, cells, dt, inflow, expansion)
        s.pressure = projection.pressure
        settle(s.velocity, cells, self.wind.velocity)
        if has_walls(cells):
            extrapolate(s.velocity, _LAYERS)
            solids.enforce_slip(s.velocity, cells, dt)
            s.velocity.pool[np.isnan(s.velocity.pool)] = 0.0
        s.time += dt
        s.steps += 1
        yield StepStage("project", s.velocity)

        report.dt, report.iterations, report.residual = dt, projection.iterations, projection.residual
        report.excess, report.courant = projection.excess, self.speed * dt / self.h

    def follow_smoke(self, dt: float) -> None:
        """Let tiles appear where smoke may get to in a step, and vanish behind it with what little they hold."""
        s, box = self.state, self.solids.geometry.box
        places = self.flows.places(s.time, dt, len(box.cells))
        keys = s.envelope.followed(s.scalars, self.thresholds, self.buffer, places, box)
        if np.array_equal(keys, s.envelope.keys):
            return
        old, s.envelope = s.envelope, Envelope.of_keys(keys, box)
        tiles = s.envelope.tiles
        s.velocity = s.velocity.moved_to(tiles)
        is_gone = old.is_inside.copy()
        is_gone[1:] &= ~np.isin(old.tiles.keys, keys)
        lost = s.scalars[:, is_gone].sum(axis=(1, 2, 3, 4), dtype=np.float64) * self.h**tiles.dimension
        s.scalars = np.stack([CellField(old.tiles, pool).moved_to(tiles).pool for pool in s.scalars])
        s.scalars[:, ~s.envelope.is_inside] = 0.0
        self._book(DROPPED, -lost)

    def label(self, solids: Solids) -> Cells:
        """What each cell is; the very same while tiles and solids are."""
        known = self._labelled
        if self.cells is None or known is None or known[0] is not self.state.envelope or known[1] is not solids:
            self.cells = self.state.envelope.label(solids)
            self.capacity = Capacity.of(self.cells)
            self._labelled = self.state.envelope, solids
        return self.cells

    def as_solids_stood(self) -> Cells:
        """What each cell was in the step before, whose velocity carries the smoke."""
        s = self.state
        if self.cells is None or self._labelled is None or self._labelled[0] is not s.envelope:
            now = self.solids.poses(s.time)
            poses = {name: s.poses.get(name, pose) for name, pose in now.items()}
            self.label(self.solids.at(s.envelope.tiles, poses, s.time))
        assert self.cells is not None
        return self.cells

    def carry_smoke(self, cells: Cells, dt: float) -> None:
        """Carry fields along; what goes through open sides is told from what advection loses."""
        s = self.state
        assert self._labelled is not None
        move = Move(s.velocity, cells, self.capacity, self._labelled[1], dt, self.h)
        s.scalars, left = self.transport.carried(s.scalars, move)
        for reason, lost in left.items():
            self._book(reason, -lost)
        self._account(DRIFT, cells, is_outflow=False)

    def carry_velocity(self, cells: Cells, dt: float) -> None:
        """Carry the velocity along."""
        s = self.state
        paths = self.advection.paths(s.velocity, cells, dt, self.h)
        s.velocity = FaceField(cells.tiles, self.advection.carried(s.velocity.pool, paths, cells, on_faces=True))

    def come_and_go(self, cells: Cells, dt: float) -> None:
        """Let smoke, heat and fuel come from sources and go into sinks for dt."""
        s = self.state
        for inlet in self.flows.inlets:
            if inlet.acts(s.time, dt):
                inlet.give(s.scalars, cells, self.capacity, s.time, dt)
                self._account(inlet.name, cells, is_source=True)
        for sink in self.flows.sinks:
            sink.take(s.scalars, cells, s.time, dt)
            self._account(sink.reason, cells)

    def _burn(self, cells: Cells, dt: float) -> NDArray[np.float64] | None:
        """Let fuel burn; its soot has no colour of its own."""
        s = self.state
        before = s.scalars[0].copy() if self._colored else None
        expansion = self.fire.burn(s.scalars, cells, dt, self.h)
        if before is not None:
            soot = s.scalars[0] - before
            s.scalars[self._colored] += self.colors[0].astype(np.float32).reshape(-1, 1, 1, 1, 1) * soot
        return expansion

    @property
    def _colored(self) -> list[int]:
        """The fields of coloured smoke; none if all smoke is of one colour."""
        return [number for number, name in enumerate(self.names) if name in COLORED]

    def fade_and_spread(self, cells: Cells, solids: Solids, dt: float) -> None:
        """Let fields fade and spread for dt."""
        s = self.state
        before = s.scalars[0].copy() if self._colored else None
        for pool, fading in zip(s.scalars, self.fading, strict=True):
            fading.apply(pool, dt)
        if before is not None:
            s.scalars[self._colored] *= share_left(s.scalars[0], before)
        for pool, spreading in zip(s.scalars, self.spreading, strict=True):
            spreading.apply(pool, cells, self.capacity, self.warm_walls.contacts(solids, s.time), dt)
        self._account("faded", cells)

    def begin(self, state: SmokeState) -> None:
        """Begin with a state, whose smoke the ledger counts as that of the start."""
        self.state, self.cells = state, None
        solids = self.solids.at(state.envelope.tiles, self.solids.poses(state.time), state.time)
        there = amounts(state.scalars, self.label(solids), self.capacity, self.h)
        mass = float(there[0])
        heat = {"initial": float(there[1]), "now": float(there[1])} if WARMTH in self.names else {}
        self.ledger = Ledger(initial=mass, particle_volume=mass, volume=mass, heat=heat)

    @property
    def buffer(self) -> int:
        """Cells round smoke in which air is followed."""
        return math.ceil(self.time_step.courant) + _BUFFER

    @property
    def speed(self) -> float:
        """Upper bound of the air's speed, m/s."""
        return float(np.linalg.norm(fastest(self.state.velocity.pool)))

    def next_step(self, frame_time: float) -> float:
        """Length of the next step on the way to a frame, s."""
        s, courant = self.state, self.time_step.courant
        flows, count, dimension = self.flows, len(self.names), s.velocity.tiles.dimension
        largest = np.maximum(fastest(s.scalars), flows.held(count, s.time, frame_time))
        solids = self.solids.fastest(s.time, frame_time) * max(1.0, courant / MOST_FOR_SOLIDS)
        highest = max(self.speed, solids, flows.fastest(s.time, frame_time, dimension), self.forces.fastest)
        pull = self.push + self.buoyancy.greatest(largest)
        # Air at rest crosses `courant` cells in dt² = courant h/pull, or in dt³ = courant h/growth of the pull
        growth = self.buoyancy.greatest(flows.given(count, s.time, frame_time, dimension) + self.fire.given(largest))
        from_rest = max(math.sqrt(courant * self.h * pull), math.cbrt((courant * self.h) ** 2 * growth))
        return self.time_step.divide(frame_time - s.time, max(highest + math.sqrt(self.h * pull), from_rest))

    def advance(self, frame_time: float) -> StepReport:
        """Take one step towards a frame."""
        s = self.state
        if not frame_time > s.time:
            raise ValueError(f"the frame at {frame_time} s is not ahead: the smoke is at {s.time} s already")
        self.report = report = StepReport()
        with timing() as seconds:
            for _ in self.stages(self.next_step(frame_time)):
                pass
            if abs(s.time - frame_time) < 1e-9 * max(frame_time, 1.0):
                s.time = frame_time
        self._complete(report, seconds)
        return report

    def snapshot(self) -> FrameSmoke:
        """What there is now, for a frame."""
        s = self.state
        fields = dict(zip(self.names, s.scalars, strict=True))
        pools = {DENSITY: fields[DENSITY]}
        if WARMTH in fields:
            pools["temperature"] = fields[WARMTH] + np.float32(self.air_temperature)
        for name, colored, those in zip(COLORS, s.scalars[self._colored], self.colors.T, strict=False):
            pools[name] = smoke_tint(colored, fields[DENSITY], those)
        flame = self.fire.flame(s.scalars)
        if flame is not None:
            pools["flame"] = flame
        return FrameSmoke.of(s.envelope.tiles, pools, s.velocity, s.pressure, self.h, self.solids.poses(s.time))

    def stored(self) -> tuple[ArraysByName, dict[str, Any]]:
        """The state for a checkpoint: arrays, and numbers about them."""
        return self.state.stored()

    def restore(self, arrays: StoredArrays, numbers: SmokeNumbers, scene: Scene) -> None:
        """Go back to a state that was stored."""
        box = self.solids.geometry.box
        empty = SmokeState.nothing(scene.dimension, len(self.names), self.wind.velocity)
        state = smoke_from(arrays, numbers, box, empty, fastest_of(scene))
        state.poses = poses_from(arrays, self.solids.poses(state.time))
        self.state, self.cells = state, None

    def _account(self, reason: str, cells: Cells, is_source: bool = False, is_outflow: bool = True) -> None:
        """Write down what there is more or less of than the ledger has."""
        there, ledger = amounts(self.state.scalars, cells, self.capacity, self.h), self.ledger
        known = np.zeros(len(there))
        known[0], known[1:2] = ledger.volume, ledger.heat.get("now", 0.0)
        change = np.where(np.abs(there - known) > _ROUND_OFF * np.abs(known), there - known, 0.0)
        self._book(reason, change, is_source, is_outflow)
        ledger.volume = ledger.particle_volume = float(there[0])

    def _book(self, reason: str, change: NDArray[np.float64], is_source: bool = False, is_outflow: bool = True) -> None:
        """Write down a change of the mass of smoke, kg, and of heat, K m³; in 2-D per metre of depth."""
        ledger, mass = self.ledger, float(change[0])
        if mass != 0 and is_source:
            ledger.bring(mass)
            ledger.brought[reason] = ledger.brought.get(reason, 0.0) + mass
        elif mass != 0:
            self.report.removed[reason] = self.report.removed.get(reason, 0.0) - mass
            ledger.remove(reason, -mass, is_outflow)
        if WARMTH in self.names and change[1] != 0:
            heat = float(change[1])
            ledger.heat[reason] = ledger.heat.get(reason, 0.0) + heat
            ledger.heat["now"] = ledger.heat.get("now", 0.0) + heat

    def _complete(self, report: StepReport, seconds: dict[str, float]) -> None:
        s = self.state
        report.time, report.seconds = s.time, dict(seconds)
        if self.cells is not None:
            report.liquid_cells, report.tiles = self.cells.liquid_count, self.cells.tiles.count
        report.volume = self.ledger.volume
        if not math.isfinite(self.speed):
            raise DivergedError(f"step {s.steps} at t = {s.time:.6g} s diverged: the velocity is not finite")
        self.ledger.refuse_divergence(f"step {s.steps} to t = {s.time:.6g} s")
