"""Everything that changes from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from plash.grid.cells import LIQUID, Cells
from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.physics.elasticity.strain_field import StrainField
from plash.physics.solids.rigid_motion import Poses
from plash.solvers.frame_pressure import FramePressure


@dataclass(eq=False)
class State:
    """The liquid at one moment.

    Attributes:
        particles: The liquid itself.
        velocity: On faces, m/s; None before the first step.
        carried: What was brought to faces at the start of the last step, before forces, m/s.
        cells: What each cell holds; None before the first step.
        pressure: In liquid cells, Pa; None before the first step.
        viscosity: Kinematic, m²/s, at the centres of liquid cells and of those round them; None where it is the same
            everywhere.
        strain: Elastic strain on the grid; None if the liquid has none, or particles carry it.
        time: Of the particles' positions, s.
        velocity_time: Of velocities, s: half a step before the time once a step is done.
        kick: How long forces and pressure acted to bring velocities there, s.
        unspent: How far, in s, the velocity reaches beyond the particles' time (steps that cross frames).
        steps: How many steps have been taken.
        target_fill: Fill fraction that the inside of the liquid is kept at: 1, or a little off it to keep volume.
        began: When the last step began, s.
        length: How long it was, s.
        poses: Where the solids that move were when it began, by name.
    """

    particles: Particles
    velocity: FaceField | None = None
    carried: FaceField | None = None
    cells: Cells | None = None
    pressure: CellField | None = None
    viscosity: CellField | None = None
    strain: StrainField | None = None
    time: float = 0.0
    velocity_time: float = 0.0
    kick: float = 0.0
    unspent: float = 0.0
    steps: int = 0
    target_fill: float = 1.0
    began: float = 0.0
    length: float = 0.0
    poses: Poses = field(default_factory=dict)

    @property
    def lag(self) -> float:
        """By how much velocities lag behind positions, s: half of a step that is done."""
        return self.time - self.velocity_time

    def shown_pressure(self) -> FramePressure:
        """The pressure of the last step in the cells that were liquid then."""
        if self.pressure is None or self.cells is None:
            return FramePressure.none(self.particles.dimension)
        return FramePressure.of(self.pressure, self.cells.label == LIQUID)

    def velocity_now(self) -> FaceField | None:
        """The velocity on faces at the time of the particles, m/s: as in the last step it goes on to change."""
        if self.velocity is None or self.carried is None or self.kick == 0:
            return self.velocity
        change = self.velocity.pool - self.carried.pool
        later = self.velocity.pool + np.float32(self.lag / self.kick) * np.nan_to_num(change)
        return FaceField(self.velocity.tiles, later)

    @property
    def tiles(self) -> Tiles:
        """The tiles that exist."""
        assert self.particles.tiles is not None, "particles have not been sorted yet"
        return self.particles.tiles
