"""What a scene says about heat and viscosity, and nothing comes of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from plash.pipeline.check.finding import Finding, without_effect
from plash.scene.model import Scene
from plash.scene.ramps import Ramp

_WARM = "give a fill, a source, a solid or a side of the domain a temperature of its own"
_UNSEEN = {
    "temperature": ("all liquid is equally warm", _WARM),
    "log_viscosity": ("no liquid has a viscosity of its own", "give a fill or a source a viscosity"),
    "strain": ("no particle carries strain", "give the liquid a shear_modulus, and use a transfer by particles"),
}
_HARDLY = 0.5  # cells that warmth spreads in the time of a scene, below which walls warm hardly anything


def heat_findings(scene: Scene) -> Iterator[Finding]:
    """Keys of heat and viscosity without effect, and walls that warm hardly anything."""
    if scene.has_heat:
        yield from _weak_heat(scene)
    else:
        yield from _no_heat(scene)
    shown = scene.look.color_by
    if shown in _UNSEEN and shown not in scene.carries:
        why, edit = _UNSEEN[shown]
        yield without_effect("look.color_by", f'"{shown}" shows one colour: {why}', edit)


def _no_heat(scene: Scene) -> Iterator[Finding]:
    """Keys that need something warmer or colder than the rest."""
    liquid = scene.liquid
    same = f"everything has the same temperature, {liquid.temperature:g} K"
    for key in ("thermal_expansion", "thermal_diffusivity"):
        if key in liquid.model_fields_set and getattr(liquid, key) != 0:
            yield without_effect(f"liquid.{key}", f"{getattr(liquid, key):g} has no effect: {same}", _WARM)
    if liquid.viscosity_at is not None:
        mu = liquid.dynamic_viscosity_at(liquid.temperature)
        yield without_effect("liquid.viscosity_at", f"is {mu:.4g} Pa*s throughout: {same}", _WARM)
    if liquid.shear_modulus_at is not None:
        modulus = liquid.elastic[0]
        yield without_effect("liquid.shear_modulus_at", f"is {modulus:.4g} Pa throughout: {same}", _WARM)


def _weak_heat(scene: Scene) -> Iterator[Finding]:
    liquid, h = scene.liquid, scene.domain.h
    if liquid.viscosity_at is not None and liquid.viscosity_ramp is not None:
        yield from _flat_ramp(scene, "liquid.viscosity_at", liquid.viscosity_ramp, "Pa*s")
    if liquid.modulus_ramp is not None:
        yield from _flat_ramp(scene, "liquid.shear_modulus_at", liquid.modulus_ramp, "Pa")
    walls = [
        f'solid[{index}] "{solid.name}"' for index, solid in enumerate(scene.solid) if solid.temperature is not None
    ]
    walls += [f"domain.side_temperature.{side}" for side in scene.domain.side_temperature.given]
    time = scene.time.frames / scene.time.fps
    reach = math.sqrt(4 * liquid.thermal_diffusivity * time) / h
    if walls and reach < _HARDLY:
        wanted = (_HARDLY * h) ** 2 / (4 * time)
        yield Finding(
            "note",
            "slow-heat",
            walls[0],
            f"warms hardly anything: with liquid.thermal_diffusivity = {liquid.thermal_diffusivity:.3g} m^2/s heat "
            f"spreads by {reach:.2g} cells in {time:.3g} s",
            f"raise liquid.thermal_diffusivity to {wanted:.2g} m^2/s or more, or raise domain.resolution",
        )


def _flat_ramp(scene: Scene, where: str, ramp: Ramp, unit: str) -> Iterator[Finding]:
    """A ramp whose ends are beyond all temperatures of the scene."""
    values = [ramp.at(temperature) for temperature in scene.temperatures]
    if math.isclose(min(values), max(values)):
        ends = f"{min(scene.temperatures):g} to {max(scene.temperatures):g} K"
        points = f"{ramp.temperatures[0]:g} to {ramp.temperatures[-1]:g} K"
        message = f"is {values[0]:.4g} {unit} throughout: its points are at {points}, and the scene has {ends}"
        yield without_effect(where, message, "give points between the temperatures of the scene")
