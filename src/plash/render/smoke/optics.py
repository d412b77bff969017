"""How smoke and flames treat light, by what a scene says of their looks.

Of light e^(-s x) is left after x metres, with s = opacity × density for smoke. What smoke takes out of a ray it sends
on in all directions in its colour. Flames are full of soot that takes light as smoke does, and glows as a black body of
its temperature; so does hot smoke, by the share of light that it swallows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED
from plash.grid.compile import inlined
from plash.grid.tiles import Tiles
from plash.grid.volume import COLORS, Volume
from plash.render.colors import scale_colors
from plash.render.smoke.black_body import glow_colors
from plash.scene.colors import light_of
from plash.scene.model import Scene

Floats = NDArray[np.float32]

HOTTEST = 4000.0  # K, of the table of glows
_STEPS = 512  # of the tables
_DENSE = 24.0  # times that light fades to 1/e on its way through a domain full of smoke of 1 kg/m³
_FLAMES, _BRIGHTNESS = (
    10.0,
    4.0,
)  # the same for flames, and light of thick ones of 1700 K: white paper in the studio is 1
_MIXED = 0.06  # of the light of flames, that all three layers of a film see alike
_FLAME, _HOTTER = 950.0, 750.0  # K: soot of the faintest flame is at least so hot, and of the strongest so much hotter
_WHITEST = 0.99  # share of light that smoke sends on at most
_GLOWS = 700.0  # K: colder smoke is not seen to glow


class SmokeOptics(NamedTuple):
    """What kernels know of smoke and flames.

    Attributes:
        opacity: Area that smoke hides, m²/kg.
        flame_opacity: How fast light fades in a flame, 1/m.
        size: Depth of a 2-D scene for its picture, and the size of any scene, m.
        low, top: Temperatures of the first and the last colour, K.
        colors: Shares of red, green and blue light that smoke sends on (n, 3), from the first colour to the last.
        glow: Light of a black body (n, 3) from 0 K to HOTTEST.
    """

    opacity: float
    flame_opacity: float
    size: float
    low: float
    top: float
    colors: Floats
    glow: Floats


class SmokeFields(NamedTuple):
    """The pools of a volume, [slot, z, y, x], as seen from other tiles that hold all there is.

    Attributes:
        density, temperature, flame: The pools; those that the volume does not have are one slot of zeros.
        color: Red, green and blue that smoke sends on, [part, slot, z, y, x]; one slot where it has one colour.
        homes: For each of the other tiles its slot in the pools; 0 where there is none.
        origins: First cell (x, y, z) of the other tiles by their slots; row 0 is unused.
    """

    density: Floats
    temperature: Floats
    flame: Floats
    color: Floats
    homes: NDArray[np.int32]
    origins: NDArray[np.int32]

    @classmethod
    def of(cls, volume: Volume, tiles: Tiles) -> SmokeFields:
        """The pools of a volume, seen from some tiles."""
        none = np.zeros((1, *volume.tiles.shape), np.float32)
        density, temperature, flame = (volume.pools.get(name, none) for name in ("density", "temperature", "flame"))
        color = np.stack([volume.pools.get(name, none) for name in COLORS]).clip(0.0, _WHITEST)
        return cls(density, temperature, flame, color, volume.tiles.slots_of(tiles.keys), tiles.origins)


def smoke_optics(scene: Scene) -> SmokeOptics:
    """What a scene says of the looks of smoke and flames.

    >>> from plash.scene import load_scene
    >>> optics = smoke_optics(load_scene("dam_break", **{"look.smoke_opacity": "8 m^2/g"}))
    >>> optics.opacity, optics.colors.shape
    (8000.0, (1, 3))
    """
    look = scene.look
    size = math.prod(scene.domain.size) ** (1 / scene.dimension)
    low, top = scene.color_scale("temperature") or CARRIED["temperature"].scale(1.0)
    colors = light_of(scene.smoke_color).astype(np.float32).reshape(1, 3)
    if look.color_by == "temperature":
        colors = scale_colors(np.linspace(0, 1, _STEPS), "temperature")
    return SmokeOptics(
        opacity=_DENSE / size if look.smoke_opacity is None else look.smoke_opacity,
        flame_opacity=_FLAMES / size,
        size=size,
        low=low,
        top=top,
        colors=np.ascontiguousarray(np.clip(colors, 0.0, _WHITEST), np.float32),
        glow=(_BRIGHTNESS * look.fire_brightness * _on_film(glow_colors(np.linspace(0, HOTTEST, _STEPS)))).astype(
            np.float32
        ),
    )


def _on_film(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Light (n, 3) as the layers of a film take it: each sees a little of the others', so what is bright whitens."""
    mixed: NDArray[np.float64] = light + _MIXED * (light.mean(axis=1, keepdims=True) - light)
    return mixed


def tints(
    optics: SmokeOptics, temperature: NDArray[np.floating], carried: NDArray[np.floating] | None = None
) -> Floats:
    """Shares of light (..., 3) that smoke sends on: by its temperature, as it carries them, or one for all."""
    colors = optics.colors
    if len(colors) == 1 and carried is not None:
        kept: Floats = np.clip(carried, 0.0, _WHITEST).astype(np.float32)
        return kept
    if len(colors) == 1:
        return colors.reshape((1,) * temperature.ndim + (3,))
    place = np.clip((temperature - optics.low) / (optics.top - optics.low), 0, 1) * (len(colors) - 1)
    found: Floats = colors[np.rint(place).astype(np.int64)]
    return found


@inlined
def fades(fields, optics, slot, z, y, x):
    """How fast light fades in the smoke of a cell and in its flame, 1/m."""
    by_smoke = optics.opacity * max(fields.density[slot, z, y, x], np.float32(0))
    flame = fields.flame[slot if len(fields.flame) > 1 else 0, z, y, x]
    return np.float32(by_smoke), np.float32(optics.flame_opacity * max(flame, np.float32(0)))


@inlined
def tint_at(fields, optics, slot, z, y, x, part):
    """The share of light that the smoke of a cell sends on, of red, green or blue."""
    colors = optics.colors
    if len(colors) == 1:
        return fields.color[part, slot, z, y, x] if fields.color.shape[1] > 1 else colors[0, part]
    warmth = fields.temperature[slot if len(fields.temperature) > 1 else 0, z, y, x]
    return from_table(colors, (warmth - optics.low) / (optics.top - optics.low), part)


@inlined
def emitted(fields, optics, slot, z, y, x, part):
    """Light that a cell sends out by itself on each metre of a ray: by flames, and by smoke that is hot."""
    by_smoke, by_flame = fades(fields, optics, slot, z, y, x)
    warmth = fields.temperature[slot if len(fields.temperature) > 1 else 0, z, y, x]
    light = np.float32(0)
    if by_flame > 0:
        flame = fields.flame[slot, z, y, x]
        light += by_flame * from_table(optics.glow, max(warmth, _FLAME + _HOTTER * flame) / HOTTEST, part)
    if warmth > _GLOWS:
        swallowed = 1 - tint_at(fields, optics, slot, z, y, x, part)
        light += by_smoke * swallowed * from_table(optics.glow, warmth / HOTTEST, part)
    return np.float32(light)


@inlined
def from_table(table, share, part):
    """A column of a table at a share of the way from its first row to its last."""
    place = min(max(share, 0.0), 1.0) * (len(table) - 1)
    row = min(int(place), len(table) - 2)
    return np.float32(table[row, part] + (place - row) * (table[row + 1, part] - table[row, part]))
