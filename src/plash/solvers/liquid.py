"""The liquid solver: one time step of Cline's figure 3, with the corrections of docs/theory.

1.  time step                         `next_step`
2.  grid from the marker particles    "Where everything is"
3a  convection, 3b forces, 3c viscosity      "How fast it would go on its own"
3d, 3e pressure, 3f extrapolation, 3g solids "Make it incompressible"
4.  particles, to frames and beyond   "Carry everything along"
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from plash.errors import DivergedError, SealedError
from plash.grid.cells import Cells
from plash.grid.extrapolate import extrapolate
from plash.grid.fields import FaceField, fastest
from plash.grid.sample import velocity_at
from plash.grid.whole_arrays import copied
from plash.linear.pcg import Solution
from plash.particles.collide import Start
from plash.particles.move import accelerate, move_particles, stop_accelerating, velocity_after
from plash.particles.particles import Particles
from plash.particles.sort import sort_particles
from plash.physics.colors import Colors, NoColors
from plash.physics.compatibility import refuse_compression
from plash.physics.density_projection import DensityCorrection
from plash.physics.elasticity.base import Elasticity, NoElasticity
from plash.physics.flow.sinks import Sinks
from plash.physics.flow.sources import RunningInlets, Sources
from plash.physics.forces import Forces
from plash.physics.heat.heat import Heat, NoHeat
from plash.physics.pressure import PressureSolver
from plash.physics.solids.base import SceneSolids, Solids
from plash.physics.straight_paths import straight_path_divergence
from plash.physics.viscosity.base import Viscosity
from plash.physics.viscosity.path_strain import StraightPaths
from plash.physics.viscosity.viscosity_field import OneViscosity, ViscosityField
from plash.scene.model import Scene
from plash.scene.solver import MOST_FOR_SOLIDS
from plash.solvers.frame import FrameParticles, nowhere
from plash.solvers.ledger import Ledger
from plash.solvers.limits import bounds_of
from plash.solvers.liquid_stored import LiquidNumbers, liquid_from, stored_liquid
from plash.solvers.poses import poses_from
from plash.solvers.state import State
from plash.solvers.step_stage import StepStage
from plash.solvers.stored import ArraysByName, StateNumbers, StoredArrays
from plash.solvers.surface_tracker import SurfaceTracker
from plash.solvers.timestep import TimeStep
from plash.solvers.transfers import Transfer, rows_of
from plash.timing import StepReport, stage, timing

_SIDES = ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")
_RETRIES = 4
_KILL_TILES = 1 << 19  # tiles from the origin at which liquid in an unbounded domain is given up


@dataclass(eq=False)
class LiquidSolver:
    """A liquid with a free surface. `solvers/build/liquid.py` makes one from a scene.

    Step it whole with `advance`, or stage by stage:

        >>> import plash
        >>> solver = plash.build(plash.load_scene("dam_break_2d", resolution=16))
        >>> [stage.name for stage in solver.stages(dt=0.01)]
        ['grid', 'advect', 'forces', 'project', 'extrapolate', 'move']
    """

    numbers: ClassVar[type[StateNumbers]] = LiquidNumbers

    state: State
    ledger: Ledger
    h: float
    time_step: TimeStep
    solids: SceneSolids[Any]
    surface_tracker: SurfaceTracker
    transfer: Transfer
    forces: Forces
    viscosity: Viscosity
    pressure: PressureSolver
    density_correction: DensityCorrection
    heat: Heat = field(default_factory=NoHeat)
    colors: Colors = field(default_factory=NoColors)
    viscosity_field: ViscosityField = field(default_factory=OneViscosity)
    elasticity: Elasticity = field(default_factory=NoElasticity)
    sources: Sources = field(default_factory=Sources)
    sinks: Sinks = field(default_factory=Sinks)
    steps_cross_frames: bool = False
    report: StepReport = field(default_factory=StepReport)
    solves: list[Solution] = field(default_factory=list)
    path_divergence: NDArray[np.float64] | None = field(default=None, init=False)
    _before: NDArray[np.float32] | None = field(default=None, init=False)  # for velocities that are compared with

    def stages(self, dt: float, moved: float | None = None) -> Iterator[StepStage[FaceField]]:
        """Take one step, pausing after each stage to show what it did.

        Args:
            dt: Length of the step, s.
            moved: For how long to move particles now, s; `advect_particles` moves them for the rest of dt later.
        """
        s, report = self.state, self.report
        kick = s.lag + dt / 2

        # Where everything is
        solids, inlets, cells, volume = self.spread_out(dt)
        warmth = self.heat.at(s.particles, cells)
        s.viscosity = self.viscosity_field.at(s.particles, cells)
        elastic = self.elasticity.at(s, cells, solids, dt)
        yield StepStage("grid")

        # How fast it would go on its own
        s.velocity, report.unknown_reads = self.transfer.to_grid(s, cells)
        self.path_divergence = straight_path_divergence(s.velocity, cells, dt, self.h)
        solids.bend_paths(self.path_divergence, s.velocity, dt, self.h)
        elastic.settle(self.path_divergence, s.target_fill)
        inlets.forget_paths(self.path_divergence)
        yield StepStage("advect", s.velocity)
        self.forces.add(s.velocity, cells, s.time, kick)
        warmth.lift(s.velocity, kick)
        inlets.enforce_inlet_flux(s.velocity)
        drained = self.sinks.inflow(cells, self.ledger.removed, s.time, dt)
        inlets = inlets.with_drains(drained)
        paths = None if s.carried is None else StraightPaths(s.carried, self.path_divergence, dt)
        viscous = elastic.apply(self.viscosity, s.velocity, kick, inlets, paths)
        yield StepStage("forces", s.velocity)

        # Make it incompressible
        solids.enforce_no_flux(s.velocity, cells, kick)
        inlets.enforce_inlet_flux(s.velocity)
        known = viscous.pressure
        projection = self.pressure.project(s.velocity, cells, kick, inlets.inflow, self.path_divergence, known)
        s.pressure, self.solves = projection.pressure, projection.solves
        refuse_compression(projection.cells, projection.system.closed, (solids, inlets), drained, self.h)
        yield StepStage("project", s.velocity)
        extrapolate(s.velocity, self.transfer.reach(self.time_step.courant))
        self.transfer.hold_continued(s, s.velocity, projection.cells, kick)
        viscous.continue_outside(s.velocity, projection.cells)
        solids.enforce_slip(s.velocity, projection.cells, kick)
        inlets.enforce_inlet_velocity(s.velocity)
        yield StepStage("extrapolate", s.velocity)

        # Carry everything along
        before = self._before = copied(s.particles.velocity, self._before)
        report.unknown_reads += self.transfer.to_particles(s, s.velocity, cells, kick)
        self.forces.add_to_ballistic(s.particles, s.time, kick)
        viscous.hold_alone(s.particles, s.velocity, projection.cells)
        elastic.keep_momentum(before, kick)
        accelerate(s.particles, before, kick)
        elastic.strain(s.velocity)
        s.velocity_time, s.kick = s.time + dt / 2, kick
        conduction = warmth.spread(s.particles, solids, s.time, dt)
        self.heat.account(s.particles, self.ledger.heat, "walls")
        self.heat.hold(s.particles, s.time, dt)
        self.heat.account(s.particles, self.ledger.heat, "heaters")
        self.colors.spread(s.particles, cells, self.ledger.colors, s.time, dt)
        s.target_fill = self.density_correction.target_fill(s.target_fill, s.particles, volume, dt)
        equations = projection.cells, solids, projection.system
        density = self.density_correction.correct(s.particles, *equations, s.target_fill, dt)
        self.solves = [*projection.solves, density]
        s.unspent = dt
        moved = dt if moved is None else moved
        self.advect_particles(moved, solids)
        self.come_and_go(moved)
        s.steps += 1
        yield StepStage("move", s.velocity)

        report.dt, report.iterations, report.residual = dt, projection.iterations, projection.residual
        report.density_iterations, report.density_residual = density.iterations, density.relative_residual
        report.viscosity_iterations, report.viscosity_residual = viscous.iterations, viscous.residual
        report.heat_iterations, report.heat_residual = conduction.iterations, conduction.relative_residual
        report.excess = projection.excess

    def spread_out(self, dt: float) -> tuple[Solids, RunningInlets, Cells, float]:
        """See where everything is at the start of a step of dt (s), and spread particles where they are crowded.

        Returns:
            As `label` does.
        """
        s = self.state
        solids, inlets, cells, volume = self.label(dt)
        if not self.density_correction.are_crowded(cells, s.target_fill):
            return solids, inlets, cells, volume
        system = self.pressure.system(cells)
        is_separating = self.pressure.separating_walls
        self.density_correction.correct(s.particles, cells, solids, system, s.target_fill, dt, is_separating)
        self._confine(solids, None, s.time, 0.0)
        return self.label(dt)

    def label(self, dt: float = 0.0) -> tuple[Solids, RunningInlets, Cells, float]:
        """See where everything is at the start of a step of dt (s).

        Returns:
            The solids and the inlets of the step, what cells hold, and the volume of the liquid in cells.
        """
        s = self.state
        marked = sort_particles(s.particles, self.buffer)
        s.began, s.length, s.poses = s.time, dt, self.solids.poses(s.time)
        solids = self.solids.at(s.tiles, s.poses, s.time, dt)
        inlets = self.sources.at(solids, s.time, dt)
        cells, unseen = self.surface_tracker.label(s.particles, marked, inlets.solids)
        volume = self.surface_tracker.volume(cells)
        self.ledger.measure(volume, *unseen, self.h**s.particles.dimension)
        s.cells = self.sinks.opened(cells, s.time)
        return solids, inlets.beside_air(s.cells), s.cells, volume

    def begin(self, state: State) -> None:
        """Begin with a state, whose liquid the ledger counts as that of the start."""
        volume = state.particles.total_volume() * self.h**state.particles.dimension
        self.state = state
        self.ledger = replace(self.ledger, initial=volume, particle_volume=volume, volume=volume, heat={}, colors={})
        self.heat.account(state.particles, self.ledger.heat, "initial")
        self.colors.begin(state.particles, self.ledger.colors)

    @property
    def buffer(self) -> int:
        """Cells round the liquid in which tiles exist."""
        return math.ceil(self.time_step.courant) + 2

    @property
    def speed(self) -> float:
        """Upper bound of the liquid's speed, m/s."""
        s = self.state
        components = s.particles.velocity if s.velocity is None else s.velocity.pool
        return float(np.linalg.norm(fastest(components)))

    def next_step(self, frame_time: float) -> float:
        """Length of the next step on the way to a frame, s."""
        time = self.state.time
        if self.steps_cross_frames:
            until = time + min(self.time_step.limit(self.speed), 2 * (frame_time - time))
            longest = self.time_step.limit(self._fastest(time, until))
            return longest if math.isfinite(longest) else until - time
        return self.time_step.divide(frame_time - time, self._fastest(time, frame_time))

    def _fastest(self, time: float, until: float) -> float:
        """Highest speed that there is, or that sources, pumps and solids will bring between two times, m/s.

        Solids count as so much faster that none crosses more cells than it may.
        """
        solids = self.solids.fastest(time, until) * max(1.0, self.time_step.courant / MOST_FOR_SOLIDS)
        return max(self.speed, self.sources.fastest(time, until), solids, self.forces.fastest)

    def advance(self, frame_time: float) -> StepReport:
        """Take one step towards a frame; particles stop there, and the velocity may reach beyond."""
        s = self.state
        remaining = frame_time - s.time
        if not remaining > 0:
            raise ValueError(f"the frame at {frame_time} s is not ahead: the liquid is at {s.time} s already")
        self.report, self.solves = StepReport(), []
        report = self.report
        with timing() as seconds:
            if s.unspent > 0 and s.velocity is not None:
                report.dt = s.unspent
                solids = self.solids.at(s.tiles, self.solids.poses(s.time), s.time, s.unspent)
                moved = min(s.unspent, remaining)
                self.advect_particles(moved, solids)
                self.come_and_go(moved)
            else:
                self._step(self.next_step(frame_time), remaining)
            if abs(s.time - frame_time) < 1e-9 * max(frame_time, 1.0):
                s.time = frame_time
        self._complete(report, seconds)
        return report

    def snapshot(self) -> FrameParticles:
        """The particles and their velocities as they are now, and where solids that move are, for a frame."""
        s = self.state
        field = s.velocity_now()
        velocity = nowhere if field is None else functools.partial(velocity_at, field, h=self.h)
        own = velocity_after(s.particles, s.lag, self.time_step.gravity)
        return FrameParticles.of(s.particles, self.h, velocity, self.solids.poses(s.time), own, s.shown_pressure())

    def stored(self) -> tuple[ArraysByName, dict[str, Any]]:
        """The state for a checkpoint: arrays, and numbers about them."""
        return stored_liquid(self.state)

    def restore(self, arrays: StoredArrays, numbers: LiquidNumbers, scene: Scene) -> None:
        """Go back to a state that was stored."""
        state = liquid_from(arrays, numbers, bounds_of(scene), rows_of(self.transfer, scene))
        if state.cells is not None:
            state.poses = poses_from(arrays, self.solids.poses(state.began))
            cut_cells = self.solids.at(state.cells.tiles, state.poses, state.began, state.length).cut_cells
            state.cells = replace(state.cells, cut_cells=cut_cells)
        self.state = state

    def _step(self, dt: float, remaining: float) -> None:
        """Take a step; one that diverges is taken again with half its length, a few times.

        Particles are carried along last, when the velocity is known to be sound: until then nothing is lost.
        """
        s = self.state
        known = s.velocity, s.cells, s.pressure
        for attempt in range(_RETRIES + 1):
            try:
                for _ in self.stages(dt, min(dt, remaining)):
                    pass
            except SealedError:
                raise
            except DivergedError as error:
                s.velocity, s.cells, s.pressure = known
                self.report.retries = attempt + 1
                if attempt == _RETRIES:
                    raise DivergedError(
                        f"step {s.steps + 1} at t = {s.time:.6g} s diverged, and so did {_RETRIES} shorter ones, down "
                        f"to {dt:.3g} s: {error}. A smaller solver.courant or a higher domain.resolution may help"
                    ) from error
                dt /= 2
            else:
                return

    @stage
    def advect_particles(self, dt: float, solids: Solids) -> None:
        """Move particles for dt, and keep them out of solids and in the domain."""
        s, report = self.state, self.report
        report.courant = max(report.courant, self.speed * dt / self.h)
        start = solids.remember(s.particles)
        move_particles(s.particles, dt, self.h)
        self._confine(solids, start, s.time, dt)
        s.particles.let_pass(dt)

    @stage
    def come_and_go(self, dt: float) -> None:
        """Let the time dt pass: liquid comes in from sources, and goes out into sinks."""
        s, ledger, end = self.state, self.ledger, self.state.time + dt
        cell_volume = self.h**s.particles.dimension
        for reason, volume in self.sinks.take(s.particles, s.tiles, ledger.removed, s.time, end).items():
            self._remove(reason, volume * cell_volume, is_outflow=True)
        self.heat.account(s.particles, ledger.heat, "outflow")
        self.colors.account(s.particles, ledger.colors, "outflow")
        when = (s.time, end, s.velocity_time)
        emitted = self.sources.emit(s.particles, s.cells, ledger.brought, *when, self._acceleration)
        ledger.bring(emitted * cell_volume)
        self.heat.account(s.particles, ledger.heat, "inflow")
        self.colors.account(s.particles, ledger.colors, "inflow")
        s.time = end
        # What came into a domain without liquid has no velocity on the grid: it waits for the next step
        s.unspent = max(0.0, s.unspent - dt) if s.particles.tiles is not None else 0.0

    def _confine(self, solids: Solids, start: Start | None, time: float, dt: float) -> None:
        """Put particles back that went into solids, and take out those that left the domain."""
        particles = self.state.particles
        free = self._before = copied(particles.velocity, self._before)
        left, stuck = solids.collide(particles, start, time, dt)
        stop_accelerating(particles, free)
        if stuck:
            for name, count in self.solids.count_inside(particles, time + dt).items():
                self.ledger.leaks[name] = max(self.ledger.leaks[name], count)
        if left is not None:
            cell_volume = self.h**particles.dimension
            for side in np.unique(left[left > 0]):
                volume = float(particles.volume[left == side].sum(dtype=np.float64)) * cell_volume
                self._remove(f"left through {_SIDES[side - 1]}", volume, is_outflow=True)
            particles.keep(left == 0)
        self._give_up_far_particles()
        self.heat.account(particles, self.ledger.heat, "outflow")
        self.colors.account(particles, self.ledger.colors, "outflow")

    def _acceleration(self, new: Particles, time: float) -> NDArray[np.float32]:
        """What forces give to new particles in a second, m/s²; a pump that sets velocities gives nothing."""
        velocity, new.ballistic[:] = new.velocity.copy(), True
        self.forces.add_to_ballistic(new, time, 0.0)
        start = new.velocity.copy()
        self.forces.add_to_ballistic(new, time, 1.0)
        acceleration: NDArray[np.float32] = new.velocity - start
        new.velocity, new.ballistic[:] = velocity, False
        return acceleration

    def _give_up_far_particles(self) -> None:
        """Take out what fell beyond the kill distance of an unbounded domain."""
        particles, tiles = self.state.particles, self.state.tiles
        if tiles.count == 0 or int(np.abs(tiles.coordinates[1:]).max()) < _KILL_TILES:
            return
        furthest = np.abs(particles.cell).max(axis=0)
        lost = furthest > _KILL_TILES * tiles.shape[2]
        if lost.any():
            volume = float(particles.volume[lost].sum(dtype=np.float64)) * self.h**particles.dimension
            self._remove(f"beyond {_KILL_TILES * tiles.shape[2] * self.h:.3g} m", volume, is_outflow=True)
            particles.keep(~lost)

    def _remove(self, reason: str, volume: float, is_outflow: bool) -> None:
        self.ledger.remove(reason, volume, is_outflow)
        self.report.removed[reason] = self.report.removed.get(reason, 0.0) + volume

    def _complete(self, report: StepReport, seconds: dict[str, float]) -> None:
        s = self.state
        cell_volume = self.h**s.particles.dimension
        report.time, report.seconds = s.time, dict(seconds)
        if s.cells is not None:
            report.liquid_cells, report.tiles = s.cells.liquid_count, s.cells.tiles.count
        report.particles = s.particles.count
        report.volume = self.ledger.volume
        self.ledger.particle_volume = s.particles.total_volume() * cell_volume
        self.ledger.refuse_divergence(f"step {s.steps} to t = {s.time:.6g} s")
