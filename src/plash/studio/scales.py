"""Scales of colours: what a view shows as a colour, from which value to which, as the pictures of a run have it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED
from plash.render.colors import scale_colors
from plash.scene.colors import COLORS, screen
from plash.scene.model import Scene
from plash.studio.fields import screen_bytes

TEMPERATURE, VISCOSITY = "temperature", "viscosity"
_LOG_VISCOSITY = "log_viscosity"  # what particles carry, and pictures show
_STOPS = 9
_ICE = 273.15  # K at 0 °C
_AIR = "#8fb4e0"


@dataclass(frozen=True)
class Scale:
    """Colours from one value to another.

    Attributes:
        shows: What pictures call it.
        title: What the page calls it.
        unit: Of its ends.
        low: Value of the first colour.
        high: Value of the last one.
        is_logarithm: Whether values are decimal logarithms of what the ends are told as; else they are kelvins.
    """

    shows: str
    title: str
    unit: str
    low: float
    high: float
    is_logarithm: bool = False

    def colors(self, values: NDArray[Any]) -> NDArray[np.uint8]:
        """The colours of values as a screen shows them, in eight bits; the last axis is red, green and blue."""
        flat = (np.asarray(values, np.float64).reshape(-1) - self.low) / (self.high - self.low)
        return screen_bytes(scale_colors(flat, self.shows)).reshape(*np.shape(values), 3)

    def told(self) -> dict[str, Any]:
        """What the page needs for its legend."""
        ends = [10**end if self.is_logarithm else end - _ICE for end in (self.low, self.high)]
        light = screen(scale_colors(np.linspace(0, 1, _STOPS), self.shows))
        stops = ["#" + "".join(f"{round(255 * float(part)):02x}" for part in stop) for stop in light]
        return {"title": self.title, "unit": self.unit, "low": ends[0], "high": ends[1], "stops": stops}


def temperature_scale(scene: Scene) -> Scale:
    """The scale of temperatures of a scene, from the lowest that it speaks of to the highest.

    >>> import plash
    >>> scale = temperature_scale(plash.load_scene("lava_lamp"))
    >>> scale.low, scale.high, scale.told()["stops"][0]
    (278.15, 353.15, '#1b0c41')
    """
    low, high = scene.color_scale(TEMPERATURE) or CARRIED[TEMPERATURE].scale(1.0)
    return Scale(TEMPERATURE, "Temperature", "°C", low, high)


def viscosity_scale(scene: Scene) -> Scale:
    """The scale of viscosities of a scene, by powers of ten."""
    low, high = (math.log10(mu) for mu in scene.dynamic_viscosities)
    return Scale(_LOG_VISCOSITY, "Viscosity", "Pa·s", low, high if high > low else low + 1.0, is_logarithm=True)


def fluid_color(scene: Scene) -> str:
    """The colour of the fluid; air, which has none, is light blue where cells are shown."""
    return _AIR if scene.solver.has_smoke else COLORS.get(scene.liquid_color, scene.liquid_color)


def smoke_color(scene: Scene) -> str | None:
    """The colour of smoke that a scene asks for; None if it leaves that to the page."""
    look = scene.look
    return COLORS.get(look.smoke_color, look.smoke_color) if "smoke_color" in look.model_fields_set else None


def poured_color(scene: Scene) -> str:
    """The colour of what is poured, unless it has one of its own."""
    color = scene.smoke_color if scene.solver.has_smoke else scene.liquid_color
    return COLORS.get(color, color)
