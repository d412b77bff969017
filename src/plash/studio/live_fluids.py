"""Stable fluids, live: a fluid that fills a box, and the density that it carries."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import TEMPERATURE, Carried
from plash.physics.box.heat import blend
from plash.physics.solids.distance import Bodies
from plash.scene.model import Scene
from plash.scene.settings import StableFluidsSettings
from plash.scene.shapes import Sphere
from plash.solvers.build.box import box_solver, build_box
from plash.solvers.build.pours import share_inside
from plash.solvers.step_stage import StepStage
from plash.studio.drawing import reaching, with_heat
from plash.studio.fields import distance_bytes, scaled, vorticity_picture
from plash.studio.live import Arrays, Live, made_live, standing
from plash.studio.scales import Scale, temperature_scale
from plash.timing import StepReport

Array = NDArray[np.float64]

_FACES = ((0.0, 0.5), (0.5, 0.0))  # where the faces across x and y are in a cell
_CENTRES = (0.5, 0.5)
_VIEWS = ("density", "surface", "velocity", "pressure", "divergence", "divergence_before", "vorticity", "cells")


@made_live.register
def _(settings: StableFluidsSettings, scene: Scene) -> Live:
    return LiveStableFluids(scene)


class LiveStableFluids:
    """A fluid that fills a box."""

    method = "stable_fluids"
    beside: None = None

    def __init__(self, scene: Scene) -> None:
        self.scene = self._solved = scene
        self._heated: tuple[float, ...] = ()  # temperatures that the heat brush gave, K
        self.quantities: dict[str, Carried] = {}
        self.views: tuple[str, ...] = _views(scene)
        self._solver = build_box(scene)
        self._milliseconds: dict[str, float] = {}
        self._walk: Iterator[StepStage[Array]] | None = None
        self._faces: Array | None = None  # while a step is under way
        self._before: Array | None = None  # divergence before the last projection
        self._is_solid = _solid_cells(scene)

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._solver.state.time

    def advance(self, frame_time: float) -> None:
        """Take one step towards a time; a step that is under way stage by stage is finished instead."""
        if self._walk is None:
            self._begin(frame_time)
        self._finish()
        if abs(self.time - frame_time) < 1e-9 * max(frame_time, 1.0):
            self._solver.state.time = frame_time

    def next_stage(self, frame_time: float) -> str:
        """Take the next stage of a step, and return its name."""
        if self._walk is None:
            self._begin(frame_time)
        name = self._take_stage()
        if name in ("scalars", ""):
            self._finish()
        return name

    def watch(self, view: str) -> None:
        """Keep what a view needs beyond the state: that is always kept."""

    def change(self, scene: Scene) -> None:
        """Go on with other parameters and other solids."""
        self._finish()
        old, given = self._solver, scene
        scene = with_heat(scene, self._heated)
        self._solver = box_solver(scene)
        known, everywhere = old.state.scalars, np.full_like(old.state.density, scene.liquid.temperature)
        old.state.scalars = {name: known.get(name, everywhere) for name in self._solver.heat.names}
        self._solver.state, self._solver.ledger, self._solver.report = old.state, old.ledger, old.report
        if scene.solid != self.scene.solid:
            self._is_solid = _solid_cells(scene)
            self._take_out(self._is_solid, "covered by a solid", is_outflow=False)
            self._solver.obstacles.close(old.state.faces)
        self.scene, self._solved, self.views = given, scene, _views(scene)

    def push(self, x: float, y: float, u: float, v: float, radius: float) -> None:
        """Bring the fluid near a point to a velocity."""
        self._finish()
        for component, place, speed in zip(self._solver.state.faces, _FACES, (u, v), strict=True):
            component += self._near(x, y, radius, place) * (speed - component)
        self._solver.obstacles.close(self._solver.state.faces)

    def pour(self, x: float, y: float, radius: float, color: str | None = None) -> float:
        """Fill a disc with density, which carries no colour; returns how much there was room for, m²."""
        self._finish()
        density, disc = self._solver.state.density, Sphere(center=(x, y), radius=radius)
        before = float(density.sum())
        np.maximum(density, share_inside(disc, density.shape, self._solver.h), out=density)
        self._solver.obstacles.clear(density)
        added = (float(density.sum()) - before) * self._solver.h**2
        self._solver.ledger.bring(added)
        return added

    def drain(self, x: float, y: float, radius: float) -> None:
        """Take the density of a disc away."""
        self._finish()
        self._take_out(self._near(x, y, radius, _CENTRES) > 0, "taken out by hand", is_outflow=True)

    def heat(self, x: float, y: float, radius: float, temperature: float) -> None:
        """Bring the fluid in a disc to a temperature (K); with the first such stroke it begins to carry one."""
        self._finish()
        heated = reaching(self._solved, self._heated, temperature)
        if heated != self._heated:
            self._heated = heated
            self.change(self.scene)
        state, disc = self._solver.state, Sphere(center=(x, y), radius=radius)
        share = share_inside(disc, state.density.shape, self._solver.h)
        blend(state.scalars[TEMPERATURE], share, temperature)

    def scale(self, view: str) -> Scale | None:
        """What the colours of a view mean, if they are those of pictures."""
        if view != TEMPERATURE or TEMPERATURE not in self._solver.state.scalars:
            return None
        return temperature_scale(self._solved)

    def moment(self) -> bytes | None:
        """All that changes, to come back to; None while a step is under way."""
        if self._walk is not None:
            return None
        solver = self._solver
        return pickle.dumps((self.scene, self._heated, solver.state, solver.ledger, solver.report), protocol=5)

    def go_back(self, moment: bytes) -> None:
        """Go back to a moment, and to the scene of it."""
        self._finish()
        scene, heated, state, ledger, report = pickle.loads(moment)
        if scene != self.scene or heated != self._heated:
            self._heated = heated
            self.change(scene)
        self._solver.state, self._solver.ledger, self._solver.report = state, ledger, report

    def values_at(self, x: float, y: float) -> dict[str, float]:
        """What is known at a point."""
        s, h = self._solver.state, self._solver.h
        at = int(y // h), int(x // h)
        u, v = (float(part[at]) for part in self._centred(s.faces if self._faces is None else self._faces))
        values = {"u": u, "v": v, "speed": math.hypot(u, v), "share": float(s.density[at])}
        if s.pressure is not None:
            values["pressure"] = float(s.pressure[at])
        if TEMPERATURE in s.scalars:
            values[TEMPERATURE] = float(s.scalars[TEMPERATURE][at])
        return values

    def facts(self) -> dict[str, Any]:
        """Numbers about the present moment and the last step; lengths in m, volumes in m², energies in J/m."""
        solver, s = self._solver, self._solver.state
        volume = s.density * solver.h**2
        total = float(volume.sum())
        y, x = (np.indices(s.density.shape) + 0.5) * solver.h
        center = [float((volume * x).sum()), float((volume * y).sum())]
        rho, g = self.scene.liquid.rho, self.scene.domain.gravity
        u, v = self._centred(s.faces)
        return {
            "time": s.time,
            "steps": s.steps,
            "dt": solver.report.dt,
            "courant": solver.report.courant,
            "iterations": solver.report.iterations,
            "residual": solver.report.residual,
            "particles": 0,
            "tiles": 0,
            "liquid_cells": int(np.count_nonzero(s.density > 0.5)),
            "target_volume": solver.ledger.target_volume,
            "particle_volume": total,
            "center": [moment / total if total > 0 else 0.0 for moment in center],
            "volume": total,
            "inflow": solver.ledger.inflow,
            "outflow": solver.ledger.outflow,
            "kinetic": float(rho / 2 * (volume * (u * u + v * v)).sum()),
            "potential": -rho * (g[0] * center[0] + g[1] * center[1]),
            "milliseconds": {name: round(value, 3) for name, value in self._milliseconds.items()},
            "residuals": [],
        }

    def arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view needs, and the units of those arrays that are scaled."""
        s = self._solver.state
        faces = s.faces if self._faces is None else self._faces
        arrays: Arrays = {"phi": distance_bytes(1.0 - 2.0 * s.density)}
        units: dict[str, float] = {}
        if view == "density":
            arrays["density"] = np.rint(255 * np.clip(s.density, 0.0, 1.0)).astype(np.uint8)
        if view == "cells":
            arrays["label"] = np.where(self._is_solid, 2, s.density > 0.5).astype(np.int8)
        value = {"pressure": s.pressure, "divergence_before": self._before}.get(view)
        if view == "divergence":
            value = self._divergence(faces)
        if view == "vorticity":
            value = vorticity_picture(np.pad(faces, ((0, 0), (0, 1), (0, 1))), self._solver.h)
        scale = self.scale(view)
        if scale is not None:
            arrays["color"] = scale.colors(s.scalars[TEMPERATURE])
        if value is not None:
            arrays["value"], units["value"] = scaled(np.where(self._is_solid, np.nan, value))
        if arrows or view == "velocity":
            arrays["velocity"], units["velocity"] = scaled(np.pad(faces, ((0, 0), (0, 1), (0, 1))))
        return arrays, units

    def _begin(self, frame_time: float) -> None:
        self._solver.report = StepReport()
        self._milliseconds = {}
        self._walk = self._solver.stages(self._solver.next_step(frame_time))

    def _take_stage(self) -> str:
        """Go on to the next stage; the velocity of a step under way is not in the state before it is projected."""
        start = time.perf_counter()
        stage = next(self._walk or iter(()), None)
        if stage is None:
            return ""
        self._milliseconds[stage.name] = 1e3 * (time.perf_counter() - start)
        self._faces = stage.velocity
        if stage.name == "diffuse" and self._faces is not None:
            self._before = self._divergence(self._faces)
        return stage.name

    def _finish(self) -> None:
        """End a step that is under way."""
        while self._walk is not None and self._take_stage():
            pass
        self._walk = self._faces = None

    def _take_out(self, which: NDArray[np.bool_], reason: str, is_outflow: bool) -> None:
        density = self._solver.state.density
        volume = float(density[which].sum()) * self._solver.h**2
        if volume > 0:
            self._solver.ledger.remove(reason, volume, is_outflow)
            density[which] = 0.0

    def _near(self, x: float, y: float, radius: float, place: tuple[float, float]) -> Array:
        """Weight of a brush at a place in every cell: 1 in the middle, 0 from the radius on."""
        h = self._solver.h
        rows, columns = self._solver.state.density.shape
        dx = (np.arange(columns) + place[0]) * h - x
        dy = (np.arange(rows) + place[1])[:, None] * h - y
        near = np.maximum(1.0 - (dx * dx + dy * dy) / radius**2, 0.0)
        weight: Array = near * near
        return weight

    def _divergence(self, faces: Array) -> Array:
        """Net outflow of cells, 1/s; the last faces are closed."""
        u, v = faces
        outflow: Array = np.diff(u, axis=1, append=0.0) + np.diff(v, axis=0, append=0.0)
        return outflow / self._solver.h

    def _centred(self, faces: Array) -> tuple[Array, Array]:
        u, v = faces
        return u + np.diff(u, axis=1, append=0.0) / 2, v + np.diff(v, axis=0, append=0.0) / 2


def _views(scene: Scene) -> tuple[str, ...]:
    return (*_VIEWS, TEMPERATURE) if scene.has_heat else _VIEWS


def _solid_cells(scene: Scene) -> NDArray[np.bool_]:
    nx, ny = scene.domain.cells
    x, y = np.meshgrid(np.arange(nx) + 0.5, np.arange(ny) + 0.5)
    solid_phi = Bodies(standing(scene, 0.0), scene.domain.h, 2).distance(np.stack([x.ravel(), y.ravel()], axis=1))
    return solid_phi.reshape(ny, nx) < 0
