"""What liquids and solids look like in programs that know one kind of surface: a colour, a gloss, a metal, a glass.

USD Preview Surface and glTF have these numbers in common. A clear liquid has no inside there: its colour is that of
light that has gone some way through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.render.mitsuba.looks import liquid_look
from plash.scene.colors import light_of
from plash.scene.look import SolidLook
from plash.scene.model import Scene

_CLEAR = 0.25  # opacity of clear liquids and of glass, where nothing bends light
_IOR_OF_PLASTIC = 1.5


@dataclass(frozen=True, eq=False)
class SurfaceLook:
    """A surface.

    Attributes:
        color: Light that it returns (3,), from 0 to 1.
        roughness: 0 is a mirror.
        metallic: Whether it is a metal.
        is_clear: Whether light goes through.
        ior: Index of refraction.
        glow: Light that it sends out by itself (3,).
    """

    color: NDArray[np.float64]
    roughness: float
    metallic: bool
    is_clear: bool
    ior: float
    glow: NDArray[np.float64]

    @property
    def opacity(self) -> float:
        """Share of light that does not go straight through."""
        return _CLEAR if self.is_clear else 1.0


def liquid_surface_look(scene: Scene) -> SurfaceLook:
    """How the liquid of a scene looks."""
    look = liquid_look(scene)
    return SurfaceLook(look.color, look.roughness, look.kind == "metal", look.is_clear, look.ior, look.glow)


def solid_surface_look(look: SolidLook) -> SurfaceLook:
    """How a solid looks."""
    is_glass = look.material == "glass"
    roughness = 1.0 if look.material == "matte" else look.roughness
    color = light_of(look.seen_color)
    return SurfaceLook(color, roughness, look.material == "metal", is_glass, _IOR_OF_PLASTIC, np.zeros(3))


def gltf_material(look: SurfaceLook) -> dict[str, Any]:
    """The surface as glTF describes one."""
    base = {
        "baseColorFactor": [*map(float, look.color), 1.0],
        "metallicFactor": float(look.metallic),
        "roughnessFactor": look.roughness,
    }
    material: dict[str, Any] = {"name": "surface", "pbrMetallicRoughness": base, "doubleSided": not look.is_clear}
    if look.glow.any():
        material["emissiveFactor"] = [float(part) for part in np.clip(look.glow, 0, 1)]
    if look.is_clear:
        material["extensions"] = {
            "KHR_materials_transmission": {"transmissionFactor": 1.0},
            "KHR_materials_ior": {"ior": look.ior},
        }
    return material
