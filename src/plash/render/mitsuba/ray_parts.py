"""Parts of a scene in Mitsuba's words: liquid, solids, tank, floor, light and camera.

Each function returns what Mitsuba's `load_dict` takes. Surfaces that would lie in each other are kept apart: where
liquid touches the domain's sides it is moved out a little, so that the floor and solids there are inside it, with
nothing but liquid between them and the light in it; panes of glass stand a little further out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError
from plash.mesh.ball import unit_ball
from plash.mesh.mesh import Mesh
from plash.mesh.normals import creased
from plash.mesh.shapes import shape_mesh
from plash.render.camera import View
from plash.render.mitsuba.environment import sky_environment, studio_environment
from plash.render.mitsuba.looks import LiquidLook
from plash.render.preview.studio import floor_height, lamp_directions
from plash.scene.camera import Camera
from plash.scene.colors import light_of
from plash.scene.domain import Domain
from plash.scene.look import SolidLook
from plash.scene.mesh_files.file import short
from plash.scene.model import Scene

Part = dict[str, Any]
Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_DIAGONAL = 10.0  # of the domain, in Mitsuba's units
_APART, _LEAST_APART = 0.02, 1.5e-4  # between surfaces that must not lie in each other: in cells, and in diagonals
_REACH = 12.0  # radius of the floor, in diagonals
_TO_HORIZON = 300.0  # times as far the floor goes on where it is not to fade into a backdrop
_NEAR_FLOOR, _FAR_FLOOR = 0.62, 0.34  # light that floor and backdrop return, as parts of the background's
_ROUND = 128  # points round the floor
_MIRRORED = 0.06  # light that a pane of glass throws back
_PATCHES = 16  # of glowing liquid, each of one brightness
_FEW_BALLS = 20_000  # up to so many have 80 sides each, else 20
_LEAST_GLOSS = 0.15  # roughness of a gloss over many colours, at the least
_SMOOTHEST = 0.02  # roughness below which a surface is a perfect mirror


@dataclass(frozen=True, eq=False)
class Placing:
    """From metres to Mitsuba's units, in which every domain is of one size and its floor is round the origin.

    A ray starts a little off the surface that it leaves, by a length that does not know the size of the scene: in one
    of 5 cm that would be too far, and light would leak.

    Attributes:
        origin: The middle of the domain's floor, m.
        scale: Units for a metre.
        apart: How far surfaces are kept from each other, m.
    """

    origin: Array
    scale: float
    apart: float

    @classmethod
    def of(cls, domain: Domain) -> Placing:
        """The placing of a domain."""
        size = np.array(domain.cells) * domain.h
        across = float(np.sqrt(size @ size))
        middle = size * [0.5, 0.0, 0.5]
        return cls(middle, _DIAGONAL / across, max(_APART * domain.h, _LEAST_APART * across))

    def __call__(self, points: NDArray[np.floating]) -> Floats:
        """Points (..., 3) in Mitsuba's units."""
        return ((points - self.origin) * self.scale).astype(np.float32)


def rgb(light: Array) -> Part:
    """A colour."""
    return {"type": "rgb", "value": [float(part) for part in light]}


def triangles(mi: Any, placing: Placing, mesh: Mesh, parts: Part, colors: Floats | None = None) -> Any:
    """A mesh with its surface and, if it has one, its inside."""
    properties = mi.Properties()
    for key, part in parts.items():
        properties[key] = mi.load_dict(part) if isinstance(part, dict) else part
    smooth = mesh.normals is not None
    made = mi.Mesh("mesh", len(mesh.vertices), len(mesh.faces), props=properties, has_vertex_normals=smooth)
    if colors is not None:
        made.add_attribute("vertex_color", 3, np.ascontiguousarray(colors, np.float32).ravel())
    values = mi.traverse(made)
    values["vertex_positions"] = placing(mesh.vertices).ravel()
    if mesh.normals is not None:
        values["vertex_normals"] = np.ascontiguousarray(mesh.normals, np.float32).ravel()
    values["faces"] = np.ascontiguousarray(mesh.faces, np.uint32).ravel()
    values.update()
    return made


def beyond_walls(mesh: Mesh, domain: Domain, apart: float) -> Mesh:
    """The liquid's surface, moved out a little where it touches the domain's sides."""
    size = np.array(domain.cells) * domain.h
    vertices = mesh.vertices.astype(np.float64)
    vertices = np.where(vertices <= 0.5 * apart, vertices - apart, vertices)
    vertices = np.where(vertices >= size - 0.5 * apart, vertices + apart, vertices)
    return replace(mesh, vertices=vertices.astype(np.float32))


def liquid_material(look: LiquidLook, placing: Placing, by_vertex: bool = False) -> Part:
    """Surface and inside of a liquid, of one colour or of those of its vertices.

    An inside that absorbs has one colour all through. So clear liquid of several colours is empty inside, and light
    takes the root of a vertex's colour on its way in and again on its way out.
    """
    if by_vertex:
        color = {"type": "mesh_attribute", "name": "vertex_color"}
        match look.kind:
            case "metal":
                return {"bsdf": _metal(color, look.roughness)}
            case "opaque":
                return {"bsdf": _coated(color, look.ior, look.roughness)}
            case _:
                return {"bsdf": _clear(look.ior, look.roughness) | {"specular_transmittance": color}}
    match look.kind:
        case "metal":
            return {"bsdf": _metal(rgb(look.color), look.roughness)}
        case "opaque":
            return {"bsdf": _glossy(rgb(look.color), look.ior, look.roughness)}
        case _:
            return {"bsdf": _clear(look.ior, look.roughness), "interior": _inside(look, placing.scale)}


def on_both_sides(surface: Part) -> Part:
    """An opaque surface that looks the same from behind."""
    is_metal = surface["bsdf"]["type"] == "twosided"
    return surface if is_metal else {"bsdf": {"type": "twosided", "bsdf": surface["bsdf"]}}


def glowing(mi: Any, placing: Placing, mesh: Mesh, surface: Part, heat: Array, glow: Array) -> Part:
    """A surface that glows by its heat (n,) at vertices, from 0 to 1: dark red, then brighter and yellower.

    It is cut into patches of one brightness each: Mitsuba cannot sample light that varies over a mesh.
    """
    of_face = heat[mesh.faces].mean(axis=1)
    patch = np.minimum((of_face * _PATCHES).astype(int), _PATCHES - 1)
    cold, hot = glow * [0.22, 0.05, 0.02], glow * [1.0, 2.2, 2.5]
    made: Part = {}
    for index in np.unique(patch):
        used, faces = np.unique(mesh.faces[patch == index], return_inverse=True)
        normals = None if mesh.normals is None else mesh.normals[used]
        piece = Mesh(mesh.vertices[used], faces.reshape(-1, 3).astype(np.int32), normals)
        light = cold + (hot - cold) * (index + 0.5) / _PATCHES
        lamp = {"emitter": {"type": "area", "radiance": rgb(light)}}
        made[f"liquid_{index}"] = triangles(mi, placing, piece, surface | lamp)
    return made


def painted() -> Part:
    """The surface of something whose vertices have colours."""
    color = {"type": "mesh_attribute", "name": "vertex_color"}
    return {"bsdf": {"type": "principled", "base_color": color, "roughness": 0.35, "specular": 0.4}}


def balls(centers: Array, radius: Array, colors: Floats) -> tuple[Mesh, Floats]:
    """Balls as triangles with smooth normals, and the colours of their vertices.

    Mitsuba's own balls are slow in great numbers: 100,000 of them took 50 times as long.
    """
    ball = unit_ball(3, rounds=1 if len(centers) <= _FEW_BALLS else 0)
    points, faces = ball.vertices, ball.faces
    count = len(points)
    vertices = centers[:, None] + 1.05 * radius[:, None, None] * points  # as large as a ball, flat sides and all
    first = count * np.arange(len(centers))[:, None, None]
    mesh = Mesh(
        vertices.reshape(-1, 3).astype(np.float32),
        (faces + first).reshape(-1, 3).astype(np.int32),
        np.tile(points, (len(centers), 1)).astype(np.float32),
    )
    return mesh, np.repeat(colors, count, axis=0)


def solids(mi: Any, placing: Placing, scene: Scene, time: float, moving: bool) -> Part:
    """The solids that move, or those that do not, where they are at a time."""
    made: Part = {}
    for index, solid in enumerate(scene.solid):
        if solid.moves != moving:
            continue
        mesh = shape_mesh(solid.at(time, scene.dimension).shape, scene.domain)
        if len(mesh.faces):
            made[f"solid_{index}"] = triangles(mi, placing, mesh, {"bsdf": _solid_surface(solid.look)})
    return made


def tank(mi: Any, placing: Placing, domain: Domain) -> Part:
    """Panes of glass on the closed sides, but for floor and ceiling, with thin frames."""
    size, gap = np.array(domain.cells) * domain.h, 2 * placing.apart
    made: Part = {}
    thick = 0.004 * float(size.max()) * placing.scale
    frame = {"type": "diffuse", "reflectance": rgb(np.array([0.10, 0.13, 0.13]))}
    for axis, name in ((0, "x"), (2, "z")):
        other = 2 - axis
        for high in (0, 1):
            if getattr(domain.sides, f"{name}_{'max' if high else 'min'}") != "closed":
                continue
            corners = np.zeros((4, 3))
            corners[:, axis] = size[axis] + gap if high else -gap
            corners[:, other] = np.array([0, 1, 1, 0]) * (size[other] + 2 * gap) - gap
            corners[:, 1] = np.array([0, 0, 1, 1]) * size[1]
            pane = Mesh(corners.astype(np.float32), np.array([[0, 1, 2], [0, 2, 3]], np.int32))
            made[f"pane_{name}{high}"] = triangles(mi, placing, pane, {"bsdf": _pane()})
            ends = placing(corners).tolist()
            for start, end in ((0, 3), (1, 2), (3, 2)):
                rod = {"type": "cylinder", "p0": ends[start], "p1": ends[end], "radius": thick / 2, "bsdf": frame}
                made[f"rod_{name}{high}{start}{end}"] = rod
    return made


def floor(mi: Any, placing: Placing, scene: Scene, furthest: float) -> Part:
    """The floor: in the studio a wide disc, darker towards its rim, where it goes over into the backdrop.

    In other light it ends at the horizon, so far away that rays would slip between triangles: it is one disc, which
    Mitsuba meets by its equation.

    Args:
        mi: Mitsuba.
        placing: Of the domain.
        scene: Its domain stands on the floor, or on solids that do.
        furthest: How far (m) from the domain's middle the camera ever is.
    """
    if not scene.look.floor:
        return {}
    reach = max(_REACH * _DIAGONAL / placing.scale, 3 * furthest)
    color = light_of(scene.look.background)
    middle = placing.origin + np.array([0.0, floor_height(scene), 0.0])
    if scene.look.light != "studio":
        place = placing(middle).tolist()
        level = (
            mi.ScalarTransform4f().translate(place).rotate([1, 0, 0], -90).scale(_TO_HORIZON * reach * placing.scale)
        )
        return {"floor": {"type": "disk", "to_world": level, "bsdf": _matte(rgb(_NEAR_FLOOR * color))}}
    part = np.linspace(0, 1, 24)
    radius, fading = reach * part**2, part**2 * (3 - 2 * part)
    colors = (_NEAR_FLOOR + (_FAR_FLOOR - _NEAR_FLOOR) * fading)[:, None] * color
    surface = {"bsdf": _matte({"type": "mesh_attribute", "name": "vertex_color"})}
    disc = _disc(radius, middle)
    return {"floor": triangles(mi, placing, disc, surface, np.repeat(colors, _ROUND, axis=0).astype(np.float32))}


def rim_color(scene: Scene) -> NDArray[np.float64]:
    """The share of light that the rim of the studio's floor, and the backdrop behind it, return."""
    color: NDArray[np.float64] = _FAR_FLOOR * light_of(scene.look.background)
    return color


def light(mi: Any, scene: Scene, first: View) -> Part:
    """What shines on everything, from far away; lamps stand as the camera is in the first picture."""
    source = scene.look.light
    if source not in ("studio", "sky"):
        return {"light": {"type": "envmap", "bitmap": _picture(mi, source)}}
    to_lamp, to_fill = lamp_directions(first)
    color = light_of(scene.look.background)
    if source == "studio":
        picture = studio_environment(to_lamp, to_fill, rim_color(scene))
    else:
        picture = sky_environment(to_lamp, _NEAR_FLOOR * color)
    return {"light": {"type": "envmap", "bitmap": mi.Bitmap(picture)}}


def _picture(mi: Any, file: str) -> Any:
    """The picture of a light in a file.

    Raises:
        SceneError: It cannot be read.
    """
    try:
        return mi.Bitmap(file)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1][-120:]
        fault = f"{short(file)} cannot be read as a picture ({reason}): export it again"
        raise SceneError([Problem("look.light", fault)]) from None


def sensor(mi: Any, placing: Placing, view: View, camera: Camera | None, pixels: tuple[int, int], samples: int) -> Part:
    """The camera: a pinhole, or a lens that is sharp at one distance."""
    place = placing(view.position)
    frame = mi.ScalarTransform4f().look_at(
        origin=place.tolist(), target=(place + view.axes[2]).tolist(), up=view.axes[1].tolist()
    )
    film = {"type": "hdrfilm", "pixel_format": "rgba", "rfilter": {"type": "box"}}
    part: Part = {
        "type": "perspective",
        "fov": view.fov,
        "fov_axis": "y",
        "near_clip": 1e-3,
        "far_clip": 1e6,
        "to_world": frame,
        "film": film | {"width": pixels[0], "height": pixels[1]},
        "sampler": {"type": "independent", "sample_count": samples},
    }
    if camera is not None and camera.aperture > 0:
        to = placing.origin if camera.to is None else np.array(camera.to)
        focus = float(np.linalg.norm(to - view.position)) if camera.focus is None else camera.focus
        lens = {"aperture_radius": camera.aperture / 2 * placing.scale, "focus_distance": focus * placing.scale}
        part |= {"type": "thinlens", **lens}
    return part


def sharp_where_creased(mesh: Mesh, shading: str) -> Mesh:
    """The mesh as it is shaded: each triangle flat, or smooth but for its creases."""
    if shading == "flat":
        return replace(mesh, normals=None)
    return creased(mesh)


def _inside(look: LiquidLook, per_metre: float) -> Part:
    """The inside of a clear liquid; its density is from 0 to 1, with the magnitude apart, as Mitsuba wants it."""
    density = look.absorption + look.scattering
    scale = max(float(density.max()), 1e-9)
    return {
        "type": "homogeneous",
        "albedo": rgb(look.scattering / np.maximum(density, 1e-12)),
        "sigma_t": rgb(density / scale),
        "scale": scale / per_metre,
    }


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


def _pane() -> Part:
    """Glass so thin that it bends no light: a share of it is mirrored, the rest, and lamplight, goes straight on."""
    mirror = {"type": "twosided", "bsdf": {"type": "conductor", "material": "none"}}
    return {"type": "mask", "opacity": _MIRRORED, "bsdf": mirror}


def _metal(color: Part, roughness: float) -> Part:
    surface: Part = {"type": "conductor", "material": "none", "specular_reflectance": color}
    if roughness >= _SMOOTHEST:
        surface |= {"type": "roughconductor", "alpha": max(roughness**2, 0.01), "distribution": "ggx"}
    return {"type": "twosided", "bsdf": surface}


def _solid_surface(look: SolidLook) -> Part:
    color = light_of(look.seen_color)
    if look.material == "glass":
        # Light goes in and out, and has the colour after both
        tint = {"specular_transmittance": rgb(np.sqrt(color))}
        return _clear(1.5, look.roughness if look.roughness > 0.1 else 0.0) | tint
    if look.material == "metal":
        return _metal(rgb(color), look.roughness)
    if look.material == "plastic":
        return {"type": "twosided", "bsdf": _glossy(rgb(color), 1.5, look.roughness)}
    return _matte(rgb(color))


def _matte(color: Part) -> Part:
    return {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": color}}


def _disc(radius: Array, middle: Array) -> Mesh:
    """A level disc of rings, seen from above."""
    turn = 2 * math.pi * np.arange(_ROUND) / _ROUND
    ring = np.stack([np.cos(turn), np.zeros_like(turn), np.sin(turn)], axis=1)
    vertices = middle + (radius[:, None, None] * ring).reshape(-1, 3)
    number = np.arange(len(radius) * _ROUND).reshape(len(radius), _ROUND)
    inner, outer, following = number[:-1], number[1:], np.roll(number, -1, axis=1)
    faces = [
        np.stack([inner, following[:-1], outer], axis=-1).reshape(-1, 3),
        np.stack([outer, following[:-1], following[1:]], axis=-1).reshape(-1, 3),
    ]
    return Mesh(vertices.astype(np.float32), np.concatenate(faces).astype(np.int32))
