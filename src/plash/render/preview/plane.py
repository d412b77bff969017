"""Pictures of 2-D scenes: flat regions with outlines, and a scale of colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.mesh.mesh import Mesh
from plash.mesh.shapes import shape_mesh
from plash.render.camera import View, facing_view
from plash.render.colors import scale_colors
from plash.render.moment import Moment
from plash.render.preview.balls import draw_balls
from plash.render.preview.cells import cell_boxes, filled_cells
from plash.render.preview.develop import develop
from plash.render.preview.lines import line_cover
from plash.render.preview.motes import draw_bubbles, draw_surface_motes
from plash.render.preview.plane_smoke import draw_plane_smoke
from plash.render.preview.raster import Layer, draw_triangles
from plash.render.preview.surfaces import DrawnTriangles, Seen, see_balls, see_triangles
from plash.render.preview.tint import Tint
from plash.render.smoke.optics import smoke_optics
from plash.scene.colors import light_of, linear, screen
from plash.scene.model import Scene
from plash.solvers.frame import FrameParticles
from plash.whitewater.motes import Motes

Floats = NDArray[np.float32]

_MARGIN = 0.02  # round the domain, as a part of its longest side
_OUTLINE = 1.4  # pixels
_PALER, _PALER_BEHIND_SMOKE = 0.7, 0.01  # how much whiter the domain is than the background
_PLATE = 0.6  # how opaque the ground of the scale is
_BORDER_LIGHT = linear([0.36, 0.39, 0.43]).astype(np.float32)


def plane_view(domain_size: NDArray[np.float64], pixels: tuple[int, int]) -> View:
    """The view of a 2-D domain, with a margin round it."""
    margin = _MARGIN * float(domain_size.max())
    return facing_view(-margin * np.ones(2), domain_size + margin, pixels)


class PlanePreview:
    """Takes pictures of one 2-D scene: what stands still is prepared once."""

    def __init__(self, scene: Scene, width: int, height: int) -> None:
        self._scene = scene
        self._h = scene.domain.h
        self._tint = Tint(scene)
        self._optics = smoke_optics(scene)
        size = np.array(scene.domain.cells) * self._h
        self._view = plane_view(size, (2 * width, 2 * height))
        self._paper = self._empty_domain(size)
        self._solids = self._solids_at(0.0)
        self._moves = any(solid.moves for solid in scene.solid)
        self._border = _box_lines(size)
        self._scale = _scale_of(self._tint, width, height, self._paper[height, width]) if self._tint.is_scale else None

    def picture(self, moment: Moment) -> NDArray[np.uint8]:
        """The picture (height, width, 3) of a frame."""
        if self._moves:
            self._solids = self._solids_at(moment.time)
        light = self._paper.copy()
        show = self._scene.look.show
        if show == "surface":
            self._draw_surface(light, moment.mesh)
            self._draw_motes(light, moment.motes)
        elif show == "cells":
            self._draw_cells(light, moment.particles)
        else:
            self._draw_particles(light, moment.particles)
        draw_plane_smoke(light, self._view, moment.volume, self._optics)
        for region, color in self._solids:
            self._fill(light, region, np.tile(color, (len(region.vertices), 1)))
            self._draw_lines(light, region.vertices[region.edges], _OUTLINE, 0.45 * color)
        if self._scene.look.edges:
            self._draw_lines(light, self._border, _OUTLINE, _BORDER_LIGHT)
        return self._with_scale(develop(light))

    def _solids_at(self, time: float) -> list[tuple[Mesh, Floats]]:
        """The solids where they are at a time, with their colours."""
        return [
            (shape_mesh(solid.shape, self._scene.domain), light_of(solid.look.seen_color).astype(np.float32))
            for solid in self._scene.seen_at(time)
        ]

    def _empty_domain(self, size: NDArray[np.float64]) -> Floats:
        """Background, and a lighter domain; where smoke is shown, only a little lighter."""
        background = light_of(self._scene.look.seen_background).astype(np.float32)
        light = np.tile(background, (self._view.height, self._view.width, 1))
        corners = np.array([[0, 0, 0], [size[0], 0, 0], [size[0], size[1], 0], [0, size[1], 0]], np.float32)
        region = Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32))
        paler = _PALER_BEHIND_SMOKE if self._scene.solver.has_smoke else _PALER
        self._fill(light, region, np.tile(background + (1 - background) * np.float32(paler), (4, 1)))
        return light

    def _fill(self, light: Floats, mesh: Mesh, colors: Floats) -> None:
        layer = Layer.empty(self._view)
        draw_triangles(layer, self._view, mesh.vertices, mesh.faces)
        seen = Seen(np.empty_like(light), light)
        see_triangles(seen, self._view, layer, DrawnTriangles(mesh.vertices, mesh.faces, None, colors))

    def _draw_surface(self, light: Floats, mesh: Mesh) -> None:
        if len(mesh.faces) == 0:
            return
        velocity = mesh.velocity if mesh.velocity is not None else np.zeros_like(mesh.vertices)
        self._fill(light, mesh, self._tint.colors(self._tint.values(velocity, mesh.scalars)))
        self._draw_lines(light, mesh.vertices[mesh.edges], _OUTLINE, 0.4 * self._dark())

    def _draw_motes(self, light: Floats, motes: Motes | None) -> None:
        if motes is not None:
            nearest = np.full(light.shape[:2], np.inf, np.float32)
            for draw in (draw_bubbles, draw_surface_motes):
                draw(light, self._view, motes, self._scene.whitewater.mote_size * self._h, self._h, nearest)

    def _draw_particles(self, light: Floats, particles: FrameParticles) -> None:
        centers = np.column_stack([particles.position, np.zeros(len(particles.position))])
        layer = Layer.empty(self._view)
        draw_balls(layer, self._view, centers, np.sqrt(np.maximum(particles.volume, 0) / np.pi))
        colors = self._tint.colors(self._tint.values(particles.velocity, particles.scalars))
        see_balls(Seen(np.empty_like(light), light), self._view, layer, centers, colors)

    def _draw_cells(self, light: Floats, particles: FrameParticles) -> None:
        values = self._tint.values(particles.velocity, particles.scalars)
        cells, means = filled_cells(particles.position, values, self._h)
        if len(cells) == 0:
            return
        boxes = cell_boxes(cells, self._tint.colors(means), self._h)
        self._fill(light, Mesh(boxes.vertices, boxes.faces), boxes.colors)
        corners = boxes.vertices.reshape(-1, 4, 3)
        sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)
        pixels = self._h * self._view.focal / self._view.position[2] / 2
        self._draw_lines(light, sides, min(1.0, 0.12 * pixels), 0.5 * self._dark())

    def _dark(self) -> Floats:
        """The colour of the liquid's outline before it is darkened."""
        return (scale_colors(0.15, self._tint.shows) if self._tint.is_scale else self._tint.light).astype(np.float32)

    def _draw_lines(self, light: Floats, ends: NDArray[np.floating], width: float, color: Floats) -> None:
        cover = line_cover(self._view, ends, 2 * width)
        at = cover > 0
        part = cover[at][:, None]
        light[at] = (1 - part) * light[at] + part * color

    def _with_scale(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        if self._scale is not None:
            row, column, ink, color = self._scale
            part = picture[row : row + ink.shape[0], column : column + ink.shape[1]]
            part[:] = np.rint((1 - ink) * part + ink * color).astype(np.uint8)
        return picture


def _scale_of(
    tint: Tint, width: int, height: int, paper: Floats
) -> tuple[int, int, NDArray[np.float64], NDArray[np.float64]] | None:
    """A bar of the colours with their numbers: where it stands, how opaque it is, and its colours."""
    from PIL import Image, ImageDraw, ImageFont

    bar, thick, font_size = round(0.16 * width), max(4, round(0.008 * width)), max(9, round(0.0155 * width))
    if width < 320 or height < 160:
        return None  # too small to read
    font = ImageFont.load_default(font_size)
    pad = 3 * font_size
    image = Image.new("L", (bar + 2 * pad, thick + 9 * font_size // 4))
    draw = ImageDraw.Draw(image)
    for place, text in ((pad, f"{tint.low:.2g}"), (pad + bar, f"{tint.top:.2g} {tint.unit}")):
        draw.text((place, thick + font_size), text, fill=255, font=font, anchor="mt")
    text_ink = np.asarray(image, np.float64)[:, :, None] / 255
    # A pale plate keeps it readable before liquid
    color = 255 * ((1 - text_ink) * screen(paper) + text_ink * screen(_BORDER_LIGHT))
    ink = _PLATE + (1 - _PLATE) * np.repeat(text_ink, 3, axis=2)
    rows, columns = slice(font_size // 2, font_size // 2 + thick), slice(pad, pad + bar)
    ink[rows, columns] = 1
    color[rows, columns] = 255 * screen(scale_colors(np.linspace(0, 1, bar), tint.shows))
    inset = round(0.055 * width)
    return inset, width - inset - ink.shape[1], ink, color


def _box_lines(size: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y = size
    corners = np.array([[0, 0, 0], [x, 0, 0], [x, y, 0], [0, y, 0]])
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
