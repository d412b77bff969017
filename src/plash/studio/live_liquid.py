"""A liquid of particles, live."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED, COLOR, Carried, scalars
from plash.grid.cells import LIQUID
from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.physics.solids.distance import Bodies
from plash.physics.solids.domain_box import CLOSED, UNBOUNDED, DomainBox
from plash.physics.viscosity.viscosity_field import log_viscosity_at
from plash.scene.model import Scene
from plash.scene.settings import LiquidSettings
from plash.solvers.build.liquid import build_liquid, liquid_solver
from plash.solvers.build.liquid_colors import light_of_liquid
from plash.solvers.build.liquid_heat import carried_by
from plash.solvers.liquid import LiquidSolver
from plash.solvers.transfers import rows_of
from plash.studio.brush import inside_disc, poured, push_faces, push_particles
from plash.studio.drawing import reaching, with_heat, with_palette
from plash.studio.fields import distance_bytes, mean_colors, means_by_cell, picture_of, point_bytes, screen_bytes
from plash.studio.live import Arrays, Live, made_live, standing
from plash.studio.live_free_surface import LiveFreeSurface, Watched, parts_of
from plash.studio.live_level_set import LiveLevelSet
from plash.studio.scales import TEMPERATURE, VISCOSITY, Scale, temperature_scale, viscosity_scale

_VIEWS = (
    "surface",
    "particles",
    "velocity",
    "pressure",
    "divergence",
    "divergence_before",
    "vorticity",
    "cells",
    "tiles",
)
_SEEN_AS_FIELDS = (TEMPERATURE, "log_viscosity")  # of what particles carry
_DEEP = 2.0  # cells inside a new wall from which a particle is taken out, not moved


@made_live.register
def _(settings: LiquidSettings, scene: Scene) -> Live:
    return LiveLevelSet(scene) if settings.has_no_particles else LiveLiquid(settings, scene)


class LiveLiquid(LiveFreeSurface[Watched]):
    """A liquid made of particles."""

    _own = ("_is_painted", "_heated")

    def __init__(self, settings: LiquidSettings, scene: Scene) -> None:
        super().__init__(scene, Watched(**parts_of(build_liquid(scene))))
        self._solved = scene  # with what brushes add to it
        self._is_painted = False
        self._heated: tuple[float, ...] = ()  # temperatures that the heat brush gave, K
        self.quantities = _quantities(scene)
        self.views = _views(scene)
        self._settings = settings
        self._random = np.random.Generator(np.random.PCG64(settings.seed))
        self._solver.label()

    def change(self, scene: Scene) -> None:
        """Go on with other parameters and other solids; what is inside a new solid is moved out, or taken out."""
        self._finish()
        given, scene = scene, with_palette(scene) if self._is_painted else scene
        scene = with_heat(scene, self._heated)
        leaks = self._solver.ledger.leaks
        self._go_on_with(Watched(**parts_of(liquid_solver(scene))))
        self._solver.ledger.leaks = {solid.name: leaks.get(solid.name, 0) for solid in scene.obstacles}
        _carry(self._solver, scene)
        self.quantities, self.views = _quantities(scene), _views(scene)
        solids_changed = given.obstacles != self.scene.obstacles
        self.scene, self._solved = given, scene
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

    def heat(self, x: float, y: float, radius: float, temperature: float) -> None:
        """Bring the liquid in a disc to a temperature (K); with the first such stroke all liquid begins to carry one.

        The solver is told how warm and how cold it gets, since that limits its viscosity.
        """
        self._finish()
        heated = reaching(self._solved, self._heated, temperature)
        if heated != self._heated:
            self._heated = heated
            self.change(self.scene)
        solver, h = self._solver, self._solver.h
        particles = solver.state.particles
        particles.temperature[0][inside_disc(particles, (x / h, y / h), radius / h)] = temperature
        solver.heat.account(particles, solver.ledger.heat, "heaters")

    def scale(self, view: str) -> Scale | None:
        """What the colours of a view mean, if they are those of pictures."""
        if view not in self.views:
            return None
        scales = {TEMPERATURE: temperature_scale, VISCOSITY: viscosity_scale}
        return scales[view](self._solved) if view in scales else None

    def values_at(self, x: float, y: float) -> dict[str, float]:
        """What is known at a point; how warm and how thick liquid is, by the particles in its cell."""
        values = super().values_at(x, y)
        particles, h = self._solver.state.particles, self._solver.h
        here = np.flatnonzero((particles.cell[0] == int(x // h)) & (particles.cell[1] == int(y // h)))
        for view in (TEMPERATURE, VISCOSITY):
            if view in self.views and len(here):
                mean = float(self._carried(view)[here].mean())
                values[view] = mean if view == TEMPERATURE else 10.0**mean
        return values

    def facts(self) -> dict[str, Any]:
        """Numbers about the present moment and the last step; lengths in m, volumes in m², energies in J/m."""
        particles, h = self._solver.state.particles, self._solver.h
        volume = particles.volume.astype(np.float64) * h**2
        square = np.einsum("ij,ij->j", particles.velocity, particles.velocity, dtype=np.float64)
        x, y = (particles.cell + particles.offset) * h
        # No matrix products: their library would start threads of its own for each, which is far slower
        center = [float((volume * x).sum()), float((volume * y).sum())]
        kinetic = float(self.scene.liquid.rho / 2 * (volume * square).sum())
        return self._facts(particles.count, float(volume.sum()), center, kinetic)

    def arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view needs, and the units of those arrays that are scaled."""
        s, cells = self._solver.state, self.scene.domain.cells
        arrays, units = self._cell_arrays(view, arrows)
        arrays["phi"] = self._phi()
        scale = self.scale(view)
        if scale is not None:
            values = self._carried(view)
            arrays["color"] = scale.colors(means_by_cell(s.particles, values[None], cells)[:, :, 0])
        elif self._has_colors and view == "surface":
            arrays["color"] = screen_bytes(mean_colors(s.particles, cells))
        if view in ("particles", COLOR) or view in self.quantities:
            arrays |= self._points(s.particles, np.ones(s.particles.count, np.bool_), view, units)
        elif s.particles.ballistic.any():
            arrays |= self._points(s.particles, s.particles.ballistic, view, units)
            if scale is not None:
                arrays["tone"] = scale.colors(values[s.particles.ballistic])
        return arrays, units

    def _carried(self, view: str) -> NDArray[np.float64]:
        """How warm particles are (K), or the decimal logarithm of how thick they are (Pa·s)."""
        particles, liquid = self._solver.state.particles, self.scene.liquid
        if view == TEMPERATURE:
            found = particles.temperature[0]
        elif len(particles.log_viscosity):
            found = particles.log_viscosity[0]
        else:
            found = log_viscosity_at(liquid, particles.temperature[0]) / math.log(10)
        return np.asarray(found, np.float64)

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
        """Where some particles are, and their shade: the quantity of the view, or else their speed."""
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
    """What colours can show of the particles of a scene, one by one."""
    return {
        name: quantity
        for name, quantity in scalars().items()
        if name not in _SEEN_AS_FIELDS and (quantity.is_everywhere or name in scene.carries)
    }


def _views(scene: Scene) -> tuple[str, ...]:
    is_thick = scene.has_own_viscosities or (scene.has_heat and len(scene.liquid.viscosity_points) > 0)
    first, *rest = _VIEWS
    wanted = {TEMPERATURE: scene.has_heat, VISCOSITY: is_thick, COLOR: COLOR in scene.carries}
    return (first, *(view for view, is_there in wanted.items() if is_there), *rest, *_quantities(scene))


def _carry(solver: LiquidSolver, scene: Scene) -> None:
    """Let particles carry what a changed scene asks for; what they did not carry yet is that of all liquid."""
    particles, ledger = solver.state.particles, solver.ledger
    had = {name: CARRIED[name].is_wanted(getattr(particles, name)) for name in scene.carries}
    particles.give_rows(rows_of(solver.transfer, scene))
    particles.carry({name: value for name, value in carried_by(scene).items() if not had[name]})
    if not had.get(COLOR, False):
        solver.colors.begin(particles, ledger.colors)
    if not had.get(TEMPERATURE, False):
        ledger.heat = {}
        solver.heat.account(particles, ledger.heat, "initial")


def _box(scene: Scene) -> DomainBox:
    """The domain, as far as it holds particles back that are put out of solids."""
    words = scene.domain.sides.model_dump()
    kinds = {side: CLOSED if word == "closed" else UNBOUNDED for side, word in words.items()}
    return DomainBox(scene.domain.cells, ((kinds["x_min"], kinds["x_max"]), (kinds["y_min"], kinds["y_max"])))
