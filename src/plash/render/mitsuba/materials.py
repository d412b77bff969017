"""Surfaces in Mitsuba's words: clear, glossy, matte and metal ones, and the insides of clear liquids.

Each knows beside what light does to it which colour it has without any light: what is seen through water guides the
denoiser (`guides.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.render.mitsuba.looks import LiquidLook
from plash.render.wet_look import FILM_INDEX, WetLook
from plash.scene.colors import light_of
from plash.scene.look import SolidLook

Part = dict[str, Any]
Array = NDArray[np.float64]

_LEAST_GLOSS = 0.15  # roughness of a gloss over many colours, at the least
_SMOOTHEST = 0.02  # roughness below which a surface is a perfect mirror
_PANE_INDEX = 1.43  # a pane throws back 6 % of the light from straight ahead
_FILM_ROUGHNESS = 0.12
_SHARE_OF_VERTEX: Part = {"type": "mesh_attribute", "name": "vertex_share"}
_OF_VERTEX: Part = {"type": "mesh_attribute", "name": "vertex_color"}


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface, and what is inside of it.

    Attributes:
        parts: What a shape takes: how it treats light, and its inside if it has one.
        color: Light that it returns; None where one sees through.
        ior: Index of refraction of what is clear and dull: the guide has it without its roughness.
    """

    parts: Part
    color: Part | None
    ior: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether what is behind is seen through it."""
        return self.color is None


def smooth_glass(ior: float) -> Part:
    """Clear and without roughness: rays go on in one of two directions."""
    return {"bsdf": _clear(ior, 0.0)}


def rgb(light: Array) -> Part:
    """A colour."""
    return {"type": "rgb", "value": [float(part) for part in light]}


def liquid_surface(look: LiquidLook, units_per_metre: float, by_vertex: bool = False) -> Surface:
    """Surface and inside of a liquid, of one colour or of those of its vertices.

    An inside that absorbs has one colour all through. So clear liquid of several colours is empty inside, and light
    takes the root of a vertex's colour on its way in and again on its way out.
    """
    color = _OF_VERTEX if by_vertex else rgb(look.color)
    match look.kind:
        case "metal":
            return Surface({"bsdf": _metal(color, look.roughness)}, color)
        case "cloudy" if not by_vertex:
            return Surface({"bsdf": _glaze(), "interior": _cloud(look, units_per_metre)}, color)
        case "opaque" | "cloudy":
            gloss = _coated if by_vertex else _glossy
            return Surface({"bsdf": gloss(color, look.ior, look.roughness)}, color)
        case _:
            clear, dull = _clear(look.ior, look.roughness), look.ior if look.roughness >= _SMOOTHEST else None
            if by_vertex:
                return Surface({"bsdf": clear | {"specular_transmittance": color}}, None, dull)
            return Surface({"bsdf": clear, "interior": _inside(look, units_per_metre)}, None, dull)


def on_both_sides(surface: Surface) -> Surface:
    """An opaque surface that looks the same from behind."""
    is_metal = surface.parts["bsdf"]["type"] == "twosided"
    return surface if is_metal else replace(surface, parts=_both({"bsdf": surface.parts["bsdf"]}))


def painted() -> Surface:
    """The surface of something whose vertices have colours."""
    return Surface(
        {"bsdf": {"type": "principled", "base_color": _OF_VERTEX, "roughness": 0.35, "specular": 0.4}}, _OF_VERTEX
    )


def solid_surface(look: SolidLook, texture: Part | None = None) -> Surface:
    """What a solid is made of; a texture takes the place of its colour."""
    light = light_of(look.seen_color)
    color = rgb(light) if texture is None else texture
    if look.material == "glass":
        # Light goes in and out, and has the colour after both
        tint = {"specular_transmittance": rgb(np.sqrt(light))}
        roughness = look.roughness if look.roughness > 0.1 else 0.0
        return Surface({"bsdf": _clear(1.5, roughness) | tint}, None, 1.5 if roughness > 0 else None)
    if look.material == "metal":
        return Surface({"bsdf": _metal(color, look.roughness)}, color)
    if look.material == "plastic":
        return Surface(_both({"bsdf": _glossy(color, 1.5, look.roughness)}), color)
    return matte(color)


def matte(color: Part, gloss: float = 1.0) -> Surface:
    """A surface without a gloss, or with one so dull."""
    bsdf = {"type": "diffuse", "reflectance": color} if gloss >= 1 else _glossy(color, 1.45, gloss)
    return Surface(_both({"bsdf": bsdf}), color)


def matte_of_vertices() -> Surface:
    """A matte surface whose vertices have colours."""
    return matte(_OF_VERTEX)


def mixed(first: Surface, second: Surface, weight: Part) -> Surface:
    """Two surfaces in one: where the weight is 1, only the second."""
    both = {"type": "blendbsdf", "weight": weight, "bsdf_0": first.parts["bsdf"], "bsdf_1": second.parts["bsdf"]}
    return Surface({"bsdf": both}, first.color)


def under_film(dry: Surface, look: WetLook) -> Surface:
    """A matte or plastic surface with a film of liquid, as thick as the vertices say: from 0, dry, to 1."""
    assert dry.color is not None
    color = dry.color if look.stain is None else rgb(look.stain)
    wet = _glossy(color, FILM_INDEX, _FILM_ROUGHNESS)
    both = {"type": "blendbsdf", "weight": _SHARE_OF_VERTEX, "bsdf_0": dry.parts["bsdf"]["bsdf"], "bsdf_1": wet}
    return Surface(_both({"bsdf": both}), dry.color)


def pane(color: Array) -> Surface:
    """Glass so thin that it bends no light: a share is mirrored, the rest goes straight on, in the pane's colour."""
    glass = {"type": "thindielectric", "int_ior": _PANE_INDEX, "ext_ior": 1.0, "specular_transmittance": rgb(color)}
    return Surface({"bsdf": glass}, None)


def _both(parts: Part) -> Part:
    return {"bsdf": {"type": "twosided", "bsdf": parts["bsdf"]}}


def _inside(look: LiquidLook, units_per_metre: float) -> Part:
    """The inside of a clear liquid; its density is from 0 to 1, with the magnitude apart, as Mitsuba wants it."""
    density = look.absorption + look.scattering
    scale = max(float(density.max()), 1e-9)
    return {
        "type": "homogeneous",
        "albedo": rgb(look.scattering / np.maximum(density, 1e-12)),
        "sigma_t": rgb(density / scale),
        "scale": scale / units_per_metre,
    }


def _glaze() -> Part:
    """A surface that bends no light: it mirrors the share that the vertices say, and the rest goes straight on.

    So lamps are found from within by straight rays, where they would be found by chance through a surface that bends.
    """
    mirror = {"type": "twosided", "bsdf": {"type": "conductor", "material": "none"}}
    return {"type": "mask", "opacity": _SHARE_OF_VERTEX, "bsdf": mirror}


def _cloud(look: LiquidLook, units_per_metre: float) -> Part:
    """The inside of a cloudy liquid, so that much of it returns the liquid's colour."""
    albedo = scattered_share(look.color)
    return {
        "type": "homogeneous",
        "albedo": rgb(albedo),
        "sigma_t": rgb(np.ones(3)),
        "scale": look.scattering / units_per_metre,
    }


def scattered_share(returned: Array) -> Array:
    """How much light is left after one scattering, in a deep cloud that returns some share of diffuse light.

    With s = √(1 - albedo) a cloud that scatters evenly returns (1 - s) (1 - 0.139 s) / (1 + 1.17 s) (van de Hulst).

    >>> scattered_share(np.array([0.0, 0.5, 1.0])).round(3).tolist()
    [0.0, 0.912, 1.0]
    """
    s = np.linspace(0, 1, 2001)
    of_s = (1 - s) * (1 - 0.139 * s) / (1 + 1.17 * s)
    found: Array = 1 - np.interp(returned, of_s[::-1], s[::-1]) ** 2
    return found


def _clear(ior: float, roughness: float) -> Part:
    if roughness < _SMOOTHEST:
        return {"type": "dielectric", "int_ior": ior, "ext_ior": 1.0}
    return {"type": "roughdielectric", "int_ior": ior, "ext_ior": 1.0, "alpha": roughness**2, "distribution": "ggx"}


def _glossy(color: Part, ior: float, roughness: float) -> Part:
    if roughness < _SMOOTHEST:
        return {"type": "plastic", "int_ior": ior, "diffuse_reflectance": color, "nonlinear": True}
    rough = {"type": "roughplastic", "int_ior": ior, "diffuse_reflectance": color, "nonlinear": True}
    return rough | {"alpha": max(roughness**2, 0.01), "distribution": "ggx"}


def _coated(color: Part, ior: float, roughness: float) -> Part:
    """A gloss over colours of vertices: plastic, which asks for the mean of its colour, cannot have those."""
    return {"type": "principled", "base_color": color, "eta": ior, "roughness": max(roughness, _LEAST_GLOSS)}


def _metal(color: Part, roughness: float) -> Part:
    surface: Part = {"type": "conductor", "material": "none", "specular_reflectance": color}
    if roughness >= _SMOOTHEST:
        surface |= {"type": "roughconductor", "alpha": max(roughness**2, 0.01), "distribution": "ggx"}
    return {"type": "twosided", "bsdf": surface}
