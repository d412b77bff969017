"""A level set that moves with a given velocity: no forces, no pressure, no walls.

What a surface does in a known motion shows how well it is followed: Zalesak's disc, which turns once, or a disc that a
vortex draws out to a thread and back again.

Reference: Cline 10.8; Enright et al. 2002.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.physics.level_set.continuation import Continuation
from plash.physics.level_set.transport import MidpointPaths
from plash.solvers.level_set_liquid import LevelSetLiquid
from plash.solvers.step_stage import StepStage

Points = NDArray[np.float64]


@dataclass(eq=False)
class DrivenLevelSet(LevelSetLiquid):
    """A liquid that goes where it is told to.

    Attributes:
        flow: Velocity (n, d) in m/s at points (n, d) in metres and a time in s.
    """

    flow: Callable[[Points, float], Points] = field(kw_only=True)

    def begin(self, state: Any) -> None:
        """Begin with a state, which has the velocity of its time."""
        super().begin(state)
        state.velocity = self._on_faces(state.tiles, state.time)

    def stages(self, dt: float, moved: float | None = None) -> Iterator[StepStage[FaceField]]:
        """Take one step, pausing after each stage to show what it did.

        Args:
            dt: Length of the step, s.
            moved: For how long to go on now, s, if that is less: a step can end anywhere.
        """
        s = self.state
        dt = dt if moved is None else moved
        self.label(dt)
        yield StepStage("grid")
        paths = MidpointPaths(functools.partial(self._at, time=s.time + dt / 2))
        farthest = s.level_set.farthest(paths, dt)
        self.report.courant = max(self.report.courant, farthest / self.h)
        s.level_set.time = s.time
        s.level_set.advance(self._at, dt)
        if s.bodies is not None:
            self._keep_up(functools.partial(paths.back, dt=dt))
        self.come_and_go(dt)
        s.velocity, s.velocity_time, s.kick, s.unspent = self._on_faces(s.tiles, s.time), s.time, 0.0, 0.0
        s.steps += 1
        self.report.dt = dt
        yield StepStage("move", s.velocity)

    def _way_into(self, is_solid: NDArray[np.bool_], tiles: Tiles) -> Continuation:
        """Walls are no obstacle: behind them the level set is as it was carried there."""
        return super()._way_into(np.zeros_like(is_solid), tiles)

    def _at(self, points: Points, time: float) -> Points:
        return self.flow(points, time)

    def _on_faces(self, tiles: Tiles, time: float) -> FaceField:
        """The velocity on all faces of tiles at a time (s), m/s."""
        field = FaceField.filled(tiles)
        centres = tiles.cell_centres(tiles.slots, self.h)
        for axis in range(tiles.dimension):
            faces = centres - 0.5 * self.h * np.eye(tiles.dimension)[axis]
            field.pool[axis, 1:] = self.flow(faces, time)[:, axis].reshape(-1, *tiles.shape)
        return field
