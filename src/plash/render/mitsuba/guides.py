"""What guides the denoiser: colours of things without light, as they are seen through water and glass.

The colour of the first surface that a ray meets says nothing of what is behind clear liquid, and the denoiser would
take that for grain. So everything is there twice. In the lit scene light falls on it. In the guide everything opaque
shines by itself in its own colour, returns no light, and the surround is of one colour; what is clear is the same in
both. Rays through the guide end at the first thing that is not clear.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plash.mesh.mesh import Mesh
from plash.render.mitsuba.materials import Part, Surface, rgb, smooth_glass
from plash.render.mitsuba.placing import Floats, Placing

_DEEPEST = 8  # surfaces that a ray of the guide goes through
_BLACK: Part = {"type": "conductor", "material": "none", "specular_reflectance": rgb(np.zeros(3))}


class Shown(NamedTuple):
    """Something to be seen, in Mitsuba's words or made by it: lit, and in the guide, where it may be left out."""

    lit: Any
    guide: Any | None


Content = dict[str, Shown]


def triangles(
    mi: Any,
    placing: Placing,
    mesh: Mesh,
    parts: Part,
    colors: Floats | None = None,
    uv: Any = None,
    share: Floats | None = None,
) -> Any:
    """A mesh with its surface and, if it has one, its inside.

    Its vertices may have colours, places in a picture, and a share from 0 to 1: of a film, or of what is mirrored.
    """
    properties = mi.Properties()
    for key, part in parts.items():
        properties[key] = mi.load_dict(part) if isinstance(part, dict) else part
    smooth, places = mesh.normals is not None, uv is not None
    made = mi.Mesh(
        "mesh", len(mesh.vertices), len(mesh.faces), props=properties, has_vertex_normals=smooth,
        has_vertex_texcoords=places,
    )  # fmt: skip
    if colors is not None:
        made.add_attribute("vertex_color", 3, np.ascontiguousarray(colors, np.float32).ravel())
    if share is not None:
        made.add_attribute("vertex_share", 1, np.ascontiguousarray(share, np.float32))
    values = mi.traverse(made)
    values["vertex_positions"] = placing(mesh.vertices).ravel()
    if mesh.normals is not None:
        values["vertex_normals"] = np.ascontiguousarray(mesh.normals, np.float32).ravel()
    if uv is not None:
        values["vertex_texcoords"] = np.ascontiguousarray(uv, np.float32).ravel()
    values["faces"] = np.ascontiguousarray(mesh.faces, np.uint32).ravel()
    values.update()
    return made


def shown_triangles(
    mi: Any,
    placing: Placing,
    mesh: Mesh,
    surface: Surface,
    colors: Floats | None = None,
    uv: Any = None,
    share: Floats | None = None,
) -> Shown:
    """A mesh as it is lit, and as it guides the denoiser."""
    lit = triangles(mi, placing, mesh, surface.parts, colors, uv, share)
    return Shown(lit, triangles(mi, placing, mesh, unlit(surface), colors, uv) if differs(surface) else lit)


def shown_shape(shape: Part, surface: Surface) -> Shown:
    """One of Mitsuba's own shapes, as it is lit and as it guides the denoiser."""
    lit = shape | surface.parts
    return Shown(lit, shape | unlit(surface) if differs(surface) else lit)


def differs(surface: Surface) -> bool:
    """Whether a surface is another one in the guide."""
    return not surface.is_clear or surface.ior is not None


def unlit(surface: Surface) -> Part:
    """A surface that sends out its own colour, and returns no light; what is clear and dull, without its roughness.

    Mitsuba looks for lamps from every surface that is not a perfect mirror, and has no way to find those of the guide.
    """
    if surface.ior is not None:
        return smooth_glass(surface.ior)
    return {"bsdf": _BLACK, "emitter": {"type": "area", "radiance": surface.color}}


def guide_of(content: Content, surround: Part) -> Part:
    """The guide of what is lit, for Mitsuba; around it is one colour."""
    things = {name: each.guide for name, each in content.items() if each.guide is not None}
    integrator = {"type": "path", "max_depth": _DEEPEST, "rr_depth": _DEEPEST}
    return {"type": "scene", "integrator": integrator, "surround": {"type": "constant", "radiance": surround}} | things


def lit_of(content: Content) -> Part:
    """What is lit, for Mitsuba."""
    return {"type": "scene"} | {name: each.lit for name, each in content.items()}
