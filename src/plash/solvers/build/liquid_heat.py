"""What a scene says about heat and varied viscosity, as a liquid in air sees it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plash.carried import CarriedValue
from plash.levelset.inside import Inside
from plash.physics.heat.buoyancy import ThermalLift
from plash.physics.heat.conduction import Conduction
from plash.physics.heat.heat import CarriedHeat, Heat, Heater, NoHeat
from plash.physics.level_set.warm_cells import GridHeat, NoGridHeat, ViscosityOfCells, WarmCells
from plash.physics.solids.base import SceneSolids
from plash.physics.viscosity.viscosity_field import (
    ByParticle,
    ByTemperature,
    OneViscosity,
    ViscosityField,
    log_viscosity_at,
)
from plash.scene.bodies import Fill
from plash.scene.drops import Drops
from plash.scene.model import Scene
from plash.scene.sources import Blob, HeatSource, Spout
from plash.solvers.build.liquid_colors import light_of_liquid
from plash.solvers.build.surroundings import warm_walls


def liquid_heat(scene: Scene, solids: SceneSolids[Any]) -> Heat:
    """The heat of a scene; none if everything in it is equally warm."""
    if not scene.has_heat:
        return NoHeat()
    liquid, h = scene.liquid, scene.domain.h
    gravity = tuple(scene.domain.gravity[: scene.dimension])
    return CarriedHeat(
        Conduction(liquid.thermal_diffusivity, h),
        warm_walls(scene, solids),
        ThermalLift(gravity, liquid.thermal_expansion, liquid.temperature),
        _heaters(scene),
        h,
    )


def grid_heat(scene: Scene, solids: SceneSolids[Any]) -> tuple[GridHeat, ViscosityField]:
    """The heat of a liquid whose surface is a level set, which lives in cells, and where it is how thick."""
    heat = liquid_heat(scene, solids)
    if not isinstance(heat, CarriedHeat):
        return NoGridHeat(), OneViscosity()
    usual = scene.liquid.temperature
    warm = WarmCells(heat.conduction, heat.walls, heat.thermal_lift, heat.heaters, usual, heat.h)
    return warm, ViscosityOfCells(scene.liquid, warm) if scene.liquid.viscosity_points else OneViscosity()


def viscosity_field(scene: Scene) -> ViscosityField:
    """Where the liquid of a scene is how thick."""
    if scene.has_own_viscosities:
        return ByParticle(scene.liquid.rho)
    if scene.has_heat and scene.liquid.viscosity_points:
        return ByTemperature(scene.liquid)
    return OneViscosity()


def spout_viscosity(scene: Scene, spout: Spout) -> float:
    """Kinematic viscosity of what comes out of a spout, m²/s."""
    liquid = scene.liquid
    if spout.viscosity is not None:
        return spout.viscosity / liquid.rho
    if spout.temperature is None or liquid.viscosity_ramp is None:
        return liquid.nu
    return float(np.exp(log_viscosity_at(liquid, np.array([spout.temperature])))[0]) / liquid.rho


def carried_by(scene: Scene, body: Fill | Blob | Drops | Spout | None = None) -> dict[str, CarriedValue]:
    """What the particles of some liquid carry of what the scene asks for, by name; else what all others do."""
    temperature = None if body is None else body.temperature
    viscosity = None if body is None else body.viscosity
    carried: dict[str, CarriedValue] = {}
    if "temperature" in scene.carries:
        carried["temperature"] = scene.liquid.temperature if temperature is None else temperature
    if "log_viscosity" in scene.carries:
        carried["log_viscosity"] = math.log10(scene.liquid.nu * scene.liquid.rho if viscosity is None else viscosity)
    if "elastic" in scene.carries:
        carried["elastic"] = scene.liquid.elastic if body is None else body.elastic(scene.liquid)
    if "color" in scene.carries:
        carried["color"] = light_of_liquid(scene, None if body is None else body.color)
    return carried


def _heaters(scene: Scene) -> list[Heater]:
    return [
        Heater(Inside(source.shape, scene.domain.h, source.name), source.temperature, source.start, source.end)
        for source in scene.source
        if isinstance(source, HeatSource)
    ]
