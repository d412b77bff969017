"""What is round the domain, in Mitsuba's words: floor, light and tank."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from plash.errors import Problem, SceneError
from plash.mesh.mesh import Mesh, joined
from plash.mesh.shapes import shape_mesh
from plash.render.camera import View
from plash.render.mitsuba.environment import environment
from plash.render.mitsuba.guides import Content, Shown, shown_shape, shown_triangles
from plash.render.mitsuba.materials import Surface, matte, matte_of_vertices, mixed, pane, rgb, under_film
from plash.render.mitsuba.placing import DIAGONAL, Array, Floats, Placing
from plash.render.mitsuba.ray_parts import bitmap
from plash.render.patterns import Pattern, floor_pattern
from plash.render.preview.studio import floor_height, lamp_directions
from plash.render.wet_look import WetLook
from plash.scene.colors import light_of
from plash.scene.domain import Domain
from plash.scene.mesh_files.file import short
from plash.scene.model import Scene
from plash.scene.sets import LIGHTS, SETS
from plash.scene.shapes import Cylinder

_REACH = 12.0  # radius of the floor, in diagonals
_TO_HORIZON = 300.0  # times as far the floor goes on where it is not to fade into a backdrop
_NEAR_FLOOR, _FAR_FLOOR = 0.62, 0.34  # light that floor and backdrop return, as parts of the background's
_GLOSSED = 0.55  # of its light, what a floor returns of itself under a gloss
_ROUND = 128  # points round the floor
_PATTERNED = 10.0  # half the side, in diagonals, of the square of floor that has a pattern
_SHADES = 64  # of the plain floor under the domain, along each side
_FRAME = 0.003  # thickness of a pane's frame, in lengths of the longest side
_FRAMED = ((0, 3), (1, 2), (3, 2))  # corners of a pane between which its frame goes
_FADING = 0.45  # share of that, from its middle on, where the pattern begins to fade


def has_tank(scene: Scene) -> bool:
    """Whether panes of glass stand on the closed sides."""
    return scene.look.tank == "glass" or (scene.look.tank is None and not scene.solver.has_smoke)


def tank(mi: Any, placing: Placing, domain: Domain, color: Array) -> Content:
    """Panes of glass on the closed sides, but for floor and ceiling, with thin frames. Panes are not in the guide."""
    size, gap = np.array(domain.cells) * domain.h, 2 * placing.apart
    made: Content = {}
    glass, rods, radius = pane(color), list[Cylinder](), _FRAME / 2 * float(size.max())
    for axis, name in ((0, "x"), (2, "z")):
        other = 2 - axis
        for high in (0, 1):
            if getattr(domain.sides, f"{name}_{'max' if high else 'min'}") != "closed":
                continue
            corners = np.zeros((4, 3))
            corners[:, axis] = size[axis] + gap if high else -gap
            corners[:, other] = np.array([0, 1, 1, 0]) * (size[other] + 2 * gap) - gap
            corners[:, 1] = np.array([0, 0, 1, 1]) * size[1]
            plane = Mesh(corners.astype(np.float32), np.array([[0, 1, 2], [0, 2, 3]], np.int32))
            made[f"pane_{name}{high}"] = Shown(shown_triangles(mi, placing, plane, glass).lit, None)
            rods += [Cylinder(base=tuple(corners[i]), top=tuple(corners[j]), radius=radius) for i, j in _FRAMED]
    if rods:
        # One mesh: beside triangles, Mitsuba's own cylinders are one more thing for each ray to look for
        frames = joined([shape_mesh(rod, domain) for rod in rods])
        made["frames"] = shown_triangles(mi, placing, frames, matte(rgb(np.array([0.10, 0.13, 0.13]))))
    return made


def floor(mi: Any, placing: Placing, scene: Scene, furthest: float) -> Content:
    """The floor: plain, or with the pattern of a set.

    In the studio a plain one is a wide disc, darker towards its rim, where it goes over into the backdrop. Others end
    at the horizon, so far away that rays would slip between triangles: such a floor is one disc, which Mitsuba meets by
    its equation, and where it has a pattern a square lies on it.

    Args:
        mi: Mitsuba.
        placing: Of the domain.
        scene: Its domain stands on the floor, or on solids that do.
        furthest: How far (m) from the domain's middle the camera ever is.
    """
    if not scene.look.floor:
        return {}
    reach = _reach(placing, furthest)
    color = light_of(scene.look.seen_background)
    middle = placing.origin + np.array([0.0, floor_height(scene), 0.0])
    pattern = floor_pattern(scene)
    if pattern is None and scene.look.seen_light == "studio":
        radius = reach * np.linspace(0, 1, 24) ** 2
        of_vertices = np.repeat(_plain_floor(radius / reach)[:, None] * color, _ROUND, axis=0).astype(np.float32)
        return {"floor": shown_triangles(mi, placing, _disc(radius, middle), matte_of_vertices(), of_vertices)}
    far = matte(rgb(_NEAR_FLOOR * color), SETS[scene.look.set].gloss)
    below = middle - [0, 0.0 if pattern is None else 0.25 * placing.apart, 0]
    level = _level(mi, placing(below).tolist(), _TO_HORIZON * reach * placing.scale)
    made = {"floor": shown_shape({"type": "disk", "to_world": level}, far)}
    return made if pattern is None else made | _patterned(mi, placing, scene, pattern, middle)


def wet_floor_surface(mi: Any, placing: Placing, scene: Scene, furthest: float, look: WetLook) -> Surface:
    """The floor under a film, in the colours of the dry one; its places are those of `wet_floor`."""
    color, pattern = _NEAR_FLOOR * light_of(scene.look.seen_background), floor_pattern(scene)
    texture = rgb(color)
    if pattern is not None:
        texture = bitmap(mi, pattern.factors[::-1] * color.astype(np.float32))
    elif scene.look.seen_light == "studio":
        line, size = (np.arange(_SHADES) + 0.5) / _SHADES - 0.5, scene.domain.size
        away = np.hypot(*np.meshgrid(line * size[0], line * size[2])) / _reach(placing, furthest)
        texture = bitmap(mi, (_plain_floor(away)[..., None] * color / _NEAR_FLOOR).astype(np.float32))
    return under_film(matte(mi.load_dict(texture), SETS[scene.look.set].gloss), look)


def wet_floor(mi: Any, placing: Placing, scene: Scene, wet: tuple[Mesh, Floats], surface: Surface) -> Content:
    """The wet part of the floor, a hair above it, with the film at its corners; where that is 0 it is as the floor."""
    mesh, film = wet
    x, z = mesh.vertices[:, 0].astype(np.float64), mesh.vertices[:, 2].astype(np.float64)
    pattern, size = floor_pattern(scene), scene.domain.size
    places = (x / size[0], z / size[2]) if pattern is None else (x / pattern.size, -z / pattern.size)
    raised = replace(mesh, vertices=mesh.vertices + np.array([0, 0.5 * placing.apart, 0], np.float32))
    return {"wet_floor": shown_triangles(mi, placing, raised, surface, uv=np.stack(places, axis=1), share=film)}


def _reach(placing: Placing, furthest: float) -> float:
    """Radius of the floor, m."""
    return max(_REACH * DIAGONAL / placing.scale, 3 * furthest)


def _plain_floor(away: Array) -> Array:
    """Light that a plain floor returns, as a part of the background's, so many radii of the floor from its middle."""
    shade: Array = _NEAR_FLOOR + (_FAR_FLOOR - _NEAR_FLOOR) * away * (3 - 2 * np.sqrt(away))
    return shade


def _patterned(mi: Any, placing: Placing, scene: Scene, pattern: Pattern, middle: Array) -> Content:
    """A square of floor with a pattern, which fades towards its sides; in the guide it is as large as it does not."""
    half = _PATTERNED * DIAGONAL
    color = _NEAR_FLOOR * light_of(scene.look.seen_background).astype(np.float32)
    plain = matte(rgb(color.astype(np.float64)), SETS[scene.look.set].gloss)
    line = np.linspace(-1, 1, 256)
    away = np.clip((np.hypot(*np.meshgrid(line, line)) - _FADING) / (0.95 - _FADING), 0, 1)
    fading = bitmap(mi, (away * away * (3 - 2 * away))[:, :, None].astype(np.float32), wrap_mode="clamp")
    picture = pattern.factors[::-1] * color
    squares = []
    for share in (1.0, _FADING / math.sqrt(2)):
        side = share * half
        square = {"type": "rectangle", "to_world": _level(mi, placing(middle).tolist(), side)}
        # The square goes from 0 to 1 along x and along -z; the pattern has a corner at the origin and rows along -z
        along = 2 * side / placing.scale / pattern.size
        start = (middle[[0, 2]] + [-1, 1] * np.array([side / placing.scale] * 2)) / pattern.size
        place = mi.ScalarTransform3f().translate([float(start[0]), float(1 - start[1])]).scale([along, along])
        squares.append((square, matte(bitmap(mi, picture, to_uv=place), SETS[scene.look.set].gloss)))
    lit = shown_shape(squares[0][0], mixed(squares[0][1], plain, fading)).lit
    return {"patterned": Shown(lit, shown_shape(*squares[1]).guide)}


def _level(mi: Any, place: list[float], scale: float) -> Any:
    return mi.ScalarTransform4f().translate(place).rotate([1, 0, 0], -90).scale(scale)


def rim_color(scene: Scene) -> Array:
    """The share of light that the rim of the floor, and the backdrop behind it, return; less under a gloss."""
    plain = floor_pattern(scene) is None and scene.look.seen_light == "studio"
    share = _GLOSSED if SETS[scene.look.set].gloss < 1 else 1.0
    color: Array = share * (_FAR_FLOOR if plain else _NEAR_FLOOR) * light_of(scene.look.seen_background)
    return color


def light(mi: Any, scene: Scene, first: View) -> Content:
    """What shines on everything, from far away; lamps stand as the camera is in the first picture."""
    source = scene.look.seen_light
    if source not in LIGHTS:
        return {"light": Shown({"type": "envmap", "bitmap": _picture(mi, source)}, None)}
    picture = environment(source, *lamp_directions(first, source), rim_color(scene))
    return {"light": Shown({"type": "envmap", "bitmap": mi.Bitmap(picture)}, None)}


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
