"""From a scene to smoke in air: the fields that the air carries, and what acts on them."""

from __future__ import annotations

import math

import numpy as np

from plash.grid.fields import CellField
from plash.levelset.inside import Inside
from plash.levelset.vectors import start_velocity
from plash.physics.force_fields import face_centres
from plash.physics.free_surface_staircase import Staircase
from plash.physics.pressure import PressureSolver
from plash.physics.smoke.advection import Advection, MacCormack, Trace
from plash.physics.smoke.buoyancy import Buoyancy
from plash.physics.smoke.confinement import Confinement, NoConfinement, VorticityConfinement
from plash.physics.smoke.decay import Fading, Spreading
from plash.physics.smoke.envelope import Envelope
from plash.physics.smoke.fire import BurningFuel, Fire, NoFire
from plash.physics.smoke.fluxes import Capacity
from plash.physics.smoke.sources import PlaceInShape, SmokeFlows, SmokeInlet, SmokeSink
from plash.physics.smoke.transport import ByFluxes, Traced
from plash.physics.smoke.wind import Wind
from plash.scene.bodies import Fill
from plash.scene.colors import light_of
from plash.scene.materials import MATERIALS
from plash.scene.model import Scene
from plash.scene.smoke_settings import SmokeSettings
from plash.scene.sources import HeatSource, SmokeSource
from plash.solvers.build.containers import with_shapes
from plash.solvers.build.surroundings import greatest_push, scene_forces, scene_solids, warm_walls
from plash.solvers.ledger import Ledger
from plash.solvers.smoke import COLORED, DENSITY, FUEL, WARMTH, SmokeSolver
from plash.solvers.smoke_state import SmokeState
from plash.solvers.timestep import TimeStep

_ADVECTION: dict[str, type[Advection]] = {"semi_lagrangian": Trace, "maccormack": MacCormack}
_USUAL_DENSITY = 1.0  # kg/m³, of a fill
_MOMENT = 1e-9  # seconds that a fill takes to appear
_LEAST_FUEL = 1e-2  # share of the air that counts as fuel


def build_smoke(scene: Scene) -> SmokeSolver:
    """The solver of a scene of smoke, with its smoke, at time zero."""
    solver = smoke_solver(scene)
    solver.begin(smoke_state(scene))
    return solver


def smoke_solver(scene: Scene) -> SmokeSolver:
    """The solver of a scene of smoke, without any smoke."""
    scene = with_shapes(scene)
    domain, settings = scene.domain, _settings(scene)
    h, names = domain.h, _names(scene)
    advection = _ADVECTION[settings.advection]()
    solids = scene_solids(scene, settings.solids == "cut" and len(scene.obstacles) > 0)
    wind = Wind(settings.wind_in(scene.dimension), settings.wind_rate)
    thresholds = {DENSITY: settings.threshold, WARMTH: settings.warmth_threshold, FUEL: _LEAST_FUEL}
    thresholds |= dict.fromkeys(COLORED, math.inf)  # it is where the density is
    fading = {DENSITY: Fading(settings.dissipation, settings.decay), WARMTH: Fading(0.0, settings.cooling)}
    diffusivity = {DENSITY: settings.diffusion, WARMTH: _conduction(scene)} | dict.fromkeys(COLORED, settings.diffusion)
    return SmokeSolver(
        state=SmokeState.nothing(scene.dimension, len(names), wind.velocity),
        ledger=Ledger(),
        h=h,
        names=names,
        thresholds=np.array([thresholds[name] for name in names], np.float32),
        air_temperature=scene.liquid.temperature,
        time_step=TimeStep(
            h=h,
            gravity=0.0,
            courant=settings.courant,
            shortest=settings.min_dt,
            longest=math.inf if settings.max_dt is None else settings.max_dt,
        ),
        solids=solids,
        advection=advection,
        transport=ByFluxes() if settings.conserve else Traced(advection),
        buoyancy=_buoyancy(scene, names),
        confinement=_confinement(settings.confinement, h),
        forces=scene_forces(scene),
        wind=wind,
        flows=_flows(scene, names),
        fading=[fading.get(name, Fading()) for name in names],
        spreading=[Spreading(diffusivity.get(name, 0.0), h) for name in names],
        warm_walls=warm_walls(scene, solids, scene.liquid.temperature),
        fire=_fire(scene, names),
        pressure=PressureSolver(Staircase(), scene.liquid.rho, h, settings.tolerance, in_every_cell=True),
        push=greatest_push(scene),
        colors=np.array([light_of(color) for color in scene.smoke_colors]).reshape(-1, 3),
    )


def smoke_state(scene: Scene) -> SmokeState:
    """The smoke of a scene at time zero: where fills overlap the last one counts, and solids stay empty."""
    scene = with_shapes(scene)
    solver = smoke_solver(scene)
    names, box = _names(scene), solver.solids.geometry.box
    state = solver.state
    places = [PlaceInShape(fill.shape, scene.domain.h, f"fill[{n}].shape") for n, fill in enumerate(scene.fill)]
    at_start = [(fill, place) for fill, place in zip(scene.fill, places, strict=True) if fill.time == 0]
    boxes = [place.cells(0.0, scene.dimension) for _, place in at_start]
    keys = state.envelope.followed(state.scalars, solver.thresholds, solver.buffer, boxes, box)
    state.envelope = Envelope.of_keys(keys, box)
    tiles = state.envelope.tiles
    state.velocity = state.velocity.moved_to(tiles)
    empty = CellField.filled(tiles, 0.0).pool
    state.scalars = np.stack([empty.copy() for _ in names])
    cells = state.envelope.label(solver.solids.at(tiles, solver.solids.poses(0.0), 0.0))
    for fill, place in at_start:
        values = _values_of(fill, scene, names)
        SmokeInlet(place, {}, True, values, tuple(fill.velocity), 0.0, math.inf).give(
            state.scalars, cells, Capacity.of(cells), 0.0, 1.0
        )
        inside = Inside(fill.shape, scene.domain.h, place.name)
        if fill.velocity_at is None and not any(fill.velocity):
            continue
        for axis, faces in enumerate(inside.faces(tiles)):
            points = face_centres(tiles, faces, axis, scene.domain.h)
            given = start_velocity(fill, points, place.name.removesuffix(".shape"))
            state.velocity.pool[axis][faces] = given[:, axis]
    return state


def _values_of(fill: Fill, scene: Scene, names: tuple[str, ...]) -> dict[int, float]:
    density = _USUAL_DENSITY if fill.density is None else fill.density
    values = _of_color(scene, names, density, fill.color)
    if fill.temperature is not None and WARMTH in names:
        values[names.index(WARMTH)] = fill.temperature - scene.liquid.temperature
    return values


def _of_color(scene: Scene, names: tuple[str, ...], density: float, color: str | None) -> dict[int, float]:
    """Smoke of a density, or a rate of it, and of a colour, by the fields of the air."""
    found = {names.index(DENSITY): density}
    if COLORED[0] in names:
        shares = light_of(color or scene.smoke_colors[0]).tolist()
        found |= {names.index(name): density * share for name, share in zip(COLORED, shares, strict=True)}
    return found


def _settings(scene: Scene) -> SmokeSettings:
    assert isinstance(scene.solver, SmokeSettings)
    return scene.solver


def _names(scene: Scene) -> tuple[str, ...]:
    """What the air carries."""
    burns = any(isinstance(source, SmokeSource) and source.fuel > 0 for source in scene.source)
    heat, fuel, colored = [WARMTH] if scene.has_heat else [], [FUEL] if burns else [], scene.smoke_colors
    return (DENSITY, *heat, *fuel, *(COLORED if colored else ()))


def _conduction(scene: Scene) -> float:
    """Thermal diffusivity: that of the material matters at warm walls alone, where nothing else brings heat."""
    walls = scene.domain.side_temperature.given or any(solid.temperature is not None for solid in scene.obstacles)
    usual = MATERIALS[scene.liquid.material].thermal_diffusivity
    return scene.liquid.thermal_diffusivity if walls or scene.liquid.thermal_diffusivity != usual else 0.0


def _buoyancy(scene: Scene, names: tuple[str, ...]) -> Buoyancy:
    settings, gravity = _settings(scene), scene.domain.gravity[: scene.dimension]
    size = math.hypot(*gravity)
    up = settings.up or (tuple(-part / size for part in gravity) if size > 0 else (0.0,) * scene.dimension)
    length = math.hypot(*up)
    if length > 0:
        up = tuple(part / length for part in up)
    rise = size / scene.liquid.temperature if settings.rise is None else settings.rise
    lifts = {DENSITY: -settings.fall, WARMTH: rise}
    return Buoyancy(up, tuple(lifts.get(name, 0.0) for name in names))


def _confinement(strength: float, h: float) -> Confinement:
    return VorticityConfinement(strength, h) if strength > 0 else NoConfinement()


def _fire(scene: Scene, names: tuple[str, ...]) -> Fire:
    if FUEL not in names:
        return NoFire()
    settings = _settings(scene)
    return BurningFuel(
        density=names.index(DENSITY),
        warmth=names.index(WARMTH),
        fuel=names.index(FUEL),
        rate=settings.burn_rate,
        ignition=settings.ignition,
        heat=settings.burn_heat,
        soot=settings.soot,
        expansion=settings.expansion,
    )


def _flows(scene: Scene, names: tuple[str, ...]) -> SmokeFlows:
    """Sources, fills that appear later, and sinks."""
    h = scene.domain.h
    inlets = [_inlet(scene, source, names) for source in scene.source if isinstance(source, SmokeSource | HeatSource)]
    for number, fill in enumerate(scene.fill):
        if fill.time > 0:
            place, values = PlaceInShape(fill.shape, h, f"fill[{number}]"), _values_of(fill, scene, names)
            velocity = tuple(fill.velocity) if any(fill.velocity) else None
            inlets.append(SmokeInlet(place, {}, True, values, velocity, fill.time, fill.time + _MOMENT))
    sinks = [SmokeSink(sink, Inside(sink.shape, h, sink.name)) for sink in scene.sink]
    return SmokeFlows(inlets, sinks)


def _inlet(scene: Scene, source: SmokeSource | HeatSource, names: tuple[str, ...]) -> SmokeInlet:
    held = {}
    if source.temperature is not None and WARMTH in names:
        held[names.index(WARMTH)] = source.temperature - scene.liquid.temperature
    if isinstance(source, HeatSource):
        place = PlaceInShape(source.shape, scene.domain.h, source.name)
        return SmokeInlet(place, {}, True, held, None, source.start, source.end)
    if source.fuel > 0:
        held[names.index(FUEL)] = source.fuel
    motion = source.motion if source.moves else None
    rate = source.density_rate if source.mass_rate is None else source.mass_rate
    velocity = None if source.velocity is None else tuple(source.velocity)
    return SmokeInlet(
        PlaceInShape(source.shape, scene.domain.h, source.name, motion),
        {} if rate is None else _of_color(scene, names, rate, source.color),
        source.mass_rate is None,
        held,
        velocity,
        source.start,
        source.end,
    )
