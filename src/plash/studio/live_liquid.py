"""A liquid of particles, live."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED, COLOR, Carried, scalars
from plash.errors import Problem, SceneError
from plash.grid.cells import LIQUID
from plash.grid.differences import divergence
from plash.grid.fields import FaceField
from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.physics.solids.distance import Bodies
from plash.physics.solids.domain_box import CLOSED, UNBOUNDED, DomainBox
from plash.scene.model import Scene
from plash.scene.settings import LiquidSettings
from plash.solvers.build.liquid import build_liquid, liquid_solver
from plash.solvers.build.liquid_colors import light_of_liquid
from plash.solvers.build.liquid_heat import carried_by
from plash.solvers.liquid import LiquidSolver
from plash.solvers.step_stage import StepStage
from plash.solvers.transfers import rows_of
from plash.studio.brush import inside_disc, poured, push_faces, push_particles
from plash.studio.drawing import with_palette
from plash.studio.fields import distance_bytes, mean_colors, picture_of, point_bytes, scaled, screen_bytes
from plash.studio.live import Arrays, Live, made_live, standing
from plash.timing import StepReport

_VIEWS = ("surface", "particles", "velocity", "pressure", "divergence", "divergence_before", "cells", "tiles")
_DEEP = 2.0  # cells inside a new wall from which a particle is taken out, not moved


@made_live.register
def _(settings: LiquidSettings, scene: Scene) -> Live:
    if settings.has_no_particles:
        sentence = "the studio draws with particles, and a level set has none"
        raise SceneError([Problem("solver.surface", f'{sentence}: use "particles" here, or plash run')])
    return LiveLiquid(settings, scene)


@dataclass(eq=False)
class _Watched(LiquidSolver):
    """A solver that can be looked into after every stage of a step.

    Attributes:
        milliseconds: Of each stage of the last step.
        wants_divergence: Whether to keep the divergence before the projection.
        before: It, by cell in 1/s.
    """

    milliseconds: dict[str, float] = field(default_factory=dict)
    wants_divergence: bool = False
    before: NDArray[np.float64] | None = None

    @staticmethod
    def of(solver: LiquidSolver) -> _Watched:
        """The same solver, watched."""
        return _Watched(**{part.name: getattr(solver, part.name) for part in fields(LiquidSolver) if part.init})

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


class LiveLiquid:
    """A liquid made of particles."""

    def __init__(self, settings: LiquidSettings, scene: Scene) -> None:
        self.scene = self._solved = scene
        self._is_painted = False
        self.quantities = _quantities(scene)
        self.views: tuple[str, ...] = _views(scene)
        self._settings = settings
        self._solver = _Watched.of(build_liquid(scene))
        self._walk: Iterator[StepStage[FaceField]] | None = None
        self._random = np.random.Generator(np.random.PCG64(settings.seed))
        self._solver.label()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._solver.state.time

    def advance(self, frame_time: float) -> None:
        """Take one step towards a time; a step that is under way stage by stage is finished instead."""
        if self._walk is not None:
            self._finish()
        else:
            self._solver.advance(frame_time)

    def next_stage(self, frame_time: float) -> str:
        """Take the next stage of a step, and return its name."""
        solver = self._solver
        if self._walk is None:
            solver.report = StepReport()
            self._walk = solver.stages(solver.next_step(frame_time))
        stage = next(self._walk, StepStage(""))
        if stage.name in ("move", ""):
            self._finish()
        return stage.name

    def watch(self, view: str) -> None:
        """Keep, from the next step on, what a view needs beyond the state: the divergence before the projection."""
        self._solver.wants_divergence = view == "divergence_before"

    def change(self, scene: Scene) -> None:
        """Go on with other parameters and other solids; what is inside a new solid is moved out, or taken out."""
        self._finish()
        given, scene = scene, with_palette(scene) if self._is_painted else scene
        old, solver = self._solver, _Watched.of(liquid_solver(scene))
        solver.state, solver.ledger, solver.report = old.state, old.ledger, old.report
        solver.wants_divergence = old.wants_divergence
        solver.ledger.leaks = {solid.name: old.ledger.leaks.get(solid.name, 0) for solid in scene.solid}
        _carry(solver, scene)
        self.quantities, self.views = _quantities(scene), _views(scene)
        solids_changed = given.solid != self.scene.solid
        self._solver, self.scene, self._solved = solver, given, scene
        if solids_changed:
            self._make_room()
        self._solver.label()

    def push(self, x: float, y: float, u: float, v: float, radius: float) -> None:
        """Bring the liquid near a point to a velocity."""
        self._finish()
        s, h = self._solver.state, self._solver.h
        brush = (x / h, y / h), (u, v), radius / h
        push_particles(s.particles, *brush)
        if s.velocity is not None:
            push_faces(s.velocity, *brush)

    def pour(self, x: float, y: float, radius: float, color: str | None = None) -> float:
        """Add liquid at rest in a disc, where there is none and no solid; returns how much there was room for, m².

        It has the colour of the liquid, or one of its own; with the first of those all liquid begins to carry a colour.
        """
        self._finish()
        if color is not None and not self._has_colors:
            self._is_painted = True
            self.change(self.scene)
        solver, domain = self._solver, self.scene.domain
        bodies = Bodies(standing(self.scene, self.time), domain.h, 2)

        def wanted(points: NDArray[np.float64]) -> NDArray[np.float64]:
            disc = np.hypot(points[:, 0] - x, points[:, 1] - y) - radius
            return np.maximum(disc, -domain.h * bodies.distance(points / domain.h))

        particles = solver.state.particles
        per_cell, jitter = self.scene.particles_per_cell, self._settings.jitter
        new = poured(particles, wanted, domain.cells, domain.h, per_cell, jitter, self._random)
        if new.count == 0:
            return 0.0
        new.carry(carried_by(self._solved))
        if color is not None:
            new.carry({COLOR: light_of_liquid(self.scene, color)})
        particles.add(new)
        solver.state.unspent = 0.0
        added = new.total_volume() * domain.h**2
        solver.ledger.bring(added)
        solver.heat.account(particles, solver.ledger.heat, "inflow")
        solver.colors.account(particles, solver.ledger.colors, "inflow")
        self._solver.label()
        return added

    def drain(self, x: float, y: float, radius: float) -> None:
        """Take the liquid in a disc out."""
        self._finish()
        h = self._solver.h
        taken = inside_disc(self._solver.state.particles, (x / h, y / h), radius / h)
        self._take_out(taken, "taken out by hand", is_outflow=True)
        self._solver.label()

    def facts(self) -> dict[str, Any]:
        """Numbers about the present moment and the last step; lengths in m, volumes in m², energies in J/m."""
        solver, s = self._solver, self._solver.state
        report, ledger = solver.report, solver.ledger
        cell_volume = solver.h**2
        volume = s.particles.volume.astype(np.float64) * cell_volume
        square = np.einsum("ij,ij->j", s.particles.velocity, s.particles.velocity, dtype=np.float64)
        rho, g = self.scene.liquid.rho, self.scene.domain.gravity
        x, y = (s.particles.cell + s.particles.offset) * solver.h
        total = float(volume.sum())
        # No matrix products: their library would start threads of its own for each, which is far slower
        center = [float((volume * x).sum()), float((volume * y).sum())]
        return {
            "time": s.time,
            "steps": s.steps,
            "dt": report.dt,
            "courant": report.courant,
            "iterations": report.iterations,
            "residual": report.residual,
            "particles": s.particles.count,
            "tiles": s.cells.tiles.count if s.cells is not None else 0,
            "liquid_cells": s.cells.liquid_count if s.cells is not None else 0,
            "target_volume": ledger.target_volume,
            "particle_volume": total,
            "center": [moment / total if total > 0 else 0.0 for moment in center],
            "volume": ledger.volume,
            "inflow": ledger.inflow,
            "outflow": ledger.outflow,
            "kinetic": float(rho / 2 * (volume * square).sum()),
            "potential": -rho * (g[0] * center[0] + g[1] * center[1]),
            "milliseconds": {name: round(value, 3) for name, value in solver.milliseconds.items()},
            "residuals": [[float(f"{size:.3g}") for size in one.residuals] for one in solver.solves if one.residuals],
        }

    def arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view needs, and the units of those arrays that are scaled."""
        s, cells = self._solver.state, self.scene.domain.cells
        assert s.cells is not None
        arrays: Arrays = {"phi": self._phi()}
        units: dict[str, float] = {}
        if self._has_colors and view == "surface":
            arrays["color"] = screen_bytes(mean_colors(s.particles, cells))
        if view in ("particles", COLOR) or view in self.quantities:
            arrays |= self._points(s.particles, np.ones(s.particles.count, np.bool_), view, units)
        elif s.particles.ballistic.any():
            arrays |= self._points(s.particles, s.particles.ballistic, view, units)
        if view == "cells":
            arrays["label"] = picture_of(s.cells.label, s.cells.tiles, cells, np.int8(0))
        if view == "tiles":
            arrays["tiles"] = s.cells.tiles.coordinates[1:, :2].astype(np.int16)
        value = self._scalar(view)
        if value is not None:
            arrays["value"], units["value"] = scaled(picture_of(value, s.cells.tiles, cells, np.nan))
        if (arrows or view == "velocity") and s.velocity is not None:
            faces = cells[0] + 1, cells[1] + 1
            both = np.stack([picture_of(pool, s.velocity.tiles, faces, np.nan) for pool in s.velocity.pool[:2]])
            arrays["velocity"], units["velocity"] = scaled(both)
        return arrays, units

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

    def _phi(self) -> NDArray[np.int8]:
        """Distance to the surface; without one, half a cell inside or outside liquid cells."""
        cells = self._solver.state.cells
        assert cells is not None
        if cells.phi is not None:
            pool = cells.phi.pool / self._solver.h
        else:
            pool = np.where(cells.label == LIQUID, np.float32(-0.5), np.float32(0.5))
        return distance_bytes(picture_of(pool, cells.tiles, self.scene.domain.cells, np.float32(4.0)))

    def _points(self, particles: Particles, which: NDArray[np.bool_], view: str, units: dict[str, float]) -> Arrays:
        """Where some particles are, and their shade: the quantity of the view, or else their speed.

        What only some scenes have, such as a temperature, is counted from the lowest that the scene speaks of.
        """
        places = ((particles.cell[:, which] + particles.offset[:, which]) * self._solver.h).T
        if view in self.quantities:
            value = np.atleast_2d(getattr(particles, view))[0][which].astype(np.float64)
            value -= (self.scene.color_scale(view) or (0.0,))[0]
        else:
            value = np.hypot(*particles.velocity[:, which])
        largest = float(np.abs(value).max(initial=0.0)) or 1.0
        units["shade"] = largest / 255
        size = tuple(n * self._solver.h for n in self.scene.domain.cells)
        shade = np.rint(np.abs(value) * (255 / largest)).astype(np.uint8)
        points: Arrays = {"points": point_bytes(places, size), "shade": shade}
        if self._has_colors:
            points["tone"] = screen_bytes(particles.color[:, which].T)
        return points

    @property
    def _has_colors(self) -> bool:
        """Whether particles carry a colour."""
        return len(self._solver.state.particles.color) > 0

    def _finish(self) -> None:
        """End a step that is under way."""
        if self._walk is not None:
            for _ in self._walk:
                pass
            self._walk = None

    def _make_room(self) -> None:
        """Move particles out of solids, or take them out if they are deep inside."""
        solver, particles = self._solver, self._solver.state.particles
        bodies = Bodies(standing(self.scene, self.time), solver.h, 2)
        solid_phi = bodies.distance(particles.position(1.0))
        self._take_out(solid_phi < -_DEEP, "covered by a solid", is_outflow=False)
        which = np.flatnonzero(solid_phi[solid_phi >= -_DEEP] < 0)
        if len(which):
            project_out(particles, which, Start.of(particles), bodies.distance, *_box(self.scene).limits())
            still = bodies.distance(particles.position(1.0)) < 0
            self._take_out(still, "covered by a solid", is_outflow=False)

    def _take_out(self, which: NDArray[np.bool_], reason: str, is_outflow: bool) -> None:
        if not which.any():
            return
        solver = self._solver
        volume = float(solver.state.particles.volume[which].sum(dtype=np.float64)) * solver.h**2
        solver.ledger.remove(reason, volume, is_outflow)
        solver.state.particles.keep(~which)
        solver.heat.account(solver.state.particles, solver.ledger.heat, "outflow")
        solver.colors.account(solver.state.particles, solver.ledger.colors, "outflow")
        solver.state.unspent = 0.0


def _quantities(scene: Scene) -> dict[str, Carried]:
    """What colours can show of the particles of a scene."""
    return {name: quantity for name, quantity in scalars().items() if quantity.is_everywhere or name in scene.carries}


def _views(scene: Scene) -> tuple[str, ...]:
    return (*_VIEWS, *([COLOR] if COLOR in scene.carries else []), *_quantities(scene))


def _carry(solver: LiquidSolver, scene: Scene) -> None:
    """Let particles carry what a changed scene asks for; what they did not carry yet is that of all liquid."""
    particles, ledger = solver.state.particles, solver.ledger
    had = {name: CARRIED[name].is_wanted(getattr(particles, name)) for name in scene.carries}
    particles.give_rows(rows_of(solver.transfer, scene))
    particles.carry({name: value for name, value in carried_by(scene).items() if not had[name]})
    if not had.get(COLOR, False):
        solver.colors.begin(particles, ledger.colors)
    if not had.get("temperature", False):
        ledger.heat = {}
        solver.heat.account(particles, ledger.heat, "initial")


def _box(scene: Scene) -> DomainBox:
    """The domain, as far as it holds particles back that are put out of solids."""
    words = scene.domain.sides.model_dump()
    kinds = {side: CLOSED if word == "closed" else UNBOUNDED for side, word in words.items()}
    return DomainBox(scene.domain.cells, ((kinds["x_min"], kinds["x_max"]), (kinds["y_min"], kinds["y_max"])))
