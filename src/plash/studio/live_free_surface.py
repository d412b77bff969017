"""What all liquids with a free surface share while they are live: their step, their cells, and the views of those."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from plash.carried import Carried
from plash.grid.cells import LIQUID
from plash.grid.differences import divergence
from plash.grid.fields import FaceField
from plash.scene.model import Scene
from plash.solvers.liquid import LiquidSolver
from plash.solvers.step_stage import StepStage
from plash.studio.fields import faces_picture, picture_of, scaled, vorticity_picture
from plash.studio.live import Arrays
from plash.studio.probe import value_at, velocity_at
from plash.studio.walking import Walking

_NEAR = 3.0  # cells outside the surface, in which its distance is known well
_VALUES = ("pressure", "divergence", "divergence_before")


@dataclass(eq=False)
class Watched(LiquidSolver):
    """A solver that can be looked into after every stage of a step.

    Attributes:
        milliseconds: Of each stage of the last step.
        wants_divergence: Whether to keep the divergence before the projection.
        before: It, by cell in 1/s.
    """

    milliseconds: dict[str, float] = field(default_factory=dict)
    wants_divergence: bool = False
    before: NDArray[np.float64] | None = None

    def stages(self, dt: float, moved: float | None = None) -> Iterator[StepStage[FaceField]]:
        """Take one step, pausing after each stage to show what it did."""
        self.milliseconds = {}
        start = time.perf_counter()
        for stage in super().stages(dt, moved):
            self.milliseconds[stage.name] = 1e3 * (time.perf_counter() - start)
            if stage.name == "forces":
                self.before = self.divergence_to_remove(stage.velocity) if self.wants_divergence else None
            yield stage
            start = time.perf_counter()

    def divergence_to_remove(self, velocity: FaceField | None) -> NDArray[np.float64] | None:
        """Divergence less the one that straight paths ask for, 1/s: what the projection takes away."""
        cells, wanted = self.state.cells, self.path_divergence
        if velocity is None or cells is None or velocity.tiles is not cells.tiles:
            return None
        if wanted is None or wanted.shape != cells.label.shape:
            wanted = np.zeros(cells.label.shape)
        return (divergence(velocity, cells) - wanted) / self.h


def parts_of(solver: LiquidSolver) -> dict[str, Any]:
    """What a solver is made of, to make one of it that is watched."""
    return {part.name: getattr(solver, part.name) for part in fields(solver) if part.init}


S = TypeVar("S", bound=Watched)


class LiveFreeSurface(Walking[S]):
    """A liquid with a free surface; what knows where it is differs."""

    method = "liquid"
    last_stage = "move"
    _deep = 0.5  # cells inside the surface, in which its distance is known well

    def __init__(self, scene: Scene, solver: S) -> None:
        super().__init__(solver)
        self.scene = scene
        self.quantities: dict[str, Carried] = {}
        self.views: tuple[str, ...] = ()

    def watch(self, view: str) -> None:
        """Keep, from the next step on, what a view needs beyond the state: the divergence before the projection."""
        self._solver.wants_divergence = view == "divergence_before"

    def _go_on_with(self, solver: S) -> None:
        """Take another solver, which goes on where this one is."""
        old = self._solver
        solver.state, solver.ledger, solver.report = old.state, old.ledger, old.report
        solver.wants_divergence = old.wants_divergence
        self._solver = solver

    def _facts(self, particles: int, volume: float, center: list[float], kinetic: float) -> dict[str, Any]:
        """Numbers about the present moment and the last step, given what the liquid itself is.

        Args:
            particles: How many there are.
            volume: Of the liquid, m².
            center: Its moment, m³.
            kinetic: Its energy, J/m.
        """
        solver, s = self._solver, self._solver.state
        report, ledger = solver.report, solver.ledger
        rho, g = self.scene.liquid.rho, self.scene.domain.gravity
        return {
            "time": s.time,
            "steps": s.steps,
            "dt": report.dt,
            "courant": report.courant,
            "iterations": report.iterations,
            "residual": report.residual,
            "particles": particles,
            "tiles": s.cells.tiles.count if s.cells is not None else 0,
            "liquid_cells": s.cells.liquid_count if s.cells is not None else 0,
            "target_volume": ledger.target_volume,
            "particle_volume": volume,
            "center": [moment / volume if volume > 0 else 0.0 for moment in center],
            "volume": ledger.volume,
            "inflow": ledger.inflow,
            "outflow": ledger.outflow,
            "kinetic": kinetic,
            "potential": -rho * (g[0] * center[0] + g[1] * center[1]),
            "milliseconds": {name: round(value, 3) for name, value in solver.milliseconds.items()},
            "residuals": [[float(f"{size:.3g}") for size in one.residuals] for one in solver.solves if one.residuals],
        }

    def _cell_arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view needs of cells and of the velocity, and the units of those arrays that are scaled."""
        s, cells = self._solver.state, self.scene.domain.cells
        assert s.cells is not None
        arrays: Arrays = {}
        units: dict[str, float] = {}
        if view == "cells":
            arrays["label"] = picture_of(s.cells.label, s.cells.tiles, cells, np.int8(0))
        if view == "tiles":
            arrays["tiles"] = s.cells.tiles.coordinates[1:, :2].astype(np.int16)
        value = self._scalar(view) if view in _VALUES else None
        if value is not None:
            arrays["value"], units["value"] = scaled(picture_of(value, s.cells.tiles, cells, np.nan))
        if view == "vorticity" and s.velocity is not None:
            is_liquid = picture_of(s.cells.label, s.cells.tiles, cells, np.int8(0)) == LIQUID
            turning = vorticity_picture(faces_picture(s.velocity, cells), self._solver.h)
            arrays["value"], units["value"] = scaled(np.where(is_liquid, turning, np.nan))
        if (arrows or view == "velocity") and s.velocity is not None:
            arrays["velocity"], units["velocity"] = scaled(faces_picture(s.velocity, cells))
        return arrays, units

    def values_at(self, x: float, y: float) -> dict[str, float]:
        """What is known at a point: the velocity, the pressure in liquid, and near the surface its distance."""
        s, h = self._solver.state, self._solver.h
        cell = int(x // h), int(y // h)
        values = velocity_at(s.velocity, cell)
        assert s.cells is not None
        if value_at(s.cells.label, s.cells.tiles, cell) == LIQUID:
            pressure = self._scalar("pressure")
            if pressure is not None:
                values["pressure"] = value_at(pressure, s.cells.tiles, cell)
        if s.cells.phi is not None and s.cells.phi.tiles.count:
            distance = value_at(s.cells.phi.pool, s.cells.phi.tiles, cell)
            if -self._deep * h < distance < _NEAR * h:
                values["distance"] = distance
        return values

    def _scalar(self, view: str) -> NDArray[np.float64] | None:
        """The numbers of a view by cell, unknown outside the liquid."""
        solver, s = self._solver, self._solver.state
        assert s.cells is not None
        value = None
        if view == "pressure" and s.pressure is not None and s.pressure.tiles is s.cells.tiles:
            value = s.pressure.pool
        if view == "divergence_before":
            value = solver.before
        if view == "divergence":
            value = solver.divergence_to_remove(s.velocity)
        if value is None or value.shape != s.cells.label.shape:
            return None
        return np.where(s.cells.label == LIQUID, value, np.nan)
