"""What a scene says about the liquid's looks: its colour, its own or on a scale, and how clear it is."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED, COLOR
from plash.render.colors import scale_colors
from plash.render.mitsuba.looks import look_color
from plash.render.preview.water import LiquidOptics
from plash.scene.colors import light_of
from plash.scene.model import Scene
from plash.scene.sources import Spout

# Lengths as parts of the domain's size, so that a puddle and a lake look alike: where light takes the liquid's
# colour, and where one sees no further
_CLEAR, _CLOUDY = 0.19, 0.7
_CLOUDS = {
    "milk": 0.006,
    "wax": 0.01,
    "chocolate": 0.004,
    "tar": 0.004,
    "lava": 0.004,
    "honey": 0.10,
    "syrup": 0.10,
    "olive_oil": 0.25,
    "castor_oil": 0.35,
    "sea_water": 0.35,
}
_CLEARER = {"clear": 0.6, "acetone": 0.6, "ethanol": 0.6, "glycerol": 0.6, "glass": 0.6}
_BY_SPEED = 0.04
_CARRIED = 0.15  # of liquid of several colours, which hides more of what is behind than clear liquid does
_OF_LOOK = {"milk": 0.006, "paint": 0.004, "lava": 0.004, "honey": 0.10, "oil": 0.25, "jelly": 0.12}  # the same by look
_NEUTRAL = np.full(3, 0.25)  # light of what stands for many colours: outlines and shadows


class Tint:
    """Colours of a scene's liquid."""

    def __init__(self, scene: Scene) -> None:
        look = scene.look
        by_speed = (scene.dimension == 2 or look.show == "particles") and not scene.solver.has_smoke
        default = "speed" if by_speed else "material"
        self.shows = look.color_by or ("material" if scene.has_colors else default)
        self.is_scale = self.shows != "material"
        self.is_carried = scene.has_colors and not self.is_scale
        named = look.liquid in (*_OF_LOOK, "mercury") and not self.is_scale
        self.light = _NEUTRAL if self.is_carried else light_of(look_color(scene) if named else scene.liquid_color)
        self.top_speed = look.top_speed or _top_speed(scene)
        self.low, self.top, self.unit = _scale(scene, self.shows, self.top_speed)
        self._material, self._look = scene.liquid.material, look.liquid or ""
        self._size = math.prod(scene.domain.size) ** (1 / scene.dimension)

    def values(
        self, velocity: NDArray[np.floating], scalars: Mapping[str, NDArray[np.floating]]
    ) -> NDArray[np.float64]:
        """What the scale shows of liquid: its speed in m/s, or one of the scalars it carries; 0 if it has no such.

        Of liquid that carries colours it is those (n, 3).
        """
        if self.is_carried and COLOR in scalars:
            return scalars[COLOR].astype(np.float64)
        if self.shows not in CARRIED:
            return speeds(velocity)
        shown = scalars.get(self.shows)
        return np.zeros(len(velocity)) if shown is None else shown.astype(np.float64)

    def share(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Where values are on the scale: 0 for its first colour, 1 for its last."""
        share: NDArray[np.float64] = (values.astype(np.float64) - self.low) / (self.top - self.low)
        return share

    def colors(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Light (n, 3) that liquid of some values returns."""
        if values.ndim == 2:
            return values.astype(np.float32)
        if self.is_scale:
            return scale_colors(self.share(values), self.shows)
        return np.tile(self.light.astype(np.float32), (len(values), 1))

    @property
    def liquid(self) -> LiquidOptics:
        """How the liquid treats light."""
        name = self._material
        if self.is_scale:
            return LiquidOptics(_CLEAR * self._size, _BY_SPEED * self._size)
        if self.is_carried:
            known = {**_CLOUDS, **_OF_LOOK}
            return LiquidOptics(_CLEAR * self._size, known.get(self._look or name, _CARRIED) * self._size)
        if self._look:
            clear, cloudy = _CLEARER.get(self._look, _CLEAR), _OF_LOOK.get(self._look, _CLOUDY)
        else:
            clear, cloudy = _CLEARER.get(name, _CLEAR), _CLOUDS.get(name, _CLOUDY)
        return LiquidOptics(clear * self._size, cloudy * self._size, metal=(self._look or name) == "mercury")

    @property
    def absorb(self) -> NDArray[np.float64]:
        """How fast light fades in the liquid on its way to a shadow, 1/m for red, green and blue."""
        liquid = self.liquid
        if liquid.metal:
            return np.full(3, 1e3 / self._size)
        faded: NDArray[np.float64] = -np.log(np.maximum(self.light, 0.02)) / liquid.clear
        return 0.8 * faded + 0.3 / liquid.cloudy


def speeds(velocity: NDArray[np.floating]) -> NDArray[np.float64]:
    """Length (m/s) of velocities (n, axes)."""
    each = velocity.astype(np.float64)
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", each, each))
    return lengths


def _scale(scene: Scene, shows: str, top_speed: float) -> tuple[float, float, str]:
    """The values of the first and the last colour, and their unit."""
    if shows not in CARRIED:
        return 0.0, top_speed, "m/s"
    low, top = scene.color_scale(shows) or CARRIED[shows].scale(max(scene.time.frames - 1, 1) / scene.time.fps)
    return low, top, CARRIED[shows].unit


def _top_speed(scene: Scene) -> float:
    """That of a fall through the domain's height; without gravity the fastest at the start, or of a spout."""
    gravity = math.hypot(*scene.domain.gravity)
    if gravity > 0:
        return math.sqrt(2 * gravity * scene.domain.size[1])
    speeds = [math.hypot(*fill.velocity) for fill in scene.fill]
    speeds += [source.peak(scene.dimension) for source in scene.source if isinstance(source, Spout)]
    return max(speeds, default=0.0) or 1.0
