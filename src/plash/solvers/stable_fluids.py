"""Stable fluids (Stam 1999), as Kuo makes liquids of them: one time step, with the corrections of docs/stable_fluids.

AddForce, Advect, Diffuse      "How fast it would go on its own"
ConserveMass                   "Make it incompressible"
UpdateScalar                   "Carry everything along"

The fluid fills the box, and the liquid is where its density is; walls and bodies are reset after every sub-step.
The velocity is traced through what the last projection left, which is free of divergence. Half of the last pressure
pulls before that and half after, and the projection corrects it: so the step is of second order. A pressure that comes
only at the end takes a share of about (U k dt)²/4 from a vortex sin(kx) cos(ky) of speed U in every step. It never
pulls for longer than the step it was found in, since that of a sudden push grows as 1/dt: then |u|² + 2 |g|², with g
what it pulls in half a step, grows by no more than forces and interpolation add, and no step is too long. Buoyancy,
which such a pressure holds in balance, lifts for the same halves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from plash.errors import DivergedError
from plash.grid.box import subtract_box_gradient
from plash.physics.box.advection import BackwardTrace, DenseAdvection, Paths
from plash.physics.box.diffusion import Diffusion
from plash.physics.box.heat import Heat, NoHeat
from plash.physics.box.obstacles import Obstacles
from plash.physics.box.pouring import BoxForce, BoxSource
from plash.physics.box.pressure import DenseProjection
from plash.physics.box.sides import BoxSides
from plash.physics.box.sinks import BoxSinks
from plash.physics.box.vorticity import Confinement
from plash.scene.model import Scene
from plash.solvers.box_state import BoxNumbers, BoxState, box_from
from plash.solvers.frame import FrameGrids
from plash.solvers.ledger import Ledger
from plash.solvers.limits import fastest
from plash.solvers.step_stage import StepStage
from plash.solvers.stored import ArraysByName, StateNumbers, StoredArrays
from plash.solvers.timestep import TimeStep
from plash.timing import StepReport, timing

Array = NDArray[np.float64]

_RUBBED = 3  # sub-steps before the projection, after each of which bodies rub


@dataclass(eq=False)
class StableFluidsSolver:
    """A fluid that fills a box, and the liquid in it. `solvers/build/liquid.py` makes one from a scene.

    Step it whole with `advance`, or stage by stage:

        >>> import plash
        >>> solver = plash.build(plash.load_scene("kuo_pour", resolution=16))
        >>> [stage.name for stage in solver.stages(dt=0.01)]
        ['force', 'advect', 'diffuse', 'project', 'scalars']

    Forces, pours and obstacles may be replaced between steps.
    """

    numbers: ClassVar[type[StateNumbers]] = BoxNumbers

    state: BoxState
    ledger: Ledger
    h: float
    rho: float
    time_step: TimeStep
    obstacles: Obstacles
    forces: Sequence[BoxForce]
    pours: Sequence[BoxSource]
    confinement: Confinement
    advection: DenseAdvection
    viscosity: Diffusion
    diffusion: Diffusion
    projection: DenseProjection
    heat: Heat = field(default_factory=NoHeat)
    sides: BoxSides = field(default_factory=BoxSides)
    sinks: BoxSinks = field(default_factory=BoxSinks)
    weight_speed: float = 0.0
    report: StepReport = field(default_factory=StepReport)

    def stages(self, dt: float) -> Iterator[StepStage[Array]]:
        """Take one step of dt (s), pausing after each stage to show what it did."""
        s = self.state

        # How fast it would go on its own
        paths = self._paths(dt)
        pulled = min(dt, s.last_step)
        velocity = s.faces.copy()
        self._add_forces(velocity, dt)
        self._pull(velocity, pulled / 2)
        self._reset(velocity, dt)
        yield StepStage("force", velocity)
        velocity = self._carried(velocity, paths)
        self._reset(velocity, dt)
        yield StepStage("advect", velocity)
        self._diffuse(velocity, dt)
        self._reset(velocity, dt)
        yield StepStage("diffuse", velocity)

        # Make it incompressible
        self._pull(velocity, pulled / 2)
        self.heat.lift(velocity, s.density, s.scalars, dt / 2)
        self.obstacles.close(velocity)
        asked = self.sinks.divergence(s.density, s.time, dt, self._owed())
        found = self.projection.project(velocity, asked)
        s.faces, s.pressure = velocity, (pulled / dt) * s.pressure + (self.rho / dt) * found.potential
        self._refuse_divergence()
        yield StepStage("project", velocity)

        # Carry everything along
        paths = self._paths(dt)
        self._pour(dt)
        self._drain(asked, dt)
        s.density = self._refillable(self._updated(s.density, paths, dt), s.density, paths)
        s.scalars = self._other_scalars(paths, dt) | self.heat.updated(s.scalars, paths, s.time, dt)
        s.time, s.last_step = s.time + dt, dt
        s.steps += 1
        yield StepStage("scalars", velocity)

        report = self.report
        report.dt, report.iterations, report.residual = dt, found.iterations, found.residual
        report.courant = self.speed * dt / self.h

    def begin(self, state: BoxState) -> None:
        """Begin with a state, whose liquid the ledger counts as that of the start."""
        volume = float(state.density.sum()) * self.h**state.density.ndim
        self.state = state
        self.ledger = Ledger(initial=volume, particle_volume=volume, volume=volume)

    @property
    def speed(self) -> float:
        """Upper bound of the fluid's speed, m/s."""
        return math.hypot(*(max(float(part.max()), -float(part.min())) for part in self.state.faces))

    def next_step(self, frame_time: float) -> float:
        """Length of the next step on the way to a frame, s."""
        time, drained = self.state.time, self.h * self.sinks.emptied(self.state.time, frame_time)
        fastest = max([self.speed, drained, *(pour.fastest(time, frame_time) for pour in self.pours)])
        # Liquid at rest crosses `courant` cells in dt² = courant h/g
        from_rest = math.sqrt(self.time_step.courant) * self.weight_speed
        return self.time_step.divide(frame_time - time, max(fastest + self.weight_speed, from_rest))

    def advance(self, frame_time: float) -> StepReport:
        """Take one step towards a frame."""
        s = self.state
        if not frame_time > s.time:
            raise ValueError(f"the frame at {frame_time} s is not ahead: the fluid is at {s.time} s already")
        self.report = report = StepReport()
        with timing() as seconds:
            for _ in self.stages(self.next_step(frame_time)):
                pass
            if abs(s.time - frame_time) < 1e-9 * max(frame_time, 1.0):
                s.time = frame_time
        self._complete(report, seconds)
        return report

    def snapshot(self) -> FrameGrids:
        """The fields as they are now, for a frame."""
        return FrameGrids.of(self.state, self.h)

    def stored(self) -> tuple[ArraysByName, dict[str, Any]]:
        """The state for a checkpoint: arrays, and numbers about them."""
        return self.state.stored()

    def restore(self, arrays: StoredArrays, numbers: BoxNumbers, scene: Scene) -> None:
        """Go back to a state that was stored."""
        self.state = box_from(arrays, numbers, self.state.density.shape, self.heat.names, fastest(scene))

    def _refuse_divergence(self) -> None:
        """End a run whose velocity is not finite, before it carries anything along."""
        s = self.state
        if not math.isfinite(self.speed):
            raise DivergedError(f"step {s.steps + 1} at t = {s.time:.6g} s diverged: the velocity is not finite")

    def _paths(self, dt: float) -> Paths:
        return self.advection.paths(self.obstacles.continued_faces(self.state.faces), dt, self.h)

    def _add_forces(self, velocity: Array, dt: float) -> None:
        s = self.state
        for force in self.forces:
            force.add(velocity, s.density, s.time, dt)
        self.heat.lift(velocity, s.density, s.scalars, dt / 2)
        self.confinement.add(velocity, dt)
        for pour in self.pours:
            pour.drive(velocity, s.time, dt)

    def _pull(self, velocity: Array, dt: float) -> None:
        """Let the last pressure act for dt."""
        if dt > 0:
            subtract_box_gradient(velocity, self.state.pressure, self.h * self.rho / dt)

    def _reset(self, velocity: Array, dt: float) -> None:
        """Foster & Metaxas: after every sub-step; together they rub for dt."""
        self.obstacles.slow_by_friction(velocity, dt / _RUBBED)
        self.sides.slow_by_friction(velocity, dt / _RUBBED)
        self.obstacles.close(velocity)

    def _carried(self, velocity: Array, paths: Paths) -> Array:
        whole = self.obstacles.continued_faces(velocity)
        return np.stack([self.advection.carried(part, paths, axis) for axis, part in enumerate(whole)])

    def _diffuse(self, velocity: Array, dt: float) -> None:
        for axis, component in enumerate(velocity):
            self.viscosity.apply(component, dt, axis)

    def _updated(self, values: Array, paths: Paths, dt: float) -> Array:
        """Kuo's UpdateScalar, after the source: carried along and spread, and none of it in bodies."""
        self.obstacles.clear(values)
        carried = self.advection.carried(self.obstacles.continued(values), paths)
        self.obstacles.clear(carried)
        self.diffusion.apply(carried, dt)
        self.obstacles.clear(carried)
        return carried

    def _other_scalars(self, paths: Paths, dt: float) -> dict[str, Array]:
        """Those that are carried along as the density is."""
        others = {name: values for name, values in self.state.scalars.items() if name not in self.heat.names}
        return {name: self._updated(values, paths, dt) for name, values in others.items()}

    def _pour(self, dt: float) -> None:
        s = self.state
        for pour in self.pours:
            volume = self.heat.pour(pour, s.density, s.scalars, s.time, dt) * self.h**s.density.ndim
            self.ledger.bring(volume)
            if volume > 0 and pour.name:
                self.ledger.brought[pour.name] = self.ledger.brought.get(pour.name, 0.0) + volume

    def _owed(self) -> dict[str, float]:
        """What sinks still have to take of what spouts brought, in cells."""
        owed = self.sinks.owed(self.ledger.brought, self.ledger.removed)
        return {name: volume / self.h**self.state.density.ndim for name, volume in owed.items()}

    def _drain(self, asked: Array | None, dt: float) -> None:
        s = self.state
        for name, volume in self.sinks.take(s.density, asked, s.time, dt).items():
            volume *= self.h**s.density.ndim
            self.report.removed[name] = volume
            self.ledger.remove(name, volume, is_outflow=True)

    def _refillable(self, updated: Array, before: Array, paths: Paths) -> Array:
        """The density with what a plain trace leaves in the cells of pours, which the next step fills up again.

        What is added then is the inflow. MacCormack's correction would be out of balance there: it gives behind an edge
        what it takes before it, where nothing is left to take.
        """
        if self.pours:
            inside = np.logical_or.reduce([pour.share > 0 for pour in self.pours])
            updated = np.where(inside, BackwardTrace().carried(before, paths), updated)
            self.obstacles.clear(updated)
        return updated

    def _complete(self, report: StepReport, seconds: dict[str, float]) -> None:
        s = self.state
        report.time, report.seconds = s.time, dict(seconds)
        report.liquid_cells = int(np.count_nonzero(s.density > 0.5))
        report.volume = float(s.density.sum()) * self.h**s.density.ndim
        self.ledger.volume = self.ledger.particle_volume = report.volume
        self.ledger.refuse_divergence(f"step {s.steps} to t = {s.time:.6g} s")
