"""How liquids treat light, for ray tracing: clear ones with an absorbing inside, opaque ones, glowing ones, metal.

The colours of named looks belong to lengths in parts of the domain's size, so that a puddle and a lake look alike; only
clear water, and absorption that the scene gives, are per metre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from plash.scene.colors import light_of
from plash.scene.materials import MATERIALS
from plash.scene.model import Scene

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Look:
    """A look by name.

    Attributes:
        kind: What its surface does.
        ior: Index of refraction.
        color: Its colour; the material's if none.
        depth: How much liquid it takes for that colour, in domain sizes.
        scattering: How often light is scattered on its way across the domain.
        roughness: How dull its surface is.
        glow: Radiance where it is hottest; a crust forms where it is cold, or slow if nothing says how warm it is.
    """

    kind: Literal["clear", "cloudy", "opaque", "metal"]
    ior: float
    color: str = ""
    depth: float = 1.0
    scattering: float = 0.0
    roughness: float = 0.0
    glow: float = 0.0


_LOOKS = {
    "water": _Look("clear", 1.333, "#3fb0dc", depth=0.8),
    "clear": _Look("clear", 1.333),
    "milk": _Look("cloudy", 1.35, "#f3efe4", scattering=90.0),
    "honey": _Look("clear", 1.49, "#d98a1f", depth=0.7),
    "oil": _Look("clear", 1.47, "#b8a02e", depth=0.7),
    "paint": _Look("opaque", 1.5, "#c8453b", roughness=0.08),
    "lava": _Look("opaque", 1.6, "#ff4208", roughness=0.75, glow=1.2),
    "jelly": _Look("clear", 1.35, "#d4253c", depth=0.35, scattering=4.0, roughness=0.03),
    "mercury": _Look("metal", 1.0, "#d5dade", roughness=0.0),
}

# Of pure water (Pope and Fry 1997) at 630, 532 and 467 nm, 1/m
_PURE_WATER = (0.29, 0.045, 0.010)

_SHEET = 0.15  # roughness of clear liquid's surface where it is drawn as a sheet

_OF_MATERIAL = {
    "acetone": "clear",
    "ethanol": "clear",
    "glycerol": "clear",
    "milk": "milk",
    "honey": "honey",
    "olive_oil": "oil",
    "castor_oil": "oil",
    "syrup": "honey",
    "chocolate": "paint",
    "tar": "paint",
    "wax": "milk",
    "lava": "lava",
    "glass": "clear",
    "mercury": "mercury",
    "jelly": "jelly",
    "gelatin": "jelly",
    "slime": "jelly",
    "toothpaste": "paint",
    "mud": "paint",
    "clay": "paint",
}


@dataclass(frozen=True, eq=False)
class LiquidLook:
    """How the liquid of a scene treats light.

    Attributes:
        kind: A clear inside, one that scatters so much that nothing is seen through it but where it is thin (cloudy),
            an opaque surface with a gloss, or a metal.
        ior: Index of refraction.
        color: Light that an opaque surface or a deep cloudy liquid returns; little, if it glows.
        absorption: Of a clear inside, 1/m for red, green and blue.
        scattering: Of a clear or cloudy inside, 1/m.
        roughness: 0 is a mirror.
        glow: Light that the surface sends out by itself where it is hottest.
    """

    kind: Literal["clear", "cloudy", "opaque", "metal"]
    ior: float
    color: Array
    absorption: Array
    scattering: float
    roughness: float
    glow: Array

    @property
    def as_sheet(self) -> LiquidLook:
        """The look of a surface without an inside: light does not go in."""
        return (
            replace(self, kind="opaque", roughness=max(self.roughness, _SHEET))
            if self.kind in ("clear", "cloudy")
            else self
        )

    @property
    def is_clear(self) -> bool:
        """Whether one sees through it."""
        return self.kind == "clear"


def look_color(scene: Scene) -> str:
    """The colour of a scene's liquid: what the scene says of it, else that of its look by name, else the material's."""
    material = scene.liquid.material
    of_material, kind = MATERIALS[material].color, _LOOKS[_look_name(scene)]
    own = kind.color if material == "water" or scene.look.liquid else of_material
    asked = scene.liquid_color if scene.liquid_color != of_material else scene.look.color
    return asked or own or of_material


def _look_name(scene: Scene) -> str:
    return scene.look.liquid or _OF_MATERIAL.get(scene.liquid.material, "water")


def liquid_look(scene: Scene) -> LiquidLook:
    """What the liquid of a scene looks like: by name or by its material, with what the scene says of its own.

    >>> from plash.scene import load_scene
    >>> small, large = (liquid_look(load_scene("drop_in_pool", **{"size": [s, s, s]})) for s in (0.5, 5.0))
    >>> bool(np.allclose(small.absorption, 10 * large.absorption))
    True
    """
    look = scene.look
    name = _look_name(scene)
    kind = _LOOKS[name]
    light = np.clip(light_of(look_color(scene)), 1e-3, 0.999)
    size = math.prod(scene.domain.size) ** (1 / 3)
    absorption = -np.log(light) / (kind.depth * size)
    if name == "clear" and look.color is None:
        absorption = np.array(_PURE_WATER)
    if look.absorption is not None:
        absorption = np.array(look.absorption)
    return LiquidLook(
        kind=kind.kind,
        ior=kind.ior if look.ior is None else look.ior,
        color=light if kind.glow == 0 else 0.06 * light + 0.02,
        absorption=absorption,
        scattering=kind.scattering / size,
        roughness=kind.roughness if look.roughness is None else look.roughness,
        glow=kind.glow * light,
    )
