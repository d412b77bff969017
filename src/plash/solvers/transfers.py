"""How velocity is carried along: traced back on the grid, or by the particles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

import numpy as np

from plash.grid.cells import WET, Cells, forget_dry_faces
from plash.grid.extrapolate import extrapolate
from plash.grid.fields import FaceField
from plash.grid.whole_arrays import turn_into_change
from plash.particles.continuation import hold_change_to_particles, hold_to_particles
from plash.particles.from_grid import grid_to_affine_particles, grid_to_particles
from plash.particles.shallow import fade_shallow_slopes, hold_tips
from plash.particles.to_grid import particles_to_grid
from plash.physics.advection import trace_back
from plash.scene.model import Scene
from plash.solvers.state import State
from plash.solvers.timestep import wave_step

_LAYERS = 3  # of faces round the liquid that particles near its surface may read


class Transfer(Protocol):
    """A way to carry velocity along. `to_grid` and `to_particles` return how many samples met no known value."""

    rows: Mapping[str, int]  # how many particles need of what they carry for this transfer alone, by name

    def to_grid(self, state: State, cells: Cells) -> tuple[FaceField, int]:
        """The velocity on wet faces after it was carried along with the liquid; unknown elsewhere."""

    def reach(self, courant: float) -> int:
        """In how many layers of faces round the liquid the velocity has to be known."""

    def hold_continued(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Limit the new velocity, where it was continued beyond the liquid, to what particles there can have."""

    def to_particles(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> int:
        """Give particles what they have to know of the new velocity."""


def rows_of(transfer: Transfer, scene: Scene) -> dict[str, int]:
    """How many numbers particles carry of what a transfer or a scene asks for, by name."""
    return {**transfer.rows, **scene.carries}


class SemiLagrangian:
    """Velocity lives on the grid and is traced back; particles only mark where the liquid is (Cline step 3a)."""

    rows: Mapping[str, int] = MappingProxyType({})

    def __init__(self, h: float) -> None:
        self.h = h

    def to_grid(self, state: State, cells: Cells) -> tuple[FaceField, int]:
        """Trace every wet face back through the velocity of the step before."""
        if state.velocity is None:
            return _on_wet_faces(particles_to_grid(state.particles), cells)
        velocity, missing = trace_back(state.velocity.moved_to(state.tiles), cells, 2 * state.lag, self.h)
        if missing:
            velocity, missing = _completed(velocity, state, cells)
        state.carried = velocity.copy()
        return velocity, missing

    def reach(self, courant: float) -> int:
        """As far as liquid comes in a step: a face that becomes wet is traced back from there."""
        return math.ceil(courant) + 2

    def hold_continued(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> None:
        """Nothing: particles carry no velocity."""

    def to_particles(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> int:
        """Markers take the grid's velocity, to show it; nothing depends on it."""
        return grid_to_particles(state.particles, velocity, None, 0.0)


class _ByParticles:
    """What all transfers share in which particles carry the velocity."""

    def __init__(self, acceleration: float, h: float) -> None:
        self.acceleration = acceleration  # the largest that forces give, m/s²
        self.h = h

    def to_grid(self, state: State, cells: Cells) -> tuple[FaceField, int]:
        """Average the particles' velocities; what they bring to all faces they reach is kept in the state."""
        velocity = particles_to_grid(state.particles)
        state.carried = velocity.copy()
        return _on_wet_faces(velocity, cells)

    def reach(self, courant: float) -> int:
        """As far as particles lie outside of the liquid: they look at the velocity where the step begins only."""
        return _LAYERS

    def hold_continued(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> None:
        """By what particles brought."""
        assert state.carried is not None
        hold_to_particles(velocity, state.carried, cells, self.acceleration * dt)
        hold_tips(velocity, state.carried, cells, self.h)


class Pic(_ByParticles):
    """Particles take the grid's velocity: stable, and viscous like honey."""

    rows: Mapping[str, int] = MappingProxyType({})

    def to_particles(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> int:
        """Take the new velocity."""
        return grid_to_particles(state.particles, velocity, None, 0.0)


class Flip(_ByParticles):
    """Particles add the change of the grid's velocity: lively, and noisy at ratio 1. They move with the grid's."""

    def __init__(self, dimension: int, ratio: float, acceleration: float, h: float) -> None:
        self.rows: Mapping[str, int] = {"slip": dimension}
        super().__init__(acceleration, h)
        self.ratio = ratio
        self._before: FaceField | None = None

    def to_grid(self, state: State, cells: Cells) -> tuple[FaceField, int]:
        """Average the particles' velocities, and remember the result."""
        velocity, missing = super().to_grid(state, cells)
        self._before = velocity.copy()
        return velocity, missing

    def to_particles(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> int:
        """Add what changed since, as far out as the new velocity reaches."""
        change, self._before = self._before, None
        assert change is not None
        assert state.carried is not None
        turn_into_change(change.pool, velocity.pool)
        forget_dry_faces(change, cells)
        extrapolate(change, 2)
        hold_change_to_particles(change, state.carried, cells, self.acceleration * dt)
        return grid_to_particles(state.particles, velocity, change, self.ratio)


class Apic(_ByParticles):
    """Particles carry velocity and its gradient: keeps affine motion and angular momentum, with little noise."""

    def __init__(self, dimension: int, acceleration: float, h: float) -> None:
        super().__init__(acceleration, h)
        self.rows: Mapping[str, int] = {"affine": dimension**2}

    def to_particles(self, state: State, velocity: FaceField, cells: Cells, dt: float) -> int:
        """Take the new velocity and its gradient, which fades where liquid is thinner than a cell."""
        missing = grid_to_affine_particles(state.particles, velocity)
        fade_shallow_slopes(state.particles, cells, dt, wave_step(self.h, self.acceleration), self.h)
        return missing


def _completed(velocity: FaceField, state: State, cells: Cells) -> tuple[FaceField, int]:
    """What has no past on the grid, such as drops that flew and meet, takes the velocity of its particles."""
    carried, missing = _on_wet_faces(particles_to_grid(state.particles), cells)
    velocity.pool = np.where(np.isnan(velocity.pool), carried.pool, velocity.pool)
    return velocity, missing


def _on_wet_faces(velocity: FaceField, cells: Cells) -> tuple[FaceField, int]:
    """Forget dry faces; a wet face that no particle reached takes the mean of its neighbours."""
    missing = forget_dry_faces(velocity, cells)
    if missing.any():
        extrapolate(velocity, 2, wanted=missing > 0)
        missing = forget_dry_faces(velocity, cells)
    if missing.any():
        is_wet = (cells.faces & WET) > 0
        velocity.pool[is_wet & np.isnan(velocity.pool)] = 0
    return velocity, int(missing.sum())
