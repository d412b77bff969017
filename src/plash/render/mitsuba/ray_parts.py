"""Parts of a scene in Mitsuba's words: liquid, solids and camera. What is round them is in `set_parts.py`.

Surfaces that would lie in each other are kept apart. Where liquid touches the domain's sides it is moved out a little,
so that the floor is inside it, with nothing but liquid between the floor and the light in it. Solids at a side are
moved out further, so that no film of liquid is seen between them and the side; panes of glass stand outside of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plash.mesh.ball import unit_ball
from plash.mesh.mesh import Mesh
from plash.mesh.normals import creased, face_normals
from plash.mesh.shapes import shape_mesh
from plash.mesh.wetness import WetSurface
from plash.render.camera import View
from plash.render.mitsuba.guides import Content, Shown, shown_triangles, triangles
from plash.render.mitsuba.materials import Part, Surface, rgb, solid_surface, under_film
from plash.render.mitsuba.placing import Array, Floats, Placing
from plash.render.textures import apart, face_sides, texture_of, texture_places
from plash.render.wet_look import WetLook
from plash.scene.bodies import Solid
from plash.scene.camera import Camera
from plash.scene.domain import Domain
from plash.scene.model import Scene

_PATCHES = 24  # of glowing liquid, each of one brightness
_FEW_BALLS = 20_000  # up to so many have 80 sides each, else 20
_SOLIDS_APART = 1.5  # times as far as liquid, solids that touch a side of the domain are moved out


def beyond_walls(mesh: Mesh, domain: Domain, apart: float) -> Mesh:
    """A surface, moved out a little where it touches the domain's sides."""
    size = np.array(domain.cells) * domain.h
    vertices = mesh.vertices.astype(np.float64)
    vertices = np.where(vertices <= 0.5 * apart, vertices - apart, vertices)
    vertices = np.where(vertices >= size - 0.5 * apart, vertices + apart, vertices)
    return replace(mesh, vertices=vertices.astype(np.float32))


def glowing(mi: Any, placing: Placing, mesh: Mesh, surface: Part, heat: Array, glow: Array) -> Content:
    """A surface that glows by its heat (n,) at vertices, from 0 to 1: dark, then red, then brighter and yellower.

    It is cut into patches of one brightness each: Mitsuba cannot sample light that varies over a mesh.
    """
    of_face = heat[mesh.faces].mean(axis=1)
    patch = np.minimum((of_face * _PATCHES).astype(int), _PATCHES - 1)
    cold, warm, hot = glow * [0.01, 0.001, 0.0], glow * [0.75, 0.35, 0.1], glow * [1.0, 2.2, 2.5]
    made: Content = {}
    for index in np.unique(patch):
        used, faces = np.unique(mesh.faces[patch == index], return_inverse=True)
        normals = None if mesh.normals is None else mesh.normals[used]
        piece = Mesh(mesh.vertices[used], faces.reshape(-1, 3).astype(np.int32), normals)
        part = 2 * (index + 0.5) / _PATCHES
        light = cold + (warm - cold) * part if part < 1 else warm + (hot - warm) * (part - 1)
        lamp = {"emitter": {"type": "area", "radiance": rgb(light)}}
        lit = triangles(mi, placing, piece, surface | lamp)
        seen = Surface({}, rgb(np.clip(light, 0, 1)))
        made[f"liquid_{index}"] = Shown(lit, shown_triangles(mi, placing, piece, seen).guide)
    return made


def mirrored_share(mesh: Mesh, eye: Array, ior: float) -> Floats:
    """Share of light that a surface mirrors at its vertices as it is seen from a place (Schlick 1994)."""
    normals = face_normals(mesh.vertices, mesh.faces) if mesh.normals is None else mesh.normals
    rays = mesh.vertices.astype(np.float64) - eye
    facing = np.abs(np.einsum("ij,ij->i", rays, normals)) / np.maximum(np.linalg.norm(rays, axis=1), 1e-30)
    straight = ((ior - 1) / (ior + 1)) ** 2
    share: Floats = (straight + (1 - straight) * (1 - np.minimum(facing, 1)) ** 5).astype(np.float32)
    return share


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


def solids(mi: Any, placing: Placing, scene: Scene, time: float, moving: bool) -> Content:
    """The solids that move, or those that do not, where they are at a time."""
    made: Content = {}
    for index, solid in enumerate(scene.solid):
        if solid.moves != moving:
            continue
        mesh = shape_mesh(solid.at(time, scene.dimension).shape, scene.domain)
        if len(mesh.faces):
            made[f"solid_{index}"] = _solid(mi, placing, scene, solid, mesh, time)
    return made


def wet_solids(
    mi: Any, placing: Placing, scene: Scene, time: float, surfaces: Sequence[WetSurface], film: Floats, look: WetLook
) -> Content:
    """Those of some solids that are wet, where they are at a time, with the film at the samples of all surfaces."""
    numbers = {id(solid): index for index, solid in enumerate(scene.solid)}
    made: Content = {}
    for surface in surfaces:
        if surface.solid is not None and film[surface.first : surface.last].any():
            mesh, own = surface.whole(film, time)
            name = f"solid_{numbers[id(surface.solid)]}"
            made[name] = _solid(mi, placing, scene, surface.solid, mesh, time, (own, look))
    return made


def _solid(
    mi: Any,
    placing: Placing,
    scene: Scene,
    solid: Solid,
    mesh: Mesh,
    time: float,
    wet: tuple[Floats, WetLook] | None = None,
) -> Shown:
    """A solid, whose mesh at a time is given, and the film on it if there is one."""
    picture, uv, texture = texture_of(solid), None, None
    film, look = (None, None) if wet is None else wet
    if picture is not None:
        film = None if film is None else film[mesh.faces].ravel()
        mesh = apart(mesh)
        points, sides = mesh.vertices.astype(np.float64), face_sides(mesh)
        uv = texture_places(solid, scene.domain, time, points, sides)
        texture = bitmap(mi, picture)
    mesh = beyond_walls(mesh, scene.domain, _SOLIDS_APART * placing.apart)
    surface = solid_surface(solid.look, texture)
    return shown_triangles(mi, placing, mesh, surface if look is None else under_film(surface, look), uv=uv, share=film)


def bitmap(mi: Any, picture: Floats, **keys: Any) -> Part:
    """A picture of light as a texture that repeats itself."""
    made: Part = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(picture, np.float32)), "raw": True}
    return made | keys


def sensor(
    mi: Any,
    placing: Placing,
    view: View,
    camera: Camera | None,
    pixels: tuple[int, int],
    samples: int,
    blur: float = 0.0,
) -> Part:
    """The camera: a pinhole, or a lens that is sharp at one distance.

    Args:
        mi: Mitsuba.
        placing: Of the domain.
        view: Where it stands and looks.
        camera: What the scene says of it.
        pixels: Of the picture, across and down.
        samples: Rays through each pixel.
        blur: Width of the lens over the distance that is sharp, where the scene does not say how wide it is.
    """
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
        "sampler": {"type": "multijitter", "sample_count": samples},
    }
    to = placing.origin if camera is None or camera.to is None else np.array(camera.to)
    focus = float(np.linalg.norm(to - view.position))
    if camera is not None and camera.focus is not None:
        focus = camera.focus
    is_given = camera is not None and "aperture" in camera.model_fields_set
    width = camera.aperture if camera is not None and is_given else blur * focus
    if width > 0:
        lens = {"aperture_radius": width / 2 * placing.scale, "focus_distance": focus * placing.scale}
        part |= {"type": "thinlens", **lens}
    return part


def sharp_where_creased(mesh: Mesh, shading: str) -> Mesh:
    """The mesh as it is shaded: each triangle flat, or smooth but for its creases."""
    if shading == "flat":
        return replace(mesh, normals=None)
    return creased(mesh)
