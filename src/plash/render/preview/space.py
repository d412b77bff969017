"""Pictures of 3-D scenes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plash.grid.volume import Volume
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals
from plash.mesh.shapes import shape_mesh
from plash.mesh.wetness import WetSurface, wet_surfaces
from plash.render.camera import View, box_corners, camera_view
from plash.render.framing import seen_size
from plash.render.moment import Moment
from plash.render.patterns import floor_pattern
from plash.render.preview.balls import draw_balls
from plash.render.preview.billboards import see_billboards
from plash.render.preview.caustics import light_on_floor
from plash.render.preview.cells import cell_boxes, filled_cells
from plash.render.preview.covers import Covered, cover_floor, cover_solids
from plash.render.preview.develop import develop
from plash.render.preview.films import add_gloss, see_films, with_film
from plash.render.preview.firelight import add_firelight
from plash.render.preview.lights import ShadowMap, dim, shadow_map
from plash.render.preview.lines import line_cover
from plash.render.preview.march import SeenSmoke, see_smoke
from plash.render.preview.motes import draw_bubbles, draw_surface_motes
from plash.render.preview.raster import Layer, draw_triangles
from plash.render.preview.smoke import LitSmoke, glowing_smoke, lit_smoke
from plash.render.preview.studio import LAMP_SOFTNESS, SKY_SOFTNESS, floor_height, studio_for
from plash.render.preview.surfaces import DrawnTriangles, Seen, see_balls, see_triangles, shine
from plash.render.preview.tint import Tint
from plash.render.preview.water import shine_through
from plash.render.smoke.fire import FireLamps
from plash.render.smoke.optics import smoke_optics
from plash.render.textures import apart
from plash.render.tone import film as filmed
from plash.render.wet_look import wet_look
from plash.scene.colors import light_of
from plash.scene.model import Scene
from plash.scene.sets import SETS

Floats = NDArray[np.float32]

_OPAQUE = np.full(3, np.inf)
_EDGE_WIDTH, _EDGE_STRENGTH = 1.3, 0.5  # in pixels, and how much of the line's colour
_MOST_FADE = 3.0  # most that light fades over the length of the domain before it reaches liquid
_NEARER = np.float32(1 - 1e-5)  # of their depth, floor and solids: liquid that stands on them does not shine through
_NEAR_BODY = 0.02  # cells that a sample of a body may be off its face
_EDGE_LIGHT = np.array([0.10, 0.12, 0.14], np.float32)


@dataclass(frozen=True, eq=False)
class Balls:
    """Balls to be seen: centres (n, 3) and radii (n,) in m, light (n, 3) they return."""

    centers: NDArray[np.float64]
    radius: NDArray[np.float64]
    colors: Floats


class SpacePreview:
    """Takes pictures of one 3-D scene: what stands still is prepared once."""

    def __init__(self, scene: Scene, width: int, height: int) -> None:
        self._scene = scene
        self._h = scene.domain.h
        self._size = np.array(scene.domain.cells) * self._h
        self._across = float(np.sqrt(self._size @ self._size))
        self._pixels = (2 * width, 2 * height)
        self._tint = Tint(scene)
        self._optics, self._wet_look = smoke_optics(scene), wet_look(scene)
        self._see_smoke = see_billboards if scene.look.smoke == "billboards" else see_smoke
        self._framed = seen_size(scene)
        self._pattern = floor_pattern(scene)
        # In a studio drafts show colours as they are given, which ray traced are darker
        self._exposure = 0.0 if scene.look.set == "studio" else scene.look.exposure
        first = camera_view(scene.look.camera, self._framed, self._pixels)
        self._studio = studio_for(first, self._size, _background(scene), scene.look.seen_light)
        self._edges = _box_edges(self._size) if scene.look.edges else np.zeros((0, 2, 3))
        self._moves = any(solid.moves for solid in scene.solid)
        self._place_solids(0.0)
        self._look_from(first)

    def _place_solids(self, time: float) -> None:
        """Prepare the solids where they are at a time, and their shadows."""
        self._solids, self._covered = _solids(self._scene, time)
        self._solids_at = time
        self._solid_maps = self._maps_of(self._solids, 0.01 * self._across) if len(self._solids.faces) else None

    def _look_from(self, view: View) -> None:
        """Prepare what is seen of all that stands still."""
        self._view = view
        layer = Layer.empty(view)
        draw_triangles(layer, view, self._solids.vertices, self._solids.faces)
        self._seen = Seen.nothing(view, self._studio.background)
        see_triangles(self._seen, view, layer, self._solids)
        cover_solids(self._seen, view, layer, self._solids, self._scene, self._covered, self._solids_at)
        self._opaque = layer.depth * _NEARER
        if self._scene.look.floor:
            floor = _floor_depth(view, floor_height(self._scene))
            hidden = floor < layer.depth
            self._opaque = np.minimum(self._opaque, floor)
            self._seen.normal[hidden] = 0
            self._seen.color[hidden] = self._studio.background
            if self._pattern is not None:
                cover_floor(self._seen, view, floor, hidden & np.isfinite(floor), self._pattern)
        self._key, self._sky = (np.ones((view.height, view.width, 3), np.float32) for _ in range(2))
        self._shade(self._key, self._sky, self._opaque, self._solid_maps)

    def picture(self, moment: Moment) -> NDArray[np.uint8]:
        """The picture (height, width, 3) of a frame."""
        self._prepare(moment.time)
        show = self._scene.look.show
        smoke = self._lit(moment.volume)
        if show == "surface" and self._scene.mesh.walls == "open":
            return self._of_opaque(_turned_to(self._view, self._surface(moment.mesh)), 0.7 * self._h, smoke)
        if show == "surface":
            return self._of_surface(moment, smoke)
        particles = moment.particles
        if show == "cells":
            values = self._tint.values(particles.velocity, particles.scalars)
            cells, means = filled_cells(particles.position, values, self._h)
            return self._of_opaque(cell_boxes(cells, self._tint.colors(means), self._h), 0.7 * self._h, smoke)
        radius = np.cbrt(3 / (4 * np.pi) * np.maximum(particles.volume, 0))
        colors = self._tint.colors(self._tint.values(particles.velocity, particles.scalars))
        return self._of_opaque(Balls(particles.position, radius, colors), 3 * self._h, smoke)

    def seen_smoke(self, moment: Moment) -> tuple[SeenSmoke, SeenSmoke, FireLamps] | None:
        """What is seen of smoke before solids and floor: lit, without flames; glowing, with them; and their light."""
        self._prepare(moment.time)
        smoke = self._lit(moment.volume, without_flames=True)
        if smoke is None:
            return None
        lit = self._smoke_before(self._opaque, smoke)
        own = lit.in_the_dark
        if len(smoke.lamps.places) or "flame" in moment.volume.pools:
            own = self._smoke_before(self._opaque, glowing_smoke(moment.volume, self._optics, smoke))
        return lit, own, smoke.lamps

    def _prepare(self, time: float) -> None:
        """Place solids and camera where they are at a time, if they move."""
        camera = self._scene.look.camera
        if self._moves:
            self._place_solids(time)
        if camera is not None and camera.moves:
            self._look_from(camera_view(camera, self._framed, self._pixels, time))
        elif self._moves:
            self._look_from(self._view)

    def _lit(self, volume: Volume, without_flames: bool = False) -> LitSmoke | None:
        solid_map = None if self._solid_maps is None else self._solid_maps[0]
        return lit_smoke(volume, self._optics, self._studio, self._size, solid_map, without_flames)

    def _surface(self, mesh: Mesh) -> DrawnTriangles:
        vertices = np.ascontiguousarray(mesh.vertices, np.float32)
        normals = None
        if self._scene.look.shading == "smooth" and len(mesh.faces):
            normals = mesh.normals if mesh.normals is not None else face_normals(vertices, mesh.faces)
        velocity = mesh.velocity if mesh.velocity is not None else np.zeros_like(vertices)
        return DrawnTriangles(
            vertices, mesh.faces, normals, self._tint.colors(self._tint.values(velocity, mesh.scalars))
        )

    def _of_surface(self, moment: Moment, smoke: LitSmoke | None) -> NDArray[np.uint8]:
        """Through clear liquid one sees what is opaque, in the light that the liquid lets through."""
        view, studio = self._view, self._studio
        things, motes = self._surface(moment.mesh), moment.motes
        layer = Layer.empty(view, self._opaque)
        back = Layer.empty(view)
        draw_triangles(layer, view, things.vertices, things.faces, back)
        maps = self._maps_of(things, 0.0) if len(things.faces) else None
        key, sky = self._key.copy(), self._sky.copy()
        self._shade(key, sky, self._opaque, maps)
        self._shade(key, sky, self._opaque, None if smoke is None else smoke.shadows)
        film, seen = self._film(moment), self._seen
        if film is not None and self._wet_look is not None:
            seen = with_film(seen, film, self._wet_look)
        light = shine(seen, key, sky, studio.to_lamp)
        if film is not None:
            add_gloss(light, view, seen, film, key, studio.mirrored)
        if smoke is not None:
            add_firelight(light, view, self._opaque, self._seen, smoke.lamps, studio.background)
        nearest = np.minimum(layer.depth, self._opaque)
        seen_smoke = None if smoke is None else self._smoke_before(nearest, smoke)
        before = self._edge_cover(nearest if seen_smoke is None else np.minimum(nearest, seen_smoke.depth))
        self._draw_edges(light, np.maximum(self._edge_cover(self._opaque) - before, 0))
        largest = self._scene.whitewater.mote_size * self._h
        if motes is not None:
            draw_bubbles(light, view, motes, largest, self._h, self._opaque)
        if len(things.faces):
            on_liquid = np.ones_like(key)
            if self._solid_maps is not None:
                dim(on_liquid, view, layer.depth, self._solid_maps[0])
            if maps is not None:
                # Light wanders about in cloudy liquid: it shades itself less than others
                own = replace(maps[0], absorb=np.minimum(maps[0].absorb, _MOST_FADE / self._across))
                dim(on_liquid, view, layer.depth, own)
            light = shine_through(
                light, view, self._opaque, layer, back, things, self._tint.liquid, on_liquid, studio.mirrored,
                self._scene.look.floor,
            )  # fmt: skip
        if motes is not None:
            draw_surface_motes(light, view, motes, largest, self._h, nearest)
        if seen_smoke is not None:
            seen_smoke.cover(light)
        self._draw_edges(light, before)
        return develop(light, self._exposure)

    def _of_opaque(self, things: DrawnTriangles | Balls, grain: float, smoke: LitSmoke | None) -> NDArray[np.uint8]:
        """Particles, cells and open surfaces are opaque, and shade each other more the deeper they lie."""
        view, studio = self._view, self._studio
        layer = Layer.empty(view)
        _draw(layer, view, things)
        hidden = layer.depth >= self._opaque
        layer.index[hidden] = -1
        layer.depth[hidden] = self._opaque[hidden]
        seen = self._seen.copy()
        if isinstance(things, Balls):
            see_balls(seen, view, layer, things.centers, things.colors)
        else:
            see_triangles(seen, view, layer, things, cell=self._h if self._scene.look.show == "cells" else 0.0)
        key, sky = (np.ones_like(self._key) for _ in range(2))
        self._shade(key, sky, layer.depth, self._solid_maps)
        self._shade(key, sky, layer.depth, self._maps_of(things, grain))
        self._shade(key, sky, layer.depth, None if smoke is None else smoke.shadows)
        light = shine(seen, key, sky, studio.to_lamp)
        if smoke is not None:
            add_firelight(light, view, layer.depth, seen, smoke.lamps, studio.background)
        edges = self._edge_cover(layer.depth)
        seen_smoke = None if smoke is None else self._smoke_before(layer.depth, smoke)
        if seen_smoke is not None:
            before = self._edge_cover(np.minimum(layer.depth, seen_smoke.depth))
            self._draw_edges(light, np.maximum(edges - before, 0))
            seen_smoke.cover(light)
            edges = before
        self._draw_edges(light, edges)
        return develop(light, self._exposure)

    def _film(self, moment: Moment) -> Floats | None:
        """How much of a film is on what is seen at each sample; None if all is dry."""
        if moment.wetness is None or self._wet_look is None:
            return None
        film = moment.wetness.film
        parts = [surface.wet_part(film, moment.time) for surface in self._wettable]
        return see_films(self._view, self._opaque, parts, _NEAR_BODY * self._h)

    @cached_property
    def _wettable(self) -> list[WetSurface]:
        """The surfaces that liquid can wet; the floor only if it is the one that is seen."""
        found = wet_surfaces(self._scene.obstacles, self._scene.domain)
        has_floor = self._scene.look.floor and floor_height(self._scene) == 0
        return [surface for surface in found if surface.solid is not None or has_floor]

    def _smoke_before(self, depth: Floats, smoke: LitSmoke) -> SeenSmoke:
        """What is seen of smoke in front of what is at a depth."""
        seen = SeenSmoke.nothing(self._view)
        self._see_smoke(seen, self._view, depth, smoke.bricks)
        return seen

    def _maps_of(self, things: DrawnTriangles | Balls, grain: float) -> tuple[ShadowMap, ShadowMap]:
        """What the lamp and the sky see of things; clear ones have no grain."""
        maps = []
        for lamp, softness in ((self._studio.lamp, LAMP_SOFTNESS), (self._studio.sky, SKY_SOFTNESS)):
            behind = np.full((lamp.height, lamp.width), np.inf, np.float32) if grain == 0 else None
            layer = Layer.empty(lamp, behind)
            _draw(layer, lamp, things)
            absorb = self._tint.absorb if grain == 0 else _OPAQUE
            gathered = None
            if (
                grain == 0
                and lamp is self._studio.lamp
                and self._scene.look.floor
                and isinstance(things, DrawnTriangles)
            ):
                gathered = light_on_floor(lamp, layer, things)
            maps.append(shadow_map(lamp, layer, softness, absorb, grain, gathered))
        return maps[0], maps[1]

    def _shade(self, key: Floats, sky: Floats, depth: Floats, maps: tuple[ShadowMap, ShadowMap] | None) -> None:
        if maps is not None:
            dim(key, self._view, depth, maps[0])
            dim(sky, self._view, depth, maps[1])

    def _edge_cover(self, depth: Floats) -> Floats:
        return line_cover(self._view, self._edges, 2 * _EDGE_WIDTH, depth, 0.5 * self._h)

    def _draw_edges(self, light: Floats, cover: Floats) -> None:
        at = cover > 0
        part = (_EDGE_STRENGTH * cover[at])[:, None]
        light[at] = (1 - part) * light[at] + part * _EDGE_LIGHT


def _draw(layer: Layer, view: View, things: DrawnTriangles | Balls) -> None:
    if isinstance(things, Balls):
        draw_balls(layer, view, things.centers, things.radius)
    else:
        draw_triangles(layer, view, things.vertices, things.faces)


def _turned_to(view: View, things: DrawnTriangles) -> DrawnTriangles:
    """A sheet that has no inside, as it is seen: normals of triangles that look away are turned round."""
    if things.normals is None or len(things.faces) == 0:
        return things
    corners = things.vertices[things.faces].astype(np.float64)
    out = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    looks_away = np.einsum("ij,ij->i", corners[:, 0] - view.position, out) > 0
    normals = things.normals[things.faces] * np.where(looks_away, -1, 1).astype(np.float32)[:, None, None]
    return DrawnTriangles(
        things.vertices[things.faces].reshape(-1, 3),
        np.arange(3 * len(things.faces), dtype=np.int32).reshape(-1, 3),
        np.ascontiguousarray(normals.reshape(-1, 3)),
        np.ascontiguousarray(things.colors[things.faces].reshape(-1, 3)),
    )


def _background(scene: Scene) -> NDArray[np.float64]:
    """Light of floor and background: in a set as bright as they are ray traced, in a studio as they are given."""
    light = light_of(scene.look.seen_background)
    return light if scene.look.set == "studio" else filmed(SETS[scene.look.set].brightness * light)


def _solids(scene: Scene, time: float) -> tuple[DrawnTriangles, list[Covered]]:
    """The triangles of all solids at a time, each corner with its own normal; and which of them have a texture."""
    vertices, normals, colors = ([np.zeros((0, 3), np.float32)] for _ in range(3))
    covered, count = list[Covered](), 0
    for solid in scene.solid:
        mesh = apart(shape_mesh(solid.at(time, 3).shape, scene.domain))
        assert mesh.normals is not None
        vertices.append(mesh.vertices)
        normals.append(mesh.normals.astype(np.float32))
        colors.append(np.tile(light_of(solid.look.seen_color).astype(np.float32), (len(mesh.vertices), 1)))
        if solid.look.texture is not None:
            covered.append(Covered(solid, count, count + len(mesh.faces)))
        count += len(mesh.faces)
    placed = np.concatenate(vertices)
    faces = np.arange(len(placed), dtype=np.int32).reshape(-1, 3)
    return DrawnTriangles(placed, faces, np.concatenate(normals), np.concatenate(colors)), covered


def _floor_depth(view: View, height: float) -> Floats:
    """Depth of the level plane at a height (m) at each sample, infinite where it is not seen from above.

    It is drawn a hair's breadth nearer, as solids are.
    """
    u = (np.arange(view.width) + 0.5 - view.width / 2) / view.focal
    v = (view.height / 2 - np.arange(view.height) - 0.5) / view.focal
    right, up, forward = view.axes[:, 1]
    falling = -(u[None, :] * right + v[:, None] * up + forward)
    seen = (falling > 1e-9) & (view.position[1] > height)
    depth = np.where(seen, (view.position[1] - height) / np.where(seen, falling, 1), np.inf)
    return (depth * _NEARER).astype(np.float32)


def _box_edges(size: NDArray[np.float64]) -> NDArray[np.float64]:
    corners = box_corners(np.zeros(3), size)
    pairs = [(k, k | bit) for bit in (1, 2, 4) for k in range(8) if not k & bit]
    edges: NDArray[np.float64] = corners[np.array(pairs)]
    return edges
