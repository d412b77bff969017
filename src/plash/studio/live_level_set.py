"""A liquid whose surface is a level set, live: φ, the band in which it is kept, and the particles that correct it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.errors import PlashError
from plash.grid.dense import tiles_over
from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles
from plash.physics.level_set.band import BAND
from plash.physics.level_set.continuation import continue_into_solids, filled_cells
from plash.physics.level_set.distancing import mended_distance
from plash.physics.level_set.level_set import LevelSet
from plash.physics.level_set.reseeding import reseed
from plash.physics.level_set.signed_particles import LARGEST, SignedParticles, seeded
from plash.scene.model import Scene
from plash.solvers.build.liquid import build_liquid, liquid_solver
from plash.solvers.level_set_driven import DrivenLevelSet
from plash.solvers.level_set_liquid import LevelSetLiquid
from plash.solvers.liquid import LiquidSolver
from plash.studio.brush import push_faces
from plash.studio.fields import distance_bytes, faces_picture, picture_of, point_bytes, scaled
from plash.studio.live import Arrays
from plash.studio.live_free_surface import LiveFreeSurface, Watched, parts_of
from plash.studio.scales import Scale

_VIEWS = (
    *("surface", "phi", "band", "signed", "velocity", "pressure", "divergence", "divergence_before"),
    *("vorticity", "cells", "tiles"),
)
_OUTSIDE, _DEEP, _WET_BAND, _DRY_BAND = 0, 1, 3, 4  # what a cell is to the band, as the page knows it
_INNER, _OUTER = (0x17, 0x69, 0xE0), (0xD8, 0x5A, 0x1E)  # colours of particles inside and outside

Combined = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


@dataclass(eq=False)
class _WatchedLevelSet(Watched, LevelSetLiquid):
    """The same for a liquid whose surface is a level set."""

    def is_solid(self, tiles: Tiles) -> NDArray[np.bool_]:
        """Where solids are now, by cell."""
        s = self.state
        return self.solids.at(tiles, self.solids.poses(s.time), s.time, 0.0).is_solid

    def volume_now(self) -> float:
        """Volume of the liquid inside the surface, m²."""
        return self._room(self.state.time, 0.0).volume(self.state.level_set.phi)


@dataclass(eq=False)
class _WatchedDriven(_WatchedLevelSet, DrivenLevelSet):
    """The same for one that moves with a given velocity."""


def _watched(solver: LiquidSolver) -> _WatchedLevelSet:
    """A solver that can be looked into."""
    parts = parts_of(solver)
    return _WatchedDriven(**parts) if "flow" in parts else _WatchedLevelSet(**parts)


class LiveLevelSet(LiveFreeSurface[_WatchedLevelSet]):
    """A liquid whose surface is a level set."""

    method = "levelset"
    _deep = 3.0

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene, _watched(build_liquid(scene)))
        self.views = _VIEWS
        self._random = np.random.Generator(np.random.PCG64(self._level_set.seed))

    @property
    def _level_set(self) -> LevelSet:
        return self._solver.state.level_set

    def change(self, scene: Scene) -> None:
        """Go on with other parameters and other solids; what a new solid covers is gone."""
        self._finish()
        before = self._solver.volume_now()
        leaks = self._solver.ledger.leaks
        solver = _watched(liquid_solver(scene))
        wanted, now = solver.state.level_set, self._level_set
        self._go_on_with(solver)
        kept = replace(wanted, phi=now.phi, particles=now.particles, steps=now.steps)
        if wanted.per_cell != now.per_cell:
            kept.particles = SignedParticles.none(2)
            if wanted.per_cell:
                kept.particles = seeded(now.phi, solver.h, wanted.per_cell, self._random, wanted.sides)
        solver.state.level_set = kept
        solver.ledger.leaks = {solid.name: leaks.get(solid.name, 0) for solid in scene.obstacles}
        solids_changed = scene.obstacles != self.scene.obstacles
        self.scene = scene
        if solids_changed:
            self._account_for(before, "covered by a solid", is_outflow=False)
        solver.label()

    def push(self, x: float, y: float, u: float, v: float, radius: float) -> None:
        """Bring the liquid near a point to a velocity."""
        self._finish()
        s, h = self._solver.state, self._solver.h
        if s.velocity is not None:
            push_faces(s.velocity, (x / h, y / h), (u, v), radius / h)

    def pour(self, x: float, y: float, radius: float, color: str | None = None) -> float:
        """Add liquid at rest in a disc; returns how much there was room for, m². It has one colour."""
        self._finish()
        solver, level_set = self._solver, self._level_set
        self._reach(x, y, radius)
        before, old = solver.volume_now(), level_set.phi
        self._cut(lambda phi, disc: np.minimum(phi, disc), x, y, radius)
        self._still(old, x, y, radius)
        if level_set.per_cell:
            sides = level_set.sides
            reseed(level_set.particles, level_set.phi, solver.h, level_set.per_cell, self._random, sides)
        added = max(0.0, solver.volume_now() - before)
        solver.ledger.bring(added)
        self._go_on()
        return added

    def drain(self, x: float, y: float, radius: float) -> None:
        """Take the liquid in a disc out."""
        self._finish()
        before, particles = self._solver.volume_now(), self._level_set.particles
        self._cut(lambda phi, disc: np.maximum(phi, -disc), x, y, radius)
        away = np.hypot(*(particles.place * self._solver.h - (x, y)).T)
        particles.keep(away > radius)
        self._account_for(before, "taken out by hand", is_outflow=True)
        self._go_on()

    def heat(self, x: float, y: float, radius: float, temperature: float) -> None:
        """The brush works on particles."""
        raise PlashError('the heat brush does not reach a level set: choose surface = "particles" in the settings')

    def scale(self, view: str) -> Scale | None:
        """No view has the colours of pictures."""
        return None

    def facts(self) -> dict[str, Any]:
        """Numbers about the present moment and the last step; lengths in m, volumes in m², energies in J/m."""
        solver, cells, h = self._solver, self.scene.domain.cells, self._solver.h
        phi = self._level_set.phi
        share = np.where(solver.is_solid(phi.tiles), 0.0, filled_cells(phi.pool, h))
        volume = picture_of(share, phi.tiles, cells, 0.0) * h**2
        y, x = (np.indices(volume.shape) + 0.5) * h
        kinetic = 0.0
        if solver.state.velocity is not None:
            u, v = np.nan_to_num(faces_picture(solver.state.velocity, cells).astype(np.float64))
            square = ((u[:-1, 1:] + u[:-1, :-1]) ** 2 + (v[1:, :-1] + v[:-1, :-1]) ** 2) / 4
            kinetic = float(self.scene.liquid.rho / 2 * (volume * square).sum())
        center = [float((volume * x).sum()), float((volume * y).sum())]
        return self._facts(self._level_set.particles.count, float(volume.sum()), center, kinetic)

    def arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view needs, and the units of those arrays that are scaled."""
        cells, h = self.scene.domain.cells, self._solver.h
        arrays, units = self._cell_arrays(view, arrows)
        phi, held = self._level_set.phi, self._solver.state.cells
        if held is not None and held.phi is not None and {"value", "label"} & arrays.keys():
            phi = held.phi  # what is known by cell is of the start of the step
        shown = CellField(phi.tiles, phi.pool.copy())
        is_solid = self._solver.is_solid(phi.tiles)
        continue_into_solids(shown, is_solid, h)
        picture = picture_of(shown.pool / np.float32(h), phi.tiles, cells, np.float32(BAND))
        arrays["phi"] = distance_bytes(picture)
        # Values beyond the band stand for "far", and are no distances
        is_near = np.abs(picture) < BAND - 1e-3
        is_solid = picture_of(is_solid, phi.tiles, cells, np.False_)
        if view == "phi":
            arrays["value"], units["value"] = scaled(picture * h)
        if view == "band":
            side = np.where(picture < 0, _WET_BAND, _DRY_BAND)
            far = np.where(picture < 0, _DEEP, _OUTSIDE)
            arrays["label"] = np.where(is_solid, 2, np.where(is_near, side, far)).astype(np.int8)
            arrays["tiles"] = phi.tiles.coordinates[1:, :2].astype(np.int16)
        if view == "signed":
            arrays |= self._signed()
        return arrays, units

    def _beyond_state(self) -> Any:
        """What the transfer owes to the next projection."""
        return self._solver.transfer.owed

    def _bring_back(self, beyond: Any) -> None:
        """Let the transfer owe it again."""
        self._solver.transfer.owed = beyond

    def _signed(self) -> Arrays:
        """Where signed particles are, their sign as a colour, and their radius as a share of the largest."""
        particles, h = self._level_set.particles, self._solver.h
        size = tuple(n * h for n in self.scene.domain.cells)
        inside = (particles.sign < 0)[:, None]
        return {
            "points": point_bytes(particles.place * h, size),
            "shade": np.rint(particles.radius * (255 / LARGEST)).astype(np.uint8),
            "tone": np.where(inside, np.array(_INNER, np.uint8), np.array(_OUTER, np.uint8)),
        }

    def _reach(self, x: float, y: float, radius: float) -> None:
        """Have tiles where a disc lies in the domain, and a band round it."""
        level_set, h = self._level_set, self._solver.h
        cells = np.array(self.scene.domain.cells)
        low, high = (np.array([x, y]) - radius) / h, (np.array([x, y]) + radius) / h
        first = np.floor(np.clip(low, 0, cells)).astype(int) - BAND
        last = np.ceil(np.clip(high, 0, cells)).astype(int) + BAND
        more = tiles_over(tuple(first.tolist()), tuple((last - first).tolist()))
        keys = np.union1d(level_set.phi.tiles.keys, more.keys)
        level_set.phi = level_set.phi.moved_to(Tiles.of_keys(keys, 2))

    def _cut(self, combined: Combined, x: float, y: float, radius: float) -> None:
        """Combine φ with the distance to a disc, and make it a distance again."""
        level_set, h = self._level_set, self._solver.h
        tiles = level_set.phi.tiles
        centres = tiles.cell_centres(tiles.slots, h)
        disc = np.hypot(centres[:, 0] - x, centres[:, 1] - y) - radius
        disc = np.clip(disc, -BAND * h, BAND * h).reshape(-1, *tiles.shape)
        phi = CellField(tiles, level_set.phi.pool.copy())
        phi.pool[1:] = combined(phi.pool[1:].astype(np.float64), disc)
        level_set.phi = mended_distance(phi, h)

    def _still(self, old: CellField, x: float, y: float, radius: float) -> None:
        """Give liquid that was poured where there was air no velocity."""
        s, h, tiles = self._solver.state, self._solver.h, self._level_set.phi.tiles
        velocity = FaceField.filled(tiles) if s.velocity is None else s.velocity.moved_to(tiles)
        was_air = old.moved_to(tiles).pool > 0
        centres = tiles.cell_centres(tiles.slots, h)
        for axis in range(2):
            face = centres - 0.5 * h * np.eye(2)[axis]
            near = np.hypot(face[:, 0] - x, face[:, 1] - y) < radius + BAND * h
            pool = velocity.pool[axis, 1:]
            new = near.reshape(pool.shape) & was_air[1:] & (np.isnan(pool) | (self._level_set.phi.pool[1:] < 0))
            pool[new] = 0.0
        s.velocity = velocity

    def _account_for(self, before: float, reason: str, is_outflow: bool) -> None:
        """Write down by how much the volume (m²) is less than before."""
        lost = before - self._solver.volume_now()
        if lost > 0:
            self._solver.ledger.remove(reason, lost, is_outflow)

    def _go_on(self) -> None:
        self._solver.state.unspent = 0.0
        self._solver.label()
