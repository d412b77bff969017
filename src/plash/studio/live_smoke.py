"""Smoke, heat and fire in air, live."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import Carried
from plash.grid.cells import LIQUID, SOLID, WALL, Cells
from plash.grid.differences import divergence
from plash.grid.fields import FaceField
from plash.physics.smoke.colors import smoke_tint
from plash.physics.smoke.sources import PlaceInShape, SmokeInlet
from plash.render.smoke.optics import smoke_optics
from plash.scene.colors import light_of
from plash.scene.model import Scene
from plash.scene.shapes import Sphere
from plash.scene.smoke_settings import SmokeSettings
from plash.solvers.build.smoke import build_smoke, smoke_solver
from plash.solvers.smoke import COLORED, DENSITY, WARMTH, SmokeSolver
from plash.solvers.step_stage import StepStage
from plash.studio.brush import push_faces
from plash.studio.drawing import reaching, with_heat, with_smokes
from plash.studio.fields import faces_picture, picture_of, scaled, screen_bytes, vorticity_picture
from plash.studio.live import Arrays, Live, made_live
from plash.studio.probe import value_at, velocity_at
from plash.studio.scales import TEMPERATURE, Scale, temperature_scale
from plash.studio.walking import Walking

POURED = 1.0  # kg/m³, as much as the brush makes
_VIEWS = ("smoke", "density", "velocity", "vorticity", "divergence", "divergence_before", "cells", "tiles")
_TINTED = ("smoke", "velocity", "tiles")  # views that show smoke in its own colours
_MOMENT = 1e-9  # s that a brush takes
_DEPTH = 1 / 6  # of pictures of 2-D smoke, so that one sees into thick smoke


@made_live.register
def _(settings: SmokeSettings, scene: Scene) -> Live:
    return LiveSmoke(scene)


@dataclass(eq=False)
class _Watched(SmokeSolver):
    """A solver that can be looked into after every stage of a step, and that brushes act on.

    Attributes:
        milliseconds: Of each stage of the last step.
        before: The divergence before the projection, by cell in 1/s.
    """

    milliseconds: dict[str, float] = field(default_factory=dict)
    before: NDArray[np.float64] | None = None

    @staticmethod
    def of(solver: SmokeSolver) -> _Watched:
        """The same solver, watched."""
        return _Watched(**{part.name: getattr(solver, part.name) for part in fields(SmokeSolver) if part.init})

    def stages(self, dt: float) -> Iterator[StepStage[FaceField]]:
        """Take one step, pausing after each stage to show what it did."""
        self.milliseconds = {}
        start = time.perf_counter()
        for stage in super().stages(dt):
            self.milliseconds[stage.name] = 1e3 * (time.perf_counter() - start)
            if stage.name == "forces":
                self.before = self.divergence_now()
            yield stage
            start = time.perf_counter()

    def divergence_now(self) -> NDArray[np.float64] | None:
        """Divergence of the velocity as it is, by cell in 1/s."""
        velocity, cells = self.state.velocity, self.cells
        if cells is None or velocity.tiles is not cells.tiles:
            return None
        return divergence(velocity, cells) / self.h

    def see(self) -> Cells:
        """What each cell is now."""
        s = self.state
        s.poses = self.solids.poses(s.time)
        return self.label(self.solids.at(s.envelope.tiles, s.poses, s.time))

    def act(self, inlet: SmokeInlet, reason: str, is_source: bool) -> None:
        """Let a source act at once, follow air where it does, and write down what it brought or took."""
        flows = self.flows
        self.flows = replace(flows, inlets=[*flows.inlets, inlet])
        self.follow_smoke(_MOMENT)
        self.flows = flows
        cells = self.see()
        inlet.give(self.state.scalars, cells, self.capacity, self.state.time, _MOMENT)
        self._account(reason, cells, is_source)

    def empty_solids(self) -> None:
        """Take smoke out of solids, and stop the air in their faces."""
        s, cells = self.state, self.see()
        s.scalars[:, cells.label == SOLID] = 0.0
        s.velocity.pool[(cells.faces & WALL) > 0] = 0.0
        self._account("covered by solids", cells, is_outflow=False)


class LiveSmoke(Walking[_Watched]):
    """Smoke in air."""

    method = "smoke"
    last_stage = "project"
    _own = ("_is_painted", "_heated")

    def __init__(self, scene: Scene) -> None:
        super().__init__(_Watched.of(build_smoke(scene)))
        self.scene = self._solved = scene
        self.quantities: dict[str, Carried] = {}
        self._is_painted = False
        self._heated: tuple[float, ...] = ()  # temperatures that the heat brush gave, K
        self._solver.see()
        self.views = self._views()
        self._thickness = _thickness(scene)

    def watch(self, view: str) -> None:
        """Keep what a view needs beyond the state: that is always kept."""

    def change(self, scene: Scene) -> None:
        """Go on with other parameters, other solids and another wind; smoke inside a new solid is gone."""
        self._finish()
        old, given = self._solver, scene
        scene = with_heat(with_smokes(scene) if self._is_painted else scene, self._heated)
        solver = _Watched.of(smoke_solver(scene))
        s = old.state
        known = dict(zip(old.names, s.scalars, strict=True))
        if COLORED[0] not in known:  # all smoke has had one colour so far
            known |= {name: share * known[DENSITY] for name, share in _shares(solver).items()}
        s.scalars = np.stack([known.get(name, np.zeros_like(s.scalars[0])) for name in solver.names])
        s.velocity.pool[:, 0] = np.reshape(solver.wind.velocity, (-1, 1, 1, 1))  # in air that is not followed
        solver.state, solver.ledger, solver.report = s, old.ledger, old.report
        solids_changed = given.solid != self.scene.solid
        self._solver, self.scene, self._solved = solver, given, scene
        if solids_changed:
            solver.empty_solids()
        solver.see()
        self.views = self._views()
        self._thickness = _thickness(given)

    def push(self, x: float, y: float, u: float, v: float, radius: float) -> None:
        """Bring the air near a point to a velocity, where it is followed."""
        self._finish()
        solver, h = self._solver, self._solver.h
        cells, before = solver.see(), solver.state.velocity.pool
        pushed = solver.state.velocity.copy()
        push_faces(pushed, (x / h, y / h), (u, v), radius / h)
        is_open = (cells.faces & 3) == 1
        solver.state.velocity.pool = np.where(is_open, pushed.pool, before)

    def pour(self, x: float, y: float, radius: float, color: str | None = None) -> float:
        """Fill a disc with smoke; returns how much there was room for, kg/m.

        It has the colour of all smoke, or one of its own; with the first of those all smoke begins to carry a colour.
        """
        if color is not None and not self._is_painted:
            self._is_painted = True
            self.change(self.scene)
        before = self._solver.ledger.inflow
        shares = _shares(self._solver, color)
        held = {DENSITY: POURED} | {name: float(share * POURED) for name, share in shares.items()}
        self._brush(x, y, radius, held, "poured by hand", is_source=True)
        return self._solver.ledger.inflow - before

    def drain(self, x: float, y: float, radius: float) -> None:
        """Take smoke, heat and fuel out of a disc."""
        nothing = dict.fromkeys(self._solver.names, 0.0)
        self._brush(x, y, radius, nothing, "taken out by hand", is_source=False)

    def heat(self, x: float, y: float, radius: float, temperature: float) -> None:
        """Bring the air in a disc to a temperature (K); with the first such stroke air begins to carry one."""
        heated = reaching(self._solved, self._heated, temperature)
        if heated != self._heated:
            self._heated = heated
            self.change(self.scene)
        warmth = temperature - self.scene.liquid.temperature
        self._brush(x, y, radius, {WARMTH: warmth}, "heated by hand", is_source=True)

    def scale(self, view: str) -> Scale | None:
        """What the colours of a view mean, if they are those of pictures."""
        return temperature_scale(self._solved) if view == TEMPERATURE and WARMTH in self._solver.names else None

    def values_at(self, x: float, y: float) -> dict[str, float]:
        """What is known at a point."""
        s, h = self._solver.state, self._solver.h
        cell = int(x // h), int(y // h)
        values = velocity_at(s.velocity, cell)
        names, tiles = list(self._solver.names), s.envelope.tiles
        values["density"] = value_at(s.scalars[names.index(DENSITY)], tiles, cell)
        if WARMTH in names:
            warmth = value_at(s.scalars[names.index(WARMTH)], tiles, cell)
            values[TEMPERATURE] = self.scene.liquid.temperature + warmth
        return values

    def facts(self) -> dict[str, Any]:
        """Numbers about the present moment and the last step; lengths in m, masses in kg/m, energies in J/m."""
        solver, s, h = self._solver, self._solver.state, self._solver.h
        report, ledger, cells = solver.report, solver.ledger, solver.see()
        mass = self._picture(DENSITY).astype(np.float64) * h**2
        rows, columns = mass.sum(axis=1), mass.sum(axis=0)
        center = [h * float(line @ (np.arange(len(line)) + 0.5)) for line in (columns, rows)]
        total = float(rows.sum())
        u, v = np.nan_to_num(faces_picture(s.velocity, self.scene.domain.cells).astype(np.float64))
        square = ((u[:-1, 1:] + u[:-1, :-1]) ** 2 + (v[1:, :-1] + v[:-1, :-1]) ** 2) / 4
        followed = picture_of(cells.label == LIQUID, cells.tiles, self.scene.domain.cells, np.False_)
        rho, g = self.scene.liquid.rho, self.scene.domain.gravity
        return {
            "time": s.time,
            "steps": s.steps,
            "dt": report.dt,
            "courant": report.courant,
            "iterations": report.iterations,
            "residual": report.residual,
            "particles": 0,
            "tiles": s.envelope.tiles.count,
            "liquid_cells": cells.liquid_count,
            "target_volume": ledger.target_volume,
            "particle_volume": ledger.particle_volume,
            "center": [moment / total if total > 0 else 0.0 for moment in center],
            "volume": ledger.volume,
            "inflow": ledger.inflow,
            "outflow": ledger.outflow,
            "kinetic": float(rho / 2 * (square * followed).sum() * h**2),
            "potential": -(g[0] * center[0] + g[1] * center[1]),
            "milliseconds": {name: round(value, 3) for name, value in solver.milliseconds.items()},
            "residuals": [],
        }

    def arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view needs, and the units of those arrays that are scaled."""
        s, cells = self._solver.state, self.scene.domain.cells
        arrays: Arrays = {}
        units: dict[str, float] = {}
        density = self._picture(DENSITY)
        hidden = 1.0 - np.exp(-self._thickness * np.maximum(density, 0.0))
        arrays["smoke"] = np.rint(255 * hidden).astype(np.uint8)
        flame = self._flame()
        if flame is not None and view in ("smoke", "flame"):
            picture = picture_of(flame, s.envelope.tiles, cells, np.float32(0))
            arrays["flame"] = np.rint(255 * np.clip(picture, 0, 1)).astype(np.uint8)
        if view in _TINTED and COLORED[0] in self._solver.names:
            arrays["color"] = self._tint(density)
        scale = self.scale(view)
        if scale is not None:
            arrays["color"] = scale.colors(self._picture(WARMTH) + self.scene.liquid.temperature)
        if view == "cells":
            known = self._solver.see()
            arrays["label"] = picture_of(known.label, known.tiles, cells, np.int8(0))
        if view == "tiles":
            tiles, is_inside = s.envelope.tiles, s.envelope.is_inside
            arrays["tiles"] = tiles.coordinates[is_inside, :2].astype(np.int16)
        value = self._value(view, density)
        if value is not None:
            arrays["value"], units["value"] = scaled(value)
        if arrows or view == "velocity":
            arrays["velocity"], units["velocity"] = scaled(faces_picture(s.velocity, cells))
        return arrays, units

    def _value(self, view: str, density: NDArray[np.float32]) -> NDArray[Any] | None:
        """The numbers of a view by cell of the domain."""
        solver, cells = self._solver, self.scene.domain.cells
        if view == "density":
            return density
        if view == "vorticity":
            return vorticity_picture(np.nan_to_num(faces_picture(solver.state.velocity, cells)), solver.h)
        pool, known = None, solver.cells
        if view.startswith("divergence"):
            pool = solver.divergence_now() if view == "divergence" else solver.before
        if pool is None or known is None or pool.shape != known.label.shape:
            return None
        return picture_of(np.where(known.label == LIQUID, pool, 0.0), known.tiles, cells, 0.0)

    def _picture(self, name: str) -> NDArray[np.float32]:
        """A field that the air carries, by cell of the domain [y, x]."""
        s = self._solver.state
        pool = s.scalars[list(self._solver.names).index(name)]
        return picture_of(pool, s.envelope.tiles, self.scene.domain.cells, np.float32(0))

    def _tint(self, density: NDArray[np.float32]) -> NDArray[np.uint8]:
        """The colour of smoke as a screen shows it, by cell of the domain [y, x, 3]."""
        lights = zip(COLORED, self._solver.colors.T, strict=True)
        tint = [smoke_tint(self._picture(name), density, colors) for name, colors in lights]
        return screen_bytes(np.stack(tint, axis=-1))

    def _views(self) -> tuple[str, ...]:
        """What it can show: heat and flames where there may be any."""
        first, second, *rest = _VIEWS
        heat = [TEMPERATURE] if WARMTH in self._solver.names else []
        flame = ["flame"] if self._flame() is not None else []
        return (first, second, *heat, *flame, *rest)

    def _flame(self) -> NDArray[np.float32] | None:
        return self._solver.fire.flame(self._solver.state.scalars)

    def _brush(self, x: float, y: float, radius: float, held: dict[str, float], reason: str, is_source: bool) -> None:
        """Bring fields in a disc to values, where it meets the domain."""
        self._finish()
        domain = self.scene.domain
        width, height = (n * domain.h for n in domain.cells)
        radius = min(radius, math.hypot(width, height))
        if not (-radius < x < width + radius and -radius < y < height + radius):
            return
        place = PlaceInShape(Sphere(center=(x, y), radius=radius), domain.h, "brush")
        numbers = {list(self._solver.names).index(name): value for name, value in held.items()}
        now = self.time
        self._solver.act(SmokeInlet(place, {}, True, numbers, None, now, now + _MOMENT), reason, is_source)


def _shares(solver: SmokeSolver, color: str | None = None) -> dict[str, np.float32]:
    """What smoke of a colour sends on of each light, by field of the air; none if it carries no colours."""
    if COLORED[0] not in solver.names:
        return {}
    light = solver.colors[0] if color is None else light_of(color)
    return dict(zip(COLORED, light.astype(np.float32), strict=True))


def _thickness(scene: Scene) -> float:
    """How much smoke of 1 kg/m³ dims what is behind it: the exponent of what is left."""
    optics = smoke_optics(scene)
    return optics.opacity * _DEPTH * optics.size
