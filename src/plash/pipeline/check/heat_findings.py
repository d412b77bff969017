"""What a scene says about heat and viscosity, and nothing comes of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from plash.pipeline.check.finding import Finding, without_effect
from plash.scene.model import Scene

_WARM = "give a fill, a source, a solid or a side of the domain a temperature of its own"
_UNSEEN = {
    "temperature": ("all liquid is equally warm", _WARM),
    "log_viscosity": ("no liquid has a viscosity of its own", "give a fill or a source a viscosity"),
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


def _weak_heat(scene: Scene) -> Iterator[Finding]:
    liquid, h = scene.liquid, scene.domain.h
    if liquid.viscosity_at is not None:
        low, high = scene.dynamic_viscosities
        if math.isclose(low, high):
            ends = f"{min(scene.temperatures):g} to {max(scene.temperatures):g} K"
            points = f"{liquid.viscosity_at[0].temperature:g} to {liquid.viscosity_at[-1].temperature:g} K"
            message = f"is {low:.4g} Pa*s throughout: its points are at {points}, and the scene has {ends}"
            yield without_effect("liquid.viscosity_at", message, "give points between the temperatures of the scene")
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
