"""From a scene of liquid in air whose surface is a level set to its solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError
from plash.grid.fields import CellField, FaceField
from plash.levelset.shapes import distance
from plash.levelset.vectors import start_velocity, vectors_at
from plash.physics.level_set.appearing import Appearing
from plash.physics.level_set.band import BAND
from plash.physics.level_set.distancing import level_set_of
from plash.physics.level_set.level_set import LevelSet
from plash.physics.level_set.signed_particles import SignedParticles
from plash.physics.solids.domain_box import DomainBox
from plash.scene.bodies import Fill
from plash.scene.model import Scene
from plash.scene.settings import LiquidSettings
from plash.scene.shapes import Box
from plash.scene.sources import Blob
from plash.solvers.build.liquid_heat import grid_heat
from plash.solvers.level_set_driven import DrivenLevelSet
from plash.solvers.level_set_liquid import LevelSetLiquid
from plash.solvers.level_set_state import LevelSetState, empty_state
from plash.solvers.level_set_transfer import WideSemiLagrangian
from plash.solvers.liquid import LiquidSolver

Points = NDArray[np.float64]
Liquid = Fill | Blob

_RESEED_EVERY = 20  # steps


def with_level_set(solver: LiquidSolver, scene: Scene, box: DomainBox, settings: LiquidSettings) -> LevelSetLiquid:
    """The solver of a scene with a level set for its surface, without any liquid."""
    parts = {part.name: getattr(solver, part.name) for part in fields(solver) if part.init}
    parts["state"] = empty_state(scene.dimension, scene.domain.h)
    parts["state"].level_set = _settings_in(parts["state"].level_set, settings, scene.dimension)
    parts["transfer"] = WideSemiLagrangian(scene.domain.h)
    parts["heat"], parts["viscosity_field"] = grid_heat(scene, solver.solids)
    later = [_appearing(name, liquid, scene) for name, liquid in _liquids(scene) if liquid.time > 0]
    parts |= {"box": box, "volume_correction": settings.levelset_volume, "appearing": later}
    if settings.flow is None:
        return LevelSetLiquid(**parts)
    parts["time_step"] = replace(solver.time_step, gravity=0.0)
    return DrivenLevelSet(**parts, flow=partial(vectors_at, settings.flow, "solver.flow"))


def level_set_state(scene: Scene, settings: LiquidSettings) -> LevelSetState:
    """The liquid of a scene at time zero."""
    h, d = scene.domain.h, scene.dimension
    fills = [(f"{name}.shape", _through_walls(fill, scene)) for name, fill in _liquids(scene) if fill.time == 0]
    low, high = np.zeros(d), np.asarray(scene.domain.size)[:d].astype(np.float64)
    for _, fill in fills:
        own = fill.shape.bounds(d)
        low = np.where(np.isfinite(own[0]), np.minimum(low, own[0]), low)
        high = np.where(np.isfinite(own[1]), np.maximum(high, own[1]), high)
    state = empty_state(d, h)
    state.particles.give_rows(scene.carries)
    if not fills:
        state.level_set = _settings_in(state.level_set, settings, d)
        state.temperature = _temperature(fills, state, scene)
        return state
    phi = level_set_of(lambda points: _distances(fills, points).min(axis=0), low.tolist(), high.tolist(), h)
    if not (phi.pool < 0).any():
        where = "every fill is thinner than a cell"
        raise SceneError([Problem("fill", f"no liquid is left: {where}; raise domain.resolution")])
    state.level_set = _settings_in(LevelSet(phi, h, SignedParticles.none(d)), settings, d)
    state.velocity = _velocity(fills, state, h)
    state.temperature = _temperature(fills, state, scene)
    return state


def _liquids(scene: Scene) -> list[tuple[str, Liquid]]:
    """Fills and blobs, with the names that the ledger has for them."""
    fills: list[tuple[str, Liquid]] = [(f"fill[{number}]", fill) for number, fill in enumerate(scene.fill)]
    return fills + [(source.name, source) for source in scene.source if isinstance(source, Blob)]


def _appearing(name: str, liquid: Liquid, scene: Scene) -> Appearing:
    """Liquid that appears after the start, in the domain."""
    d = scene.dimension
    body, size = _through_walls(liquid, scene), np.asarray(scene.domain.size)[:d].astype(np.float64)
    own = liquid.shape.bounds(d)
    low = np.where(np.isfinite(own[0]), own[0], 0.0)
    high = np.where(np.isfinite(own[1]), own[1], size)
    velocity = np.array(tuple(liquid.velocity)[:d], np.float64)
    return Appearing(
        name, liquid.time, partial(_distance, body, f"{name}.shape"), low, high, velocity, liquid.temperature
    )


def _distance(liquid: Liquid, name: str, points: Points) -> Points:
    return distance(liquid.shape, points, name)


def _settings_in(level_set: LevelSet, settings: LiquidSettings, dimension: int) -> LevelSet:
    level_set.scheme, level_set.seed = settings.levelset_scheme, settings.seed
    level_set.per_cell = settings.count_per_cell(dimension) if settings.levelset_particles else 0
    if settings.flow is None:
        level_set.reseed_every, level_set.sides = _RESEED_EVERY, (-1,)
    return level_set


def _distances(fills: Sequence[tuple[str, Liquid]], points: Points) -> Points:
    """Signed distance (m) of points to each fill, [fill, point]."""
    return np.stack([distance(fill.shape, points, name) for name, fill in fills])


def _owners(fills: Sequence[tuple[str, Liquid]], points: Points) -> NDArray[np.int64]:
    """Number of the fill that each point belongs to: where fills overlap the first one, outside of all the nearest."""
    away = _distances(fills, points)
    owners: NDArray[np.int64] = np.where((away < 0).any(axis=0), (away < 0).argmax(axis=0), away.argmin(axis=0))
    return owners


def _through_walls(fill: Liquid, scene: Scene) -> Liquid:
    """A fill that goes on behind the closed sides it reaches, if it is a box: a wall is no surface of the liquid."""
    box = fill.shape
    if not isinstance(box, Box) or box.rotation is not None or box.translation is not None:
        return fill
    far = 2 * BAND * scene.domain.h
    low, high = list(box.min), list(box.max)
    for axis, (name, size) in enumerate(zip("xyz", scene.domain.size, strict=False)):
        if scene.domain.side(f"{name}_min") == "closed" and low[axis] <= 0:  # type: ignore[arg-type]
            low[axis] = -far
        if scene.domain.side(f"{name}_max") == "closed" and high[axis] >= size:  # type: ignore[arg-type]
            high[axis] = size + far
    return fill.model_copy(update={"shape": Box(min=tuple(low), max=tuple(high))})


def _velocity(fills: Sequence[tuple[str, Liquid]], state: LevelSetState, h: float) -> FaceField:
    """The velocity of the nearest fill on every face, m/s."""
    tiles = state.level_set.phi.tiles
    field = FaceField.filled(tiles, 0.0)
    centres = tiles.cell_centres(tiles.slots, h)
    for axis in range(tiles.dimension):
        places = centres - 0.5 * h * np.eye(tiles.dimension)[axis]
        nearest = _owners(fills, places)
        along = np.zeros(len(places))
        for number, (name, fill) in enumerate(fills):
            own = nearest == number
            along[own] = start_velocity(fill, places[own], name.removesuffix(".shape"))[:, axis]
        field.pool[axis, 1:] = along.reshape(-1, *tiles.shape)
    return field


def _temperature(fills: Sequence[tuple[str, Liquid]], state: LevelSetState, scene: Scene) -> CellField | None:
    """The temperature of the nearest fill in every cell, K; None if everything is equally warm."""
    if not scene.has_heat:
        return None
    tiles, usual = state.level_set.phi.tiles, scene.liquid.temperature
    field = CellField.filled(tiles, usual, np.float64)
    if fills:
        own = np.array([usual if fill.temperature is None else fill.temperature for _, fill in fills])
        owners = _owners(fills, tiles.cell_centres(tiles.slots, scene.domain.h))
        field.pool[1:] = own[owners].reshape(-1, *tiles.shape)
    return field
